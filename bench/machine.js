import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'

const peers = [
  'fastify', '@nestjs/core', '@nestjs/platform-fastify', '@hapi/hapi', 'hapi-api-version', 'express',
  'express-version-route', 'path-to-regexp', 'named-routes'
]

/** What the numbers were measured on, with and when. */
export async function describeMachine () {
  const versions = await Promise.all(peers.map(async (name) => `${name} ${await versionOf(name)}`))
  const cores = `${availableParallelism()} cores (${cpus()[0].model.trim()})`
  const date = new Date().toISOString().slice(0, 10)
  return `Measured on ${date}: ${cores}, Node ${process.version}, ${process.platform}.\n${versions.join(', ')}.`
}

/** Not by import, because some packages do not export it. */
async function versionOf (name) {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(await readFile(file, 'utf8')).version
}

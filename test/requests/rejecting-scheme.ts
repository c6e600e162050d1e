import diagnosticsChannel from 'node:diagnostics_channel'

import Fastify from 'fastify'

import versioning, { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningOptions, VersioningSchemeClass } from '../../types/index.d.ts'

/**
 * Sends requests to apps whose scheme has an async method that rejects, and prints path and status of every answer.
 * There is an app for each pair of such a method and the class that has it. The types forbid it, JavaScript does not,
 * and a rejection that nobody handles ends the process.
 */
const pairs = process.argv.slice(2).map((pair) => pair.split(' '))

/** Reads the version in `readVersion`. */
class Reading extends BaseVersioning {
  override determineVersion ({ raw }: FastifyRequest) {
    return this.permit((this as unknown as { readVersion (raw: object): string }).readVersion(raw))
  }
}

const BASES: Readonly<Record<string, VersioningSchemeClass>> = {
  reading: Reading, bare: BaseVersioning, query: QueryParameterVersioning
}

function schemeWith (method: string, base: string): VersioningSchemeClass {
  class Rejecting extends BASES[base] {}
  Object.defineProperty(Rejecting.prototype, method, {
    async value () { throw new Error('rejected') }
  })
  if (method === 'determineVersion') {
    // Without a readVersion() of the same class the scheme could not choose handlers.
    const value = Reflect.get(BASES[base].prototype, 'readVersion')
    Object.defineProperty(Rejecting.prototype, 'readVersion', { value })
  }
  return Rejecting
}

const lifecycle = { v1: { deprecated: '2026-01-01' } }
const kinds: VersioningOptions[] = [
  { allowedVersions: null },
  { allowedVersions: ['v1', 'v2'] },
  { allowedVersions: ['v1', 'v2'], lifecycle, reportVersions: true, enforceSunset: true },
  { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', logVersion: true }
]

type Answer = [path: string, status: number]

async function ask (options: VersioningOptions): Promise<Answer[]> {
  const answers: Answer[] = []
  const app = Fastify()
  await app.register(versioning, options)
  app.get('/plain', async () => '')
  app.get('/chosen', { version: 'v1' }, async () => '')
  app.get('/chosen', async () => '')
  app.get('/neutral', { versioning: false }, async () => '')
  for (const path of ['/plain', '/chosen', '/neutral']) {
    for (const query of ['', '?version=v1', '?version=v9']) {
      answers.push([path, (await app.inject(path + query)).statusCode])
      // Node ends the process once the microtasks are done.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await app.close()
  return answers
}

const answers: Record<string, Answer[]> = {}
const listener = () => {}
for (const [method, base] of pairs) {
  const scheme = schemeWith(method, base)
  const own = answers[`${method} ${base}`] = [] as Answer[]
  for (const options of kinds) own.push(...await ask({ ...options, scheme }))
  diagnosticsChannel.subscribe('fastify-versioning:version', listener)
  for (const options of kinds) own.push(...await ask({ ...options, scheme }))
  diagnosticsChannel.unsubscribe('fastify-versioning:version', listener)
}
process.stdout.write(JSON.stringify(answers))

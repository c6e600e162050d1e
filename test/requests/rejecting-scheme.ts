import diagnosticsChannel from 'node:diagnostics_channel'

import Fastify from 'fastify'

import versioning, { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningOptions, VersioningSchemeClass } from '../../types/index.d.ts'

/**
 * Asks apps whose scheme has an async method that rejects, named by the argument, and prints path and status of every
 * answer. The types forbid it, JavaScript does not, and a rejection that nobody handles ends the process.
 */
const [method, base = 'query'] = process.argv.slice(2)

/** Reads the version in `readVersion`. */
class Reading extends BaseVersioning {
  override determineVersion ({ raw }: FastifyRequest) {
    return this.permit((this as unknown as { readVersion (raw: object): string }).readVersion(raw))
  }
}

class Bare extends BaseVersioning {}
class Asking extends QueryParameterVersioning {}

const Scheme = { reading: Reading, bare: Bare, query: Asking }[base] as VersioningSchemeClass
Object.defineProperty(Scheme.prototype, method, {
  async value () { throw new Error('rejected') }
})

const lifecycle = { v1: { deprecated: '2026-01-01' } }
const kinds: VersioningOptions[] = [
  { allowedVersions: null },
  { allowedVersions: ['v1', 'v2'] },
  { allowedVersions: ['v1', 'v2'], lifecycle, reportVersions: true, enforceSunset: true },
  { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', logVersion: true }
]

const answers: [path: string, status: number][] = []

async function ask (options: VersioningOptions): Promise<void> {
  const app = Fastify()
  await app.register(versioning, { ...options, scheme: Scheme })
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
}

for (const options of kinds) await ask(options)
diagnosticsChannel.subscribe('fastify-versioning:version', () => {})
for (const options of kinds) await ask(options)
process.stdout.write(JSON.stringify(answers))

// The server that fuzz/wire/ attacks, in a separate process so that a crash and a hang can be seen.

import Fastify from 'fastify'
import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning, byDate
} from 'fastify-versioning'
import { subscribe } from 'node:diagnostics_channel'

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { VersioningOptions, VersionUsage } from 'fastify-versioning'

const schemes = {
  accept: AcceptHeaderVersioning,
  body: ContentTypeVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  query: QueryParameterVersioning,
  list: [HeaderVersioning, QueryParameterVersioning, AcceptHeaderVersioning],
  any: QueryParameterVersioning,
  client: [HeaderVersioning, QueryParameterVersioning]
}

/** Whose default versions depend on a header that is named like a member of objects, and whose names are not exact. */
const ofClient: VersioningOptions = {
  allowedVersions: ['v1', 'v2', '2025-06-01', '2025-11-15'],
  defaultVersion: { header: 'Constructor', version: (client) => client?.trim() ?? null },
  resolveVersion: (named, allowedVersions) => byDate(named.toLowerCase(), allowedVersions),
  lifecycle: {
    v1: { sunset: '2026-01-01' },
    v2: { sunset: '2099-01-01', info: '/docs' },
    '2025-11-15': { preview: true }
  },
  enforceSunset: true,
  servedVersion: 'Served-Version'
}

async function answer (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const { body, version } = request
  const note = String(Object(body).note)
  return { version, self: reply.reverse(), next: reply.reverse(null, null, { query: { page: 2, note }, hash: note }) }
}

async function appWith (options: FastifyServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    // One stream, for the lines of two apps.
    logger: { stream: process.stdout },
    trustProxy: true,
    routerOptions: { maxParamLength: 10_000 },
    ...options
  })
  await app.register(versioning, {
    scheme: URLPathVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2025-01-01', sunset: '2099-01-01', info: '/docs' } },
    reportVersions: true,
    logVersion: true,
    servedVersion: 'API-Version'
  })
  app.all('/path/:version/:id', answer)
  for (const [name, scheme] of Object.entries(schemes)) {
    await app.register(async (api) => {
      await api.register(versioning, {
        scheme,
        ...name === 'accept' && { mediaTypes: ['application/json', 'application/vnd.acme.{version}+json'] },
        ...name === 'any' && { allowedVersions: null, defaultVersion: null },
        ...name === 'client' && ofClient
      })
      api.all('/:id', answer)
      api.get('/', { version: 'v1' }, answer)
      api.get('/', { version: 'v2' }, answer)
    }, { prefix: `/${name}` })
  }
  return app
}

const http1 = await appWith({})
const http2 = await appWith({ http2: true } as object)
for (const app of [http1, http2]) await app.listen({ port: 0, host: '127.0.0.1' })

subscribe('fastify-versioning:version', (usage) => {
  if ((usage as VersionUsage).requested?.isWellFormed() === false) console.error('A character is cut in two.')
})

// What has been logged before a ping is complete.
process.on('message', (ping) => { process.stdout.write(`${JSON.stringify({ ping })}\n`) })
process.on('disconnect', () => process.exit())
process.send!([http1, http2].map((app) => (app.server.address() as AddressInfo).port))

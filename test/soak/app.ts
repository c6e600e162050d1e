import Fastify from 'fastify'
import { setTimeout as wait } from 'node:timers/promises'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const SCHEMES: Record<string, VersioningOptions['scheme']> = {
  accept: AcceptHeaderVersioning,
  content: ContentTypeVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  namespace: NamespaceVersioning,
  path: URLPathVersioning,
  query: QueryParameterVersioning,
  several: [HeaderVersioning, QueryParameterVersioning]
}

const LARGE = 'x'.repeat(4 * 2 ** 20)

/** What happened to the requests. */
export const counts = { answered: 0, failed: 0 }

/** An app with every scheme, handlers by version, links, ends of versions, and answers that take time or are large. */
export async function build (isHttp2: boolean): Promise<FastifyInstance> {
  const options = { forceCloseConnections: true }
  // Node keeps a closed server until the timer of its last session has run out: by default 72 seconds.
  const app = isHttp2
    ? Fastify({ ...options, http2: true, http2SessionTimeout: 2000 }) as unknown as FastifyInstance
    : Fastify(options)
  app.addHook('onResponse', async (_request, reply) => {
    counts.answered++
    if (reply.statusCode >= 500) counts.failed++
  })
  await app.register(versioning, {
    allowedVersions: ['v1', 'v2', 'v3'],
    defaultVersion: 'v1',
    lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { sunset: '2026-01-01' } },
    reportVersions: true,
    enforceSunset: true,
    servedVersion: 'Served-Version'
  })
  for (const [name, scheme] of Object.entries(SCHEMES)) {
    app.register(async (context) => {
      await context.register(versioning, { scheme: scheme ?? null })
      declare(context, name)
    }, { prefix: `/${name}` })
  }
  app.get('/large', { versioning: false }, async () => LARGE)
  return app
}

function declare (app: FastifyInstance, name: string): void {
  if (name === 'path') {
    declareIn(app, '/:version')
  } else if (name === 'namespace') {
    for (const version of ['v1', 'v2', 'v3', 'v9']) {
      app.register(async (app) => declareIn(app, ''), { prefix: `/${version}`, namespace: version })
    }
  } else {
    declareIn(app, '')
    app.get('/rates', { version: 'v1' }, answer)
    app.get('/rates', { version: { from: 'v2' } }, answer)
  }
}

function declareIn (app: FastifyInstance, path: string): void {
  app.get(`${path}/bookings/:id`, { name: 'booking' }, async (request, reply) => ({
    ...await answer(request),
    self: reply.reverse(null),
    next: reply.reverse('booking', { ...request.params as object, id: 8 })
  }))
  app.post(`${path}/bookings/:id`, answer)
  app.get(`${path}/slow`, async (request) => await wait(50, await answer(request)))
  app.get(`${path}/hijacked`, async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    reply.raw.end('{"version":"any"}')
  })
}

async function answer ({ version }: FastifyRequest) {
  return { version }
}

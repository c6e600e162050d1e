import Fastify from 'fastify'
import { Readable } from 'node:stream'

import versioning from '../../src/index.ts'
import { schemes } from '../fixtures/schemes.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { SchemeName } from '../fixtures/schemes.ts'

export interface AppOptions extends Pick<FastifyServerOptions, 'trustProxy'> {
  readonly scheme: SchemeName
  /** Whether the server speaks HTTP/2, in clear text. */
  readonly http2?: boolean
}

/** An app whose every answer reports the version of its request in a header. It closes after the test. */
export async function wireApp (t: Test, { scheme, http2 = false, ...options }: AppOptions): Promise<FastifyInstance> {
  // An app over HTTP/2 has another type, whose differences concern the raw request and response alone.
  const app = http2 ? Fastify({ http2, ...options }) as unknown as FastifyInstance : Fastify(options)
  t.teardown(() => app.close())
  await app.register(versioning, { scheme: schemes[scheme], defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
  app.addHook('onSend', async (request, reply) => { reply.header('x-version', String(request.version)) })

  app.register(routes)
  if (scheme === 'path') app.register(routes, { prefix: '/:version' })
  if (scheme === 'namespace') {
    for (const namespace of ['v1', 'v2', 'v9']) app.register(routes, { prefix: `/${namespace}`, namespace })
  }
  return app
}

async function routes (app: FastifyInstance): Promise<void> {
  app.get('/bookings', { name: 'bookings' }, async (request, reply) => ({
    version: request.version,
    links: [reply.reverse('bookings'), reply.reverse(), reply.reverse('bookings', null, { absolute: true })]
  }))

  app.get('/siblings', { name: 'siblings' }, async (_request, reply) => ({
    links: [reply.reverse('bookings', null, { version: 'v1' }), reply.reverse(null, null, { version: 'v1' })]
  }))

  const body = { type: 'object', required: ['id'] }
  app.post<{ Body: { id: string } }>('/bookings', { schema: { body } }, async (request, reply) => {
    const { version, body } = request
    reply.code(201).header('location', reply.reverse('booking', { id: body.id }))
    return { version, body }
  })

  app.get<{ Params: { id: string } }>('/bookings/:id', { name: 'booking' }, async (request, reply) => ({
    id: request.params.id, self: reply.reverse()
  }))

  app.delete('/bookings/:id', async (_request, reply) => { reply.code(204) })

  app.get('/latest', async (_request, reply) => reply.redirect(reply.reverse('bookings')))

  app.get('/export', async (request, reply) => {
    reply.type('text/plain')
    return Readable.from(['the bookings ', 'of version ', String(request.version)])
  })

  app.get('/broken', async () => { throw new Error('broken') })

  app.get('/health', { name: 'health', versioning: false }, async (request, reply) => ({
    version: request.version, self: reply.reverse('health')
  }))
}

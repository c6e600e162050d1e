import { appWith } from '../fixtures/app-with.ts'

import type { FastifyReply, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

export type Call = (reply: FastifyReply) => string

const allowedVersions = ['v1', 'v2', 'v3.1']

/** An app whose routes, versioned in every way, answer with what `call` makes of their reply. */
export async function appFor (t: Test, options: VersioningOptions, call: Call, server: FastifyServerOptions = {}) {
  const app = await appWith(t, { allowedVersions, defaultVersion: 'v1', ...options }, server)
  app.get('/bookings/:id', { name: 'booking' }, async (_request, reply) => call(reply))
  app.get('/:version/rooms/:id', { name: 'room' }, async (_request, reply) => call(reply))
  app.get('/unnamed/:id?', async (_request, reply) => call(reply))
  app.get('/files/*', { name: 'file' }, async (_request, reply) => call(reply))
  for (const version of ['v1', 'v2']) {
    app.register(async (scope) => {
      scope.get('/seats/:id', { name: 'seat' }, async (_request, reply) => call(reply))
      scope.get('/unnamed', async (_request, reply) => call(reply))
    }, { prefix: `/ns-${version}`, namespace: version })
  }
  app.register(async (outer) => outer.register(async (scope) => {
    scope.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  }, { prefix: '/v2', namespace: 'v2' }), { prefix: '/api', namespace: 'api' })
  app.register(async (outer) => outer.register(async (scope) => {
    scope.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  }, { prefix: '/v1', namespace: 'v1' }), { prefix: '/api', namespace: 'api' })
  app.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  return app
}

/** Refusals of a link: of an option, and of the host of the request. */
export const option = { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500 }
export const badHost = { code: 'FST_ERR_REVERSE_HOST', statusCode: 400 }

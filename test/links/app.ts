import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

export type Call = (reply: FastifyReply) => unknown

export const ok = async () => 'ok'

/** Refusals of a link: of its name or parameters, of an option, and of the host of the request. */
export const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }
export const option = { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500 }
export const badHost = { code: 'FST_ERR_REVERSE_HOST', statusCode: 400 }

/** Declares routes in namespaces, outermost first, each of which is a segment of the prefix, too. */
export function within (
  app: FastifyInstance, [namespace, ...inner]: readonly string[], declare: (scope: FastifyInstance) => unknown
): void {
  app.register(async (scope) => {
    if (inner.length > 0) within(scope, inner, declare)
    else await declare(scope)
  }, { prefix: `/${namespace}`, namespace: namespace as string })
}

/** An app whose routes, versioned in every way, answer with what `call` makes of their reply. */
export async function appFor (t: Test, options: VersioningOptions, call: Call, server: FastifyServerOptions = {}) {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2', 'v3.1'], defaultVersion: 'v1', ...options }, server)
  const answer = async (_request: unknown, reply: FastifyReply) => call(reply)
  app.get('/bookings/:id', { name: 'booking' }, answer)
  app.get('/:version/rooms/:id', { name: 'room' }, answer)
  app.get('/unnamed/:id?', answer)
  app.get('/files/*', { name: 'file' }, answer)
  for (const version of ['v1', 'v2']) {
    app.register(async (scope) => {
      scope.get('/seats/:id', { name: 'seat' }, answer)
      scope.get('/unnamed', answer)
    }, { prefix: `/ns-${version}`, namespace: version })
    within(app, ['api', version], (scope) => scope.get('/deep/:id', { name: 'deep' }, answer))
  }
  app.get('/deep/:id', { name: 'deep' }, answer)
  return app
}

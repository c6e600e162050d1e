import { completeLinks, completeVary, isWebResponse, takeHead } from '../http/kept.ts'
import { isPreflight } from '../http/preflight.ts'
import { forbidStoring } from '../lifecycle/headers.ts'
import { routeOf } from '../routes.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Scheme } from '../schemes/base.ts'

/**
 * onSend and onError of the instance: completes Vary and Link in case a later hook fails, so that the hook of the route
 * does not run.
 */
export function completeHeaders (
  request: FastifyRequest, reply: FastifyReply, payloadOrError: unknown, done: () => void
): void {
  // Not a hook of its own: Fastify binds every hook for every route.
  forbidStoring(reply, payloadOrError)
  // A context that was loaded before the plugin has this hook, but not the properties of requests.
  const scheme = request.versioningScheme as Scheme | null | undefined
  const names = scheme?.varies === undefined ? varyBefore(request) : scheme.varies
  // Most responses still have what the hook before the handler has set.
  const isSet = names === null || (reply.getHeader('vary') === names && reply.raw.getHeader('vary') === names)
  if (!isSet) completeVary(reply, names)
  completeLinks(reply)
  done()
}

/** onSend of the route, which runs last: completes Vary and Link, whatever the handler and other hooks set there. */
export function completeLast (
  request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (typeof payload !== 'object' || !isWebResponse(payload)) return completeHeaders(request, reply, payload, done)
  takeHead(reply, payload)
  completeHeaders(request, reply, payload, () => done(null, payload.body))
}

/** The request headers that the version depends on, if it was not determined; null if there are none. */
function varyBefore (request: FastifyRequest): string | null {
  if (request.is404 || isPreflight(request)) return null
  // A hook before ours has answered, or the route has no version.
  return routeOf(request.routeOptions.config)?.scheme?.varies ?? null
}

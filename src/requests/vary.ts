import { completeLinks, completeVary, isWebResponse, takeHead } from '../http/kept.ts'
import { isPreflight } from '../http/preflight.ts'
import { routeOf } from '../routes.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Scheme } from '../schemes/base.ts'

/**
 * onSend and onError of the instance: completes Vary and Link in case a later hook fails, so that the hook of the route
 * does not run.
 */
export function completeHeaders (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void
): void {
  // A context that was loaded before the plugin has this hook, but not the properties of requests.
  const scheme = request.versioningScheme as Scheme | null | undefined
  const names = scheme?.varies === undefined ? varyBefore(request) : scheme.varies
  if (names !== null) completeVary(reply, names)
  completeLinks(reply)
  done()
}

/** onSend of the instance: a handler that calls the not-found handler leaves its route, and the hook of it. */
export function completeNotFound (
  request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void
): void {
  if (request.is404) completeHeaders(request, reply, payload, done)
  else done()
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

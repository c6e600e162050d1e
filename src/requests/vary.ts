import { completeLinks, completeVary, isWebResponse, keepVary, takeHead } from '../http/kept.ts'
import { isPreflight } from '../http/preflight.ts'
import { routeOf } from '../routes.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Scheme } from '../scheme.ts'

/** Adds to `Vary` the request headers that the version depends on. */
export function addVary (reply: FastifyReply, { varies }: Scheme): void {
  if (varies !== null) keepVary(reply, varies)
}

/**
 * onSend and onError of the instance: completes Vary and Link in case a later hook fails, so that the hook of the route
 * does not run.
 */
export function completeHeaders (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void
): void {
  complete(request, reply)
  done()
}

/** onSend of the route, which runs last: completes Vary and Link, whatever the handler and other hooks set there. */
export function completeLast (
  request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (!isWebResponse(payload)) return completeHeaders(request, reply, payload, done)
  takeHead(reply, payload)
  complete(request, reply)
  done(null, payload.body)
}

function complete (request: FastifyRequest, reply: FastifyReply): void {
  const names = varyOf(request)
  if (names !== null) completeVary(reply, names)
  completeLinks(reply)
}

/** The request headers that the version depends on, or null if there are none. */
function varyOf (request: FastifyRequest): string | null {
  const { versioningScheme } = request
  if (versioningScheme !== null) return (versioningScheme as Scheme).varies
  if (request.is404 || isPreflight(request)) return null
  // A hook before ours has answered, or the route has no version.
  return routeOf(request.routeOptions.config)?.scheme?.varies ?? null
}

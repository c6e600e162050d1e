import { completeLinks, completeVary, isWebResponse, takeHead } from '../http/kept.ts'
import { isPreflight } from '../http/preflight.ts'
import { routeOf } from '../routes.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Scheme } from '../schemes/base.ts'

/** onError of the instance: completes Vary and Link for the error of a hook, after which the route's may not run. */
export function completeHeaders (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void
): void {
  const scheme = (request.versioningScheme ?? schemeBefore(request)) as Scheme | null
  if (scheme !== null && scheme.varies !== null) completeVary(reply, scheme.varies)
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

/** The scheme of the route where the version was not determined, because a hook before ours has answered. */
function schemeBefore (request: FastifyRequest): Scheme | null {
  return isPreflight(request) ? null : routeOf(request.routeOptions.config)?.scheme ?? null
}

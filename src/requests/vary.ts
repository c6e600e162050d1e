import { contextOf, kScheme, kVersion, kVisit } from '../context.ts'
import { isRefusal } from '../errors.ts'
import {
  addNames, completeLinks, completeUnstored, completeVary, isWebResponse, kLinks, kVary, keepUnstored, takeHead
} from '../http/response-headers.ts'
import { isPreflight } from '../http/preflight.ts'
import { routeFor } from '../links/registry.ts'
import { RESPONSE_TYPE } from '../schemes/media-type.ts'
import { warnCache } from './warnings.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Keeping } from '../http/response-headers.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** What Fastify sets where it serializes an object. */
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * onSend of the route, which runs last: completes Vary, Link and, for a refusal, Cache-Control, whatever the app has
 * set there. A response in JSON gets the media type that the client has accepted, if that names the version.
 */
export function completeLast (
  request: FastifyRequest, reply: Keeping, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  const visit = request[kVisit]
  // The plugin itself reads the version and headers here. A stream of the app may read them later.
  if (visit) request[kVisit] = null
  const response = typeof payload === 'object' && isWebResponse(payload) ? payload : null
  if (response !== null) takeHead(reply, response)
  const author = completeHeaders(request, reply)?.byAccept
  const version = request[kVersion]
  if (author && version !== null && reply.statusCode < 400 && reply.getHeader('content-type') === JSON_TYPE) {
    const type = author[RESPONSE_TYPE](request, version)
    if (type !== null) reply.header('content-type', type)
  }
  if (visit) request[kVisit] = visit
  if (response === null) done()
  else done(null, response.body)
}

/** onSend of the instance: a handler that calls the not-found handler leaves its route, and the hook of it. */
export function completeNotFound (
  request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (request.is404) completeLast(request, reply, payload, done)
  else done()
}

/**
 * onError of the instance: after the error of an onSend hook, the hook of the route may not run. A cache must not store
 * a refusal, because the version may be released, or its retirement taken back.
 */
export function completeFailed (request: FastifyRequest, reply: Keeping, error: unknown, done: () => void): void {
  if (isRefusal(error)) keepUnstored(reply)
  completeHeaders(request, reply)
  done()
}

/** Completes headers, and returns the scheme of the request. */
function completeHeaders (request: FastifyRequest, reply: Keeping): Scheme | null {
  // A hook before ours may have answered.
  const scheme = request[kScheme] ?? schemeBefore(request)
  const names = request[kVary] ?? scheme?.varies ?? null
  // Most responses still have what was set before the handler.
  const isKept = names === null || (reply.getHeader('vary') === names && reply.raw.getHeader('vary') === undefined)
  if (!isKept) completeVary(reply, names)
  if (typeof reply[kLinks] === 'string') completeLinks(reply)
  if (reply.raw.statusCode >= 400) {
    const replaced = completeUnstored(reply)
    if (replaced !== null) warnCache(contextOf(request.server), request, replaced)
  }
  return scheme
}

/** The scheme of the route where the version was not determined. The response varies by what the scheme would read. */
function schemeBefore (request: FastifyRequest): Scheme | null {
  if (isPreflight(request)) return null
  const route = routeFor(request)
  if (route === undefined) return null
  addNames(request, route.varies)
  return route.scheme
}

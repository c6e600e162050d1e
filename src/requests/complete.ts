import { contextOf, schemeOf } from '../context.ts'
import { complete, varyMembers } from '../http/headers.ts'
import { isPreflight } from '../http/preflight.ts'
import { completeResponse, isResponse } from '../http/web-response.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Members } from '../http/headers.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

const kLinks: unique symbol = Symbol('fastify-versioning.links')
type Linked = FastifyRequest & { [kLinks]?: Members }

/** Adds links to a response that stay in it, whatever a handler does to the header. */
export function addLinks (request: Linked, reply: FastifyReply, links: Members): void {
  request[kLinks] = links
  complete(reply, links)
}

/**
 * Adds to `Vary` the request headers that the version depends on: those that the scheme reads, and those by which the
 * router chose the route.
 *
 * @returns whether there are any
 */
export function addVary (
  { method }: FastifyRequest, reply: FastifyReply, scheme: Scheme | null, route: Route | undefined
): boolean {
  const chooser = route?.groups?.get(method)?.slot.scheme ?? null
  const chosenBy = chooser === null || chooser === scheme ? null : chooser.vary
  const ownVary = scheme === null ? null : scheme.vary
  if (chosenBy !== null) complete(reply, varyMembers(chosenBy))
  if (ownVary !== null) complete(reply, varyMembers(ownVary))
  return chosenBy !== null || ownVary !== null
}

/** onSend of the routes whose responses are to hold such headers: whatever has been done to them since. */
export function completeHeaders (
  request: Linked, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (isPreflight(request)) return done()
  const isVaried = addAgain(request, reply)
  if (!isResponse(payload)) return done()
  const links = request[kLinks]
  const varied = isVaried ? completeResponse(payload, varyMembers(String(reply.getHeader('vary')))) : payload
  done(null, links === undefined ? varied : completeResponse(varied, links))
}

/** onError of the same routes: where an onSend hook fails there is no other that could complete the headers. */
export function completeHeadersOnError (request: Linked, reply: FastifyReply, _error: Error, done: () => void): void {
  if (!isPreflight(request)) addAgain(request, reply)
  done()
}

/** A hook before ours may have answered, so that nobody has determined the version. */
function addAgain (request: Linked, reply: FastifyReply): boolean {
  const links = request[kLinks]
  if (links !== undefined) complete(reply, links)
  const { routes, scheme, uses } = contextOf(request.server)
  const route = uses.ownOptions || uses.variedChoice ? routes.of(request) : undefined
  return addVary(request, reply, route === undefined ? scheme : schemeOf(route), route)
}

import { contextOf, schemeOf } from '../context.ts'
import { keep, mergeRaw } from '../http/head.ts'
import { isPreflight } from '../http/preflight.ts'
import { groupOf } from '../routes.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Group } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

/**
 * Adds to `Vary` the request headers that the version depends on: the headers that the scheme reads, and the headers by
 * which the router chose the route.
 */
export function addVary (reply: FastifyReply, scheme: Scheme | null, group: Group | undefined): void {
  const chooser = group === undefined ? scheme : group.slot.scheme
  if (chooser !== scheme && chooser !== null && chooser.varies !== null) keep(reply, chooser.varies)
  if (scheme !== null && scheme.varies !== null) keep(reply, scheme.varies)
}

/** onSend: a hook before ours may have answered, so that the version was not determined. */
export function completeVary (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (!mergeRaw(reply) && !request.is404 && !isPreflight(request)) {
    const { routes, scheme } = contextOf(request.server)
    const route = routes.areLookedUp ? routes.of(request) : undefined
    addVary(reply, route === undefined ? scheme : schemeOf(route), groupOf(route, request.method))
  }
  done()
}

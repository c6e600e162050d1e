import { contextOf, schemeOf } from '../context.ts'
import { isKeeping, keep, mergeRaw } from '../http/head.ts'
import { varyMembers } from '../http/headers.ts'
import { isPreflight } from '../http/preflight.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/**
 * Adds to `Vary` the request headers that the version depends on: those that the scheme reads, and those by which the
 * router chose the route.
 */
export function addVary (
  { method }: FastifyRequest, reply: FastifyReply, scheme: VersioningScheme | null, route: Route | undefined
): void {
  const chooser = route?.groups?.get(method)?.slot.scheme ?? null
  if (chooser !== scheme) addVaryOf(chooser, reply)
  addVaryOf(scheme, reply)
}

function addVaryOf (scheme: VersioningScheme | null, reply: FastifyReply): void {
  if (typeof scheme?.vary === 'string') keep(reply, varyMembers(scheme.vary))
}

/** onSend: a hook before ours may have answered, so that nobody has determined the version. */
export function completeVary (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (isKeeping(reply)) mergeRaw(reply)
  else if (!request.is404 && !isPreflight(request)) {
    const { routes, scheme, uses } = contextOf(request.server) as VersioningContext
    const route = uses.ownOptions || uses.choice ? routes.of(request) : undefined
    addVary(request, reply, route === undefined ? scheme : schemeOf(route), route)
  }
  done()
}

import { basePathOf } from '../context.ts'
import { NO_ARGS, linkBy, targetOf } from './link.ts'
import { toLink } from './scope.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Target } from './target.ts'
import type { ReverseKwargs } from '../../types/index.d.ts'

/**
 * The targets whose paths have the version, by the route that links come from and by version; null where a link takes
 * more than the parameters of the request. There are as many as routes have listed versions.
 */
const known = new WeakMap<Route, Map<string, Target | null>>()

/**
 * The link from the route of a request into a version: as `linkBy` makes it, which it does where it needs more than the
 * parameters of the request.
 *
 * @throws as `linkBy`
 */
export function linkInto (
  route: Route, scheme: Scheme, version: string | null, request: FastifyRequest
): string | null {
  const options = { version, request }
  const target = version === null ? null : targetInto(route, scheme, version, request)
  if (target === null || scheme.linkVersion(options) !== version) return linkBy(scheme, null, options)
  const { impliedParam } = scheme
  const path = target.fill({
    args: NO_ARGS,
    kwargs: request.params as ReverseKwargs,
    versionParam: impliedParam,
    version: impliedParam === null ? null : version
  }, version)
  return path === null ? null : basePathOf(request.server, request) + path
}

function targetInto (route: Route, scheme: Scheme, version: string, request: FastifyRequest): Target | null {
  const ofRoute = known.get(route) ?? new Map<string, Target | null>()
  const found = ofRoute.get(version)
  if (found !== undefined) return found
  if (!scheme.listedVersions.includes(version)) return null
  const target = findTarget(route, scheme, version, request)
  known.set(route, ofRoute.set(version, target))
  return target
}

/** A scheme that has its version in paths alone, and makes no links itself, needs the parameters alone. */
function findTarget (route: Route, scheme: Scheme, version: string, request: FastifyRequest): Target | null {
  const { hasOwnReverse, impliedParam, inHost, inQuery, isList } = scheme
  // Under another method the route may have another counterpart.
  const isOfPath = !isList && !hasOwnReverse && inHost.length === 0 && inQuery.length === 0
  if (!isOfPath || route.methods.length !== 1) return null
  const target = targetOf(toLink(scheme, null, { version, request }), scheme, version)
  if (target === undefined || target.versionParam(scheme) !== impliedParam) return null
  const written = scheme.versionIn(target.route.namespace.names) ?? (impliedParam === null ? null : version)
  return written === version ? target : null
}

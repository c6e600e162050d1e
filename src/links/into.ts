import { basePathOf } from '../context.ts'
import { BaseVersioning } from '../schemes/base.ts'
import { NO_ARGS, linkBy, targetOf } from './link.ts'
import { toLink } from './scope.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Target } from './target.ts'
import type { ReverseKwargs } from '../../types/index.d.ts'

/**
 * The targets whose paths have the version, by the route that links come from and by version; null where a link takes
 * more than the parameters of a request. There are no more than routes have listed versions.
 */
const known = new WeakMap<Route, Map<string, Target | null>>()

const DECIDING = ['isAllowedVersion', 'linkVersion', 'reverse'] as const

/**
 * The link from the route of a request into another version, which `linkBy` makes. What follows from the two is
 * remembered.
 *
 * @returns null if there is none, or none but the link into the version of the request
 * @throws as `linkBy`
 */
export function linkInto (route: Route, scheme: Scheme, version: string, request: FastifyRequest): string | null {
  let target = known.get(route)?.get(version)
  if (target === undefined) target = remember(route, scheme, version, request)
  if (target === null) {
    const url = linkBy(scheme, null, { version, request })
    // A scheme of the app may make the same link for each version, or return something else.
    const isOwn = typeof url === 'string' && scheme.members.some(({ hasOwnReverse }) => hasOwnReverse)
    return isOwn && url === linkBy(scheme, null, { version: request.version, request }) ? null : url
  }
  const kwargs = request.params as ReverseKwargs
  const { impliedParam } = scheme
  const written = impliedParam === null ? null : version
  const path = target.fill({ args: NO_ARGS, kwargs, versionParam: impliedParam, version: written }, version)
  return path === null ? null : basePathOf(request.server, request) + path
}

function remember (route: Route, scheme: Scheme, version: string, request: FastifyRequest): Target | null {
  if (!scheme.listedVersions.includes(version)) return null
  const ofRoute = known.get(route) ?? new Map<string, Target | null>()
  const target = findTarget(route, scheme, version, request)
  known.set(route, ofRoute.set(version, target))
  return target
}

/** Under another method a route may have another counterpart, and a scheme of the app may decide for each link. */
function findTarget (route: Route, scheme: Scheme, version: string, request: FastifyRequest): Target | null {
  const { impliedParam, inHost, inQuery, isList } = scheme
  const isBase = DECIDING.every((method) => scheme[method] === BaseVersioning.prototype[method])
  const isInPath = inHost.length === 0 && inQuery.length === 0 && !isList
  if (!isBase || !isInPath || route.methods.length !== 1) return null
  const target = targetOf(toLink(scheme, null, { version, request }), scheme, version)
  if (target === undefined || target.versionParam(scheme) !== impliedParam) return null
  const written = scheme.versionIn(target.route.namespace.names) ?? (impliedParam === null ? null : version)
  return written === version ? target : null
}

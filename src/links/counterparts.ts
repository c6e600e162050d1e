import { targetOf } from './find-target.ts'
import { toLink } from './link.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Target } from './target.ts'

/** A link from a route into a version: what it leads to, and the parameter of the version, if it has one. */
interface Way { readonly target: Target, readonly param: string | null }

const ways = new WeakMap<Route, Map<string, Way>>()

/** What the current route is in another version. */
export function counterpartIn (version: string, scheme: Scheme, request: FastifyRequest): Target | undefined {
  return targetOf(toLink(scheme, null, { version, request }), scheme)
}

/** The link from a route into a listed version; null where it takes more, or a class decides for each link. */
export function wayInto (version: string, scheme: Scheme, route: Route, request: FastifyRequest): Way | null {
  const known = ways.get(route)?.get(version)
  if (known !== undefined) return known
  const { isList, linkPlace, listedVersions, ownMethods } = scheme
  if (isList || linkPlace === 'query' || linkPlace === 'host' || !listedVersions.includes(version)) return null
  if (ownMethods.has('reverse') || ownMethods.has('isAllowedVersion') || ownMethods.has('linkVersion')) return null
  const target = counterpartIn(version, scheme, request)
  const param = target?.versionParam(scheme) ?? null
  if (!target || (param === null && scheme.versionIn(target.route.namespace.names) !== version)) return null
  const way = { target, param }
  ways.set(route, (ways.get(route) ?? new Map<string, Way>()).set(version, way))
  return way
}

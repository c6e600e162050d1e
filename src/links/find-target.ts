import { namespaceOf } from '../instances.ts'
import { defaultAt, toLink, writersOf } from './version.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Target } from './target.ts'
import type { Link } from './version.ts'

/** Returns the target of a link, by name or of the current route, if this member of its scheme writes the version. */
export function targetOf (link: Link, writer: Scheme | null): Target | undefined {
  const { asked, isSpec, name, registry, server } = link
  const inNamespace = asked !== null && writer?.linkPlace === 'namespace'
  if (name === null) return currentIn(link, inNamespace)
  if (!inNamespace) return registry.named(name)
  // In SPEC.md, the version stands in front of the name.
  if (isSpec) return registry.named(`${asked}:${name}`)
  return registry.inVersion(asked, name, namespaceOf(server).names)
}

/**
 * Returns the current route, or its counterpart in the namespace of the version that the caller gives.
 *
 * @param mustBeInside whether the version must be a namespace even if the current route is in none
 */
function currentIn (
  { asked, options: { request, version }, registry, scheme }: Link, mustBeInside: boolean
): Target | undefined {
  if (!request) return undefined
  if (version === undefined || !scheme?.readsNamespaces) return registry.reached(request)
  const { names } = namespaceOf(request.server)
  const current = scheme.versionIn(names)
  if (current === asked || (names.length === 0 && !mustBeInside)) return registry.reached(request)
  // The request was refused for its only namespace, which is not an allowed version, so the version replaces it.
  // Without namespaces, -1 removes nothing, and the version is appended.
  const at = names.length === 1 ? 0 : names.indexOf(current as string)
  if (names.length > 0 && at === -1) return undefined
  const inside = asked === null ? undefined : registry.reached(request, names.toSpliced(at, 1, asked))
  if (inside !== undefined) return inside
  const outside = names.toSpliced(at, 1)
  const isThere = asked === null ? scheme.versionIn(outside) === null : defaultAt(scheme, outside, request) === asked
  return isThere ? registry.reached(request, outside) : undefined
}

/** Returns the target of a link for the first of some writers that has a target. */
export function firstTarget (link: Link, writers: readonly (Scheme | null)[]): Target | undefined {
  return writers.map((writer) => targetOf(link, writer)).find((target) => target !== undefined)
}

/** Returns the counterpart of the current route in another version. */
export function counterpartIn (version: string, scheme: Scheme, request: FastifyRequest): Target | undefined {
  const link = toLink(scheme, null, { version, request })
  return firstTarget(link, writersOf(link, true))
}

/** The target of links from a route into another version, and the parameter that has the version there. */
interface Way { readonly target: Target, readonly param: string | null }

const ways = new WeakMap<Route, Map<string, Way>>()

/** Returns the way from a route into a listed version; null if links need more, or if a class decides for each link. */
export function wayInto (version: string, scheme: Scheme, route: Route, request: FastifyRequest): Way | null {
  const wayBefore = ways.get(route)?.get(version)
  if (wayBefore !== undefined) return wayBefore
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

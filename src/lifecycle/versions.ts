import isEqual from 'fast-deep-equal'

import { contextOf, schemeOf } from '../context.ts'
import { registryOf } from '../links/scope.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { candidateOf } from '../routing/constraint.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Registry } from '../links/registry.ts'
import type { ParametricNode } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { AppVersion, VersioningScheme } from '../../types/index.d.ts'

/** `app.versions`: the versions of the app in release order, and the routes that serve each of them. */
export function appVersions (this: FastifyInstance): AppVersion[] {
  const { list } = (registryOf(this) as Registry).routes
  const byVersion = new Map<string | null, Route[]>(releaseOrder(list).map((version) => [version, []]))
  for (const route of list) {
    for (const version of versionsOf(route, list)) {
      const routes = byVersion.get(version)
      if (routes === undefined) byVersion.set(version, [route])
      else routes.push(route)
    }
  }
  return [...byVersion].filter(([, routes]) => routes.length > 0).map(([version, routes]) => ({
    version,
    ...datesOf(routes.map((route) => endingIn(route, version)).find((ending) => ending !== undefined)),
    routes: routes.flatMap(({ methods, url, name }) => methods.map((method) => ({ method, url, name })))
  }))
}

/** The versions that schemes list, each once. */
function releaseOrder (routes: readonly Route[]): (string | null)[] {
  const lists = routes.map((route) => schemeOf(route)?.allowedVersions ?? [])
  return [...new Set(lists.flat().filter((version) => version !== null))]
}

/** The versions in which a route serves requests; null: it has none, or its scheme lists none. */
function versionsOf (route: Route, all: readonly Route[]): readonly (string | null)[] {
  const scheme = schemeOf(route)
  if (scheme === null) return [null]
  const claim = candidateOf.of(route)?.claim
  if (claim) return claim.versions
  if (scheme.versionIn !== undefined) return [namespaceVersion(scheme, route)]
  const listed = scheme.allowedVersions?.filter((version) => version !== null) ?? []
  if (listed.length === 0) return [null]
  const param = scheme.impliedParam ?? null
  return param === null
    ? listed.filter((version) => !isClaimed(version, route, all))
    : inPath(route, param, listed, scheme.defaultVersion)
}

function namespaceVersion (scheme: VersioningScheme, { namespace: { names } }: Route): string | null {
  return names.length === 0 ? scheme.defaultVersion : scheme.versionIn?.(names) ?? null
}

/** Where the version is a parameter: those that its pattern takes; of a route without it the default. */
function inPath (
  { url }: Route, param: string, versions: readonly string[], defaultVersion: string | null
): readonly (string | null)[] {
  const nodes = expandOptional(url).flatMap(parsePath).filter((node) => namesOf(node).includes(param))
  if (nodes.length === 0) return [defaultVersion]
  return versions.filter((version) => nodes.some((node) => takes(node as ParametricNode, version)))
}

/** A parameter that shares its segment with others is not looked at. */
function takes ({ names, pattern }: ParametricNode, version: string): boolean {
  return names?.length !== 1 || pattern === null || pattern.test(version)
}

/** Whether another route with the same other constraints claims a version of the URL. */
function isClaimed (version: string, route: Route, all: readonly Route[]): boolean {
  const open = candidateOf.of(route)
  if (open === undefined) return false
  return all.some((other) => {
    const candidate = candidateOf.of(other)
    const isHere = other.url === route.url && other.methods.some((method) => route.methods.includes(method))
    return isHere && candidate?.claim?.versions.includes(version) && isEqual(candidate.constraints, open.constraints)
  })
}

/** How a version ends; the end of a single route is not that of its versions. */
function endingIn ({ server }: Route, version: string | null): Ending | undefined {
  return version === null ? undefined : (contextOf(server) as VersioningContext).lifecycle?.get(version)
}

function datesOf (ending: Ending | undefined): Pick<AppVersion, 'deprecated' | 'sunset'> {
  const deprecated = ending?.deprecation ? new Date(ending.deprecatedAt) : null
  const sunset = typeof ending?.sunsetAt === 'number' ? new Date(ending.sunsetAt) : null
  return { deprecated, sunset }
}

import isEqual from 'fast-deep-equal'

import { contextOf, schemeOf } from '../context.ts'
import { registryOf } from '../links/scope.ts'
import { expandOptional, namesOf, parsePath, shapeOf } from '../paths/pattern.ts'
import { isPreferred } from '../routing/candidates.ts'
import { candidateOf } from '../routing/constraint.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Registry } from '../links/registry.ts'
import type { PathNode, RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { Candidate } from '../routing/candidates.ts'
import type { AppVersion, VersioningScheme } from '../../types/index.d.ts'

/** A route under one of its methods. */
interface Serving {
  readonly method: string
  readonly route: Route
}

/** `app.versions`: the versions of the app in release order, and the routes that serve each of them. */
export function appVersions (this: FastifyInstance): AppVersion[] {
  const { options, routes: { list } } = registryOf(this) as Registry
  const places = new Places(list, options)
  const byVersion = new Map<string | null, Serving[]>(releaseOrder(list).map((version) => [version, []]))
  for (const route of list) {
    for (const version of versionsOf(route)) {
      const served = byVersion.get(version) ?? []
      byVersion.set(version, served)
      const methods = route.methods.filter((method) => places.isServedBy(route, method, version))
      served.push(...methods.map((method) => ({ method, route })))
    }
  }
  const neutral = byVersion.get(null) ?? []
  byVersion.delete(null)
  const versions = [...byVersion, [null, neutral] as const].filter(([, served]) => served.length > 0)
  return versions.map(([version, served]) => ({
    version,
    ...datesOf(served.map(({ route }) => endingIn(route, version)).find((ending) => ending !== undefined)),
    routes: served.map(({ method, route: { url, name } }) => ({ method, url, name }))
  }))
}

/** The versions that schemes list, each once. What one list has before a version stands before it. */
function releaseOrder (routes: readonly Route[]): string[] {
  const order: string[] = []
  for (const list of new Set(routes.map((route) => schemeOf(route)?.allowedVersions ?? []))) {
    let at = order.length
    for (const version of list.toReversed()) {
      if (version === null) continue
      const known = order.indexOf(version)
      if (known === -1) order.splice(at, 0, version)
      else at = known
    }
  }
  return order
}

/** The routes of each method and path where versions choose. */
class Places {
  readonly #candidates = new Map<string, Candidate[]>()
  readonly #options: RouterOptions

  constructor (routes: readonly Route[], options: RouterOptions) {
    this.#options = options
    for (const route of routes) {
      const candidate = candidateOf.of(route)
      if (candidate?.route !== route) continue
      for (const place of route.methods.flatMap((method) => this.#placesOf(route, method))) {
        this.#candidates.set(place, [...this.#candidates.get(place) ?? [], candidate])
      }
    }
  }

  /** Whether no other route with the same other constraints takes the version for itself. */
  isServedBy (route: Route, method: string, version: string | null): boolean {
    const own = candidateOf.of(route)
    if (own === undefined) return true
    // A HEAD route that Fastify has added where there was one already is never reached.
    if (own.route !== route) return false
    const isPreferredTo = ({ claim, constraints }: Candidate) => (
      claim !== null && claim.versions.includes(version as string) && isEqual(constraints, own.constraints) &&
      (own.claim === null || isPreferred(claim, own.claim))
    )
    return !this.#placesOf(route, method).every((place) => this.#candidates.get(place)?.some(isPreferredTo))
  }

  #placesOf ({ url }: Route, method: string): string[] {
    return expandOptional(url).map((path) => `${method} ${shapeOf(path, this.#options).join('')}`)
  }
}

/**
 * The versions that a route has, those included that another route takes for itself; null: it has none, or its scheme
 * lists none.
 */
function versionsOf (route: Route): readonly (string | null)[] {
  const scheme = schemeOf(route)
  if (scheme === null) return [null]
  const claim = candidateOf.of(route)?.claim
  if (claim) return claim.versions
  const schemes = scheme.schemes ?? [scheme]
  return inNamespace(schemes, route) ?? inPath(scheme, schemes, route)
}

/** Undefined: the route is in no namespace, or namespaces are no versions. */
function inNamespace (
  schemes: readonly VersioningScheme[], { namespace: { names } }: Route
): readonly string[] | undefined {
  const scheme = schemes.find(({ versionIn }) => versionIn !== undefined)
  if (scheme === undefined || names.length === 0) return undefined
  const version = scheme.versionIn?.(names) ?? null
  return version === null ? [] : [version]
}

/** Where the version is a parameter of the path: those that its pattern takes. */
function inPath (scheme: VersioningScheme, schemes: readonly VersioningScheme[], { url }: Route): (string | null)[] {
  const params = schemes.map(({ impliedParam }) => impliedParam)
  const nodes = expandOptional(url).map((path) => parsePath(path).find((node) => (
    namesOf(node).some((name) => params.includes(name))
  )))
  const listed = scheme.allowedVersions?.filter((version) => version !== null) ?? []
  const named = nodes.filter((node) => node !== undefined)
  const inParam = listed.length === 0 && named.length > 0 ? [null] : []
  const taken = listed.filter((version) => named.some((node) => takes(node, version)))
  const others = nodes.includes(undefined) ? withoutParam(scheme, schemes, listed) : []
  return [...new Set([...inParam, ...taken, ...others])]
}

/**
 * The versions of a path without one: the default, which NamespaceVersioning does not check, unless a client can name
 * them elsewhere.
 */
function withoutParam (
  scheme: VersioningScheme, schemes: readonly VersioningScheme[], listed: readonly string[]
): readonly (string | null)[] {
  const isElsewhere = schemes.some(({ impliedParam, versionIn }) => !impliedParam && versionIn === undefined)
  const { allowedVersions, defaultVersion } = scheme
  const isNull = listed.length === 0 || (defaultVersion === null && allowedVersions?.includes(null))
  if (isElsewhere) return isNull ? [...listed, null] : listed
  const isPermitted = scheme.versionIn !== undefined || scheme.isAllowedVersion(defaultVersion)
  return isPermitted ? [defaultVersion] : []
}

/** A parameter that shares its segment with others is not looked at. */
function takes (node: PathNode, version: string): boolean {
  return node.kind !== 'parametric' || node.names.length > 1 || node.pattern === null || node.pattern.test(version)
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

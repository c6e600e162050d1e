import { isDeepStrictEqual } from 'node:util'

import { contextOf, inherited, schemeOf } from '../context.ts'
import { registryOf } from '../links/scope.ts'
import { canServe, coverageOf, ownVersionsOf } from '../routing/coverage.ts'

import type { FastifyInstance } from 'fastify'
import type { Ending } from '../options/lifecycle.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { AppVersion } from '../../types/index.d.ts'

/** A route under one of its methods. */
interface Endpoint {
  readonly method: string
  readonly route: Route
}

type Dates = Pick<AppVersion, 'deprecated' | 'sunset' | 'brownouts'>

const known = inherited<readonly AppVersion[]>('appVersions')

/**
 * `app.versions`: the versions of the app in release order, and the routes that serve each of them. Computed at each
 * access until the app is ready, and then once.
 */
export function appVersions (this: FastifyInstance): readonly AppVersion[] {
  const registry = registryOf(this)
  const { options, routes: { list } } = registry
  const isSettled = list.at(-1)?.options === null
  if (!isSettled) return versionsServed(list, options)
  return known.of(registry) ?? known.set(registry, versionsServed(list, options))
}

function versionsServed (list: readonly Route[], options: RouterOptions): readonly AppVersion[] {
  const isServedBy = coverageOf(list, options)
  const byVersion = new Map<string | null, Endpoint[]>(releaseOrder(list).map((version) => [version, []]))
  for (const route of list) {
    for (const version of withDefault(route, ownVersionsOf(route))) {
      const served = byVersion.get(version) ?? []
      byVersion.set(version, served)
      const methods = route.methods.filter((method) => isServedBy(route, method, version))
      served.push(...methods.map((method) => ({ method, route })))
    }
  }
  const neutral = byVersion.get(null) ?? []
  byVersion.delete(null)
  const versions = [...byVersion, [null, neutral] as const].filter(([, served]) => served.length > 0)
  return Object.freeze(versions.map(([version, served]) => toVersion(version, served)))
}

function toVersion (version: string | null, served: readonly Endpoint[]): AppVersion {
  const ofVersions = served.map(({ route }) => endingIn(route, version))
  const ofRoutes = served.map(({ route }, i) => route.ending ?? ofVersions[i])
  const isPreview = ofVersions.every((ending) => ending?.isPreview === true)
  const routes = served.map(({ method, route: { url, name } }, i) => (
    Object.freeze({ method, url, name, ...datesOf(ofRoutes[i]) })
  ))
  const own = agreed(ofVersions.map(datesOf), ofRoutes.map(datesOf))
  return Object.freeze({ version, ...own, preview: isPreview, routes: Object.freeze(routes) })
}

/** A default version is allowed, and so served, although `allowedVersions` may leave it out. */
function withDefault (route: Route, versions: readonly (string | null)[]): readonly (string | null)[] {
  const { listedVersions = [], defaultVersion = null } = schemeOf(route) ?? {}
  if (listedVersions.length === 0 || defaultVersion === null || versions.includes(defaultVersion)) return versions
  return canServe(route, defaultVersion) ? [...versions, defaultVersion] : versions
}

/** The versions that schemes list, each once, in an order that keeps the order of every list. */
function releaseOrder (routes: readonly Route[]): (string | null)[] {
  const order: (string | null)[] = []
  for (const list of new Set(routes.map((route) => schemeOf(route)?.allowedVersions ?? []))) {
    let at = order.length
    for (const version of list.toReversed()) {
      const known = order.indexOf(version)
      if (known === -1) order.splice(at, 0, version)
      else at = known
    }
  }
  return order
}

/** How a version ends where a route is; the route may end before. */
function endingIn ({ server }: Route, version: string | null): Ending | undefined {
  return contextOf(server).lifecycle?.get(version as string)
}

function datesOf (ending: Ending | undefined): Dates {
  return {
    deprecated: ending?.deprecation ? new Date(ending.deprecatedAt) : null,
    sunset: typeof ending?.sunsetAt === 'number' ? new Date(ending.sunsetAt) : null,
    brownouts: Object.freeze((ending?.brownouts?.windows ?? []).map(({ from, to }) => (
      Object.freeze({ from: new Date(from), to: new Date(to) })
    )))
  }
}

/** The dates that a version has at all its routes, and that none of them replaces. */
function agreed (ofVersions: readonly Dates[], ofRoutes: readonly Dates[]): Dates {
  const [first] = ofVersions
  const all = [...ofVersions, ...ofRoutes]
  const isAgreed = (field: keyof Dates) => all.every((dates) => isDeepStrictEqual(dates[field], first[field]))
  const none = datesOf(undefined)
  return {
    deprecated: isAgreed('deprecated') ? first.deprecated : none.deprecated,
    sunset: isAgreed('sunset') ? first.sunset : none.sunset,
    brownouts: isAgreed('brownouts') ? first.brownouts : none.brownouts
  }
}

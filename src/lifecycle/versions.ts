import { contextOf, schemeOf, slot } from '../context.ts'
import { registryOf } from '../links/scope.ts'
import { Places, isReachedIn, versionsOf } from '../routing/reach.ts'

import type { FastifyInstance } from 'fastify'
import type { Ending } from '../options/lifecycle.ts'
import type { Registry } from '../links/registry.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { AppVersion } from '../../types/index.d.ts'

/** A route under one of its methods. */
interface Serving {
  readonly method: string
  readonly route: Route
}

const known = slot<readonly AppVersion[]>('appVersions')

/**
 * `app.versions`: the versions of the app in release order, and the routes that serve each of them. Computed anew at
 * each access until the app is ready, and then once.
 */
export function appVersions (this: FastifyInstance): readonly AppVersion[] {
  const registry = registryOf(this) as Registry
  const { options, routes: { list } } = registry
  const isSettled = list.at(-1)?.options === null
  if (!isSettled) return versionsServed(list, options)
  return known.of(registry) ?? known.set(registry, versionsServed(list, options))
}

function versionsServed (list: readonly Route[], options: RouterOptions): readonly AppVersion[] {
  const places = new Places(list, options)
  const byVersion = new Map<string | null, Serving[]>(releaseOrder(list).map((version) => [version, []]))
  for (const route of list) {
    for (const version of withDefault(route, versionsOf(route))) {
      const served = byVersion.get(version) ?? []
      byVersion.set(version, served)
      const methods = route.methods.filter((method) => places.isServedBy(route, method, version))
      served.push(...methods.map((method) => ({ method, route })))
    }
  }
  const neutral = byVersion.get(null) ?? []
  byVersion.delete(null)
  const versions = [...byVersion, [null, neutral] as const].filter(([, served]) => served.length > 0)
  return Object.freeze(versions.map(([version, served]) => Object.freeze({
    version,
    ...datesOf(served.map(({ route }) => endingIn(route, version)).find((ending) => ending !== undefined)),
    routes: Object.freeze(served.map(({ method, route: { url, name } }) => Object.freeze({ method, url, name })))
  })))
}

/** A default version is permitted, and so served, although `allowedVersions` may leave it out. */
function withDefault (route: Route, versions: readonly (string | null)[]): readonly (string | null)[] {
  const { allowedVersions = null, defaultVersion = null } = schemeOf(route) ?? {}
  const isListing = allowedVersions?.some((version) => version !== null) === true
  if (!isListing || defaultVersion === null || versions.includes(defaultVersion)) return versions
  return isReachedIn(route, defaultVersion) ? [...versions, defaultVersion] : versions
}

/** The versions that schemes list, each once. What one list has before a version stands before it. */
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

/** How a version ends; the end of a single route is not that of its versions. */
function endingIn ({ server }: Route, version: string | null): Ending | undefined {
  return contextOf(server).lifecycle?.get(version as string)
}

function datesOf (ending: Ending | undefined): Pick<AppVersion, 'deprecated' | 'sunset'> {
  const deprecated = ending?.deprecation ? new Date(ending.deprecatedAt) : null
  const sunset = typeof ending?.sunsetAt === 'number' ? new Date(ending.sunsetAt) : null
  return { deprecated, sunset }
}

import { inherited } from '../instances.ts'
import { registryOf } from '../links/registry.ts'
import { mergeOrders } from '../options/release-order.ts'
import { canServe, isServedBy, servedVersionsOf } from '../routing/coverage.ts'
import { setSlots } from '../routing/slots.ts'

import type { FastifyInstance } from 'fastify'
import type { Retirement } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { AppVersion } from '../../types/index.d.ts'

interface ServedEndpoint {
  readonly method: string
  readonly route: Route
}

const appVersionsOf = inherited<readonly AppVersion[]>('appVersions')

/**
 * `app.versions`: returns the versions of the app in release order, with the routes that serve each version. Until the
 * app is ready, each access computes them again.
 */
export function appVersions (this: FastifyInstance): readonly AppVersion[] {
  const registry = registryOf(this)
  const { options, routes: { list, isSettled } } = registry
  if (isSettled) return appVersionsOf.of(registry) ?? appVersionsOf.set(registry, versionsServed(list))
  setSlots(list, options)
  return versionsServed(list)
}

function versionsServed (list: readonly Route[]): readonly AppVersion[] {
  const order = mergeOrders(new Set(list.map(({ scheme }) => scheme?.allowedVersions ?? [])))
  const byVersion = new Map<string | null, ServedEndpoint[]>(order.map((version) => [version, []]))
  for (const route of list) {
    for (const version of withDefault(route, servedVersionsOf(route))) {
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

/**
 * Describes a version as `lifecycle` does, whatever a single route says; null where contexts differ.
 *
 * @param served at least one method and route
 */
function toVersion (version: string | null, served: readonly ServedEndpoint[]): AppVersion {
  const ofVersions = served.map(({ route: { context } }) => context.lifecycle?.get(version as string))
  const all = ofVersions.map(datesOfRoute)
  const routes = served.map(({ method, route: { url, name, retirement } }, i) => (
    Object.freeze({ method, url, name, ...datesOfRoute(retirement ?? ofVersions[i]) })
  ))
  return Object.freeze({
    version,
    released: sameForAll(ofVersions.map((retirement) => toDate(retirement?.releasedAt))),
    deprecated: sameForAll(all.map(({ deprecated }) => deprecated)),
    sunset: sameForAll(all.map(({ sunset }) => sunset)),
    info: sameForAll(ofVersions.map((retirement) => retirement?.info ?? null)),
    preview: ofVersions.every((retirement) => retirement?.isPreview === true),
    routes: Object.freeze(routes)
  })
}

function sameForAll<Value extends Date | string> ([first, ...others]: readonly (Value | null)[]): Value | null {
  return others.every((date) => date?.valueOf() === first?.valueOf()) ? first : null
}

/** Adds the default version, which is allowed and so served, although `allowedVersions` may leave it out. */
function withDefault (route: Route, versions: readonly (string | null)[]): readonly (string | null)[] {
  const { listedVersions = [], defaultVersion = null } = route.scheme ?? {}
  if (listedVersions.length === 0 || defaultVersion === null || versions.includes(defaultVersion)) return versions
  return canServe(route, defaultVersion) ? [...versions, defaultVersion] : versions
}

function datesOfRoute (retirement: Retirement | undefined): Pick<AppVersion, 'deprecated' | 'sunset'> {
  return {
    deprecated: retirement?.deprecation ? new Date(retirement.deprecatedAt) : null,
    sunset: toDate(retirement?.sunsetAt)
  }
}

function toDate (instant: number | null | undefined): Date | null {
  return typeof instant === 'number' ? new Date(instant) : null
}

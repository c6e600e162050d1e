import { contextOf, schemeOf } from '../context.ts'
import { toServed } from '../lifecycle/served-versions.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { canServe, isServedBy, servedVersionsOf } from '../routing/coverage.ts'

import type { Served } from '../lifecycle/served-versions.ts'
import type { Route } from '../routes.ts'

/** A method and a path without the version, as one version has it. */
export interface Endpoint {
  readonly method: string
  readonly url: string
  /** The routes that serve it; several if they have other constraints, such as a host. */
  readonly routes: Route[]
  /** Whether Fastify has added it, as HEAD of a GET route. */
  readonly isAdded: boolean
}

/** By method and path without the version. */
export type Endpoints = ReadonlyMap<string, Endpoint>

/** The endpoints of a version, in the order of their declaration. */
export function endpointsOf (list: readonly Route[], version: string): Endpoints {
  const endpoints = new Map<string, Endpoint>()
  for (const route of list) {
    if (schemeOf(route) === null) continue
    if (!servedVersionsOf(route).includes(version) && !canServe(route, version)) continue
    const url = describeRoute(route).unversionedUrl
    for (const method of route.methods) {
      if (!isServedBy(route, method, version)) continue
      const key = `${method} ${url}`
      const endpoint = endpoints.get(key) ?? { method, url, routes: [], isAdded: route.isAdded }
      endpoints.set(key, endpoint)
      endpoint.routes.push(route)
    }
  }
  return endpoints
}

/** How routes serve a version. */
export function servedIn (version: string, routes: readonly Route[]): Served[] {
  return routes.map((route) => toServed(version, route))
}

/** When a version is released and retired; null where it is not said. */
export interface VersionDates {
  readonly released: Date | null
  readonly deprecated: Date | null
  readonly sunset: Date | null
  /** The page that says more, or null. */
  readonly info: string | null
}

/** The earliest dates of a version in the contexts of its routes, whatever single routes say. */
export function versionDates (version: string, endpoints: Endpoints): VersionDates {
  const servers = new Set([...endpoints.values()].flatMap(({ routes }) => routes.map(({ server }) => server)))
  const retirements = [...servers].flatMap((server) => contextOf(server).lifecycle?.get(version) ?? [])
  const dated = retirements.filter(({ deprecation }) => deprecation !== null)
  const deprecated = dated.map(({ deprecatedAt }) => deprecatedAt)
  return {
    released: dateOrNull(Math.min(...retirements.map(({ releasedAt }) => releasedAt ?? Infinity))),
    deprecated: dateOrNull(Math.min(...deprecated)),
    sunset: dateOrNull(Math.min(...retirements.map(({ sunsetAt }) => sunsetAt ?? Infinity))),
    info: retirements.map(({ info }) => info).find((info) => info !== null) ?? null
  }
}

/** The newest version that is served, is no preview and is not retired itself; or else the last one. */
export function latestOf (byVersion: ReadonlyMap<string, Endpoints>, now: number): string {
  const versions = [...byVersion.keys()]
  const latest = versions.findLast((version) => (
    [...(byVersion.get(version) as Endpoints).values()].some(({ routes }) => (
      servedIn(version, routes).some(({ goneAt, isPreview }) => now < goneAt && !isPreview)
    ))
  ))
  return latest ?? versions.at(-1) as string
}

export function dateOrNull (instant: number): Date | null {
  return instant === Infinity ? null : new Date(instant)
}

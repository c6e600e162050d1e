import { keptIn } from '../changes/schema.ts'
import { toServed } from '../lifecycle/served-versions.ts'
import { registryOf } from '../links/registry.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { canServe, isServedBy, servedVersionsOf } from '../routing/coverage.ts'

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

/** By method and path without the version and the names of parameters. */
export type Endpoints = ReadonlyMap<string, Endpoint>

/** The endpoints of a version, in the order of their declaration. */
export function endpointsOf (list: readonly Route[], version: string): Endpoints {
  const endpoints = new Map<string, Endpoint>()
  for (const route of list) {
    if (route.scheme === null) continue
    if (!servedVersionsOf(route).includes(version) && !canServe(route, version)) continue
    const url = describeRoute(route).unversionedUrl
    for (const method of route.methods) {
      if (!isServedBy(route, method, version)) continue
      const { routes } = keptIn(endpoints, endpointOf(method, route), () => (
        { method, url, routes: [], isAdded: route.isAdded }
      ))
      routes.push(route)
    }
  }
  return endpoints
}

/** The endpoint of a route under a method: a parameter may have another name in another version. */
export function endpointOf (method: string, route: Route): string {
  const { options } = registryOf(route.server)
  const { unversionedUrl } = describeRoute(route)
  return [method, ...expandOptional(unversionedUrl).map((path) => shapeOf(path, options))].join(' ')
}

/** Whether the version in a path has a pattern, which may refuse a version. */
export function hasPattern (route: Route): boolean {
  return route.scheme?.params.some((param) => route.url.includes(`/:${param}(`)) === true
}

/** When a version of routes ends, in milliseconds: Infinity without a date, and null if it is not retired. */
export function endOf (version: string, routes: readonly Route[]): number | null {
  const ends = routes.flatMap((route) => {
    const { deprecatedAt = Infinity, sunsetAt = null } = toServed(version, route).retirement ?? {}
    return deprecatedAt === Infinity ? [] : sunsetAt ?? Infinity
  })
  return ends.length === 0 ? null : Math.min(...ends)
}

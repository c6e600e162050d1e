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
  /** The routes that serve the endpoint. There are several if they have other constraints, such as a host. */
  readonly routes: Route[]
  /** Whether Fastify has added the endpoint, as HEAD of a GET route. */
  readonly isAdded: boolean
}

/** The endpoints, by method and path without the version and the names of parameters. */
export type Endpoints = ReadonlyMap<string, Endpoint>

/** Returns the endpoints of a version, in the order of their declaration. */
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

/** Returns the key of a route for a method. Names of parameters do not count: another version may have others. */
export function endpointOf (method: string, route: Route): string {
  const { options } = registryOf(route.server)
  const { unversionedUrl } = describeRoute(route)
  return [method, ...expandOptional(unversionedUrl).map((path) => shapeOf(path, options))].join(' ')
}

/** Tells whether the version in a path has a pattern, which may refuse a version. */
export function hasPattern (route: Route): boolean {
  return route.scheme?.params.some((param) => route.url.includes(`/:${param}(`)) === true
}

/** Returns the end of a version of routes in milliseconds, Infinity without a date, or null if it is not retired. */
export function endOf (version: string, routes: readonly Route[]): number | null {
  const ends = routes.flatMap((route) => {
    const { deprecatedAt = Infinity, sunsetAt = null } = toServed(version, route).retirement ?? {}
    return deprecatedAt === Infinity ? [] : sunsetAt ?? Infinity
  })
  return ends.length === 0 ? null : Math.min(...ends)
}

import { segmentsOf } from '../paths/pattern.ts'
import { routeFor } from './registry.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { VersionedRoute } from '../../types/index.d.ts'

const versionedRoutes = new WeakMap<Route, VersionedRoute>()

/** `request.versionedRoute`: describes the route of a request by its name, and by its URL without a version. */
export function versionedRoute (this: FastifyRequest): VersionedRoute | null {
  const route = this.is404 ? undefined : routeFor(this)
  return route === undefined ? null : describeRoute(route)
}

/** Describes a route in this way. */
export function describeRoute (route: Route): VersionedRoute {
  const before = versionedRoutes.get(route)
  if (before !== undefined) return before
  const { name, namespace: { names }, scheme, url } = route
  const inNamespace = scheme?.versionIn(names) ?? null
  const segments = segmentsOf(url)
  const at = segments.findIndex(({ source, param }) => (
    scheme?.params.includes(param as string) || (inNamespace !== null && source === `/${inNamespace}`)
  ))
  const unversionedUrl = at === -1 ? url : segments.toSpliced(at, 1).map(({ source }) => source).join('') || '/'
  const description = Object.freeze({ name: name && [...names, name].join(':'), url, unversionedUrl })
  versionedRoutes.set(route, description)
  return description
}

import { contextOf, schemeOf } from '../context.ts'
import { fillParameter, hasParameter } from '../paths/pattern.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { VersionedRoute } from '../../types/index.d.ts'

/** A placeholder in a path for the segment that is dropped: no path of Fastify has it. */
const DROPPED = '\0'
const DROPPED_SEGMENT = new RegExp(`/[^/]*${DROPPED}[^/]*`)

const known = new WeakMap<Route, VersionedRoute>()

/** `request.versionedRoute`: the route of a request by its name, and by its URL in no version. */
export function versionedRoute (this: FastifyRequest): VersionedRoute | null {
  const { routes } = contextOf(this.server)
  const route = this.is404 ? undefined : routes.of(this)
  if (route === undefined) return null
  let found = known.get(route)
  if (found === undefined) known.set(route, found = describe(route))
  return found
}

function describe (route: Route): VersionedRoute {
  const { name, namespace: { names }, url } = route
  const fullName = name === null ? null : [...names, name].join(':')
  return Object.freeze({ name: fullName, url, unversionedUrl: withoutVersion(route) })
}

/** The path of a route without the segment of the version: its parameter, or a segment like the namespace. */
function withoutVersion (route: Route): string {
  const { url, namespace: { names, prefix } } = route
  const scheme = schemeOf(route)
  if (scheme === null) return url
  for (const member of scheme.members) {
    const { impliedParam } = member
    if (impliedParam !== null && hasParameter(url, impliedParam)) return withoutParameter(url, impliedParam)
    const at = prefix.split('/').indexOf(member.versionIn(names) ?? '', 1)
    if (at !== -1) return url.split('/').toSpliced(at, 1).join('/')
  }
  return url
}

function withoutParameter (url: string, name: string): string {
  const path = url.endsWith(`:${name}?`) ? url.slice(0, -1) : url
  return fillParameter(path, name, DROPPED).replace(DROPPED_SEGMENT, '') || '/'
}

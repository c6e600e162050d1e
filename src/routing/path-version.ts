import { VersioningOptionError } from '../errors.ts'
import { suggestionFor } from '../messages.ts'
import { namesOf, segmentsOf } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** Returns the version's parameter: the first of the scheme that the path has, or else the scheme's first, or null. */
export function versionParamIn ({ params }: Scheme, path: string): string | null {
  const names = params.length > 1 ? namesOf(path) : []
  return params.find((param) => names.includes(param)) ?? params[0] ?? null
}

/** Returns the index of the last segment that holds the version: 0 in `/:version/bookings`, and -1 if there is none. */
export function segmentOf (scheme: Scheme, path: string): number {
  const param = versionParamIn(scheme, path)
  return param === null ? -1 : segmentsOf(path).findLastIndex((segment) => segment.param === param)
}

/**
 * Checks that every request to a route has the version in its path, where the router can choose the route by it.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the route, and the parameter that it lacks
 */
export function checkSegment (scheme: Scheme, route: Pick<Route, 'methods' | 'url'>): void {
  const { members } = scheme
  const param = versionParamIn(scheme, route.url)
  if (param === null) return
  if (segmentOf(scheme, route.url) !== -1 && !route.url.endsWith(`/:${param}?`)) return
  const names = namesOf(route.url)
  // In a list, another scheme reads the version elsewhere.
  if (members.length > scheme.params.length && !names.includes(param)) return
  const { label } = members.find((member) => member.param === param) as Scheme
  throw new VersioningOptionError(
    `Write the version into the path of ${labelOf(route)}, as a segment of its own: /:${param}/bookings. ` +
    `${label} reads it there, and the route has "version".${suggestionFor(param, names)}`
  )
}

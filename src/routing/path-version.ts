import FindMyWay from 'find-my-way'

import { VersioningConflictError } from '../errors.ts'
import { suggestionFor } from '../messages.ts'
import { must } from '../options/read.ts'
import { labelOf } from '../routes.ts'

import type { Claim, Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** A parameter that is a segment by itself, perhaps with a pattern. */
const SEGMENT = /^:([^(/.-]+)(\(.*\))?$/

/** The index of the last segment of a path that holds the version: 0 in `/:version/bookings`; -1 if there is none. */
export function segmentOf ({ inPath: [reader] }: Scheme, path: string): number {
  if (reader === undefined) return -1
  const [, ...segments] = path.split('/')
  return segments.findLastIndex((segment) => SEGMENT.exec(segment)?.[1] === reader.impliedParam)
}

/**
 * Checks that the router can choose a route by the version in its path.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the route, and the parameter that it lacks
 */
export function checkSegment ({ scheme, versions }: Claim, route: Pick<Route, 'methods' | 'url'>): void {
  const [reader] = scheme.inPath
  if (reader === undefined) return
  const param = String(reader.impliedParam)
  const segment = route.url.split('/').find((one) => SEGMENT.exec(one)?.[1] === param)
  const names = [...route.url.matchAll(/:([^(/.?-]+)/g)].map(([, name]) => name)
  if (segment === undefined || names.filter((name) => name === param).length > 1) {
    if (scheme.members.length > scheme.inPath.length && !route.url.includes(`:${param}`)) return
    throw new VersioningConflictError(
      `${labelOf(route)} has the option "version", so its path needs the parameter ":${param}", in which ` +
      `${reader.label} reads the version, as one segment by itself: /:${param}/bookings.${suggestionFor(param, names)}`
    )
  }
  const withoutNull = `no null, because the path always has a version: declare the path without ":${param}"`
  must(!versions.includes(null), 'version', withoutNull, versions)
  const pattern = new RegExp(`^${SEGMENT.exec(segment)?.[2] ?? '.*'}$`)
  const never = versions.find((version) => !pattern.test(String(version)))
  must(never === undefined, 'version', `versions that the pattern of ":${param}" matches`, never)
}

/** A request before routing, as schemes read it: with the version in its path as a parameter. */
export function unrouted (raw: RawRequest, { inPath: [{ impliedParam }] }: Scheme, segment: number): RawRequest {
  const { headers, method, socket, url } = raw
  const params = segment === -1 ? {} : { [impliedParam as string]: segmentAt(url as string, segment) }
  return { raw, headers, method, socket, url, params } as unknown as RawRequest
}

/**
 * A segment of the path of a URL, decoded. Where the app's router splits the path in another way, the request is
 * refused once it has come to its route.
 */
function segmentAt (url: string, index: number): string {
  let start = url.startsWith('/') ? 1 : url.indexOf('/', url.indexOf('://') + 3) + 1
  for (let i = 0; i < index && start > 0; i++) start = url.indexOf('/', start) + 1
  let end = start
  while (end < url.length && !'/?#'.includes(url[end])) end++
  const segment = url.slice(start, end)
  return segment.includes('%') ? FindMyWay.sanitizeUrlPath(`/${segment}`).slice(1) : segment
}

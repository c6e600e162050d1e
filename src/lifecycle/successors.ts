import { basePathOf } from '../context.ts'
import { toUriText } from '../http/uri.ts'
import { linkInto } from '../links/into.ts'
import { ignoreRejection } from '../promises.ts'

import type { Arrival, Served } from './served.ts'

/** The successor and the latest version. */
type Links = readonly [string, string]

/**
 * Links from the route of a request to itself in the next version and in the latest one (RFC 5829, section 3) that have
 * it and are not retired. There are none if the version is not in the URL.
 *
 * @param now milliseconds since the epoch
 * @returns the two link-values, or null if there are none
 */
export function successorLinks (arrival: Arrival, served: readonly Served[], now: number): Links | null {
  const { request, scheme, context: { baseUrl, trustsProxy } } = arrival
  const { allowedVersions, inHost, isInLinks, vary } = scheme
  // Caches do not tell apart the hosts that a proxy forwards.
  if (inHost.length > 0 && trustsProxy && baseUrl === null) return null
  // Without a list the versions of a URL have no release order.
  if ((!isInLinks && vary !== null) || !allowedVersions?.length) return null
  let next = 0
  while (next < served.length && served[next].version !== request.version) next++
  let successor: string | null = null
  while (++next < served.length && successor === null) successor = hrefInto(served[next], arrival, now)
  if (successor === null) return null
  let latest: string | null = null
  for (let i = served.length - 1; i >= next && latest === null; i--) latest = hrefInto(served[i], arrival, now)
  return [`<${successor}>; rel="successor-version"`, `<${latest ?? successor}>; rel="latest-version"`]
}

/** Null if the version is retired or a preview, or has only the URL of the response. */
function hrefInto ({ version, goneAt, isPreview }: Served, arrival: Arrival, now: number): string | null {
  if (version === null || now >= goneAt || isPreview) return null
  const { request, scheme } = arrival
  const href = attempt(version, arrival)
  const [path] = request.url.split('?', 1)
  if (href === null || href === basePathOf(request.server, request) + path) return null
  for (const one of scheme.members) {
    // A scheme of the app may make the same link for each version.
    if (one.hasOwnReverse && href === attempt(request.version, arrival)) return null
  }
  return href
}

/** In ASCII; null if the route does not have the version, or no link can be made. */
function attempt (version: string | null, { request, route, scheme }: Arrival): string | null {
  try {
    const url: unknown = linkInto(route, scheme, version, request)
    if (typeof url === 'string') return toUriText(url)
    ignoreRejection(url)
  } catch {}
  return null
}

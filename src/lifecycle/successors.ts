import { basePathOf } from '../context.ts'
import { toUriText } from '../http/uri.ts'
import { linkBy } from '../links/link.ts'
import { ignoreRejection } from '../promises.ts'
import { servedAt } from './served.ts'

import type { Arrival, Served } from './served.ts'

/**
 * Links from the route of a request to itself in the next version and in the latest one (RFC 5829, section 3) that have
 * it and are not retired. There are none if the version is not in the URL.
 *
 * @param now milliseconds since the epoch
 * @returns the two link-values, as in a header, or ''
 */
export function successorLinks (arrival: Arrival, now: number): string {
  const { request, scheme, context: { baseUrl, trustsProxy } } = arrival
  const { allowedVersions, inHost, vary } = scheme
  // Caches do not tell apart the hosts that a proxy forwards.
  if (inHost.length > 0 && trustsProxy && baseUrl === null) return ''
  // Without a list the versions of a URL have no release order.
  if ((vary !== null && !scheme.isInLinks) || !allowedVersions?.length) return ''
  const end = request.url.indexOf('?')
  const own = basePathOf(request.server, request) + (end === -1 ? request.url : request.url.slice(0, end))
  const { linked: served } = servedAt(arrival)
  let next = 0
  while (next < served.length && served[next].version !== request.version) next++
  let successor: string | null = null
  while (++next < served.length && successor === null) successor = hrefInto(served[next], arrival, own, now)
  if (successor === null) return ''
  let latest: string | null = null
  for (let i = served.length - 1; i >= next && latest === null; i--) latest = hrefInto(served[i], arrival, own, now)
  return `<${successor}>; rel="successor-version", <${latest ?? successor}>; rel="latest-version"`
}

/**
 * In ASCII; null if the version is retired or a preview, or no link leads into it.
 *
 * @param own the URL of the response, as links have it
 */
function hrefInto (served: Served, { request, scheme }: Arrival, own: string, now: number): string | null {
  const { version, goneAt, isPreview } = served
  if (version === null || now >= goneAt || isPreview) return null
  try {
    const url: unknown = linkBy(scheme, null, { version, request })
    if (typeof url !== 'string') {
      ignoreRejection(url)
      return null
    }
    // A scheme of the app may make the same link for each version.
    const isOwn = scheme.members.some(({ hasOwnReverse }) => hasOwnReverse)
    if (isOwn && url === linkBy(scheme, null, { version: request.version, request })) return null
    const href = toUriText(url)
    return href === own ? null : href
  } catch {
    return null
  }
}

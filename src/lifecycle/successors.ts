import { basePathOf } from '../context.ts'
import { toUriText } from '../http/uri.ts'
import { linkBy } from '../links/link.ts'
import { ignoreRejection } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { Arrival, Served } from './served.ts'
import type { Scheme } from '../schemes/base.ts'

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
  const at = served.findIndex(({ version }) => version === request.version)
  let next = at === -1 ? served.length : at + 1
  let successor: string | null = null
  while (next < served.length && successor === null) successor = linkInto(served[next++], request, scheme, now)
  if (successor === null) return null
  let latest: string | null = null
  for (let i = served.length - 1; i >= next && latest === null; i--) latest = linkInto(served[i], request, scheme, now)
  return [`<${successor}>; rel="successor-version"`, `<${latest ?? successor}>; rel="latest-version"`]
}

/** Null if the version is retired or a preview, or has only the URL of the response. */
function linkInto (
  { version, goneAt, isPreview }: Served, request: FastifyRequest, scheme: Scheme, now: number
): string | null {
  if (version === null || now >= goneAt || isPreview) return null
  const href = hrefInto(version, request, scheme)
  const [path] = request.url.split('?', 1)
  if (href === null || href === basePathOf(request.server, request) + path) return null
  const isOwn = scheme.members.some((one) => one.hasOwnReverse) && href === hrefInto(request.version, request, scheme)
  return isOwn ? null : href
}

/** In ASCII; null if the route does not have the version, or no link can be made. */
function hrefInto (version: string | null, request: FastifyRequest, scheme: Scheme): string | null {
  try {
    const url: unknown = linkBy(scheme, null, { version, request })
    if (typeof url === 'string') return toUriText(url)
    ignoreRejection(url)
  } catch {}
  return null
}

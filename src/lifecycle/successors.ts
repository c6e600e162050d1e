import { basePathOf } from '../context.ts'
import { linkInto } from '../links/link.ts'
import { noteForwarded } from '../passage.ts'
import { servedAt, toServed } from './served-versions.ts'

import type { Arrival } from '../passage.ts'
import type { Served } from './served-versions.ts'

/**
 * Makes links from the route of a request to itself in the next and in the latest version (RFC 5829, section 3) that
 * have the route and are not retired. There are no links if the version is not in the URL, and none to the latest
 * version if only another member of a list could ask for it.
 *
 * @returns the link-values, as in a header, or ''
 */
export function successorLinks (arrival: Arrival, now: number): string {
  const { request, scheme, context: { baseUrl, trustsProxy } } = arrival
  const { allowedVersions, inHost, vary } = scheme
  // Caches do not tell apart the hosts that a proxy forwards.
  if (inHost.length > 0 && trustsProxy && baseUrl === null) return ''
  // Without a list the versions of a URL have no release order.
  if ((vary !== null && !scheme.isInLinks) || !allowedVersions?.length) return ''
  const [path] = request.url.split('?', 1)
  const base = baseUrl === null && !trustsProxy ? '' : basePathOf(request.server, request)
  const { linked: served, versions } = servedAt(arrival)
  let next = 0
  while (next < served.length && served[next].version !== request.version) next++
  let successor: string | null = null
  while (++next < served.length && successor === null) successor = hrefInto(served[next], arrival, base, path, now)
  if (successor === null) return ''
  noteForwarded(request.server, request, 'X-Forwarded-Prefix')
  const link = `<${successor}>; rel="successor-version"`
  for (let last = served.length - 1; last >= next; last--) {
    const latest = hrefInto(served[last], arrival, base, path, now)
    if (latest !== null) return `${link}, <${latest}>; rel="latest-version"`
    const { version, goneAt, isPreview } = served[last]
    const isServed = now < goneAt && !isPreview && versions.some((entry) => entry.version === version)
    if (scheme.isList && isServed) return link
  }
  return `${link}, <${successor}>; rel="latest-version"`
}

/** Returns a link in ASCII; null if the version is retired or a preview, or if the link is the URL of the response. */
function hrefInto (served: Served, arrival: Arrival, base: string, path: string, now: number): string | null {
  const { version } = served
  const { request, route, scheme } = arrival
  const isOffered = ({ goneAt, isPreview }: Served) => now < goneAt && !isPreview
  if (version === null || !(scheme.readsNamespaces || isOffered(served))) return null
  try {
    const { href, target } = linkInto(version, scheme, route, request, base)
    // Each namespace may have a context with its own dates, and a name may stand for several routes there.
    const there = scheme.readsNamespaces && target !== undefined ? target.paths : []
    const isThere = there.every(({ routes: [first] }) => isOffered(toServed(version, first)))
    return isThere && href !== base + path ? href : null
  } catch (error) {
    logFailure(arrival, error)
    return null
  }
}

/** Logs once for each scheme that its own `reverse` fails. It is no failure if a URL cannot have the version. */
function logFailure ({ context: { warned: { others } }, request, scheme }: Arrival, error: unknown): void {
  const { code } = Object(error) as { readonly code?: unknown }
  if (/^FST_ERR_(?:NO_)?REVERSE/.test(String(code)) || others.has(scheme)) return
  others.add(scheme)
  const route = `${request.method} ${request.routeOptions.url}`
  request.log.error({ err: error }, `${scheme.label}.reverse() failed: responses such as those of ${route} have no ` +
    'link to their successor version.')
}

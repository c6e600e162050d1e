import { basePathOf, findContext } from '../context.ts'
import { ReverseOptionError } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { setQueryParameter, toQuery } from '../http/query.ts'
import { show } from '../messages.ts'

import type { Origin } from '../http/origin.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'

/** Where a link leads, besides its path. */
export interface Destination {
  readonly server: object
  /** The scheme or the list that reads the version there, or null. */
  readonly scheme: Scheme | null
  /** Its member that has a place for the version in the query or in the host, or null if the link needs none. */
  readonly place: Scheme | null
  /** The version that is meant, or null. */
  readonly meant: string | null
  readonly options: ReverseOptions
}

/**
 * A path with what stands around it: origin, the path of `baseUrl`, query and fragment. None of them has another version
 * than the one that is meant.
 *
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or the version has no place in the host of `baseUrl`
 * @throws FST_ERR_REVERSE_HOST (400) when it has none in the host of the request
 */
export function toUrl (destination: Destination, path: string): string {
  const { server, scheme, place, meant, options } = destination
  const { query, hash, request, version } = options
  const search = query ? toQuery(query) : ''
  let url = basePathOf(server, request) + path
  if (search !== '') url += `?${search}`
  const inQuery = scheme === null || (meant === null && version === undefined) ? [] : scheme.inQuery
  for (const one of inQuery) {
    const without = search === '' ? url : setQueryParameter(url, one.versionParam, null)
    if (meant === null) url = without
    else if (one === place || without !== url) url = setQueryParameter(url, one.versionParam, meant)
  }
  if (hash !== undefined && hash !== null) url += toFragment(hash)
  return withOrigin(destination, url)
}

/** A URL with its origin, if it begins with a path and needs one. */
export function withOrigin (destination: Destination, url: string): string {
  // A scheme of the app may return something else.
  const origin = String(url).startsWith('/') ? originOf(destination) : null
  return origin === null ? url : originText(origin) + url
}

/** What the version in the host of the request is resolved to; undefined if it has none, null if that is refused. */
export function versionOfHost (place: Scheme, { request }: ReverseOptions): string | null | undefined {
  const version = place.source.versionInHost(request?.host ?? '')
  return version === undefined ? undefined : place.resolve(version)
}

/** Whether the host of an absolute link has a place for the version. */
export function isInHost (server: object, { source }: Scheme, { request }: ReverseOptions): boolean {
  return source.versionInHost((findContext(server)?.baseUrl ?? request)?.host ?? '') !== undefined
}

/** The origin of a link, or null if the link is relative. A host that has a version gets the one that is meant. */
function originOf ({ server, scheme, place, meant, options }: Destination): Origin | null {
  const { absolute = false, request, version } = options
  if (typeof absolute !== 'boolean') throw new ReverseOptionError('absolute', 'true or false', show(absolute))
  const host = scheme?.inHost[0]
  const hasVersion = host !== undefined && meant !== null
  if (!absolute && !hasVersion) return null
  const baseUrl = findContext(server)?.baseUrl ?? null
  const origin = absolute ? baseUrl ?? requestOrigin(request, 'absolute') : null
  if (!hasVersion) return origin
  if (!absolute && version === undefined) {
    const ofRequest = versionOfHost(host, options)
    if (ofRequest === undefined || ofRequest === meant) return null
  }
  if (!isInHost(server, host, options)) {
    // The version is elsewhere in the link, or is the default version.
    if (place !== host || meant === scheme?.defaultOfLinks(request)) return origin ?? baseUrl
    if (baseUrl !== null) {
      const option = absolute && version === undefined ? 'absolute' : 'version'
      throw new ReverseOptionError(option, 'a baseUrl whose host has a version', show(originText(baseUrl)))
    }
  }
  return host.source.originFor(meant, origin ?? baseUrl ?? requestOrigin(request, 'version'))
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw new ReverseOptionError('hash', 'a string', show(hash))
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

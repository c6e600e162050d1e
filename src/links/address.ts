import { basePathOf, findContext } from '../context.ts'
import { ReverseOptionError, show } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { setQueryParameter, toQuery, toQueryParameter } from '../http/query.ts'

import type { Origin } from '../http/origin.ts'
import type { Scheme } from '../scheme.ts'
import type { LinkQuery, ReverseOptions } from '../../types/index.d.ts'

/** A path with what stands around it, besides the version: origin, the path of `baseUrl`, query and fragment. */
export function withAddress (server: object, path: string, options: ReverseOptions): string {
  const { query, hash, absolute } = options
  // Most links have nothing of it, and few instructions are inlined.
  const url = query === undefined && hash === undefined
    ? basePathOf(server, options.request) + path
    : withQuery(server, path, options)
  return absolute === undefined ? url : withOrigin(server, url, options)
}

function withOrigin (server: object, url: string, options: ReverseOptions): string {
  const origin = absoluteOrigin(server, options)
  return origin === null ? url : originText(origin) + url
}

/** Null if the link is relative. */
function absoluteOrigin (server: object, { absolute = false, request }: ReverseOptions): Origin | null {
  if (absolute === false) return null
  if (absolute !== true) throw new ReverseOptionError('absolute', 'true or false', show(absolute))
  return findContext(server)?.baseUrl ?? requestOrigin(request, 'absolute')
}

function withQuery (server: object, path: string, { query, hash, request }: ReverseOptions): string {
  const search = query === undefined || query === null ? '' : toSearch(query)
  const fragment = hash === undefined || hash === null ? '' : toFragment(hash)
  return basePathOf(server, request) + path + search + fragment
}

/** As `withAddress`, with the version in the query or in the host if the scheme puts it there. */
export function withVersion (
  server: object, scheme: Scheme | null, path: string, options: ReverseOptions, version: string | null
): string {
  const place = scheme === null ? 'nowhere' : scheme.linkPlace
  if (place === 'host' && version !== null && options.version !== undefined) {
    return originText(originInto(server, scheme as Scheme, options, version)) + withQuery(server, path, options)
  }
  const url = withAddress(server, path, options)
  return place === 'query' ? withQueryVersion(url, scheme as Scheme, version, options, true) : url
}

/** @param isSet whether the version becomes a parameter; otherwise it only replaces what the caller gives */
function withQueryVersion (
  url: string, { versionParam }: Scheme, version: string | null, { version: given, query, hash }: ReverseOptions,
  isSet: boolean
): string {
  if (version === null) return given === null ? setQueryParameter(url, versionParam, null) : url
  if (isSet && query === undefined && hash === undefined) return `${url}?${toQueryParameter(versionParam, version)}`
  const isThere = isSet || setQueryParameter(url, versionParam, null) !== url
  return isThere ? setQueryParameter(url, versionParam, version) : url
}

/**
 * The origin into whose host the version is written: from `baseUrl` if its host has a version, or else from the
 * request.
 */
function originInto (server: object, scheme: Scheme, { request }: ReverseOptions, version: string): Origin {
  const configured = findContext(server)?.baseUrl ?? null
  const isVersioned = configured !== null && scheme.source.versionInHost(configured.host) !== undefined
  return scheme.source.originFor(version, isVersioned ? configured : requestOrigin(request, 'version'))
}

/** As `withVersion` for a member of a list: neither query nor host has another version than the link. */
export function withVersionOfList (
  server: object, scheme: Scheme | null, list: Scheme, path: string, options: ReverseOptions,
  version: string | null, isInPath: boolean
): string {
  const { request } = options
  let url = withQuery(server, path, options)
  for (const member of list.inQuery) {
    url = withQueryVersion(url, member, version, options, member === scheme && !isInPath)
  }
  const isIntoHost = scheme?.linkPlace === 'host' && version !== null && options.version !== undefined
  let origin = isIntoHost
    ? originInto(server, scheme as Scheme, options, version)
    : absoluteOrigin(server, options)
  for (const member of version === null ? [] : list.inHost) {
    // The request has been accepted with its host.
    if (origin === null && version === request?.version) continue
    const host = origin?.host ?? request?.host
    const named = host === undefined ? undefined : member.source.versionInHost(host)
    if (named === undefined || named === version) continue
    origin = member.source.originFor(version as string, origin ?? requestOrigin(request, 'version'))
  }
  return origin === null ? url : originText(origin) + url
}

function toSearch (query: LinkQuery): string {
  const search = toQuery(query)
  return search === '' ? '' : `?${search}`
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw new ReverseOptionError('hash', 'a string', show(hash))
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

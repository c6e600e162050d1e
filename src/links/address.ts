import { basePathOf, findContext } from '../context.ts'
import { ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { setQueryParameter, toQuery, toQueryParameter } from '../http/query.ts'

import type { Origin } from '../http/origin.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'

/**
 * A path with what stands around it: origin, the path of `baseUrl`, query and fragment. The version is in the query or
 * in the host if the scheme puts it there, and neither has another version.
 *
 * @param scheme the scheme that puts the version into the link, or null if there is none
 * @param readers the scheme or the list that reads the version there, or null if there is none
 * @param isInPath whether the path has the version, so that the query needs none
 * @param isRead whether the route reads the version where `readers` do
 * @throws FST_ERR_REVERSE_OPTION when the version has no place in the host of `baseUrl`
 * @throws FST_ERR_REVERSE_HOST (400) when it has none in the host of the request
 */
export function withVersion (
  server: object, scheme: Scheme | null, readers: Scheme | null, path: string, options: ReverseOptions,
  version: string | null, isInPath: boolean, isRead = true
): string {
  let url = basePathOf(server, options.request) + path
  // Most links have nothing of it, and few instructions are inlined.
  if (options.query !== undefined || options.hash !== undefined) url += searchOf(options)
  if (readers !== null) {
    const { inQuery } = readers
    for (let i = 0; i < inQuery.length; i++) {
      url = withQueryVersion(url, inQuery[i], version, options, inQuery[i] === scheme && !isInPath)
    }
  }
  if (options.absolute === undefined && (readers === null || readers.inHost.length === 0)) return url
  const origin = originOf(server, scheme, isRead ? readers : null, options, version)
  return origin === null ? url : originText(origin) + url
}

function searchOf ({ query, hash }: ReverseOptions): string {
  const pairs = query === undefined || query === null ? '' : toQuery(query)
  const search = pairs === '' ? '' : `?${pairs}`
  return hash === undefined || hash === null ? search : search + toFragment(hash)
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
 * The origin of a link, whose host has no other version than the link; null if the link is relative. With `baseUrl`
 * nothing of it is from the request.
 */
function originOf (
  server: object, scheme: Scheme | null, readers: Scheme | null, options: ReverseOptions, version: string | null
): Origin | null {
  const { request, version: given } = options
  const baseUrl = findContext(server)?.baseUrl ?? null
  if (version === null) return absoluteOrigin(baseUrl, options)
  const isInto = scheme !== null && scheme.linkPlace === 'host' && given !== undefined
  let origin = isInto ? originInto(baseUrl, scheme, request, version) : absoluteOrigin(baseUrl, options)
  if (readers === null || readers.inHost.length === 0) return origin
  // The request has been accepted with its host.
  const isAccepted = version === request?.version && isReadBy(readers, request)
  if (isAccepted && (origin === null || baseUrl === null)) return origin
  for (const member of readers.inHost) {
    const host = origin?.host ?? request?.host
    const named = host === undefined ? undefined : member.versionInHost(host)
    if (named === version) continue
    if (named !== undefined) origin ??= baseUrl ?? requestOrigin(request, 'version')
    if (origin !== null) origin = withHostVersion(baseUrl, member, readers, origin, version, options)
  }
  return origin
}

/** An origin with the version in its host. Without it a list may have the version elsewhere. */
function withHostVersion (
  baseUrl: Origin | null, scheme: Scheme, readers: Scheme, origin: Origin, version: string,
  { absolute, request, version: given }: ReverseOptions
): Origin {
  if (scheme.versionInHost(origin.host) === undefined) {
    if (readers.isList || version === readers.defaultOfLinks(request)) return origin
    const isAbsolute = given === undefined && absolute === true
    if (baseUrl !== null) throw noVersionInBaseUrl(origin, isAbsolute ? 'absolute' : 'version')
  }
  return scheme.originFor(version, origin)
}

function noVersionInBaseUrl (origin: Origin, option: 'absolute' | 'version'): Error {
  return new ReverseOptionError(option, 'a baseUrl whose host has a version', show(originText(origin)))
}

/** Whether a scheme has determined the version of a request; a request outside of Fastify does not say which one. */
function isReadBy (scheme: Scheme, request: ReverseOptions['request']): boolean {
  const { versioningScheme = null } = request as { readonly versioningScheme?: unknown }
  return versioningScheme === null || versioningScheme === scheme
}

/** Null if the link is relative. */
function absoluteOrigin (baseUrl: Origin | null, { absolute = false, request }: ReverseOptions): Origin | null {
  if (absolute === false) return null
  if (absolute !== true) throw new ReverseOptionError('absolute', 'true or false', show(absolute))
  return baseUrl ?? requestOrigin(request, 'absolute')
}

/** The origin of `baseUrl`, or else of the request, with the version in its host. */
function originInto (
  baseUrl: Origin | null, scheme: Scheme, request: ReverseOptions['request'], version: string
): Origin {
  if (baseUrl === null) return scheme.originFor(version, requestOrigin(request, 'version'))
  if (scheme.versionInHost(baseUrl.host) !== undefined) return scheme.originFor(version, baseUrl)
  if (version === scheme.defaultOfLinks(request)) return baseUrl
  throw noVersionInBaseUrl(baseUrl, 'version')
}

/**
 * Whether following the link of a member of a list gives the version that is meant.
 *
 * @param scheme null if the default version is meant, which need not be in any place
 */
export function leadsToVersion (
  scheme: Scheme | null, list: Scheme | null, url: string, { request, version: given }: ReverseOptions,
  version: string | null
): boolean {
  if (list === null || version === null || scheme === null || list === scheme || !list.isInLinks) return true
  const { linkPlace, hasOwnReverse } = scheme
  // The client repeats its header, or a scheme's own `reverse` completes the link.
  if (linkPlace === 'query' || (linkPlace === 'nowhere' && (given === undefined || hasOwnReverse))) return true
  const host = url.startsWith('/') ? request?.host : url.split('/', 3)[2]
  if (host === undefined) return linkPlace === 'host'
  return list.inHost.some((one) => one.versionInHost(host) !== undefined)
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw new ReverseOptionError('hash', 'a string', show(hash))
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

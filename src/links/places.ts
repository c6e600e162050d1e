import { findContext, kScheme } from '../context.ts'
import { ReverseHostError, ReverseOptionError, invalidLinkOption } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { setQueryParameter, toQueryParameter } from '../http/query.ts'
import { namespaceOf } from '../instances.ts'
import { show } from '../messages.ts'
import { resolve } from '../schemes/reading.ts'
import { defaultIn, isFreeText, versionAt } from './scope.ts'

import type { FastifyRequest } from 'fastify'
import type { Origin } from '../http/origin.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { VersioningScheme } from '../../types/index.d.ts'
import type { Link } from './scope.ts'
import type { Target } from './target.ts'

/** What a place of the version does to links. A member is the scheme of the link, or one of its list. */
export interface LinkPlace {
  /** What the name of a link, or the current route, leads to. */
  target (link: Link): Target | undefined
  /** Whether the asked version fills a parameter of the path that the caller leaves open. */
  fills (member: Scheme, param: string, target: Target): boolean
  /** Whether the link leads into the asked version without it in its path. */
  carries (link: Link, member: Scheme): boolean
  /** A URL with the version, or with none but the meant one where another place has that. */
  write (url: string, member: Scheme, version: string | null, meant: string | null): string
}

/** The client sends its header again, so that a list needs it to have read the version there. */
const nowhere: LinkPlace = {
  target: (link) => link.name === null ? currentIn(link, false) : link.registry.named(link.name),
  fills: (member, param) => member.param === param,
  carries: ({ scheme }, member) => member === scheme || !member.isInLinks,
  write: (url) => url
}

const path: LinkPlace = {
  ...nowhere,
  carries: () => false
}

/** The version stands in front of the name, and the path of that route may have it once more. */
const namespace: LinkPlace = {
  ...path,
  target (link) {
    const { asked, name, registry, server } = link
    if (asked === null) return path.target(link)
    if (name === null) return currentIn(link, true)
    if (link.isExact) return registry.named(`${asked}:${name}`)
    return registry.inVersion(asked, name, namespaceOf(server).names)
  },
  fills: (_member, param, target) => target.requires(param)
}

const query: LinkPlace = {
  ...nowhere,
  carries: () => true,
  write (url, { versionParam }, version, meant) {
    if (!url.includes('?')) return version === null ? url : `${url}?${toQueryParameter(versionParam, version)}`
    const isThere = version !== null || setQueryParameter(url, versionParam, null) !== url
    return isThere ? setQueryParameter(url, versionParam, meant) : url
  }
}

/** The origin of the link has it: see `originIn`. Only a version that the caller gives changes the host. */
const host: LinkPlace = {
  ...nowhere,
  carries ({ asked, options: { request, version }, scheme, server }, member) {
    if (version === undefined) return member === scheme || hasVersion(request?.host, member)
    return hasVersion((findContext(server)?.baseUrl ?? request)?.host, member) || asked === defaultIn(member, request)
  }
}

const PLACES: Readonly<Record<VersioningScheme['linkPlace'], LinkPlace>> = { path, namespace, query, host, nowhere }

/** Null for a link that has no version by a scheme. */
export function placeOf (member: Scheme | null): LinkPlace {
  return member === null ? nowhere : PLACES[member.linkPlace]
}

function hasVersion (host: string | undefined, member: Scheme): boolean {
  return member.versionInHost(host ?? '') !== undefined
}

/**
 * The current route, or what it is in the namespace of the version that the caller gives.
 *
 * @param mustBeInside whether the version is a namespace even if the current route has none
 */
function currentIn (
  { asked, options: { request, version }, registry, scheme }: Link, mustBeInside: boolean
): Target | undefined {
  if (!request) return undefined
  if (version === undefined || !scheme?.readsNamespaces) return registry.reached(request)
  const { names } = namespaceOf(request.server)
  const own = scheme.versionIn(names)
  if (own === asked || (names.length === 0 && !mustBeInside)) return registry.reached(request)
  // The request was refused for its only namespace: that is not an allowed version.
  const at = names.length === 1 ? 0 : names.indexOf(own as string)
  if (names.length > 0 && at === -1) return undefined
  const inside = asked === null ? undefined : registry.reached(request, names.toSpliced(at, 1, asked))
  if (inside !== undefined) return inside
  const outside = names.toSpliced(at, 1)
  const isThere = asked === null ? scheme.versionIn(outside) === null : versionAt(scheme, outside, request) === asked
  return isThere ? registry.reached(request, outside) : undefined
}

/**
 * The origin of a link into a version that a host may have, or null if a relative link leads there.
 *
 * @param host the scheme that reads it
 * @param place the scheme that has the version, if it is not in the path
 * @throws FST_ERR_REVERSE_OPTION when the version has no place in the host of `baseUrl`
 * @throws FST_ERR_REVERSE_HOST (400) when it has none in the host of the request
 */
export function originIn (link: Link, host: Scheme, place: Scheme | null, meant: string): Origin | null {
  const { scheme, server, options: { absolute = false, request, version } } = link
  const baseUrl = findContext(server)?.baseUrl ?? null
  if (!absolute && version === undefined && staysOnHost(link, meant, host, baseUrl)) return null
  const plain = absolute ? baseUrl ?? requestOrigin(request) : baseUrl
  const hasVersion = host.versionInHost((baseUrl ?? request)?.host ?? '') !== undefined
  // The version is elsewhere in the link, or is the default version.
  if (!hasVersion && (place !== host || meant === (scheme && defaultIn(scheme, request)))) return plain
  const from = plain ?? requestOrigin(request)
  const other = host.author.hostFor(meant, from.host)
  if (other !== null) return { protocol: from.protocol, host: other }
  if (hasVersion) {
    const expected = `a version that fits into the host ${show(from.host)}`
    const error = invalidLinkOption('version', expected, meant)
    throw isFreeText(link) ? Object.assign(error, { statusCode: 400 }) : error
  }
  if (baseUrl === null) throw new ReverseHostError('a host with a version', show(from.host))
  const text = show(originText(baseUrl))
  throw new ReverseOptionError(
    `Write a version into the host of "baseUrl", ${text}: the link puts ${show(meant)} in its place.`
  )
}

/** Whether a relative link reaches its version: the host has it, or has none. */
function staysOnHost (
  { scheme, options: { request } }: Link, meant: string, host: Scheme, baseUrl: Origin | null
): boolean {
  const isRead = scheme === (request as Partial<FastifyRequest> | undefined)?.[kScheme] && meant === request?.version
  if (isRead && baseUrl === null && scheme === host) return true
  const own = host.versionInHost(request?.host ?? '') ?? host.versionInHost(baseUrl?.host ?? '')
  return own === undefined || resolve(host.author, own) === meant
}

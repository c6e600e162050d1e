import { basePathOf, findContext } from '../context.ts'
import { ReverseHostError, ReverseOptionError, VersionChangeError, invalidLinkOption } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { pairsIn, setQueryParameter, toQuery, toQueryParameter } from '../http/query.ts'
import { show } from '../messages.ts'
import { noteForwarded, schemeIn } from '../passage.ts'
import { labelOf, routeIn, slotOf } from '../routes.ts'
import { resolve } from '../schemes/reading.ts'
import { defaultIn, isFreeText } from './version.ts'

import type { FastifyRequest } from 'fastify'
import type { Origin } from '../http/origin.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { LinkQuery } from '../../types/index.d.ts'
import type { Link } from './version.ts'

/**
 * Returns a path with origin, the path of `baseUrl`, query and fragment, none of which contradicts the meant version.
 *
 * @param routes the routes of the path, if the link has a query
 * @param writer the scheme that writes the version into the query or into the host, or null if the link needs none
 * @param meant the version of the link, or null
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or the host of `baseUrl` cannot have the version
 * @throws FST_ERR_REVERSE_HOST (400) when the host of the request cannot have it
 */
export function toUrl (
  link: Link, routes: readonly Route[], writer: Scheme | null, meant: string | null, path: string
): string {
  const { scheme, server, options: { query, hash, request, version } } = link
  const search = query ? toOlderQuery(routes, query, meant ?? defaultOf(routes[0], request)) : ''
  let url = basePathOf(server, request) + path + (search === '' ? '' : `?${search}`)
  if (scheme !== null && (meant !== null || version !== undefined)) {
    for (const member of scheme.members) {
      if (member.linkPlace === 'query') url = withQueryVersion(url, member, meant, member === writer && meant !== null)
    }
  }
  if (hash !== undefined && hash !== null) url += toFragment(hash)
  url = withOrigin(link, writer, meant, url)
  noteForwarded(server, request, 'X-Forwarded-Prefix')
  return url
}

/** Writes the version into the query of a URL. If another place has it, only an existing parameter is corrected. */
function withQueryVersion (url: string, { versionParam }: Scheme, meant: string | null, isWritten: boolean): string {
  if (!url.includes('?')) return isWritten ? `${url}?${toQueryParameter(versionParam, meant as string)}` : url
  const isThere = isWritten || setQueryParameter(url, versionParam, null) !== url
  return isThere ? setQueryParameter(url, versionParam, meant) : url
}

function defaultOf (route: Route, request: Link['options']['request']): string | null {
  return route.scheme && defaultIn(route.scheme, request)
}

/** Returns the query of a link as text, converted from the version of the handler to the version of the link. */
function toOlderQuery (routes: readonly Route[], query: LinkQuery, version: string | null): string {
  const written = toQuery(query)
  for (const route of routes) {
    const slot = slotOf(route, route.methods[0])
    const { older } = (slot && routeIn(slot, version)) ?? route
    const form = older.byVersion?.get(version)
    if (!form?.downgradeQuery) continue
    const downgraded = form.downgradeQuery(toObject(query)) as LinkQuery
    try {
      return toQuery(downgraded)
    } catch (cause) {
      const changes = form.changes.map(({ label }) => label).join(' and ')
      const subject = `${labelOf(route)}, querystring of a link`
      throw new VersionChangeError(changes, subject, 'its function "downgrade" returned what is no query', cause)
    }
  }
  return written
}

/** Returns a query as a handler has it: a parameter that is repeated is a list. */
function toObject (query: LinkQuery): object {
  const values = new Map<string, unknown>()
  for (const [name, value] of pairsIn(query)) {
    if (value === undefined || value === null) continue
    values.set(name, values.has(name) ? [values.get(name), value].flat() : value)
  }
  return Object.fromEntries(values)
}

/** Returns plain text, with or without `#`, as a fragment (RFC 3986, section 3.5). A `%` in it is escaped, too. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw invalidLinkOption('hash', 'a string', hash)
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

/** Returns a path, with an origin if the link is absolute, or if its version needs a host that may be another one. */
export function withOrigin (link: Link, writer: Scheme | null, meant: string | null, path: string): string {
  const { scheme, server, options: { absolute = false } } = link
  if (typeof absolute !== 'boolean') throw invalidLinkOption('absolute', 'true or false', absolute)
  const host = scheme?.inHost[0]
  let origin: Origin | null = null
  // A value of the caller that is no version changes no host.
  if (host !== undefined && meant !== null && host.allows(meant)) origin = originIn(link, host, writer, meant)
  else if (absolute) origin = findContext(server)?.baseUrl ?? currentOrigin(link)
  return origin === null ? path : originText(origin) + path
}

/** Returns the origin of a link's request. The response varies by the origin, even if a wrong origin allows no link. */
function currentOrigin ({ server, options: { request } }: Link): Origin {
  noteForwarded(server, request, 'X-Forwarded-Host, X-Forwarded-Proto')
  return requestOrigin(request)
}

/**
 * Returns the origin of a link into a version that a host may have, or null if a relative link leads there.
 *
 * @param reader the scheme that reads the host
 * @throws as `toUrl`
 */
export function originIn (link: Link, reader: Scheme, writer: Scheme | null, meant: string): Origin | null {
  const { scheme, server, options: { absolute = false, request, version } } = link
  const baseUrl = findContext(server)?.baseUrl ?? null
  if (!absolute && version === undefined && staysOnHost(link, meant, reader, baseUrl)) return null
  const plainOrigin = absolute ? baseUrl ?? currentOrigin(link) : baseUrl
  const hasVersion = reader.versionInHost((baseUrl ?? request)?.host) !== undefined
  // The link has the version elsewhere, or it is the default version.
  if (!hasVersion && (writer !== reader || meant === (scheme && defaultIn(scheme, request)))) return plainOrigin
  const from = plainOrigin ?? currentOrigin(link)
  const host = reader.author.hostFor(meant, from.host)
  if (host !== null) return { protocol: from.protocol, host }
  if (hasVersion) {
    const error = invalidLinkOption('version', `a version that fits into the host ${show(from.host)}`, meant)
    throw isFreeText(link) ? Object.assign(error, { statusCode: 400 }) : error
  }
  if (baseUrl === null) throw new ReverseHostError('a host with a version', show(from.host))
  const text = show(originText(baseUrl))
  throw new ReverseOptionError(
    `Write a version into the host of "baseUrl", ${text}: the link puts ${show(meant)} in its place.`
  )
}

/** Tells whether a relative link reaches its version: the host has this version, or has none. */
function staysOnHost (
  { scheme, options: { request } }: Link, meant: string, reader: Scheme, baseUrl: Origin | null
): boolean {
  // The link has no option `version`, so its version is that of a request.
  const reading = request as FastifyRequest
  const isRead = scheme === schemeIn(reading) && meant === reading.version
  if (isRead && baseUrl === null && scheme === reader) return true
  const current = reader.versionInHost(request?.host) ?? reader.versionInHost(baseUrl?.host)
  return current === undefined || resolve(reader.author, current, reader) === meant
}

import { schemeOf } from '../context.ts'
import { ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { toText } from '../paths/template.ts'
import { homes } from '../schemes/base.ts'
import { invalid } from '../schemes/reading.ts'
import { toUrl, withOrigin } from './address.ts'
import { placeOf, sentIn } from './places.ts'
import { defaultIn, registryOf } from './scope.ts'

import type { FastifyRequest } from 'fastify'
import type { Values } from '../paths/template.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Link } from './scope.ts'
import type { Target } from './target.ts'
import type { ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

/** What links from a route into listed versions lead to, and the parameter of the version, if they need no more. */
export const ways = new WeakMap<Route, Map<string, { readonly target: Target, readonly param: string | null }>>()

/** What a caller names who names no parameters. */
export const NO_KWARGS: ReverseKwargs = Object.freeze({})

/**
 * The link of a scheme, or null if no route has the name, or none of its URLs fits. Without a scheme it has no version.
 *
 * @throws as `baseLink`, and what a scheme with its own `reverse` throws besides FST_ERR_NO_REVERSE_MATCH, as in DRF
 */
export function linkBy (scheme: Scheme | null, name: string | null, options: ReverseOptions): string | null {
  if (scheme === null || !scheme.own.has('reverse')) return baseLink(scheme, name, options)
  try {
    return scheme.author.reverse(name, options)
  } catch (error) {
    if (error instanceof Error && (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH') return null
    throw error
  }
}

/**
 * The link that `reverse` of BaseVersioning makes (SPEC.md), or null. The version that is *asked* for is the caller's,
 * or else the request's. A scheme has one *place* for it in a URL. What is *written* in the path, by whomever, is the
 * version that is *meant*: no other part of the link has another one.
 *
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function baseLink (scheme: Scheme | null, name: string | null, options: ReverseOptions): string | null {
  const link = toLink(scheme, name, options)
  return scheme?.isList ? linkOfList(link, scheme) : linkAt(link, scheme)
}

/** @throws FST_ERR_VERSION_INVALID (500): a subclass may have made `linkVersion` asynchronous */
export function toLink (scheme: Scheme | null, name: string | null, options: ReverseOptions): Link {
  const server = (options.request?.server ?? options.server ?? (scheme && homes.get(scheme.author))) as object
  const asked: unknown = scheme === null ? null : scheme.author.linkVersion(options)
  if (asked !== null && typeof asked !== 'string') throw invalid(scheme as Scheme, asked, 'linkVersion')
  return { scheme, server, registry: registryOf(server), name, options, asked }
}

/** The link of a list: the first one that a member makes, or else a link without a version into the default one. */
function linkOfList (link: Link, list: Scheme): string | null {
  const { name, options, asked } = link
  for (const member of membersFor(link, list)) {
    const isOwn = member.own.has('reverse')
    const url = isOwn ? linkBy(member, name, options) : linkAt(link, member)
    // A scheme of the app may return a link with its origin, or anything else.
    if (url !== null) return isOwn && String(url).startsWith('/') ? withOrigin(link, member, asked, url) : url
  }
  if (!list.isInLinks || asked === defaultIn(list, options.request)) return linkAt(link, null)
  // If only a host could have the version, it gets it, or the error says that it cannot.
  const host = list.inHost.find((member) => member.allows(asked)) ?? null
  // As each scheme alone: only a version that the caller gives must be in the URL.
  return host === null && options.version !== undefined ? null : linkAt(link, host, true)
}

/**
 * The members of a list that are asked for the link: first where the request has its version and a URL can have it,
 * then one or the other. A version that the caller gives must be in the URL.
 */
function membersFor (link: Link, list: Scheme): readonly Scheme[] {
  const { options: { request, version }, asked } = link
  const [both, read, writable]: [Scheme[], Scheme[], Scheme[]] = [[], [], []]
  for (const member of list.members) {
    if (asked !== null && !member.allows(asked)) continue
    const isRead = sentIn(member, request) !== null
    if (placeOf(member).isOpen(link, member)) (isRead ? both : writable).push(member)
    else if (isRead) read.push(member)
  }
  return version === undefined ? [...both, ...read, ...writable] : [...both, ...writable, ...read]
}

/** The link with the version in the place of a scheme, or of a member; null if it has none there. */
function linkAt (link: Link, place: Scheme | null, isLast = false): string | null {
  const { scheme, asked } = link
  const target = placeOf(place).target(link)
  if (target === undefined) return null
  const reader = scheme ?? schemeOf(target.route)
  const param = target.versionParam(reader)
  const values = valuesFor(link, target, param, place)
  const inPath = param === null ? null : values.version ?? (toText(target.toKwargs(values)[param]) || null)
  const written = reader?.versionIn(target.route.namespace.names) ?? inPath
  const isFree = scheme === null || place === null || asked === null || isLast
  if (written === null && !isFree && !placeOf(place).carries(link, place)) return null
  const meant = written ?? asked
  const path = target.fill(values, meant, scheme)
  if (path === null) return null
  const routes = link.options.query ? target.routesAt(path, values) : []
  return toUrl(link, routes, written === null ? place : null, meant, path)
}

/** Finds and remembers what `ways` has; null where a link takes more, or a class decides for each link. */
export function findWay (route: Route, scheme: Scheme, version: string, request: FastifyRequest) {
  const { isList, linkPlace, listedVersions, own } = scheme
  const isPlain = !isList && linkPlace !== 'query' && linkPlace !== 'host' && listedVersions.includes(version)
  if (!isPlain || own.has('reverse') || own.has('isAllowedVersion') || own.has('linkVersion')) return null
  const target = placeOf(scheme).target(toLink(scheme, null, { version, request }))
  const param = target?.versionParam(scheme) ?? null
  if (!target || (param === null && scheme.versionIn(target.route.namespace.names) !== version)) return null
  const way = { target, param }
  ways.set(route, (ways.get(route) ?? new Map()).set(version, way))
  return way
}

/**
 * What fills the path of a link: the values of the caller and of the current request, and the version.
 *
 * @throws FST_ERR_REVERSE_OPTION for `args` without a name: the request has all values
 */
export function valuesFor (
  { name, options, asked }: Link, target: Target, versionParam: string | null, place: Scheme | null
): Values {
  const { args = null, format = null, request, version } = options
  const named = options.kwargs ?? NO_KWARGS
  const given = format === null ? named : { ...named, format }
  const isFree = versionParam !== null && (given[versionParam] === undefined || !Object.hasOwn(given, versionParam))
  if (name !== null) {
    // Only a request has a wildcard without a value.
    const kwargs = given['*'] === '' ? { ...given, '*': null } : given
    const isPlace = isFree && place !== null && placeOf(place).fills(place, versionParam, target)
    // Without a version the path has it like any other value, but only if none is named.
    const isFilled = asked === null && given === NO_KWARGS
    return { args, kwargs, versionParam: isFilled ? null : versionParam, version: isPlace ? asked : null }
  }
  if (args?.length) throw new ReverseOptionError('params', 'an object, because there is no name', show(args))
  const params = (request?.params ?? NO_KWARGS) as ReverseKwargs
  const own = given === NO_KWARGS ? params : { ...params, ...given }
  // After a refusal, and where the path may do without it, the version stays as the client has sent it.
  const isReplaced = isFree && (version !== undefined || (
    asked !== null && (Object.hasOwn(params, versionParam) || target.requires(versionParam))
  ))
  const kwargs = isReplaced && asked === null ? { ...own, [versionParam]: null } : own
  return { args: null, kwargs, versionParam, version: isReplaced ? asked : null }
}

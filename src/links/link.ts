import { schemeOf } from '../context.ts'
import { invalidLinkOption } from '../errors.ts'
import { toText } from '../paths/template.ts'
import { homes } from '../schemes/base.ts'
import { invalid } from '../schemes/reading.ts'
import { toUrl, withOrigin } from './address.ts'
import { placeOf } from './places.ts'
import { defaultIn, registryOf } from './scope.ts'
import { contradicts, writersOf } from './writers.ts'

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
 * or else the request's. The first of the *writers* that can write it into the URL makes the link. What is *written* in
 * the path, by whomever, is the version that is *meant*: no other part of the link has another one.
 *
 * @param isExact see Link
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function baseLink (
  scheme: Scheme | null, name: string | null, options: ReverseOptions, isExact = false
): string | null {
  return firstLink(toLink(scheme, name, options, isExact), false)
}

/**
 * The link to the current route in another version. If a member of a list has read the version of the request, it
 * alone makes the link.
 */
export function linkInto (version: string, scheme: Scheme, request: FastifyRequest): string | null {
  if (scheme.own.has('reverse')) return linkBy(scheme, null, { version, request })
  return firstLink(toLink(scheme, null, { version, request }), true)
}

function firstLink (link: Link, isReaderAlone: boolean): string | null {
  for (const writer of writersOf(link, isReaderAlone)) {
    const url = linkOf(link, writer)
    if (url !== null) return url
  }
  const { scheme, name, options: { request, version }, asked } = link
  // The path of the current route may have no place for its version, or for the default one.
  const mayLack = version === undefined || (scheme !== null && asked === defaultIn(scheme, request))
  return name === null && mayLack ? linkAt(link, null) : null
}

/** @throws FST_ERR_VERSION_INVALID (500): a subclass may have made `linkVersion` asynchronous */
export function toLink (
  scheme: Scheme | null, name: string | null, options: ReverseOptions, isExact = false
): Link {
  const server = (options.request?.server ?? options.server ?? (scheme && homes.get(scheme.author))) as object
  const asked: unknown = scheme === null ? null : scheme.author.linkVersion(options)
  if (asked !== null && typeof asked !== 'string') throw invalid(scheme as Scheme, asked, 'linkVersion')
  return { scheme, server, registry: registryOf(server), name, options, asked, isExact }
}

/** The link of one of the writers, or null. A member of a list may make its links itself. */
function linkOf (link: Link, writer: Scheme | null): string | null {
  const { scheme, name, options, asked } = link
  if (writer === null || writer === scheme || !writer.own.has('reverse')) return linkAt(link, writer)
  if (asked !== null && contradicts(scheme, asked, options.request) !== null) return null
  const url = linkBy(writer, name, options)
  // A scheme of the app may return a link with its origin, or anything else.
  return url !== null && String(url).startsWith('/') ? withOrigin(link, writer, asked, url) : url
}

/** The link in which a writer has the version; null if it cannot. Without a writer the link has none. */
function linkAt (link: Link, writer: Scheme | null): string | null {
  const { scheme, asked, options } = link
  const target = placeOf(writer).target(link)
  if (target === undefined) return null
  const { param, values, written, isSame } = filled(link, target, writer)
  if (!isSame) return null
  if (writer !== null && asked !== null) {
    // Requests to a namespace that is no version are refused, whatever else they specify.
    const { names } = target.route.namespace
    if (scheme?.readsNamespaces && names.length > 0 && scheme.versionIn(names) === null) return null
    if (written === null && !placeOf(writer).carries(link, writer)) return null
  }
  const meant = written ?? asked
  if (meant !== null && contradicts(scheme, meant, options.request, param) !== null) return null
  const path = target.fill(values, meant, scheme)
  if (path === null) return null
  const routes = options.query ? target.routesAt(path, values) : []
  return toUrl(link, routes, written === null ? writer : null, meant, path)
}

/**
 * What fills the path of a link, and the version that is written there then, by a namespace or a parameter and by
 * whomever, or null. It is not the same one where both differ.
 */
export function filled (link: Link, target: Target, writer: Scheme | null) {
  const scheme = link.scheme ?? schemeOf(target.route)
  const param = target.versionParam(scheme)
  const values = valuesFor(link, target, param, writer)
  const inPath = param === null ? null : values.version ?? (toText(target.toKwargs(values)[param]) || null)
  const inNamespace = scheme?.versionIn(target.route.namespace.names) ?? null
  const isSame = inNamespace === null || inPath === null || inNamespace === inPath
  return { param, values, written: inNamespace ?? inPath, isSame }
}

/** What the current route is in another version. */
export function counterpartIn (version: string, scheme: Scheme, request: FastifyRequest): Target | undefined {
  return placeOf(scheme).target(toLink(scheme, null, { version, request }))
}

/** Finds and remembers what `ways` has; null where a link takes more, or a class decides for each link. */
export function findWay (route: Route, scheme: Scheme, version: string, request: FastifyRequest) {
  const { linkPlace, listedVersions, members, own } = scheme
  const isInPath = members.length === 1 && linkPlace !== 'query' && linkPlace !== 'host'
  if (!isInPath || !listedVersions.includes(version)) return null
  if (own.has('reverse') || own.has('isAllowedVersion') || own.has('linkVersion')) return null
  const target = counterpartIn(version, scheme, request)
  const param = target?.versionParam(scheme) ?? null
  if (!target || (param === null && scheme.versionIn(target.route.namespace.names) !== version)) return null
  const way = { target, param }
  ways.set(route, (ways.get(route) ?? new Map()).set(version, way))
  return way
}

/**
 * The values of the caller and of the current request, and the version.
 *
 * @throws FST_ERR_REVERSE_OPTION for `args` without a name: the request has all values
 */
function valuesFor (
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
  if (args?.length) throw invalidLinkOption('params', 'an object, because there is no name', args)
  const params = (request?.params ?? NO_KWARGS) as ReverseKwargs
  const own = given === NO_KWARGS ? params : { ...params, ...given }
  // After a refusal, and where the path may do without it, the version stays as the client has sent it.
  const isReplaced = isFree && (version !== undefined || (
    asked !== null && (Object.hasOwn(params, versionParam) || target.requires(versionParam))
  ))
  const kwargs = isReplaced && asked === null ? { ...own, [versionParam]: null } : own
  return { args: null, kwargs, versionParam, version: isReplaced ? asked : null }
}

import { ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { toText } from '../paths/template.ts'
import { invalid } from '../scheme-errors.ts'
import { isInHost, toUrl, versionOfHost, withOrigin } from './address.ts'
import { kwargsOf } from './link-options.ts'
import { findRegistry, namespaceOf } from './scope.ts'
import { olderQuery } from './variants.ts'

import type { FastifyRequest } from 'fastify'
import type { Registry } from './registry.ts'
import type { Scheme } from '../scheme.ts'
import type { Target } from './target.ts'
import type { ReverseArgs, ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

/** A link that is to be made. */
export interface Link {
  /** The scheme or the list that makes it, or null for a link without a version. */
  readonly scheme: Scheme | null
  readonly server: object
  readonly registry: Registry
  /** The route's name with its namespaces, or null for the route of the request. */
  readonly name: string | null
  readonly options: ReverseOptions
}

/** What fills the path of a link. */
export interface Parameters {
  readonly args: ReverseArgs
  readonly kwargs: ReverseKwargs
  /** The parameter that holds the version, or null. */
  readonly versionParam: string | null
  /** The version that stands in the path, or null. */
  readonly written: string | null
}

const NO_ARGS: ReverseArgs = Object.freeze([])
const NO_PARAMS: ReverseKwargs = Object.freeze({})

/**
 * The link of a scheme, or null if no route has the name, or none of its URLs fits.
 *
 * @param scheme null for a link without a version
 * @throws as `baseLink`, and what a scheme with its own `reverse` throws besides FST_ERR_NO_REVERSE_MATCH, as in DRF
 */
export function linkBy (scheme: Scheme | null, name: string | null, options: ReverseOptions): string | null {
  if (scheme === null || !scheme.hasOwnReverse) return baseLink(scheme, name, options)
  try {
    return scheme.source.reverse(name, options)
  } catch (error) {
    if (error instanceof Error && (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH') return null
    throw error
  }
}

/**
 * The link that `reverse` of BaseVersioning makes (SPEC.md), or null. The version that is *asked* for is the caller's, or
 * else the request's. A scheme has one *place* for it in a URL. What is *written* in the path, by whomever, is the
 * version that is *meant*: no other part of the link has another one.
 *
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function baseLink (scheme: Scheme | null, name: string | null, options: ReverseOptions): string | null {
  const server = serverOf(scheme, options)
  const registry = server === undefined ? undefined : findRegistry(server)
  if (server === undefined || registry === undefined) return null
  const link: Link = { scheme, server, registry, name, options }
  if (scheme === null) return linkAt(link, null, null)
  const asked = askedOf(scheme, options)
  if (!scheme.isList) return linkAt(link, scheme, asked)
  for (const member of inOrder(scheme, options, asked)) {
    const isOwn = member.hasOwnReverse
    const url = isOwn ? linkBy(member, name, options) : linkAt(link, member, askedOf(member, options))
    if (url === null) continue
    return isOwn ? withOrigin({ server, scheme, place: member, meant: asked, options }, url) : url
  }
  return asked === scheme.defaultOfLinks(options.request) ? linkAt(link, null, asked) : null
}

/** The app, or the context in it, whose names are looked up. */
export function serverOf (scheme: Scheme | null, { request, server }: ReverseOptions): object | undefined {
  return request?.server ?? server ?? scheme?.defaultServer
}

/** @throws FST_ERR_VERSION_INVALID (500): a subclass may have made `linkVersion` asynchronous */
export function askedOf (scheme: Scheme, options: ReverseOptions): string | null {
  const version = scheme.source.linkVersion(options)
  if (version === null || typeof version === 'string') return version
  throw invalid(scheme, version)
}

/**
 * The members of a list in the order in which they try to make a link: where the request has its version, and then each
 * that can put it into a URL. A version that the caller gives must be in the URL.
 */
function inOrder (list: Scheme, { request, version }: ReverseOptions, asked: string | null): Iterable<Scheme> {
  const isRouted = request !== null && request !== undefined && 'raw' in request
  const allowing = list.members.filter((member) => asked === null || member.allows(asked))
  const reading = isRouted ? list.naming(request as FastifyRequest).filter((member) => allowing.includes(member)) : []
  // Only a link into a version that the caller gives changes its host.
  const able = allowing.filter(({ isInLinks, linkPlace }) => (
    isInLinks && (linkPlace !== 'host' || version !== undefined || asked === null)
  ))
  const first = reading.filter((member) => able.includes(member))
  const order = new Set(version === undefined ? [...first, ...reading, ...able] : [...first, ...able, ...reading])
  // The first one says why it refuses the version.
  return order.size === 0 && version !== undefined ? list.members.slice(0, 1) : order
}

/**
 * The link with the version in one place, or null.
 *
 * @param place the scheme, or the member of a list, that has the place; null if the version needs none
 */
function linkAt (link: Link, place: Scheme | null, asked: string | null): string | null {
  const { scheme, server, registry, options } = link
  const target = targetOf(link, place, asked)
  if (target === undefined) return null
  const { args, kwargs, versionParam, written } = parametersOf(link, target, place, asked)
  if (written === null && !carries(link, place, asked)) return null
  const meant = written ?? asked
  const path = target.fill(args, kwargs, versionParam, meant)
  if (path === null) return null
  const destination = { server, scheme, place: written === null ? place : null, meant, options }
  if (!registry.routes.hasVariants || !options.query || target.route === undefined) return toUrl(destination, path)
  const version = meant ?? target.scheme?.defaultOfLinks(options.request) ?? null
  const query = olderQuery(target.route, target.paths[0].methods[0], options.query, version)
  return toUrl({ ...destination, options: { ...options, query } }, path)
}

/** What a link leads to: in a version that is a namespace, what the name or the current route is there. */
export function targetOf (
  { scheme, server, registry, name, options }: Link, place: Scheme | null, asked: string | null
): Target | undefined {
  const isInside = place?.linkPlace === 'namespace' && asked !== null
  if (name !== null) {
    return isInside ? registry.inVersion(asked, name, namespaceOf(server).names) : registry.named(name)
  }
  const { request, version } = options
  if (!request) return undefined
  const route = registry.routes.of(request)
  if (scheme === null || !scheme.readsNamespaces || version === undefined) return registry.reached(request)
  const { names } = namespaceOf(request.server)
  const own = scheme.versionIn(names)
  if (own === asked || (names.length === 0 && !isInside)) return registry.reached(request)
  return route && registry.counterpart(route, request.method ?? 'GET', namespacesIn(names, own, scheme, asked))
}

/** The namespaces of a version, instead of those of the current route. The default version may be in none. */
function namespacesIn (
  names: readonly string[], own: string | null, { defaultVersion }: Scheme, asked: string | null
): (readonly string[])[] {
  // A request was refused for its only namespace, which then is no allowed version.
  const at = names.length === 1 ? 0 : names.indexOf(own as string)
  if (names.length > 0 && at === -1) return []
  const inside = asked === null ? [] : [names.toSpliced(at, 1, asked)]
  return asked === null || asked === defaultVersion ? [...inside, names.toSpliced(at, 1)] : inside
}

/**
 * What fills the path of a link: the values of the caller, of the current request, and the version.
 *
 * @throws FST_ERR_REVERSE_OPTION for values in the order of the path if there is no name: the request has all values
 */
export function parametersOf (
  { scheme, name, options }: Link, target: Target, place: Scheme | null, asked: string | null
): Parameters {
  const args = options.args ?? NO_ARGS
  const given = kwargsOf(options)
  const reader = scheme ?? target.scheme
  const param = reader === null ? null : target.versionParam(reader)
  const versionParam = asked === null ? null : param
  if (name !== null) {
    const isInside = place?.linkPlace === 'namespace' && asked !== null
    const kwargs = namedKwargs(place, given, versionParam, asked)
    const inPath = param === null ? '' : toText(target.toKwargs(args, kwargs, versionParam)[param])
    const inNamespace = isInside ? asked : reader?.versionIn(target.namespaces) ?? null
    return { args, kwargs, versionParam, written: inNamespace ?? (inPath === '' ? null : inPath) }
  }
  if (args.length > 0) throw new ReverseOptionError('params', 'an object, because there is no name', show(args))
  const kwargs = currentKwargs(options, target, given, param, asked)
  // After a refusal the path has a version that is none.
  const isRefused = asked === null && options.version === undefined
  const inPath = param === null ? '' : toText((isRefused ? given : kwargs)[param])
  const inNamespace = reader?.versionIn(target.namespaces) ?? null
  return { args, kwargs, versionParam, written: inNamespace ?? (inPath === '' ? null : inPath) }
}

/** SPEC.md, URLPathVersioning: what the caller gives takes precedence. */
function namedKwargs (
  place: Scheme | null, given: ReverseKwargs, versionParam: string | null, asked: string | null
): ReverseKwargs {
  // Inside a namespace the path may have the version once more.
  const isPlace = place?.linkPlace === 'namespace' || place?.impliedParam === versionParam
  if (asked === null || versionParam === null || !isPlace) return given
  const isGiven = given[versionParam] !== undefined && Object.hasOwn(given, versionParam)
  return isGiven ? given : { ...given, [versionParam]: asked }
}

/** The values of a request, with the version and the values of the caller. */
function currentKwargs (
  { request, version }: ReverseOptions, target: Target, given: ReverseKwargs, versionParam: string | null,
  asked: string | null
): ReverseKwargs {
  const params = (request?.params ?? NO_PARAMS) as ReverseKwargs
  // After a refusal, and where the path may do without it, the version stays as the client has sent it.
  const isKept = versionParam === null || (version === undefined && (
    asked === null || (!Object.hasOwn(params, versionParam) && !target.requires(versionParam))
  ))
  return isKept ? { ...params, ...given } : { ...params, [versionParam]: asked, ...given }
}

/** Whether a link that has no version in its path leads into the version that is asked for. */
function carries ({ scheme, server, name, options }: Link, place: Scheme | null, asked: string | null): boolean {
  const { request, version } = options
  if (scheme === null || place === null || asked === null) return true
  const { linkPlace } = place
  if (!scheme.isList) {
    if (linkPlace !== 'path' && linkPlace !== 'namespace') return true
    return name === null && (version === undefined || asked === scheme.defaultOfLinks(request))
  }
  // The client sends its header again.
  if (linkPlace === 'nowhere') return !scheme.isInLinks || version === undefined
  if (linkPlace !== 'host') return linkPlace === 'query'
  if (version !== undefined) return isInHost(server, place, options)
  return request?.host === undefined || versionOfHost(place, options) === asked
}

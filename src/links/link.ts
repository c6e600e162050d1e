import { findContext, schemeOf } from '../context.ts'
import { ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isSet, toText } from '../paths/template.ts'
import { invalid } from '../schemes/base.ts'
import { toUrl, versionInHost, withOrigin } from './address.ts'
import { kwargsOf } from './link-options.ts'
import { namespaceOf, toLink } from './scope.ts'
import { olderQuery } from './older-query.ts'

import type { FastifyRequest } from 'fastify'
import type { Values } from '../paths/template.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Link } from './scope.ts'
import type { Target } from './target.ts'
import type { ReverseArgs, ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

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
    return scheme.reverse(name, options)
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
  const asked = askedOf(scheme, options)
  if (scheme === null || !scheme.isList) return linkAt(link, scheme, asked)
  for (const member of inOrder(scheme, options, asked)) {
    const isOwn = member.hasOwnReverse
    const url = isOwn ? linkBy(member, name, options) : linkAt(link, member, askedOf(member, options))
    if (url !== null) return isOwn ? withOrigin(link, member, asked, url) : url
  }
  return asked === scheme.defaultOfLinks(options.request) ? linkAt(link, null, asked) : null
}

/** @throws FST_ERR_VERSION_INVALID (500): a subclass may have made `linkVersion` asynchronous */
export function askedOf (scheme: Scheme | null, options: ReverseOptions): string | null {
  if (scheme === null) return null
  const version: unknown = scheme.linkVersion(options)
  if (version === null || typeof version === 'string') return version
  throw invalid(scheme, version)
}

/**
 * The members of a list in the order in which they try to make a link: first where the request has its version, then
 * where a URL can have it. A version that the caller gives must be in the URL.
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
  if (order.size > 0) return order
  // The first one says why it refuses the version that the caller gives.
  return (version === undefined ? allowing : list.members).slice(0, 1)
}

/**
 * The link with the version in one place, or null.
 *
 * @param place the scheme, or the member of a list, that has the place; null if the version needs none
 */
function linkAt (link: Link, place: Scheme | null, asked: string | null): string | null {
  const { scheme, name, options } = link
  const target = targetOf(link, place, asked)
  if (target === undefined) return null
  const reader = scheme ?? schemeOf(target.route)
  const versionParam = reader === null ? null : target.versionParam(reader)
  const values = valuesFor(link, target, versionParam, place, asked)
  const isInside = name !== null && asked !== null && place?.linkPlace === 'namespace'
  const written = isInside ? asked : writtenIn(link, target, versionParam, reader, asked, values)
  if (written === null && !carries(link, place, asked)) return null
  const meant = written ?? asked
  const path = target.fill(values, meant)
  if (path === null) return null
  const at = written === null ? place : null
  if (!options.query) return toUrl(link, at, meant, path)
  const version = meant ?? schemeOf(target.route)?.defaultOfLinks(options.request) ?? null
  const query = olderQuery(target.route, target.paths[0].methods[0], options.query, version)
  return toUrl({ ...link, options: { ...options, query } }, at, meant, path)
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
  const { names } = namespaceOf(request.server)
  const own = version === undefined || scheme === null ? asked : scheme.versionIn(names)
  const isThere = own === asked || (names.length === 0 && !isInside)
  if (isThere || scheme === null || !scheme.readsNamespaces) return registry.reached(request)
  // The request was refused for its only namespace: that is not an allowed version.
  const at = names.length === 1 ? 0 : names.indexOf(own as string)
  if (names.length > 0 && at === -1) return undefined
  const inside = asked === null ? undefined : registry.counterpart(request, names.toSpliced(at, 1, asked))
  if (inside !== undefined || (asked !== null && asked !== scheme.defaultVersion)) return inside
  return registry.counterpart(request, names.toSpliced(at, 1))
}

/**
 * What fills the path of a link: the values of the caller and of the current request, and the version.
 *
 * @throws FST_ERR_REVERSE_OPTION for values in the order of the path if there is no name: the request has all values
 */
export function valuesFor (
  { name, options }: Link, target: Target, versionParam: string | null, place: Scheme | null, asked: string | null
): Values {
  const { args, request, version } = options
  const given = kwargsOf(options)
  if (name !== null) {
    // Inside a namespace the path may have the version once more.
    const isPlace = asked !== null && versionParam !== null && (
      place?.linkPlace === 'namespace' ? target.requires(versionParam) : place?.impliedParam === versionParam
    )
    return {
      args: args ?? NO_ARGS,
      // Only a request has a wildcard without a value.
      kwargs: given['*'] === '' ? { ...given, '*': null } : given,
      versionParam: asked === null ? null : versionParam,
      version: isPlace ? asked : null
    }
  }
  if (args && args.length > 0) {
    throw new ReverseOptionError('params', 'an object, because there is no name', show(args))
  }
  const params = (request?.params ?? NO_PARAMS) as ReverseKwargs
  // After a refusal, and where the path may do without it, the version stays as the client has sent it.
  const isKept = versionParam === null || (version === undefined && (
    asked === null || (!Object.hasOwn(params, versionParam) && !target.requires(versionParam))
  ))
  const kwargs = isKept ? { ...params, ...given } : { ...params, [versionParam]: asked, ...given }
  return { args: NO_ARGS, kwargs, versionParam: null, version: null }
}

/** The version that stands in the path of a link, or null. */
function writtenIn (
  { name, options }: Link, target: Target, versionParam: string | null, reader: Scheme | null, asked: string | null,
  values: Values
): string | null {
  const inNamespace = reader === null ? null : reader.versionIn(target.route.namespace.names)
  if (inNamespace !== null || versionParam === null) return inNamespace
  // After a refusal the path has a version that is none.
  const isRefused = name === null && asked === null && options.version === undefined
  if (isRefused) return toText(kwargsOf(options)[versionParam]) || null
  const { args, kwargs, version } = values
  if (version !== null && !isSet(kwargs, versionParam)) return version
  return toText((args.length > 0 ? target.toKwargs(values) : kwargs)[versionParam]) || null
}

/** Whether a link without a version in its path leads into the asked version. */
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
  const host = version === undefined ? request : findContext(server)?.baseUrl ?? request
  const inHost = versionInHost(place, host)
  if (version !== undefined) return inHost !== undefined
  return request?.host === undefined || (inHost !== undefined && place.resolve(inHost) === asked)
}

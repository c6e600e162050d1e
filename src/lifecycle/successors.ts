import { contextOf } from '../context.ts'
import { forwardedPrefixOf } from '../http/forwarded.ts'
import { toQueryParameter } from '../http/query.ts'
import { toUriText } from '../http/uri.ts'
import { namespacesToSearch } from '../links/current.ts'
import { CheckedOptions } from '../links/link-options.ts'
import { tryLink } from '../links/reverse.ts'
import { namespaceOf, registryOf } from '../links/scope.ts'
import { variantIn } from '../links/variants.ts'
import { emptyIn, fillPlain } from '../paths/template.ts'
import { ignoreRejection } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { LinkTarget, PlainTarget } from '../links/target.ts'
import type { Route, RouteVariant } from '../routes.ts'
import type { Arrival, Served } from './served.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseKwargs } from '../../types/index.d.ts'

/** The link depends on more of the request than its parameters. */
const PER_REQUEST: unique symbol = Symbol('per request')

/** What a link from one route into one version is made of, besides the parameters of the request. */
interface Compiled {
  readonly target: LinkTarget
  /** The same for most requests, or null. */
  readonly plain: PlainTarget | null
  /** The parameter that has the version, or null if the path has none. */
  readonly param: string | null
  /** Whether the link has the path of the request. */
  readonly isSamePath: boolean
  /** The path of `baseUrl`, or null if a proxy may send the prefix of the path. */
  readonly start: string | null
  /** The query. */
  readonly end: string
}

/** Null if there is no such link. */
type CompiledLink = Compiled | typeof PER_REQUEST | null
/** By version. */
type CompiledLinks = Map<string, CompiledLink>

/** The successor and the latest version. */
type Links = readonly [string, string]

const NO_ARGS: readonly string[] = Object.freeze([])

/** By route and method. */
const compiledLinks = new WeakMap<Route, Map<string, CompiledLinks>>()

/**
 * Links from the route of a request to itself in the next version and in the latest one (RFC 5829, section 3), if they
 * have it and are not gone. There are none if the version is not in the URL.
 *
 * @param now milliseconds since the epoch
 * @returns the two link-values, or null if there are none
 */
export function successorLinks (arrival: Arrival, served: readonly Served[], now: number): Links | null {
  const { request, scheme, context: { routes } } = arrival
  const { allowedVersions, isInLinks, vary } = scheme
  // Without a list the versions of a URL have no release order.
  if ((!isInLinks && vary !== null) || !allowedVersions?.length) return null
  const at = served.findIndex(({ version }) => version === request.version)
  let next = at + 1
  if (at === -1 || next >= served.length) return null
  const route = arrival.route ?? routes.of(request)
  let successor: string | null = null
  while (next < served.length && successor === null) {
    successor = linkInto(served[next++], now, request, scheme, route)
  }
  if (successor === null) return null
  let latest: string | null = null
  for (let i = served.length - 1; i >= next && latest === null; i--) {
    latest = linkInto(served[i], now, request, scheme, route)
  }
  return [`<${successor}>; rel="successor-version"`, `<${latest ?? successor}>; rel="latest-version"`]
}

/** In ASCII; null if the version is gone or a preview, or has only the URL of the response. */
function linkInto (
  { version, goneAt, isPreview }: Served, now: number, request: FastifyRequest, scheme: Scheme, route: Route | undefined
): string | null {
  if (version === null || now >= goneAt || isPreview) return null
  const link = route && compiledInto(request, scheme, route, version)
  if (link === null) return null
  if (link !== undefined && link !== PER_REQUEST) return fillCompiled(link, request, version)
  const href = reverseInto(request, scheme, version)
  return href === null || isOwn(request, scheme, href) ? null : href
}

function compiledInto (request: FastifyRequest, scheme: Scheme, route: Route, version: string): CompiledLink {
  const { method } = request
  let byMethod = compiledLinks.get(route)
  if (byMethod === undefined) compiledLinks.set(route, byMethod = new Map())
  let compiled = byMethod.get(method)
  if (compiled === undefined) byMethod.set(method, compiled = new Map())
  let link = compiled.get(version)
  if (link === undefined) compiled.set(version, link = compile(request, scheme, route, version))
  return link
}

function fillCompiled (link: Compiled, request: FastifyRequest, version: string): string | null {
  const { target, plain, param, isSamePath, end } = link
  const start = link.start ?? forwardedPrefixOf(request)
  const params = request.params as ReverseKwargs
  const url = plain === null ? null : fillPlain(plain.template, params)
  if (url !== null && plain?.doubtful?.test(url) !== true) return start + url + end
  const kwargs = param === null ? params : { ...params, [param]: version }
  const ownPath = isSamePath ? request.url.split('?', 1)[0] : undefined
  const path = target.refill(NO_ARGS, kwargs, emptyIn(kwargs), ownPath, isSamePath)
  return path === null ? null : toUriText(start + path + end)
}

/**
 * As `reverse(null, { request, version })`, unless the scheme overrides a method that has a part in it. What the first
 * request shows holds for all requests to the route.
 */
function compile (request: FastifyRequest, scheme: Scheme, route: Route, version: string): CompiledLink {
  const { method, server } = request
  const { impliedParam, linkPlace, versionParam } = scheme
  const registry = registryOf(server)
  if (!scheme.isPlainlyLinked || convertsParams(route.variant)) return PER_REQUEST
  if (linkPlace !== 'namespace' && convertsParams(variantIn(route, method, version))) return PER_REQUEST
  const { baseUrl, trustsProxy } = contextOf(server)
  const start = baseUrl === null && trustsProxy ? null : toUriText(baseUrl?.path ?? '')
  const target = registry.at(method, route.url, route)
  if (linkPlace === 'path') {
    const isThere = target.names.includes(impliedParam as string)
    const plain = target.toPlain(impliedParam, version)
    return isThere ? { target, plain, param: impliedParam, isSamePath: false, start, end: '' } : null
  }
  if (linkPlace === 'query') {
    const end = `?${toQueryParameter(versionParam, version)}`
    return { target, plain: target.toPlain(null, ''), param: null, isSamePath: true, start, end }
  }
  const { names } = namespaceOf(server)
  // The host of a request and a version that is not its namespace are known with the request.
  if (linkPlace !== 'namespace' || (names.length > 0 && !names.includes(request.version as string))) return PER_REQUEST
  const namespaces = namespacesToSearch(scheme, scheme, { request, version }, version) as string[][]
  const other = registry.counterpart(route, method, namespaces)
  // At the URL of the response only other constraints, such as a host, lead to it.
  if (other === undefined || other.paths.some(({ path }) => path === route.url)) return null
  if (convertsParams(variantIn(other.route, method, version))) return PER_REQUEST
  return { target: other, plain: other.toPlain(null, ''), param: null, isSamePath: false, start, end: '' }
}

/** Whether parameters have other values in the version of a variant than in the version of the handler. */
function convertsParams (variant: RouteVariant | null): boolean {
  return variant !== null && (variant.upgradeSent !== null || variant.link.params !== null)
}

/** Whether a link leads to the URL of the response. After a header that may be without a version. */
function isOwn (request: FastifyRequest, scheme: Scheme, href: string): boolean {
  return href === reverseInto(request, scheme, request.version) ||
    (scheme.isList && href === reverseInto(request, scheme, undefined))
}

/** In ASCII; null if there is no such route, or none can be linked to. */
function reverseInto (request: FastifyRequest, scheme: Scheme, version: string | null | undefined): string | null {
  try {
    const url: unknown = tryLink(scheme, null, new CheckedOptions(null, { version }, request, undefined, scheme))
    if (typeof url === 'string') return toUriText(url)
    ignoreRejection(url)
  } catch {}
  return null
}

import { contextOf } from '../context.ts'
import { forwardedPrefixOf } from '../http/forwarded.ts'
import { toQueryParameter } from '../http/query.ts'
import { toUriText } from '../http/uri.ts'
import { namespacesToSearch } from '../links/current.ts'
import { CheckedOptions } from '../links/link-options.ts'
import { tryLink } from '../links/reverse.ts'
import { namespaceOf, registryOf } from '../links/scope.ts'
import { emptyIn, fillPlain } from '../paths/template.ts'
import { ignoreRejection } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { LinkTarget, PlainTarget } from '../links/target.ts'
import type { Route } from '../routes.ts'
import type { Arrival, Served, ServedVersions } from './served.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseKwargs } from '../../types/index.d.ts'

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

/** By version. Null if there is no such link, undefined if it depends on more of the request. */
type CompiledLinks = Map<string, Compiled | null | undefined>

/** The successor and the latest version. */
type Links = readonly [string, string]

const NO_ARGS: readonly string[] = Object.freeze([])

/** By route and method. */
const known = new WeakMap<Route, Map<string, CompiledLinks>>()

/**
 * Links from the route of a request to itself in the next version and in the latest one (RFC 5829, section 3), if they
 * have it and are not gone. There are none if the version is not in the URL.
 *
 * @param now milliseconds since the epoch
 * @returns the two link-values, or null if there are none
 */
export function successorLinks (arrival: Arrival, served: ServedVersions, now: number): Links | null {
  const { request, scheme, context: { routes } } = arrival
  const { allowedVersions, isInLinks, vary } = scheme
  // Without a list the versions of a URL have no release order.
  if ((!isInLinks && vary !== null) || !allowedVersions?.length) return null
  const { list } = served
  let first = served.after(request.version)
  if (first >= list.length) return null
  const route = arrival.route ?? routes.of(request)
  const compiled = route && compiledFor(route, request.method)
  let successor: string | null = null
  while (first < list.length && successor === null) {
    successor = linkInto(list[first++], now, request, scheme, route, compiled)
  }
  if (successor === null) return null
  let latest: string | null = null
  for (let i = list.length - 1; i >= first && latest === null; i--) {
    latest = linkInto(list[i], now, request, scheme, route, compiled)
  }
  return [`<${successor}>; rel="successor-version"`, `<${latest ?? successor}>; rel="latest-version"`]
}

function compiledFor (route: Route, method: string): CompiledLinks {
  let byMethod = known.get(route)
  if (byMethod === undefined) known.set(route, byMethod = new Map())
  let compiled = byMethod.get(method)
  if (compiled === undefined) byMethod.set(method, compiled = new Map())
  return compiled
}

/** In ASCII; null if the version is gone or a preview, or has only the URL of the response. */
function linkInto (
  { version, goneAt, isPreview }: Served, now: number, request: FastifyRequest, scheme: Scheme,
  route: Route | undefined, compiled: CompiledLinks | undefined
): string | null {
  if (version === null || now >= goneAt || isPreview) return null
  let link = compiled?.get(version)
  if (link === undefined && compiled?.has(version) === false) {
    link = compile(request, scheme, route as Route, version)
    compiled.set(version, link)
  }
  if (link === null) return null
  if (link === undefined) {
    const href = reverseInto(request, scheme, version)
    return href === null || isOwn(request, scheme, href) ? null : href
  }
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

/** As `reverse(null, { request, version })`, unless the scheme overrides a method that has a part in it. */
function compile (request: FastifyRequest, scheme: Scheme, route: Route, version: string): Compiled | null | undefined {
  const { method, server } = request
  const { impliedParam, linkPlace, versionParam } = scheme
  const registry = registryOf(server)
  // Parameters may have other values in other versions.
  if (!scheme.isPlainlyLinked || registry.routes.hasVariants) return undefined
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
  if (linkPlace !== 'namespace' || (names.length > 0 && !names.includes(request.version as string))) return undefined
  const namespaces = namespacesToSearch(scheme, scheme, { request, version }, version) as string[][]
  const other = registry.counterpart(route, method, namespaces)
  // At the URL of the response only other constraints, such as a host, lead to it.
  if (other === undefined || other.paths.some(({ path }) => path === route.url)) return null
  return { target: other, plain: other.toPlain(null, ''), param: null, isSamePath: false, start, end: '' }
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

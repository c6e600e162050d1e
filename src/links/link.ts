import { invalidLinkOption } from '../errors.ts'
import { toUriText } from '../http/uri.ts'
import { valueText } from '../paths/template.ts'
import { invalidReturn } from '../schemes/reading.ts'
import { targetOf, wayInto } from './find-target.ts'
import { toUrl, withOrigin } from './url.ts'
import { carries, contradicts, defaultIn, toLink, writersOf } from './version.ts'

import type { FastifyRequest } from 'fastify'
import type { Values } from '../paths/template.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'
import type { Target } from './target.ts'
import type { Link } from './version.ts'

/** The parameters of a caller that names none. */
export const NO_KWARGS: ReverseKwargs = Object.freeze({})

/**
 * Returns the link of a scheme, or null if no route has the name, or none of its URLs fits. Without a scheme, the link
 * has no version.
 *
 * @throws as `baseLink`, and what a scheme with its own `reverse` throws besides FST_ERR_NO_REVERSE_MATCH, as in DRF
 * @throws FST_ERR_VERSION_INVALID (500) where its own `reverse` returns no text, such as a promise
 */
export function linkBy (scheme: Scheme | null, name: string | null, options: ReverseOptions): string | null {
  if (scheme === null || !scheme.ownMethods.has('reverse')) return baseLink(scheme, name, options)
  try {
    const url: unknown = scheme.author.reverse(name, options)
    if (url === null || typeof url === 'string') return url
    throw invalidReturn(scheme, url, 'reverse')
  } catch (error) {
    if (error instanceof Error && (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH') return null
    throw error
  }
}

/**
 * Returns the link that `reverse` of BaseVersioning makes (SPEC.md), or null. It asks the writers in turn. If the path
 * has a version, which a namespace or a value of the caller may have written, the whole link has that version.
 *
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function baseLink (
  scheme: Scheme | null, name: string | null, options: ReverseOptions, isSpec = false
): string | null {
  const link = toLink(scheme, name, options, isSpec)
  return firstLink(link, writersOf(link)).url
}

/** Returns the link of the first writer that can make it, with this writer; null if no writer can. */
function firstLink (link: Link, writers: readonly (Scheme | null)[]): { url: string | null, writer: Scheme | null } {
  for (const writer of writers) {
    const url = linkByWriter(link, writer)
    if (url !== null) return { url, writer }
  }
  const { name, scheme, asked, options: { request, version } } = link
  // The path of the current route may have no place for its version, or for the default version.
  const mayLack = version === undefined || (scheme !== null && asked === defaultIn(scheme, request))
  return { url: name === null && mayLack ? composeLink(link, null) : null, writer: null }
}

/**
 * Returns the link from a route to its counterpart in another version, in ASCII, and the target of the link. If a
 * member of a list has read the version of the request, this member alone makes the link.
 *
 * @param base the start of every path
 */
export function linkInto (version: string, scheme: Scheme, route: Route, request: FastifyRequest, base: string) {
  const way = wayInto(version, scheme, route, request)
  if (way !== null) {
    const kwargs = request.params as ReverseKwargs
    const values = { args: null, kwargs, versionParam: way.param, version: way.param && version }
    const path = way.target.fill(values, version, scheme)
    return { href: path && base + path, target: way.target }
  }
  const link = toLink(scheme, null, { version, request })
  const { url, writer } = scheme.ownMethods.has('reverse')
    ? { url: linkBy(scheme, null, link.options), writer: scheme }
    : firstLink(link, writersOf(link, true))
  // A scheme of the app may make the same link for each version.
  const isSame = scheme.members.some(({ ownMethods }) => ownMethods.has('reverse')) &&
    url === linkBy(scheme, null, { version: request.version, request })
  return { href: url === null || isSame ? null : toUriText(url), target: targetOf(link, writer) }
}

/** Returns the link of a writer, or null. A member of a list may have a `reverse` of its own. */
function linkByWriter (link: Link, writer: Scheme | null): string | null {
  const { scheme, name, options, asked } = link
  if (writer === null || writer === scheme || !writer.ownMethods.has('reverse')) return composeLink(link, writer)
  if (asked !== null && contradicts(scheme, asked, options.request) !== null) return null
  const url = linkBy(writer, name, options)
  // A scheme of the app may return a link with its origin.
  return url?.startsWith('/') ? withOrigin(link, writer, asked, url) : url
}

/** Composes a link with the version where a writer has it; null if it cannot be there. Without a writer it has none. */
function composeLink (link: Link, writer: Scheme | null): string | null {
  const { scheme, asked, options } = link
  const target = targetOf(link, writer)
  if (target === undefined) return null
  const { param, values, inPath, written, isConsistent } = fillingOf(link, target, writer)
  if (!isConsistent) return null
  if (writer !== null && asked !== null) {
    // Requests to a namespace that is no version are refused, whatever else they specify.
    const { names } = target.route.namespace
    if (scheme?.readsNamespaces && names.length > 0 && scheme.versionIn(names) === null) return null
    if (written === null && !carries(link, writer)) return null
  }
  const meant = written ?? asked
  const paramThere = inPath === null ? null : param
  if (meant !== null && contradicts(scheme, meant, options.request, paramThere) !== null) return null
  const path = target.fill(values, meant, scheme)
  if (path === null) return null
  const routes = options.query ? target.routesAt(path, values) : []
  return toUrl(link, routes, written === null ? writer : null, meant, path)
}

/**
 * Returns the values that fill the path of a link, and the version that the path has then: `inPath` in its parameter,
 * `written` in its namespace or else in its parameter; null for none. `isConsistent` is false if the two are different.
 */
export function fillingOf (link: Link, target: Target, writer: Scheme | null) {
  const { asked, name, options: { args = null, format = null, kwargs } } = link
  const scheme = link.scheme ?? target.route.scheme
  const param = target.versionParam(scheme)
  const callers = format === null ? kwargs ?? NO_KWARGS : { ...kwargs, format }
  const isOpen = param !== null && (callers[param] === undefined || !Object.hasOwn(callers, param))
  const isWritten = isOpen && writes(link, target, param, writer)
  // If the link has no version and the caller names no parameters, `args` may fill the parameter of the version, too.
  const isOrdinary = name !== null && asked === null && callers === NO_KWARGS
  const values: Values = {
    args,
    kwargs: name === null ? currentKwargs(link, callers, isWritten ? param : null) : callersKwargs(callers),
    versionParam: isOrdinary ? null : param,
    version: isWritten ? asked : null
  }
  const inPath = param === null ? null : values.version ?? (valueText(target.toKwargs(values)[param]) || null)
  const inNamespace = scheme?.versionIn(target.route.namespace.names) ?? null
  const isConsistent = inNamespace === null || inPath === null || inNamespace === inPath
  return { param, values, inPath, written: inNamespace ?? inPath, isConsistent }
}

/** Tells whether the parameter of the version, for which the caller gives no value, gets the version of the link. */
function writes (
  { asked, name, options: { request, version } }: Link, target: Target, param: string, writer: Scheme | null
): boolean {
  // A namespace in front of the name has the version. The path of that route may need the version once more.
  if (name !== null) return writer?.linkPlace === 'namespace' ? target.requires(param) : writer?.param === param
  // After a refusal, and where the parameter is optional, the version stays as the client has sent it.
  const isThere = Object.hasOwn(Object(request?.params), param) || target.requires(param)
  return isThere ? asked !== null || version !== undefined : version !== undefined && writer?.param === param
}

/** Returns the parameters of a caller. An empty text of a caller fills no wildcard, only that of a request does. */
function callersKwargs (callers: ReverseKwargs): ReverseKwargs {
  return callers['*'] === '' ? { ...callers, '*': null } : callers
}

/**
 * Returns the parameters of the request, with those of the caller over them.
 *
 * @param written the parameter of the version, if the link writes it, or null
 * @throws FST_ERR_REVERSE_OPTION for `args` without a name: the request has all values
 */
function currentKwargs (
  { asked, options: { args, request } }: Link, callers: ReverseKwargs, written: string | null
): ReverseKwargs {
  if (args?.length) throw invalidLinkOption('params', 'an object, because there is no name', args)
  const params = (request?.params ?? NO_KWARGS) as ReverseKwargs
  const merged = callers === NO_KWARGS ? params : { ...params, ...callers }
  return written !== null && asked === null ? { ...merged, [written]: null } : merged
}

import { contextOf, schemeOf } from '../context.ts'
import { setQueryParameter } from '../http/query.ts'
import { emptyIn, toText } from '../paths/template.ts'
import { invalid } from '../scheme-errors.ts'
import { withAddress, withVersion, withVersionOfList } from './address.ts'
import { CheckedOptions, NO_ARGS, NO_KWARGS, kList, kwargsOf, optionsWith, serverOf } from './link-options.ts'
import {
  noCounterpart, noCurrentPath, noCurrentRoute, noNamedPath, noRegistry, noSharedVersion, noValidParams,
  noVersion
} from './no-match.ts'
import { namespaceOf, registryOf } from './scope.ts'
import { handledParams, olderParams, olderQuery, sentParams, variantIn } from './variants.ts'

import type { FastifyRequest } from 'fastify'
import type { LinkTarget } from './target.ts'
import type { Registry } from './registry.ts'
import type { Route, RouteVariant } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

const NO_REQUEST: Partial<ReversingRequest> = Object.freeze({})
/** The codes of errors of one member of a list that leave the link to the other members. */
const OF_LINKS: readonly unknown[] = ['FST_ERR_NO_REVERSE_MATCH', 'FST_ERR_REVERSE_HOST', 'FST_ERR_REVERSE_OPTION']

/**
 * Makes a link as `reply.reverse` and `app.reverse` do: by a scheme, or by the plain name if the scheme has no such
 * route, because the route may be without versions or have another scheme.
 *
 * @param scheme null for a link without a version
 * @param viewName the route's name with its namespaces, or null for the route of `options.request` and its parameters
 * @throws as `linkBy`, and what a scheme's own `reverse` throws
 */
export function makeLink (scheme: Scheme | null, viewName: string | null, options: CheckedOptions): string {
  if (scheme !== null && scheme.hasOwnReverse) return linkByOwnReverse(scheme, viewName, options)
  const link = linkOf(scheme, viewName, options)
  if (typeof link !== 'string') return linkByPlainName(scheme, viewName, options, link)
  return scheme !== null && viewName !== null ? linkThere(scheme, viewName, options) ?? link : link
}

/**
 * The link by the scheme of the route that has the name. It is needed if the scheme of the request writes the version
 * where that route does not read it.
 *
 * @returns null if it is not needed, or if the other scheme does not allow the version
 */
function linkThere (scheme: Scheme, viewName: string, options: CheckedOptions): string | null {
  const target = (registryOf(serverOf(scheme, options) as object) as Registry).named(viewName)
  const other = target === undefined ? null : schemeOf(target.route)
  if (other === null || other === scheme || !isElsewhere(scheme) || !hasPlace(other)) return null
  const version = options.version === undefined ? options.request?.version ?? null : options.version
  const meant = version === null ? null : other.resolved(version)
  return meant !== null && other.allows(meant) ? linkByOther(other, viewName, options) : null
}

function hasPlace ({ members }: Scheme): boolean {
  return members.some(({ linkPlace }) => linkPlace !== 'nowhere')
}

function linkByOwnReverse (scheme: Scheme, viewName: string | null, options: CheckedOptions): string {
  try {
    return scheme.source.reverse(viewName, options)
  } catch (error) {
    return linkByPlainName(scheme, viewName, options, error)
  }
}

/**
 * Makes a link by what a scheme says: looks up the names in order, checks that the route found answers the URL, and
 * throws once if there is no such link.
 *
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has the name, or none of its URLs fits the parameters and the version
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function linkBy (scheme: Scheme, viewName: string | null, options: ReverseOptions): string {
  const link = linkOf(scheme, viewName, options, (options as { [kList]?: Scheme })[kList])
  if (typeof link === 'string') return link
  throw link
}

/**
 * The link to the route that has the plain name, which may be one that the scheme does not know: it has no versions, or
 * its own scheme makes the link.
 *
 * @param failure of the scheme: it says more than the failure of the plain name, unless the name is not known to it
 */
function linkByPlainName (
  scheme: Scheme | null, viewName: string | null, options: CheckedOptions, failure: unknown
): string {
  const server = serverOf(scheme, options) as object
  const registry = registryOf(server)
  if (viewName === null || registry === undefined || !isNoReverseMatch(failure)) throw failure
  registry.update()
  const target = registry.named(viewName)
  const other = target === undefined ? null : schemeOf(target.route)
  if (other !== null && other !== scheme) {
    if (target !== undefined && isLost(scheme, target, options)) throw failure
    const url = linkByOther(other, viewName, options)
    if (url !== null) return url
  }
  // A list has tried the plain name: its link would be in another version.
  const isTried = other !== null && other === scheme && other.isList
  const path = isTried ? null : target?.fill(options.args ?? NO_ARGS, kwargsOf(options), null, null) ?? null
  if (path !== null) return withAddress(server, path, options)
  throw failure.isNameUnknown === true ? noNamedPath(registry, target, viewName, options, null, null) : failure
}

/**
 * The link of another scheme in the version that the caller gives, or else in the version of the request if that scheme
 * allows it; null if there is none.
 */
function linkByOther (scheme: Scheme, viewName: string, options: CheckedOptions): string | null {
  const link = tryLink(scheme, viewName, optionsFor(scheme, options))
  if (!(link instanceof Error)) return link
  if (isNoReverseMatch(link)) return null
  throw link
}

/** The options of a link by another scheme, in which the version of the request is resolved by that scheme. */
function optionsFor (scheme: Scheme, options: CheckedOptions): CheckedOptions {
  if (options.version !== undefined) return options
  const version = options.request?.version ?? null
  const meant = version === null ? null : scheme.resolved(version)
  if (!scheme.allows(meant)) return optionsWith(options, { version: null })
  return meant === version ? options : optionsWith(options, { version: meant })
}

/** Whether a link leads to routes of another scheme that can only refuse it. */
function isLost (from: Scheme | null, target: LinkTarget, options: ReverseOptions): boolean {
  if (from === null || options.version === null) return false
  const other = schemeOf(target.route)
  return other !== from && other !== null && isRequired(from, other, target, options) && !isShared(from, other)
}

/** Whether a link into a version of one scheme needs a version that another scheme allows. */
function isRequired (from: Scheme, scheme: Scheme, { names }: LinkTarget, options: ReverseOptions): boolean {
  const params = scheme.inPath.map(({ impliedParam }) => impliedParam as string).filter((name) => names.includes(name))
  // The parameter of the path gets the version that the other scheme allows, unless the caller writes it.
  if (from.inPath.some(({ impliedParam }) => params.includes(impliedParam as string))) {
    return versionInParams(scheme, kwargsOf(options)) === null
  }
  return isElsewhere(scheme) && scheme.clientDefault === null && !scheme.allows(scheme.defaultVersion)
}

/** Whether links have the version in the query or nowhere. */
function isElsewhere ({ members }: Scheme): boolean {
  return members.every(({ linkPlace }) => linkPlace === 'query' || linkPlace === 'nowhere')
}

/** Whether there is a version that clients may specify to both schemes. */
function isShared (a: Scheme, b: Scheme): boolean {
  const listed = [a, b].flatMap(({ allowedVersions, defaultVersion }) => [...allowedVersions ?? [], defaultVersion])
  return !a.allowedVersions?.length || listed.some((version) => (
    version !== null && [a, b].every((scheme) => {
      const meant = scheme.resolved(version)
      return meant !== null && scheme.allows(meant)
    })
  ))
}

interface NoReverseMatch { readonly code: 'FST_ERR_NO_REVERSE_MATCH', readonly isNameUnknown?: boolean }

/** A custom scheme may have its own error for it. */
function isNoReverseMatch (error: unknown): error is NoReverseMatch {
  return error instanceof Error && (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH'
}

/**
 * A link, or the error that says why there is none.
 *
 * @param list the list that the scheme is a member of; without a scheme the link is in the default version of the list
 */
function linkOf (
  scheme: Scheme | null, viewName: string | null, options: ReverseOptions, list?: Scheme
): string | Error {
  const server = serverOf(scheme, options)
  const registry = server === undefined ? undefined : registryOf(server)
  if (registry === undefined) return noRegistry(viewName, options)
  if (scheme?.isList === true) return linkOfList(scheme, viewName, options)
  if (viewName === null) return currentLink(registry, server as object, scheme, list, options)
  if (list !== undefined) return namedInList(registry, server as object, scheme, list, viewName, options)
  return namedLink(registry, server as object, scheme, viewName, options)
}

function namedLink (
  registry: Registry, server: object, scheme: Scheme | null, viewName: string, options: ReverseOptions
): string | Error {
  const version = scheme === null ? null : versionOf(scheme, options)
  const isInside = version !== null && (scheme as Scheme).linkPlace === 'namespace'
  const target = isInside
    ? targetIn(registry, server, scheme as Scheme, version, viewName, options)
    : registry.named(viewName)
  const implied = version === null ? null : (scheme as Scheme).impliedParam
  if (target !== undefined) {
    if (isLost(scheme, target, options)) return noSharedVersion(scheme as Scheme, target, viewName, options)
    const own = registry.routes.hasVariants ? inOlderWords(target, options, version, implied) : options
    const kwargs = kwargsOf(own)
    const path = target.fill(own.args ?? NO_ARGS, kwargs, implied, writtenVersion(scheme, kwargs) ?? version)
    if (path !== null) return withVersion(server, scheme, path, own, version)
  }
  return noNamedPath(registry, target, isInside ? `${version}:${viewName}` : viewName, options, implied, version)
}

/** The target of a name in a version that is a namespace: with the version in front of it, or without it. */
function targetIn (
  registry: Registry, server: object, scheme: Scheme, version: string, name: string, options: ReverseOptions
): LinkTarget | undefined {
  const target = registry.inNamespace(version, name)
  // SPEC.md has no short names: they are for `reply.reverse` and `app.reverse`, after every other name.
  const isSpecified = !(options instanceof CheckedOptions) || registry.named(name) !== undefined
  if (target !== undefined || isSpecified) return target
  const short = registry.inVersion(version, name, namespaceOf(server).names)
  // The first allowed namespace is the version.
  return short !== undefined && scheme.versionIn(short.route.namespace.names) === version ? short : undefined
}

/**
 * Lets the members of a list try one after the other. A link without a version comes last, and only if the default
 * version is meant.
 */
function linkOfList (list: Scheme, viewName: string | null, options: ReverseOptions): string | Error {
  const { request, version } = options
  let failure: Error | undefined
  for (const scheme of linkOrder(list, options)) {
    const link = tryLink(scheme, viewName, options, list)
    if (!(link instanceof Error)) return link
    if (failure === undefined || (isNameUnknown(failure) && !isNameUnknown(link))) failure = link
  }
  const isDefault = (version === undefined ? request?.version : version) === list.defaultOfLinks(request)
  const bare = isDefault ? linkOf(null, viewName, options, list) : failure
  return typeof bare === 'string' ? bare : failure as Error
}

/**
 * The link of a scheme, or the error that says why it cannot make the link. Another scheme may be able to.
 *
 * @throws what a scheme's own `reverse` throws besides
 */
export function tryLink (
  scheme: Scheme, viewName: string | null, options: ReverseOptions, list?: Scheme
): string | Error {
  try {
    if (!scheme.hasOwnReverse) return linkOf(scheme, viewName, options, list)
    return scheme.source.reverse(viewName, list === undefined ? options : optionsWith(options, { [kList]: list }))
  } catch (error) {
    if (error instanceof Error && OF_LINKS.includes((error as { code?: unknown }).code)) return error
    throw error
  }
}

/**
 * The members of a list in the order in which they try to make a link. It has the version in the same place as the
 * request. If the route has no such place, or the request has no version, the first member makes the link that can put
 * the version into it. A version that the caller gives, or null, wins over the place in the request.
 */
function linkOrder (list: Scheme, { request, version }: ReverseOptions): readonly Scheme[] {
  const carried = version === undefined ? request?.version ?? null : version
  const isRouted = request !== null && request !== undefined && 'raw' in request
  const naming = isRouted ? list.naming(request as FastifyRequest) : []
  // Only a link into a version that the caller gives has a host.
  const able = list.members.filter((member) => member.isInLinks && (carried === null || (
    member.allows(carried) && (member.linkPlace !== 'host' || version !== undefined)
  )))
  const order = naming.filter((member) => able.includes(member))
  for (const member of version === undefined ? [...naming, ...able] : [...able, ...naming]) {
    if (!order.includes(member)) order.push(member)
  }
  return order.length === 0 ? list.members.slice(0, 1) : order
}

function isNameUnknown (error: Error): boolean {
  return (error as { isNameUnknown?: unknown }).isNameUnknown === true
}

function namedInList (
  registry: Registry, server: object, scheme: Scheme | null, list: Scheme, viewName: string,
  asGiven: ReverseOptions
): string | Error {
  let options = asGiven
  const linkPlace = scheme?.linkPlace ?? 'nowhere'
  const asked = scheme === null ? list.defaultOfLinks(options.request) : versionOf(scheme, options)
  const isInside = linkPlace === 'namespace' && asked !== null
  const target = isInside
    ? targetIn(registry, server, scheme as Scheme, asked, viewName, options)
    : registry.named(viewName)
  const name = isInside ? `${asked}:${viewName}` : viewName
  if (target === undefined) return noNamedPath(registry, target, name, options, null, null)
  // A version that the caller writes into the name or the path is the version of the link.
  const written = list.versionIn(target.route.namespace.names) ?? versionInParams(list, kwargsOf(options))
  const version = written ?? asked
  if (registry.routes.hasVariants) {
    options = inOlderWords(target, options, version, list.impliedParam)
  }
  const kwargs = kwargsOf(options)
  const args = options.args ?? NO_ARGS
  const own = scheme?.impliedParam ?? null
  const implied = version === null ? null : own ?? (isInside ? list.impliedParam : null)
  const bare = own !== null && version !== null ? null : target.fill(args, kwargs, null, version)
  const path = bare ?? (implied === null ? null : target.fill(args, kwargs, implied, version))
  if (path === null) return noNamedPath(registry, target, name, options, implied, version)
  // The places of the list are not read on other routes.
  if (isLost(list, target, options)) return noSharedVersion(list, target, viewName, options)
  if (schemeOf(target.route) !== list) return withVersion(server, scheme, path, options, asked)
  return checked(server, scheme, list, options, path, version, written !== null || bare === null, viewName)
}

/**
 * The options of a link, converted from the version of the handler to the version that the link leads to.
 *
 * @param version null for the default version of the scheme of the route
 * @param implied the parameter that has the version, which values in the order of the path leave out, or null
 */
function inOlderWords (
  target: LinkTarget, options: ReverseOptions, version: string | null, implied: string | null
): ReverseOptions {
  const scheme = schemeOf(target.route)
  const { args, kwargs } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options), implied)
  // A version that the caller writes into the name or the path is the version of the link.
  const written = scheme?.versionIn(target.route.namespace.names) ?? (scheme && versionInParams(scheme, kwargs))
  const meant = written ?? version ?? scheme?.defaultOfLinks(options.request)
  const variant = variantIn(target.route, target.paths[0].methods[0], meant)
  if (variant === null) return options
  const { query } = options
  return optionsWith(options, {
    args, kwargs: olderParams(variant, kwargs), format: undefined, ...query && { query: olderQuery(variant, query) }
  })
}

/** The link to the route of the request, or to its counterpart in the namespace of another version. */
function currentLink (
  registry: Registry, server: object, scheme: Scheme | null, list: Scheme | undefined, asGiven: ReverseOptions
): string | Error {
  let options = asGiven
  const asked = scheme === null ? list?.defaultOfLinks(options.request) ?? null : versionOf(scheme, options)
  const request = options.request ?? NO_REQUEST
  const { method = 'GET', routeOptions } = request
  const route = registry.routes.of(request as ReversingRequest)
  // An onRoute hook of the app may have moved the route, which Fastify does not say here.
  const url = route?.url ?? routeOptions?.url
  if (url === undefined) return noCurrentRoute(options)
  const namespaces = namespacesToSearch(scheme, list, options, asked)
  let target: LinkTarget | undefined
  let isInPath = false
  if (namespaces === null) {
    target = registry.at(method, url, route ?? null)
    isInPath = list !== undefined && list.versionIn(namespaceOf(server).names) !== null
  } else {
    const found = route && namespaces.find((one) => registry.counterpart(route, method, one) !== undefined)
    target = found && registry.counterpart(route, method, found)
    isInPath = found !== undefined && found.length > 0
  }
  if (target === undefined) return noCounterpart(options, route?.name ?? url, namespaces as string[][])

  const { args, kwargs: given } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options))
  let params = (request.params ?? NO_KWARGS) as ReverseKwargs
  let variant: RouteVariant | null = null
  if (route !== undefined && registry.routes.hasVariants) {
    const version = asked ?? (list ?? scheme)?.defaultOfLinks(options.request)
    variant = variantIn(namespaces === null ? route : target.route, method, version)
    // The client's own parameters are in its version already.
    const isKept = variant === route.variant && given === NO_KWARGS && args.length === 0
    const handled = isKept ? sentParams(params) : handledParams(route, request, params)
    if (handled === null) return noValidParams(options)
    params = handled
    if (options.query) options = optionsWith(options, { query: olderQuery(variant, options.query) })
    if (isKept) variant = null
  }
  const name = paramIn(target, scheme, list)
  const isImplied = name !== null && needsVersion(target, options, params, name, asked)
  const current = isImplied ? { ...params, [name]: asked } : params
  const kwargs = olderParams(variant, given === NO_KWARGS ? current : { ...current, ...given })
  const empty = emptyIn(kwargs, given)
  const isSame = kwargs === params && args.length === 0
  const path = target.refill(args, kwargs, empty, namespaces === null ? pathOf(request) : undefined, isSame)
  if (path === null) return noCurrentPath(target, options, args, kwargs, empty, name)
  if (list === undefined) {
    const link = withVersion(server, scheme, path, options, asked)
    return scheme === null && route ? withQueryOfRequest(registry, route, method, link, options) : link
  }
  const written = name === null ? '' : toText(kwargs[name])
  const version = asked !== null && written !== '' ? written : asked
  return checked(server, scheme, list, options, path, version, isInPath || written !== '', null)
}

/**
 * Where to look for the current route in the version of a link: in its namespaces with the version instead of its own;
 * if the request has none, because it was refused, instead of each; and inside the version. Routes outside of all
 * namespaces have the default version.
 *
 * @returns lists of names, or null if the current route stays where it is
 */
export function namespacesToSearch (
  scheme: Scheme | null, list: Scheme | undefined, { request, version: given }: ReverseOptions,
  version: string | null
): string[][] | null {
  const isByNamespace = scheme?.linkPlace === 'namespace'
  if (!request || (list === undefined ? !isByNamespace : given === undefined)) return null
  const { names } = namespaceOf(request.server)
  if (list !== undefined && (names.length === 0 ? !isByNamespace || version === null : list.inNamespace.length === 0)) {
    return null
  }
  // A request by a header may be in the version already, but its route in no namespace.
  if (version === request.version && (list === undefined || names.length > 0)) return null
  const other = version === null ? [] : [version]
  const at = names.findIndex((name) => name === request.version)
  const places = at === -1 ? [...names.keys()] : [at]
  const namespaces = places.map((place) => names.toSpliced(place, 1, ...other))
  if (places.length !== 1) namespaces.push([...other, ...names])
  const isDefault = version !== null && version === (list ?? scheme as Scheme).defaultVersion
  if (isDefault && names.length < 2) namespaces.push([])
  return namespaces
}

/** A route without versions may share its URL with routes that have some: its link keeps the version in the query. */
function withQueryOfRequest (
  registry: Registry, route: Route, method: string, link: string, { request, version }: ReverseOptions
): string {
  const { query } = request as { readonly query?: Readonly<Record<string, unknown>> | null }
  if (version !== undefined || !query || !contextOf(route.server).uses.choice) return link
  let url = link
  for (const scheme of registry.schemesNextTo(route, method)) {
    for (const { versionParam } of scheme.inQuery) {
      const named: unknown = [query[versionParam]].flat().at(-1)
      if (typeof named === 'string') url = setQueryParameter(url, versionParam, named)
    }
  }
  return url
}

/** The version that the caller gives as a parameter of the path, or null. */
function versionInParams ({ inPath }: Scheme, kwargs: ReverseKwargs): string | null {
  for (const { impliedParam } of inPath) {
    const text = toText(kwargs[impliedParam as string])
    if (text !== '') return text
  }
  return null
}

/** The version that the caller gives as the parameter of a scheme, or null. */
function writtenVersion (scheme: Scheme | null, kwargs: ReverseKwargs): string | null {
  const impliedParam = scheme?.impliedParam ?? null
  return impliedParam === null ? null : toText(kwargs[impliedParam]) || null
}

/** The parameter of a path that holds the version, or null if it has none. */
function paramIn ({ names }: LinkTarget, scheme: Scheme | null, list: Scheme | undefined): string | null {
  const param = list === undefined
    ? scheme?.impliedParam
    : list.inPath.find(({ impliedParam }) => names.includes(impliedParam as string))?.impliedParam
  return param && names.includes(param) ? param : null
}

/**
 * Whether the version replaces the parameter of the request: if the caller gives a version, or if a schema has dropped
 * or changed the parameter. After a refusal, and if the parameter may be absent, it stays as it is.
 */
function needsVersion (
  target: LinkTarget, options: ReverseOptions, params: ReverseKwargs, name: string, version: string | null
): boolean {
  if (options.version !== undefined) return true
  if (version === null || params[name] === version) return false
  return Object.hasOwn(params, name) || !target.takes(params)
}

/** The path of a request as the client has sent it. */
function pathOf ({ url = '' }: Partial<ReversingRequest>): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Values in the order of the path, by the names that no other value has; those beyond stay as they are. */
function nameArgs (
  target: LinkTarget, args: ReverseArgs, kwargs: ReverseKwargs, implied: string | null = null
): { args: ReverseArgs, kwargs: ReverseKwargs } {
  if (args.length === 0) return { args, kwargs }
  const names = target.names.filter((name) => name !== implied && !Object.hasOwn(kwargs, name))
  const open = names.slice(0, args.length)
  return {
    args: args.slice(open.length),
    kwargs: { ...Object.fromEntries(open.map((name, i) => [name, args[i]])), ...kwargs }
  }
}

/**
 * The link of a member of a list, or null if following it would give another version than the one that is meant.
 *
 * @param scheme null if the default version is meant, which need not be in any place
 */
function checked (
  server: object, scheme: Scheme | null, list: Scheme, options: ReverseOptions, path: string,
  version: string | null, isInPath: boolean, viewName: string | null
): string | Error {
  const url = withVersionOfList(server, scheme, list, path, options, version, isInPath)
  if (version === null || isInPath || scheme === null || !list.isInLinks) return url
  const { linkPlace, hasOwnReverse } = scheme
  // The client repeats its header, or a scheme's own `reverse` completes the link.
  const isElsewhere = linkPlace === 'nowhere' && (options.version === undefined || hasOwnReverse)
  if (isElsewhere || linkPlace === 'query') return url
  const host = url.startsWith('/') ? options.request?.host : url.split('/', 3)[2]
  const isInHost = host === undefined
    ? linkPlace === 'host'
    : list.inHost.some((one) => one.source.versionInHost(host) !== undefined)
  return isInHost ? url : noVersion(viewName, options, version)
}

/** The version that a link carries. A subclass may have made `linkVersion` asynchronous. */
function versionOf (scheme: Scheme, options: ReverseOptions): string | null {
  const version = scheme.source.linkVersion(options)
  if (version === null || typeof version === 'string') return version
  throw invalid(scheme, version)
}

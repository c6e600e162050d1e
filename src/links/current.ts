import { setQueryParameter } from '../http/query.ts'
import { emptyIn, toText } from '../paths/template.ts'
import { groupOf } from '../routes.ts'
import { leadsToVersion, withVersion } from './address.ts'
import { NO_ARGS, NO_KWARGS, kwargsOf, optionsWith } from './link-options.ts'
import { noCounterpart, noCurrentPath, noCurrentRoute, noVersion } from './no-match.ts'
import { namespaceOf } from './scope.ts'
import { nameArgs, olderQuery } from './older-query.ts'
import { versionInParams, versionOf } from './version.ts'

import type { LinkTarget } from './target.ts'
import type { Registry } from './registry.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

const NO_REQUEST: Partial<ReversingRequest> = Object.freeze({})

/**
 * The link to the route of the request, or to its counterpart in the namespace of another version; or the error that
 * says why there is none.
 *
 * @param scheme the scheme that puts the version into the link, or null if no place of the link has a version
 * @param list the list that the scheme is a member of, or else the scheme itself
 */
export function currentLink (
  registry: Registry, server: object, scheme: Scheme | null, list: Scheme | null, given: ReverseOptions
): string | Error {
  let options = given
  const asked = versionOf(scheme, list, options)
  const request = options.request ?? NO_REQUEST
  const { method = 'GET', routeOptions } = request
  const route = registry.routes.of(request as ReversingRequest)
  // An onRoute hook of the app may have moved the route, which Fastify does not say here.
  const url = route?.url ?? routeOptions?.url
  if (url === undefined) return noCurrentRoute(options)

  // The target: the route itself, or its counterpart in another namespace.
  const namespaces = namespacesToSearch(scheme, list, options, asked)
  let target: LinkTarget
  let isInPath = false
  if (namespaces === null) {
    target = registry.at(method, url, route ?? null)
    isInPath = list !== null && list.inNamespace.length > 0 && list.versionIn(namespaceOf(server).names) !== null
  } else {
    const counterpart = route && registry.counterpart(route, method, namespaces)
    if (counterpart === undefined) return noCounterpart(options, route?.name ?? url, namespaces)
    target = counterpart
    isInPath = target.route.namespace.names.length > 0
  }

  // The parameters of the request and of the caller, and the query as the version has it.
  const { args, kwargs: own } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options))
  const params = (request.params ?? NO_KWARGS) as ReverseKwargs
  if (route !== undefined && options.query) {
    const version = (list && versionInParams(list, own)) ?? asked ?? list?.defaultOfLinks(options.request) ?? null
    const query = olderQuery(namespaces === null ? route : target.route, method, options.query, version)
    options = optionsWith(options, { query })
  }
  const name = paramIn(target, list)
  const isImplied = name !== null && needsVersion(target, options, params, name, asked)
  const current = isImplied ? { ...params, [name]: asked } : params
  const kwargs = own === NO_KWARGS ? current : { ...current, ...own }

  // The path.
  const empty = emptyIn(kwargs, own)
  const isSame = kwargs === params && args.length === 0
  const path = target.refill(args, kwargs, empty, namespaces === null ? pathOf(request) : undefined, isSame)
  if (path === null) return noCurrentPath(target, options, args, kwargs, empty, name)

  // The address and the query.
  const written = name === null ? '' : toText(kwargs[name])
  const version = asked !== null && written !== '' ? written : asked
  const isThere = isInPath || written !== ''
  const link = withVersion(server, scheme, list, path, options, version, isThere)
  if (list === null && route !== undefined) return withQueryOfRequest(route, method, link, options)
  return isThere || leadsToVersion(scheme, list, link, options, version) ? link : noVersion(null, options, version)
}

/**
 * Where to look for the current route in the version of a link: in its namespaces, with the version instead of its own,
 * and inside the version. A refused request has no version, so that each namespace is replaced in turn. Routes outside
 * of all namespaces have the default version.
 *
 * @param scheme as in `currentLink`
 * @param list as in `currentLink`
 * @returns lists of names, or null if the current route stays where it is
 */
export function namespacesToSearch (
  scheme: Scheme | null, list: Scheme | null, { request, version: given }: ReverseOptions, version: string | null
): string[][] | null {
  if (!request || list === null || list.inNamespace.length === 0) return null
  const { names } = namespaceOf(request.server)
  const isByNamespace = scheme !== null && scheme.linkPlace === 'namespace'
  if (names.length === 0 && (!isByNamespace || version === null)) return null
  // A request by a header may be in the version already, but its route in no namespace.
  const isIn = version === request.version && (list === scheme || names.length > 0)
  if (isIn || (list.isList && given === undefined)) return null
  const other = version === null ? [] : [version]
  const at = names.findIndex((name) => name === request.version)
  const places = at === -1 ? [...names.keys()] : [at]
  const namespaces = places.map((place) => names.toSpliced(place, 1, ...other))
  if (places.length !== 1) namespaces.push([...other, ...names])
  if (version !== null && version === list.defaultVersion && names.length < 2) namespaces.push([])
  return namespaces
}

/** A route without versions may share its URL with routes that have some: its link keeps the version in the query. */
function withQueryOfRequest (
  route: Route, method: string, link: string, { request, version }: ReverseOptions
): string {
  const { query } = request as { readonly query?: Readonly<Record<string, unknown>> | null }
  const group = groupOf(route, method)
  if (version !== undefined || !query || group === undefined) return link
  let url = link
  for (const { versionParam } of group.slot.scheme.inQuery) {
    const named: unknown = [query[versionParam]].flat().at(-1)
    if (typeof named === 'string') url = setQueryParameter(url, versionParam, named)
  }
  return url
}

/** The parameter of a path that holds the version, or null if it has none. */
function paramIn ({ names }: LinkTarget, list: Scheme | null): string | null {
  if (list === null) return null
  const { inPath } = list
  for (let i = 0; i < inPath.length; i++) {
    if (names.includes(inPath[i].impliedParam as string)) return inPath[i].impliedParam
  }
  return null
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

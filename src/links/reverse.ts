import { contextOf } from '../context.ts'
import { NoReverseMatchError, ReverseOptionError, show } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { toQuery } from '../http/query.ts'
import { CheckedOptions } from './link-options.ts'
import { emptyIn } from '../paths/template.ts'
import { registryOf } from './scope.ts'

import type { LinkTarget } from './target.ts'
import type { Origin } from '../http/origin.ts'
import type { Registry } from './registry.ts'
import type { LinkQuery, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

const NO_ARGS: ReverseArgs = Object.freeze([])
const NO_KWARGS: ReverseKwargs = Object.freeze({})
const NO_REQUEST: Partial<ReversingRequest> = Object.freeze({})

/**
 * The ordinary reversal, which knows nothing of versions: the URL of a named route, or of the route of the request.
 *
 * @param server any Fastify instance of the app whose names are meant
 * @param viewName the route's name, with its namespaces; null: the route of `options.request`, with its parameters
 * @param impliedName a parameter that has the value `implied` unless the caller gives it one; null: none
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has the name, or none of its URLs fits the parameters
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when an absolute link needs a host that the request does not have
 */
export function reverseByName (
  server: object | undefined, viewName: string | null, options: ReverseOptions,
  impliedName: string | null = null, implied: string | null = null
): string {
  const registry = registryAt(server, viewName, options)
  if (viewName === null) {
    return withAddress(server as object, currentPath(registry, options, impliedName, implied), options)
  }
  const target = registry.named(viewName)
  const name = implied === null ? null : impliedName
  const path = target?.fill(options.args ?? NO_ARGS, kwargsOf(options), name, implied ?? '') ?? null
  if (path === null) throw noNamedPath(registry, target, viewName, options, name, implied)
  return withAddress(server as object, path, options)
}

/** As `reverseByName`, for a name in a namespace. */
export function reverseInNamespace (
  server: object | undefined, namespace: string, viewName: string, options: ReverseOptions
): string {
  const registry = registryAt(server, viewName, options)
  const target = registry.inNamespace(namespace, viewName)
  const path = target?.fill(options.args ?? NO_ARGS, kwargsOf(options), null, '') ?? null
  if (path === null) throw noNamedPath(registry, target, `${namespace}:${viewName}`, options, null, null)
  return withAddress(server as object, path, options)
}

/**
 * The URL that the resource of the request has in another namespace, found by its name, or by its path if it has none.
 *
 * @param namespaces the names of the namespaces that it may be in; the first one counts that has it
 * @throws as `reverseByName`
 */
export function reverseElsewhere (
  namespaces: readonly (readonly string[])[], request: ReversingRequest, options: ReverseOptions
): string {
  const { server, params } = request
  const registry = registryAt(server, null, options)
  const { method, path } = currentOf(registry, request, options)
  const route = registry.routes.of(request)
  for (const names of namespaces) {
    const target = route === undefined ? undefined : registry.counterpart(route, method, names)
    if (target === undefined) continue
    return withAddress(server, refill(target, options, params as ReverseKwargs, undefined, null), options)
  }
  throw noCounterpart(options, route?.name ?? path, namespaces)
}

function noCounterpart (
  options: ReverseOptions, name: string, namespaces: readonly (readonly string[])[]
): NoReverseMatchError {
  return noMatch(options, false, () => {
    const sought = namespaces.map((names) => (
      names.length === 0 ? 'outside of namespaces' : `in ${show(names.join(':'))}`
    ))
    return `The current route, ${show(name)}, is not ${sought.join(' or ')}.`
  })
}

/** The origin of the option `baseUrl`, which the owner of the app has written; null where there is none. */
export function configuredOrigin (server: object | undefined): Origin | null {
  return (server && contextOf(server)?.baseUrl) ?? null
}

function registryAt (server: object | undefined, viewName: string | null, options: ReverseOptions): Registry {
  const registry = server === undefined ? undefined : registryOf(server)
  if (registry === undefined) throw noRegistry(viewName, options)
  return registry
}

// Errors have functions of their own: what a closure holds costs every call of the function around it.
function noRegistry (viewName: string | null, options: ReverseOptions): NoReverseMatchError {
  return noMatch(options, true, () => `Cannot reverse ${show(viewName)} with a scheme that no app has registered.`)
}

/** @param target what the name stands for; undefined: nothing */
function noNamedPath (
  registry: Registry, target: LinkTarget | undefined, name: string, options: ReverseOptions,
  impliedName: string | null, implied: string | null
): NoReverseMatchError {
  return noMatch(options, target === undefined, () => {
    if (target === undefined) return registry.explainUnknown(name)
    const kwargs = kwargsOf(options)
    const all = impliedName === null ? kwargs : { [impliedName]: implied, ...kwargs }
    return target.explain(`Route ${show(name)}`, options.args ?? NO_ARGS, all)
  })
}

function currentPath (
  registry: Registry, options: ReverseOptions, impliedName: string | null, implied: string | null
): string {
  const request = options.request ?? NO_REQUEST
  const { method, path } = currentOf(registry, request, options)
  const target = registry.at(method, path)
  const name = target.names.includes(impliedName as string) ? impliedName : null
  const params = request.params as ReverseKwargs
  const isImplied = name !== null && needsVersion(target, options, name, implied)
  return refill(target, options, isImplied ? { ...params, [name]: implied } : params, pathOf(request), name)
}

/**
 * Whether the version takes the place of the request's parameter: where the caller names one, or a schema has dropped
 * or changed the parameter. After a refusal, and where the parameter may be absent, it stays as it is.
 */
function needsVersion (
  target: LinkTarget, options: ReverseOptions, name: string, version: string | null
): boolean {
  if (options.version !== undefined) return true
  const params = (options.request?.params ?? NO_KWARGS) as ReverseKwargs
  if (version === null || params[name] === version) return false
  return Object.hasOwn(params, name) || !target.takes(params)
}

function currentOf (
  { routes }: Registry, request: Partial<ReversingRequest>, options: ReverseOptions
): { method: string, path: string } {
  const { method = 'GET', routeOptions } = request
  // An onRoute hook of the app may have moved the route, which Fastify does not say here.
  const path = routeOptions && (routes.of(request as ReversingRequest)?.url ?? routeOptions.url)
  if (path === undefined) throw noMatch(options, true, () => 'There is no current route to reverse.')
  return { method, path }
}

/** The path of a request as the client has sent it. */
function pathOf ({ url = '' }: Partial<ReversingRequest>): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 * A URL with the parameters of the request, over which those of the options take precedence.
 *
 * @param current the parameters of the request, in the version of the link
 * @param ownUrl the path of the request; undefined: the target is not its route
 * @param versionName the parameter for the version; null: none
 */
function refill (
  target: LinkTarget, options: ReverseOptions, current: ReverseKwargs, ownUrl: string | undefined,
  versionName: string | null
): string {
  const { args, kwargs: given } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options))
  const kwargs = { ...current, ...given }
  const empty = emptyIn(kwargs, given)
  const path = target.refill(args, kwargs, empty, ownUrl)
  if (path === null) throw noCurrentPath(target, options, args, kwargs, empty, versionName)
  return path
}

function noCurrentPath (
  target: LinkTarget, options: ReverseOptions, args: ReverseArgs, kwargs: ReverseKwargs, empty: readonly string[],
  versionName: string | null
): NoReverseMatchError {
  const error = noMatch(options, false, () => target.explain('The current route', args, kwargs, empty))
  // Values that only a client could think of (`/bookings/%2E%2E`), where others would do, are the client's mistake.
  const { version, params } = options.request as ReversingRequest
  const own = { ...versionName === null ? null : { [versionName]: version }, ...params as ReverseKwargs }
  if (target.takes(own) && target.refill(NO_ARGS, own, emptyIn(own)) === null) error.statusCode = 400
  return error
}

/** Values in the order of the path, by the names that no other value has; those beyond stay as they are. */
function nameArgs (
  target: LinkTarget, args: ReverseArgs, kwargs: ReverseKwargs
): { args: ReverseArgs, kwargs: ReverseKwargs } {
  if (args.length === 0) return { args, kwargs }
  const open = target.names.filter((name) => !Object.hasOwn(kwargs, name)).slice(0, args.length)
  return {
    args: args.slice(open.length),
    kwargs: { ...Object.fromEntries(open.map((name, i) => [name, args[i]])), ...kwargs }
  }
}

function kwargsOf ({ kwargs, format }: ReverseOptions): ReverseKwargs {
  const given = kwargs ?? NO_KWARGS
  return format === undefined || format === null ? given : { ...given, format }
}

/** `reply.reverse` and `app.reverse` locate an error where it leaves them, for many never do. */
function noMatch (options: ReverseOptions, isNameUnknown: boolean, explain: () => string): NoReverseMatchError {
  const error = new NoReverseMatchError(explain, isNameUnknown)
  return options instanceof CheckedOptions ? error : error.locate(noMatch)
}

/** The path of a link with all that may stand around it: origin, the path of `baseUrl`, query and fragment. */
function withAddress (server: object, path: string, options: ReverseOptions): string {
  const { absolute = false, query, hash } = options
  const base = contextOf(server)?.baseUrl?.path ?? ''
  const search = query === undefined || query === null ? '' : toSearch(query)
  const fragment = hash === undefined || hash === null ? '' : toFragment(hash)
  const url = base + path + search + fragment
  if (absolute === false) return url
  if (absolute !== true) throw new ReverseOptionError('absolute', 'true or false', show(absolute))
  return originText(configuredOrigin(server) ?? requestOrigin(options.request, 'absolute')) + url
}

function toSearch (query: LinkQuery): string {
  const search = toQuery(query)
  return search === '' ? '' : `?${search}`
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw new ReverseOptionError('hash', 'a string', show(hash))
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

import { contextOf } from '../context.ts'
import { NoReverseMatchError, ReverseOptionError, show } from '../errors.ts'
import { configuredOrigin, originText, requestOrigin } from './origin.ts'
import { toQuery } from '../http/query.ts'
import { namespaceOf, registryOf } from './scope.ts'
import { routeNameOf } from '../boot/route-config.ts'

import type { LinkTarget } from './target.ts'
import type { Registry } from './registry.ts'
import type { LinkQuery, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

/** Among the options, true where nobody reads why a link was not found: to explain it costs many times a link. */
export const kUnexplained: unique symbol = Symbol('fastify-versioning.unexplained')
/** The same for a link to the route of the request, which nobody asks for once more to have it explained. */
export const kQuiet: unique symbol = Symbol('fastify-versioning.quiet')
export type Explicable<Options> = Options & { [kUnexplained]?: boolean, [kQuiet]?: boolean }

const UNEXPLAINED = new NoReverseMatchError('No route has this name, or none of its URLs fits the parameters.', true)
const UNFIT = new NoReverseMatchError('The current route has no such URL.', false)
const NO_ARGS: ReverseArgs = Object.freeze([])
const NO_REQUEST: ReversingRequest = Object.freeze({ version: null, server: {} })
const NO_KWARGS: ReverseKwargs = Object.freeze({})

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
  const registry = registryAt(server, viewName)
  const path = viewName === null
    ? currentPath(registry, options, impliedName, implied)
    : namedPath(registry, viewName, options, implied === null ? null : impliedName, implied ?? '')
  return withAddress(server as object, path, options)
}

/**
 * As `reverseByName` for a name and without a version; null instead of FST_ERR_NO_REVERSE_MATCH.
 */
export function findByName (server: object, viewName: string, options: ReverseOptions): string | null {
  const target = registryOf(server)?.named(viewName)
  const path = target?.fill(options.args ?? NO_ARGS, kwargsOf(options), null, '') ?? null
  return path === null ? null : withAddress(server, path, options)
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
  const { server } = request
  const registry = registryAt(server, null)
  const { method, path } = routeOf(request)
  const name = routeNameOf(request)
  for (const names of namespaces) {
    const target = registry.counterpart(method, path, name, namespaceOf(server), names)
    if (target !== undefined) return withAddress(server, refill(target, request, options, NO_KWARGS, false), options)
  }
  const sought = namespaces.map((names) => names.length === 0 ? 'outside of namespaces' : `in ${show(names.join(':'))}`)
  throw new NoReverseMatchError(`The current route, ${show(name ?? path)}, is not ${sought.join(' or ')}.`, false)
}

function registryAt (server: object | undefined, viewName: string | null): Registry {
  const registry = server === undefined ? undefined : registryOf(server)
  if (registry !== undefined) return registry
  throw new NoReverseMatchError(`Cannot reverse ${show(viewName)} with a scheme that no app has registered.`, true)
}

function namedPath (
  registry: Registry, viewName: string, options: Explicable<ReverseOptions>, impliedName: string | null, implied: string
): string {
  const args = options.args ?? NO_ARGS
  const kwargs = kwargsOf(options)
  const target = registry.named(viewName)
  const path = target === undefined ? null : target.fill(args, kwargs, impliedName, implied)
  if (path !== null) return path
  if (options[kUnexplained] === true) throw UNEXPLAINED
  if (target === undefined) throw unknownName(registry, viewName)
  const all = impliedName === null ? kwargs : { [impliedName]: implied, ...kwargs }
  throw target.explain(`Route ${show(viewName)}`, args, all)
}

function unknownName (registry: Registry, viewName: unknown): NoReverseMatchError {
  if (typeof viewName !== 'string') {
    return new NoReverseMatchError(`The name of a route must be a string, got ${show(viewName)}.`, true)
  }
  return new NoReverseMatchError(
    `No route is named ${show(viewName)}.${registry.suggestionFor(viewName)} ` +
    'Routes declared before fastify-versioning was loaded are not seen: await its registration first.',
    true
  )
}

function currentPath (
  registry: Registry, options: ReverseOptions, impliedName: string | null, implied: string | null
): string {
  const request = options.request ?? NO_REQUEST
  const { method, path } = routeOf(request)
  const target = registry.route(method, path)
  const name = impliedName !== null && target.names.includes(impliedName) ? impliedName : null
  const isTold = name !== null && isNews(target, options, name, implied)
  return refill(target, request, options, isTold ? { [name]: implied } : NO_KWARGS, true)
}

/**
 * Whether the version is to be put among the parameters of the request: where the caller tells one, or a schema has
 * dropped or changed the request's. After a refusal, and where the parameter may be absent, it stays as it is.
 */
function isNews (target: LinkTarget, options: ReverseOptions, name: string, version: string | null): boolean {
  if (options.version !== undefined) return true
  const params = (options.request?.params ?? NO_KWARGS) as ReverseKwargs
  if (version === null || params[name] === version) return false
  return Object.hasOwn(params, name) || !target.takesAll(params)
}

function routeOf ({ method = 'GET', routeOptions }: ReversingRequest): { method: string, path: string } {
  const path = routeOptions?.url
  if (path === undefined) throw new NoReverseMatchError('There is no current route to reverse.', true)
  return { method, path }
}

/**
 * The parameters of the request in a path, and over them those told and those given. A wildcard may be empty here.
 *
 * @param isOwn whether it is the path of the request
 */
function refill (
  target: LinkTarget, { params }: ReversingRequest, options: Explicable<ReverseOptions>, told: ReverseKwargs,
  isOwn: boolean
): string {
  const current = { ...params as ReverseKwargs, ...told }
  const { args, kwargs: given } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options))
  const kwargs = { ...current, ...given }
  const isUntouched = isOwn && told === NO_KWARGS && args.length === 0 && Object.keys(given).length === 0
  const place = placeFor(target, kwargs)
  const path = isUntouched ? place.refill(kwargs) : place.fill(args, kwargs, null, '')
  if (path !== null) return path
  if (options[kQuiet] === true) throw UNFIT
  const error = target.explain('The current route', args, kwargs)
  // Values that only a client could think of (`/bookings/%2E%2E`), where others would do, are the client's mistake.
  const own = placeFor(target, current)
  if (own.takesAll(current) && own.fill(NO_ARGS, current, null, '') === null) error.statusCode = 400
  throw error
}

/** Where the wildcard is empty the path ends before it. */
function placeFor (target: LinkTarget, kwargs: ReverseKwargs): LinkTarget {
  return kwargs['*'] === '' ? target.withoutWildcard() : target
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

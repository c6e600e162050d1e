import { contextOf, registryOf } from './context.ts'
import { NoReverseMatchError, ReverseOptionError, show } from './errors.ts'
import { configuredOrigin, originText, requestOrigin } from './origin.ts'
import { toQuery } from './query.ts'

import type { Registry } from './registry.ts'
import type { ReverseKwargs, ReverseOptions, ReversingRequest } from '../types/index.d.ts'

const NO_ARGS = Object.freeze([])
const NO_KWARGS = Object.freeze({})

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
  const registry = server === undefined ? undefined : registryOf(server)
  if (server === undefined || registry === undefined) {
    throw new NoReverseMatchError(`Cannot reverse ${show(viewName)} with a scheme that no app has registered.`, true)
  }
  const path = viewName === null
    ? currentPath(registry, options)
    : namedPath(registry, viewName, options, implied === null ? null : impliedName, implied ?? '')
  return address(server, options) + path + queryAndHash(options)
}

function namedPath (
  registry: Registry, viewName: string, options: ReverseOptions, impliedName: string | null, implied: string
): string {
  if (typeof viewName !== 'string') {
    throw new NoReverseMatchError(`The name of a route must be a string, got ${show(viewName)}.`, true)
  }
  const args = options.args ?? NO_ARGS
  const kwargs = kwargsOf(options)
  const path = registry.find(viewName, args, kwargs, impliedName, implied)
  if (path !== null) return path
  throw registry.explain(viewName, args, impliedName === null ? kwargs : { [impliedName]: implied, ...kwargs })
}

function currentPath (registry: Registry, options: ReverseOptions): string {
  const { request } = options
  const { method = 'GET' } = request ?? {}
  const route = request?.routeOptions?.url
  if (route === undefined) throw new NoReverseMatchError('There is no current route to reverse.', true)
  const current = (request as ReversingRequest).params as ReverseKwargs
  const args = options.args ?? NO_ARGS
  const kwargs = { ...current, ...kwargsOf(options) }
  const path = registry.findCurrent(method, route, args, kwargs)
  if (path !== null) return path
  const error = registry.explainCurrent(method, route, args, kwargs)
  // A path that only a client could think of (`/bookings/%2E%2E`) is the client's mistake.
  if (registry.findCurrent(method, route, NO_ARGS, current) === null) error.statusCode = 400
  throw error
}

function kwargsOf ({ kwargs, format }: ReverseOptions): ReverseKwargs {
  const given = kwargs ?? NO_KWARGS
  return format === undefined || format === null ? given : { ...given, format }
}

/** What stands before the path: the origin where the link is to be absolute, and the path of `baseUrl`. */
function address (server: object, { absolute, request }: ReverseOptions): string {
  const path = contextOf(server)?.baseUrl?.path ?? ''
  if (absolute !== true) return path
  return originText(configuredOrigin(server) ?? requestOrigin(request)) + path
}

function queryAndHash ({ query, hash }: ReverseOptions): string {
  const search = query === undefined || query === null ? '' : toQuery(query)
  return (search === '' ? '' : `?${search}`) + (hash === undefined || hash === null ? '' : toFragment(hash))
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw new ReverseOptionError('hash', 'a string', show(hash))
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}

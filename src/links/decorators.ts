import { contextOf } from '../context.ts'
import { ReverseOptionError, show } from '../errors.ts'
import { registryOf } from './scope.ts'
import { findByName, kUnexplained, reverseByName } from './reverse.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from './registry.ts'
import type { Explicable } from './reverse.ts'
import type {
  LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs, ReverseOptions, VersioningScheme
} from '../../types/index.d.ts'

type Params = ReverseArgs | ReverseKwargs | null

/** `reply.reverse`: a link in the version of the request. */
export function replyReverse (
  this: FastifyReply, viewName: string | null = null, params?: Params, options?: LinkOptions
): string {
  const { request } = this
  const scheme = request.versioningScheme ?? toldScheme(request.server, options)
  return link(scheme, request.server, viewName, toReverseOptions(params, options, request, undefined))
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (
  this: FastifyInstance, viewName: string, params?: Params, options?: LinkOptions
): string {
  const scheme = contextOf(this)?.scheme ?? toldScheme(this, options)
  return link(scheme, this, viewName, toReverseOptions(params, options, undefined, this))
}

/** Where no scheme is active a link may still be told its version: the nearest scheme knows how. */
function toldScheme (server: object, options: LinkOptions | undefined): VersioningScheme | null {
  const isTold = options?.version !== undefined && options.version !== null
  return isTold ? contextOf(server)?.linkScheme ?? null : null
}

/** `app.namedRoutes`: every route of the app that has a name. */
export function namedRoutes (this: FastifyInstance): NamedRoute[] {
  return (registryOf(this) as Registry).list()
}

/**
 * Asks the scheme, and where it finds nothing once more for the plain name: a route may be without versions. The route
 * of the request itself is always there; what does not fit it would only come back in the wrong version.
 */
function link (
  scheme: VersioningScheme | null, server: object, viewName: string | null, options: Explicable<ReverseOptions>
): string {
  if (viewName === null) return scheme === null ? reverseByName(server, null, options) : scheme.reverse(null, options)
  if (scheme !== null) {
    try {
      return scheme.reverse(viewName, options)
    } catch (error) {
      if (!isNoReverseMatch(error)) throw error
    }
  }
  return findByName(server, viewName, options) ?? explain(scheme, server, viewName, options)
}

/** Throws what the scheme has to say; of a name that the scheme does not know, what is to be said of the plain one. */
function explain (
  scheme: VersioningScheme | null, server: object, viewName: string, options: Explicable<ReverseOptions>
): string {
  options[kUnexplained] = false
  if (scheme !== null) {
    try {
      return scheme.reverse(viewName, options)
    } catch (error) {
      if (!isNoReverseMatch(error) || error.isNameUnknown !== true) throw error
    }
  }
  return reverseByName(server, viewName, options)
}

interface NoReverseMatch { readonly code: 'FST_ERR_NO_REVERSE_MATCH', readonly isNameUnknown?: boolean }

function isNoReverseMatch (error: unknown): error is NoReverseMatch {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_NO_REVERSE_MATCH'
}

/** Most links have no options: a small object serves them without a copy of anything. */
function toReverseOptions (
  params: Params | undefined, given: LinkOptions | undefined | null, request: FastifyRequest | undefined,
  server: FastifyInstance | undefined
): Explicable<ReverseOptions> {
  const isList = Array.isArray(params)
  const args = isList ? params as ReverseArgs : undefined
  const kwargs = isList ? undefined : params as ReverseKwargs | null | undefined
  if (given === undefined || given === null) return { args, kwargs, request, server, [kUnexplained]: true }
  if (typeof given !== 'object') throw new ReverseOptionError('options', 'an object', show(given))
  // What is added to an object after a spread costs V8 a hundred times as much as what was there before.
  const options: Explicable<ReverseOptions> = {
    args: undefined, kwargs: undefined, request, server, [kUnexplained]: true, ...given
  }
  options.args = args ?? options.args
  options.kwargs = kwargs ?? options.kwargs
  options.request = request
  options.server = server
  return options
}

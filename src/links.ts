import { contextOf, registryOf } from './context.ts'
import { reverseByName } from './reverse.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from './registry.ts'
import type {
  LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs, ReverseOptions, VersioningScheme
} from '../types/index.d.ts'

type Params = ReverseArgs | ReverseKwargs | null

/** `reply.reverse`: a link in the version of the request. */
export function replyReverse (
  this: FastifyReply, viewName: string | null = null, params?: Params, options?: LinkOptions
): string {
  const { request } = this
  // Where no scheme judged the request a link may still be told its version: the scheme of the context knows how.
  const isTold = typeof options?.version === 'string'
  const scheme = request.versioningScheme ?? (isTold ? contextOf(request.server)?.scheme ?? null : null)
  return link(scheme, request.server, viewName, toReverseOptions(params, options, request, undefined))
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (
  this: FastifyInstance, viewName: string, params?: Params, options?: LinkOptions
): string {
  const scheme = contextOf(this)?.scheme ?? null
  return link(scheme, this, viewName, toReverseOptions(params, options, undefined, this))
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
  scheme: VersioningScheme | null, server: object, viewName: string | null, options: ReverseOptions
): string {
  if (scheme === null) return reverseByName(server, viewName, options)
  try {
    return scheme.reverse(viewName, options)
  } catch (error) {
    if (viewName === null || !isNoReverseMatch(error)) throw error
    return reversePlainly(server, viewName, options, error)
  }
}

function reversePlainly (server: object, viewName: string, options: ReverseOptions, refusal: NoReverseMatch): string {
  try {
    return reverseByName(server, viewName, options)
  } catch (error) {
    throw refusal.isNameUnknown === true ? error : refusal
  }
}

interface NoReverseMatch { readonly code: 'FST_ERR_NO_REVERSE_MATCH', readonly isNameUnknown?: boolean }

function isNoReverseMatch (error: unknown): error is NoReverseMatch {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_NO_REVERSE_MATCH'
}

/** Most links have no options: an object of one shape serves them without a copy of anything. */
function toReverseOptions (
  params: Params | undefined, options: LinkOptions | undefined, request: FastifyRequest | undefined,
  server: FastifyInstance | undefined
): ReverseOptions {
  const isList = Array.isArray(params)
  const args = isList ? params as ReverseArgs : undefined
  const kwargs = isList ? undefined : params as ReverseKwargs | null | undefined
  if (options === undefined || options === null) return { args, kwargs, request, server }
  const given: ReverseOptions = options
  return { ...given, args: args ?? given.args, kwargs: kwargs ?? given.kwargs, request, server }
}

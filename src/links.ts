import { contextOf, registryOf } from './context.ts'
import { reverseByName } from './reverse.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
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
  return link(request.versioningScheme, request.server, viewName, { ...options, ...named(params), request })
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (
  this: FastifyInstance, viewName: string, params?: Params, options?: LinkOptions
): string {
  const scheme = contextOf(this)?.scheme ?? null
  return link(scheme, this, viewName, { ...options, ...named(params), server: this })
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

function named (params: Params | undefined): Pick<ReverseOptions, 'args' | 'kwargs'> {
  if (params === undefined || params === null) return {}
  return Array.isArray(params) ? { args: params } : { kwargs: params as ReverseKwargs }
}

import { contextOf, schemeOf } from '../context.ts'
import { NoReverseMatchError } from '../errors.ts'
import { CheckedOptions } from './link-options.ts'
import { reverseByName } from './reverse.ts'
import { registryOf } from './scope.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Registry } from './registry.ts'
import type { LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs, VersioningScheme } from '../../types/index.d.ts'

type Params = ReverseArgs | ReverseKwargs | null

/** `reply.reverse`: a link in the version of the request. */
export function replyReverse (
  this: FastifyReply, viewName: string | null = null, params?: Params, options?: LinkOptions
): string {
  const { request } = this
  const { server } = request
  const scheme = request.versioningScheme ?? schemeForExplicitVersion(server, viewName, options)
  const checked = new CheckedOptions(params, options, request, undefined, scheme)
  try {
    return link(scheme, server, viewName, checked)
  } catch (error) {
    throw error instanceof NoReverseMatchError ? error.locate(replyReverse) : error
  }
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (
  this: FastifyInstance, viewName: string, params?: Params, options?: LinkOptions
): string {
  const scheme = contextOf(this)?.scheme ?? schemeForExplicitVersion(this, viewName, options)
  const checked = new CheckedOptions(params, options, undefined, this, scheme)
  try {
    return link(scheme, this, viewName, checked)
  } catch (error) {
    throw error instanceof NoReverseMatchError ? error.locate(appReverse) : error
  }
}

/** `app.namedRoutes`: every route of the app that has a name. */
export function namedRoutes (this: FastifyInstance): NamedRoute[] {
  return (registryOf(this) as Registry).list()
}

/** Where no scheme is active a link may still name its version: the nearest scheme above, or the route's, makes it. */
function schemeForExplicitVersion (
  server: object, viewName: string | null, options: LinkOptions | undefined
): VersioningScheme | null {
  if (options?.version === undefined || options.version === null) return null
  return contextOf(server)?.linkScheme ?? schemeOfName(server, viewName)
}

/** The scheme of the route that has a name; of several that of the last. */
function schemeOfName (server: object, viewName: string | null): VersioningScheme | null {
  if (viewName === null) return null
  const registry = registryOf(server)
  registry?.update()
  const route = registry?.named(viewName)?.paths[0].route
  return route ? schemeOf(route) : null
}

/**
 * Asks the scheme, and where it finds nothing looks for the plain name: a route may be without versions, or of another
 * scheme. The route of the request itself is always there; another would only be in the wrong version.
 */
function link (
  scheme: VersioningScheme | null, server: object, viewName: string | null, options: CheckedOptions
): string {
  if (scheme === null) return reverseByName(server, viewName, options)
  try {
    return scheme.reverse(viewName, options)
  } catch (error) {
    if (viewName === null || !isNoReverseMatch(error)) throw error
    return linkByPlainName(scheme, server, viewName, options, error)
  }
}

/** @param failure of the active scheme: it tells more than the plain name does, unless it does not know the name */
function linkByPlainName (
  scheme: VersioningScheme, server: object, viewName: string, options: CheckedOptions, failure: NoReverseMatch
): string {
  const other = schemeOfName(server, viewName)
  if (other !== null && other !== scheme) {
    const url = linkByOther(other, viewName, options)
    if (url !== null) return url
  }
  try {
    return reverseByName(server, viewName, options)
  } catch (error) {
    throw isNoReverseMatch(error) && failure.isNameUnknown !== true ? failure : error
  }
}

/** The link of a scheme in the version named, else in that of the request if it permits it; null: it has none. */
function linkByOther (scheme: VersioningScheme, viewName: string, options: CheckedOptions): string | null {
  const { version = null } = options.request ?? {}
  if (options.version === undefined && !scheme.isAllowedVersion(version)) options.version = null
  try {
    return scheme.reverse(viewName, options)
  } catch (error) {
    if (isNoReverseMatch(error)) return null
    throw error
  }
}

interface NoReverseMatch { readonly code: 'FST_ERR_NO_REVERSE_MATCH', readonly isNameUnknown?: boolean }

/** A scheme of the user's may have an error of its own that says so. */
function isNoReverseMatch (error: unknown): error is NoReverseMatch {
  return error instanceof Error && (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH'
}

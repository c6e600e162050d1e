import { findContext, schemeOf } from '../context.ts'
import { NoReverseMatchError } from '../errors.ts'
import { CheckedOptions } from './link-options.ts'
import { makeLink } from './reverse.ts'
import { findRegistry, registryOf } from './scope.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Scheme } from '../scheme.ts'
import type { LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

type Params = ReverseArgs | ReverseKwargs | null

/** `reply.reverse`: a link in the version of the request. */
export function replyReverse (
  this: FastifyReply, viewName: string | null = null, params?: Params, options?: LinkOptions
): string {
  const { request } = this
  const { versioningScheme: active } = request
  const scheme = active === null ? schemeForExplicitVersion(request.server, viewName, options) : active as Scheme
  const link = makeLink(scheme, viewName, new CheckedOptions(params, options, request, undefined, scheme))
  if (!(link instanceof Error)) return link
  throw link instanceof NoReverseMatchError ? link.locate(replyReverse) : link
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (
  this: FastifyInstance, viewName: string, params?: Params, options?: LinkOptions
): string {
  const scheme = findContext(this)?.scheme ?? schemeForExplicitVersion(this, viewName, options)
  const link = makeLink(scheme, viewName, new CheckedOptions(params, options, undefined, this, scheme))
  if (!(link instanceof Error)) return link
  throw link instanceof NoReverseMatchError ? link.locate(appReverse) : link
}

/** `app.namedRoutes`: every route of the app that has a name. */
export function namedRoutes (this: FastifyInstance): NamedRoute[] {
  return registryOf(this).list()
}

/** If no scheme is active, a link may still have a version: the nearest scheme above, or the route's, makes it. */
function schemeForExplicitVersion (
  server: object, viewName: string | null, options: LinkOptions | undefined
): Scheme | null {
  if (options?.version === undefined || options.version === null) return null
  const above = findContext(server)?.linkScheme ?? null
  if (above !== null || viewName === null) return above
  const target = findRegistry(server)?.named(viewName)
  return target === undefined ? null : schemeOf(target.route)
}

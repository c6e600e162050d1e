import { contextOf, schemeOf, slot } from '../context.ts'
import { VersioningConflictError, VersioningOptionError, show } from '../errors.ts'
import { namespaceOf, setHome } from '../links/scope.ts'
import { checkName } from '../options/checks.ts'
import { toEnding } from '../options/lifecycle.ts'
import { checkReportable } from '../options/policy.ts'
import { configWith, labelOf, settle } from '../routes.ts'
import { candidateOf } from '../routing/constraint.ts'
import { appOf } from './app.ts'
import { setHooks } from './hooks.ts'
import { atRoute } from './place.ts'
import { toScheme } from './registration.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { RouteVersions, VersioningScheme } from '../../types/index.d.ts'

/** The versions that the routes of a context serve unless they say otherwise; null: all that no other route claims. */
export const contextVersions = slot<RouteVersions | null>('versions')

type Declared = Route & { readonly options: DeclaredOptions }

const ONE_METHOD = new Map<string, readonly string[]>()

/** onRoute: takes in a route, and gives it the hooks and the constraint that it needs. */
export function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
  const methods = methodsOf(options.method)
  try {
    takeIn(this, options, methods)
  } catch (error) {
    throw atRoute(error, { methods, url: options.url })
  }
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[]): void {
  const { claims, routes, uses } = appOf(server)
  const { name, url } = options
  if (name !== undefined) checkName('name', name)
  const route: Declared = {
    server,
    methods,
    url,
    alias: null,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme: ownSchemeOf(server, options),
    ending: endingOf(options),
    options
  }
  checkReport(route)
  const scheme = schemeOf(route)
  const version = versionsOf(route, scheme)
  const varied = claims.declare(route, version, scheme)
  const versions = candidateOf.of(route)?.claim?.versions
  options.config = configWith(route, options.config, versions)
  routes.add(route)
  if (version !== null) uses.choice = true
  if (route.ownScheme !== undefined || route.ending !== undefined) uses.ownOptions = true
  setHooks(route)
  varied.forEach(setHooks)
}

function methodsOf (method: DeclaredOptions['method']): readonly string[] {
  if (typeof method !== 'string') return method
  const known = ONE_METHOD.get(method) ?? Object.freeze([method])
  ONE_METHOD.set(method, known)
  return known
}

/** The scheme of the route's own; null: it is version-neutral; undefined: that of its context. */
function ownSchemeOf (server: FastifyInstance, { versioning }: DeclaredOptions): VersioningScheme | null | undefined {
  if (versioning === undefined) return undefined
  const { schemes, warnings } = appOf(server)
  const { settings } = contextOf(server) as VersioningContext
  const { scheme } = toScheme('versioning', versioning, false, settings, schemes)
  if (scheme !== null) {
    setHome(scheme, server)
    warnings.ofDefault(scheme)
  }
  return scheme
}

function endingOf ({ deprecated, versioning }: DeclaredOptions): Ending | undefined {
  if (deprecated === undefined) return undefined
  if (versioning !== false) return toEnding('deprecated', deprecated, 'This URL')
  throw new VersioningOptionError('deprecated', 'none, for the route has no version', show(deprecated))
}

/** A default of the context is not for routes that have no versions at all. */
function versionsOf ({ server, options }: Declared, scheme: VersioningScheme | null): RouteVersions | null {
  const own = options.version
  return (own === undefined && scheme !== null ? contextVersions.of(server) : own) ?? null
}

/**
 * To be called when a context has been registered, for it may have routes already.
 *
 * @throws FST_ERR_VERSIONING_OPTION where one of them has versions that the former scheme is to choose it by
 */
export function refreshRoutes (context: FastifyInstance): void {
  for (const route of appOf(context).routes.list) {
    const { server } = route
    if (server !== context && !Object.prototype.isPrototypeOf.call(context, server)) continue
    const claim = candidateOf.of(route)?.claim ?? null
    if (claim !== null && claim.scheme !== schemeOf(route)) throw tooLate(route)
    try {
      checkReport(route)
    } catch (error) {
      throw atRoute(error, route)
    }
    setHooks(route)
  }
}

/**
 * onReady: what is declared by now stays so.
 *
 * @throws FST_ERR_VERSIONING_OPTION where requests would not come to routes as their options say
 */
export async function settleRoutes (this: FastifyInstance): Promise<void> {
  const app = appOf(this)
  if (app.isReady) return
  app.isReady = true
  const { claims, routes, warnings } = app
  routes.list.forEach(checkUrl)
  claims.check()
  warnings.ofRoutes(routes.list)
  routes.list.forEach(settle)
}

function checkReport ({ ownScheme, server }: Route): void {
  if (ownScheme) checkReportable(contextOf(server) as VersioningContext, ownScheme)
}

function checkUrl ({ url, methods, options }: Route): void {
  if (options === null || options.url === url || options.url === `${url}/`) return
  throw new VersioningConflictError(
    `A later onRoute hook has changed the URL of ${labelOf({ methods, url })} to ${show(options.url)}. ` +
    'Add that hook before registering fastify-versioning.'
  )
}

function tooLate (route: Route): Error {
  return new VersioningConflictError(
    `Register fastify-versioning before declaring ${labelOf(route)}, which has a version.`
  )
}

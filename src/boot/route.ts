import isEqual from 'fast-deep-equal'

import { contextOf, inherited, schemeOf } from '../context.ts'
import { VersioningConflictError, VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { Registry } from '../links/registry.ts'
import { namespaceOf, setDefaultServer, setRegistry } from '../links/scope.ts'
import { checkName } from '../options/read.ts'
import { toEnding } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { expandOptional, normalize } from '../paths/pattern.ts'
import { labelOf, settle } from '../routes.ts'
import { toClaim } from '../routing/claim.ts'
import { checkSlots } from '../routing/conflicts.ts'
import { CONSTRAINT, MAX_HANDLERS, VersionConstraint, otherConstraints } from '../routing/constraint.ts'
import { slotsOf } from '../routing/slots.ts'
import { checkVersionParams } from '../routing/version-params.ts'
import { writtenForOf } from '../variants/written-for.ts'
import { appOf } from './app.ts'
import { hookLast, prepareLater } from './hooks.ts'
import { atRoute } from './error-context.ts'
import { toScheme } from './registration.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { App, ExpectedHeads } from './app.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { RouteVersions } from '../../types/index.d.ts'

/** The default of the route option `version` in a context, or null for all versions that no other route claims. */
export const contextVersions = inherited<RouteVersions | null>('versions')

/** The hook that Fastify gives the HEAD routes that it adds. */
const HEAD_HOOK = 'headRouteOnSendHandler'

const ONE_METHOD = new Map<string, readonly string[]>()

/** onRoute: records a route, and gives it the hooks and the constraint that it needs. */
export function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
  const methods = methodsOf(options.method)
  try {
    takeIn(this, options, methods)
  } catch (error) {
    throw atRoute(error, { methods, url: options.url })
  }
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[]): void {
  const app = appOf(server)
  const context = contextOf(server)
  const { name, prefix, routePath, url } = options
  if (name !== undefined) checkName('name', name)
  const ownScheme = ownSchemeOf(server, options, app)
  const scheme = schemeOf({ ownScheme, server })
  // A default of the context is not for routes that have no versions at all.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  const added = addedTo(server, options, app)
  const isWrittenFor = writtenForOf({ server, ownScheme }, options) !== null
  // Changes may alter the schema of this very route, if it serves older versions only.
  if (context.changes !== null && (isWrittenFor || options.schema)) options.schema = { ...options.schema }
  const route: Route = {
    server,
    methods,
    url,
    configUrl: prefix + routePath,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme,
    ending: endingOf(options),
    claim: version === null ? null : toClaim(version, scheme),
    isAdded: added !== null,
    constraints: otherConstraints(options.constraints),
    alias: null,
    options,
    groups: null,
    variant: null,
    shownVersions: null,
    isTaken: null
  }
  if (route.claim !== null) checkVersionParams(route.claim, route)
  checkOwnScheme(route)
  checkCount(route, app)
  if (added === null) {
    app.expected = expectedHeads(route, options)
  } else {
    // Fastify adds it only once the router has the GET route, and to a path that has no HEAD route.
    added.isTaken = true
    if (!url.includes('?')) route.isTaken = true
  }
  if (!constrain(route, options, app)) findRefused(route, options, app)
  app.routes.add(route, options)
  prepareLater(route)
}

/** The GET route to which Fastify adds this HEAD route, or null. */
function addedTo (server: FastifyInstance, options: DeclaredOptions, { expected }: App): Route | null {
  const { method, handler, onSend, url } = options
  if (method !== 'HEAD' || expected === null || expected.route.server !== server) return null
  // An onRoute hook before ours may have wrapped the handler once for each route.
  const isTwin = expected.handler === handler || [onSend].flat().some((hook) => hook?.name === HEAD_HOOK)
  return isTwin && expected.urls.delete(url) ? expected.route : null
}

function expectedHeads (route: Route, options: DeclaredOptions): ExpectedHeads | null {
  // Fastify's types do not show this option.
  const { exposeHeadRoutes = false } = route.server.initialConfig as { exposeHeadRoutes?: boolean }
  const { handler, url, exposeHeadRoute = exposeHeadRoutes } = options
  return route.methods.includes('GET') && exposeHeadRoute ? { route, handler, urls: new Set([url, `${url}/`]) } : null
}

/**
 * Gives a route that has versions a constraint which no other route has. What it means is known when the app is ready.
 * `version: null` gives a route one as well, so that a route for one host precedes routes with versions for all hosts.
 *
 * @returns whether it has one
 */
function constrain (route: Route, options: DeclaredOptions, app: App): boolean {
  const { claim, constraints, isAdded } = route
  const isConstrained = claim !== null || (options.version === null && Object.keys(constraints).length > 0)
  if (isConstrained) {
    // The router prints the HEAD route that Fastify adds with its GET route where both have the same constraints.
    if (!isAdded) app.constrained++
    const ours = new VersionConstraint(route, app.constrained)
    options.constraints = Object.assign({}, constraints, { [CONSTRAINT]: ours })
  } else if (CONSTRAINT in Object(options.constraints)) {
    options.constraints = { ...constraints }
  }
  return isConstrained
}

function methodsOf (method: DeclaredOptions['method']): readonly string[] {
  if (typeof method !== 'string') return method
  const known = ONE_METHOD.get(method) ?? Object.freeze([method])
  ONE_METHOD.set(method, known)
  return known
}

/** The route's own scheme; null if it is version-neutral, undefined if it has the scheme of its context. */
function ownSchemeOf (
  server: FastifyInstance, { versioning }: DeclaredOptions, { schemes, warnings }: App
): Scheme | null | undefined {
  if (versioning === undefined) return undefined
  const { settings } = contextOf(server)
  const { scheme } = toScheme('versioning', versioning, false, settings, schemes)
  if (scheme !== null) {
    setDefaultServer(scheme, server)
    warnings.warnDefaultNotListed(scheme)
  }
  return scheme
}

function endingOf ({ deprecated, versioning }: DeclaredOptions): Ending | undefined {
  if (deprecated === undefined) return undefined
  if (versioning !== false) return toEnding('deprecated', deprecated, 'This URL')
  throw new VersioningOptionError('deprecated', 'none, because the route has no version', show(deprecated))
}

/**
 * Call it when a context has been registered: it may already have routes.
 *
 * @throws FST_ERR_VERSIONING_OPTION if the former scheme chooses one of them by its versions
 */
export function refreshRoutes (context: FastifyInstance): void {
  for (const route of appOf(context).routes.list) {
    const { server } = route
    if (server !== context && !Object.prototype.isPrototypeOf.call(context, server)) continue
    if (route.claim !== null && route.claim.scheme !== schemeOf(route)) {
      throw new VersioningConflictError(
        `Register fastify-versioning before declaring ${labelOf(route)}, which has a version.`
      )
    }
    hookLast(route)
    try {
      checkOwnScheme(route)
    } catch (error) {
      throw atRoute(error, route)
    }
  }
}

/**
 * onReady: all routes are declared.
 *
 * @throws FST_ERR_VERSIONING_OPTION where requests would not come to routes as their options say
 */
export async function settleRoutes (this: FastifyInstance): Promise<void> {
  const app = appOf(this)
  if (app.isReady) return
  app.isReady = true
  const { outlines, routes, routerOptions, warnings } = app
  routes.list.forEach(checkUrl)
  const isAnyRefused = routes.remove((route) => (
    route.isTaken !== true && (isRefused(route) || isInRouter(route, routerOptions) === false)
  ))
  // Links may have been made already.
  if (isAnyRefused) setRegistry(this, new Registry(routes, routerOptions))
  // Two routes may claim a version because changes have made one of them.
  app.olderRoutes.check()
  const slots = slotsOf(routes.list, routerOptions)
  checkSlots(slots, routerOptions)
  for (const [route, entries] of slots.entries) route.groups = entries.flatMap(({ group }) => group ?? [])
  warnings.warnRoutes(routes.list)
  routes.list.forEach(settle)
  outlines.clear()
}

function checkOwnScheme ({ ownScheme, server }: Route): void {
  if (ownScheme) checkContextOptions(contextOf(server), ownScheme)
}

function checkCount (route: Route, { routes }: App): void {
  if (routes.at(route.configUrl).length < MAX_HANDLERS) return
  const others = routes.sharing(route)
  if (others.length < MAX_HANDLERS || ![route, ...others].some(({ claim }) => claim !== null)) return
  throw new VersioningConflictError(
    `Versions can choose among at most ${MAX_HANDLERS} routes for ${labelOf(route)}. ` +
    'A range { from, to } serves several versions with one route.'
  )
}

function checkUrl ({ url, methods, options }: Route): void {
  if (options === null || options.url === url || options.url === `${url}/`) return
  throw new VersioningConflictError(
    `A later onRoute hook has changed the URL of ${labelOf({ methods, url })} to ${show(options.url)}. ` +
    'Add that hook before registering fastify-versioning.'
  )
}

/** The router keeps one of two equal routes: the first, unless Fastify has refused it. */
function findRefused (route: Route, options: DeclaredOptions, { outlines, routerOptions, routes }: App): void {
  // The router takes longer to answer than everything else here.
  const outline = outlineOf(route.url)
  if (!outlines.has(outline)) {
    outlines.add(outline)
    return
  }
  if (route.isTaken === null && isInRouter(route, routerOptions) === true) {
    route.isTaken = false
    return
  }
  for (const other of routes.at(route.configUrl)) {
    const isTwin = other.methods[0] === route.methods[0] && other.url === route.url
    if (isTwin && isEqual(other.options?.constraints ?? {}, options.constraints ?? {})) other.isTaken = false
  }
}

/** A URL without parameters and slashes. URLs that are the same to the router have the same outline. */
export function outlineOf (url: string): string {
  return url.toLowerCase().replace(/:[^/]*|[/*?^$()]/g, '')
}

/** A later onRoute hook may have turned a duplicate into a different route. */
function isRefused ({ constraints, isTaken, options }: Route): boolean {
  return isTaken === false && isEqual(otherConstraints(options?.constraints), constraints)
}

/**
 * Fastify may have refused a route after `onRoute`, for example because of a hook that is not a function.
 *
 * @returns null for the path `*`, which the router never lists
 */
function isInRouter ({ server, methods, url, options }: Route, routerOptions: RouterOptions): boolean | null {
  if (url === '*') return null
  const { constraints = {} } = options as DeclaredOptions
  const [path] = expandOptional(url)
  const registered = normalize(path, routerOptions)
  try {
    return server.hasRoute({ method: methods[0] as HTTPMethods, url: registered, constraints })
  } catch {
    return false
  }
}

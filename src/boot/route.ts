import isEqual from 'fast-deep-equal'

import { writtenForOf } from '../changes/written-for.ts'
import { contextOf, inherited, rootOf, schemeOf } from '../context.ts'
import { VersioningConflictError, VersioningOptionError, addSentence, isOfBoot } from '../errors.ts'
import { show } from '../messages.ts'
import { namespaceOf, setDefaultServer } from '../links/scope.ts'
import { toRetirement } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkName } from '../options/read.ts'
import { Claim, configWith, labelOf, routeOf, settle } from '../routes.ts'
import { toClaim } from '../routing/claim.ts'
import { checkSegment } from '../routing/path-version.ts'
import { checkSlots, slotsOf } from '../routing/slots.ts'
import { CONSTRAINT } from '../routing/store.ts'
import { appOf } from './app.ts'
import { hookLast, prepareLater } from './hooks.ts'
import { checkNearOptions } from './near-options.ts'
import { toScheme } from './registration.ts'
import { warnDefault, warnPrefixes } from './warnings.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Retirement } from '../options/lifecycle.ts'
import type { Constraints, DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Slots } from '../routing/slots.ts'
import type { RouteVersions } from '../../types/index.d.ts'

/** The default of the route option `version` in a context, or null for all versions that no other route claims. */
export const contextVersions = inherited<RouteVersions | null>('versions')

/** The hook that Fastify gives the HEAD routes that it adds. */
const HEAD_HOOK = 'headRouteOnSendHandler'

const ONE_METHOD = new Map<string, readonly string[]>()
/** One object, so that they are compared at once. */
const NO_CONSTRAINTS: Constraints = Object.freeze({})

/** onRoute: records a route, and gives it the config and the constraint that it needs. */
export function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
  const methods = methodsOf(options.method)
  try {
    takeIn(this, options, methods)
  } catch (error) {
    throw atRoute(error, { methods, url: options.url })
  }
}

/** Adds the route to the message of one of our errors at boot; an error that is not ours stays as it is. */
function atRoute (error: unknown, route: Pick<Route, 'methods' | 'url'>): unknown {
  const label = labelOf(route)
  if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` The route is ${label}.`)
  return error
}

function methodsOf (method: DeclaredOptions['method']): readonly string[] {
  if (typeof method !== 'string') return method
  const known = ONE_METHOD.get(method) ?? Object.freeze([method])
  ONE_METHOD.set(method, known)
  return known
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[]): void {
  const { knownOptions, olderRoutes, routes, warned } = appOf(server)
  const context = contextOf(server)
  const { name, url } = options
  checkNearOptions(options, knownOptions)
  if (name !== undefined) checkName('name', name)
  const ownScheme = ownSchemeOf(server, options)
  const scheme = schemeOf({ ownScheme, server })
  if (ownScheme) {
    checkContextOptions(context, ownScheme)
    setDefaultServer(ownScheme, server)
    warnDefault(ownScheme, warned)
  }
  // A default of the context is not for routes that have no versions at all.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  const claim = version === null ? null : toClaim(version, scheme)
  if (claim !== null) checkSegment(claim, { methods, url })
  writtenForOf({ server, ownScheme }, options)
  const route: Route = {
    server,
    methods,
    url,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme,
    scheme,
    retirement: retirementOf(options),
    claim,
    isAdded: isAddedAfter(routes.list.at(-1), server, options),
    constraints: otherConstraints(options.constraints as Constraints | undefined),
    alias: null,
    options,
    slots: null,
    older: { byVersion: null, declared: null }
  }
  if (claim !== null) {
    claim.route = route
    options.constraints = { ...route.constraints, [CONSTRAINT]: claim }
  } else if (CONSTRAINT in Object(options.constraints)) {
    options.constraints = { ...route.constraints }
  }
  options.config = configWith(route, options.config)
  routes.add(route)
  olderRoutes.add(route, options)
  prepareLater(route)
}

/**
 * The constraints of a route besides ours, which options copied from another route may hold.
 *
 * @throws FST_ERR_VERSIONING_OPTION if the user has written a value for ours
 */
function otherConstraints (constraints: Constraints | undefined): Constraints {
  if (constraints === undefined) return NO_CONSTRAINTS
  const { [CONSTRAINT]: ours, ...others } = constraints
  if (ours === undefined || ours instanceof Claim) return Object.keys(others).length === 0 ? NO_CONSTRAINTS : others
  throw new VersioningOptionError(`constraints.${CONSTRAINT}`, 'the route option "version" instead', show(ours))
}

/** Whether Fastify adds a HEAD route: right after its GET route, or after the HEAD route of its other path. */
function isAddedAfter (last: Route | undefined, server: FastifyInstance, options: DeclaredOptions): boolean {
  const { method, handler, onSend, url } = options
  if (method !== 'HEAD' || last?.server !== server) return false
  const isNext = url === `${last.url}/` || (url === last.url && last.methods.includes('GET'))
  // An onRoute hook before ours may have wrapped the handler once for each route.
  const isTwin = handler === last.options?.handler || [onSend].flat().some((hook) => hook?.name === HEAD_HOOK)
  return isNext && isTwin
}

/** The route's own scheme; null if it is neutral, undefined if it has the scheme of its context. */
function ownSchemeOf (server: FastifyInstance, { versioning }: DeclaredOptions): Scheme | null | undefined {
  if (versioning === undefined) return undefined
  return toScheme('versioning', versioning, false, contextOf(server).settings).scheme
}

function retirementOf ({ deprecated, versioning }: DeclaredOptions): Retirement | undefined {
  if (deprecated === undefined) return undefined
  if (versioning !== false) return toRetirement('deprecated', deprecated, 'This URL')
  throw new VersioningOptionError('deprecated', 'none, because the route has no version', show(deprecated))
}

/**
 * Call it when a context has been registered: it may already have routes.
 *
 * @throws FST_ERR_VERSIONING_OPTION if the former scheme chooses one of them by its versions
 */
export function refreshRoutes (context: FastifyInstance): void {
  for (const route of appOf(context).routes.list) {
    const { claim, ownScheme, server } = route
    if (server !== context && !Object.prototype.isPrototypeOf.call(context, server)) continue
    route.scheme = schemeOf(route)
    if (claim !== null && claim.scheme !== route.scheme) {
      throw new VersioningConflictError(
        `Register fastify-versioning before declaring ${labelOf(route)}, which has a version.`
      )
    }
    hookLast(route)
    try {
      if (ownScheme) checkContextOptions(contextOf(server), ownScheme)
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
  const { olderRoutes, routes, routerOptions } = app
  const { list } = routes
  list.forEach(checkUnchanged)
  const slots = slotsOf(list, routerOptions)
  checkSlots(slots, routerOptions)
  // The contexts around the one of the plugin may have routes that it has not seen.
  if (routes.isIncomplete || rootOf(this) !== this) checkUnseen(slots)
  for (const [route, own] of slots) route.slots = own
  olderRoutes.settle(list)
  warnPrefixes(list)
  list.forEach(settle)
}

/** @throws FST_ERR_VERSIONING_OPTION where a route that was declared before the plugin would never be reached */
function checkUnseen (slots: Slots): void {
  for (const [{ server, url }, own] of slots) {
    for (const { method, constraints, open } of own) {
      const isUnseen = open === null && server.hasRoute({ method: method as HTTPMethods, url, constraints })
      if (!isUnseen) continue
      throw new VersioningConflictError(
        `${method} ${url} was declared before fastify-versioning was loaded, and again with a version: await the ` +
        'registration of the plugin before declaring routes.'
      )
    }
  }
}

/** A later onRoute hook may have replaced what the router and requests need. */
function checkUnchanged (route: Route): void {
  const { claim, constraints, options, url } = route
  const { config, constraints: own, url: ownUrl } = options as DeclaredOptions
  const { [CONSTRAINT]: ours, ...others } = (own ?? {}) as Constraints
  const isConstrained = ours === (claim ?? undefined) && isEqual(others, constraints)
  if (isConstrained && routeOf(config) === route && (ownUrl === url || ownUrl === `${url}/`)) return
  throw new VersioningConflictError(
    `A later onRoute hook has replaced the url, the constraints or the config of ${labelOf(route)}. ` +
    'Add that hook before registering fastify-versioning, or let it copy what it replaces.'
  )
}

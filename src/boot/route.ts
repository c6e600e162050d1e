import { isDeepStrictEqual } from 'node:util'

import { NOT_OLDER } from '../changes/route-forms.ts'
import { contextOf, contextVersions, schemeOf } from '../context.ts'
import { VersioningOptionError, addSentence, isOfBoot, forbid } from '../errors.ts'
import { settleEvent } from '../events/events.ts'
import { isAddedHead } from '../fastify/head-route.ts'
import { functionsIn } from '../fastify/route-functions.ts'
import { MAX_HANDLERS } from '../fastify/router-handlers.ts'
import { namespaceOf } from '../instances.ts'
import { show } from '../messages.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkName } from '../options/read.ts'
import { isSameButPatterns } from '../paths/pattern.ts'
import { Claim, kRoute, labelOf, routeOf } from '../routes.ts'
import { checkSegment } from '../routing/path-version.ts'
import { checkSlot, setSlots } from '../routing/slots.ts'
import { CONSTRAINT } from '../routing/store.ts'
import { appOf } from './app.ts'
import { checkContentKeys } from './content-keys.ts'
import { checkPlaces } from './misplaced-options.ts'
import { checkRouteOptions } from './near-options.ts'
import { exemptRefusals } from './responses.ts'
import { readVersions } from './route-versions.ts'
import { checkStrict } from './strict-schemas.ts'
import { checkRoutesSeen, checkSettingsMeant, checkSettingsUsed } from './unused-settings.ts'
import { checkVary } from './unvaried.ts'
import {
  warnConstraint, warnPathless, warnPrefixes, warnRemoval, warnUnchanged, warnUnreached, warnWrittenFor
} from './warnings.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Claimant, Constraints, DeclaredOptions, Route, Routes, Slot, Versioned } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { App } from './app.ts'

// Shared by most routes, to save memory.
const NO_CONSTRAINTS: Constraints = Object.freeze({})
const UNCONSTRAINED: SplitConstraints = Object.freeze({ ours: undefined, others: NO_CONSTRAINTS })
const NO_FUNCTIONS: readonly unknown[] = Object.freeze([])
const listsOfOne: Record<string, readonly string[]> = Object.create(null)

interface SplitConstraints {
  /** The value of the constraint of the plugin, if there is one. */
  readonly ours: unknown
  readonly others: Constraints
}

/** Fastify's own constraint would throw "Major version must be a numeric value". */
function checkSemver ({ version }: Constraints, scheme: Scheme | null, server: FastifyInstance): void {
  if (!scheme?.listedVersions.includes(version as string) || server.hasConstraintStrategy('version')) return
  if (/^\d+(?:\.|$)/.test(version as string)) return
  forbid('version', 'Move "version" out of "constraints", where Fastify expects a version such as \'1.2.0\', got ' +
    `${show(version)}.`)
}

function splitConstraints ({ constraints }: DeclaredOptions): SplitConstraints {
  if (constraints === undefined) return UNCONSTRAINED
  const { [CONSTRAINT]: ours, ...others } = constraints as Constraints
  return { ours, others: Object.keys(others).length === 0 ? NO_CONSTRAINTS : others }
}

/** onRoute: records a route, and gives it the config, the constraint and the hooks that it needs. */
export function routeDeclarer (app: App) {
  return function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
    const { method } = options
    const methods = Array.isArray(method) ? method : (listsOfOne[method] ??= [method])
    try {
      takeIn(this, options, methods, app)
    } catch (error) {
      const label = labelOf({ methods, url: options.url })
      const { version } = options
      const ofVersion = version === undefined ? '' : ` (version ${show(version)})`
      if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` Route: ${label}${ofVersion}.`)
      throw error
    }
  }
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[], app: App): void {
  const { registry: { routes }, unprepared } = app
  const { name, url } = options
  const isAdded = isAddedHead(methods, options)
  // Fastify adds it with the options of its GET route, which are right.
  if (!isAdded) checkRouteOptions(options)
  if (name !== undefined) checkName('name', name)
  const read = readVersions(server, options, app, isAdded)
  const { scheme } = read
  const claim = read.claim && new Claim(read.claim.versions, read.claim.rank)
  if (scheme !== null && claim !== null) checkSegment(scheme, { methods, url })
  const { ours: constraint, others: constraints } = splitConstraints(options)
  const route: Route = {
    server,
    methods,
    url,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme: read.ownScheme,
    context: read.context,
    scheme,
    varies: null,
    retirement: read.retirement,
    claim,
    isAdded,
    constraints,
    alias: null,
    options,
    handler: null,
    functions: NO_FUNCTIONS,
    schema: null,
    writtenFor: read.writtenFor,
    observer: null,
    slots: null,
    older: NOT_OLDER
  }
  if (constraints !== NO_CONSTRAINTS) checkSemver(constraints, scheme, server)
  const { config: ofApp } = options
  const index = routes.list.length
  // Fastify copies the config and adds these two. Without them V8 makes a hidden class for every copy.
  const config: Record<PropertyKey, unknown> = ofApp === undefined
    ? { url: undefined, method: undefined, [kRoute]: index }
    : { url: undefined, method: undefined, [kRoute]: index, ...ofApp }
  config[kRoute] = index
  options.config = config
  if (constraint !== undefined || claim !== null) constrain(route, constraint, config)
  countHandlers(route, app)
  routes.list.push(route)
  app.olderRoutes.add(route, options)
  // Other onRoute hooks may change the options. They have run when avvio comes to what stands in its queue.
  if (unprepared.push(route) === 1) {
    server.after(function prepareRoutes () { for (const route of unprepared.splice(0)) exemptRefusals(route) })
  }
}

/**
 * Gives a route the claim that it has.
 *
 * @param constraint what its options have in its place
 */
function constrain (route: Route, constraint: unknown, config: Record<PropertyKey, unknown>): void {
  const { claim, constraints } = route
  const options = route.options as DeclaredOptions
  // Options that are copied from another route have its claim.
  const isCopied = constraint instanceof Claim
  if (constraint !== undefined && !isCopied) {
    forbid('version', `Use the route option "version": the constraint "${CONSTRAINT}" belongs to fastify-versioning.`)
  }
  if (isCopied) delete config.versions
  if (claim === null) options.constraints = { ...constraints }
  else {
    claim.route = route as Claimant
    config.versions = claim.versions
    options.constraints = { ...constraints, [CONSTRAINT]: claim }
  }
}

/**
 * Counts the handlers of a URL that have constraints. The router takes a limited number where there are any; without
 * one, it takes a single handler.
 *
 * @throws FST_ERR_VERSIONING_OPTION for one too many, if versions choose among them
 */
function countHandlers ({ methods, url, claim, constraints }: Route, { handlers, registry: { routes } }: App): void {
  const isConstrained = claim !== null || constraints !== NO_CONSTRAINTS
  if (!isConstrained && handlers.size === 0) return
  for (const method of methods) {
    const key = `${method} ${url}`
    const before = handlers.get(key) ?? 0
    if (isConstrained) handlers.set(key, before + 1)
    if (before < MAX_HANDLERS - 1) continue
    const there = routes.list.filter((route) => route.url === url && route.methods.includes(method))
    if (there.length < MAX_HANDLERS || (claim === null && there.every((route) => route.claim === null))) continue
    throw new VersioningOptionError(
      `Let a handler of ${key} serve several versions, as with version: { from: 'v1', to: 'v9' }, or remove versions ` +
      `that no client uses: Fastify's router takes at most ${MAX_HANDLERS} handlers for one URL and method.`
    )
  }
}

/**
 * onReady: all routes are declared.
 *
 * @throws FST_ERR_VERSIONING_OPTION where requests would not come to routes as their options say
 */
export async function settleRoutes (this: FastifyInstance): Promise<void> {
  const { events, handlers, olderRoutes, registrations, registry: { options, routes } } = appOf(this)
  const { list } = routes
  // Contexts next to each other each have this hook.
  if (routes.isSettled) return
  checkSettingsUsed(registrations, list)
  checkRoutesSeen(registrations, list)
  let before: Route | null = null
  for (const route of list) {
    settleRoute(route, routes, before)
    before = route
  }
  const slots = setSlots(list, options)
  for (const slot of slots) checkSlot(slot, options)
  for (const slot of slots) checkUnseen(slot, list, options)
  warnUnchanged(olderRoutes.settle(list, (copies) => events.flatMap((event) => settleEvent(event, copies))))
  if (olderRoutes.losesMembers()) warnRemoval()
  checkContentKeys(list)
  const versioned = list.filter(hasVersions)
  warnPrefixes(versioned)
  warnUnreached(versioned)
  warnPathless(versioned)
  checkSettingsMeant(registrations, list)
  checkVary(versioned)
  checkStrict(versioned)
  warnWrittenFor(versioned)
  checkPlaces(list)
  warnConstraint(list, this)
  for (const route of list) {
    const options = route.options as DeclaredOptions
    route.handler = options.handler
    route.functions = functionsIn(options)
    route.schema = options.schema
    route.options = null
  }
  handlers.clear()
  routes.isSettled = true
}

/**
 * @throws FST_ERR_VERSIONING_OPTION where the router refuses an open route beside the routes of a slot: one that was
 * declared before the plugin, which would take all requests, or one whose path differs in a pattern alone
 */
function checkUnseen (slot: Slot, list: readonly Route[], options: RouterOptions): void {
  const { method, constraints, open, routes: [route] } = slot
  const { server, url } = route
  if (open !== null || !server.hasRoute({ method: method as HTTPMethods, url, constraints })) return
  const twin = list.find((candidate) => (
    candidate.claim === null && candidate.methods.includes(method) &&
    isDeepStrictEqual(candidate.constraints, constraints) && isSameButPatterns(candidate.url, url, options)
  ))
  throw new VersioningOptionError(
    twin === undefined
      ? `${method} ${url} is declared twice, and fastify-versioning has seen only one of them. 1. If the other came ` +
        'before the plugin had loaded, write "await app.register(versioning, …)" before both. 2. If it is in a ' +
        'context next to the one of the plugin, register the plugin in a context above both.'
      : `Give ${labelOf(twin)} the option "version", too, or another path: it differs from ${labelOf(route)} in the ` +
        "pattern of a parameter alone, and Fastify's router takes both for one path."
  )
}

/** Whether a route that the app declares has versions. */
function hasVersions (route: Route): route is Versioned {
  return route.scheme !== null && !route.isAdded && route.methods[0] !== 'OPTIONS'
}

/**
 * Later registrations of the plugin and later onRoute hooks may have replaced what the router and requests need.
 *
 * @param before the route that was declared before, mostly in the same context
 */
function settleRoute (route: Route, routes: Routes, before: Route | null): void {
  const { claim, scheme, server, url } = route
  route.context = contextOf(server)
  route.scheme = schemeOf(route)
  if (route.scheme === before?.scheme && route.context === before.context) route.varies = before.varies
  else if (route.scheme !== null) {
    checkContextOptions(route.context, route.scheme)
    route.varies = variesOf(route.scheme, route.context)
  }
  if (route.scheme !== scheme && (claim !== null || (contextVersions.of(server) ?? null) !== null)) {
    throw new VersioningOptionError(
      `${labelOf(route)} has a version, but a later registration in its context changed the scheme. Register ` +
      'fastify-versioning before you declare the route.'
    )
  }
  const options = route.options as DeclaredOptions
  const { config, routePath, url: ownUrl } = options
  // Fastify shows `/prefix` to hooks, and then writes `/prefix/` into the same options when it adds that path, too.
  if (routePath === '/' && ownUrl === `${url}/`) route.alias = ownUrl
  const isThere = (ownUrl === url || ownUrl === route.alias) && routeOf(config, routes) === route
  if (!hasMethods(route, options) || !isThere || !hasConstraints(route, options)) throw lostRoute(route, options)
}

/** Most routes have one method, and no constraints: what compares deeply is not compiled for them. */
function hasMethods ({ methods }: Route, { method }: DeclaredOptions): boolean {
  return (methods.length === 1 && method === methods[0]) || isDeepStrictEqual([method].flat(), methods)
}

function hasConstraints ({ claim, constraints }: Route, options: DeclaredOptions): boolean {
  const { ours = null, others } = splitConstraints(options)
  return ours === claim && (others === constraints || isDeepStrictEqual(others, constraints))
}

function lostRoute (route: Route, options: DeclaredOptions): VersioningOptionError {
  const lost = hasMethods(route, options) ? 'url, the constraints or the config' : 'methods'
  return new VersioningOptionError(
    `An onRoute hook replaced the ${lost} of ${labelOf(route)}, so the plugin lost the route. Add the hook before ` +
    'you register fastify-versioning, or copy the old properties into the new object.'
  )
}

/** Under `trustProxy` a host is the one that a proxy forwards, which caches behind it do not see. */
function variesOf ({ inHost, varies }: Scheme, { trustsProxy }: VersioningContext): string | null {
  return trustsProxy && inHost.length > 0 ? [varies, 'X-Forwarded-Host'].filter(Boolean).join(', ') : varies
}

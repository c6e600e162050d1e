import { isDeepStrictEqual } from 'node:util'

import { writtenForOf } from '../older-routes/written-for.ts'
import { NOT_OLDER } from '../changes/route-forms.ts'
import { contextOf, contextVersions, schemeOf } from '../context.ts'
import { VersioningOptionError, addSentence, isOfBoot, forbid } from '../errors.ts'
import { settleEvent } from '../events/events.ts'
import { isAddedHead } from '../fastify/head-route.ts'
import { functionsIn } from '../fastify/route-functions.ts'
import { MAX_HANDLERS } from '../fastify/router-handlers.ts'
import { namespaceOf } from '../instances.ts'
import { setHome } from '../links/registry.ts'
import { show } from '../messages.ts'
import { toRetirement } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkName } from '../options/read.ts'
import { isSameButPatterns } from '../paths/pattern.ts'
import {
  warnConstraint, warnDefault, warnPathless, warnPrefixes, warnRemoval, warnUnchanged, warnUnderscore, warnUnreached
} from '../requests/warnings.ts'
import { Claim, kRoute, labelOf, routeOf } from '../routes.ts'
import { toClaim } from '../routing/claim.ts'
import { checkSegment } from '../routing/path-version.ts'
import { checkSlot, setSlots } from '../routing/slots.ts'
import { CONSTRAINT } from '../routing/store.ts'
import { appOf } from './app.ts'
import { checkContentKeys } from './content-keys.ts'
import { checkPlaces } from './misplaced-options.ts'
import { checkRouteOptions } from './near-options.ts'
import { exemptRefusals } from './responses.ts'
import { toScheme } from './registration.ts'
import { checkRoutesSeen, checkSettingsUsed } from './unused-settings.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Claimant, Constraints, DeclaredOptions, Route, Routes, Slot } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { App } from './app.ts'

// Shared by most routes, to save memory.
const NO_CONSTRAINTS: SplitConstraints = Object.freeze({ ours: undefined, others: Object.freeze({}) })
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
  if (constraints === undefined) return NO_CONSTRAINTS
  const { [CONSTRAINT]: ours, ...others } = constraints as Constraints
  return { ours, others }
}

/** onRoute: records a route, and gives it the config, the constraint and the hooks that it needs. */
export function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
  const { method } = options
  const methods = Array.isArray(method) ? method : (listsOfOne[method] ??= [method])
  try {
    takeIn(this, options, methods)
  } catch (error) {
    const label = labelOf({ methods, url: options.url })
    const { version } = options
    const ofVersion = version === undefined ? '' : ` (version ${show(version)})`
    if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` Route: ${label}${ofVersion}.`)
    throw error
  }
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[]): void {
  const { handlers, olderRoutes, registry: { routes }, unprepared, warned } = appOf(server)
  const context = contextOf(server)
  const { deprecated, name, url, versioning } = options
  checkRouteOptions(options)
  const { namespace } = options as { readonly namespace?: unknown }
  if (namespace !== undefined) {
    forbid('namespace', 'Move "namespace" from this route to the register() of the plugin that declares it.')
  }
  if (name !== undefined) checkName('name', name)
  // Null for a neutral route, undefined for the scheme of the context.
  const ownScheme = versioning === undefined ? undefined : toScheme('versioning', versioning, false, context.settings)
  const scheme = schemeOf({ ownScheme, server })
  if (ownScheme) {
    checkContextOptions(context, ownScheme)
    setHome(ownScheme, server)
    warnDefault(ownScheme, warned)
    warnUnderscore(ownScheme, warned)
  }
  // A default of the context is not for routes that have no versions at all.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  if (version !== null && versioning === false) {
    forbid('version', 'Remove "version": with "versioning: false", this route has no version.')
  }
  const claim = version === null ? null : toClaim(version, scheme)
  if (scheme !== null && claim !== null) checkSegment(scheme, { methods, url })
  const writtenFor = writtenForOf({ server, ownScheme }, options)
  const { ours: constraint, others: constraints } = splitConstraints(options)
  // Options that are copied from another route have its claim.
  const isCopied = constraint instanceof Claim
  if (constraint !== undefined && !isCopied) {
    forbid('version', `Use the route option "version": the constraint "${CONSTRAINT}" belongs to fastify-versioning.`)
  }
  checkSemver(constraints, scheme, server)
  const route: Route = {
    server,
    methods,
    url,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme,
    context,
    scheme,
    varies: null,
    retirement: deprecated === undefined ? undefined : toRetirement('deprecated', deprecated, 'This URL'),
    claim,
    isAdded: isAddedHead(methods, options),
    constraints,
    alias: null,
    options,
    handler: null,
    functions: [],
    schema: null,
    writtenFor,
    observer: null,
    slots: null,
    older: NOT_OLDER
  }
  const index = routes.list.length
  // Fastify copies the config and adds these two. Without them V8 makes a hidden class for every copy.
  const config: Record<PropertyKey, unknown> = { url: undefined, method: undefined, [kRoute]: index, ...options.config }
  config[kRoute] = index
  if (isCopied) {
    delete config.versions
    options.constraints = { ...constraints }
  }
  if (claim !== null) {
    claim.route = route as Claimant
    config.versions = claim.versions
    options.constraints = { ...constraints, [CONSTRAINT]: claim }
  }
  options.config = config
  countHandlers(route, handlers, routes)
  routes.list.push(route)
  olderRoutes.add(route, options)
  // Other onRoute hooks may change the options. They have run when avvio comes to what stands in its queue.
  if (unprepared.push(route) === 1) {
    server.after(function prepareRoutes () { for (const route of unprepared.splice(0)) exemptRefusals(route) })
  }
}

/**
 * Counts the handlers of a URL, of which the router takes a limited number where it has constraints.
 *
 * @throws FST_ERR_VERSIONING_OPTION for one too many, if versions choose among them
 */
function countHandlers ({ methods, url, claim }: Route, handlers: App['handlers'], { list }: Routes): void {
  for (const method of methods) {
    const key = `${method} ${url}`
    const count = (handlers.get(key) ?? 0) + 1
    handlers.set(key, count)
    if (count <= MAX_HANDLERS || (claim === null && !list.some((route) => route.url === url && route.claim))) continue
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
  for (const route of list) settleRoute(route, routes)
  const slots = setSlots(list, options)
  for (const slot of slots) checkSlot(slot, options)
  for (const slot of slots) checkUnseen(slot, list, options)
  warnUnchanged(olderRoutes.settle(list, () => events.flatMap(settleEvent)))
  if (olderRoutes.losesMembers()) warnRemoval()
  checkContentKeys(list)
  warnPrefixes(list)
  warnUnreached(list)
  warnPathless(list)
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

/** Later registrations of the plugin and later onRoute hooks may have replaced what the router and requests need. */
function settleRoute (route: Route, routes: Routes): void {
  const { claim, constraints, methods, options, scheme, server, url } = route
  route.context = contextOf(server)
  route.scheme = schemeOf(route)
  if (route.scheme !== null) {
    checkContextOptions(route.context, route.scheme)
    route.varies = variesOf(route.scheme, route.context)
  }
  const hasVersion = claim !== null || (contextVersions.of(server) ?? null) !== null
  if (hasVersion && route.scheme !== scheme) {
    throw new VersioningOptionError(
      `${labelOf(route)} has a version, but a later registration in its context changed the scheme. Register ` +
      'fastify-versioning before you declare the route.'
    )
  }
  const { config, method, routePath, url: ownUrl } = options as DeclaredOptions
  const { ours = null, others } = splitConstraints(options as DeclaredOptions)
  // Most routes have one method, and no constraints: what compares deeply is not compiled for them.
  const hasMethods = (methods.length === 1 && method === methods[0]) || isDeepStrictEqual([method].flat(), methods)
  const hasConstraints = others === constraints || isDeepStrictEqual(others, constraints)
  const isSame = hasMethods && hasConstraints && ours === claim
  // Fastify shows `/prefix` to hooks, and then writes `/prefix/` into the same options when it adds that path, too.
  if (routePath === '/' && ownUrl === `${url}/`) route.alias = ownUrl
  if (isSame && routeOf(config, routes) === route && [url, route.alias].includes(ownUrl)) return
  throw new VersioningOptionError(
    `An onRoute hook replaced the ${hasMethods ? 'url, the constraints or the config' : 'methods'} of ` +
    `${labelOf(route)}, so the plugin lost the route. Add the hook before you register fastify-versioning, or copy ` +
    'the old properties into the new object.'
  )
}

/** Under `trustProxy` a host is the one that a proxy forwards, which caches behind it do not see. */
function variesOf ({ inHost, varies }: Scheme, { trustsProxy }: VersioningContext): string | null {
  return trustsProxy && inHost.length > 0 ? [varies, 'X-Forwarded-Host'].filter(Boolean).join(', ') : varies
}

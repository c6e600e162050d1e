import isEqual from 'fast-deep-equal'

import { writtenForOf } from '../changes/written-for.ts'
import { contextOf, inherited, schemeOf } from '../context.ts'
import { VersioningConflictError, addSentence, isOfBoot } from '../errors.ts'
import { namespaceOf, setDefaultServer } from '../links/scope.ts'
import { toRetirement } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkName, must } from '../options/read.ts'
import { warnDefault, warnPrefixes } from '../requests/warnings.ts'
import { Claim, kRoute, labelOf, routeOf } from '../routes.ts'
import { toClaim } from '../routing/claim.ts'
import { checkSegment } from '../routing/path-version.ts'
import { checkSlots, slotsOf } from '../routing/slots.ts'
import { CONSTRAINT } from '../routing/store.ts'
import { appOf } from './app.ts'
import { checkRouteOptions, misplaced } from './near-options.ts'
import { toScheme } from './registration.ts'
import { prepareResponses } from './responses.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Retirement } from '../options/lifecycle.ts'
import type { Constraints, DeclaredOptions, Route } from '../routes.ts'
import type { RouteVersions } from '../../types/index.d.ts'

/** The default of the route option `version` in a context, or null for all versions that no other route claims. */
export const contextVersions = inherited<RouteVersions | null>('versions')

/** The hook that Fastify gives the HEAD routes that it adds. */
const HEAD_HOOK = 'headRouteOnSendHandler'

/** onRoute: records a route, and gives it the config, the constraint and the hooks that it needs. */
export function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
  const methods = [options.method].flat()
  atRoute({ methods, url: options.url }, () => takeIn(this, options, methods))
}

/** Adds the route to the message of one of our errors at boot. */
function atRoute (route: Pick<Route, 'methods' | 'url'>, run: () => void): void {
  try {
    run()
  } catch (error) {
    const label = labelOf(route)
    if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` The route is ${label}.`)
    throw error
  }
}

function takeIn (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[]): void {
  const { olderRoutes, routes, warned } = appOf(server)
  const context = contextOf(server)
  const { name, url, versioning } = options
  checkRouteOptions(options)
  if ('namespace' in options) throw misplaced('namespace', options.namespace)
  if (name !== undefined) checkName('name', name)
  // Null for a neutral route, undefined for the scheme of the context.
  const ownScheme = versioning === undefined ? undefined : toScheme('versioning', versioning, false, context.settings)
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
  const { [CONSTRAINT]: given, ...constraints } = (options.constraints ?? {}) as Constraints
  // Options that are copied from another route have its claim.
  const isCopied = given instanceof Claim
  must(given === undefined || isCopied, `constraints.${CONSTRAINT}`, 'the route option "version" instead', given)
  const route: Route = {
    server,
    methods,
    url,
    name: name ?? null,
    namespace: namespaceOf(server),
    ownScheme,
    context,
    scheme,
    retirement: retirementOf(options),
    claim,
    isAdded: methods[0] === 'HEAD' && [options.onSend].flat().some((hook) => hook?.name === HEAD_HOOK),
    constraints,
    alias: null,
    options,
    slots: null,
    older: { byVersion: null, declared: null }
  }
  const config: Record<PropertyKey, unknown> = { ...options.config, [kRoute]: () => route }
  if (isCopied) {
    delete config.versions
    options.constraints = { ...constraints }
  }
  if (claim !== null) {
    claim.route = route
    config.versions = claim.versions
    options.constraints = { ...constraints, [CONSTRAINT]: claim }
  }
  options.config = config
  routes.list.push(route)
  olderRoutes.add(route, options)
  prepareResponses(route, options)
}

function retirementOf ({ deprecated, versioning }: DeclaredOptions): Retirement | undefined {
  if (deprecated === undefined) return undefined
  must(versioning !== false, 'deprecated', 'none, because the route has no version', deprecated)
  return toRetirement('deprecated', deprecated, 'This URL')
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
    route.context = contextOf(server)
    route.scheme = schemeOf(route)
    if (claim !== null && claim.scheme !== route.scheme) {
      throw new VersioningConflictError(
        `Register fastify-versioning before declaring ${labelOf(route)}, which has a version.`
      )
    }
    if (ownScheme) atRoute(route, () => checkContextOptions(route.context, ownScheme))
  }
}

/**
 * onReady: all routes are declared.
 *
 * @throws FST_ERR_VERSIONING_OPTION where requests would not come to routes as their options say
 */
export async function settleRoutes (this: FastifyInstance): Promise<void> {
  const { olderRoutes, routes: { list }, routerOptions } = appOf(this)
  // Contexts next to each other each have this hook.
  if (list.at(-1)?.options === null) return
  list.forEach(checkUnchanged)
  const slots = slotsOf(list, routerOptions)
  checkSlots(slots, routerOptions)
  for (const [route, own] of slots) route.slots = own
  list.forEach(checkUnseen)
  olderRoutes.settle(list)
  warnPrefixes(list)
  for (const route of list) route.options = null
}

/** @throws FST_ERR_VERSIONING_OPTION where a route that was declared before the plugin would never be reached */
function checkUnseen ({ server, slots, url }: Route): void {
  for (const { method, constraints, open } of slots?.values() ?? []) {
    if (open !== null || !server.hasRoute({ method: method as HTTPMethods, url, constraints })) continue
    throw new VersioningConflictError(
      `${method} ${url} was declared before fastify-versioning was loaded, and again with a version: await the ` +
      'registration of the plugin before declaring routes.'
    )
  }
}

/** A later onRoute hook may have replaced what the router and requests need. */
function checkUnchanged (route: Route): void {
  const { claim, constraints, options, url } = route
  const { config, constraints: own, routePath, url: ownUrl } = options as DeclaredOptions
  const { [CONSTRAINT]: ours, ...others } = (own ?? {}) as Constraints
  const isConstrained = ours === (claim ?? undefined) && isEqual(others, constraints)
  // Fastify shows `/prefix` to hooks, and then writes `/prefix/` into the same options when it adds that path, too.
  if (routePath === '/' && ownUrl === `${url}/`) route.alias = ownUrl
  if (isConstrained && routeOf(config) === route && [url, route.alias].includes(ownUrl)) return
  throw new VersioningConflictError(
    `A later onRoute hook has replaced the url, the constraints or the config of ${labelOf(route)}. ` +
    'Add that hook before registering fastify-versioning, or let it copy what it replaces.'
  )
}

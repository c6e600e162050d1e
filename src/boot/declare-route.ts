import { NOT_OLDER } from '../changes/route-forms.ts'
import { VersioningOptionError, addSentence, forbid, isOfBoot } from '../errors.ts'
import { isAddedHead } from '../fastify/head-route.ts'
import { MAX_HANDLERS } from '../fastify/router-handlers.ts'
import { namespaceOf } from '../instances.ts'
import { show } from '../messages.ts'
import { checkName } from '../options/read.ts'
import { Claim, kRoute, labelOf } from '../routes.ts'
import { checkSegment } from '../routing/path-version.ts'
import { shapesOf } from '../routing/slots.ts'
import { CONSTRAINT } from '../routing/store.ts'
import { checkRouteOptions } from './near-options.ts'
import { exemptRefusals } from './responses.ts'
import { readVersions, saysTheSame } from './route-versions.ts'

import type { FastifyInstance } from 'fastify'
import type { Claimant, Constraints, DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { App } from './app.ts'

// Most routes share these objects, which saves memory.
const NO_CONSTRAINTS: Constraints = Object.freeze({})
const UNCONSTRAINED: SplitConstraints = Object.freeze({ ours: undefined, others: NO_CONSTRAINTS })
const listsOfOne: Record<string, readonly string[]> = Object.create(null)

interface SplitConstraints {
  /** The value of the constraint of the plugin, if there is one. */
  readonly ours: unknown
  readonly others: Constraints
}

/** Refuses a version of the scheme in Fastify's constraint `version`, which would throw about a "Major version". */
function checkSemver ({ version }: Constraints, scheme: Scheme | null, server: FastifyInstance): void {
  if (!scheme?.listedVersions.includes(version as string) || server.hasConstraintStrategy('version')) return
  if (/^\d+(?:\.|$)/.test(version as string)) return
  forbid('version', 'Move "version" out of "constraints", where Fastify expects a version such as \'1.2.0\', got ' +
    `${show(version)}.`)
}

/** Returns the constraint of the plugin, and the other constraints of a route. */
export function splitConstraints ({ constraints }: DeclaredOptions): SplitConstraints {
  if (constraints === undefined) return UNCONSTRAINED
  const { [CONSTRAINT]: ours, ...others } = constraints as Constraints
  return { ours, others: Object.keys(others).length === 0 ? NO_CONSTRAINTS : others }
}

/** Returns the onRoute hook, which records a route and gives it the config, the constraint and the hooks it needs. */
export function routeDeclarer (app: App) {
  return function declareRoute (this: FastifyInstance, options: DeclaredOptions): void {
    const { method } = options
    const methods = Array.isArray(method) ? method : (listsOfOne[method] ??= [method])
    try {
      recordRoute(this, options, methods, app)
    } catch (error) {
      const label = labelOf({ methods, url: options.url })
      const { version } = options
      const ofVersion = version === undefined ? '' : ` (version ${show(version)})`
      if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` Route: ${label}${ofVersion}.`)
      throw error
    }
  }
}

function recordRoute (server: FastifyInstance, options: DeclaredOptions, methods: readonly string[], app: App): void {
  const { registry: { routes: { list } }, unprepared } = app
  const isAdded = isAddedHead(methods, options)
  // A HEAD route that Fastify adds has the options of its GET route, which have been checked.
  if (!isAdded) checkRouteOptions(options)
  if (options.name !== undefined) checkName('name', options.name)
  const { ours: constraint, others: constraints } = splitConstraints(options)
  const before = isAdded ? list.at(-1) : undefined
  const isTwin = before?.server === server && saysTheSame(options, before.options)
  const { context, ownScheme, scheme, varies, claim: readClaim, retirement, writtenFor } = isTwin
    ? before
    : readVersions(server, options, app.warned)
  // A claim knows its route, so a HEAD route does not share the claim of its GET route.
  const claim = readClaim && new Claim(readClaim.versions, readClaim.rank)
  const { url } = options
  const route: Route = {
    server,
    methods,
    url,
    name: options.name ?? null,
    namespace: namespaceOf(server),
    ownScheme,
    context,
    scheme,
    varies,
    retirement,
    claim,
    isAdded,
    constraints,
    alias: null,
    options,
    writtenFor,
    observer: null,
    slots: null,
    older: NOT_OLDER
  }
  if (scheme !== null && claim !== null) checkSegment(scheme, { methods, url })
  if (constraints !== NO_CONSTRAINTS) checkSemver(constraints, scheme, server)
  const config = giveConfig(options, list.length)
  if (constraint !== undefined || claim !== null) constrain(route, constraint, config)
  countHandlers(route, app)
  list.push(route)
  app.olderRoutes.add(route, options)
  // Later onRoute hooks may change the options. They have all run when avvio comes to this function in its queue.
  if (unprepared.push(route) === 1) {
    server.after(function prepareRoutes () { for (const route of unprepared.splice(0)) exemptRefusals(route) })
  }
}

function giveConfig (options: DeclaredOptions, index: number): Record<PropertyKey, unknown> {
  const { config: ofApp } = options
  // Fastify copies the config and adds `url` and `method`. If they are missing, V8 makes a hidden class for each copy.
  const config: Record<PropertyKey, unknown> = ofApp === undefined
    ? { url: undefined, method: undefined, [kRoute]: index }
    : { url: undefined, method: undefined, [kRoute]: index, ...ofApp }
  config[kRoute] = index
  options.config = config
  return config
}

/**
 * Puts the claim of a route into the constraints of its options.
 *
 * @param constraint what the options have there
 */
function constrain (route: Route, constraint: unknown, config: Record<PropertyKey, unknown>): void {
  const { claim, constraints, options } = route
  // If an app copies the options of a route for another one, they have the claim of the first route.
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
 * Counts the handlers of a URL that have constraints. The router takes a limited number of handlers at a URL with
 * constraints. Without constraints, it takes a single handler.
 *
 * @throws FST_ERR_VERSIONING_OPTION for one handler too many, if versions choose among the handlers
 */
function countHandlers (route: Route, { handlers, registry: { options, routes } }: App): void {
  const { methods, url, claim, constraints } = route
  const isConstrained = claim !== null || constraints !== NO_CONSTRAINTS
  if (!isConstrained && handlers.size === 0) return
  for (const method of methods) {
    // The router may treat paths as equal that differ in the names of parameters, in slashes or in the case of letters.
    const key = `${method} ${url}`.toLowerCase().replace(/(?<=:)[^/]+|\/(?=\/|$)/g, '')
    const before = handlers.get(key) ?? 0
    if (isConstrained) handlers.set(key, before + 1)
    if (before < MAX_HANDLERS - 1) continue
    const shapes = shapesOf(route, options)
    const routesThere = routes.list.filter((earlier) => (
      earlier.methods.includes(method) && shapesOf(earlier, options).some((shape) => shapes.includes(shape))
    ))
    const hasClaim = [...routesThere, route].some((each) => each.claim !== null)
    if (routesThere.length < MAX_HANDLERS || !hasClaim) continue
    throw new VersioningOptionError(
      `Let a handler of ${method} ${url} serve several versions, as with version: { from: 'v1', to: 'v9' }, or ` +
      `remove versions that no client uses: Fastify's router takes at most ${MAX_HANDLERS} handlers for one URL and ` +
      'method.'
    )
  }
}

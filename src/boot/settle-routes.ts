import { isDeepStrictEqual } from 'node:util'

import { VersioningOptionError } from '../errors.ts'
import { settleEvent } from '../events/events.ts'
import { pluginBefore, warn } from '../messages.ts'
import { isSameButPatterns } from '../paths/pattern.ts'
import { labelOf, routeOf } from '../routes.ts'
import { checkSlot, setSlots, unreachedIn } from '../routing/slots.ts'
import { appOf } from './app.ts'
import { checkContentKeys } from './content-keys.ts'
import { splitConstraints } from './declare-route.ts'
import { checkPlaces, checkRegisters } from './misplaced-options.ts'
import { warnDoubled, warnPathless, warnPrefixes, warnUnreached } from './path-warnings.ts'
import { checkStrict } from './strict-schemas.ts'
import { checkSettings } from './unused-settings.ts'
import { checkVary } from './unvaried.ts'
import { warnConstraint, warnParser, warnUncalled, warnUnchanged, warnWrittenFor } from './warnings.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { DeclaredOptions, Route, Routes, Slot, Versioned } from '../routes.ts'

/**
 * onReady: completes the records of routes, and checks them, now that all routes are declared.
 *
 * @throws FST_ERR_VERSIONING_OPTION where requests would not come to routes as their options say
 */
export async function settleRoutes (this: FastifyInstance): Promise<void> {
  const app = appOf(this)
  const { events, handlers, olderRoutes, registrations, registry: { options, routes } } = app
  const { list } = routes
  // If the plugin is registered in contexts next to each other, each has this hook.
  if (routes.isSettled) return
  for (const route of list) settleRoute(route, routes)
  // Everything that follows needs the final records of routes.
  checkSettings(registrations, list)
  const slots = setSlots(list, options)
  for (const slot of slots) checkSlot(slot, options)
  for (const slot of slots) checkUnclaimed(slot, list, options)
  // Changes ask the slots which route serves a version.
  warnUnchanged(olderRoutes.settle(list, (copies) => events.flatMap((event) => settleEvent(event, copies))))
  if (olderRoutes.losesMembers()) {
    warn('FST_WARN_VERSION_CHANGE', 'Call checkChanges() in a test, because Ajv has "removeAdditional": \'all\' in ' +
      'this app: it removes what a schema does not describe, also where "additionalProperties" is not false. So a ' +
      'property that the "upgrade" of a change misspells is a 500 for older clients.')
  }
  checkContentKeys(list)
  const versioned = list.filter(hasVersions)
  warnPrefixes(versioned)
  warnUnreached(versioned)
  warnPathless(versioned)
  warnDoubled(versioned)
  warnParser(versioned, options)
  warnUncalled(unreachedIn(slots))
  checkVary(versioned)
  checkStrict(versioned)
  warnWrittenFor(versioned)
  checkPlaces(list)
  checkRegisters(app)
  warnConstraint(list, this)
  handlers.clear()
  app.registers.length = 0
  routes.isSettled = true
}

/**
 * Checks that the router has no route without a version in a slot that has no open route.
 *
 * @throws FST_ERR_VERSIONING_OPTION for a route that was declared before the plugin, which would take all requests, and
 * for a route whose path differs in a pattern alone
 */
function checkUnclaimed (slot: Slot, list: readonly Route[], options: RouterOptions): void {
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
        `before the plugin had loaded, write ${pluginBefore('both')} 2. If it is in a context next to the ` +
        'one of the plugin, register the plugin in a context above both.'
      : `Give ${labelOf(twin)} the option "version", too, or another path: it differs from ${labelOf(route)} in the ` +
        "pattern of a parameter alone, and Fastify's router takes both for one path."
  )
}

function hasVersions (route: Route): route is Versioned {
  return route.scheme !== null && !route.isAdded && route.methods[0] !== 'OPTIONS'
}

/** Checks that later onRoute hooks have not replaced options of a route that the router and requests need. */
function settleRoute (route: Route, routes: Routes): void {
  const { claim, options, ownScheme, url } = route
  const { config, routePath, url: ownUrl } = options
  // Fastify shows `/prefix` to hooks, and then writes `/prefix/` into the same options when it adds that path, too.
  if (routePath === '/' && ownUrl === `${url}/`) route.alias = ownUrl
  const isThere = (ownUrl === url || ownUrl === route.alias) && routeOf(config, routes) === route
  if (!hasMethods(route, options)) throw lostRoute(route, 'methods')
  if (!isThere || !hasConstraints(route, options)) throw lostRoute(route, 'url, the constraints or the config')
  const { deprecated, version = null, versioning } = options
  const isLate = (version !== null && claim === null) || (versioning !== undefined && ownScheme === undefined) ||
    (deprecated !== undefined && route.retirement === undefined)
  if (isLate) throw lostRoute(route, '"version", "versioning" or "deprecated"')
}

/** Tells whether options still have the methods of a route. Most routes have one, and need no deep comparison. */
function hasMethods ({ methods }: Route, { method }: DeclaredOptions): boolean {
  return (methods.length === 1 && method === methods[0]) || isDeepStrictEqual([method].flat(), methods)
}

function hasConstraints ({ claim, constraints }: Route, options: DeclaredOptions): boolean {
  const { ours = null, others } = splitConstraints(options)
  return ours === claim && (others === constraints || isDeepStrictEqual(others, constraints))
}

function lostRoute (route: Route, lost: string): VersioningOptionError {
  return new VersioningOptionError(
    `An onRoute hook replaced the ${lost} of ${labelOf(route)}, so the plugin lost the route. Add the hook before ` +
    'you register fastify-versioning, or copy the old properties into the new object.'
  )
}

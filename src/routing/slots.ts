import { isDeepStrictEqual } from 'node:util'

import { VersioningConflictError } from '../errors.ts'
import { show } from '../messages.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'
import { segmentOf } from './path-version.ts'

import type { RouterOptions } from '../fastify/router-options.ts'
import type { Claimant, Constraints, Route, Slot } from '../routes.ts'

/** Without a list of versions there is no release order. */
const { compare: byNumbers } = new Intl.Collator('en', { numeric: true })

/**
 * Finds the slots among routes, and sets those of each route, by method. The paths of a route have the same ones, or
 * `checkSlot` refuses them.
 */
export function setSlots (routes: readonly Route[], options: RouterOptions): Slot[] {
  for (const route of routes) route.slots = null
  const all = routes.some(isClaimant) ? [...byUrl(routes, options)] : []
  return all.filter(([, sharing]) => sharing.some(isClaimant)).flatMap(([key, sharing]) => {
    const method = key.slice(0, key.indexOf(' '))
    const maps: Map<string, Slot>[] = []
    for (const route of sharing) {
      let own = maps.find((map) => isDeepStrictEqual(map.get(method)?.constraints, route.constraints))
      if (own === undefined) maps.push(own = new Map([[method, toSlot(method, route.constraints, sharing)]]))
      // Most routes have one method: they share the map of their slot.
      route.slots = route.slots === null ? own : new Map([...route.slots, ...own])
    }
    return maps.flatMap((map) => [...map.values()])
  })
}

/** The routes of each method and of paths that are the same to the router. */
function byUrl (routes: readonly Route[], options: RouterOptions): Map<string, Route[]> {
  const all = new Map<string, Route[]>()
  for (const route of routes) {
    const shapes = shapesOf(route, options)
    const keys = route.methods.flatMap((method) => shapes.map((shape) => `${method} ${shape}`))
    for (const key of keys) all.set(key, [...all.get(key) ?? [], route])
  }
  return all
}

/** The paths of a route as the router tells them apart. */
function shapesOf ({ alias, url }: Route, options: RouterOptions): string[] {
  const shapes = [url, ...alias === null ? [] : [alias]].flatMap(expandOptional).map((path) => shapeOf(path, options))
  return [...new Set(shapes)].sort()
}

function toSlot (method: string, constraints: Constraints, routes: readonly Route[]): Slot {
  const { scheme } = routes.find(isClaimant) as Claimant
  const own = routes.filter((route) => isDeepStrictEqual(route.constraints, constraints))
  const claimants = own.filter(isClaimant).sort(byRank)
  // The app's own HEAD route wins over one that Fastify adds.
  const [open = null] = own.filter((route) => !isClaimant(route)).sort(byOrigin)
  return { method, scheme, constraints, claimants, open, routes }
}

function byRank (a: Claimant, b: Claimant): number {
  return byOrigin(a, b) || (a.claim.rank === b.claim.rank ? 0 : b.claim.rank - a.claim.rank)
}

function byOrigin (a: Route, b: Route): number {
  return Number(a.isAdded) - Number(b.isAdded)
}

function isClaimant (route: Route): route is Claimant {
  return route.claim !== null
}

/** The route of a slot that serves a version; null means a request without a version. */
export function routeIn ({ claimants, open }: Slot, version: string | null): Route | null {
  for (const route of claimants) {
    if (route.claim.versions.includes(version)) return route
  }
  return open
}

/**
 * The versions that requests to a slot can get, each with the route that serves it: in release order, or in
 * the order of the claims if none are listed. Null comes last. Empty if an open route serves every version.
 */
export function servingTo (slot: Slot): { version: string | null, route: Route }[] {
  const { scheme: { listedVersions: listed }, claimants, open } = slot
  if (listed.length === 0 && open !== null) return []
  const claimed = new Set(claimants.flatMap(({ claim }) => claim.versions))
  const hasNull = claimed.delete(null)
  const versions = listed.length > 0 ? listed : claimed
  return [...versions, ...hasNull ? [null] : []].flatMap((version) => {
    const route = routeIn(slot, version)
    return route === null ? [] : { version, route }
  })
}

/** The route of a slot that serves the newest version: its context answers what is refused. */
export function newestIn (slot: Slot): Route {
  const served = servingTo(slot).filter(({ version }) => version !== null)
  if (slot.scheme.listedVersions.length === 0) served.sort((a, b) => byNumbers(String(a.version), String(b.version)))
  return served.at(-1)?.route ?? slot.open ?? slot.claimants[0]
}

/**
 * Checks that the router will choose among the routes of a URL as the slot says.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming two routes, and what to write instead
 */
export function checkSlot ({ routes }: Slot, options: RouterOptions): void {
  for (const [i, route] of routes.entries()) {
    for (const other of routes.slice(0, i)) {
      // A route that is like the first one is like all that are.
      const advice = other === routes[0] ? adviceFor(other, route, options) : null
      const conflict = advice === null ? clashOf(other, route) : `have one URL, where versions choose: ${advice}`
      if (conflict === null) continue
      throw new VersioningConflictError(`${describe(other)} and ${describe(route)} ${conflict}.`)
    }
  }
}

/** Why the router would never come to one of two routes, and what to write instead; null if it comes to both. */
function clashOf (one: Route, other: Route): string | null {
  // The app's own HEAD route wins over one that Fastify adds.
  if (one.isAdded || other.isAdded) return null
  const { claim, constraints: { host } } = one
  if (host instanceof RegExp && isDeepStrictEqual(host, other.constraints.host)) {
    return `have the host ${String(host)}, for which the router only finds the first: serve both versions by one ` +
      'route, and look at the host in the handler'
  }
  // The router itself refuses two open routes, and two equal claims.
  if (claim === null || claim.rank !== other.claim?.rank) return null
  if (!isDeepStrictEqual(one.constraints, other.constraints)) return null
  const shared = claim.versions.find((version) => other.claim?.versions.includes(version))
  if (shared === undefined) return null
  if (claim.rank === Infinity) {
    const what = shared === null ? 'requests without a version' : `version ${show(shared)}`
    return `both claim ${what}: remove ${show(shared)} from the option "version" of one of them`
  }
  const [short, long] = [claim.versions, other.claim.versions].sort((a, b) => a.length - b.length)
  return `have ranges that begin with ${show(shared)}: let the longer one begin with ${show(long[short.length])}`
}

/**
 * What to write where two routes have different schemes, places of the version, names of constraints, or only one of
 * two paths in common; or null. Before routing, nobody knows which of two schemes or constraints a request meets.
 */
function adviceFor (one: Route, other: Route, options: RouterOptions): string | null {
  const { scheme, url, constraints, alias } = one
  if (scheme === null || other.scheme === null) return 'give both a scheme, or another URL to the one without versions'
  if (other.scheme !== scheme) {
    const { label } = scheme
    const both = other.scheme.label === label ? `two instances of ${label}` : `${label} and ${other.scheme.label}`
    return `give both the same scheme, not ${both}`
  }
  if (segmentOf(scheme, other.url) !== segmentOf(scheme, url)) {
    return `write the parameter ":${scheme.params[0]}" in the same place of both paths`
  }
  const [names, others] = [constraints, other.constraints].map((each) => Object.keys(each).sort())
  if (!isDeepStrictEqual(names, others)) {
    const shown = (names.length > 0 ? names : others).join(' and ')
    return `give both a constraint for ${shown}, or leave it out and look at the request in the handler`
  }
  const hasSameUrl = url === other.url && alias === other.alias
  const hasSamePaths = hasSameUrl || isDeepStrictEqual(shapesOf(one, options), shapesOf(other, options))
  if (hasSamePaths) return null
  // At the root of a prefix it adds one for each path.
  if (one.isAdded || other.isAdded) return 'set "exposeHeadRoute: false" for the GET route, or give it another path'
  return 'declare a route for each path, because they share only one of two'
}

function describe (route: Route): string {
  const label = labelOf(route)
  if (route.isAdded) return `${label} (which Fastify adds to ${label.replace('HEAD', 'GET')})`
  return route.name === null ? label : `${label} (named ${show(route.name)})`
}

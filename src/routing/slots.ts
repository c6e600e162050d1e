import { isDeepStrictEqual } from 'node:util'

import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { labelOf, routeIn } from '../routes.ts'
import { RULES } from '../schemes/reading.ts'
import { segmentOf, versionParamIn } from './path-version.ts'

import type { RouterOptions } from '../fastify/router-options.ts'
import type { Claimant, Constraints, Route, Slot } from '../routes.ts'

/** Compares versions by their numbers. Without a list of versions there is no release order. */
const { compare: byNumbers } = new Intl.Collator('en', { numeric: true })

/**
 * Groups routes into slots, and gives each route its slots, by method. If a route has two paths, both have the same
 * slot, or `checkSlot` refuses them.
 */
export function setSlots (routes: readonly Route[], options: RouterOptions): Slot[] {
  for (const route of routes) route.slots = null
  const all = routes.some(isClaimant) ? [...byUrl(routes, options)] : []
  return all.filter(([, sharing]) => sharing.some(isClaimant)).flatMap(([key, sharing]) => {
    const method = key.slice(0, key.indexOf(' '))
    const maps: Map<string, Slot>[] = []
    for (const route of sharing) {
      let slotMap = maps.find((map) => isDeepStrictEqual(map.get(method)?.constraints, route.constraints))
      if (slotMap === undefined) maps.push(slotMap = new Map([[method, toSlot(method, route.constraints, sharing)]]))
      // Most routes have one method: they share the map of their slot.
      route.slots = route.slots === null ? slotMap : new Map([...route.slots, ...slotMap])
    }
    return maps.flatMap((map) => [...map.values()])
  })
}

function byUrl (routes: readonly Route[], options: RouterOptions): Map<string, Route[]> {
  const all = new Map<string, Route[]>()
  for (const route of routes) {
    const shapes = shapesOf(route, options)
    const keys = route.methods.flatMap((method) => shapes.map((shape) => `${method} ${shape}`))
    for (const key of keys) all.set(key, [...all.get(key) ?? [], route])
  }
  return all
}

/** Returns the paths of a route as the router tells them apart. */
export function shapesOf ({ alias, url }: Route, options: RouterOptions): string[] {
  const shapes = [url, ...alias === null ? [] : [alias]].flatMap(expandOptional).map((path) => shapeOf(path, options))
  return [...new Set(shapes)].sort()
}

function toSlot (method: string, constraints: Constraints, routes: readonly Route[]): Slot {
  const { scheme } = routes.find(isClaimant) as Claimant
  const alike = routes.filter((route) => isDeepStrictEqual(route.constraints, constraints))
  const claimants = alike.filter(isClaimant).sort(byRank)
  // The app's own HEAD route wins over one that Fastify adds.
  const [open = null] = alike.filter((route) => !isClaimant(route)).sort(byOrigin)
  return { method, scheme, constraints, claimants, open, routes }
}

/** Compares routes by the rank of their claims. All lists have the rank Infinity, and Infinity - Infinity is NaN. */
function byRank (a: Claimant, b: Claimant): number {
  return byOrigin(a, b) || (a.claim.rank === b.claim.rank ? 0 : b.claim.rank - a.claim.rank)
}

function byOrigin (a: Route, b: Route): number {
  return Number(a.isAdded) - Number(b.isAdded)
}

function isClaimant (route: Route): route is Claimant {
  return route.claim !== null
}

/**
 * Returns the versions that requests to a slot can get, each with the route that serves it: in release order, or in the
 * order of the claims if none are listed. Null comes last. The result is empty if an open route serves every version.
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

/** Returns the routes to which no request comes, by any of their methods. */
export function unreachedIn (slots: readonly Slot[]): Route[] {
  const all = slots.flatMap((slot) => unreachedBy(slot).map((route) => ({ method: slot.method, route })))
  const isIn = (route: Route, method: string) => all.some((each) => each.route === route && each.method === method)
  return all.map(({ route }) => route).filter((route) => route.methods.every((method) => isIn(route, method)))
}

/** Returns the routes of a slot to which no request comes, because others serve every version that it can get. */
function unreachedBy (slot: Slot): Route[] {
  const { method, scheme, claimants, open } = slot
  const { author, clientDefault, isDetermined, listedVersions, members, ownMethods } = scheme
  // A preflight comes to an open route. The author of a scheme, or of a default version, may let any version pass.
  const isUnknown = method === 'OPTIONS' || isDetermined || ownMethods.has('isAllowedVersion') || clientDefault !== null
  if (isUnknown || listedVersions.length === 0) return []
  const versions = [scheme, ...members].flatMap((each) => [...each.listedVersions, each.defaultVersion ?? []].flat())
  const mayLack = scheme.allows(null) || !author[RULES].isDefaultChecked
  const reached = new Set([...versions, ...mayLack ? [null] : []].map((version) => routeIn(slot, version)))
  return [...claimants, ...open === null ? [] : [open]].filter((route) => !route.isAdded && !reached.has(route))
}

/** Returns the route of a slot that serves the newest version. Its context answers requests that are refused. */
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
    for (const earlier of routes.slice(0, i)) {
      // Comparing with the first route is enough, because all others have already matched it.
      const advice = earlier === routes[0] ? adviceFor(earlier, route, options) : null
      const conflict = advice ?? clashOf(earlier, route)
      if (conflict !== null) throw new VersioningOptionError(conflict)
    }
  }
}

/** Returns why the router would never come to one of two routes, and what to write; null if it comes to both. */
function clashOf (earlier: Route, later: Route): string | null {
  // The app's own HEAD route wins over one that Fastify adds.
  if (earlier.isAdded || later.isAdded) return null
  const { claim, constraints: { host } } = earlier
  if (host instanceof RegExp && isDeepStrictEqual(host, later.constraints.host)) {
    return `Serve both versions of ${labelled(earlier)} by one route, and look at the host in the handler: for the ` +
      `host ${String(host)}, the router finds only the first of two routes.`
  }
  // The router itself refuses two open routes, and two equal claims.
  if (claim === null || claim.rank !== later.claim?.rank) return null
  if (!isDeepStrictEqual(earlier.constraints, later.constraints)) return null
  const shared = claim.versions.find((version) => later.claim?.versions.includes(version))
  if (shared === undefined) return null
  if (claim.rank === Infinity) {
    const what = shared === null ? 'requests without a version' : show(shared)
    return `Two routes for ${labelled(earlier)} serve ${what}: ${versionOf(earlier)} and ${versionOf(later)}. Remove ` +
      `${show(shared)} from one of them.`
  }
  const [short, long] = [claim.versions, later.claim.versions].sort((a, b) => a.length - b.length)
  return `Two routes for ${labelled(earlier)} have ranges that begin at ${show(shared)}: ${versionOf(earlier)} and ` +
    `${versionOf(later)}. Let the longer range begin at ${show(long[short.length])}: where ranges overlap, the one ` +
    'that begins last wins.'
}

/**
 * Returns what to write where two routes have different schemes, places of the version, names of constraints, or only
 * one of two paths in common; or null. Before routing, nobody knows which scheme or constraint a request will meet.
 */
function adviceFor (earlier: Route, later: Route, options: RouterOptions): string | null {
  const { scheme, url, constraints, alias } = earlier
  if (scheme === null || later.scheme === null) {
    return `${labelled(earlier)} is declared with a scheme and again without one ("versioning: false"), and the ` +
      'router cannot choose. Give both a version, or move the second to another URL.'
  }
  if (later.scheme !== scheme) {
    const { label } = scheme
    const both = later.scheme.label === label
      ? `two instances of ${label} (${versionOf(earlier)} and ${versionOf(later)})`
      : `two schemes, ${label} (${versionOf(earlier)}) and ${later.scheme.label} (${versionOf(later)})`
    return `${labelled(earlier)} is declared under ${both}. Use one of them, or the list of both, for both routes: ` +
      'the router reads one version per URL.'
  }
  if (segmentOf(scheme, later.url) !== segmentOf(scheme, url)) {
    return `${labelled(earlier)} and ${labelled(later)} match the same requests, but have ` +
      `":${versionParamIn(scheme, url)}" in different places. Write it in the same place.`
  }
  const names = Object.keys({ ...constraints, ...later.constraints }).sort()
  const ofOne = names.filter((name) => !Object.hasOwn(constraints, name) || !Object.hasOwn(later.constraints, name))
  if (ofOne.length > 0) {
    const [noun, them] = ofOne.length > 1 ? ['constraints', 'them'] : ['constraint', 'it']
    return `Only one of the two routes for ${labelled(earlier)} has the ${noun} "${ofOne.join('" and "')}". Give ` +
      `${them} to both (${versionOf(earlier)} and ${versionOf(later)}), or remove ${them} and look at the request in ` +
      'the handler: where a route of a URL has "version", all its routes need the same constraints.'
  }
  const hasSameUrl = url === later.url && alias === later.alias
  const hasSamePaths = hasSameUrl || isDeepStrictEqual(shapesOf(earlier, options), shapesOf(later, options))
  if (hasSamePaths) return null
  // At the root of a prefix, Fastify adds a HEAD route for each path.
  if (earlier.isAdded || later.isAdded) {
    return `Set "exposeHeadRoute: false" for the GET route of ${labelled(later)}, or give it another path: it shares ` +
      'only one of two paths with another route.'
  }
  return `Declare a route for each path of ${labelled(earlier)} and ${labelled(later)}: they share only one of two.`
}

function labelled (route: Route): string {
  const { alias, isAdded, name } = route
  const label = labelOf(route)
  if (isAdded) return `${label} (which Fastify adds to ${label.replace('HEAD', 'GET')})`
  return label + (name === null ? '' : ` (named ${show(name)})`) + (alias === null ? '' : ` and ${alias}`)
}

/** Returns the versions of a route as its author has written them: `version 'v1'`. */
export function versionOf ({ claim, options }: Route): string {
  return claim === null ? 'no "version"' : `version ${show(options.version ?? claim.versions)}`
}

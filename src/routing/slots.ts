import isEqual from 'fast-deep-equal'

import { VersioningConflictError } from '../errors.ts'
import { show } from '../messages.ts'
import { SETTINGS } from '../options/options.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'
import { segmentOf } from './path-version.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Claimant, Constraints, Route, Slot } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'

/** The slots of each route, by method. Its paths have the same slots, or `checkSlots` refuses them. */
export type Slots = ReadonlyMap<Route, ReadonlyMap<string, Slot>>

/** The slots of an app. */
export function slotsOf (routes: readonly Route[], options: RouterOptions): Slots {
  const slots = new Map<Route, Map<string, Slot>>()
  if (!routes.some(isClaimant)) return slots
  for (const [key, sharing] of byUrl(routes, options)) {
    if (!sharing.some(isClaimant)) continue
    const method = key.slice(0, key.indexOf(' '))
    const own: Slot[] = []
    for (const route of sharing) {
      let slot = own.find(({ constraints }) => isEqual(constraints, route.constraints))
      if (slot === undefined) own.push(slot = toSlot(method, route.constraints, sharing))
      const byMethod = slots.get(route) ?? new Map<string, Slot>()
      slots.set(route, byMethod.set(method, slot))
    }
  }
  return slots
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
  const { claim: { scheme } } = routes.find(isClaimant) as Claimant
  const own = routes.filter((route) => isEqual(route.constraints, constraints))
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
 * The versions that requests to a slot can get, each with the route that serves it. They are in release order, or in
 * the order of the claims if none are listed; null comes last. Empty if an open route serves every version.
 */
export function servingTo (slot: Slot): { version: string | null, route: Route }[] {
  const { scheme: { listedVersions: listed }, claimants, open } = slot
  if (listed.length === 0 && open !== null) return []
  const claimed = claimants.flatMap(({ claim }) => claim.versions)
  const versions = new Set([...listed.length > 0 ? listed : claimed.filter((version) => version !== null)])
  return [...versions, ...claimed.includes(null) ? [null] : []].flatMap((version) => {
    const route = routeIn(slot, version)
    return route === null ? [] : { version, route }
  })
}

/** The route of a slot that serves the newest version: its context answers what is refused. */
export function newestIn (slot: Slot): Route {
  const { scheme: { listedVersions: listed }, claimants, open } = slot
  const versions = listed.length > 0 ? listed : claimants.flatMap(({ claim }) => claim.versions).toSorted(byText)
  const newest = versions.findLast((version) => version !== null && routeIn(slot, version) !== null)
  return newest === undefined ? open ?? claimants[0] : routeIn(slot, newest) as Route
}

/** Without a list of versions there is no release order. */
function byText (a: string | null, b: string | null): number {
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

/**
 * Checks that the router will choose among routes as the slots say.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the routes, and what to write instead
 */
export function checkSlots (slots: Slots, options: RouterOptions): void {
  for (const routes of new Set([...slots.values()].flatMap((own) => [...own.values()]).map((slot) => slot.routes))) {
    for (const [i, route] of routes.entries()) {
      for (const other of routes.slice(0, i)) {
        const conflict = conflictOf(other, route, options)
        if (conflict === null) continue
        throw new VersioningConflictError(`${describe(other)} and ${describe(route)} ${conflict}.`)
      }
    }
  }
}

/**
 * Why two routes cannot share a URL, and what to write instead; null if they can. Before routing, nobody knows which of
 * two schemes, or of two kinds of constraints, a request meets.
 */
function conflictOf (one: Route, other: Route, options: RouterOptions): string | null {
  const { constraints, claim } = one
  const advice = adviceFor(one, other)
  if (advice !== null) return `have one URL, where versions choose: ${advice}`
  if (!isEqual(shapesOf(one, options), shapesOf(other, options))) {
    return 'share only one of two paths, so that these are served in different versions: declare a route for each path'
  }
  // The app's own HEAD route wins over one that Fastify adds.
  if (one.isAdded || other.isAdded) return null
  const { host } = constraints
  if (host instanceof RegExp && isEqual(host, other.constraints.host)) {
    return `have the host ${String(host)}, for which the router only finds the first: serve both versions by one ` +
      'route, and look at the host in the handler'
  }
  if (claim?.rank !== other.claim?.rank || !isEqual(constraints, other.constraints)) return null
  const shared = claim?.versions.find((version) => other.claim?.versions.includes(version))
  if (shared === undefined) return null
  const what = shared === null ? 'requests without a version' : `version ${show(shared)}`
  return `both claim ${what}: remove ${show(shared)} from the option "version" of one of them`
}

/** What to write where two routes have different schemes, places of the version, or names of constraints; or null. */
function adviceFor ({ scheme, url, constraints }: Route, other: Route): string | null {
  if (scheme === null || other.scheme === null) return 'give both a scheme, or another URL to the one without versions'
  if (other.scheme !== scheme) return `give both the same scheme, not ${bothOf(scheme, other.scheme)}`
  if (segmentOf(scheme, other.url) !== segmentOf(scheme, url)) {
    return `write the parameter ":${scheme.inPath[0].impliedParam}" in the same place of both paths`
  }
  const [names, others] = [constraints, other.constraints].map((each) => Object.keys(each).sort())
  if (isEqual(names, others)) return null
  const shown = (names.length > 0 ? names : others).join(' and ')
  return `give both a constraint for ${shown}, or leave it out and look at the request in the handler`
}

/** Two schemes by what tells them apart: their labels, or else a setting. */
function bothOf (one: Scheme, other: Scheme): string {
  if (one.label !== other.label) return `${one.label} and ${other.label}`
  const [values, others] = [one, other].map((each) => Object.keys(SETTINGS).map((name) => Reflect.get(each, name)))
  const index = values.findIndex((value, i) => !isEqual(value, others[i]))
  if (index === -1) return `two instances of ${one.label}`
  return `${one.label} with the ${Object.keys(SETTINGS)[index]} ${show(values[index])} and ${show(others[index])}`
}

function describe (route: Route): string {
  const label = labelOf(route)
  if (route.isAdded) return `${label} (which Fastify adds to ${label.replace('HEAD', 'GET')})`
  return route.name === null ? label : `${label} (named ${show(route.name)})`
}

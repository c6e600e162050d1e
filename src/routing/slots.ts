import isEqual from 'fast-deep-equal'

import { VersioningConflictError } from '../errors.ts'
import { show } from '../messages.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { labelOf, pathsOf } from '../routes.ts'
import { segmentOf } from './path-version.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Claimant, Constraints, Route, Slot } from '../routes.ts'

/** The slots of each route: one for each of its methods and paths at which a route claims versions. */
export type Slots = ReadonlyMap<Route, readonly Slot[]>

/** The slots of an app. */
export function slotsOf (routes: readonly Route[], options: RouterOptions): Slots {
  const slots = new Map<Route, Slot[]>()
  if (!routes.some(isClaimant)) return slots
  for (const [key, sharing] of byUrl(routes, options)) {
    if (!sharing.some(isClaimant)) continue
    const method = key.slice(0, key.indexOf(' '))
    const own: Slot[] = []
    for (const route of sharing) {
      let slot = own.find(({ constraints }) => isEqual(constraints, route.constraints))
      if (slot === undefined) own.push(slot = toSlot(method, route.constraints, sharing))
      slots.set(route, [...slots.get(route) ?? [], slot])
    }
  }
  return slots
}

/** The routes of each method and of paths that are the same to the router. */
function byUrl (routes: readonly Route[], options: RouterOptions): Map<string, Route[]> {
  const all = new Map<string, Route[]>()
  for (const route of routes) {
    for (const path of pathsOf(route).flatMap(expandOptional)) {
      const shape = shapeOf(path, options)
      for (const method of route.methods) {
        const sharing = all.get(`${method} ${shape}`)
        if (sharing === undefined) all.set(`${method} ${shape}`, [route])
        else if (sharing.at(-1) !== route) sharing.push(route)
      }
    }
  }
  return all
}

function toSlot (method: string, constraints: Constraints, routes: readonly Route[]): Slot {
  const { claim: { scheme } } = routes.find(isClaimant) as Claimant
  const own = routes.filter((route) => isEqual(route.constraints, constraints))
  const open = own.filter((route) => !isClaimant(route))
  return {
    method,
    scheme,
    constraints,
    claimants: own.filter(isClaimant).sort(byRank),
    // The app's own HEAD route wins over one that Fastify adds.
    open: open.find(({ isAdded }) => !isAdded) ?? open[0] ?? null,
    routes
  }
}

function byRank (a: Claimant, b: Claimant): number {
  if (a.isAdded !== b.isAdded) return Number(a.isAdded) - Number(b.isAdded)
  return a.claim.rank === b.claim.rank ? 0 : b.claim.rank - a.claim.rank
}

export function isClaimant (route: Route): route is Claimant {
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
 * the order of the claims if none are listed; null comes last. Undefined if an open route serves every version.
 */
export function servingTo (slot: Slot): { version: string | null, route: Route }[] | undefined {
  const { scheme: { listedVersions: listed }, claimants, open } = slot
  if (listed.length === 0 && open !== null) return undefined
  const claimed = claimants.flatMap(({ claim }) => claim.versions)
  const versions = new Set(listed.length === 0 ? claimed.filter((version) => version !== null) : listed)
  return [...versions, ...claimed.includes(null) ? [null] : []].flatMap((version) => {
    const route = routeIn(slot, version)
    return route === null ? [] : [{ version, route }]
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
  return (a ?? '').localeCompare(b ?? '', 'en', { numeric: true })
}

/**
 * Checks that the router will choose among routes as the slots say.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the routes, and what to write instead
 */
export function checkSlots (slots: Slots, options: RouterOptions): void {
  const checked = new Set<unknown>()
  for (const [route, own] of slots) {
    checkPaths(route, own, options)
    for (const slot of own) {
      if (!checked.has(slot)) checkClaims(slot)
      if (!checked.has(slot.routes)) checkAlike(slot)
      checked.add(slot).add(slot.routes)
    }
  }
}

/** Before routing, nobody knows which of two schemes, or of two kinds of constraints, a request meets. */
function checkAlike ({ routes }: Slot): void {
  const first = routes.find(isClaimant) as Claimant
  for (const route of routes) {
    const advice = adviceFor(first, route)
    if (advice === null) continue
    throw new VersioningConflictError(
      `${describe(first)} and ${describe(route)} have one URL, where versions choose: ${advice}.`
    )
  }
  const matching = routes.filter(({ constraints: { host } }) => host instanceof RegExp)
  for (const [i, route] of matching.entries()) {
    const other = matching.slice(0, i).find(({ constraints }) => isEqual(constraints.host, route.constraints.host))
    if (other === undefined || (route.isAdded && isServedBy(route, other))) continue
    throw new VersioningConflictError(
      `${describe(other)} and ${describe(route)} have the host ${String(route.constraints.host)}, for which the ` +
      'router only finds the first: serve both versions by one route, and look at the host in the handler.'
    )
  }
}

/** Whether another route serves the versions of a HEAD route that Fastify adds. */
function isServedBy ({ claim }: Route, other: Route): boolean {
  return other.claim === null || claim?.versions.every((version) => other.claim?.versions.includes(version)) === true
}

/** What to write instead, or null if two routes of a URL are alike. */
function adviceFor ({ claim: { scheme }, url, constraints }: Claimant, other: Route): string | null {
  if (other.scheme === null) return 'give both a scheme, or another URL to the one without versions'
  if (other.scheme !== scheme) return `give both the same scheme, not ${scheme.label} and ${other.scheme.label}`
  if (segmentOf(scheme, other.url) !== segmentOf(scheme, url)) {
    return `write the parameter ":${scheme.inPath[0].impliedParam}" in the same place of both paths`
  }
  const [names, others] = [constraints, other.constraints].map((one) => Object.keys(one).sort())
  if (isEqual(names, others)) return null
  const [shown] = [names, others].filter(({ length }) => length > 0).map((list) => list.join(' and '))
  return `give both a constraint for ${shown}, or leave it out and look at the request in the handler`
}

function checkClaims ({ claimants }: Slot): void {
  const own = claimants.filter(({ isAdded }) => !isAdded)
  for (const [i, route] of own.entries()) {
    for (const other of own.slice(0, i)) {
      if (other.claim.rank !== route.claim.rank) continue
      const shared = route.claim.versions.find((version) => other.claim.versions.includes(version))
      if (shared === undefined) continue
      const what = shared === null ? 'requests without a version' : `version ${show(shared)}`
      throw new VersioningConflictError(
        `${describe(other)} and ${describe(route)} both claim ${what}: remove ${show(shared)} from the option ` +
        '"version" of one of them.'
      )
    }
  }
}

/** A route has one slot in each method, so that a request to any of its paths may come to the same other routes. */
function checkPaths (route: Route, own: readonly Slot[], options: RouterOptions): void {
  const paths = pathsOf(route).flatMap(expandOptional)
  if (paths.length === 1) return
  const { size } = new Set(paths.map((path) => shapeOf(path, options)))
  for (const method of route.methods) {
    const slots = own.filter((slot) => slot.method === method)
    const others = slots.flatMap(({ routes }) => routes).filter((other) => other !== route)
    const odd = others.find((other) => slots.length < size || !slots.every(({ routes }) => routes.includes(other)))
    if (odd === undefined) continue
    throw new VersioningConflictError(
      `${describe(route)} and ${describe(odd)} share only one of two paths, so that these are served in different ` +
      'versions: declare a route for each path.'
    )
  }
}

function describe (route: Route): string {
  const label = labelOf(route)
  if (route.isAdded) return `${label} (which Fastify adds to ${label.replace('HEAD', 'GET')})`
  return route.name === null ? label : `${label} (named ${show(route.name)})`
}

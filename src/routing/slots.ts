import isEqual from 'fast-deep-equal'

import { expandOptional, normalize, shapeOf } from '../paths/pattern.ts'
import { pathsOf } from '../routes.ts'
import { includes, isPreferred } from './claim.ts'
import { versionParamsOf } from './version-params.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Claim, Group, Route, Slot } from '../routes.ts'

/** A route that claims versions. */
export type Claimant = Route & { readonly claim: Claim }

/** A version, and the route that serves it. */
export interface Serving {
  /** Null means requests without a version, which the route claims. */
  readonly version: string | null
  readonly route: Route
}

/** A route under one of its methods, at one of its paths. */
export interface Entry {
  readonly method: string
  readonly same: SameRoutes
  /** Null if versions do not choose there. */
  group: Group | null
}

/** What versions choose in an app. */
export interface Slots {
  /** The routes of each slot, in the order of their declaration. */
  readonly routes: ReadonlyMap<Slot, readonly Route[]>
  /** The entries of each route that is in a slot. */
  readonly entries: ReadonlyMap<Route, readonly Entry[]>
}

/** The routes of a method and of paths that are the same to the router. */
interface SameRoutes {
  readonly method: string
  readonly list: Route[]
  /** The path of the first route that claims versions. */
  path: string | null
  slot: Slot | null
}

/** The slots of an app: one for each method and path at which a route claims versions. */
export function slotsOf (routes: readonly Route[], options: RouterOptions): Slots {
  const routesBySlot = new Map<Slot, readonly Route[]>()
  const entriesByRoute = new Map<Route, readonly Entry[]>()
  if (!routes.some(isClaimant)) return { routes: routesBySlot, entries: entriesByRoute }
  const sameRoutes = new Map<string, SameRoutes>()
  const entries = routes.map(entering(sameRoutes, options))
  for (const same of sameRoutes.values()) {
    if (same.path === null) continue
    same.slot = toSlot(same, normalize(same.path, options))
    routesBySlot.set(same.slot, same.list)
  }
  for (let i = 0; i < routes.length; i++) {
    if (!entries[i].some(({ same }) => same.slot !== null)) continue
    const { constraints } = routes[i]
    for (const entry of entries[i]) {
      entry.group = entry.same.slot?.groups.find((one) => isEqual(one.constraints, constraints)) ?? null
    }
    entriesByRoute.set(routes[i], entries[i])
  }
  return { routes: routesBySlot, entries: entriesByRoute }
}

/** The route of a group that serves a version; null means a request without a version. */
export function serverIn ({ claimants, open }: Group, version: string | null): Route | null {
  for (const route of claimants) {
    if (includes((route as Claimant).claim, version)) return route
  }
  return open
}

/**
 * The versions that requests to a group get, and their routes: in release order, or in the order of the claims if no
 * versions are listed; null comes last, if a route claims it. Undefined if an open route serves every version.
 */
export function servingTo (group: Group): Serving[] | undefined {
  const { scheme, plain, versionParams } = group.slot
  const listed = scheme.allowedVersions?.filter((version) => version !== null) ?? []
  const around = plain === null || plain === group ? [group] : [group, plain]
  if (listed.length === 0 && around.some(({ open }) => open !== null)) return undefined
  const claimed = around.flatMap(({ claimants }) => claimants.flatMap((route) => (route as Claimant).claim.versions))
  const versions = [...new Set(listed.length === 0 ? claimed : listed)].filter((version) => (
    versionParams?.every(({ pattern }) => pattern === null || pattern.test(version)) !== false
  ))
  const withNull = around.some(({ claimants }) => claimants.some(({ claim }) => claim?.withNull)) ? [null] : []
  return [...versions, ...withNull].flatMap((version) => {
    const route = around.map((one) => serverIn(one, version)).find((one) => one !== null)
    return route === undefined ? [] : [{ version, route: route as Route }]
  })
}

export function isClaimant (route: Route): route is Claimant {
  return route.claim !== null
}

/** Makes the entries of a route, and adds it to the other routes that are the same to the router. */
function entering (sameRoutes: Map<string, SameRoutes>, options: RouterOptions): (route: Route) => Entry[] {
  const shapes = new Map<string, string>()
  function shapeAt (path: string): string {
    const known = shapes.get(path)
    if (known !== undefined) return known
    const shape = shapeOf(path, options).join('')
    shapes.set(path, shape)
    return shape
  }
  return function enter (route) {
    const entries: Entry[] = []
    for (const path of pathsOf(route).flatMap(expandOptional)) {
      const shape = shapeAt(path)
      for (const method of route.methods) {
        const key = `${method} ${shape}`
        let same = sameRoutes.get(key)
        if (same === undefined) sameRoutes.set(key, same = { method, list: [], path: null, slot: null })
        if (same.list.at(-1) !== route) same.list.push(route)
        if (isClaimant(route)) same.path ??= path
        entries.push({ method, same, group: null })
      }
    }
    return entries
  }
}

/** @param path as the router keeps it, with the names of the first route that claims versions */
function toSlot ({ method, list }: SameRoutes, path: string): Slot {
  const { claim: { scheme } } = list.find(isClaimant) as Claimant
  const versionParams = versionParamsOf(scheme, path)
  const slot = { method, scheme, versionParams, groups: [] as Group[], plain: null as Group | null }
  const rest = new Set(list)
  for (const { constraints } of rest) {
    const own = [...rest].filter((route) => isEqual(route.constraints, constraints))
    for (const route of own) rest.delete(route)
    const claimants = own.filter(isClaimant).sort(byPreference)
    const [open = null] = own.filter((route) => !isClaimant(route)).sort(byOrigin)
    const group = { slot, constraints, claimants, open }
    slot.groups.push(group)
    if (Object.keys(constraints).length === 0) slot.plain = group
  }
  return slot
}

/** The app's own HEAD route wins over a HEAD route that Fastify adds. */
function byOrigin (a: Route, b: Route): number {
  return Number(a.isAdded) - Number(b.isAdded)
}

function byPreference (a: Claimant, b: Claimant): number {
  if (a.isAdded !== b.isAdded) return byOrigin(a, b)
  if (isPreferred(a.claim, b.claim)) return -1
  return isPreferred(b.claim, a.claim) ? 1 : 0
}

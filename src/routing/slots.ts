import isEqual from 'fast-deep-equal'

import { expandOptional, normalize, shapeOf } from '../paths/pattern.ts'
import { pathsOf } from '../routes.ts'
import { isPreferred } from './claim.ts'
import { hasConstraint } from './constraint.ts'
import { versionParamsOf } from './version-params.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Claimant, Constraints, Group, Route, Slot } from '../routes.ts'

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
  /** The other routes, where several have one method and path. */
  readonly unversioned: readonly (readonly Route[])[]
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
  const unversioned: (readonly Route[])[] = []
  const slots = { routes: routesBySlot, entries: entriesByRoute, unversioned }
  if (!routes.some((route) => isClaimant(route) || hasConstraint(route))) return slots
  const byPath = new Map<string, Map<string, SameRoutes>>()
  const byShape = new Map<string, Map<string, SameRoutes>>()
  const entries = routes.map((route) => {
    const own: Entry[] = []
    for (const path of pathsOf(route)) {
      for (const one of expandOptional(path)) {
        let byMethod = byPath.get(one)
        if (byMethod === undefined) {
          const shape = shapeOf(one, options)
          byMethod = byShape.get(shape) ?? new Map<string, SameRoutes>()
          byPath.set(one, byMethod)
          byShape.set(shape, byMethod)
        }
        for (const method of route.methods) own.push(enter(route, method, one, byMethod))
      }
    }
    return own
  })
  for (const byMethod of byShape.values()) {
    for (const same of byMethod.values()) {
      if (same.path === null) {
        if (same.list.length > 1) unversioned.push(same.list)
        continue
      }
      same.slot = toSlot(same, normalize(same.path, options))
      routesBySlot.set(same.slot, same.list)
    }
  }
  for (const [i, own] of entries.entries()) {
    if (!own.some(({ same }) => same.slot !== null)) continue
    for (const entry of own) entry.group = entry.same.slot === null ? null : groupFor(routes[i], entry.same.slot.groups)
    entriesByRoute.set(routes[i], own)
  }
  return slots
}

/** The route of a group that serves a version; null means a request without a version. */
export function routeIn ({ claimants, open }: Group, version: string | null): Route | null {
  for (const route of claimants) {
    if (route.claim.versions.includes(version)) return route
  }
  return open
}

/**
 * The versions that requests to a group can get, each with the route that serves it. They are in release order, or in
 * the order of the claims if no versions are listed. If a route claims requests without a version, null comes last.
 * Undefined if an open route serves every version.
 */
export function servingTo (group: Group): { version: string | null, route: Route }[] | undefined {
  const { scheme: { listedVersions: listed }, plain, versionParams } = group.slot
  const around = plain === null || plain === group ? [group] : [group, plain]
  if (listed.length === 0 && around.some(({ open }) => open !== null)) return undefined
  const claimed = around.flatMap(({ claimants }) => claimants.flatMap(({ claim }) => claim.versions))
  const versions = new Set(listed.length === 0 ? claimed.filter((version) => version !== null) : listed)
  const taken = [...versions].filter((version) => (
    versionParams?.every(({ pattern }) => pattern === null || pattern.test(version)) !== false
  ))
  return [...taken, ...claimed.includes(null) ? [null] : []].flatMap((version) => {
    const route = around.map((one) => routeIn(one, version)).find((one) => one !== null)
    return route === undefined ? [] : [{ version, route }]
  })
}

export function isClaimant (route: Route): route is Claimant {
  return route.claim !== null
}

/** Adds a route to the routes of a method and path. */
function enter (route: Route, method: string, path: string, byMethod: Map<string, SameRoutes>): Entry {
  let same = byMethod.get(method)
  if (same === undefined) byMethod.set(method, same = { method, list: [], path: null, slot: null })
  if (same.list.at(-1) !== route) same.list.push(route)
  if (isClaimant(route)) same.path ??= path
  return { method, same, group: null }
}

/** The group that has the other constraints of a route. */
function groupFor<Group extends { readonly constraints: Constraints }> (
  { constraints }: Route, groups: readonly Group[]
): Group | null {
  return groups.find((one) => isEqual(one.constraints, constraints)) ?? null
}

/** @param path as the router keeps it, with the names of the first route that claims versions */
function toSlot ({ method, list }: SameRoutes, path: string): Slot {
  const { claim: { scheme } } = list.find(isClaimant) as Claimant
  const groups: (Group & { claimants: Claimant[], open: Route | null })[] = []
  const slot = { method, scheme, versionParams: versionParamsOf(scheme, path), groups, plain: null as Group | null }
  for (const route of list) {
    const { constraints } = route
    let group = groupFor(route, groups)
    if (group === null) {
      group = { slot, constraints, claimants: [], open: null }
      groups.push(group)
      if (Object.keys(constraints).length === 0) slot.plain = group
    }
    if (isClaimant(route)) group.claimants.push(route)
    // The app's own HEAD route wins over a HEAD route that Fastify adds.
    else if (group.open === null || (group.open.isAdded && !route.isAdded)) group.open = route
  }
  for (const { claimants } of groups) claimants.sort(byPreference)
  return slot
}

function byPreference (a: Claimant, b: Claimant): number {
  if (a.isAdded !== b.isAdded) return Number(a.isAdded) - Number(b.isAdded)
  if (isPreferred(a.claim, b.claim)) return -1
  return isPreferred(b.claim, a.claim) ? 1 : 0
}

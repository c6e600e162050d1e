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
  /** Null: requests without a version, which the route claims. */
  readonly version: string | null
  readonly route: Route
}

/** By method, the group of a route at each of its paths; null: versions do not choose at that path. */
export type Groups = ReadonlyMap<string, readonly (Group | null)[]>

/**
 * The groups of each route of an app at whose URLs versions choose. Paths that are the same to the router share a slot.
 */
export function groupsOf (routes: readonly Route[], options: RouterOptions): Map<Route, Groups> {
  if (!routes.some(isClaimant)) return new Map()
  const keysByRoute = new Map(routes.map(toKeys(options)))
  const routesByKey = new Map<string, Set<Route>>()
  const pathByKey = new Map<string, string>()
  for (const [route, keys] of keysByRoute) {
    for (const { key, path } of isClaimant(route) ? keys : []) {
      if (pathByKey.has(key)) continue
      routesByKey.set(key, new Set())
      pathByKey.set(key, path)
    }
  }
  for (const [route, keys] of keysByRoute) {
    for (const { key } of keys) routesByKey.get(key)?.add(route)
  }
  const slots = new Map<string, Slot>()
  for (const [key, some] of routesByKey) {
    slots.set(key, toSlot([...some], normalize(pathByKey.get(key) as string, options)))
  }
  const byRoute = new Map<Route, Groups>()
  for (const [route, keys] of keysByRoute) {
    if (!keys.some(({ key }) => slots.has(key))) continue
    const own = new Map<string, (Group | null)[]>()
    for (const { key, method } of keys) {
      const group = slots.get(key)?.groups.find(({ constraints }) => isEqual(constraints, route.constraints)) ?? null
      const ofPaths = own.get(method)
      if (ofPaths === undefined) own.set(method, [group])
      else ofPaths.push(group)
    }
    byRoute.set(route, own)
  }
  return byRoute
}

/** The route of a group that serves a version; null is the version of a request that has none. */
export function serverIn ({ claimants, open }: Group, version: string | null): Route | null {
  for (const route of claimants) {
    if (includes((route as Claimant).claim, version)) return route
  }
  return open
}

/**
 * The versions that requests which meet the constraints of a group get, and from which routes: in release order, or as
 * they are claimed where no versions are listed; null last, if a route claims it. Undefined: every version, from an
 * open route.
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

interface Key {
  readonly key: string
  readonly method: string
  readonly path: string
}

/** With each route, what the router makes of its paths, for each of its methods. */
function toKeys (options: RouterOptions): (route: Route) => [Route, Key[]] {
  const shapes = new Map<string, string>()
  function shapeAt (path: string): string {
    const known = shapes.get(path)
    if (known !== undefined) return known
    const shape = shapeOf(path, options).join('')
    shapes.set(path, shape)
    return shape
  }
  return function withKeys (route) {
    const keys: Key[] = []
    for (const path of pathsOf(route).flatMap(expandOptional)) {
      const shape = shapeAt(path)
      for (const method of route.methods) keys.push({ key: `${method} ${shape}`, method, path })
    }
    return [route, keys]
  }
}

/** @param path as the router keeps it, with the names of the first route that claims versions */
function toSlot (routes: readonly Route[], path: string): Slot {
  const { claim: { scheme } } = routes.find(isClaimant) as Claimant
  const versionParams = versionParamsOf(scheme, path)
  const slot = { scheme, versionParams, groups: [] as Group[], plain: null as Group | null }
  const rest = new Set(routes)
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

/** A HEAD route of the app's own goes before those that Fastify adds. */
function byOrigin (a: Route, b: Route): number {
  return Number(a.isAdded) - Number(b.isAdded)
}

function byPreference (a: Claimant, b: Claimant): number {
  if (a.isAdded !== b.isAdded) return byOrigin(a, b)
  if (isPreferred(a.claim, b.claim)) return -1
  return isPreferred(b.claim, a.claim) ? 1 : 0
}

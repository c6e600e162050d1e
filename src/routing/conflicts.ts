import isEqual from 'fast-deep-equal'

import { VersioningConflictError } from '../errors.ts'
import { show } from '../messages.ts'
import { schemeOf } from '../context.ts'
import { expandOptional, normalize } from '../paths/pattern.ts'
import { labelOf, pathsOf } from '../routes.ts'
import { CONSTRAINT, VersionConstraint, hasConstraint, otherConstraints } from './constraint.ts'
import { isClaimant } from './slots.ts'
import { versionParamsOf } from './version-params.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Constraints, Group, Route, Slot } from '../routes.ts'
import type { Entry, Slots } from './slots.ts'

/**
 * Checks that the router will choose among routes as the slots say.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the routes, and what to write instead
 */
export function checkSlots ({ routes: routesBySlot, entries, unversioned }: Slots, options: RouterOptions): void {
  for (const route of entries.keys()) checkUnchanged(route)
  for (const [slot, routes] of routesBySlot) {
    if (routes.length === 1) continue
    checkSchemes(slot, routes)
    slot.groups.forEach(checkClaims)
    checkParams(slot, routes, options)
    checkOpen(routes)
    if (slot.groups.every((group) => group === slot.plain)) continue
    checkKinds(routes)
    checkOrder(routes)
    routes.forEach(checkReachable)
  }
  unversioned.forEach(checkOpen)
  for (const [route, own] of entries) {
    if (own.length > route.methods.length) checkPaths(route, own)
  }
}

/** A later onRoute hook may have replaced the constraints, but the router chooses by ours. */
function checkUnchanged (route: Route): void {
  const constraints = route.options?.constraints as Constraints | undefined
  const ours = constraints?.[CONSTRAINT]
  const isThere = !isClaimant(route) || (ours instanceof VersionConstraint && ours.route === route)
  if (isThere && isEqual(otherConstraints(constraints), route.constraints)) return
  throw new VersioningConflictError(
    `The constraints of ${describe(route)}, which versions choose, were changed by a later onRoute hook. ` +
    'Add that hook before registering fastify-versioning.'
  )
}

function checkSchemes ({ scheme }: Slot, routes: readonly Route[]): void {
  const claimants = routes.filter(isClaimant)
  const other = claimants.find(({ claim }) => claim.scheme !== scheme)
  if (other === undefined) return
  const [own, first] = [other, claimants[0]].map(({ claim }) => claim.scheme.label)
  throw new VersioningConflictError(
    `The versions of ${describe(other)} are read by ${own}, the versions of ${describe(claimants[0])} by ` +
    `${own === first ? `another ${first}` : first}. Routes of one URL and method need one scheme.`
  )
}

/** Routes that claim a version by the same right follow each other, in the order of their declaration. */
function checkClaims ({ claimants }: Group): void {
  const own = claimants.filter(({ isAdded }) => !isAdded)
  for (const [i, route] of own.entries()) {
    for (const other of own.slice(0, i)) {
      if (other.claim.from !== route.claim.from) continue
      const shared = route.claim.versions.filter((version) => other.claim.versions.includes(version))
      if (shared.length > 0) throw servedTwice(route, other, shared)
    }
  }
}

/** The router does not look at the names of parameters, but the scheme does. */
function checkParams ({ scheme, versionParams }: Slot, routes: readonly Route[], options: RouterOptions): void {
  if (versionParams === null) return
  const hasParams = (route: Route) => pathsOf(route).flatMap(expandOptional).some((path) => (
    isEqual(versionParamsOf(scheme, normalize(path, options)), versionParams)
  ))
  const first = routes.find(hasParams) as Route
  const other = routes.find((route) => schemeOf(route) === scheme && !hasParams(route))
  if (other === undefined) return
  throw new VersioningConflictError(
    `${describe(first)} and ${describe(other)} are one URL to the router, but have their versions in different ` +
    `parameters under ${scheme.label}. Give the parameters the same names.`
  )
}

/** With `version: null` a route is not a duplicate to the router, and would never be reached. */
function checkOpen (routes: readonly Route[]): void {
  const open = routes.filter((route) => !isClaimant(route) && !route.isAdded)
  for (const [i, route] of open.entries()) {
    const first = open.slice(0, i).find((other) => isEqual(other.constraints, route.constraints))
    if (first === undefined) continue
    throw new VersioningConflictError(
      `${describeBoth(first, route)} serve every version that no other route claims.`
    )
  }
}

/** Before routing it is unknown which of two kinds of constraints a request meets, so that neither can make way. */
function checkKinds (routes: readonly Route[]): void {
  const constrained = routes.filter(({ constraints }) => Object.keys(constraints).length > 0)
  const first = constrained.find(isClaimant)
  if (first === undefined) return
  const other = constrained.find((route) => !isEqual(kindsOf(route), kindsOf(first)))
  if (other === undefined) return
  throw new VersioningConflictError(
    `${describe(first)} is constrained by ${kindsOf(first).join(' and ')}, ${describe(other)} by ` +
    `${kindsOf(other).join(' and ')}. Routes of a URL that has versions need constraints of one kind: give both ` +
    'routes the same kinds, or leave the constraints out and look at the request in the handler.'
  )
}

function kindsOf ({ constraints }: Route): string[] {
  return Object.keys(constraints).sort()
}

/** To the router a version is one more constraint: among routes with equally many, the last declared one wins. */
function checkOrder (routes: readonly Route[]): void {
  for (const [i, open] of routes.entries()) {
    if (isClaimant(open) || hasConstraint(open) || kindsOf(open).length !== 1) continue
    const later = routes.slice(i).find((route) => isClaimant(route) && kindsOf(route).length === 0)
    if (later === undefined) continue
    throw new VersioningConflictError(
      `${describe(open)}, constrained by ${kindsOf(open).join()}, is declared before ${describe(later)}, which has ` +
      'versions: the router would prefer the latter. Declare it after that, or give it the option "version: null".'
    )
  }
}

/** The router finds only the first of equal regular expressions. */
function checkReachable (route: Route, _i: number, all: readonly Route[]): void {
  const { constraints: { host } } = route
  if (!(host instanceof RegExp)) return
  const first = all.find((other) => isEqual(other.constraints.host, host)) as Route
  if (first === route || (route.isAdded && isServedBy(route, first))) return
  throw new VersioningConflictError(
    `${describe(route)} is never reached: for the host ${String(host)} the router only finds ${describe(first)}. ` +
    'Write the host as a string, or serve all versions of it by one route.'
  )
}

function isServedBy ({ claim }: Route, other: Route): boolean {
  if (claim === null) return false
  return other.claim === null || claim.versions.every((version) => other.claim?.versions.includes(version))
}

/** A route has one slot in each method, so that a request to any of its paths may come to the same other routes. */
function checkPaths (route: Route, entries: readonly Entry[]): void {
  const odd = route.methods.map((method) => {
    const ofPaths = entries.filter((entry) => entry.method === method)
    const routes = ofPaths.map(({ group }) => group?.slot.groups.flatMap(routesOf) ?? [])
    return routes.flat().find((one) => one !== route && !routes.every((some) => some.includes(one)))
  }).find((one) => one !== undefined)
  if (odd === undefined) return
  throw new VersioningConflictError(
    `${describe(route)} has two paths, and ${describe(odd)} has only one of them, so that they are served in ` +
    'different versions. Declare a route for each path.'
  )
}

function routesOf ({ claimants, open }: Group): Route[] {
  return open === null ? [...claimants] : [...claimants, open]
}

function servedTwice (route: Route, first: Route, versions: readonly (string | null)[]): Error {
  if (versions[0] === null) {
    return new VersioningConflictError(`${describeBoth(first, route)} claim requests without a version.`)
  }
  const shared = versions.length === 1 ? `version ${show(versions[0])}` : `the versions ${show(versions)}`
  return new VersioningConflictError(`${describeBoth(first, route)} claim ${shared}.`)
}

function describeBoth (first: Route, second: Route): string {
  const [a, b] = [first, second].map(describe)
  return a === b ? `Two routes ${a}` : `${a} and ${b} both`
}

function describe (route: Route): string {
  const label = labelOf(route)
  if (route.isAdded) return `${label} (which Fastify adds to ${label.replace('HEAD', 'GET')})`
  return route.name === null ? label : `${label} (named ${show(route.name)})`
}

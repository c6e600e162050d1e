import isEqual from 'fast-deep-equal'

import { contextOf, schemeOf } from '../context.ts'
import { covers, expandOptional, parsePath, shapeOf, yieldsTo } from './old-pattern.ts'
import { PathTree } from './tree.ts'
import { pathsOf } from '../routes.ts'
import { canServe } from '../routing/coverage.ts'
import { routeIn, slotsOf } from '../routing/slots.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { ParametricNode, PathNode, Shape } from './old-pattern.ts'
import type { Constraints, Route, Slot as Group } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** A route at one of its paths, optional parameters expanded. */
export interface Endpoint {
  /** The record of the route, whose URL is this path alone. */
  readonly route: Route
  /** The record as it is in the list of routes. */
  readonly record: Route
  readonly slot: Slot
  /** Its constraints besides the version, such as a host. */
  readonly constraints: Constraints
  /** The groups in which versions choose it, by method. */
  readonly groups: ReadonlyMap<string, Group | null | undefined>
}

/** The endpoints whose paths the router takes for the same. */
interface Slot {
  readonly shape: Shape
  readonly nodes: readonly PathNode[]
  readonly endpoints: Endpoint[]
}

/** How requests come to an endpoint whose own scheme does not choose among the endpoints of its slot. */
export interface Choosing {
  /** The scheme that chooses. */
  readonly scheme: Scheme
  /** Whether a request without a version reaches another endpoint. */
  readonly isRequired: boolean
}

/** How requests for a version come to an endpoint. */
export interface Access {
  /** Null for the scheme of the route. */
  readonly choosing: Choosing | null
  /** The host where requests to it have the version, or null if no known host has it. */
  readonly host: string | null
  /** The host of the app where requests for the version are sent, or null if that is unknown. */
  readonly home: string | null
}

/** Which endpoint answers, by the paths, constraints and versions of an app's routes. */
export class Slots {
  readonly #options: RouterOptions
  readonly #byShape = new Map<string, Slot>()
  readonly #tree = new PathTree<Slot>()
  /** In the order of their declaration. */
  readonly #byRoute = new Map<Route, readonly Endpoint[]>()

  constructor (routes: readonly Route[], options: RouterOptions) {
    this.#options = options
    const slots = slotsOf(routes, options)
    for (const record of routes) {
      const { constraints, methods } = record
      this.#byRoute.set(record, pathsOf(record).flatMap(expandOptional).map((url) => {
        const slot = this.#slotAt(url)
        const own = slots.get(record) ?? []
        const groups = new Map(methods.map((method) => [method, own.find((one) => one.method === method)]))
        const endpoint = { route: { ...record, url }, record, slot, constraints, groups }
        slot.endpoints.push(endpoint)
        return endpoint
      }))
    }
  }

  /** The endpoints of a route, the one with all parameters first; none where requests never come to the route. */
  of (route: Route): readonly Endpoint[] {
    return this.#byRoute.get(route) ?? []
  }

  /**
   * How requests for a version come to an endpoint, or null if another one answers them.
   *
   * @param path the path with the version in it
   */
  accessTo (endpoint: Endpoint, method: string, version: string, path: string): Access | null {
    const { route, constraints: { host } } = endpoint
    if (!canServe(route, version) || !this.#isChosen(endpoint, method, version)) return null
    const own = schemeOf(route)
    const choosing = this.#choosing(endpoint, method)
    const scheme = choosing?.scheme ?? own
    if (scheme !== null && typeof host === 'string' && !isServedAt(host, scheme, version)) return null
    const schemes = [own, choosing?.scheme ?? null].filter((one) => one !== null)
    const home = homeOf(route, schemes, version)
    if (home !== null && isLost(endpoint, method, version, home)) return null
    // Without the version in its path an endpoint has URLs that no path which is preferred to its own takes as a whole.
    if (path !== route.url && this.#isCovered(endpoint, method, path, host ?? home)) return null
    const hosts = schemes.map((one) => hostOf(endpoint, one, version))
    return { choosing, host: hosts.find((one) => one !== null) ?? null, home }
  }

  /** Null if no scheme chooses, or if the route's own scheme does. */
  #choosing (endpoint: Endpoint, method: string): Choosing | null {
    const scheme = endpoint.groups.get(method)?.claimants[0]?.claim?.scheme
    if (scheme === undefined || scheme === schemeOf(endpoint.route)) return null
    const isRequired = scheme.clientDefault !== null || !this.#isChosen(endpoint, method, scheme.defaultVersion)
    return { scheme, isRequired }
  }

  /** Whether no other endpoint with the same constraints takes a version for itself. */
  #isChosen (endpoint: Endpoint, method: string, version: string | null): boolean {
    const { record, groups, slot, constraints } = endpoint
    const group = groups.get(method)
    if (group) return routeIn(group, version) === record
    return slot.endpoints.find((one) => hasMethod(one, method) && isEqual(one.constraints, constraints)) === endpoint
  }

  /**
   * Whether another slot takes every URL of a path before the endpoint's slot.
   *
   * @param own the host of the endpoint, or else of the app
   */
  #isCovered ({ slot, constraints }: Endpoint, method: string, path: string, own: unknown): boolean {
    const isMet = (one: Endpoint) => includes(constraints, one.constraints) || (
      typeof own === 'string' && isOfHost(one, own) &&
      includes({ ...constraints, host: one.constraints.host }, one.constraints)
    )
    const others = this.#tree.near(shapeOf(path, this.#options), false)
    return [...others].some((other) => (
      other !== slot &&
      other.endpoints.some((one) => hasMethod(one, method) && isMet(one)) &&
      this.#isTriedBefore(other, slot, method) && covers(other.endpoints[0].route.url, path, this.#options)
    ))
  }

  /** Whether the router tries one slot before the other wherever the paths of both match a URL. */
  #isTriedBefore (first: Slot, second: Slot, method: string): boolean {
    if (yieldsTo(second.shape, first.shape)) return true
    const at = first.shape.findIndex((part, i) => part !== second.shape[i])
    const [a, b] = [first.nodes[at], second.nodes[at]]
    if (!isPatterned(a) || !isPatterned(b)) return false
    const [textOfA, textOfB] = [a, b].map(({ texts }) => texts[texts.length - 1].length)
    return textOfA === textOfB ? this.#rank(first, at, method) < this.#rank(second, at, method) : textOfA > textOfB
  }

  /** The router tries two patterns at one place in the order in which it got them. */
  #rank ({ shape }: Slot, at: number, method: string): number {
    return [...this.#byRoute.values()].flat().findIndex((one) => (
      hasMethod(one, method) && shape.every((part, i) => i > at || part === one.slot.shape[i])
    ))
  }

  #slotAt (path: string): Slot {
    const shape = shapeOf(path, this.#options)
    const key = shape.join('')
    let slot = this.#byShape.get(key)
    if (slot === undefined) {
      this.#byShape.set(key, slot = { shape, nodes: parsePath(path), endpoints: [] })
      this.#tree.add(shape, slot)
    }
    return slot
  }
}

/** Whether requests to the host of the app come to another endpoint of the slot, which has that host. */
function isLost (endpoint: Endpoint, method: string, version: string, home: string): boolean {
  const { slot, constraints } = endpoint
  return slot.endpoints.some((one) => (
    isBeforeAt(home, one, endpoint) && hasMethod(one, method) && takes(one, method, version) &&
    includes({ ...constraints, host: one.constraints.host }, one.constraints)
  ))
}

/** Whether an endpoint, or one with the same constraints, answers or refuses requests in a version. */
function takes ({ groups }: Endpoint, method: string, version: string): boolean {
  const group = groups.get(method)
  return !group || routeIn(group, version) !== null
}

/** Whether the router prefers one endpoint to another if a host is requested: it prefers a string to a pattern. */
function isBeforeAt (host: string, one: Endpoint, other: Endpoint): boolean {
  if (!isOfHost(one, host) || typeof other.constraints.host === 'string') return false
  return other.constraints.host === undefined || typeof one.constraints.host === 'string'
}

function hasMethod ({ route }: Endpoint, method: string): boolean {
  return route.methods.includes(method)
}

/** Whether a request that meets the constraints meets the others as well. */
function includes (constraints: Constraints, others: Constraints): boolean {
  return Object.keys(others).every((name) => isEqual(constraints[name], others[name]))
}

export function isOfHost ({ constraints: { host } }: Endpoint, name: string): boolean {
  return host instanceof RegExp ? host.test(name) : host === name
}

function isPatterned (node: PathNode | undefined): node is ParametricNode {
  return node?.kind === 'parametric' && node.pattern !== null
}

/** Whether only a host has the version. */
function isByHost ({ members }: Scheme): boolean {
  return members.every(({ documentation }) => documentation === 'host')
}

/** Whether requests to a host may be in a version. */
function isServedAt (host: string, scheme: Scheme, version: string): boolean {
  const { clientDefault, defaultVersion, members } = scheme
  const named = members.map((one) => versionInHost(one, host)).find((one) => one !== null)
  if (named !== undefined) return named === version
  // A host without a version has the default one, unless the version may be in another place.
  const isDefault = version === defaultVersion || clientDefault !== null
  return isDefault || !isByHost(scheme)
}

/** The version of a host, or null if it has none, or if the scheme does not look there. */
export function versionInHost (scheme: Scheme, host: string): string | null {
  return scheme.documentation === 'host' ? scheme.named({ headers: { host } } as RawRequest)[0]?.version ?? null : null
}

/** The host with a version of an endpoint: from its constraint, or the app's; null if there is none. */
function hostOf (
  { route: { server }, constraints: { host } }: Endpoint, { members }: Scheme, version: string
): string | null {
  if (typeof host === 'string') return members.some((one) => versionInHost(one, host) === version) ? host : null
  const hosts = members.map((one) => hostOfApp(one, server, version))
  return hosts.find((one) => one !== null && (!(host instanceof RegExp) || host.test(one))) ?? null
}

/**
 * The host of the app where a document of a version sends requests to a route, or null if that is unknown.
 *
 * @param schemes the schemes by which requests come to the route
 */
function homeOf ({ server }: Route, schemes: readonly Scheme[], version: string): string | null {
  const { baseUrl, scheme } = contextOf(server)
  // A route without versions is asked where the others of its context are.
  const members = (schemes.length === 0 ? [scheme] : schemes).flatMap((one) => one?.members ?? [])
  const named = members.map((one) => hostOfApp(one, server, version)).find((one) => one !== null)
  // At a host without its version, a request gets the default version.
  const isUnknown = schemes.some((one) => version !== one.defaultVersion && isByHost(one))
  return named ?? (isUnknown ? null : baseUrl?.host ?? null)
}

/** The host of an app with a version in it, or null if there is none. */
function hostOfApp (scheme: Scheme, server: object, version: string): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : scheme.hostFor(version, baseUrl.host)
}

import isEqual from 'fast-deep-equal'

import { VersioningConflictError, VersioningOptionError, nameOf, show } from '../errors.ts'
import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { labelOf, pathsOf } from '../routes.ts'
import { Candidate, isPreferred, toClaim } from './candidates.ts'
import { CONSTRAINT, candidateOf } from './constraint.ts'
import { whyNotBeforeRouting } from './reading.ts'

import type { RouteOptions } from 'fastify'
import type { Claim } from './candidates.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { DeclaredOptions, Route, Routes } from '../routes.ts'
import type { RouteVersions, VersioningScheme } from '../../types/index.d.ts'

/** As many handlers as the router takes for one method and path once there are constraints. */
const MAX_HANDLERS = 31

/** The routes of one method and path. */
interface Place {
  readonly routes: Declared[]
  /** Whether each of the routes is a candidate. */
  isConstrained: boolean
  /** The scheme of the claims; null: there is none. */
  scheme: VersioningScheme | null
}

/** A route whose options Fastify still reads. */
type Declared = Route & { readonly options: DeclaredOptions }

/** A candidate that claims versions. */
type Claimant = Candidate & { readonly claim: Claim }

type Constraints = NonNullable<RouteOptions['constraints']>

const NONE: readonly Route[] = Object.freeze([])

/** Which versions the routes of an app claim at which URL. Nothing is computed before the first claim. */
export class Claims {
  readonly #routes: Routes
  readonly #options: RouterOptions
  /** By method, and by what the router makes of a path. */
  readonly #places = new Map<string, Map<string, Place>>()
  readonly #shapes = new Map<string, readonly string[]>()
  /** Roots of prefixes whose other path, if there is one, is not in its place yet. */
  readonly #roots = new Set<Declared>()
  /** How many routes are in their places. */
  #indexed = 0
  #hasClaims = false

  constructor (routes: Routes, options: RouterOptions) {
    this.#routes = routes
    this.#options = options
  }

  /**
   * Gives a route that is being declared the constraint by which the router chooses it, where versions choose.
   *
   * @param version the versions that it claims; null: all that no other route claims
   * @returns the other routes at its URLs to which requests come to come by a header
   * @throws FST_ERR_VERSIONING_OPTION when the version is not valid, or another route of the URL claims it as well
   */
  declare (route: Declared, version: RouteVersions | null, scheme: VersioningScheme | null): readonly Route[] {
    route.options.constraints = ownConstraints(route.options)
    if (version === null && !this.#hasClaims) return NONE
    this.#hasClaims = true
    this.#index()
    const places = this.#placesOf(route, possiblePathsOf(route))
    if (version === null) {
      return places.some(({ isConstrained }) => isConstrained) ? this.#enter(openCandidate(route), places) : NONE
    }
    const candidate = this.#claim(route, toClaim(version, checkScheme(scheme, version)))
    if (candidate === null) return NONE
    for (const place of places) place.scheme ??= scheme
    return this.#enter(candidate, places)
  }

  /**
   * To be called when the app is ready.
   *
   * @throws FST_ERR_VERSIONING_OPTION where the router does not choose as the routes say
   */
  check (): void {
    if (this.#hasClaims) this.#index()
    for (const byShape of this.#places.values()) {
      for (const place of byShape.values()) {
        if (place.scheme === null) continue
        place.routes.forEach(checkUnchanged)
        candidatesIn([place]).forEach(checkReachable)
      }
    }
    this.#places.clear()
    this.#shapes.clear()
  }

  #index (): void {
    const { list } = this.#routes
    for (; this.#indexed < list.length; this.#indexed++) {
      const route = list[this.#indexed] as Declared
      for (const place of this.#placesOf(route, [route.url])) place.routes.push(route)
      if (possiblePathsOf(route).length > 1) this.#roots.add(route)
    }
    for (const root of this.#roots) this.#indexAlias(root)
  }

  /** Takes in the other path of a root of a prefix, as soon as Fastify has added it. */
  #indexAlias (root: Declared): void {
    const [, alias] = pathsOf(root)
    if (alias === undefined) return
    this.#roots.delete(root)
    const places = this.#placesOf(root, [alias])
    const candidate = candidateOf.of(root)
    if (candidate !== undefined && isClaimant(candidate)) checkClaim(candidate, claimantsIn(places))
    for (const place of places) place.routes.push(root)
  }

  #placesOf ({ methods }: Pick<Route, 'methods'>, paths: readonly string[]): Place[] {
    const shapes = paths.flatMap((path) => this.#shapesOf(path))
    const places: Place[] = []
    for (const method of methods) {
      for (const shape of shapes) places.push(this.#placeAt(method, shape))
    }
    return places
  }

  /** What the router makes of a path: paths of one shape have the same URLs. */
  #shapesOf (path: string): readonly string[] {
    let shapes = this.#shapes.get(path)
    if (shapes === undefined) {
      shapes = expandOptional(path).map((one) => shapeOf(one, this.#options).join(''))
      this.#shapes.set(path, shapes)
    }
    return shapes
  }

  #placeAt (method: string, shape: string): Place {
    let byShape = this.#places.get(method)
    if (byShape === undefined) this.#places.set(method, byShape = new Map())
    let place = byShape.get(shape)
    if (place === undefined) {
      place = { routes: [], isConstrained: false, scheme: null }
      byShape.set(shape, place)
    }
    return place
  }

  /** What becomes of a claim; null: nothing is left of it. */
  #claim (route: Declared, claim: Claim): Candidate | null {
    const candidate = new Candidate(route, claim, { ...route.options.constraints }) as Claimant
    const others = claimantsIn(this.#placesOf(route, [route.url]))
    candidate.isHeadOfGet = this.#isHeadOfGet(candidate)
    // A HEAD route of the app's own goes before the one that Fastify adds to a GET.
    const rivals = candidate.isHeadOfGet ? others.filter((other) => isRival(candidate, other)) : []
    const versions = claim.versions.filter((version) => !rivals.some((rival) => rival.serves(version)))
    if (versions.length === 0) {
      yieldTo(rivals[0], route)
      return null
    }
    const rest = rivals.length === 0 ? candidate : restOf(candidate, versions)
    checkClaim(rest, others)
    return rest
  }

  /** Whether it is the HEAD route that Fastify adds to a GET. */
  #isHeadOfGet ({ route: { methods, url }, claim, constraints }: Candidate): boolean {
    if (methods.join() !== 'HEAD') return false
    const gets = candidatesIn(this.#placesOf({ methods: ['GET'] }, [url]))
    return gets.some((get) => isEqual(get.claim, claim) && isEqual(get.constraints, constraints))
  }

  #enter (candidate: Candidate, places: readonly Place[]): readonly Route[] {
    this.#constrain(candidate, places)
    const varied = places.filter(({ scheme }) => typeof scheme?.vary === 'string')
    if (varied.length === 0) return NONE
    candidate.isVaried = true
    const others = candidatesIn(varied).filter(({ isVaried }) => !isVaried)
    for (const other of others) other.isVaried = true
    return others.map(({ route }) => route)
  }

  /**
   * Makes a route a candidate, and with it all others at its URLs. One that is there already has handed its constraints
   * to the router, which reads them again with the next route of the path.
   */
  #constrain (candidate: Candidate, places: readonly Place[]): void {
    const route = candidate.route as Declared
    candidateOf.set(route, candidate);
    (route.options.constraints as Record<string, unknown>)[CONSTRAINT] = candidate
    for (const place of places) {
      if (place.routes.length >= MAX_HANDLERS && !place.routes.includes(route)) throw tooMany(route)
      place.isConstrained = true
      for (const other of place.routes) {
        if (candidateOf.of(other) !== undefined) continue
        this.#constrain(openCandidate(other), this.#placesOf(other, pathsOf(other)))
      }
    }
  }
}

/**
 * The router keeps the constraints of a route, and versions may come to its path only later: so each route has an
 * object of its own. Options that somebody copies from another route hold the candidate of that one.
 */
function ownConstraints ({ constraints }: DeclaredOptions): Constraints {
  if (constraints === undefined) return {}
  if (typeof constraints !== 'object') return constraints
  const { [CONSTRAINT]: ours, ...own } = { ...constraints } as Record<string, unknown>
  if (ours === undefined || ours instanceof Candidate) return own as Constraints
  throw new VersioningOptionError(`constraints.${CONSTRAINT}`, 'the route option "version" instead', show(ours))
}

function openCandidate (route: Declared): Candidate {
  const { [CONSTRAINT]: _ours, ...constraints } = { ...route.options.constraints } as Record<string, unknown>
  return new Candidate(route, null, constraints)
}

function candidatesIn (places: readonly Place[]): Candidate[] {
  return places.flatMap(({ routes }) => routes.map(candidateOf.of)).filter((candidate) => candidate !== undefined)
}

function claimantsIn (places: readonly Place[]): Claimant[] {
  return candidatesIn(places).filter(isClaimant)
}

function isClaimant (candidate: Candidate): candidate is Claimant {
  return candidate.claim !== null
}

/** The paths that the router may have for a route that is being declared: of the root of a prefix Fastify shows one. */
function possiblePathsOf ({ url, options }: Declared): readonly string[] {
  const { method, prefix, prefixTrailingSlash } = options
  const isOne = prefixTrailingSlash === 'slash' || prefixTrailingSlash === 'no-slash' || method === 'HEAD'
  return url !== prefix || isOne ? [url] : [url, `${url}/`]
}

/** The versions that two routes claim by the same right, so that neither is preferred. */
function sharedVersions (a: Claimant, b: Claimant): readonly string[] {
  const isApart = !isEqual(a.constraints, b.constraints)
  if (isApart || isPreferred(a.claim, b.claim) || isPreferred(b.claim, a.claim)) return []
  return a.claim.versions.filter((version) => b.serves(version))
}

/** Whether the HEAD route that Fastify adds to a GET leaves versions to another HEAD route. */
function isRival (candidate: Claimant, other: Claimant): boolean {
  if (sharedVersions(candidate, other).length > 0) return true
  if (other.isHeadOfGet) return false
  return isEqual(candidate.constraints, other.constraints) && other.claim.versions.some((one) => candidate.serves(one))
}

/** A HEAD route that Fastify adds, with the versions that are left to it. */
function restOf ({ route, claim, constraints }: Claimant, versions: readonly string[]): Claimant {
  const rest = new Candidate(route, { ...claim, versions }, constraints) as Claimant
  rest.isHeadOfGet = true
  return rest
}

/** The router passes over a HEAD route that Fastify adds where there is an equal one. */
function yieldTo (other: Candidate, route: Declared): void {
  candidateOf.set(route, other)
  route.options.constraints = other.route.options?.constraints as Constraints
}

function checkScheme (scheme: VersioningScheme | null, version: unknown): VersioningScheme {
  if (scheme === null) throw new VersioningOptionError('version', 'a scheme that reads one', show(version))
  const why = whyNotBeforeRouting(scheme)
  if (why !== null) throw new VersioningOptionError('version', why, show(version))
  return scheme
}

function checkClaim (candidate: Claimant, others: readonly Claimant[]): void {
  for (const other of others) {
    if (other.claim.scheme !== candidate.claim.scheme) throw twoSchemes(candidate, other)
    const shared = sharedVersions(candidate, other)
    if (shared.length > 0) throw servedTwice(candidate, other, shared)
  }
}

/** Of equal regular expressions the router only ever finds the first. */
function checkReachable (candidate: Candidate, _i: number, all: readonly Candidate[]): void {
  const { constraints: { host }, route } = candidate
  if (!(host instanceof RegExp)) return
  const first = all.find(({ constraints }) => isEqual(constraints.host, host)) as Candidate
  if (first === candidate) return
  throw new VersioningConflictError(
    `${describe(route)} is never reached: for the host ${String(host)} the router finds ${describe(first.route)} ` +
    'alone. Write the host as a string, or serve all versions of it by one route.'
  )
}

/** A later onRoute hook may have written other constraints into the options, but the router chooses by ours. */
function checkUnchanged (route: Declared): void {
  const { [CONSTRAINT]: candidate, ...now } = { ...route.options.constraints } as Record<string, unknown>
  if (candidate instanceof Candidate && isEqual(now, candidate.constraints)) return
  throw new VersioningConflictError(
    `The constraints of ${describe(route)}, which versions choose, were changed by a later onRoute hook. ` +
    'Add that hook before registering fastify-versioning.'
  )
}

function servedTwice ({ route }: Candidate, { route: first }: Candidate, versions: readonly string[]): Error {
  const shared = versions.length === 1 ? `version ${show(versions[0])}` : `the versions ${show(versions)}`
  const [a, b] = [first, route].map(describe)
  const routes = a === b ? `Two routes ${a}` : `${a} and ${b} both`
  return new VersioningConflictError(`${routes} claim ${shared}.`)
}

function twoSchemes (candidate: Claimant, other: Claimant): Error {
  const [own, first] = [candidate, other].map(({ claim }) => nameOf(claim.scheme))
  return new VersioningConflictError(
    `The versions of ${describe(candidate.route)} are read by ${own}, those of ${describe(other.route)} by ` +
    `${own === first ? `another ${first}` : first}. Routes of one URL and method need one scheme.`
  )
}

function tooMany (route: Route): Error {
  return new VersioningConflictError(
    `Versions choose among ${MAX_HANDLERS} routes for ${describe(route)} at most. ` +
    'A range { from, to } serves several versions with one route.'
  )
}

function describe (route: Route): string {
  return route.name === null ? labelOf(route) : `${labelOf(route)} (named ${show(route.name)})`
}

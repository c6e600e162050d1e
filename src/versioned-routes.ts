import { VersioningOptionError, nameOf, show } from './errors.ts'
import { expandOptional } from './path-pattern.ts'
import { isPreferred, toServing } from './route-versions.ts'
import { shapeOf } from './rivals.ts'
import { setChoice } from './route-config.ts'
import { CONSTRAINT, constraintsOf } from './version-constraint.ts'

import type { RouteOptions } from 'fastify'
import type { Choice, Claim } from './choice-store.ts'
import type { RouterOptions } from './route-table.ts'
import type { SchemeInstances } from './scheme-instances.ts'
import type { VersionConstraint } from './version-constraint.ts'
import type { RouteVersions, VersioningScheme } from '../types/index.d.ts'

/** As many handlers as the router takes for one method and path once there are constraints. */
const MAX_HANDLERS = 31

/** What is to be known of a route. */
export interface Shown {
  readonly route: RouteOptions
  readonly methods: readonly string[]
  /** As the router knows it: the root of a prefix has two. */
  readonly paths: readonly string[]
  /** As a message names it: `GET /bookings`. */
  readonly label: string
}

interface Declared extends Shown, Choice {}

/** All routes of one path. */
interface Site {
  readonly routes: Declared[]
  /** Whether versions choose among them. */
  isVersioned: boolean
}

/** The routes of an app by path, with the versions that they claim. */
export class VersionedRoutes {
  readonly #constraint: VersionConstraint
  readonly #instances: SchemeInstances
  readonly #options: RouterOptions
  readonly #sites = new Map<string, Site>()
  /** Routes without versions: as long as there are no others nobody asks for them. */
  #open: Shown[] | null = []

  constructor (constraint: VersionConstraint, instances: SchemeInstances, options: RouterOptions) {
    this.#constraint = constraint
    this.#instances = instances
    this.#options = options
  }

  /** Takes in a route that serves every version that no other claims. */
  addOpen (shown: Shown): void {
    // Of its own, for the router keeps it, and versions may come to the path only later.
    shown.route.constraints = { ...shown.route.constraints }
    if (this.#open === null) this.#takeOpen(shown)
    else this.#open.push(shown)
  }

  /**
   * Takes in a route with versions, and gives it the constraint by which the router chooses it.
   *
   * @param version the route option, or the default of the context
   * @throws FST_ERR_VERSIONING_OPTION when the version is not valid, or another route claims it by the same right
   */
  add (shown: Shown, version: RouteVersions, scheme: VersioningScheme | null): void {
    for (const open of this.#open ?? []) this.#takeOpen(open)
    this.#open = null
    checkScheme(scheme, version)
    const { route } = shown
    route.constraints = { ...route.constraints }
    const claim = { ...toServing(version, scheme), scheme }
    const declared = { ...shown, claim, others: constraintsOf(route.constraints) }
    const sites = this.#sitesOf(shown)
    for (const site of sites) this.#checkConflict(declared, claim, site)
    this.#enter(declared, sites)
    this.#constrain(declared)
    setChoice(route, { claim, others: declared.others })
  }

  /** To be called when the app is ready and no route can come any more. */
  clear (): void {
    this.#open = null
    this.#sites.clear()
  }

  #takeOpen (shown: Shown): void {
    const declared = { ...shown, claim: null, others: constraintsOf(shown.route.constraints as object) }
    const sites = this.#sitesOf(shown)
    this.#enter(declared, sites)
    if (sites.some(({ isVersioned }) => isVersioned)) this.#constrain(declared)
  }

  #sitesOf ({ paths }: Shown): Site[] {
    const shapes = paths.flatMap(expandOptional).map((path) => shapeOf(path, this.#options).join(''))
    return [...new Set(shapes)].map((shape) => {
      const site = this.#sites.get(shape) ?? { routes: [], isVersioned: false }
      this.#sites.set(shape, site)
      return site
    })
  }

  #enter (declared: Declared, sites: readonly Site[]): void {
    for (const { routes } of sites) {
      routes.push(declared)
      for (const method of declared.methods) {
        if (routes.filter(({ methods }) => methods.includes(method)).length > MAX_HANDLERS) throw tooMany(declared)
      }
    }
  }

  /**
   * Where versions choose, every route says what it takes. One that is there already has handed its constraints to the
   * router, which reads them again with the next route of the path; its other paths need to know, lest the router take
   * two equal routes for different ones.
   */
  #constrain (declared: Declared): void {
    const { route } = declared
    if (CONSTRAINT in (route.constraints as object)) return
    Object.assign(route.constraints as object, { [CONSTRAINT]: this.#constraint.textFor(declared) })
    for (const site of this.#sitesOf(declared)) {
      site.isVersioned = true
      for (const other of site.routes) this.#constrain(other)
    }
  }

  /** Two routes may not serve a version by the same right. */
  #checkConflict (declared: Declared, claim: Claim, { routes }: Site): void {
    for (const other of routes) {
      if (other.claim === null || !isSame(declared.others, other.others)) continue
      if (!declared.methods.some((method) => other.methods.includes(method))) continue
      if (claim.scheme === other.claim.scheme) {
        if (isPreferred(claim, other.claim) || isPreferred(other.claim, claim)) continue
      } else if (!this.#instances.areAlike(claim.scheme, other.claim.scheme)) {
        continue
      }
      const both = claim.versions.filter((version) => other.claim?.versions.includes(version))
      if (both.length > 0) throw conflict(declared, other, both)
    }
  }
}

function tooMany ({ route, label }: Shown): Error {
  const expected = `at most ${MAX_HANDLERS} routes for ${label}; a range { from, to } serves several versions`
  return new VersioningOptionError('version', expected, show(route.version))
}

function conflict ({ label }: Shown, other: Shown, both: readonly string[]): Error {
  const expected = `a version of ${label} that ${describe(other)} does not claim`
  return new VersioningOptionError('version', expected, show(both.length === 1 ? both[0] : both))
}

function describe ({ label, route: { name } }: Shown): string {
  return name === undefined ? label : `${label}, named ${show(name)},`
}

function checkScheme (scheme: VersioningScheme | null, version: unknown): asserts scheme is VersioningScheme {
  if (scheme !== null && typeof scheme.readVersion === 'function') return
  const why = scheme === null
    ? 'a scheme that reads one'
    : scheme.versionPlace ?? `a scheme that has readVersion(), which ${nameOf(scheme)} has not`
  throw new VersioningOptionError('version', why, show(version))
}

function isSame (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one))
}

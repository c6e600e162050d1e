import { isDeepStrictEqual } from 'node:util'

import { conflict, disputesOf } from './disputes.ts'
import { VersioningOptionError, nameOf, show } from '../errors.ts'
import { expandOptional } from '../paths/pattern.ts'
import { toServing } from './serving.ts'
import { shapeOf } from '../paths/rivals.ts'
import { endingOfRoute, setChoice } from '../boot/route-config.ts'
import { CONSTRAINT, constraintsOf } from './constraint.ts'

import type { RouteOptions } from 'fastify'
import type { Claim } from './candidates.ts'
import type { Declared, Shown } from './disputes.ts'
import type { RouterOptions } from '../paths/ownership.ts'
import type { VersionConstraint } from './constraint.ts'
import type { RouteVersions, VersioningScheme } from '../../types/index.d.ts'

/** As many handlers as the router takes for one method and path once there are constraints. */
const MAX_HANDLERS = 31
const NONE: readonly string[] = Object.freeze([])

type RouteConstraints = NonNullable<RouteOptions['constraints']>

/** All routes of one method and path. */
interface Site {
  readonly routes: Declared[]
  /** Whether versions choose among them. */
  isVersioned: boolean
}

/** The routes of an app by method and path, with the versions that they claim. */
export class VersionedRoutes {
  readonly #constraint: VersionConstraint
  readonly #options: RouterOptions
  readonly #sites = new Map<string, Site>()
  #varied = new Set<RouteOptions>()
  /** Routes without versions that nobody has asked for yet; null: there are others, which do. */
  #waiting: Shown[] | null = []

  constructor (constraint: VersionConstraint, options: RouterOptions) {
    this.#constraint = constraint
    this.#options = options
  }

  /** Takes in a route that serves every version that no other claims. */
  addOpen (shown: Shown): void {
    this.#ownConstraints(shown)
    if (this.#waiting === null) this.#takeOpen(shown)
    else this.#waiting.push(shown)
  }

  /**
   * Takes in a route with versions, and gives it the constraint by which the router chooses it.
   *
   * @param version the route option, or the default of the context
   * @throws FST_ERR_VERSIONING_OPTION when the version is not valid, or another route claims it by the same right
   */
  add (shown: Shown, version: RouteVersions, scheme: VersioningScheme | null): void {
    checkScheme(scheme, version)
    this.#takeWaiting()
    const others = this.#ownConstraints(shown)
    const sites = this.#sitesOf(shown)
    const claim = { ...toServing(version, scheme), scheme }
    const ending = endingOfRoute({ routeOptions: { config: shown.route.config ?? {} } })
    const [dispute, ...more] = disputesOf({ claim, others, ending }, sites.flatMap(({ routes }) => routes))
    if (dispute !== undefined && !this.#isTwin(shown, claim, others)) throw conflict(shown, dispute)
    const taken = [dispute, ...more].flatMap((one) => one?.versions ?? [])
    const versions = claim.versions.filter((one) => !taken.includes(one))
    if (versions.length === 0) return yieldTo(dispute.other, shown)
    const claimed = { claim: { ...claim, versions }, others, ending }
    this.#enter({ ...shown, ...claimed }, sites)
    setChoice(shown.route, claimed)
  }

  /** The routes to which requests have come to come by a header, since this was last asked. */
  takeVaried (): Iterable<RouteOptions> {
    const varied = this.#varied
    if (varied.size > 0) this.#varied = new Set()
    return varied
  }

  /** To be called when the app is ready and no route can come any more. */
  clear (): void {
    this.#waiting = null
    this.#sites.clear()
  }

  #takeWaiting (): void {
    for (const open of this.#waiting ?? []) this.#takeOpen(open)
    this.#waiting = null
  }

  #takeOpen (shown: Shown): void {
    const others = constraintsOf(shown.route.constraints as object)
    const ending = endingOfRoute({ routeOptions: { config: shown.route.config ?? {} } })
    this.#enter({ ...shown, claim: null, others, ending }, this.#sitesOf(shown))
  }

  /**
   * The router keeps the constraints of a route, and versions may come to its path only later. Options that somebody
   * copies from another route hold what stands for that one.
   */
  #ownConstraints ({ route }: Shown): readonly string[] {
    if (route.constraints === undefined) {
      route.constraints = {}
      return NONE
    }
    if (typeof route.constraints === 'object') {
      const { [CONSTRAINT]: ours, ...own } = { ...route.constraints as Record<string, unknown> }
      if (ours !== undefined && !this.#constraint.knows(ours)) {
        throw new VersioningOptionError(`constraints.${CONSTRAINT}`, 'the route option "version" instead', show(ours))
      }
      route.constraints = own as RouteConstraints
    }
    return constraintsOf(route.constraints as object)
  }

  #sitesOf ({ methods, paths }: Pick<Shown, 'methods' | 'paths'>): Site[] {
    const shapes = paths.flatMap(expandOptional).map((path) => shapeOf(path, this.#options).join(''))
    const keys = new Set(shapes.flatMap((shape) => methods.map((method) => `${method} ${shape}`)))
    return [...keys].map((key) => {
      const site = this.#sites.get(key) ?? { routes: [], isVersioned: false }
      this.#sites.set(key, site)
      return site
    })
  }

  #enter (declared: Declared, sites: readonly Site[]): void {
    for (const { routes } of sites) routes.push(declared)
    const isChosen = declared.claim !== null || sites.some(({ isVersioned }) => isVersioned)
    if (!isChosen) return
    if (sites.some(({ routes }) => routes.length > MAX_HANDLERS)) throw tooMany(declared)
    this.#constrain(declared)
    for (const { routes } of sites) {
      const isVaried = routes.some(({ claim }) => typeof claim?.scheme.vary === 'string')
      if (isVaried) for (const { route } of routes) this.#varied.add(route)
    }
  }

  /** Whether it is the HEAD route that Fastify adds to a GET. */
  #isTwin ({ methods, paths }: Shown, claim: Claim, others: readonly string[]): boolean {
    if (methods.join() !== 'HEAD') return false
    const [{ routes }] = this.#sitesOf({ methods: ['GET'], paths })
    return routes.some((route) => isDeepStrictEqual([route.claim, route.others], [claim, others]))
  }

  /**
   * Where versions choose, every route says what it takes. One that is there already has handed its constraints to the
   * router, which reads them again with the next route of the path; its other paths need to know, lest the router take
   * two equal routes for different ones.
   */
  #constrain (declared: Declared): void {
    const constraints = declared.route.constraints as Record<string, unknown>
    if (CONSTRAINT in constraints) return
    constraints[CONSTRAINT] = this.#constraint.valueFor(declared)
    for (const site of this.#sitesOf(declared)) {
      site.isVersioned = true
      for (const other of site.routes) this.#constrain(other)
    }
  }
}

/** The router passes over a HEAD route that Fastify adds where there is an equal one. */
function yieldTo (other: Shown, { route }: Shown): void {
  route.constraints = other.route.constraints as RouteConstraints
}

function tooMany ({ route, label }: Shown): Error {
  const expected = `at most ${MAX_HANDLERS} routes for ${label}; a range { from, to } serves several versions`
  return new VersioningOptionError('version', expected, show(route.version))
}

function checkScheme (scheme: VersioningScheme | null, version: unknown): asserts scheme is VersioningScheme {
  if (scheme !== null && typeof scheme.readVersion === 'function') return
  const why = scheme === null
    ? 'a scheme that reads one'
    : scheme.versionPlace ?? `a scheme that has readVersion(), which ${nameOf(scheme)} has not`
  throw new VersioningOptionError('version', why, show(version))
}

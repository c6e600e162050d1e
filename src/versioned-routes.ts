import { inspect } from 'node:util'

import { VersioningOptionError, labelOf, nameOf, show } from './errors.ts'
import { isPreferred, toServing } from './route-versions.ts'
import { shapeOf } from './rivals.ts'
import { setServed } from './route-config.ts'
import { CONSTRAINT } from './version-constraint.ts'

import type { RouteOptions } from 'fastify'
import type { RouterOptions } from './route-table.ts'
import type { Claim, Site, Unsettled, VersionConstraint } from './version-constraint.ts'
import type { RouteVersions, VersioningScheme } from '../types/index.d.ts'

/** As many handlers as the router takes for one method and path once there are constraints. */
const MAX_HANDLERS = 31

/** What is to be known of a route. */
interface Shown {
  readonly route: RouteOptions
  readonly methods: readonly string[]
}

/** The routes of an app by path, with the versions that they claim. */
export class VersionedRoutes {
  readonly #constraint: VersionConstraint
  readonly #options: RouterOptions
  readonly #sites = new Map<string, Site>()
  readonly #handlers = new Map<string, number>()
  /** Routes without versions: as long as there are no others nobody asks for them. */
  #open: Shown[] | null = []

  constructor (constraint: VersionConstraint, options: RouterOptions) {
    this.#constraint = constraint
    this.#options = options
  }

  /** Takes in a route that serves every version that no other claims. */
  addOpen (route: RouteOptions, methods: readonly string[]): void {
    if (this.#open === null) this.#setOpen({ route, methods })
    else this.#open.push({ route, methods })
  }

  /**
   * Takes in a route with versions, and gives it the constraint by which the router chooses it.
   *
   * @param version the route option, or the default of the context
   * @throws FST_ERR_VERSIONING_OPTION when the version is not valid, or another route claims it by the same right
   */
  add (
    route: RouteOptions, methods: readonly string[], version: RouteVersions, scheme: VersioningScheme | null
  ): void {
    for (const shown of this.#open ?? []) this.#setOpen(shown)
    this.#open = null
    checkScheme(scheme, version)
    const site = this.#siteOf(route, methods)
    const group = inspect(route.constraints ?? {}, { depth: null, sorted: true })
    const claim = { ...toServing(version, scheme), scheme, methods: [...methods], site, group }
    checkConflict(claim, route)
    const { text, versions } = this.#settle(claim)
    route.constraints = { ...route.constraints, [CONSTRAINT]: text }
    setServed(route, { site, versions })
  }

  /** Methods with the same claim share a text, as GET and its HEAD do. */
  #settle (claim: Unsettled): Claim {
    const known = claim.site.claims.find((other) => (
      other.scheme === claim.scheme && other.group === claim.group && other.from === claim.from &&
      other.versions.join() === claim.versions.join()
    ))
    if (known !== undefined) {
      known.methods.push(...claim.methods)
      return known
    }
    const settled = this.#constraint.add(claim)
    claim.site.claims.push(settled)
    return settled
  }

  /** To be called when the app is ready and no route can come any more. */
  clear (): void {
    this.#open = null
    this.#sites.clear()
    this.#handlers.clear()
  }

  #setOpen ({ route, methods }: Shown): void {
    const site = this.#siteOf(route, methods)
    for (const method of methods) site.open.add(method)
  }

  #siteOf (route: RouteOptions, methods: readonly string[]): Site {
    const shape = shapeOf(route.url, this.#options).join('')
    const site = this.#sites.get(shape) ?? { claims: [], open: new Set() }
    this.#sites.set(shape, site)
    for (const method of methods) {
      const key = `${method} ${shape}`
      const count = (this.#handlers.get(key) ?? 0) + 1
      this.#handlers.set(key, count)
      if (count > MAX_HANDLERS) throw tooMany(route)
    }
    return site
  }
}

function tooMany (route: RouteOptions): Error {
  const expected = `at most ${MAX_HANDLERS} routes for ${labelOf(route)}; a range { from, to } serves several versions`
  return new VersioningOptionError('version', expected, show(route.version))
}

/** The versions, in release order, that a site serves in one method. */
export function versionsOf (site: Site, method: string, scheme: VersioningScheme): readonly string[] {
  const served = new Set(site.claims.flatMap((claim) => (
    claim.scheme === scheme && claim.methods.includes(method) ? claim.versions : []
  )))
  const { allowedVersions } = scheme
  return allowedVersions?.length ? [...served].sort(byRelease(allowedVersions)) : [...served]
}

function byRelease (allowed: readonly (string | null)[]) {
  return (a: string, b: string) => allowed.indexOf(a) - allowed.indexOf(b)
}

function checkScheme (scheme: VersioningScheme | null, version: unknown): asserts scheme is VersioningScheme {
  if (scheme !== null && typeof scheme.readVersion === 'function') return
  const why = scheme === null
    ? 'a scheme that reads one'
    : scheme.versionPlace ?? `a scheme that has readVersion(), which ${nameOf(scheme)} has not`
  throw new VersioningOptionError('version', why, show(version))
}

/** Two routes may not serve a version by the same right. */
function checkConflict (claim: Unsettled, route: RouteOptions): void {
  for (const other of claim.site.claims) {
    if (other.scheme !== claim.scheme || other.group !== claim.group) continue
    if (!claim.methods.some((method) => other.methods.includes(method))) continue
    if (isPreferred(claim, other) || isPreferred(other, claim)) continue
    const both = claim.versions.filter((version) => other.versions.includes(version))
    if (both.length === 0) continue
    throw new VersioningOptionError(
      'version', `a version of ${labelOf(route)} that no other route claims`, show(both.length === 1 ? both[0] : both)
    )
  }
}

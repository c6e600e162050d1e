import { VersioningOptionError, show } from '../errors.ts'

import type { Route } from '../routes.ts'
import type { RouteVersions, VersioningScheme } from '../../types/index.d.ts'

/** The versions that a route claims for itself. */
export interface Claim {
  readonly scheme: VersioningScheme
  /** In release order. */
  readonly versions: readonly string[]
  /** Where a range begins, as an index of the versions that are permitted; null: the versions are listed. */
  readonly from: number | null
}

const EXPECTED = 'a version, a list of versions, or a range { from, to } of allowedVersions'

/**
 * A route at a URL where versions choose, as the value of our constraint. The router compares such values by their
 * text, and prints them as JSON.
 */
export class Candidate {
  readonly route: Route
  /** Null: the route serves every version that no other candidate claims. */
  readonly claim: Claim | null
  /** The constraints besides ours, such as a host. */
  readonly constraints: Readonly<Record<string, unknown>>
  /** Whether a scheme that reads a header chooses at one of its URLs. */
  isVaried = false
  /** Whether it is the HEAD route that Fastify adds to a GET. */
  isHeadOfGet = false
  readonly #text: string

  constructor (route: Route, claim: Claim | null, constraints: Readonly<Record<string, unknown>>) {
    this.route = route
    this.claim = claim
    this.constraints = constraints
    this.#text = JSON.stringify(this)
  }

  serves (version: string | null): boolean {
    return this.claim === null || this.claim.versions.includes(version as string)
  }

  toJSON (): object {
    if (this.claim === null) return ['any other']
    const { versions, from } = this.claim
    return from === null ? versions : { from: versions[0], to: versions.at(-1) }
  }

  toString (): string {
    return this.#text
  }
}

/**
 * Reads the route option `version`.
 *
 * @param given a version, a list, or a range with both ends included, in the order of the scheme's `allowedVersions`
 * @throws FST_ERR_VERSIONING_OPTION for anything else, for a version that is not listed, and for an empty range
 */
export function toClaim (given: RouteVersions, scheme: VersioningScheme): Claim {
  const allowed = (scheme.allowedVersions ?? []).filter((version) => version !== null)
  if (typeof given === 'string') return { scheme, versions: listed([given], allowed), from: null }
  if (typeof given !== 'object') throw new VersioningOptionError('version', EXPECTED, show(given))
  if (Symbol.iterator in given) return { scheme, versions: listed([...given], allowed), from: null }
  return { scheme, ...rangeOf(given, allowed) }
}

/** Whether of two claims to a version the first wins: who lists it, then the range that begins last. */
export function isPreferred (a: Claim, b: Claim): boolean {
  if (a.from === null || b.from === null) return b.from !== null
  return a.from > b.from
}

function listed (versions: readonly unknown[], allowed: readonly string[]): string[] {
  if (versions.length === 0) throw new VersioningOptionError('version', EXPECTED, '[]')
  for (const version of versions) check(version, allowed)
  const unique = [...new Set(versions as string[])]
  return allowed.length === 0 ? unique : allowed.filter((version) => unique.includes(version))
}

function rangeOf (range: { from?: unknown, to?: unknown }, allowed: readonly string[]): Omit<Claim, 'scheme'> {
  const { from, to, ...others } = range
  if ((from === undefined && to === undefined) || Object.keys(others).length > 0) {
    throw new VersioningOptionError('version', EXPECTED, show(range))
  }
  if (allowed.length === 0) {
    throw new VersioningOptionError('version', 'a version or a list, for a range needs allowedVersions', show(range))
  }
  if (from !== undefined) check(from, allowed)
  if (to !== undefined) check(to, allowed)
  const start = from === undefined ? 0 : allowed.indexOf(from as string)
  const end = to === undefined ? allowed.length : allowed.indexOf(to as string) + 1
  const versions = allowed.slice(start, end)
  if (versions.length > 0) return { versions, from: start }
  throw new VersioningOptionError('version', `a range in the order of allowedVersions, ${show(allowed)}`, show(range))
}

function check (version: unknown, allowed: readonly string[]): void {
  if (typeof version !== 'string') throw new VersioningOptionError('version', EXPECTED, show(version))
  if (allowed.length === 0 || allowed.includes(version)) return
  throw new VersioningOptionError('version', `one of allowedVersions, ${show(allowed)}`, show(version))
}

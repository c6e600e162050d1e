import { VersioningOptionError, show } from '../errors.ts'

import type { RouteVersions, VersioningScheme } from '../../types/index.d.ts'

/** The versions that a route serves. */
export interface Serving {
  /** In release order. */
  readonly versions: readonly string[]
  /** Where a range begins, as an index of the versions that are permitted; null: the versions are listed. */
  readonly from: number | null
}

const EXPECTED = 'a version, a list of versions, or a range { from, to } of allowedVersions'

/**
 * Reads the route option `version`.
 *
 * @param given a version, a list, or a range with both ends included, in the order of the scheme's `allowedVersions`
 * @throws FST_ERR_VERSIONING_OPTION for anything else, for a version that is not listed, and for an empty range
 */
export function toServing (given: RouteVersions, { allowedVersions }: VersioningScheme): Serving {
  const allowed = (allowedVersions ?? []).filter((version) => version !== null)
  if (typeof given === 'string') return { versions: listed([given], allowed), from: null }
  if (typeof given !== 'object' || given === null) throw new VersioningOptionError('version', EXPECTED, show(given))
  if (Symbol.iterator in given) return { versions: listed([...given], allowed), from: null }
  return toRange(given, allowed)
}

/** Whether of two routes that serve a version the first is chosen: what is listed, then the range that begins later. */
export function isPreferred (a: Serving, b: Serving): boolean {
  if (a.from === null || b.from === null) return a.from === null && b.from !== null
  return a.from > b.from
}

function listed (versions: readonly unknown[], allowed: readonly string[]): string[] {
  if (versions.length === 0) throw new VersioningOptionError('version', EXPECTED, '[]')
  for (const version of versions) check(version, allowed)
  const unique = [...new Set(versions as string[])]
  return allowed.length === 0 ? unique : allowed.filter((version) => unique.includes(version))
}

function toRange (range: { from?: unknown, to?: unknown }, allowed: readonly string[]): Serving {
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
  const end = to === undefined ? allowed.length - 1 : allowed.indexOf(to as string)
  const versions = allowed.slice(start, end + 1)
  if (versions.length > 0) return { versions, from: start }
  throw new VersioningOptionError('version', `a range in the order of allowedVersions, ${show(allowed)}`, show(range))
}

function check (version: unknown, allowed: readonly string[]): void {
  if (typeof version !== 'string') throw new VersioningOptionError('version', EXPECTED, show(version))
  if (allowed.length === 0 || allowed.includes(version)) return
  throw new VersioningOptionError('version', `one of allowedVersions, ${show(allowed)}`, show(version))
}

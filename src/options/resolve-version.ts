import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isAsync } from './checks.ts'
import { isDate } from './instant.ts'

import type { AllowedVersions, VersionResolver } from '../../types/index.d.ts'

/**
 * Reads the setting `resolveVersion`.
 *
 * @throws FST_ERR_VERSIONING_OPTION unless it is a function that returns no promise, or null
 */
export function toResolver (value: unknown): VersionResolver | null {
  if (value === null) return null
  if (typeof value === 'function' && !isAsync(value)) return value as VersionResolver
  throw new VersioningOptionError('resolveVersion', 'a function without a promise, or null', show(value))
}

/** How many results are cached, and up to which length of the requested version. */
const MAX_KNOWN = 1000
const MAX_LENGTH = 64

/** The cached results. A client that always sends new versions does not fill the memory. */
export class Resolutions {
  readonly #resolve: (named: string) => unknown
  readonly #known = new Map<string, unknown>()

  constructor (resolve: (named: string) => unknown) {
    this.#resolve = resolve
  }

  /** The unchecked result of the function. */
  of (named: string): unknown {
    if (this.#known.size === MAX_KNOWN) this.#known.clear()
    const known = this.#known.get(named)
    if (known !== undefined) return known
    const resolve = this.#resolve
    const version = resolve(named) ?? null
    if (named.length <= MAX_LENGTH) this.#known.set(named, version)
    return version
  }
}

/**
 * A resolver for versions that are dates: a date means the latest version that is not after it.
 *
 * @param named what the client specifies
 * @param allowedVersions the allowed versions; versions that are not dates are skipped
 * @returns null for a date before the first version; anything that is not a date of the calendar stays as it is
 */
export function byDate (named: string, allowedVersions: AllowedVersions): string | null {
  if (!isDate(named)) return named
  const dates = allowedVersions.filter((version) => version !== null && isDate(version)) as string[]
  if (dates.length === 0) return named
  // ISO 8601 dates with four-digit years sort as text.
  return dates.reduce<string | null>((best, date) => (
    date <= named && (best === null || date > best) ? date : best
  ), null)
}

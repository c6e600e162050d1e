import { readClock } from './clock.ts'
import { VersioningOptionError, show } from './errors.ts'

import type { FastifyReply } from 'fastify'
import type { Policy } from './policy.ts'
import type { AllowedVersions } from '../types/index.d.ts'

/** What a list in a header may hold: visible ASCII, space within it, and no comma (RFC 9110, section 5.5). */
const REPORTABLE = /^[!-+\--~](?:[ !-+\--~]*[!-+\--~])?$/

/**
 * Checks that versions can stand in a header.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the version that cannot
 */
export function checkReportable (versions: AllowedVersions | null | undefined): void {
  for (const version of versions ?? []) {
    if (version === null || REPORTABLE.test(version)) continue
    const expected = 'allowedVersions of visible ASCII without commas, for they are listed in a header'
    throw new VersioningOptionError('reportVersions', expected, show(version))
  }
}

/** The headers that list versions, ready until the next version is deprecated or gone. */
export class VersionReport {
  readonly #versions: readonly string[]
  readonly #policy: Policy
  /** When the lists change, in order. */
  readonly #changes: readonly number[]
  #from = Infinity
  #until = -Infinity
  #supported = ''
  #deprecated = ''

  constructor (versions: AllowedVersions, policy: Policy) {
    this.#versions = versions.filter((version) => version !== null)
    this.#policy = policy
    this.#changes = this.#versions.flatMap((version) => {
      const ending = policy.lifecycle?.get(version)
      return ending === undefined ? [] : [ending.deprecatedAt, ending.sunsetAt ?? ending.deprecatedAt]
    }).sort((a, b) => a - b)
    if (this.#changes.length === 0) this.#update(0)
  }

  /** @throws FST_ERR_VERSION_CLOCK (500) */
  addTo (reply: FastifyReply): void {
    // A clock may be set back.
    const now = this.#changes.length === 0 ? 0 : readClock(this.#policy)
    if (now < this.#from || now >= this.#until) this.#update(now)
    if (this.#supported !== '') reply.header('api-supported-versions', this.#supported)
    if (this.#deprecated !== '') reply.header('api-deprecated-versions', this.#deprecated)
  }

  #update (now: number): void {
    const { lifecycle, enforceSunset } = this.#policy
    const isBefore = (instant: number | null | undefined) => now < (instant ?? Infinity)
    const supported = this.#versions.filter((version) => !enforceSunset || isBefore(lifecycle?.get(version)?.sunsetAt))
    const deprecated = supported.filter((version) => !isBefore(lifecycle?.get(version)?.deprecatedAt))
    this.#supported = supported.join(', ')
    this.#deprecated = deprecated.join(', ')
    this.#from = this.#changes.findLast((change) => change <= now) ?? -Infinity
    this.#until = this.#changes.find((change) => change > now) ?? Infinity
  }
}

/** By context, and then by the very list: as many as an app has of both. */
const reports = new WeakMap<Policy, WeakMap<AllowedVersions, VersionReport>>()

/** The report of versions as a policy has them end. */
export function reportOf (versions: AllowedVersions, policy: Policy): VersionReport {
  let byList = reports.get(policy)
  if (byList === undefined) reports.set(policy, byList = new WeakMap())
  let report = byList.get(versions)
  if (report === undefined) byList.set(versions, report = new VersionReport(versions, policy))
  return report
}

import { VersioningOptionError, show } from '../errors.ts'
import { isGone } from '../options/lifecycle.ts'

import type { FastifyReply } from 'fastify'
import type { Served } from '../routing/candidates.ts'
import type { Policy } from '../options/policy.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

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
  readonly #versions: readonly Served[]
  readonly #isEnforced: boolean
  /** When the lists change, in order. */
  readonly #changes: readonly number[]
  // Of no instant yet, so that the first request makes them.
  #from = Infinity
  #until = -Infinity
  #supported = ''
  #deprecated = ''

  constructor (versions: readonly Served[], { enforceSunset }: Policy) {
    this.#versions = versions
    this.#isEnforced = enforceSunset
    const instants = versions.flatMap(({ ending }) => [ending?.deprecatedAt, ending?.sunsetAt])
    this.#changes = instants.filter((instant) => typeof instant === 'number').sort((a, b) => a - b)
  }

  /** @param now milliseconds since the epoch; it may be less than the last time, for a clock may be set back */
  addTo (reply: FastifyReply, now: number): void {
    if (now < this.#from || now >= this.#until) this.#update(now)
    if (this.#supported !== '') reply.header('api-supported-versions', this.#supported)
    if (this.#deprecated !== '') reply.header('api-deprecated-versions', this.#deprecated)
  }

  #update (now: number): void {
    const supported = this.#versions.filter(({ ending }) => !this.#isEnforced || !isGone(ending, now))
    const deprecated = supported.filter(({ ending }) => ending !== undefined && now >= ending.deprecatedAt)
    this.#supported = listOf(supported)
    this.#deprecated = listOf(deprecated)
    this.#from = this.#changes.findLast((change) => change <= now) ?? -Infinity
    this.#until = this.#changes.find((change) => change > now) ?? Infinity
  }
}

function listOf (versions: readonly Served[]): string {
  return versions.map(({ version }) => version).filter((version) => version !== null).join(', ')
}

/** By context, and then by the very list: as many as an app has of both. */
const reports = new WeakMap<Policy, WeakMap<readonly Served[], VersionReport>>()

/** The report of versions as a context has them end. */
export function reportOf (versions: readonly Served[], policy: Policy): VersionReport {
  let byList = reports.get(policy)
  if (byList === undefined) reports.set(policy, byList = new WeakMap())
  let report = byList.get(versions)
  if (report === undefined) byList.set(versions, report = new VersionReport(versions, policy))
  return report
}

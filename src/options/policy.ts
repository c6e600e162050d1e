import { VersioningOptionError, show } from '../errors.ts'
import { toLifecycle } from './lifecycle.ts'
import { toProblemBase } from '../requests/problem.ts'
import { toStatusCodes } from './status-codes.ts'
import { checkReportable } from '../lifecycle/report.ts'

import type { Lifecycle } from './lifecycle.ts'
import type { StatusCodes } from './status-codes.ts'
import type { AllowedVersions, VersioningOptions } from '../../types/index.d.ts'

/** What a context says of its versions besides which of them a request asks for; contexts below inherit each option. */
export interface Policy {
  /** How versions end; null: none does. */
  readonly lifecycle: Lifecycle | null
  readonly reportVersions: boolean
  readonly enforceSunset: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** What stands in front of the type of a problem; null: refusals are answered as any error. */
  readonly problemBase: string | null
  readonly statusCodes: StatusCodes
}

export const POLICY_OPTIONS = [
  'lifecycle', 'reportVersions', 'enforceSunset', 'now', 'problemDetails', 'statusCodes'
]

const DEFAULT_POLICY: Policy = {
  lifecycle: null,
  reportVersions: false,
  enforceSunset: false,
  now: () => Date.now(),
  problemBase: null,
  statusCodes: {}
}

/**
 * Checks the options given, and takes the others over from the parent context.
 *
 * @param allowedVersions those of the context's scheme
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toPolicy (
  given: VersioningOptions, allowedVersions: AllowedVersions | null | undefined, parent: Policy = DEFAULT_POLICY
): Policy {
  const { lifecycle, reportVersions, enforceSunset, now, problemDetails, statusCodes } = given
  const policy = {
    lifecycle: lifecycle === undefined ? parent.lifecycle : toLifecycle(lifecycle, allowedVersions),
    reportVersions: toFlag('reportVersions', reportVersions, parent.reportVersions),
    enforceSunset: toFlag('enforceSunset', enforceSunset, parent.enforceSunset),
    now: now === undefined ? parent.now : toClock(now),
    problemBase: problemDetails === undefined ? parent.problemBase : toProblemBase(problemDetails),
    statusCodes: statusCodes === undefined ? parent.statusCodes : toStatusCodes(statusCodes)
  }
  if (policy.reportVersions) checkReportable(allowedVersions)
  return policy
}

function toFlag (option: string, value: unknown, inherited: boolean): boolean {
  if (value === undefined) return inherited
  if (typeof value === 'boolean') return value
  throw new VersioningOptionError(option, 'true or false', show(value))
}

function toClock (value: unknown): () => number {
  if (typeof value === 'function') return value as () => number
  throw new VersioningOptionError('now', 'a function that returns milliseconds since the epoch', show(value))
}

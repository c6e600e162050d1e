import { VersionError } from '../errors.ts'
import { answeredOr } from './asking.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Asking } from './asking.ts'

/**
 * Refuses a version past its sunset, where that is enforced.
 *
 * @param now milliseconds since the epoch
 * @throws FST_ERR_VERSION_GONE (410) past the sunset
 */
export function checkGone (asking: Asking, ending: Ending, now: number): void {
  const { subject, sunset, sunsetAt } = ending
  if (!asking.context.enforceSunset || sunsetAt === null || now < sunsetAt) return
  const versions = answeredOr(asking.scheme.allowedVersions, asking)
  throw asking.refusal = new VersionError('gone', `${subject} was retired on ${sunset}.`, versions)
}

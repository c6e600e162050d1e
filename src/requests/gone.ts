import { VersionError } from '../errors.ts'
import { answeredAt, servedVersions } from '../lifecycle/served.ts'
import { retiredText } from './refusal-text.ts'

import type { Arrival } from '../lifecycle/served.ts'
import type { Retirement } from '../options/lifecycle.ts'

/**
 * Refuses a version past its sunset, where that is enforced.
 *
 * @param now milliseconds since the epoch
 * @throws FST_ERR_VERSION_GONE (410) past the sunset
 */
export function checkGone (arrival: Arrival, { subject, sunset, sunsetAt }: Retirement, now: number): void {
  if (!arrival.context.enforceSunset || sunsetAt === null || now < sunsetAt) return
  const answered = answeredAt(servedVersions(arrival), now)
  throw new VersionError('gone', retiredText(subject, sunset as string, answered))
}

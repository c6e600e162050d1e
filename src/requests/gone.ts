import { VersionBrownoutError, VersionGoneError } from '../errors.ts'
import { brownoutMessage } from '../options/lifecycle.ts'
import { invalidResult } from '../scheme-errors.ts'

import type { ServedVersions } from '../lifecycle/served.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Enforcement } from '../options/context-options.ts'
import type { Asking } from './asking.ts'

/**
 * Refuses a version past its sunset, where that is enforced, and a version in a brownout.
 *
 * @param now milliseconds since the epoch
 * @throws FST_ERR_VERSION_GONE (410) past the sunset
 * @throws FST_ERR_VERSION_BROWNOUT (410) in a window in which the version is not answered
 * @throws FST_ERR_VERSION_INVALID (500) where `enforceSunset` fails, or returns anything but a boolean
 */
export function checkGone (asking: Asking, ending: Ending, served: ServedVersions, now: number): void {
  const { reply, scheme, context: { enforceSunset, statusCodes } } = asking
  const { subject, sunset, sunsetAt, brownouts } = ending
  const isGone = enforceSunset !== false && sunsetAt !== null && now >= sunsetAt &&
    (enforceSunset === true || isEnforced(asking, enforceSunset, sunsetAt))
  if (isGone) {
    const answered = served.answeredAt(now, scheme.allowedVersions)
    throw asking.refusal = new VersionGoneError(`${subject} was retired on ${sunset}.`, answered, statusCodes.gone)
  }
  const end = brownouts === null ? null : brownouts.at(now).end
  if (end === null) return
  reply.header('cache-control', 'no-store')
  reply.header('retry-after', Math.ceil((end - now) / 1000))
  const answered = served.answeredAt(now, scheme.allowedVersions)
  throw asking.refusal = new VersionBrownoutError(brownoutMessage(ending, end), answered, statusCodes.brownout)
}

/** Whether a version past its sunset is gone for a request. */
function isEnforced ({ request, version }: Asking, enforceSunset: Enforcement, sunsetAt: number): boolean {
  let isGone: unknown
  try {
    isGone = enforceSunset({ request, version, sunset: new Date(sunsetAt) })
  } catch (cause) {
    throw invalidResult('enforceSunset', 'a boolean', cause, { cause })
  }
  if (typeof isGone === 'boolean') return isGone
  throw invalidResult('enforceSunset', 'a boolean', isGone)
}

import { VersionClockError, nameOf, show } from '../errors.ts'
import { ignoreRejection } from '../stray-promise.ts'

import type { Policy } from '../options/policy.ts'

/**
 * What the option `now` says.
 *
 * @returns milliseconds since the epoch
 * @throws FST_ERR_VERSION_CLOCK (500) where it fails, or is no number
 */
export function readClock ({ now }: Policy): number {
  const instant: unknown = call(now)
  if (typeof instant === 'number' && !Number.isNaN(instant)) return instant
  ignoreRejection(instant)
  // Clients see the message: what an object holds is not for them.
  throw new VersionClockError(typeof instant === 'object' ? nameOf(instant) : show(instant))
}

function call (now: () => unknown): unknown {
  try {
    return now()
  } catch (error) {
    throw Object.assign(new VersionClockError('an error'), { cause: error })
  }
}

import { VersionClockError } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection } from '../promises.ts'

import type { ContextOptions } from '../options/context-options.ts'

/**
 * What the option `now` returns.
 *
 * @returns milliseconds since the epoch
 * @throws FST_ERR_VERSION_CLOCK (500) where it fails, or returns no number
 */
export function readClock ({ now }: ContextOptions): number {
  let instant: unknown
  try {
    instant = now()
  } catch (error) {
    throw Object.assign(new VersionClockError('an error'), { cause: error })
  }
  if (typeof instant === 'number' && !Number.isNaN(instant)) return instant
  ignoreRejection(instant)
  // Clients see the message, so it does not show the contents of an object.
  const isObject = typeof instant === 'object' && instant !== null
  throw new VersionClockError(isObject ? (instant as object).constructor?.name ?? 'an object' : show(instant))
}

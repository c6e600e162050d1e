import { isDeepStrictEqual } from 'node:util'

import { validate } from '../fastify/compilers.ts'
import { descriptionOf, isOpenIn } from './description.ts'

import type { Place } from './edition.ts'
import type { Compiled, Failure } from '../fastify/compilers.ts'
import type { ChangeFunction } from './read-changes.ts'

/** In Ajv's words. */
export const BEYOND: readonly Failure[] = [{ instancePath: '', message: 'must NOT have additional properties' }]

/**
 * Returns what takes out of a value what a client has sent beyond an older schema; null if it lets nothing else pass.
 *
 * @param older of a part of a request
 */
export function toDescribed (older: Place): ChangeFunction | null {
  return isOpenIn(older) ? (value) => descriptionOf(older).described(value) : null
}

/**
 * Whether a part of a request could be upgraded without what the client has sent beyond an open older schema. Then the
 * client is to blame, and not the change.
 *
 * @param sent as the older schema has it
 * @param newest the validator of the result; undefined if there is none
 */
export async function isFaultOfClient (
  sent: unknown, described: ChangeFunction | null, convert: ChangeFunction, newest: Compiled | undefined
): Promise<boolean> {
  if (described === null) return false
  try {
    const value = described(sent)
    if (isDeepStrictEqual(value, sent)) return false
    const upgraded = convert(value)
    return newest === undefined || (await validate(newest, upgraded)).error === null
  } catch {
    return false
  }
}

import { namesInPointer } from './json.ts'
import { messageOf, messageOfSchema, operationIn } from './message.ts'

import type { Difference } from '../../types/check.d.ts'
import type { Found } from './schemas.ts'

/** How many names a location has up to its operation: `#/paths/~1a/additionalOperations/COPY`. */
const OPERATION_LENGTH = 5

/**
 * What differs in a shared schema is one difference, however many messages have the schema.
 *
 * @param found in the order of the document
 */
export function mergeShared (found: readonly Found[]): Difference[] {
  const groups = new Map<string, Found[]>()
  for (const difference of found) {
    const { kind, at, words, within } = difference
    const key = within === null ? `${at} ${words}` : `${kind} ${within} ${words}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [difference])
    else group.push(difference)
  }
  return [...groups.values()].map((group) => {
    const [{ kind, at, words, within }] = group
    const isAlone = within === null || group.length === 1
    const difference = { kind, at, message: isAlone ? messageOf(at, words) : messageOfSchema(within, words) }
    if (within === null) return difference
    const schema = { name: namesInPointer(within)[2], at: within }
    return placed({ ...difference, schema }, group.map(({ at }) => at))
  })
}

/** A difference of a shared schema with other places. */
export function placed (difference: Difference, places: readonly string[]): Difference {
  const starts = new Set(places.map((at) => at.split('/', OPERATION_LENGTH).join('/')))
  const operations = [...new Set([...starts].map((start) => operationIn(start)[0]))]
  return { ...difference, at: places[0], operations, places }
}

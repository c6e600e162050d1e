import { grouped, namesInPointer } from './json.ts'
import { messageOf, messageOfSchema, operationIn } from './message.ts'

import type { Difference } from '../../types/check.d.ts'
import type { Found } from './schemas.ts'

/**
 * Returns the differences for users. A difference in a shared schema is one difference, however many messages have the
 * schema.
 *
 * @param found in the order of the document
 */
export function mergeShared (found: readonly Found[]): Difference[] {
  const groups = grouped(found, ({ kind, at, words, within }) => [`${within === null ? at : kind + within} ${words}`])
  return [...groups.values()].map((group) => {
    const [{ kind, at, words, within }] = group
    const isAlone = within === null || group.length === 1
    const difference = { kind, at, message: isAlone ? messageOf(at, words) : messageOfSchema(within, words) }
    if (within === null) return difference
    const schema = { name: namesInPointer(within)[2], at: within }
    return placed({ ...difference, schema }, group.map(({ at }) => at))
  })
}

/** Returns a difference of a shared schema with other places. */
export function placed (difference: Difference, places: readonly string[]): Difference {
  // An operation has at most the names of `#/paths/~1a/additionalOperations/COPY`, so further names are left out.
  const operations = [...new Set(places.map((at) => operationIn(at.split('/', 5).join('/'))[0]))]
  return { ...difference, at: places[0], operations, places }
}

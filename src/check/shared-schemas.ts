import { operationIn } from './message.ts'

import type { Difference } from '../../types/check.d.ts'

/** A difference of one message, which knows what the difference of a shared schema is called. */
export interface Located extends Difference {
  readonly shared?: string
}

/**
 * What differs in a shared schema is one difference, however many messages have the schema.
 *
 * @param located in the order of the document
 */
export function mergeShared (located: readonly Located[]): Difference[] {
  const groups = new Map<string, Located[]>()
  for (const difference of located) {
    const { kind, at, message, schema, shared } = difference
    const key = schema === undefined ? `${at} ${message}` : `${kind} ${schema.at} ${shared}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [difference])
    else group.push(difference)
  }
  return [...groups.values()].map(([{ shared = '', ...first }, ...more]) => {
    if (first.schema === undefined) return first
    const places = [first, ...more].map(({ at }) => at)
    return placed({ ...first, message: more.length === 0 ? first.message : shared }, places)
  })
}

/** A difference of a shared schema with other places. */
export function placed (difference: Difference, places: readonly string[]): Difference {
  const operations = [...new Set(places.map((at) => operationIn(at)[0]))]
  return { ...difference, at: places[0], operations, places }
}

import { schemasIn } from './schema.ts'

/** A value that differs from another one in one place. */
export interface Extreme {
  readonly value: unknown
  /** A JSON pointer. */
  readonly pointer: string
}

/** Sizes of texts and of lists, and numbers, just outside the bounds of a schema. */
type Beyond = Readonly<Record<'texts' | 'lists' | 'numbers', readonly number[]>>

/** No longer text, or list, is tried. */
const MAX_SIZE = 100_000

/**
 * Values like an older one, but with a text, number or list just outside the bounds of the newest schema. If the older
 * schema takes one, and the newest refuses what it is upgraded to, then the newest has no room for it.
 *
 * @param newest a schema that compiles by itself
 */
export function extremesOf (value: unknown, newest: unknown): Extreme[] {
  const schemas = schemasIn([newest])
  const beyond = (keyword: string, step: number) => schemas.flatMap(({ [keyword]: bound }) => (
    typeof bound === 'number' ? [bound + step] : []
  ))
  const sizes = (what: string) => [...beyond(`max${what}`, 1), ...beyond(`min${what}`, -1)]
    .filter((size) => size >= 0 && size <= MAX_SIZE)
  return extremes(value, '', {
    texts: sizes('Length'),
    lists: sizes('Items'),
    numbers: [
      ...beyond('maximum', 1), ...beyond('minimum', -1),
      ...beyond('exclusiveMaximum', 0), ...beyond('exclusiveMinimum', 0)
    ]
  })
}

function extremes (value: unknown, pointer: string, beyond: Beyond): Extreme[] {
  const { texts, lists, numbers } = beyond
  if (typeof value === 'number') return numbers.map((one) => ({ value: one, pointer }))
  if (typeof value === 'string') {
    return texts.map((size) => ({ value: value.slice(0, size).padEnd(size, value || 'x'), pointer }))
  }
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, member]) => (
    extremes(member, `${pointer}/${key}`, beyond).map((one) => (
      { ...one, value: Array.isArray(value) ? value.with(Number(key), one.value) : { ...value, [key]: one.value } }
    ))
  ))
  if (!Array.isArray(value) || value.length === 0) return inside
  const resized = (length: number) => Array.from({ length }, (_, i): unknown => value[i % value.length])
  return [...inside, ...lists.map((size) => ({ value: resized(size), pointer }))]
}

import { schemasIn } from '../changes/schema.ts'

/** A value that differs from another one in one place. */
export interface Extreme {
  readonly value: unknown
  /** A JSON pointer. */
  readonly pointer: string
}

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
  const beyond = (steps: Readonly<Record<string, number>>) => schemas.flatMap((schema) => (
    Object.entries(steps).flatMap(([keyword, step]) => (
      typeof schema[keyword] === 'number' ? [schema[keyword] + step] : []
    ))
  ))
  const isSize = (size: number) => size >= 0 && size <= MAX_SIZE
  const texts = beyond({ maxLength: 1, minLength: -1 }).filter(isSize)
  const lists = beyond({ maxItems: 1, minItems: -1 }).filter(isSize)
  const numbers = beyond({ maximum: 1, minimum: -1, exclusiveMaximum: 0, exclusiveMinimum: 0 })

  function extremes (value: unknown, pointer: string): Extreme[] {
    const all = (values: readonly unknown[]) => values.map((one) => ({ value: one, pointer }))
    if (typeof value === 'number') return all(numbers)
    if (typeof value === 'string') return all(texts.map((size) => value.slice(0, size).padEnd(size, value || 'x')))
    if (typeof value !== 'object' || value === null) return []
    const inside = Object.entries(value).flatMap(([key, member]) => (
      extremes(member, `${pointer}/${key}`).map((one) => (
        { ...one, value: Array.isArray(value) ? value.with(Number(key), one.value) : { ...value, [key]: one.value } }
      ))
    ))
    if (!Array.isArray(value) || value.length === 0) return inside
    const resized = (length: number) => Array.from({ length }, (_, i): unknown => value[i % value.length])
    return [...inside, ...all(lists.map(resized))]
  }
  return extremes(value, '')
}

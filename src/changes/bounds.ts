import { schemasIn } from './schema.ts'

/** Numbers just outside the bounds of a schema. */
interface Beyond {
  readonly lengths: ReadonlySet<number>
  readonly numbers: ReadonlySet<number>
  readonly counts: ReadonlySet<number>
}

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
  return extremes(value, beyond(newest), '')
}

function beyond (newest: unknown): Beyond {
  const schemas = schemasIn([newest])
  const valuesOf = (keyword: string, step: number) => schemas.flatMap(({ [keyword]: bound }) => (
    typeof bound === 'number' ? [bound + step] : []
  ))
  return {
    lengths: new Set([...valuesOf('maxLength', 1), ...valuesOf('minLength', -1)]),
    numbers: new Set([
      ...valuesOf('maximum', 1), ...valuesOf('minimum', -1),
      ...valuesOf('exclusiveMaximum', 0), ...valuesOf('exclusiveMinimum', 0)
    ]),
    counts: new Set([...valuesOf('maxItems', 1), ...valuesOf('minItems', -1)])
  }
}

function extremes (value: unknown, bounds: Beyond, pointer: string): Extreme[] {
  const { lengths, numbers, counts } = bounds
  if (typeof value === 'number') return [...numbers].map((one) => ({ value: one, pointer }))
  if (typeof value === 'string') return sizes(lengths).map((size) => ({ value: resized(value, size), pointer }))
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, member]) => (
    extremes(member, bounds, `${pointer}/${key}`).map((one) => ({ ...one, value: withMember(value, key, one.value) }))
  ))
  if (!Array.isArray(value)) return inside
  const resizedLists = sizes(counts).filter((size) => value.length > 0 || size === 0).map((size) => (
    { value: Array.from({ length: size }, (_, i): unknown => value[i % value.length]), pointer }
  ))
  return [...inside, ...resizedLists]
}

function withMember (value: object, key: string, member: unknown): object {
  return Array.isArray(value) ? value.with(Number(key), member) : { ...value, [key]: member }
}

function sizes (given: ReadonlySet<number>): number[] {
  return [...given].filter((size) => size >= 0 && size <= MAX_SIZE)
}

function resized (text: string, size: number): string {
  return text.slice(0, size).padEnd(size, text === '' ? 'x' : text)
}

import { Description } from '../changes/description.ts'
import { isObject, listOf } from '../changes/schema.ts'
import { textLike } from './pattern-text.ts'

import type { Place } from '../changes/edition.ts'
import type { ObjectSchema } from '../changes/schema.ts'

/** How many values of a list in a schema are tried, and how long a text or a list may be made. */
const MOST_LISTED = 20
const MAX_SIZE = 100_000
/** Numbers that are tried in place of others. 0.29 is among them because 0.29 × 100 is no integer. */
const NUMBERS = [0, 1, -1, 0.29, 1000]
const TEXTS = ['', '7']
/** A text that patterns of names, numbers or slugs do not match, because of some of its characters. */
const UNLIKELY = 'Ä /,A_'
const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  datetime: '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '12:00:00Z',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000'
}
/** By keyword, the steps from a bound to a value that it still allows, and to a value that is just beyond it. */
const BOUNDS = {
  texts: { minLength: [0, -1], maxLength: [0, 1] },
  lists: { minItems: [0, -1], maxItems: [0, 1] },
  objects: { minProperties: [0, -1], maxProperties: [0, 1] },
  numbers: {
    minimum: [0, -1], maximum: [0, 1], multipleOf: [0, NaN], exclusiveMinimum: [1, 0], exclusiveMaximum: [-1, 0]
  }
} as const

/** What values are made from. */
interface Wanted {
  readonly place: Place
  /** The schemas around the place, and its own schema. */
  readonly around: readonly unknown[]
  /** The value that the made values replace; undefined for a sample. */
  readonly value: unknown
  /** The keywords of schemas of another version, whose bounds are tried as well. */
  readonly others: readonly ObjectSchema[]
}

/**
 * Returns values to try in place of a value. Schemas may allow them, but not all of them.
 *
 * @param others the keywords of schemas of another version, whose bounds are tried as well
 */
export function candidatesFor (value: unknown, places: readonly Place[], others: readonly ObjectSchema[]): unknown[] {
  return places.flatMap((place) => {
    const { anyOf, oneOf, nullable } = place.keywords
    const branches = [anyOf, oneOf].flatMap(listOf).map((part) => sampleOf([place.enter(part)]))
    const values = valuesOf({ place, around: [place.schema], value, others })
    return [...values, ...branches, ...nullable === true ? [null] : []]
  }).filter((candidate) => candidate !== undefined)
}

/**
 * Returns a value of the first alternatives; undefined if no value is known.
 *
 * @param within the schemas around the value. No value of one of these is made, because it could contain itself many
 * times
 */
export function sampleOf (outermost: readonly Place[], within: readonly unknown[] = []): unknown {
  const { places } = new Description(outermost, 1)
  if (places.some(({ schema }) => within.includes(schema))) return undefined
  const around = [...within, ...places.map(({ schema }) => schema)]
  const samples = places.map((place) => valuesOf({ place, around, value: undefined, others: [] }).next().value)
    .filter((value) => value !== undefined)
  return samples.length > 1 && samples.every(isRecord) ? Object.assign({}, ...samples) : samples[0]
}

/** Yields values that a schema itself lists, and then values of its types, the likeliest value first. */
function * valuesOf (wanted: Wanted): Generator<unknown> {
  const { const: only, default: byDefault, enum: several, examples } = wanted.place.keywords
  const listed = [[only], listOf(examples).slice(0, MOST_LISTED), [byDefault], listOf(several).slice(0, MOST_LISTED)]
  // Zod keeps a fallback as a function.
  yield * listed.flat().filter((example) => !['function', 'undefined'].includes(typeof example))
  for (const type of typesOf(wanted.place)) yield * BY_TYPE[type](wanted)
}

/** Returns the types that a schema itself allows. */
function typesOf ({ keywords: { type, properties, items }, isAny }: Place): readonly string[] {
  if (type !== undefined) return [type as string].flat().filter((name) => Object.hasOwn(BY_TYPE, name))
  if (isObject(properties)) return ['object']
  if (items !== undefined) return ['array']
  return isAny ? Object.keys(BY_TYPE) : []
}

/** The makers of values by type, in the order in which they are tried if a schema names no type. */
const BY_TYPE: Readonly<Record<string, (wanted: Wanted) => Iterable<unknown>>> = {
  null: () => [null],
  string: texts,
  number: numbers,
  boolean: () => [true, false],
  array: lists,
  object: objects,
  integer: numbers
}

function * numbers (wanted: Wanted): Generator<number> {
  const { value } = wanted
  const { within, beyond } = boundsOf('numbers', wanted)
  yield * [...within, ...NUMBERS, ...beyond]
  if (typeof value === 'number') yield * [value + 1, -value]
}

function * texts (wanted: Wanted): Generator<string> {
  const { place: { keywords: { format, pattern } }, value } = wanted
  const like = [FORMATS[String(format)], typeof pattern === 'string' ? textLike(pattern) : undefined]
  yield * like.filter((text) => text !== undefined)
  const seed = typeof value === 'string' && value !== '' ? value : 'x'
  const { within, beyond } = boundsOf('texts', wanted)
  const toSize = (text: string, size: number) => text.slice(0, size).padEnd(size, text)
  for (const size of [...within, ...beyond]) yield toSize(seed, size)
  const unlike = hasPatterns(wanted) ? ['x', UNLIKELY] : ['x']
  yield * [...unlike, ...hasPatterns(wanted) ? UNLIKELY : [], ...TEXTS]
  for (const text of unlike) yield * within.map((size) => toSize(text, size))
  // The text may be a list with a separator, or a number.
  const [separator] = /\W/.exec(seed) ?? []
  if (separator !== undefined) {
    yield separator
    for (const size of [2, ...boundsOf('lists', wanted).beyond]) yield Array<string>(size).fill(seed).join(separator)
  }
  yield * boundsOf('numbers', wanted).beyond.map(String)
}

function * lists (wanted: Wanted): Generator<unknown[]> {
  const { place, around, value, others } = wanted
  const isFilled = Array.isArray(value) && value.length > 0
  const items: readonly unknown[] = isFilled
    ? value
    : Array.from({ length: Math.max(1, place.items[0].length) }, (_, i) => sampleOf(place.inside(String(i)), around))
  const listOfSize = (length: number) => Array.from({ length }, (_, i) => items[i % items.length])
  if (items.includes(undefined)) return yield []
  // One more item than there are repeats the first item.
  const repeated = others.some(({ uniqueItems }) => uniqueItems === true) ? [items.length + 1] : []
  const { within, beyond } = boundsOf('lists', wanted)
  const sizes = [...within, ...beyond, 0, 1, 2, ...repeated]
  // A sample begins with a list that has an item, because other values inside the item are tried, too.
  for (const size of isFilled ? sizes : [Math.max(items.length, within[0] ?? 0), ...sizes]) yield listOfSize(size)
  yield items.toReversed()
}

function * objects (wanted: Wanted): Generator<object> {
  const { place, around, value } = wanted
  if (!isRecord(value)) {
    const members = [...place.members.keys()].map((key) => [key, sampleOf(place.inside(key), around)] as const)
    yield Object.fromEntries(members.filter(([, member]) => member !== undefined))
    return yield {}
  }
  // `editsOf` varies the members of an object by themselves. A map may have more members, so its size varies here.
  const members = Object.entries(value)
  const isMap = isObject(place.keywords.additionalProperties)
  const member = isMap ? sampleOf(place.inside(UNLIKELY), around) : members[0]?.[1]
  if (member === undefined) return
  const sizes = isMap ? [...boundsOf('lists', wanted).beyond, 1] : []
  for (const size of [...boundsOf('objects', wanted).beyond, ...sizes]) {
    yield Object.fromEntries(Array.from({ length: size }, (_, i) => members[i] ?? [letters(i), member]))
  }
  if (isMap && hasPatterns(wanted)) yield { ...value, [UNLIKELY]: member }
}

/** Returns the bounds of a schema, and what is just beyond the bounds of the other version. */
function boundsOf (kind: keyof typeof BOUNDS, { place, others }: Wanted) {
  const bounds = (limits: readonly ObjectSchema[], at: 0 | 1) => (
    Object.entries(BOUNDS[kind]).flatMap(([keyword, deltas]) => {
      const all = limits.map((keywords) => Number(keywords[keyword] ?? NaN) + deltas[at])
        .filter((bound) => kind === 'numbers' ? Number.isFinite(bound) : bound >= 0 && bound <= MAX_SIZE)
      // A value beyond the least or the greatest bound is also beyond the bounds between them.
      return all.length === 0 ? [] : [Math.min(...all), Math.max(...all)]
    })
  )
  return { within: bounds([place.keywords], 0), beyond: bounds(others, 1) }
}

function hasPatterns ({ others }: Wanted): boolean {
  return others.some(({ pattern }) => pattern !== undefined)
}

/** Returns a name for each number, without digits. */
function letters (number: number): string {
  return String(number).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)])
}

export function isRecord (value: unknown): value is ObjectSchema {
  return isObject(value) && !Array.isArray(value)
}

import { isDeepStrictEqual } from 'node:util'

import { isObject, listOf, pointerOf, valueAt } from '../changes/schema.ts'
import { isAny, memberNames, saidBy, saidInside } from '../changes/schema-reader.ts'
import { textLike } from './pattern-text.ts'

import type { ObjectSchema } from '../changes/schema.ts'
import type { Said } from '../changes/schema-reader.ts'
import type { Place } from '../changes/edition.ts'
import type { Outcome, Side } from './side.ts'

type Path = readonly string[]

/** Another value in one place of a value. */
interface Edit {
  readonly path: Path
  /** Undefined to leave the member out. */
  readonly value: unknown
  /** Whether the member was absent. */
  readonly isNew?: boolean
}

/** Converts a value: null if it is not valid as it is. */
type Judge = (value: unknown) => Outcome | null
type Report = (value: unknown, wrong: string) => void

/** How many values are made of one, in how many objects that are put in place of others, and how many by chance. */
const MOST = 600
const MOST_INNER = 8
const MOST_BY_CHANCE = 100
const MOST_OF_ENUM = 20
/** How deep values are looked at, and how long a text or a list is made. */
const MAX_DEPTH = 6
const MAX_SIZE = 100_000
const TYPES = ['null', 'string', 'number', 'boolean', 'array', 'object']
/** 0.29 × 100 is no integer. */
const NUMBERS = [0, 1, -1, 0.29, 1000]
const TEXTS = ['x', '', '7']
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
/** What is just beyond a bound. */
const BEYOND = {
  texts: { maxLength: 1, minLength: -1 },
  lists: { maxItems: 1, minItems: -1 },
  numbers: { maximum: 1, minimum: -1, exclusiveMaximum: 0, exclusiveMinimum: 0 },
  objects: { maxProperties: 1, minProperties: -1 }
}

/** Makes values like others, as their schema may allow them. Not all of them are valid. */
export class Variants {
  readonly #said: Said
  /** All schemas of the other side, whose bounds are tried as well. */
  readonly #others: readonly ObjectSchema[]
  /** The places of differences with which something has been wrong. One problem is enough for each. */
  readonly #failed = new Set<string>()

  /** By JSON pointer, whether results depend on what is in a place, or have another value there. */
  readonly #uses = new Map<string, { readonly path: Path, readonly isUsed: boolean }>()
  /** Whether all results are empty. */
  isBlind = true

  constructor (side: Side, opposite: Side) {
    this.#said = side.said
    this.#others = opposite.limits
  }

  /** Tries what a value may be otherwise, first one difference, then several, and reports the fewest that are wrong. */
  try (value: unknown, judge: Judge, report: Report): void {
    const full = this.full(value)
    const isMore = !isDeepStrictEqual(full, value) && judge(full)?.wrong === null
    for (const base of isMore ? [value, full] : [value]) {
      const fine = this.#tryIn(base, this.edits(base), judge, report)
      // Another object has other members.
      for (const edit of fine.filter((candidate) => isRecord(candidate.value)).slice(0, MOST_INNER)) {
        const changed = edited(base, [edit])
        const inside = this.edits(changed).filter(({ path }) => edit.path.every((key, i) => path[i] === key))
        this.#tryIn(changed, inside, judge, report)
      }
    }
  }

  /** The places that no result depends on, as far as they have been tried. */
  get unused (): Path[] {
    return [...this.#uses.values()].filter(({ isUsed }) => !isUsed).map(({ path }) => path)
  }

  /** A value with all members that its schema describes; undefined if none is known. */
  full (value: unknown): unknown {
    const [filled, made] = [0, 1].map((most) => saidBy(this.#said.slice(0, 1), most))
    return value === undefined ? this.#sample(made, []) : this.#filled(value, filled, [])
  }

  /** @returns the differences with which the value is valid, and nothing is wrong with it */
  #tryIn (base: unknown, edits: readonly Edit[], judge: Judge, report: Report): Edit[] {
    const hasFailed = ({ path }: Edit) => (
      [...this.#failed].some((pointer) => `${pointerOf(path)}/`.startsWith(`${pointer}/`))
    )
    const attempt = (tried: readonly Edit[]): Outcome | null => {
      const outcome = tried.some(hasFailed) ? null : judge(edited(base, tried))
      let wrong = outcome?.wrong ?? null
      if (wrong === null) return outcome
      let left = tried
      for (const edit of tried.length > 1 ? tried : []) {
        const fewer = left.filter((candidate) => candidate !== edit)
        const reason = judge(edited(base, fewer))?.wrong ?? null
        if (reason !== null) [left, wrong] = [fewer, reason]
      }
      for (const { path } of left) this.#failed.add(pointerOf(path))
      report(edited(base, left), `The example ${editsText(left)} is valid, too. ${wrong}`)
      return null
    }
    const before = judge(base)
    const fine = edits.slice(0, MOST).filter((edit) => {
      const outcome = attempt([edit])
      if (outcome !== null) this.#note(edit, before?.value, outcome.value)
      return outcome !== null
    })
    let left = MOST - edits.length
    for (const some of combinationsOf(fine)) if (left-- > 0) attempt(some)
    return fine
  }

  #note ({ path }: Edit, before: unknown, after: unknown): void {
    const isUsed = !isDeepStrictEqual(before, after) || valueAt(after, path) !== undefined
    if (Object.keys(Object(after)).length > 0) this.isBlind = false
    this.#uses.set(pointerOf(path), { path, isUsed: isUsed || this.#uses.get(pointerOf(path))?.isUsed === true })
  }

  /** What may be different: one place each. */
  edits (value: unknown, said: Said = this.#said, path: readonly string[] = []): Edit[] {
    const byText = new Map(this.#candidates(said, value).map((candidate) => [JSON.stringify(candidate), candidate]))
    byText.delete(JSON.stringify(value))
    const candidates = [...byText.values()].filter((candidate) => candidate !== undefined)
    const others = candidates.map((candidate): Edit => ({ path, value: candidate }))
    if (!isObject(value) || path.length > MAX_DEPTH) return others
    // Items are alike.
    const keys = Array.isArray(value) ? Object.keys(value).slice(0, 1) : [...Object.keys(value), ...memberNames(said)]
    const inside = [...new Set(keys)].flatMap((key): Edit[] => {
      const [member, inner] = [saidInside(said, key), [...path, key]]
      // What no schema describes is between the handler and its changes.
      if (member.length === 0) return []
      if (!Object.hasOwn(value, key)) {
        const sample = this.#sample(saidInside(said, key, 1), [])
        const samples = isRecord(sample) ? [sample, {}] : [sample]
        const present = samples.filter((example) => example !== undefined)
        return present.map((example) => ({ path: inner, value: example, isNew: true }))
      }
      const without = Array.isArray(value) ? [] : [{ path: inner, value: undefined }]
      return [...without, ...this.edits(value[key], member, inner)]
    })
    return [...others, ...inside]
  }

  #candidates (said: Said, value: unknown): unknown[] {
    return said.flatMap((place): unknown[] => {
      const { const: only, enum: several, examples, default: byDefault, anyOf, oneOf, nullable } = place.keywords
      const parts = [anyOf, oneOf].flatMap(listOf)
      const branches = parts.map((part) => this.#sample(saidBy([place.enter(part)], 1), []))
      const listed = [only, byDefault, ...[several, examples].flatMap((list) => listOf(list).slice(0, MOST_OF_ENUM))]
      const ofTypes = typesOf(place).flatMap((type) => this.#ofType(type, place, value))
      return [...listed, ...branches, ...nullable === true ? [null] : [], ...ofTypes]
    })
  }

  /**
   * A value of the first alternatives; undefined if none is known.
   *
   * @param within the schemas around it: a value is not made inside of itself, because it may be so many times
   */
  #sample (said: Said, within: readonly unknown[]): unknown {
    if (said.some(({ schema }) => within.includes(schema))) return undefined
    const around = [...within, ...said.map(({ schema }) => schema)]
    const samples = said.map((place): unknown => {
      const { const: only, enum: several, examples, default: byDefault, minItems = 1 } = place.keywords
      const listed = only ?? listOf(examples)[0] ?? byDefault ?? listOf(several)[0]
      const [type] = typesOf(place)
      if (listed !== undefined) return listed
      if (type === 'object') return this.#filled({}, [place], within)
      if (type !== 'array') return this.#ofType(type, place, 'x')[0]
      const item = this.#sample(saidInside([place], '0', 1), around)
      return item === undefined ? [] : Array.from({ length: Math.max(1, Number(minItems)) }, () => item)
    }).filter((sample) => sample !== undefined)
    return samples.length > 1 && samples.every(isRecord) ? Object.assign({}, ...samples) : samples[0]
  }

  #filled (value: unknown, said: Said, within: readonly unknown[]): unknown {
    if (!isObject(value)) return value
    const around = [...within, ...said.map(({ schema }) => schema)]
    const filled = (key: string) => Object.hasOwn(value, key)
      ? this.#filled(value[key], saidInside(said, key, 0), around)
      : this.#sample(saidInside(said, key, 1), around)
    if (Array.isArray(value)) return value.map((_item, i) => filled(String(i)))
    const keys = [...new Set([...Object.keys(value), ...memberNames(said)])]
    const members = keys.map((key) => [key, filled(key)] as const)
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }

  /** Values of a type, the likeliest one first. */
  #ofType (type: unknown, place: Place, value: unknown): unknown[] {
    const keywords = place.keywords
    const numbers = (...names: string[]) => (
      names.map((name) => keywords[name]).filter((bound) => typeof bound === 'number')
    )
    const beyond = (kind: keyof typeof BEYOND) => Object.entries(BEYOND[kind]).flatMap(([name, delta]) => (
      this.#others.map((limits) => Number(limits[name]) + delta).filter(Number.isFinite)
    ))
    const isSize = (size: number) => size >= 0 && size <= MAX_SIZE
    switch (type) {
      case 'null': return [null]
      case 'boolean': return [true, false]
      case 'integer': case 'number': return [
        ...numbers('minimum', 'maximum', 'multipleOf'), ...numbers('exclusiveMinimum').map((bound) => bound + 1),
        ...numbers('exclusiveMaximum').map((bound) => bound - 1), ...NUMBERS, ...beyond('numbers')
      ]
      case 'string': {
        const { format, pattern } = keywords
        const like = [FORMATS[String(format)], typeof pattern === 'string' ? textLike(pattern) : undefined]
        const seed = typeof value === 'string' && value !== '' ? value : 'x'
        const sizes = [...numbers('minLength', 'maxLength'), ...beyond('texts')].filter(isSize)
        return [
          ...like.filter((text) => text !== undefined), ...sizes.map((size) => seed.slice(0, size).padEnd(size, seed)),
          ...TEXTS
        ]
      }
      case 'array': {
        const isFilled = Array.isArray(value) && value.length > 0
        const items: unknown[] = isFilled ? value : [this.#sample(saidInside([place], '0', 1), [])]
        // One more item is the first one again.
        const repeated = this.#others.some(({ uniqueItems }) => uniqueItems === true) ? [items.length + 1] : []
        const sizes = [...numbers('minItems', 'maxItems'), ...beyond('lists'), 0, 1, 2, ...repeated].filter(isSize)
        const lists = sizes.filter((length) => length === 0 || items[0] !== undefined)
          .map((length) => Array.from({ length }, (_, i) => items[i % items.length]))
        return [...lists, items.toReversed()]
      }
      case 'object': {
        if (!isRecord(value)) return [this.#sample([place], []), {}]
        // What is different inside of an object is tried there. A map may have more members.
        const members = Object.entries(value)
        return beyond('objects').filter((size) => isSize(size) && members.length > 0).map((size) => (
          Object.fromEntries(Array.from({ length: size }, (_, i) => members[i] ?? [`x${i}`, members[0][1]]))
        ))
      }
      default: return []
    }
  }
}

/** A value with others in some places. */
function edited (value: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce((value, edit) => withValueAt(value, edit.path, edit.value), value)
}

function withValueAt (whole: unknown, [key, ...path]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  // Another edit has left it out.
  if (!isObject(whole) || (path.length > 0 && !Object.hasOwn(whole, key))) return whole
  const member = withValueAt(whole[key], path, value)
  if (Array.isArray(whole)) return Object.hasOwn(whole, key) ? whole.with(Number(key), member) : whole
  const { [key]: _left, ...others } = whole
  return member === undefined ? others : { ...whole, [key]: member }
}

/** What is different in a value: `without '/guests'`. */
function editsText (edits: readonly Edit[]): string {
  const absent = edits.filter(({ value }) => value === undefined).map(({ path }) => `'${pointerOf(path)}'`)
  const others = edits.filter(({ value }) => value !== undefined).map(({ path, value, isNew = false }) => (
    `with ${isNew ? '' : `${JSON.stringify(value).slice(0, 60)} at `}'${pointerOf(path)}'`
  ))
  return [...absent.length > 0 ? [`without ${absent.join(', ')}`] : [], ...others].join(', ')
}

/** Some of many differences at once, and then pairs of them, those without two members first. */
function * combinationsOf (edits: readonly Edit[]): Generator<readonly Edit[]> {
  const sorted = [...edits].sort((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))
  const places = [...new Set(sorted.map(({ path }) => pointerOf(path)))]
  const byPath = places.map((place) => sorted.filter(({ path }) => pointerOf(path) === place))
  // The same numbers each time (Park and Miller).
  let state = 1
  const random = (most: number) => (state = state * 48271 % 2147483647) % most
  if (byPath.length > 2) {
    yield sorted.filter(({ value }) => value === undefined)
    for (let i = 0; i < MOST_BY_CHANCE; i++) {
      yield byPath.filter(() => random(2) === 0).map((some) => some[random(some.length)])
    }
  }
  for (const [i, first] of sorted.entries()) {
    for (const second of sorted.slice(i + 1)) {
      if (pointerOf(first.path) !== pointerOf(second.path)) yield [first, second]
    }
  }
}

export function isRecord (value: unknown): value is ObjectSchema {
  return isObject(value) && !Array.isArray(value)
}

/** The types that a schema itself allows. */
function typesOf ({ keywords }: Place): readonly unknown[] {
  const { type, properties, items } = keywords
  if (type !== undefined) return [type].flat()
  if (isObject(properties)) return ['object']
  if (items !== undefined) return ['array']
  return isAny(keywords) ? TYPES : []
}

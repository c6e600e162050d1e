import { isObject, listOf, pointerOf } from '../changes/schema.ts'
import { textLike } from './pattern-text.ts'
import { isAny, namesIn } from './schema-reader.ts'

import type { ObjectSchema } from '../changes/schema.ts'
import type { Said, SchemaReader } from './schema-reader.ts'

/** Another value in one place of a value. */
export interface Edit {
  readonly path: readonly string[]
  /** Undefined to leave the member out. */
  readonly value: unknown
  /** Whether the member was absent. */
  readonly isNew?: boolean
}

/** How many combinations are tried by chance, and how many values for one enum. */
const MOST_BY_CHANCE = 100
const MOST_OF_ENUM = 20
/** How deep values are looked at, and how long a text or a list is made. */
const MAX_DEPTH = 6
const MAX_SIZE = 100_000
const TEXTS = ['x', '', '7']
/** 0.29 × 100 is no integer. */
const NUMBERS = [0, 1, -1, 0.29, 1000]
const TYPES = ['null', 'string', 'number', 'boolean', 'array', 'object']
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

/** A value with others in some places. */
export function edited (value: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce((value, edit) => put(value, edit.path, edit.value), value)
}

function put (whole: unknown, [key, ...path]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  // Another edit has left it out.
  if (!isObject(whole) || (path.length > 0 && !Object.hasOwn(whole, key))) return whole
  const member = put(whole[key], path, value)
  if (Array.isArray(whole)) return Object.hasOwn(whole, key) ? whole.with(Number(key), member) : whole
  const { [key]: _left, ...others } = whole
  return member === undefined ? others : { ...whole, [key]: member }
}

/** What is different in a value: `without '/guests'`. */
export function textOf (edits: readonly Edit[]): string {
  const absent = edits.filter(({ value }) => value === undefined).map(({ path }) => `'${pointerOf(path)}'`)
  const others = edits.filter(({ value }) => value !== undefined).map(({ path, value, isNew = false }) => (
    `with ${isNew ? '' : `${JSON.stringify(value).slice(0, 60)} at `}'${pointerOf(path)}'`
  ))
  return [...absent.length > 0 ? [`without ${absent.join(', ')}`] : [], ...others].join(', ')
}

/** Pairs of differences, those without two members first, and then some of many at once. */
export function * combinationsOf (edits: readonly Edit[]): Generator<readonly Edit[]> {
  const sorted = [...edits].sort((one, other) => Number(one.value !== undefined) - Number(other.value !== undefined))
  const byPath = new Map<string, Edit[]>()
  for (const edit of sorted) byPath.set(pointerOf(edit.path), [...byPath.get(pointerOf(edit.path)) ?? [], edit])
  const random = randomBits(1)
  if (byPath.size > 2) {
    yield sorted.filter(({ value }) => value === undefined)
    for (let i = 0; i < MOST_BY_CHANCE; i++) {
      yield [...byPath.values()].filter(() => random() % 2 === 0).map((some) => some[random() % some.length])
    }
  }
  for (const [i, one] of sorted.entries()) {
    for (const other of sorted.slice(i + 1)) if (pointerOf(one.path) !== pointerOf(other.path)) yield [one, other]
  }
}

/** The same numbers each time (xorshift). */
function randomBits (seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 8
  }
}

/** Makes values like others, as their schema may allow them. Not all of them are valid. */
export class Variants {
  readonly #schema: SchemaReader
  /** Sizes and numbers just beyond the bounds of the schema on the other side. */
  readonly #beyond: Readonly<Record<'texts' | 'lists' | 'numbers', readonly number[]>>

  constructor (schema: SchemaReader, other: SchemaReader) {
    this.#schema = schema
    const others = other.all()
    const beyond = (steps: Readonly<Record<string, number>>) => [...new Set(others.flatMap((one) => (
      Object.entries(steps).flatMap(([keyword, step]) => (
        typeof one[keyword] === 'number' ? [one[keyword] + step] : []
      ))
    )))]
    this.#beyond = {
      texts: beyond({ maxLength: 1, minLength: -1 }),
      lists: beyond({ maxItems: 1, minItems: -1 }),
      numbers: beyond({ maximum: 1, minimum: -1, exclusiveMaximum: 0, exclusiveMinimum: 0 })
    }
  }

  /** Whether there is something just beyond a bound of the schema on the other side. */
  isBeyond ({ value }: Edit): boolean {
    const { texts, lists, numbers } = this.#beyond
    if (typeof value === 'number') return numbers.includes(value)
    return (typeof value === 'string' && texts.includes(value.length)) ||
      (Array.isArray(value) && lists.includes(value.length))
  }

  /** A value with all members that its schema describes; undefined if none is known. */
  full (value?: unknown, said: Said = this.#schema.root, within: Said = []): unknown {
    if (value === undefined) return this.#sample(said, within)
    if (!isObject(value)) return value
    const around = [...within, ...said]
    if (Array.isArray(value)) return value.map((item) => this.full(item, this.#schema.items(said), around))
    const names = new Set([...Object.keys(value), ...namesIn(this.#schema.outer(said))])
    const members = [...names].map((key) => (
      [key, this.full(value[key], this.#schema.member(said, key), around)] as const
    ))
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }

  /** What may be different: one place each. */
  edits (value: unknown, said: Said = this.#schema.root, path: readonly string[] = []): Edit[] {
    const others = (candidates: readonly unknown[]) => {
      const byText = new Map(candidates.map((one) => [JSON.stringify(one), one]))
      byText.delete(JSON.stringify(value))
      return [...byText.values()].filter((one) => one !== undefined).map((one): Edit => ({ path, value: one }))
    }
    const ofOtherTypes = said.filter(isAny).flatMap((any) => TYPES.flatMap((type) => this.#ofType(type, any, value)))
    return [...others(this.#candidates(said, value)), ...this.#inside(value, said, path), ...others(ofOtherTypes)]
  }

  /** What may be different inside of a value. */
  #inside (value: unknown, said: Said, path: readonly string[]): Edit[] {
    if (!isObject(value) || path.length > MAX_DEPTH) return []
    // Items are alike.
    if (Array.isArray(value)) {
      return value.length === 0 ? [] : this.edits(value[0], this.#schema.items(said), [...path, '0'])
    }
    const absent = namesIn(said).filter((key) => !Object.hasOwn(value, key)).flatMap((key): Edit[] => {
      const sample = this.#sample(this.#schema.member(said, key), [])
      return [sample, ...isRecord(sample) ? [{}] : []].map((one) => ({ path: [...path, key], value: one, isNew: true }))
    })
    const inside = Object.keys(value).flatMap((key): Edit[] => {
      const member = this.#schema.member(said, key)
      const inner = [...path, key]
      // What no schema describes is between the handler and its changes.
      return member.length === 0 ? [] : [{ path: inner, value: undefined }, ...this.edits(value[key], member, inner)]
    })
    return [...absent.filter((one) => one.value !== undefined), ...inside]
  }

  #candidates (said: Said, value: unknown): unknown[] {
    return said.flatMap((keywords): unknown[] => {
      const { const: only, enum: several, examples, default: byDefault, anyOf, oneOf, nullable } = keywords
      const branches = [anyOf, oneOf].flatMap(listOf).map((one) => this.#sample(this.#schema.read([one]), []))
      const types = isAny(keywords) ? [typeOf(value)] : typesOf(keywords)
      return [
        only, ...listOf(several).slice(0, MOST_OF_ENUM), ...branches, ...nullable === true ? [null] : [],
        ...listOf(examples).slice(0, MOST_OF_ENUM), byDefault,
        ...types.flatMap((type) => this.#ofType(type, keywords, value))
      ]
    })
  }

  /** @param within what is said around it: a schema is not made inside of itself, because it may be so many times */
  #sample (said: Said, within: Said): unknown {
    if (said.some((keywords) => within.includes(keywords))) return undefined
    const around = [...within, ...said]
    const samples = this.#schema.outer(said).flatMap((keywords): unknown[] => {
      const { const: only, enum: several, examples, default: byDefault, anyOf, oneOf, minItems = 1 } = keywords
      const known = only ?? listOf(examples)[0] ?? byDefault ?? listOf(several)[0]
      if (known !== undefined) return [known]
      const branches = [anyOf, oneOf].map((one) => this.#sample(this.#schema.read(listOf(one).slice(0, 1)), within))
      const [type] = typesOf(keywords)
      if (type === 'object') return [...branches, this.full({}, [keywords], within)]
      if (type !== 'array') return [...branches, this.#ofType(type, keywords, 'x')[0]]
      const item = this.#sample(this.#schema.items([keywords]), around)
      return [item === undefined ? [] : Array.from({ length: Math.max(1, Number(minItems)) }, () => item)]
    }).filter((one) => one !== undefined)
    return samples.length > 1 && samples.every(isRecord) ? Object.assign({}, ...samples) : samples[0]
  }

  /** Values of a type, the likeliest one first. */
  #ofType (type: unknown, keywords: ObjectSchema, value: unknown): unknown[] {
    const numbers = (...names: string[]) => names.flatMap((name) => (
      typeof keywords[name] === 'number' ? [keywords[name]] : []
    ))
    const isSize = (size: number) => size >= 0 && size <= MAX_SIZE
    switch (type) {
      case 'null': return [null]
      case 'boolean': return [true, false]
      case 'integer': case 'number': {
        const above = numbers('exclusiveMinimum').map((one) => one + 1)
        const below = numbers('exclusiveMaximum').map((one) => one - 1)
        const bounds = numbers('minimum', 'maximum', 'multipleOf')
        return [...bounds, ...above, ...below, ...NUMBERS, ...this.#beyond.numbers]
      }
      case 'string': {
        const { format, pattern } = keywords
        const like = [FORMATS[String(format)], typeof pattern === 'string' ? textLike(pattern) : undefined]
        const seed = typeof value === 'string' && value !== '' ? value : 'x'
        const sizes = [...numbers('minLength', 'maxLength'), ...this.#beyond.texts].filter(isSize)
        const sized = sizes.map((size) => seed.slice(0, size).padEnd(size, seed))
        return [...like.filter((one) => one !== undefined), ...sized, ...TEXTS]
      }
      case 'array': {
        const isFilled = Array.isArray(value) && value.length > 0
        const items: unknown[] = isFilled ? value : [this.#sample(this.#schema.items([keywords]), [])]
        const sizes = [...numbers('minItems', 'maxItems'), ...this.#beyond.lists, 0, 1, 2].filter(isSize)
        const lists = sizes.filter((length) => length === 0 || items[0] !== undefined)
          .map((length) => Array.from({ length }, (_, i) => items[i % items.length]))
        return [...lists, items.toReversed()]
      }
      // What is different inside of an object is tried there.
      case 'object': return isRecord(value) ? [] : [this.full({}, [keywords], []), {}]
      default: return []
    }
  }
}

export function isRecord (value: unknown): value is ObjectSchema {
  return isObject(value) && !Array.isArray(value)
}

function typeOf (value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** The types that a schema itself allows. */
function typesOf (keywords: ObjectSchema): readonly unknown[] {
  const { type, properties, items } = keywords
  if (type !== undefined) return [type].flat()
  if (isObject(properties)) return ['object']
  if (items !== undefined) return ['array']
  return isAny(keywords) ? TYPES : []
}

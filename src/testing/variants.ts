import { Edition } from '../changes/edition.ts'
import { isObject, listOf } from '../changes/schema.ts'
import { isZod, zodKeywordsOf } from '../changes/zod.ts'

import type { Place } from '../changes/edition.ts'
import type { ObjectSchema } from '../changes/schema.ts'

/** A value like another one, as its schema may allow it. */
export interface Variant {
  readonly value: unknown
  /** What differs: `without '/guests'`. */
  readonly what: string
  /** The JSON pointers of what differs. */
  readonly places: readonly string[]
}

/** How many variants there are of a value, and how many values are tried for one enum. */
const MOST = 400
const MOST_OF_ENUM = 20
/** Objects with more members are not tried without each pair of them. */
const MOST_IN_PAIRS = 6
/** How deep values are made of schemas, and looked at. */
const MAX_DEPTH = 6
const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '12:00:00Z',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000'
}

/**
 * Values like a given one that its schema may allow: without a member, or without two; with one that is absent; with
 * null, another type, another value of an enum or another alternative; with an empty text or list, zero or false. Not
 * all of them are valid.
 *
 * @param schema one that compiles by itself
 */
export function variantsOf (value: unknown, schema: unknown): Variant[] {
  const edition = new Edition(new Map())
  const several: Variant[] = []
  const single = [...inside(value, [edition.at(schema)], '', (one) => one, 0)]
  return [...single, ...several].slice(0, MOST)

  /** @param put makes a whole value of one in this place */
  function * inside (
    value: unknown, given: readonly Place[], pointer: string, put: (one: unknown) => unknown, depth: number
  ): Generator<Variant> {
    const places = given.flatMap((place) => sameValue(place))
    const others = new Map<string, unknown>()
    for (const one of places.flatMap(alternativesAt)) others.set(JSON.stringify(one), one)
    if (typeof value === 'string') others.set('""', '')
    if (typeof value === 'number') others.set('0', 0)
    if (typeof value === 'boolean') others.set(String(!value), !value)
    if (Array.isArray(value)) others.set('[]', [])
    others.delete(JSON.stringify(value))
    for (const [text, one] of others) {
      yield { value: put(one), what: `with ${text.slice(0, 60)} at '${pointer}'`, places: [pointer] }
    }
    if (!isObject(value) || depth === MAX_DEPTH) return
    if (Array.isArray(value)) {
      const items = places.flatMap(({ schema, document }) => {
        const { items } = keywordsOf(schema)
        return isObject(items) && !Array.isArray(items) ? [{ schema: items, document }] : []
      })
      const what = `with one item at '${pointer}'`
      if (value.length > 1) yield { value: put(value.slice(0, 1)), what, places: [pointer] }
      // Items are alike.
      for (const [i, item] of value.slice(0, 1).entries()) {
        yield * inside(item, items, `${pointer}/${i}`, (one) => put(value.with(i, one)), depth + 1)
      }
      return
    }
    // What no schema describes is between the handler and its changes.
    const known = Object.entries(value).filter(([key]) => membersAt(places, key).length > 0)
    for (const [key, member] of known) {
      const at = `${pointer}/${escaped(key)}`
      const { [key]: _left, ...rest } = value
      yield { value: put(rest), what: `without '${at}'`, places: [at] }
      yield * inside(member, membersAt(places, key), at, (one) => put({ ...value, [key]: one }), depth + 1)
    }
    several.push(...without(value, known.map(([key]) => key), pointer, put))
    const described = new Set(places.flatMap(({ schema }) => Object.keys(Object(keywordsOf(schema).properties))))
    for (const key of described) {
      const sample = Object.hasOwn(value, key) ? undefined : sampleOf(membersAt(places, key)[0], 0)
      const at = `${pointer}/${escaped(key)}`
      if (sample !== undefined) yield { value: put({ ...value, [key]: sample }), what: `with '${at}'`, places: [at] }
    }
  }

  /** What a schema, and those that it refers to, say of one value. */
  function sameValue (given: Place, within: readonly unknown[] = []): Place[] {
    const { schema, document } = edition.enter(given.schema, given.document)
    if (!isObject(schema) || within.includes(schema)) return []
    const { allOf, anyOf, oneOf, $ref } = keywordsOf(schema)
    const target = typeof $ref === 'string' ? edition.resolve($ref, document) : null
    const same = [allOf, anyOf, oneOf].flatMap(listOf).map((one): Place => ({ schema: one, document }))
    return [{ schema, document }, ...[...same, ...target === null ? [] : [target]].flatMap((one) => (
      sameValue(one, [...within, schema])
    ))]
  }

  function membersAt (places: readonly Place[], key: string): Place[] {
    return places.flatMap(({ schema, document }) => {
      const { properties, additionalProperties } = keywordsOf(schema)
      const own = Object(properties) as ObjectSchema
      const member = Object.hasOwn(own, key) ? own[key] : additionalProperties
      return isObject(member) ? [{ schema: member, document }] : []
    })
  }

  function alternativesAt ({ schema, document }: Place): unknown[] {
    const { const: one, enum: several, anyOf, oneOf, type, nullable } = keywordsOf(schema)
    const types = Array.isArray(type) ? type : []
    const branches = [anyOf, oneOf].flatMap(listOf).map((branch) => sampleOf({ schema: branch, document }, 0))
    const ofTypes = types.map((type) => sampleOf({ schema: { ...schema as object, type }, document }, 0))
    const listed = listOf(several).slice(0, MOST_OF_ENUM)
    return [...one === undefined ? [] : [one], ...listed, ...branches, ...ofTypes, ...nullable === true ? [null] : []]
      .filter((value) => value !== undefined)
  }

  /** A value that a schema may allow; undefined if none is known. */
  function sampleOf (given: Place | undefined, depth: number): unknown {
    if (given === undefined || depth > MAX_DEPTH) return undefined
    const { schema, document } = edition.enter(given.schema, given.document)
    if (!isObject(schema)) return schema === true ? 'x' : undefined
    const keywords = keywordsOf(schema)
    const at = (one: unknown) => sampleOf({ schema: one, document }, depth + 1)
    const { const: only, enum: several, examples, default: byDefault, $ref } = keywords
    const known = only ?? listOf(examples)[0] ?? byDefault ?? listOf(several)[0]
    if (known !== undefined) return known
    const target = typeof $ref === 'string' ? edition.resolve($ref, document) : null
    const branches = [keywords.anyOf, keywords.oneOf].flatMap(listOf).slice(0, 1)
    const parts = [...listOf(keywords.allOf), ...branches].map(at)
    if (target !== null) parts.push(sampleOf(target, depth + 1))
    const type = [keywords.type].flat()[0] ?? (isObject(keywords.properties) ? 'object' : undefined)
    if (type !== undefined) parts.push(ofType(type, keywords, at))
    const areObjects = parts.length > 1 && parts.every((one) => isObject(one) && !Array.isArray(one))
    return areObjects ? Object.assign({}, ...parts) : parts.find((one) => one !== undefined)
  }

  function ofType (type: unknown, keywords: ObjectSchema, at: (one: unknown) => unknown): unknown {
    const { minLength = 1, minItems = 0, minimum, exclusiveMinimum, maximum } = keywords as Record<string, number>
    switch (type) {
      case 'string':
        return FORMATS[String(keywords.format)] ?? (keywords.pattern === undefined ? 'x'.repeat(minLength) : '7')
      case 'integer': case 'number':
        return minimum ?? (exclusiveMinimum === undefined ? Math.min(1, maximum ?? 1) : exclusiveMinimum + 1)
      case 'boolean': return true
      case 'null': return null
      case 'array': return Array.from({ length: minItems }, () => at(keywords.items ?? true))
      case 'object': return Object.fromEntries(listOf(keywords.required).map((key) => (
        [key, at((Object(keywords.properties) as ObjectSchema)[key as string] ?? true)]
      )))
    }
  }
}

function keywordsOf (schema: unknown): ObjectSchema {
  return isZod(schema) ? zodKeywordsOf(schema) : Object(schema) as ObjectSchema
}

/** An object without each pair of some members, with each of them alone, and without all. */
function without (
  object: ObjectSchema, keys: readonly string[], pointer: string, put: (one: unknown) => unknown
): Variant[] {
  const few = keys.length > MOST_IN_PAIRS ? [] : keys
  const pairs = few.flatMap((one, i) => keys.slice(i + 1).map((other) => [one, other]))
  const allButOne = keys.length < 4 ? [] : keys.map((key) => keys.filter((other) => other !== key))
  return [...pairs, ...allButOne, ...keys.length > 2 ? [keys] : []].map((left) => {
    const places = left.map((key) => `${pointer}/${escaped(key)}`)
    const value = put(Object.fromEntries(Object.entries(object).filter(([key]) => !left.includes(key))))
    return { value, what: `without ${places.map((one) => `'${one}'`).join(', ')}`, places }
  })
}

function escaped (key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

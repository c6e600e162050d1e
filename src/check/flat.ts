import { isItem, itemOf, keyOf, listOf, stringsOf } from './json.ts'

import type { Document } from './document.ts'
import type { Item } from './json.ts'

/** The types of JSON Schema. A number is an integer or a fraction, so that types can be compared as sets. */
export type Type = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

/** A bound, and whether it is outside of what it bounds (`exclusiveMinimum`). */
export interface Limit {
  readonly value: number
  readonly isOpen: boolean
}

/**
 * A schema without references, `allOf`, `anyOf` and `oneOf`: all of its members must be met, each by itself. What
 * several schemas say about the same name is a list, of which all must be met.
 */
export interface Flat {
  /** The last reference that led here, or null. */
  readonly name: string | null
  readonly types: ReadonlySet<Type>
  /** The values of `enum` and `const` by their key, or null where every value is allowed. */
  readonly values: ReadonlyMap<string, unknown> | null
  readonly limits: ReadonlyMap<string, Limit>
  readonly formats: ReadonlySet<string>
  readonly patterns: ReadonlySet<string>
  readonly divisors: ReadonlySet<number>
  readonly isUnique: boolean
  readonly required: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  /** Schemas of other properties. There are none where `additionalProperties` is absent. */
  readonly others: readonly unknown[]
  /** Schemas of the first members of a list. */
  readonly members: readonly (readonly unknown[])[]
  /** Schemas of the members that follow. */
  readonly items: readonly unknown[]
  /** Schemas that are only compared as a whole, because it takes more than their keywords to decide what they allow. */
  readonly opaque: readonly Item[]
  /** Keywords that say nothing about which values are allowed, or nothing that is known here, by name. */
  readonly remarks: ReadonlyMap<string, string>
}

const SCALARS: readonly Type[] = ['boolean', 'integer', 'fraction', 'string']
const TYPES: readonly Type[] = ['null', ...SCALARS, 'array', 'object']

/** What is for readers, or is read where it is needed. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', '$comment', '$id', '$schema', '$anchor',
  '$dynamicAnchor', '$defs', 'definitions'
])
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
/** Keywords that only have a meaning together, or that no rule here is about. */
const OPAQUE = [
  ['not'], ['if', 'then', 'else'], ['contains', 'minContains', 'maxContains'], ['propertyNames'],
  ['dependentRequired'], ['dependentSchemas'], ['dependencies'], ['unevaluatedItems']
]
/** Patterns that every text matches. */
const ANY_TEXT = ['', '.*']
const PATTERNED = ['patternProperties', 'properties', 'additionalProperties']
const KNOWN = new Set([
  ...COUNTS, ...OPAQUE.flat(), ...PATTERNED, '$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'nullable', 'enum', 'const',
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format', 'pattern', 'uniqueItems',
  'required', 'prefixItems', 'items', 'unevaluatedProperties', 'readOnly', 'writeOnly'
])
/** A schema without keywords. */
const ANYTHING = ownOf({}, [])

/** More alternatives than these, and more levels of schemas in schemas, are compared as a whole. */
const MOST_ALTERNATIVES = 64
const DEEPEST = 50

/** The schemas of a document that are flattened already, or null while they are. */
const known = new WeakMap<Document, Map<unknown, readonly Flat[] | null>>()

/**
 * A schema as a list of alternatives, one of which must be met. There are none if nothing is allowed.
 *
 * @param depth how many schemas it is within
 */
export function flatten (schema: unknown, document: Document, depth = 0): readonly Flat[] {
  if (schema === false) return []
  if (!isItem(schema)) return [ANYTHING]
  const flats = known.get(document) ?? new Map<unknown, readonly Flat[] | null>()
  known.set(document, flats)
  const found = flats.get(schema)
  if (found) return found
  if (found === null || depth > DEEPEST) return [{ ...ANYTHING, opaque: [schema] }]
  flats.set(schema, null)
  const combined = combine(schema, document, depth)
  flats.set(schema, combined)
  return combined
}

function combine (schema: Item, document: Document, depth: number): Flat[] {
  const { $ref, allOf, anyOf, oneOf, unevaluatedProperties } = schema
  const unions: (readonly Flat[])[] = []
  const wholes: Item[] = []
  if ($ref !== undefined) {
    const target = document.target($ref)
    if (target === undefined) wholes.push({ $ref })
    else unions.push(flatten(target, document, depth + 1).map((flat) => ({ ...flat, name: String($ref) })))
  }
  unions.push(...listOf(allOf).map((part) => flatten(part, document, depth + 1)))
  for (const [keyword, parts] of Object.entries({ anyOf, oneOf })) {
    if (!Array.isArray(parts)) continue
    const alternatives = parts.map((part) => flatten(part, document, depth + 1))
    const union = withJoinedValues(alternatives.flat())
    const isKnown = union.length <= MOST_ALTERNATIVES && (keyword === 'anyOf' || areDisjoint(alternatives, document))
    if (isKnown) unions.push(union)
    else wholes.push({ [keyword]: parts })
  }
  const own = ownOf(schema, wholes)
  if (unions.reduce((size, union) => size * union.length, 1) > MOST_ALTERNATIVES) {
    return [{ ...ANYTHING, opaque: [schema] }]
  }
  const flats = unions.reduce((all, union) => all.flatMap((one) => union.map((other) => meet(one, other))), [own])
  const isWhole = unions.every(({ length }) => length === 1)
  return flats.map((flat) => settle(withUnevaluated(flat, unevaluatedProperties, isWhole))).filter(isPossible)
}

/** @param isWhole whether the alternative is the only one: then it has every property that is evaluated */
function withUnevaluated (flat: Flat, unevaluatedProperties: unknown, isWhole: boolean): Flat {
  if (unevaluatedProperties === undefined || flat.others.length > 0) return flat
  if (isWhole && flat.opaque.length === 0) return { ...flat, others: [unevaluatedProperties] }
  return { ...flat, opaque: [...flat.opaque, { unevaluatedProperties }] }
}

/** Alternatives that are lists of values, and nothing else, are one list. */
function withJoinedValues (flats: readonly Flat[]): readonly Flat[] {
  const lists = flats.filter((flat) => flat.values !== null && !isRuled(flat) && flat.remarks.size === 0)
  const [first] = lists
  if (first === undefined || lists.length === 1) return flats
  const joined: Flat = {
    ...first,
    name: null,
    types: new Set(lists.flatMap(({ types }) => [...types])),
    values: new Map(lists.flatMap(({ values }) => [...values as ReadonlyMap<string, unknown>]))
  }
  return [joined, ...flats.filter((flat) => !lists.includes(flat))]
}

/** Whether there are rules besides types and values. */
export function isRuled (flat: Flat): boolean {
  const { limits, formats, patterns, divisors, isUnique, required, properties, others, members, items, opaque } = flat
  const hasRules = [limits, formats, patterns, divisors, required, properties].some(({ size }) => size > 0)
  return hasRules || isUnique || [others, members, items, opaque].some(({ length }) => length > 0)
}

/** What a schema says itself. */
function ownOf (schema: Item, wholes: readonly Item[]): Flat {
  const isPatterned = isItem(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0
  const groups = [...OPAQUE, ...isPatterned ? [PATTERNED] : []].filter(([first = '']) => schema[first] !== undefined)
  const opaque = groups.map((names) => Object.fromEntries(names.map((name) => [name, schema[name]])))
  const isTuple = Array.isArray(schema.items)
  const tuple = isTuple ? [{ items: schema.items, additionalItems: schema.additionalItems }] : []
  return {
    name: null,
    types: typesOf(schema),
    values: valuesOf(schema),
    limits: limitsOf(schema),
    formats: new Set(stringsOf([schema.format])),
    patterns: new Set(stringsOf([schema.pattern]).filter((pattern) => !ANY_TEXT.includes(pattern))),
    divisors: new Set(typeof schema.multipleOf === 'number' ? [schema.multipleOf] : []),
    isUnique: schema.uniqueItems === true,
    required: new Set(stringsOf(schema.required)),
    properties: new Map(Object.entries(itemOf(schema.properties)).map(([name, property]) => [name, [property]])),
    others: isPatterned || schema.additionalProperties === undefined ? [] : [schema.additionalProperties],
    members: listOf(schema.prefixItems).map((member) => [member]),
    items: schema.items === undefined || isTuple ? [] : [schema.items],
    opaque: [...opaque, ...wholes, ...tuple],
    remarks: remarksOf(schema)
  }
}

function typesOf ({ type, nullable }: Item): Set<Type> {
  if (type === undefined) return new Set(TYPES)
  const names = stringsOf([type].flat())
  const types = TYPES.filter((one) => names.includes(one) || (one === 'integer' && names.includes('number')))
  const fraction: Type[] = names.includes('number') ? ['fraction'] : []
  return new Set([...types, ...fraction, ...nullable === true ? ['null' as const] : []])
}

function valuesOf (schema: Item): Map<string, unknown> | null {
  const all = Array.isArray(schema.enum) ? new Map(schema.enum.map((value) => [keyOf(value), value])) : null
  if (!Object.hasOwn(schema, 'const')) return all
  const key = keyOf(schema.const)
  return new Map(all === null || all.has(key) ? [[key, schema.const]] : [])
}

function limitsOf (schema: Item): Map<string, Limit> {
  const limits = new Map<string, Limit>()
  for (const name of COUNTS) {
    const value = schema[name]
    if (typeof value === 'number' && (value > 0 || name.startsWith('max'))) limits.set(name, { value, isOpen: false })
  }
  for (const [name, exclusive] of [['minimum', 'exclusiveMinimum'], ['maximum', 'exclusiveMaximum']] as const) {
    const [value, bound] = [schema[name], schema[exclusive]]
    const closed = typeof value === 'number' ? { value, isOpen: bound === true } : undefined
    const open = typeof bound === 'number' ? { value: bound, isOpen: true } : undefined
    const limit = closed && open ? tighter(name, closed, open) : closed ?? open
    if (limit !== undefined) limits.set(name, limit)
  }
  return limits
}

/** Keywords that are only checked for differences. */
function remarksOf (schema: Item): Map<string, string> {
  const others = Object.entries(schema).filter(([name]) => (
    !KNOWN.has(name) && !ANNOTATIONS.has(name) && !name.startsWith('x-')
  ))
  const remarks = new Map(others.map(([name, value]) => [name, keyOf(value)]))
  // Some read it as null allowed, and some as nothing.
  const isDoubtful = schema.type === undefined || (Array.isArray(schema.enum) && !schema.enum.includes(null))
  if (schema.nullable === true && isDoubtful) remarks.set('nullable', 'true')
  return remarks
}

/** A schema that values meet if they meet both. */
function meet (one: Flat, other: Flat): Flat {
  const names = new Set([...one.properties.keys(), ...other.properties.keys()])
  const length = Math.max(one.members.length, other.members.length)
  return {
    name: one.name ?? other.name,
    types: new Set([...one.types].filter((type) => other.types.has(type))),
    values: one.values === null || other.values === null
      ? one.values ?? other.values
      : new Map([...one.values].filter(([key]) => other.values?.has(key))),
    limits: merged(one.limits, other.limits, tighter),
    formats: new Set([...one.formats, ...other.formats]),
    patterns: new Set([...one.patterns, ...other.patterns]),
    divisors: new Set([...one.divisors, ...other.divisors]),
    isUnique: one.isUnique || other.isUnique,
    required: new Set([...one.required, ...other.required]),
    properties: new Map([...names].map((name) => [name, [...propertyOf(one, name), ...propertyOf(other, name)]])),
    others: [...one.others, ...other.others],
    members: Array.from({ length }, (_, i) => [...memberOf(one, i), ...memberOf(other, i)]),
    items: [...one.items, ...other.items],
    opaque: [...one.opaque, ...other.opaque],
    remarks: merged(one.remarks, other.remarks, (_name, ...texts) => texts.sort().join())
  }
}

function merged<Value> (
  one: ReadonlyMap<string, Value>, other: ReadonlyMap<string, Value>,
  join: (name: string, a: Value, b: Value) => Value
): Map<string, Value> {
  const all = new Map(one)
  for (const [name, value] of other) all.set(name, one.has(name) ? join(name, one.get(name) as Value, value) : value)
  return all
}

function tighter (name: string, one: Limit, other: Limit): Limit {
  return isTighter(name, one, other) ? one : other
}

/** Whether a limit allows less than another one of the same name. */
export function isTighter (name: string, one: Limit, other: Limit): boolean {
  if (one.value === other.value) return one.isOpen && !other.isOpen
  return name.startsWith('min') ? one.value > other.value : one.value < other.value
}

/** The schemas of a property, whether it is described or one of the others. */
export function propertyOf ({ properties, others }: Flat, name: string): readonly unknown[] {
  return properties.get(name) ?? others
}

/** The schemas of a member of a list, by its index. */
export function memberOf ({ members, items }: Flat, i: number): readonly unknown[] {
  return members[i] ?? items
}

/** The types that the values have, the values that the types allow, and bounds of integers that are integers. */
function settle (flat: Flat): Flat {
  const isBoolean = flat.types.size === 1 && flat.types.has('boolean')
  const given = flat.values ?? (isBoolean ? new Map([true, false].map((value) => [String(value), value])) : null)
  const values = given && new Map([...given].filter(([, value]) => flat.types.has(typeOf(value))))
  const types = values === null ? flat.types : new Set([...values.values()].map(typeOf))
  if (types.has('fraction') || !types.has('integer')) return { ...flat, values, types }
  const limits = new Map([...flat.limits].map(([name, { value, isOpen }]) => {
    const [round, step] = name.startsWith('min') ? [Math.ceil(value), 1] : [Math.floor(value), -1]
    return [name, { value: round === value && isOpen ? value + step : round, isOpen: false }]
  }))
  return { ...flat, values, types, limits }
}

function typeOf (value: unknown): Type {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return typeof value as 'boolean' | 'string' | 'object'
}

function isPossible ({ types }: Flat): boolean {
  return types.size > 0
}

/** Whether it is plain that no value meets two of the schemas. */
function areDisjoint (schemas: readonly (readonly Flat[])[], document: Document): boolean {
  return schemas.every((some, i) => schemas.slice(i + 1).flat().every((other) => (
    some.every((one) => isDisjoint(one, other, document))
  )))
}

/**
 * Whether no value meets both: they have different types, different values, or different types or values in a property
 * that one of them requires.
 *
 * @param document the document of the first one
 * @param another the document of the other one
 */
export function isDisjoint (one: Flat, other: Flat, document: Document, another = document): boolean {
  const types = [...one.types].filter((type) => other.types.has(type))
  if (types.length === 0) return true
  if (one.values && other.values) return !overlaps(one.values, other.values)
  if (types.length > 1 || types[0] !== 'object') return false
  return [...one.required, ...other.required].some((name) => {
    const its = propertyOf(other, name).map((schema) => plainly(schema, another))
    return propertyOf(one, name).map((schema) => plainly(schema, document)).some((a) => its.some((b) => (
      !overlaps(a.types, b.types) || (a.values !== null && b.values !== null && !overlaps(a.values, b.values))
    )))
  })
}

/** The types and values that a schema itself has, without looking at the schemas in it. */
function plainly (schema: unknown, document: Document): Pick<Flat, 'types' | 'values'> {
  if (schema === false) return { types: new Set(), values: null }
  const item = document.item(schema)
  return settle({ ...ANYTHING, types: typesOf(item), values: valuesOf(item) })
}

function overlaps<Key> (one: { keys (): Iterable<Key> }, other: { has (key: Key): boolean }): boolean {
  return [...one.keys()].some((key) => other.has(key))
}

/** An alternative for text, as in a query or a header: text without further rules can also be any number. */
export function asText (flat: Flat): Flat {
  const { types, values } = flat
  const isAnyText = types.has('string') && values === null && !isRuled(flat)
  return isAnyText ? { ...flat, types: new Set([...types, ...SCALARS]) } : flat
}

/** Alternatives without null. */
export function withoutNull (flats: readonly Flat[]): Flat[] {
  return flats.map((flat) => ({
    ...flat,
    types: new Set([...flat.types].filter((type) => type !== 'null')),
    values: flat.values && new Map([...flat.values].filter(([key]) => key !== 'null'))
  })).filter(isPossible)
}

/** Whether an alternative has values of every type. */
export function isOfAnyType ({ types }: Flat): boolean {
  return types.size === TYPES.length
}

import { ANNOTATIONS } from './document.ts'
import { itemOf, keyOf, listOf } from './json.ts'

import type { Document } from './document.ts'
import type { Item } from './json.ts'

/**
 * A schema without references and `allOf`, and without `oneOf` if `anyOf` says the same. `type` is a list, where a
 * number is an integer, too. `const` is an `enum`.
 */
export type Plain = Item & { readonly type: readonly string[], readonly enum?: readonly unknown[] }

export const TYPES: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
/** A keyword in place of what cannot be put together. */
export const COMBINATION = 'combination'
/** More levels of schemas that are combined are compared as a whole. */
const DEEPEST = 50

/** The schemas that are read already, or null while they are. */
const read = new WeakMap<Document, Map<unknown, Plain | null>>()

/** @param depth how many schemas it is combined into */
export function plainOf (schema: unknown, document: Document, depth = 0): Plain {
  const plains = read.get(document) ?? new Map<unknown, Plain | null>()
  read.set(document, plains)
  const known = plains.get(schema)
  if (known) return known
  const unclear = { type: TYPES, [COMBINATION]: schema }
  // A schema that is being read contains itself.
  if (known === null || depth > DEEPEST) return unclear
  plains.set(schema, null)
  const item = itemOf(schema)
  const targets = item.$ref === undefined ? [] : [document.target(item.$ref)]
  const parts = [...targets, ...listOf(item.allOf)].map((part) => (
    part === undefined ? unclear : plainOf(part, document, depth + 1)
  ))
  const own = schema === false ? { type: [] } : ownOf(item, document, depth)
  const plain = narrowed(parts.reduce((one, other) => meet(one, other, document), own))
  plains.set(schema, plain)
  return plain
}

function ownOf (schema: Item, document: Document, depth: number): Plain {
  const { $ref, allOf, const: constant, nullable, type, oneOf, anyOf, ...keywords } = schema
  const named = type === undefined ? TYPES : [type].flat().map(String)
  const types = [...named, ...named.includes('number') ? ['integer'] : [], ...nullable === true ? ['null'] : []]
  const own: Record<string, unknown> & { type: string[] } = { type: [...new Set(types)] }
  for (const [name, value] of Object.entries(keywords)) if (saysSomething(name, value)) own[name] = value
  for (const [name, exclusive] of [['minimum', 'exclusiveMinimum'], ['maximum', 'exclusiveMaximum']] as const) {
    // In OpenAPI 3.0 it says that the other bound is exclusive.
    if (typeof schema[exclusive] !== 'boolean') continue
    delete own[exclusive]
    if (schema[exclusive] === true) [own[exclusive], own[name]] = [schema[name], undefined]
  }
  if (Object.hasOwn(schema, 'const')) own.enum = [constant]
  if (anyOf !== undefined) own.anyOf = anyOf
  const isAny = oneOf === undefined || (anyOf === undefined && areApart(listOf(oneOf), document, depth))
  if (oneOf !== undefined) own[isAny ? 'anyOf' : 'oneOf'] = oneOf
  // Whether null is allowed without a type is not agreed upon. A list of items is a tuple of before 2020.
  const isUnclear = (nullable === true && type === undefined) || Array.isArray(schema.items) ||
    (schema.enum !== undefined && own.enum !== schema.enum)
  return isUnclear ? { ...own, [COMBINATION]: schema } : own
}

/** Whether a keyword does not allow every value. */
function saysSomething (name: string, value: unknown): boolean {
  const isZero = value === 0 && /^min[LIP]/.test(name)
  const isEmpty = value === undefined || isZero || (name === 'uniqueItems' && value !== true)
  return !isEmpty && !ANNOTATIONS.has(name) && !name.startsWith('x-')
}

/** What values meet that meet both. */
function meet (one: Plain, other: Plain, document: Document): Plain {
  const both = (a: unknown, b: unknown) => a === undefined || b === undefined ? a ?? b : document.both(a, b)
  const met: Record<string, unknown> = { ...one, ...other }
  for (const [name, value] of Object.entries(one)) {
    const another = met[name]
    if (name === 'type' || (name === 'enum' && other.enum !== undefined)) {
      const keys = new Set(listOf(another).map(keyOf))
      met[name] = listOf(value).filter((member) => keys.has(keyOf(member)))
    } else if (name === 'required') met[name] = [...new Set([...listOf(value), ...listOf(another)])]
    else if (name === 'items' || name === 'additionalProperties') met[name] = both(value, other[name])
    else if (BOUND.test(name) && !isWider(name, value, another)) met[name] = value
    else if (name !== 'properties' && !BOUND.test(name) && keyOf(value) !== keyOf(another)) met[COMBINATION] = true
  }
  const [some, others] = [propertiesOf(one), propertiesOf(other)]
  const names = [...new Set([...some.keys(), ...others.keys()])]
  const schemaOf = (name: string) => (
    both(some.get(name) ?? one.additionalProperties, others.get(name) ?? other.additionalProperties)
  )
  return { ...met, properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])) } as unknown as Plain
}

/** The values of an enum have its types, and the types have its values. */
function narrowed (plain: Plain): Plain {
  if (!Array.isArray(plain.enum)) return plain
  const values = plain.enum.filter((value) => plain.type.includes(typeOf(value)))
  return { ...plain, type: [...new Set(values.map(typeOf))], enum: values }
}

function typeOf (value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

export function propertiesOf ({ properties }: Plain): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(itemOf(properties)))
}

const BOUND = /^(?:min|max|exclusiveM)(?!.*Contains)/

/** Whether a keyword provably allows at least as much as another value of it does. */
export function isWider (name: string, wide: unknown, narrow: unknown): boolean {
  if (wide === undefined || narrow === undefined) return wide === undefined
  const [one, other] = /min/i.test(name) ? [wide, narrow] : [narrow, wide]
  return BOUND.test(name) && Number(one) <= Number(other)
}

/** The schemas of which a value must meet one, each with what the whole schema says; or null. */
export function alternativesOf (plain: Plain, document: Document): readonly unknown[] | null {
  const { anyOf, ...rest } = plain
  if (!Array.isArray(anyOf)) return null
  const isBare = rest.type.length === TYPES.length && Object.keys(rest).length === 1
  return isBare ? anyOf : anyOf.map((one) => document.both(rest, one))
}

/** Whether no value meets two of the schemas. */
function areApart (schemas: readonly unknown[], document: Document, depth: number): boolean {
  const plains = schemas.map((schema) => plainOf(schema, document, depth + 1))
  return plains.every((one, i) => plains.slice(i + 1).every((other) => isApart(one, other, document, document)))
}

/** Whether no value meets both: they have other types, or other values of a property that both require. */
export function isApart (one: Plain, other: Plain, before: Document, after: Document): boolean {
  if (!isOverlapping(one, other)) return true
  const isObject = [one, other].every(({ type }) => type.join() === 'object')
  const [some, others] = [propertiesOf(one), propertiesOf(other)]
  return isObject && listOf(one.required).some((name) => listOf(other.required).includes(name) && !isOverlapping(
    plainOf(some.get(String(name)), before), plainOf(others.get(String(name)), after)
  ))
}

function isOverlapping (one: Plain, other: Plain): boolean {
  const keys = other.enum?.map(keyOf)
  const isValue = keys === undefined || one.enum === undefined || one.enum.some((value) => keys.includes(keyOf(value)))
  return isValue && one.type.some((type) => other.type.includes(type))
}

import { UNCLEAR } from './document.ts'
import { isItem, itemOf, keyOf, listOf, typeOf } from './json.ts'

import type { Item } from './json.ts'

/**
 * What a schema says itself, without references and `allOf`. `type` is a list, where a number is an integer, too.
 * `const` is an `enum`.
 */
export type Plain = Item & {
  readonly type: readonly string[]
  readonly enum?: readonly unknown[]
  readonly [UNCLEAR]?: string
}

export const TYPES: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
/** It takes more than these keywords to decide what they allow. */
const DIFFICULT = [
  'patternProperties', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems', 'additionalItems', 'contains',
  'minContains', 'maxContains', 'if', 'then', 'else', 'dependencies', '$dynamicRef', '$recursiveRef'
]

/** These may say something of any part of a value. */
const ANYWHERE = [...DIFFICULT, UNCLEAR, 'dependentSchemas', 'dependentRequired', 'propertyNames']

/** What a value must meet at once: the schema itself, and the parts of its `allOf`. */
export function partsOf (schema: unknown): Plain[] {
  const parts: Plain[] = []
  // A schema that is a part of itself adds nothing.
  const schemas = new Set([schema])
  for (const part of schemas) {
    const own = part === false ? { type: [] } : ownOf(itemOf(part))
    if (own.type.length < TYPES.length || Object.keys(own).length > 1) parts.push(own)
    for (const other of [itemOf(part).$ref ?? true, ...listOf(itemOf(part).allOf)]) schemas.add(other)
  }
  return parts
}

function ownOf (schema: Item): Plain {
  const { $ref, allOf, const: constant, nullable, type, ...keywords } = schema
  const named = type === undefined ? TYPES : [type].flat().map(String)
  const types = [...named, ...named.includes('number') ? ['integer'] : [], ...nullable === true ? ['null'] : []]
  const own: Record<string, unknown> & { type: string[] } = { ...keywords, type: [...new Set(types)] }
  if (Object.hasOwn(schema, 'const')) own.enum = [constant]
  // Whether null is allowed without a type is not agreed upon. A list of items is a tuple of before 2020.
  const isUnclear = (name: string) => DIFFICULT.includes(name) || (name === 'nullable' && nullable && !type) ||
    (name === 'items' && Array.isArray(schema.items)) || (name === 'const' && schema.enum !== undefined)
  const unclear = Object.keys(schema).find(isUnclear)
  if (unclear !== undefined) own[UNCLEAR] = unclear
  if (!Array.isArray(own.enum)) return own
  // The values of an enum have its types, and the types have its values.
  const values = own.enum.filter((value) => own.type.includes(typeIn(value)))
  return { ...own, type: [...new Set(values.map(typeIn))], enum: values }
}

function typeIn (value: unknown): string {
  return Number.isInteger(value) ? 'integer' : typeOf(value)
}

export function propertiesOf ({ properties }: Plain): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(itemOf(properties)))
}

/** Schemas, and all that they combine: what may describe the same value. */
export function combinedOf (schemas: Iterable<unknown>): Set<Item> {
  const all = new Set([...schemas].filter(isItem))
  for (const { $ref, allOf, anyOf, oneOf, not } of all) {
    for (const part of [$ref, allOf, anyOf, oneOf, not].flat()) if (isItem(part)) all.add(part)
  }
  return all
}

/** What schemas may say of a property, of the other properties (`null`) or of the members of a list (`undefined`). */
export function saidOf (schemas: Iterable<Item>, name?: string | null): unknown[] {
  return [...schemas].flatMap((schema) => {
    const { additionalProperties, const: constant, enum: values, items, required } = schema
    const isInside = [constant, ...listOf(values)].some((value) => typeof value === 'object' && value !== null)
    if (isInside || Array.isArray(items) || ANYWHERE.some((keyword) => Object.hasOwn(schema, keyword))) return schema
    const properties = itemOf(schema.properties)
    if (name === undefined) return items
    if (name === null) return [...Object.values(properties), additionalProperties]
    if (Object.hasOwn(properties, name)) return properties[name]
    return listOf(required).includes(name) ? true : [additionalProperties].filter(isItem)
  })
}

const BOUND = /^(?:min|max|exclusiveM)(?!.*Contains)/

/** Whether a keyword provably allows at least as much as another value of it does. */
export function isWider (name: string, wide: unknown, narrow: unknown): boolean {
  if (wide === undefined || narrow === undefined) return wide === undefined
  const [one, other] = /min/i.test(name) ? [wide, narrow] : [narrow, wide]
  // In OpenAPI 3.0 an exclusive bound is a boolean.
  return BOUND.test(name) && typeof one === 'number' && typeof other === 'number' && one <= other
}

/** The schemas of which a value must meet one; null if there are none, or if a value must not meet two of them. */
export function alternativesOf ({ anyOf, oneOf }: Plain): readonly unknown[] | null {
  if (!Array.isArray(oneOf)) return Array.isArray(anyOf) ? anyOf : null
  const isOnly = (one: unknown, i: number) => oneOf.every((other, j) => i === j || isApart(one, other))
  return anyOf === undefined && oneOf.every(isOnly) ? oneOf : null
}

/** Whether no value meets both: they have other types, or other values of a property that both require. */
export function isApart (one: unknown, other: unknown): boolean {
  const [some, others] = [partsOf(one), partsOf(other)]
  if (!areOverlapping(some, others)) return true
  const areObjects = [some, others].every((parts) => parts.some(({ type }) => type.join() === 'object'))
  const requiredOf = (parts: readonly Plain[]) => parts.flatMap((part) => listOf(part.required))
  const valuesOf = (parts: readonly Plain[], name: string) => (
    parts.flatMap((part) => partsOf(propertiesOf(part).get(name) ?? true))
  )
  const shared = requiredOf(some).filter((name) => requiredOf(others).includes(name)).map(String)
  return areObjects && shared.some((name) => !areOverlapping(valuesOf(some, name), valuesOf(others, name)))
}

function areOverlapping (some: readonly Plain[], others: readonly Plain[]): boolean {
  return some.every((one) => others.every((other) => {
    const keys = other.enum?.map(keyOf)
    const isValue = !keys || !one.enum || one.enum.some((value) => keys.includes(keyOf(value)))
    return isValue && one.type.some((type) => other.type.includes(type))
  }))
}

import { areSame, isItem, itemOf, keyOf, elementsOf, shortJson } from './json.ts'
import { TYPES, includesType, typeOf } from './types.ts'

import type { Item } from './json.ts'

/** The schemas that a value must meet at once. */
export type Schemas = readonly unknown[]

/** What schemas in normal form say at once, with the parts of their `allOf`. */
export interface Plain {
  readonly parts: readonly Item[]
  /** The types that are allowed. A number may be an integer, too. */
  readonly types: readonly string[]
  /** The only values that are allowed, by `enum` and `const`, or undefined. */
  readonly values: readonly unknown[] | undefined
  /** All other keywords, each with the values that it has. */
  readonly rules: ReadonlyMap<string, readonly unknown[]>
}

/** It takes more than these keywords to decide what they allow. `type` and `enum` are among the rules if malformed. */
const DIFFICULT = [
  'patternProperties', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems', 'additionalItems', 'contains',
  'minContains', 'maxContains', 'if', 'then', 'else', 'dependencies', 'dependentSchemas', 'dependentRequired',
  '$dynamicRef', '$recursiveRef', 'type', 'enum'
]

/** What single schemas say, which is asked for often. */
const bySchema = new WeakMap<object, Plain>()

export function plain (schemas: Schemas): Plain {
  const [schema] = schemas
  if (schemas.length !== 1 || !isItem(schema)) return said(schemas)
  const plain = bySchema.get(schema) ?? said(schemas)
  bySchema.set(schema, plain)
  return plain
}

function said (schemas: Schemas): Plain {
  const parts = new Set(schemas)
  let types = TYPES
  let values: readonly unknown[] | undefined
  const rules = new Map<string, unknown[]>()
  for (const schema of parts) {
    // Whether null is allowed by `nullable` without a type is not agreed upon: it is a rule.
    const { allOf, type = TYPES, ...keywords }: Record<string, unknown> = itemOf(schema)
    // A schema that is a part of itself adds nothing.
    for (const part of elementsOf(allOf)) parts.add(part)
    const named = [type].flat().map(String)
    if (!named.every((name) => TYPES.includes(name))) keywords.type = type
    types = types.filter((name) => includesType(named, name))
    if (isItem(keywords.enum)) {
      const list = elementsOf(keywords.enum)
      values = values === undefined ? list : sharedValues(values, list)
      delete keywords.enum
    }
    for (const [name, value] of Object.entries(keywords)) {
      if (name !== 'x-sunset') rules.set(name, [...rules.get(name) ?? [], value])
    }
  }
  // The values of an enum have its types, and the types have its values.
  values = values?.filter((value) => types.includes(typeOf(value)))
  if (values !== undefined) types = [...new Set(values.map(typeOf))]
  return { parts: [...parts].filter(isItem), types, values: types.length > 0 ? values : undefined, rules }
}

/** The values of a list that are in another one, or are not. */
export function sharedValues (
  values: readonly unknown[], others: readonly unknown[], isShared = true
): readonly unknown[] {
  const keys = new Set(others.map(keyOf))
  return values.filter((value) => keys.has(keyOf(value)) === isShared)
}

/** The keyword because of which schemas must stay the same, or undefined. */
export function difficultyIn ({ rules }: Plain): string | undefined {
  return [...rules].find(([name, values]) => (
    // A list of items is a tuple of before 2020.
    DIFFICULT.includes(name) || (name === 'items' && values.some(Array.isArray)) ||
    (name === 'required' && !values.every(isItem))
  ))?.[0]
}

/** Whether no value meets all schemas. */
export function areNever (schemas: Schemas): boolean {
  return plain(schemas).types.length === 0
}

export function requiredIn ({ rules }: Plain): Set<string> {
  return new Set(rules.get('required')?.flatMap((names) => elementsOf(names).map(String)))
}

/** The schemas of a property, or of the other properties. */
export function saidOf ({ parts }: Plain, name?: string): Schemas {
  return parts.map(({ properties, additionalProperties }) => (
    name !== undefined && Object.hasOwn(itemOf(properties), name) ? itemOf(properties)[name] : additionalProperties
  )).filter((schema) => schema !== undefined)
}

/** Whether more than `properties` may describe a property. */
export function isVague ({ values = [], rules }: Plain): boolean {
  return values.some(isItem) || ['anyOf', 'oneOf', 'not', 'propertyNames'].some((name) => rules.has(name))
}

/** Bounds that limit the same. */
const TWINS = new Map([
  ['minimum', 'exclusiveMinimum'], ['maximum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']
])

/** Whether schemas provably allow nothing but what a rule allows. */
export function isImplied (name: string, rule: unknown, { rules }: Plain): boolean {
  const isNarrow = (narrow: unknown) => isWider(name, rule, narrow)
  const twins = rules.get(TWINS.get(name) ?? '') ?? []
  // The bound itself is within an inclusive bound alone.
  const bounds = name.startsWith('exclusive') ? twins.filter((bound) => bound !== rule) : twins
  return [...rules.get(name) ?? [], ...bounds].some(isNarrow)
}

/** Whether a rule provably allows all that another value of it allows. */
export function isWider (name: string, wide: unknown, narrow: unknown): boolean {
  if (name === 'type' && wide === 'number' && narrow === 'integer') return true
  // Of other numbers the rest of a division is not exact.
  if (name === 'multipleOf' && [wide, narrow].every(Number.isInteger)) return Number(narrow) % Number(wide) === 0
  if (name === 'required') return elementsOf(wide).every((member) => elementsOf(narrow).includes(member))
  const [low, high] = /min/i.test(name) ? [wide, narrow] : [narrow, wide]
  // In OpenAPI 3.0 an exclusive bound is a boolean.
  const areBounds = /^(?:min|max|exclusiveM)/.test(name) && typeof low === 'number' && typeof high === 'number'
  return areBounds ? low <= high : areSame(wide, narrow)
}

/** Whether some value may have a type, and be one of the values, of both. */
export function areOverlapping (first: Plain, second: Plain): boolean {
  if (first.values && second.values) return sharedValues(first.values, second.values).length > 0
  return first.types.some((type) => second.types.includes(type))
}

/** Values in a message. */
export function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(shortJson).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

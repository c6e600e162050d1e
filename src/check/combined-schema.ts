import { addTo, areSame, isItem, itemOf, keyOf, elementsOf, shortJson } from './json.ts'
import { TYPES, includesType, typeOf } from './types.ts'

import type { Item } from './json.ts'

/** The schemas that a value must meet at once. */
export type Schemas = readonly unknown[]

/** What schemas in normal form say at once, with the parts of their `allOf`. */
export interface Plain {
  readonly parts: readonly Item[]
  /** The types that are allowed. A number may be an integer, too. */
  readonly types: readonly string[]
  /** The only values that are allowed, or undefined. */
  readonly values: readonly unknown[] | undefined
  /** The names of the properties that must be there. */
  readonly required: ReadonlySet<string>
  /** What `properties` say, by the names in them. */
  readonly properties: ReadonlyMap<string, Schemas>
  /** The parts that say something of other properties. */
  readonly limited: readonly Item[]
  readonly items: Schemas
  /** All other keywords, and those above that are malformed, each with the values that it has. */
  readonly rules: ReadonlyMap<string, readonly unknown[]>
}

/** It takes more than these keywords to decide what they allow. The last four are among the rules if malformed. */
const DIFFICULT = [
  'patternProperties', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems', 'additionalItems', 'contains',
  'minContains', 'maxContains', 'if', 'then', 'else', 'dependencies', 'dependentSchemas', 'dependentRequired',
  '$dynamicRef', '$recursiveRef', 'type', 'enum', 'required', 'items'
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
  const all = new Set(schemas)
  // A schema that is a part of itself adds nothing.
  for (const schema of all) for (const part of elementsOf(itemOf(schema).allOf)) all.add(part)
  const parts = [...all].filter(isItem)
  const rules = byName(parts)
  const take = (name: string, isRight: (value: unknown) => boolean = isItem): readonly unknown[] => {
    const values = rules.get(name) ?? []
    return values.every(isRight) && rules.delete(name) ? values : []
  }
  const typeLists = take('type', (type) => [type].flat().every((name) => TYPES.includes(name as string)))
  const named = TYPES.filter((name) => typeLists.every((type) => includesType([type].flat(), name)))
  const [list, ...lists] = take('enum').map(elementsOf)
  // The values of an enum have its types, and the types have its values.
  const values = lists.reduce((some, others) => sharedValues(some, others), list)
    ?.filter((value) => named.includes(typeOf(value)))
  const types = values === undefined ? named : [...new Set(values.map(typeOf))]
  for (const name of ['allOf', 'x-sunset', 'additionalProperties']) rules.delete(name)
  return {
    parts,
    types,
    values: types.length > 0 ? values : undefined,
    required: new Set(take('required').flatMap(elementsOf).map(String)),
    properties: byName(take('properties') as readonly Item[]),
    limited: parts.filter((part) => part.additionalProperties !== undefined),
    // A list of items is a tuple of before 2020.
    items: take('items', (items) => !Array.isArray(items)),
    rules
  }
}

/** The values of fields of any of some items. */
function byName (items: readonly Item[]): Map<string, unknown[]> {
  const values = new Map<string, unknown[]>()
  for (const item of items) for (const [name, value] of Object.entries(item)) addTo(values, name, value)
  return values
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
  return [...rules.keys()].find((name) => DIFFICULT.includes(name))
}

/** Whether no value meets all schemas. */
export function areNever (schemas: Schemas): boolean {
  return plain(schemas).types.length === 0
}

/** The schemas of a property, or of the other properties. */
export function saidOf ({ limited, properties }: Plain, name?: string): Schemas {
  const named = name === undefined ? [] : properties.get(name) ?? []
  const others = limited.filter((part) => named.length === 0 || !Object.hasOwn(itemOf(part.properties), name!))
  return [...named, ...others.map((part) => part.additionalProperties)]
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

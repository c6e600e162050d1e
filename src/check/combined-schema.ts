import { addTo, areSame, isItem, itemOf, keyOf, elementsOf, shortJson } from './json.ts'
import { TYPES, includesType, typeOf } from './types.ts'

import type { Item } from './json.ts'

/** The schemas that a value must meet at once. */
export type Schemas = readonly unknown[]

/** The keywords of schemas in normal form that a value must meet at once, with the keywords of their `allOf`. */
export interface Combined {
  readonly parts: readonly Item[]
  /** The types that are allowed. `number` includes `integer`. */
  readonly types: readonly string[]
  /** The only values that are allowed, or undefined. */
  readonly values: readonly unknown[] | undefined
  /** The names of the required properties. */
  readonly required: ReadonlySet<string>
  /** The schemas in `properties`, by the names of the properties. */
  readonly properties: ReadonlyMap<string, Schemas>
  /** The parts that limit other properties by `additionalProperties`. */
  readonly limited: readonly Item[]
  readonly items: Schemas
  /** The values of each keyword that has no field above, or is malformed. */
  readonly rules: ReadonlyMap<string, readonly unknown[]>
}

/** Keywords whose schemas are only compared as a whole. The last four are among the rules if they are malformed. */
const DIFFICULT = [
  'patternProperties', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems', 'additionalItems', 'contains',
  'minContains', 'maxContains', 'if', 'then', 'else', 'dependencies', 'dependentSchemas', 'dependentRequired',
  '$dynamicRef', '$recursiveRef', 'type', 'enum', 'required', 'items'
]

/** The results for single schemas, which the comparison asks for often. */
const bySchema = new WeakMap<object, Combined>()

export function combine (schemas: Schemas): Combined {
  const [schema] = schemas
  if (schemas.length !== 1 || !isItem(schema)) return combineAnew(schemas)
  const combined = bySchema.get(schema) ?? combineAnew(schemas)
  bySchema.set(schema, combined)
  return combined
}

function combineAnew (schemas: Schemas): Combined {
  const all = new Set(schemas)
  // The set visits a schema once, even if the schema is a part of itself.
  for (const schema of all) for (const part of elementsOf(itemOf(schema).allOf)) all.add(part)
  const parts = [...all].filter(isItem)
  const rules = byName(parts)
  const takeRule = (name: string, isRight: (value: unknown) => boolean = isItem): readonly unknown[] => {
    const values = rules.get(name) ?? []
    return values.every(isRight) && rules.delete(name) ? values : []
  }
  const typeLists = takeRule('type', (type) => [type].flat().every((name) => TYPES.includes(name as string)))
  const named = TYPES.filter((name) => typeLists.every((type) => includesType([type].flat(), name)))
  const [list, ...lists] = takeRule('enum').map(elementsOf)
  // Values count only if they have one of the types, and then types only if a value has them.
  const values = lists.reduce((some, others) => sharedValues(some, others), list)
    ?.filter((value) => named.includes(typeOf(value)))
  const types = values === undefined ? named : [...new Set(values.map(typeOf))]
  for (const name of ['allOf', 'x-sunset', 'additionalProperties']) rules.delete(name)
  return {
    parts,
    types,
    values: types.length > 0 ? values : undefined,
    required: new Set(takeRule('required').flatMap(elementsOf).map(String)),
    properties: byName(takeRule('properties') as readonly Item[]),
    limited: parts.filter((part) => part.additionalProperties !== undefined),
    // Before JSON Schema 2020-12, a list in `items` was a tuple.
    items: takeRule('items', (items) => !Array.isArray(items)),
    rules
  }
}

/** Returns the values of each field of some items, by the names of the fields. */
function byName (items: readonly Item[]): Map<string, unknown[]> {
  const values = new Map<string, unknown[]>()
  for (const item of items) for (const [name, value] of Object.entries(item)) addTo(values, name, value)
  return values
}

/** Returns the values of a list that are in another list, or, if `isShared` is false, the values that are not. */
export function sharedValues (
  values: readonly unknown[], others: readonly unknown[], isShared = true
): readonly unknown[] {
  const keys = new Set(others.map(keyOf))
  return values.filter((value) => keys.has(keyOf(value)) === isShared)
}

/** Returns the keyword because of which schemas must stay the same, or undefined. */
export function difficultyIn ({ rules }: Combined): string | undefined {
  return [...rules.keys()].find((name) => DIFFICULT.includes(name))
}

/** Tells whether no value meets all schemas. */
export function areNever (schemas: Schemas): boolean {
  return combine(schemas).types.length === 0
}

/** Returns the schemas of a property, or, without a name, the schemas of all properties that are not named. */
export function schemasOf ({ limited, properties }: Combined, name?: string): Schemas {
  const named = name === undefined ? [] : properties.get(name) ?? []
  const others = limited.filter((part) => named.length === 0 || !Object.hasOwn(itemOf(part.properties), name!))
  return [...named, ...others.map((part) => part.additionalProperties)]
}

/** Tells whether other keywords than `properties` may describe a property, too. */
export function isVague ({ values = [], rules }: Combined): boolean {
  return values.some(isItem) || ['anyOf', 'oneOf', 'not', 'propertyNames'].some((name) => rules.has(name))
}

/** Each bound, and the bound that limits the same end, too. */
const TWINS = new Map([
  ['minimum', 'exclusiveMinimum'], ['maximum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']
])

/** Tells whether schemas provably allow nothing but what a rule allows. */
export function isImplied (name: string, rule: unknown, { rules }: Combined): boolean {
  const isNarrow = (narrow: unknown) => isWider(name, rule, narrow)
  const twins = rules.get(TWINS.get(name) ?? '') ?? []
  // An inclusive bound allows its own value, which an exclusive bound with this value does not.
  const bounds = name.startsWith('exclusive') ? twins.filter((bound) => bound !== rule) : twins
  return [...rules.get(name) ?? [], ...bounds].some(isNarrow)
}

/** Tells whether a rule with one value provably allows all that the rule allows with another value. */
export function isWider (name: string, wide: unknown, narrow: unknown): boolean {
  if (name === 'type' && wide === 'number' && narrow === 'integer') return true
  // The remainder of a division is not exact unless both numbers are integers.
  if (name === 'multipleOf' && [wide, narrow].every(Number.isInteger)) return Number(narrow) % Number(wide) === 0
  if (name === 'required') return elementsOf(wide).every((member) => elementsOf(narrow).includes(member))
  const [low, high] = /min/i.test(name) ? [wide, narrow] : [narrow, wide]
  // In OpenAPI 3.0 an exclusive bound is a boolean.
  const areBounds = /^(?:min|max|exclusiveM)/.test(name) && typeof low === 'number' && typeof high === 'number'
  return areBounds ? low <= high : areSame(wide, narrow)
}

/** Tells whether schemas have a value in common, or a type if one of them does not list values. */
export function areOverlapping (first: Combined, second: Combined): boolean {
  if (first.values && second.values) return sharedValues(first.values, second.values).length > 0
  return first.types.some((type) => second.types.includes(type))
}

/** Returns the text of values in a message. */
export function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(shortJson).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

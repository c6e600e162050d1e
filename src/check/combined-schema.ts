import { SHARED, elementsOf, isItem, itemOf, keyOf, shortJson } from './json.ts'
import { TYPES, typeOf } from './types.ts'

import type { Item } from './json.ts'

/** The schemas that a value must meet at once. */
export type Schemas = readonly unknown[]

/** What schemas say at once, with the parts of their `allOf`, however it is written. */
export interface Said {
  /** The schemas that may describe properties. */
  readonly parts: readonly Item[]
  /** The types that are allowed. A number may be an integer, too. */
  readonly types: readonly string[]
  /** The only values that are allowed, by `enum` and `const`, or undefined. */
  readonly values: readonly unknown[] | undefined
  /** All other keywords, each with the values that it has. A difficult one has all keywords beside it. */
  readonly rules: ReadonlyMap<string, readonly unknown[]>
}

type Rules = Map<string, unknown[]>

/** What keywords say of values of a type. Any other value meets them. */
const RULES: ReadonlyMap<string, readonly string[]> = new Map(([
  [['string'], 'minLength maxLength pattern contentEncoding contentMediaType contentSchema'],
  [['integer', 'number'], 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'],
  [['array'], 'items additionalItems prefixItems minItems maxItems uniqueItems contains minContains maxContains ' +
    'unevaluatedItems'],
  [['object'], 'properties additionalProperties patternProperties propertyNames required minProperties maxProperties ' +
    'dependentRequired dependentSchemas dependencies unevaluatedProperties']
] as const).flatMap(([types, names]) => names.split(' ').map((name) => [name, types])))
/** What is said of a value whatever its type is, so that an alternative for null changes nothing of it. */
export const NOTES: readonly string[] = ['format', 'default', 'readOnly', 'writeOnly']

/** The keyword `items` with a list of schemas. */
const TUPLE = 'list of items'
/** It takes more than these keywords to decide what they allow. `type` and `enum` are among the rules if malformed. */
export const DIFFICULT: ReadonlySet<string> = new Set([
  'patternProperties', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems', 'additionalItems', 'contains',
  'minContains', 'maxContains', 'if', 'then', 'else', 'dependencies', 'dependentSchemas', 'dependentRequired',
  '$dynamicRef', '$recursiveRef', 'type', 'enum', TUPLE
])

/** What JSON Schema and OpenAPI take where a keyword is left out: JSON of a value, or a schema that allows all. */
const DEFAULTS = new Map(Object.entries({
  0: ['minLength', 'minItems', 'minProperties'],
  false: ['uniqueItems', 'readOnly', 'writeOnly', 'exclusiveMinimum', 'exclusiveMaximum', 'not'],
  '[]': ['required', 'prefixItems'],
  '{}': ['properties', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  '""': ['pattern'],
  1: ['minContains']
}).flatMap(([value, names]) => names.map((name) => [name, value])))
export const OPEN: ReadonlySet<string> = new Set([
  'items', 'additionalItems', 'unevaluatedItems', 'unevaluatedProperties', 'propertyNames', 'then', 'else'
])
/** Bounds, those that are not in themselves allowed, and what they are multiplied by to be a lower bound. */
const BOUNDS = [['minimum', 'exclusiveMinimum', 1], ['maximum', 'exclusiveMaximum', -1]] as const
export const BOUND = /^(?:min|max|exclusiveM)/
/** Keywords that count for nothing without another one. */
const DEPENDENT = [['contains', 'minContains', 'maxContains'], ['if', 'then', 'else']]

/** Keywords of which schemas consist, and those that are read by themselves. */
const JOINING = ['$ref', 'allOf', 'anyOf', 'oneOf']
const READ = new Set([...JOINING, 'type', 'nullable', 'enum', 'const', 'x-sunset'])

/** How deep schemas may consist of one another. What is deeper is not understood. */
const DEEPEST = 50
/** What is said of a schema that is not understood, or consists of itself. */
const UNKNOWN: Said = { parts: [], types: TYPES, values: undefined, rules: new Map([['$ref', ['itself']]]) }

/** Null alone: beside it, notes do not count. */
const NULL = { type: 'null' }

/** Reads what schemas say. */
export class SchemaReader {
  /** Whether it matters elsewhere that a keyword looks at items or properties. */
  readonly isEvaluating: boolean
  readonly #said = new Map<unknown, Said>()
  readonly #keywords = new Map<Item, ReadonlyMap<string, unknown>>()
  readonly #split = new Map<unknown, Schemas[]>()
  #depth = 0

  constructor (isEvaluating: boolean) {
    this.isEvaluating = isEvaluating
  }

  said (schemas: Schemas): Said {
    if (schemas.length !== 1) return this.#read(schemas)
    const [schema] = schemas
    const existing = this.#said.get(schema)
    if (existing !== undefined) return existing
    if (this.#depth > DEEPEST) return UNKNOWN
    this.#said.set(schema, UNKNOWN)
    this.#depth++
    const said = this.#read(schemas)
    this.#depth--
    this.#said.set(schema, said)
    return said
  }

  isOpen (schema: unknown): boolean {
    const { types, values, rules } = this.said([schema])
    return types.length === TYPES.length && values === undefined && rules.size === 0
  }

  /** A schema for each type that a schema allows. The only one beside null keeps the name. */
  split (schema: unknown): readonly Schemas[] {
    const existing = this.#split.get(schema)
    if (existing !== undefined) return existing
    const { types } = this.said([schema])
    const shown = types.filter((type) => type !== 'integer' || !types.includes('number'))
    const isNamed = shown.filter((type) => type !== 'null').length === 1
    const split = shown.map((type) => (
      [{ allOf: [schema, type === 'null' ? NULL : { type }], [SHARED]: isNamed ? nameOf([schema]) : undefined }]
    ))
    this.#split.set(schema, split)
    return split
  }

  #read (schemas: Schemas): Said {
    const rules: Rules = new Map()
    const [parts, unions] = this.#partsOf(schemas, rules)
    let types = TYPES
    let values: readonly unknown[] | undefined
    for (const part of parts) {
      const [named, list] = typesAndValuesIn(part, rules)
      if (named !== TYPES) types = types.filter((name) => named.includes(name))
      if (list !== undefined) values = values === undefined ? list : sharedValues(values, list)
    }
    const several: [name: string, members: readonly unknown[], all: readonly Said[]][] = []
    for (const [name, alternatives] of unions) {
      const byText = new Map(alternatives.map((member, i) => (
        [name === 'anyOf' ? textOf(this.said([member])) : i, member]
      )))
      const members = [...byText.values()]
      const all = members.map((member) => this.said([member]))
      types = types.filter((type) => all.some((said) => said.types.includes(type)))
      const lists = all.map(valuesIn)
      const listed = lists.flatMap((list) => list ?? [])
      const areApart = name === 'anyOf' || distinct(listed).length === listed.length
      if (areApart && !lists.includes(null)) {
        values = values === undefined ? listed : sharedValues(values, listed)
        continue
      }
      const isListed = (i: number) => lists[i] !== null && !isNull(all[i])
      const enums = { enum: lists.filter((_, i) => isListed(i)).flat() }
      const isMerged = areApart && lists.filter((_, i) => isListed(i)).length > 1
      several.push([name, isMerged ? [...members.filter((_, i) => !isListed(i)), enums] : members, all])
    }
    if (values !== undefined) {
      values = distinct(values).filter((value) => types.includes(typeOf(value)))
      types = TYPES.filter((type) => values?.some((value) => typeOf(value) === type))
      // Of these types there may be no other values.
      const isWhole = values.length > 0 && values.every((value) => value === null || typeof value === 'boolean') &&
        values.filter((value) => value !== null).length !== 1
      if (isWhole) values = undefined
    }
    for (const part of parts) if (isItem(part)) this.#addRules(part, types, rules)
    const isOnly = several.length === 1 && [...rules.keys()].every((name) => NOTES.includes(name))
    for (const [name, members, all] of several) {
      const isImplied = all.every((said) => said.types.every((type) => types.includes(type)))
      if ((isOnly && isImplied && all.length > 1) || !areOfTypes(all)) add(rules, name, members)
      else {
        // What is said of values of a type is not said of others.
        for (const [rule, values] of all.flatMap((said) => [...said.rules])) {
          if (isAbout(rule, types)) for (const value of values) add(rules, rule, value)
        }
        parts.push(...all.flatMap((said) => said.parts))
      }
    }
    if (parts.includes(NULL)) for (const note of NOTES) rules.delete(note)
    types = writeBounds(rules, types)
    if (types.length === 0 && !rules.has('type')) rules.clear()
    return { parts: types.includes('object') ? parts.filter(isItem) : [], types, values, rules }
  }

  /** The schemas that a value must meet at once, and the alternatives of which it must meet one. */
  #partsOf (schemas: Schemas, rules: Rules) {
    const open = new Set(schemas.length === 1 ? [this.#innermost(schemas[0])] : schemas)
    const parts: unknown[] = []
    const unions: (readonly [name: string, members: readonly unknown[]])[] = []
    for (const schema of open) {
      const part = itemOf(schema)
      const evaluating = ['unevaluatedProperties', 'unevaluatedItems'].find((name) => part[name] !== undefined)
      if (open.size > 1 && evaluating !== undefined && this.#keywordsOf(part).has(evaluating)) {
        // It counts what its own parts say.
        add(rules, evaluating, { allOf: [schema] })
        continue
      }
      parts.push(schema)
      for (const inner of [part.$ref ?? [], part.allOf ?? []].flat()) open.add(inner)
      for (const name of ['anyOf', 'oneOf']) {
        if (part[name] === undefined) continue
        const members = this.#membersOf(part[name], name)
        if (members.length === 0) parts.push(false)
        else if (members.length === 1) open.add(members[0])
        else if (name === 'oneOf' || !members.some((member) => this.isOpen(member))) unions.push([name, members])
      }
    }
    return [parts, unions] as const
  }

  /** Alternatives without those of nothing. Those of `anyOf` may be alternatives, too. */
  #membersOf (members: unknown, name: string): unknown[] {
    const all = elementsOf(members).map((member) => this.#innermost(member, true)).filter((member) => member !== false)
    if (name === 'oneOf') return all
    const distinct = new Set(all)
    for (const member of distinct) {
      if (!this.#consistsOf(member, 'anyOf')) continue
      distinct.delete(member)
      for (const inner of this.#membersOf(itemOf(member).anyOf, 'oneOf')) distinct.add(inner)
    }
    return [...distinct]
  }

  /** What a schema is that only wraps another one, as `allOf` of it. A name may be kept. */
  #innermost (schema: unknown, hasName = false): unknown {
    let inner = schema
    for (let i = 0; i < DEEPEST; i++) {
      if (hasName && nameOf([inner]) !== undefined) return inner
      const name = JOINING.find((candidate) => this.#consistsOf(inner, candidate))
      const [first, ...others] = [itemOf(inner)[name ?? '']].flat()
      if (name === undefined || others.length > 0 || !isItem(first)) return inner
      inner = first
    }
    return schema
  }

  /** Whether a schema says nothing beside a keyword. */
  #consistsOf (schema: unknown, name: string): boolean {
    const fields = itemOf(schema)
    const others = [...JOINING, 'type', 'enum', 'const'].filter((candidate) => candidate !== name)
    return fields[name] !== undefined && fields.nullable !== true && this.#keywordsOf(fields).size === 0 &&
      others.every((candidate) => fields[candidate] === undefined)
  }

  /** Adds the keywords of a schema that say something of values of some types. */
  #addRules (schema: Item, types: readonly string[], rules: Rules): void {
    const isOpen = (value: unknown) => !this.isEvaluating && !Array.isArray(value) && this.isOpen(value)
    const keywords = [...this.#keywordsOf(schema)].filter(([name, value]) => (
      isAbout(name, types) && !(OPEN.has(name) && isOpen(value))
    ))
    const isVain = !this.isEvaluating && !keywords.some(([name]) => name === 'then' || name === 'else')
    for (const [name, value] of keywords) {
      // It is a tuple of before 2020.
      const rule = name === 'items' && Array.isArray(value) ? TUPLE : name
      if (name !== 'if' || !isVain) add(rules, rule, DIFFICULT.has(rule) ? Object.fromEntries(keywords) : value)
    }
  }

  /** The keywords of a schema by itself, without what is left out by default. */
  #keywordsOf (schema: Item): ReadonlyMap<string, unknown> {
    const existing = this.#keywords.get(schema)
    if (existing !== undefined) return existing
    const keywords = new Map<string, unknown>()
    this.#keywords.set(schema, keywords)
    for (const name in schema) {
      const value = schema[name]
      if (READ.has(name) || value === undefined || (isShort(value) && keyOf(value) === DEFAULTS.get(name))) continue
      keywords.set(name, name === 'required' && Array.isArray(value) ? [...new Set(value)].sort() : value)
    }
    for (const [bound, exclusive] of BOUNDS) {
      // In OpenAPI 3.0 it says of the other bound that it is exclusive.
      if (keywords.get(exclusive) !== true) continue
      const limit = keywords.get(bound)
      keywords.delete(limit === undefined ? exclusive : bound)
      if (limit !== undefined) keywords.set(exclusive, limit)
    }
    for (const [needed, ...names] of DEPENDENT) {
      if (!keywords.has(needed)) for (const name of names) keywords.delete(name)
    }
    return keywords
  }
}

/** Whether a keyword says something of values of some types. */
function isAbout (name: string, types: readonly string[]): boolean {
  return RULES.get(name)?.some((type) => types.includes(type)) !== false
}

/** The types and the values that a schema allows by itself. */
function typesAndValuesIn (
  schema: unknown, rules: Rules
): readonly [types: readonly string[], values: readonly unknown[] | undefined] {
  if (!isItem(schema)) return [schema === false ? [] : TYPES, undefined]
  const { type, nullable, enum: list, const: only } = schema
  const named = type === undefined ? TYPES : [type].flat().map(String)
  if (!named.every((name) => TYPES.includes(name))) add(rules, 'type', type)
  if (list !== undefined && !Array.isArray(list)) add(rules, 'enum', list)
  // Whether null is allowed without a type is not agreed upon.
  if (nullable === true && type === undefined) add(rules, 'nullable', true)
  const types = [...named, ...nullable === true ? ['null'] : [], ...named.includes('number') ? ['integer'] : []]
  const values = Array.isArray(list) ? list : undefined
  if (only === undefined) return [named === TYPES ? TYPES : types, values]
  return [types, values === undefined ? [only] : sharedValues(values, [only])]
}

/**
 * Keeps the bounds that count. Integers have inclusive ones, and are multiples of 1.
 *
 * @returns the types, without numbers if they must be integers
 */
function writeBounds (rules: Rules, allowed: readonly string[]): readonly string[] {
  const isWhole = rules.get('multipleOf')?.some((factor) => typeof factor === 'number' && factor % 1 === 0) === true
  const types = isWhole && allowed.length < TYPES.length ? allowed.filter((type) => type !== 'number') : allowed
  const isInteger = types.includes('integer') && !types.includes('number')
  const factors = rules.get('multipleOf')?.filter((factor) => !isInteger || 1 % Number(factor) !== 0) ?? []
  if (factors.length > 0) rules.set('multipleOf', factors)
  else rules.delete('multipleOf')
  for (const [name, limits] of rules) {
    if (limits.length === 1 || !BOUND.test(name) || !limits.every((limit) => typeof limit === 'number')) continue
    rules.set(name, [Math[/min/i.test(name) ? 'max' : 'min'](...limits)])
  }
  for (const [bound, exclusive, sign] of BOUNDS) {
    const [[limit], [open]] = [bound, exclusive].map((name) => rules.get(name) ?? [])
    if (isInteger) {
      const next = typeof open === 'number' ? [sign * (Math.floor(sign * open) + 1)] : []
      const limits = [...next, ...typeof limit === 'number' ? [sign * Math.ceil(sign * limit)] : []]
      if (next.length > 0) rules.delete(exclusive)
      if (limits.length > 0) rules.set(bound, [sign * Math.max(...limits.map((value) => sign * value))])
    } else if (typeof limit === 'number' && typeof open === 'number') {
      rules.delete(sign * open >= sign * limit ? bound : exclusive)
    }
  }
  return types
}

function add (rules: Rules, name: string, value: unknown): void {
  const values = rules.get(name)
  if (values === undefined) rules.set(name, [value])
  else values.push(value)
}

function isShort (value: unknown): boolean {
  return !isItem(value) || Object.keys(value).length === 0
}

/** Values without repetitions, in the order of their texts. */
function distinct (values: readonly unknown[]): readonly unknown[] {
  if (values.length < 2) return values
  const byKey = [...new Map(values.map((value) => [keyOf(value), value]))]
  return byKey.sort(([a], [b]) => a < b ? -1 : 1).map(([, value]) => value)
}

/** A text that is the same for what is said in another way. What has schemas in it is only the same as itself. */
function textOf (said: Said): string | Said {
  const rules = [...said.rules]
  return rules.flatMap(([, values]) => values).some(isItem) ? said : keyOf([said.types, said.values, rules.sort()])
}

/** The only values that schemas allow, if they say nothing else, or null. */
function valuesIn ({ types, values, rules }: Said): readonly unknown[] | null {
  if (rules.size > 0) return null
  if (values !== undefined) return values
  const isShort = types.every((type) => type === 'null' || type === 'boolean')
  return isShort ? types.flatMap((type) => type === 'null' ? [null] : [false, true]) : null
}

/** Whether each of some alternatives says something of another type, and nothing else. */
function areOfTypes (all: readonly Said[]): boolean {
  const named = all.flatMap(({ types }) => types.filter((type) => type !== 'integer' || !types.includes('number')))
  const numbers = named.filter((type) => type === 'integer' || type === 'number')
  const isOnly = all.filter((said) => !isNull(said)).length === 1
  const isOfType = (name: string) => RULES.has(name) || (isOnly && NOTES.includes(name))
  return new Set(named).size === named.length && numbers.length < 2 &&
    all.every(({ values, rules }) => values === undefined && [...rules.keys()].every(isOfType))
}

/** The location of the only schema if it is a shared one: `#/components/schemas/Booking`. */
export function nameOf ([schema, ...others]: Schemas): string | undefined {
  return others.length > 0 ? undefined : (itemOf(schema) as { [SHARED]?: string })[SHARED]
}

/** Whether schemas allow null, and say nothing else. */
function isNull ({ types, rules }: Said): boolean {
  return types.join() === 'null' && rules.size === 0
}

/** The values of a list that are in another one, or are not. */
export function sharedValues (
  values: readonly unknown[], others: readonly unknown[], isShared = true
): readonly unknown[] {
  const keys = new Set(others.map(keyOf))
  return values.filter((value) => keys.has(keyOf(value)) === isShared)
}

/** The keyword because of which schemas must stay the same, or undefined. */
export function difficultyIn ({ rules }: Said): string | undefined {
  const isMalformed = rules.get('required')?.every(isItem) === false
  return [...rules.keys()].find((name) => DIFFICULT.has(name)) ?? (isMalformed ? 'required' : undefined)
}

export function requiredIn ({ rules }: Said): Set<string> {
  return new Set(rules.get('required')?.flatMap((names) => elementsOf(names).map(String)))
}

/** The schemas of a property, or of the other properties. */
export function saidOf ({ parts }: Said, name?: string): Schemas {
  return parts.map(({ properties, additionalProperties }) => (
    name !== undefined && Object.hasOwn(itemOf(properties), name) ? itemOf(properties)[name] : additionalProperties
  )).filter((schema) => schema !== undefined)
}

/** Whether more than `properties` may describe a property. */
export function isVague ({ values = [], rules }: Said): boolean {
  return values.some(isItem) || ['anyOf', 'oneOf', 'not', 'propertyNames'].some((name) => rules.has(name))
}

/** Whether some value may have a type, and be one of the values, of both. Nothing has none. */
export function areOverlapping (first: Said, second: Said): boolean {
  if (first.values && second.values) return sharedValues(first.values, second.values).length > 0
  return first.types.some((type) => second.types.includes(type))
}

/** Values in a message. */
export function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(shortJson).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

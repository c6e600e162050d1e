import { entriesOf, isObject, listOf } from './schema.ts'
import { isZod, zodKeywordsOf } from './zod.ts'

import type { Document, Edition, Place } from './edition.ts'

/** @returns the index of the branch of a value, or -1 if none fits */
export type Selector = (value: unknown) => number

/** An alternative, and whether something is undone in it. */
interface Branch {
  readonly place: Place
  readonly shape: { readonly isAlive: boolean }
}

const TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** What is known of a value by its schema alone. */
interface Traits {
  readonly types: readonly string[]
  /** By required property, the values that it can have. */
  readonly constants: ReadonlyMap<string, readonly unknown[]>
}

/**
 * What tells the branches of `anyOf` or `oneOf` apart: the type of the value, then a required property that has
 * different constants in each branch. Branches in which nothing is undone need not be told apart.
 *
 * @returns null if nothing tells them apart
 */
export function selectorOf (branches: readonly Branch[], edition: Edition): Selector | null {
  const known = branches.map(({ place, shape }, index) => (
    { index, shape: shape.isAlive ? shape : null, traits: traitsOf(place, edition) }
  ))
  const byType = new Map<string, Selector>()
  for (const type of TYPES) {
    const some = known.filter(({ traits }) => traits.types.includes(type))
    if (new Set(some.map(({ shape }) => shape)).size < 2) {
      const index = some[0]?.index ?? -1
      byType.set(type, () => index)
      continue
    }
    const name = type === 'object' ? constantIn(some.map(({ traits }) => traits)) : undefined
    if (name === undefined) return null
    const byValue = new Map(some.flatMap(({ traits, index }) => (
      (traits.constants.get(name) as readonly unknown[]).map((value) => [value, index] as const)
    )))
    byType.set(type, (value) => byValue.get((value as Record<string, unknown>)[name]) ?? -1)
  }
  return (value) => byType.get(typeOf(value))?.(value) ?? -1
}

/** Whether a required constant tells the branches apart that describe objects. */
export function areApart (branches: readonly unknown[], document: Document, edition: Edition): boolean {
  const traits = branches.map((schema) => traitsOf({ schema, document }, edition))
  const objects = traits.filter(({ types }) => types.includes('object'))
  return objects.length < 2 || constantIn(objects) !== undefined
}

/** The required property that has different constants in each branch. */
function constantIn (traits: readonly Traits[]): string | undefined {
  return [...traits[0].constants.keys()].find((name) => {
    const values = traits.flatMap(({ constants }) => constants.get(name) ?? [undefined, undefined])
    return new Set(values).size === values.length
  })
}

/** @param within the schemas that lead there: a schema inside itself adds nothing */
function traitsOf (place: Place, edition: Edition, within: readonly unknown[] = []): Traits {
  const { schema, document } = edition.enter(place.schema, place.document)
  const nothing: Traits = { types: TYPES, constants: new Map() }
  if (!isObject(schema) || within.includes(schema)) return nothing
  const keywords = isZod(schema) ? zodKeywordsOf(schema) : schema
  const of = (one: unknown) => traitsOf({ schema: one, document }, edition, [...within, schema])
  const target = typeof schema.$ref === 'string' ? edition.resolve(schema.$ref, document) : null
  const same = listOf(keywords.allOf).map(of)
  if (target !== null) same.push(traitsOf(target, edition, [...within, schema]))
  const branches = [...listOf(keywords.anyOf), ...listOf(keywords.oneOf)].map(of)
  if (branches.length > 0) same.push({ types: branches.flatMap(({ types }) => types), constants: new Map() })
  const constants = entriesOf(keywords.properties).flatMap(([key, part]) => {
    const values = listOf(keywords.required).includes(key) ? valuesOf(edition.enter(part, document).schema) : null
    return values === null ? [] : [[key, values] as const]
  })
  const types = same.reduce((left, { types }) => left.filter((one) => types.includes(one)), typesOf(keywords))
  return {
    types: keywords.nullable === true ? [...types, 'null'] : types,
    constants: new Map([...same.flatMap(({ constants }) => [...constants]), ...constants])
  }
}

function typesOf (keywords: Readonly<Record<string, unknown>>): readonly string[] {
  const values = valuesOf(keywords)
  if (values !== null) return values.map(typeOf)
  return [keywords.type ?? TYPES].flat().map((type) => type === 'integer' ? 'number' : type as string)
}

/** The values that a schema lists, or null if it lists none. */
function valuesOf (schema: unknown): readonly unknown[] | null {
  const { const: one, enum: several } = isZod(schema) ? zodKeywordsOf(schema) : Object(schema)
  if (one !== undefined) return [one]
  return Array.isArray(several) ? several : null
}

function typeOf (value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

import { entriesOf, keywordsOf, listOf } from './schema.ts'

import type { Edition, Place } from './edition.ts'

/** @returns the index of the branch of a value, or -1 if none fits */
export type Selector = (value: unknown) => number

/** An alternative. */
interface Branch {
  readonly place: Place
  /** Branches with one purpose need not be told apart. */
  readonly purpose: unknown
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
 * different constants in each branch.
 *
 * @returns null if nothing tells them apart
 */
export function selectorOf (branches: readonly Branch[], edition: Edition): Selector | null {
  const all = branches.map(({ place, purpose }, index) => ({ index, purpose, traits: traitsOf(place, edition) }))
  const byType = new Map<string, Selector>()
  for (const type of TYPES) {
    const some = all.filter(({ traits }) => traits.types.includes(type))
    if (new Set(some.map(({ purpose }) => purpose)).size < 2) {
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
export function areApart (places: readonly Place[], edition: Edition): boolean {
  const objects = places.map((place) => traitsOf(place, edition)).filter(({ types }) => types.includes('object'))
  return objects.length < 2 || constantIn(objects) !== undefined
}

/** Whether a schema may describe something that has values inside. */
export function mayHoldValues (place: Place, edition: Edition): boolean {
  const { types } = traitsOf(place, edition)
  return types.includes('object') || types.includes('array')
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
  const described = edition.inPlace(place).filter(({ schema }) => !within.includes(schema))
  const seen = [...within, ...described.map(({ schema }) => schema)]
  const constants = new Map<string, readonly unknown[]>()
  let types: readonly string[] = TYPES
  for (const { keywords, document } of described) {
    const branches = [keywords.anyOf, keywords.oneOf].flatMap(listOf)
      .map((schema) => traitsOf({ schema, document }, edition, seen))
    const ofBranches = branches.length === 0 ? TYPES : branches.flatMap(({ types }) => types)
    const ofSchema = typesOf(keywords)
    types = types.filter((type) => ofSchema.includes(type) && ofBranches.includes(type))
    for (const [key, part] of entriesOf(keywords.properties)) {
      const values = listOf(keywords.required).includes(key) ? valuesOf(edition.enter(part, document).schema) : null
      if (values !== null) constants.set(key, values)
    }
  }
  const isNullable = described.some(({ keywords }) => keywords.nullable === true)
  return { types: isNullable ? [...types, 'null'] : types, constants }
}

function typesOf (keywords: Readonly<Record<string, unknown>>): readonly string[] {
  const values = valuesOf(keywords)
  if (values !== null) return values.map(typeOf)
  return [keywords.type ?? TYPES].flat().map((type) => type === 'integer' ? 'number' : type as string)
}

/** The values that a schema lists, or null if it lists none. */
function valuesOf (schema: unknown): readonly unknown[] | null {
  const { const: value, enum: values } = keywordsOf(schema)
  if (value !== undefined) return [value]
  return Array.isArray(values) ? values : null
}

function typeOf (value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

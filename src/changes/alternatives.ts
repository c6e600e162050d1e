import { Description } from './description.ts'
import { listOf } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { ObjectSchema } from './schema.ts'

/** Returns the index of the branch that a value has, or -1 if no branch fits. */
export type Selector = (value: unknown) => number

/** `anyOf` or `oneOf` of a schema. */
export interface Choice {
  readonly keyword: string
  /** The schema that has the keyword. */
  readonly place: Place
  readonly parts: readonly unknown[]
  readonly places: readonly Place[]
}

const DESCRIBED_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** The marks by which the values of a schema differ from values of other schemas. */
interface Marks {
  /** The types that a value may have. */
  readonly types: readonly string[]
  /** The values that a required member can have, by its name. */
  readonly constants: ReadonlyMap<string, readonly unknown[]>
}

/** Returns the alternatives in the schemas of one value, a choice for each `anyOf` and `oneOf`. */
export function choicesIn (places: readonly Place[]): Choice[] {
  return places.flatMap((place) => ['anyOf', 'oneOf'].flatMap((keyword) => {
    const parts = listOf(place.keywords[keyword])
    return parts.length === 0 ? [] : [{ keyword, place, parts, places: parts.map((part) => place.enter(part)) }]
  }))
}

/**
 * Makes the selector of alternatives. It looks at the type of the value, then at a required member that has different
 * constants in each branch.
 *
 * @param purposes what each branch is for: branches with the same purpose need not be told apart
 * @returns null if nothing tells the branches apart
 */
export function selectorOf (branches: readonly Place[], purposes: readonly unknown[]): Selector | null {
  const marks = branches.map(marksOf)
  const byType = new Map<string, Selector>()
  for (const type of DESCRIBED_TYPES) {
    const indexes = [...marks.keys()].filter((i) => marks[i].types.includes(type))
    // No branch converts null, so the branches need not be told apart for it.
    if (type === 'null' || new Set(indexes.map((i) => purposes[i])).size < 2) {
      const [index = -1] = indexes
      byType.set(type, () => index)
      continue
    }
    const constants = type === 'object' ? constantIn(indexes.map((i) => marks[i])) : undefined
    if (constants === undefined) return null
    const [name, lists] = constants
    const byValue = new Map(lists.flatMap((values, nth) => values.map((value) => [value, indexes[nth]] as const)))
    byType.set(type, (value) => byValue.get((value as Members)[name]) ?? -1)
  }
  return (value) => byType.get(jsonTypeOf(value))?.(value) ?? -1
}

/** Tells whether at most one branch describes objects, or a required constant tells such branches apart. */
export function areApart (branches: readonly Place[]): boolean {
  const objects = branches.map(marksOf).filter(({ types }) => types.includes('object'))
  return objects.length < 2 || constantIn(objects) !== undefined
}

/** Finds the required member that has different constants in each branch, and returns its constants by branch. */
function constantIn (
  branches: readonly Marks[]
): readonly [name: string, values: readonly (readonly unknown[])[]] | undefined {
  const maps = branches.map(({ constants }) => constants)
  return [...maps[0].keys()].filter((name) => maps.every((constants) => constants.has(name)))
    .map((name) => [name, maps.map((constants) => constants.get(name) as readonly unknown[])] as const)
    .find(([, values]) => new Set(values.flat()).size === values.flat().length)
}

function marksOf (place: Place): Marks {
  const { places } = new Description([place], 0)
  const required = new Set(places.flatMap(({ keywords }) => listOf(keywords.required)))
  const constants = places.flatMap(({ members }) => [...members].flatMap(([key, { keywords }]) => {
    const values = required.has(key) ? listedValues(keywords) : null
    return values === null ? [] : [[key, values] as const]
  }))
  return { types: typesOf(place), constants: new Map(constants) }
}

/** Returns the types that values may have. @param around the outer schemas: a schema inside itself adds no type */
function typesOf (place: Place, around: readonly Place[] = []): string[] {
  const places = new Description([place], 0).places.filter((place) => !around.includes(place))
  const ofChoices = choicesIn(places).map((choice) => (
    choice.places.flatMap((branch) => typesOf(branch, [...around, ...places]))
  ))
  const lists = [...places.map(({ keywords }) => allowedTypes(keywords)), ...ofChoices]
  const types = DESCRIBED_TYPES.filter((type) => lists.every((types) => types.includes(type)))
  return places.some(({ keywords }) => keywords.nullable === true) ? [...types, 'null'] : types
}

/** Returns the names of the members that a serializer writes for a schema; null if the schema does not tell them. */
export function writtenNames (place: Place): readonly string[] | null {
  const { places } = new Description([place], 0)
  const [layer, ...others] = places.filter(({ keywords }) => keywords.properties !== undefined)
  const isClosed = places.every(({ keywords: { additionalProperties = false }, patterns }) => (
    additionalProperties === false && patterns.length === 0
  ))
  const isKnown = layer !== undefined && others.length + choicesIn(places).length === 0 && isClosed
  return isKnown ? [...layer.members.keys()] : null
}

/** Returns the types of JSON that the keywords of one schema allow, or all six if they name no types and no values. */
export function allowedTypes (keywords: ObjectSchema): readonly string[] {
  const values = listedValues(keywords)
  if (values !== null) return values.map(jsonTypeOf)
  return [keywords.type ?? DESCRIBED_TYPES].flat().map((type) => type === 'integer' ? 'number' : type as string)
}

/** Returns the values that a schema lists in `const` or `enum`, or null if it lists no values. */
function listedValues ({ const: value, enum: values }: ObjectSchema): readonly unknown[] | null {
  if (value !== undefined) return [value]
  return Array.isArray(values) ? values : null
}

function jsonTypeOf (value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

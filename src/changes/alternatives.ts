import { Description } from './description.ts'
import { listOf } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { ObjectSchema } from './schema.ts'

/** @returns the index of the branch of a value, or -1 if none fits */
export type Selector = (value: unknown) => number

/** `anyOf` or `oneOf` of a schema. */
export interface Choice {
  readonly keyword: string
  /** The schema that has it. */
  readonly place: Place
  readonly parts: readonly unknown[]
  readonly places: readonly Place[]
}

const DESCRIBED_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** What tells values of a schema from those of others. */
interface Marks {
  /** The types that a value may have. */
  readonly types: readonly string[]
  /** By required member, the values that it can have. */
  readonly constants: ReadonlyMap<string, readonly unknown[]>
}

/** The alternatives of a value, by the keywords of schemas of it. */
export function choicesIn (places: readonly Place[]): Choice[] {
  return places.flatMap((place) => ['anyOf', 'oneOf'].flatMap((keyword) => {
    const parts = listOf(place.keywords[keyword])
    return parts.length === 0 ? [] : [{ keyword, place, parts, places: parts.map((part) => place.enter(part)) }]
  }))
}

/**
 * What tells alternatives apart: the type of the value, then a required member that has different constants in each.
 *
 * @param purposes those with one purpose need not be told apart
 * @returns null if nothing tells them apart
 */
export function selectorOf (branches: readonly Place[], purposes: readonly unknown[]): Selector | null {
  const marks = branches.map(marksOf)
  const byType = new Map<string, Selector>()
  for (const type of DESCRIBED_TYPES) {
    const indexes = [...marks.keys()].filter((i) => marks[i].types.includes(type))
    // Null is converted nowhere.
    if (type === 'null' || new Set(indexes.map((i) => purposes[i])).size < 2) {
      const [index = -1] = indexes
      byType.set(type, () => index)
      continue
    }
    const constants = type === 'object' ? constantIn(indexes.map((i) => marks[i])) : undefined
    if (constants === undefined) return null
    const [name, values] = constants
    const byValue = new Map(values.flatMap((values, nth) => values.map((value) => [value, indexes[nth]] as const)))
    byType.set(type, (value) => byValue.get((value as Members)[name]) ?? -1)
  }
  return (value) => byType.get(jsonTypeOf(value))?.(value) ?? -1
}

/** Whether a required constant tells the branches apart that describe objects. */
export function areApart (branches: readonly Place[]): boolean {
  const objects = branches.map(marksOf).filter(({ types }) => types.includes('object'))
  return objects.length < 2 || constantIn(objects) !== undefined
}

/** The required member that has different constants in each branch, and these. */
function constantIn (
  branches: readonly Marks[]
): readonly [name: string, values: readonly (readonly unknown[])[]] | undefined {
  const all = branches.map(({ constants }) => constants)
  return [...all[0].keys()].filter((name) => all.every((constants) => constants.has(name)))
    .map((name) => [name, all.map((constants) => constants.get(name) as readonly unknown[])] as const)
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

/** @param around the schemas of which it is an alternative: a schema inside itself adds nothing */
function typesOf (place: Place, around: readonly Place[] = []): string[] {
  const places = new Description([place], 0).places.filter((place) => !around.includes(place))
  const ofChoices = choicesIn(places).map((choice) => (
    choice.places.flatMap((branch) => typesOf(branch, [...around, ...places]))
  ))
  const all = [...places.map(({ keywords }) => allowedTypes(keywords)), ...ofChoices]
  const types = DESCRIBED_TYPES.filter((type) => all.every((types) => types.includes(type)))
  return places.some(({ keywords }) => keywords.nullable === true) ? [...types, 'null'] : types
}

/** The members that a serializer writes of values of a schema; null if these are not known. */
export function writtenNames (place: Place): readonly string[] | null {
  const { places } = new Description([place], 0)
  const [layer, ...others] = places.filter(({ keywords }) => keywords.properties !== undefined)
  const isClosed = places.every(({ keywords: { additionalProperties = false }, patterns }) => (
    additionalProperties === false && patterns.length === 0
  ))
  const isKnown = layer !== undefined && others.length + choicesIn(places).length === 0 && isClosed
  return isKnown ? [...layer.members.keys()] : null
}

/** The types of JSON that the keywords of one schema let pass: all six if they say nothing. */
export function allowedTypes (keywords: ObjectSchema): readonly string[] {
  const values = listedValues(keywords)
  if (values !== null) return values.map(jsonTypeOf)
  return [keywords.type ?? DESCRIBED_TYPES].flat().map((type) => type === 'integer' ? 'number' : type as string)
}

/** The values that a schema lists, or null if it lists none. */
function listedValues ({ const: value, enum: values }: ObjectSchema): readonly unknown[] | null {
  if (value !== undefined) return [value]
  return Array.isArray(values) ? values : null
}

function jsonTypeOf (value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

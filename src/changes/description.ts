import { saidBy } from './schema-reader.ts'
import { entriesOf, isObject, keptIn, listOf, toPattern } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { ObjectSchema } from './schema.ts'

/** @returns the index of the branch of a value, or -1 if none fits */
export type Selector = (value: unknown) => number

/** What one schema says of members. */
interface Layer {
  readonly members: ReadonlyMap<string, Place>
  readonly patterns: readonly (readonly [pattern: RegExp, place: Place])[]
  /** The schema of all other members, or null. */
  readonly rest: Place | null
  /** Whether others may be anything. */
  readonly isOpen: boolean
}

/** `anyOf` or `oneOf` of a schema. */
export interface Choice {
  readonly keyword: string
  /** The schema that has it. */
  readonly place: Place
  readonly parts: readonly unknown[]
  readonly places: readonly Place[]
}

const DESCRIBED_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** What the schemas say of a value that describe it together: by `$ref` and `allOf`, the outermost first. */
export class Description {
  readonly places: readonly Place[]
  readonly layers: readonly Layer[]
  readonly itemPlaces: readonly Place[]
  readonly choices: readonly Choice[]
  readonly #around: readonly Place[]
  #types: readonly string[] | null = null

  /** @param around the schemas of which it is an alternative: a schema inside itself adds nothing */
  constructor (place: Place, around: readonly Place[] = []) {
    this.places = saidBy([place], 0).filter((place) => !around.includes(place))
    this.#around = [...around, ...this.places]
    this.layers = this.places.flatMap(layerOf)
    this.itemPlaces = this.places.flatMap((place) => {
      const { items, prefixItems } = place.keywords
      return isObject(items) && !Array.isArray(items) && prefixItems === undefined ? [place.enter(items)] : []
    })
    this.choices = this.places.flatMap((place) => ['anyOf', 'oneOf'].flatMap((keyword) => {
      const parts = listOf(place.keywords[keyword])
      return parts.length === 0 ? [] : [{ keyword, place, parts, places: parts.map((part) => place.enter(part)) }]
    }))
  }

  /** The schemas of the values directly inside, and the alternatives. */
  get inner (): Place[] {
    const ofMembers = this.layers.flatMap(({ members, patterns, rest }) => (
      [...members.values(), ...patterns.map(([, place]) => place), ...rest === null ? [] : [rest]]
    ))
    return [...ofMembers, ...this.itemPlaces, ...this.choices.flatMap(({ places }) => places)]
  }

  /** The types that a value may have. */
  get types (): readonly string[] {
    return (this.#types ??= this.#findTypes())
  }

  /** By required member, the values that it can have. */
  get constants (): ReadonlyMap<string, readonly unknown[]> {
    const required = new Set(this.places.flatMap(({ keywords }) => listOf(keywords.required)))
    return new Map(this.layers.flatMap(({ members }) => [...members].flatMap(([key, { keywords }]) => {
      const values = required.has(key) ? listedValues(keywords) : null
      return values === null ? [] : [[key, values] as const]
    })))
  }

  /** The members that a serializer writes; null if these are not known. */
  get names (): readonly string[] | null {
    const { layers: [layer, ...others], choices } = this
    const isKnown = layer !== undefined && others.length + choices.length + layer.patterns.length === 0 &&
      layer.rest === null && !layer.isOpen
    return isKnown ? [...layer.members.keys()] : null
  }

  #findTypes (): readonly string[] {
    const ofPlaces = this.places.map(({ keywords }) => allowedTypes(keywords))
    const ofChoices = this.choices.map(({ places }) => (
      places.flatMap((place) => new Description(place, this.#around).types)
    ))
    const types = DESCRIBED_TYPES.filter((type) => [...ofPlaces, ...ofChoices].every((types) => types.includes(type)))
    return this.places.some(({ keywords }) => keywords.nullable === true) ? [...types, 'null'] : types
  }
}

const descriptions = new WeakMap<Place, Description>()

/** What an edition says of values of a schema, of which there are as many as there are schemas. */
export function descriptionOf (place: Place): Description {
  return keptIn(descriptions, place, () => new Description(place))
}

function layerOf (place: Place): Layer[] {
  const { properties, patternProperties, additionalProperties: rest } = place.keywords
  if ([properties, patternProperties, rest].every((keyword) => keyword === undefined)) return []
  return [{
    members: new Map(entriesOf(properties).map(([key, part]) => [key, place.enter(part)])),
    patterns: entriesOf(patternProperties).map(([pattern, part]) => [toPattern(pattern), place.enter(part)]),
    rest: isAnything(rest) || rest === false ? null : place.enter(rest),
    isOpen: rest !== undefined && rest !== false
  }]
}

/**
 * What tells alternatives apart: the type of the value, then a required member that has different constants in each.
 *
 * @param purposes those with one purpose need not be told apart
 * @returns null if nothing tells them apart
 */
export function selectorOf (branches: readonly Description[], purposes: readonly unknown[]): Selector | null {
  const byType = new Map<string, Selector>()
  for (const type of DESCRIBED_TYPES) {
    const indexes = [...branches.keys()].filter((i) => branches[i].types.includes(type))
    // Null is converted nowhere.
    if (type === 'null' || new Set(indexes.map((i) => purposes[i])).size < 2) {
      const [index = -1] = indexes
      byType.set(type, () => index)
      continue
    }
    const constants = type === 'object' ? constantIn(indexes.map((i) => branches[i])) : undefined
    if (constants === undefined) return null
    const [name, values] = constants
    const byValue = new Map(values.flatMap((values, nth) => values.map((value) => [value, indexes[nth]] as const)))
    byType.set(type, (value) => byValue.get((value as Members)[name]) ?? -1)
  }
  return (value) => byType.get(jsonTypeOf(value))?.(value) ?? -1
}

/** Whether a required constant tells the branches apart that describe objects. */
export function areApart (branches: readonly Description[]): boolean {
  const objects = branches.filter(({ types }) => types.includes('object'))
  return objects.length < 2 || constantIn(objects) !== undefined
}

/** The required member that has different constants in each branch, and these. */
function constantIn (
  branches: readonly Description[]
): readonly [name: string, values: readonly (readonly unknown[])[]] | undefined {
  const all = branches.map(({ constants }) => constants)
  return [...all[0].keys()].filter((name) => all.every((constants) => constants.has(name)))
    .map((name) => [name, all.map((constants) => constants.get(name) as readonly unknown[])] as const)
    .find(([, values]) => new Set(values.flat()).size === values.flat().length)
}

function allowedTypes (keywords: ObjectSchema): readonly string[] {
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

/** Whether a schema says nothing. */
function isAnything (schema: unknown): boolean {
  return schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0)
}

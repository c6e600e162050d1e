import { isPlain, put } from './json.ts'
import { entriesOf, isObject, listOf, toPattern } from './schema.ts'
import { isZod } from './zod.ts'

import type { Place } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

type Members = Readonly<Record<string, unknown>>

/** What the function of a change may return, by the names of members. */
export interface Returnable {
  /** Names that exist, for a hint. */
  readonly suggestions: readonly string[]
  /** @param before what the function was given, where that is an object */
  allows (key: string, object: object, before: Members): boolean
  /** What is allowed inside of a member, or in the items of a list; null if that is not looked at. */
  inside (key: string, object: object): Returnable | null
  items (list: object): Returnable | null
}

/** @returns the index of the branch of a value, or -1 if none fits */
export type Selector = (value: unknown) => number

/** What one schema says of members. */
interface Layer {
  readonly members: ReadonlyMap<string, Place>
  readonly patterns: readonly (readonly [pattern: RegExp, place: Place])[]
  /** The schema of all other members, or null. */
  readonly rest: Place | null
  /** Whether there are no others: validators remove these without a word, or refuse them. */
  readonly isClosed: boolean
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

/** Alternatives of a value. */
interface Alternatives {
  readonly branches: readonly Description[]
  /** Null if nothing tells those apart that may have values inside. */
  readonly select: Selector | null
}

const TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** What the schemas say of a value that describe it together: by `$ref` and `allOf`, the outermost first. */
export class Description implements Returnable {
  readonly places: readonly Place[]
  readonly layers: readonly Layer[]
  readonly itemPlaces: readonly Place[]
  readonly choices: readonly Choice[]
  readonly #around: readonly Place[]
  readonly #closed: readonly Layer[]
  /** Whether a member stays that one of the schemas has: Zod unites what those of an intersection make of a value. */
  readonly #isUnited: boolean
  #alternatives: readonly Alternatives[] | null = null
  #types: readonly string[] | null = null

  /** @param around the schemas of which it is an alternative: a schema inside itself adds nothing */
  constructor (place: Place, around: readonly Place[] = []) {
    this.places = [...together(place)].filter((place) => !around.includes(place))
    this.#around = [...around, ...this.places]
    this.layers = this.places.flatMap(layerOf)
    this.#closed = this.layers.filter(({ isClosed }) => isClosed)
    this.itemPlaces = this.places.flatMap((place) => {
      const { items } = place.keywords
      return isObject(items) && !Array.isArray(items) ? [place.enter(items)] : []
    })
    this.choices = this.places.flatMap((place) => ['anyOf', 'oneOf'].flatMap((keyword) => {
      const parts = listOf(place.keywords[keyword])
      return parts.length === 0 ? [] : [{ keyword, place, parts, places: parts.map((part) => place.enter(part)) }]
    }))
    this.#isUnited = isZod(place.schema) && this.layers.length + this.choices.length > 1
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
    this.#types ??= this.#findTypes()
    return this.#types
  }

  /** Whether the value may have values inside. */
  get mayHold (): boolean {
    return this.types.includes('object') || this.types.includes('array')
  }

  /** By required member, the values that it can have. */
  get constants (): ReadonlyMap<string, readonly unknown[]> {
    const required = new Set(this.places.flatMap(({ keywords }) => listOf(keywords.required)))
    return new Map(this.layers.flatMap(({ members }) => [...members].flatMap(([key, { keywords }]) => {
      const values = required.has(key) ? listedValues(keywords) : null
      return values === null ? [] : [[key, values] as const]
    })))
  }

  get suggestions (): string[] {
    const names = this.layers.flatMap(({ members }) => [...members.keys()])
    return [...new Set([...names, ...this.#branches(null).flatMap(({ suggestions }) => suggestions)])]
  }

  /** The members that may hold other values; null if these are not known. */
  get holders (): readonly string[] | null {
    const { layers: [layer, ...others], choices } = this
    const isKnown = layer !== undefined && others.length + choices.length + layer.patterns.length === 0 &&
      layer.rest === null && !layer.isOpen
    return isKnown ? [...layer.members].filter(([, place]) => descriptionOf(place).mayHold).map(([key]) => key) : null
  }

  /** Whether a validator leaves a member of this name in an object. */
  allows (key: string, object: object): boolean {
    if (this.#isUnited) {
      return this.layers.some((layer) => !layer.isClosed || isIn(layer, key)) ||
        this.#holding().some((alternatives) => isAllowedIn(alternatives, key, object))
    }
    for (let i = 0; i < this.#closed.length; i++) if (!isIn(this.#closed[i], key)) return false
    return this.choices.length === 0 || this.#holding().every((alternatives) => isAllowedIn(alternatives, key, object))
  }

  /** Whether the schemas have this name, or a pattern for it. */
  describes (key: string): boolean {
    return this.layers.some((layer) => isIn(layer, key)) || this.#branches(null).some((branch) => branch.describes(key))
  }

  inside (key: string, object: object): Description | null {
    return single(this.#placesOf(key, object))
  }

  items (list: object): Description | null {
    return single([...this.itemPlaces, ...this.#branches(list).flatMap(({ itemPlaces }) => itemPlaces)])
  }

  /** A value without members that the schemas do not describe, as deep as they say what there is. */
  described (value: unknown): unknown {
    if (!isPlain(value)) return value
    if (Array.isArray(value)) {
      const items = this.items(value)
      return items === null ? value : value.map((item) => items.described(item))
    }
    const copy: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) {
      if (!this.describes(key)) continue
      const inside = this.inside(key, value)
      put(copy, key, inside === null ? member : inside.described(member))
    }
    return copy
  }

  /** The alternatives that may describe a value with values inside; null stands for any value. */
  #branches (value: object | null): Description[] {
    return this.choices.length === 0 ? [] : this.#holding().flatMap((alternatives) => branchesFor(alternatives, value))
  }

  #holding (): readonly Alternatives[] {
    this.#alternatives ??= this.#branchesOfChoices().filter((branches) => branches.some(({ mayHold }) => mayHold))
      .map((branches) => {
        const holding = branches.map((branch) => branch.mayHold ? branch : null)
        return { branches, select: selectorOf(branches, holding) }
      })
    return this.#alternatives
  }

  #branchesOfChoices (): Description[][] {
    return this.choices.map(({ places }) => places.map((place) => new Description(place, this.#around)))
  }

  #findTypes (): readonly string[] {
    const ofPlaces = this.places.map(({ keywords }) => allowedTypes(keywords))
    const ofChoices = this.#branchesOfChoices().map((branches) => branches.flatMap(({ types }) => types))
    const types = TYPES.filter((type) => [...ofPlaces, ...ofChoices].every((types) => types.includes(type)))
    return this.places.some(({ keywords }) => keywords.nullable === true) ? [...types, 'null'] : types
  }

  #placesOf (key: string, object: object): Place[] {
    return [...this.layers.flatMap(({ members, patterns, rest }) => {
      const places = patterns.filter(([pattern]) => pattern.test(key)).map(([, place]) => place)
      const member = members.get(key)
      if (member !== undefined) places.push(member)
      return places.length === 0 && rest !== null ? [rest] : places
    }), ...this.#branches(object).flatMap((branch) => branch.#placesOf(key, object))]
  }
}

const descriptions = new WeakMap<Place, Description>()

/** What an edition says of values of a schema, of which there are as many as there are schemas. */
export function descriptionOf (place: Place): Description {
  const description = descriptions.get(place) ?? new Description(place)
  descriptions.set(place, description)
  return description
}

function together (place: Place, found = new Set<Place>()): ReadonlySet<Place> {
  if (!isObject(place.schema) || found.has(place)) return found
  found.add(place)
  if (place.target !== null) together(place.target, found)
  for (const part of listOf(place.keywords.allOf)) together(place.enter(part), found)
  return found
}

function layerOf (place: Place): Layer[] {
  const { properties, patternProperties, additionalProperties: rest } = place.keywords
  if ([properties, patternProperties, rest].every((keyword) => keyword === undefined)) return []
  return [{
    members: new Map(entriesOf(properties).map(([key, part]) => [key, place.enter(part)])),
    patterns: entriesOf(patternProperties).map(([pattern, part]) => [toPattern(pattern), place.enter(part)]),
    rest: isAnything(rest) || rest === false ? null : place.enter(rest),
    isClosed: rest === false,
    isOpen: rest !== undefined && rest !== false
  }]
}

function isIn ({ members, patterns }: Layer, key: string): boolean {
  return members.has(key) || (patterns.length > 0 && patterns.some(([pattern]) => pattern.test(key)))
}

function branchesFor ({ branches, select }: Alternatives, value: object | null): readonly Description[] {
  const selected = value === null || select === null ? undefined : branches[select(value)]
  return selected?.mayHold === true ? [selected] : branches.filter(({ mayHold }) => mayHold)
}

function isAllowedIn (alternatives: Alternatives, key: string, object: object): boolean {
  return branchesFor(alternatives, object).some((branch) => branch.allows(key, object))
}

/** What several schemas say of one value is not looked at. */
function single (places: readonly Place[]): Description | null {
  return places.length === 1 ? descriptionOf(places[0]) : null
}

/**
 * What tells alternatives apart: the type of the value, then a required member that has different constants in each.
 *
 * @param purposes those with one purpose need not be told apart
 * @returns null if nothing tells them apart
 */
export function selectorOf (branches: readonly Description[], purposes: readonly unknown[]): Selector | null {
  const byType = new Map<string, Selector>()
  for (const type of TYPES) {
    const indexes = [...branches.keys()].filter((i) => branches[i].types.includes(type))
    if (new Set(indexes.map((i) => purposes[i])).size < 2) {
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
  return [keywords.type ?? TYPES].flat().map((type) => type === 'integer' ? 'number' : type as string)
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

/**
 * What an upgrade may return: members that the newer schema has, and what a client has sent beyond an older one. Values
 * inside are only looked at where clients can send nothing beyond the older schema.
 */
export function upgradable (newer: Place, older: Place): Returnable {
  const [to, from] = [newer, older].map(descriptionOf)
  const isClosed = !isOpenIn(older)
  return {
    get suggestions () { return to.suggestions },
    allows: (key, object, before) => (
      to.allows(key, object) || (Object.hasOwn(before, key) && !from.describes(key))
    ),
    inside: (key, object) => isClosed ? to.inside(key, object) : null,
    items: (list) => isClosed ? to.items(list) : null
  }
}

/** Whether anything in a schema takes members, or items, that it does not describe. */
export function isOpenIn (place: Place): boolean {
  return place.edition.has(place, isOpen)
}

function isOpen ({ schema, keywords }: Place): boolean {
  if (!isObject(schema)) return schema === true
  const { type, properties, additionalProperties, items, unevaluatedProperties, ...others } = keywords
  const isAny = type === undefined && ['$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum'].every((keyword) => (
    others[keyword] === undefined
  ))
  const types = [type].flat()
  const isOpenObject = (isAny || types.includes('object') || isObject(properties)) &&
    additionalProperties !== false && unevaluatedProperties !== false
  return isOpenObject || (types.includes('array') && (isAnything(items) || Array.isArray(items)))
}

/** Whether a schema says nothing. */
function isAnything (schema: unknown): boolean {
  return schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0)
}

import { mayHoldValues, selectorOf } from './branch.ts'
import { isPlain, put } from './json.ts'
import { toPattern } from './pattern.ts'
import { entriesOf, isObject, keywordsOf, listOf } from './schema.ts'

import type { Selector } from './branch.ts'
import type { Edition, Place } from './edition.ts'
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

/** Alternatives, of which those count that may describe something with values inside. */
interface Choice {
  readonly branches: readonly (Names | null)[]
  /** Null if nothing tells the branches apart. */
  readonly select: Selector | null
}

/** The names that a schema has for the members of a value, and of the values inside. */
export class Names implements Returnable {
  readonly #edition: Edition
  readonly #layers: readonly Layer[]
  readonly #closed: readonly Layer[]
  readonly #choices: readonly Choice[]
  readonly #items: readonly Place[]
  /** Names of the values inside, by the schema. */
  readonly #inner = new Map<Place, Names>()

  /** @param around the schemas of which it is an alternative: a schema inside itself adds nothing */
  constructor (place: Place, edition: Edition, around: readonly unknown[] = []) {
    const described = edition.inPlace(place).filter(({ schema }) => !around.includes(schema))
    const seen = [...around, ...described.map(({ schema }) => schema)]
    this.#edition = edition
    this.#layers = described.flatMap(({ keywords, document }) => layerOf(keywords, (schema) => ({ schema, document })))
    this.#closed = this.#layers.filter(({ isClosed }) => isClosed)
    this.#items = described.flatMap(({ keywords: { items }, document }) => (
      isObject(items) && !Array.isArray(items) ? [{ schema: items, document }] : []
    ))
    this.#choices = described.flatMap(({ keywords: { anyOf, oneOf }, document }) => (
      [anyOf, oneOf].map(listOf).map((list) => choiceOf(list.map((schema) => ({ schema, document })), edition, seen))
    )).filter(({ branches }) => branches.some((names) => names !== null))
  }

  get suggestions (): string[] {
    const branches = this.#choices.flatMap((choice) => branchesOf(choice, null))
    return [...new Set([
      ...this.#layers.flatMap(({ members }) => [...members.keys()]), ...branches.flatMap((names) => names.suggestions)
    ])]
  }

  /** Whether a validator leaves a member of this name in an object. */
  allows (key: string, object: object): boolean {
    for (let i = 0; i < this.#closed.length; i++) if (!isIn(this.#closed[i], key)) return false
    return this.#choices.length === 0 || this.#choices.every((choice) => (
      branchesOf(choice, object).some((names) => names.allows(key, object))
    ))
  }

  /** Whether the schema has this name, or a pattern for it. */
  describes (key: string): boolean {
    return this.#layers.some((layer) => isIn(layer, key)) ||
      this.#choices.some((choice) => branchesOf(choice, null).some((names) => names.describes(key)))
  }

  inside (key: string, object: object): Names | null {
    return this.#of(this.#placesOf(key, object))
  }

  items (list: object): Names | null {
    const branches = this.#choices.flatMap((choice) => branchesOf(choice, list))
    return this.#of([...this.#items, ...branches.flatMap((names) => names.#items)])
  }

  /** The members that may hold other values; null if these are not known. */
  get holders (): readonly string[] | null {
    const [layer] = this.#layers
    const isKnown = this.#layers.length === 1 && this.#choices.length === 0 &&
      layer.patterns.length === 0 && layer.rest === null && !layer.isOpen
    if (!isKnown) return null
    return [...layer.members].filter(([, place]) => mayHoldValues(place, this.#edition)).map(([key]) => key)
  }

  /** A value without members that the schema does not describe, as deep as it says what there is. */
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

  #placesOf (key: string, object: object): Place[] {
    const branches = this.#choices.flatMap((choice) => branchesOf(choice, object))
    return [...this.#layers.flatMap(({ members, patterns, rest }) => {
      const places = patterns.filter(([pattern]) => pattern.test(key)).map(([, place]) => place)
      const member = members.get(key)
      if (member !== undefined) places.push(member)
      return places.length === 0 && rest !== null ? [rest] : places
    }), ...branches.flatMap((names) => names.#placesOf(key, object))]
  }

  /** What several schemas say of one value is not looked at. */
  #of (places: readonly Place[]): Names | null {
    if (places.length !== 1) return null
    const [place] = places
    const names = this.#inner.get(place) ?? namesOf(place, this.#edition)
    this.#inner.set(place, names)
    return names
  }
}

function layerOf (keywords: ObjectSchema, at: (schema: unknown) => Place): Layer[] {
  const { properties, patternProperties, additionalProperties: rest } = keywords
  if ([properties, patternProperties, rest].every((keyword) => keyword === undefined)) return []
  return [{
    members: new Map(entriesOf(properties).map(([key, schema]) => [key, at(schema)])),
    patterns: entriesOf(patternProperties).map(([pattern, schema]) => [toPattern(pattern), at(schema)]),
    rest: isAnything(rest) || rest === false ? null : at(rest),
    isClosed: rest === false,
    isOpen: rest !== undefined && rest !== false
  }]
}

function choiceOf (places: readonly Place[], edition: Edition, around: readonly unknown[]): Choice {
  const branches = places.map((place) => mayHoldValues(place, edition) ? new Names(place, edition, around) : null)
  return { branches, select: selectorOf(places.map((place, i) => ({ place, purpose: branches[i] })), edition) }
}

/** The alternatives that may describe a value; null stands for any. */
function branchesOf ({ branches, select }: Choice, value: unknown): Names[] {
  const selected = value === null || select === null ? null : branches[select(value)]
  return selected == null ? branches.filter((names) => names !== null) : [selected]
}

function isIn ({ members, patterns }: Layer, key: string): boolean {
  return members.has(key) || (patterns.length > 0 && patterns.some(([pattern]) => pattern.test(key)))
}

const namesByEdition = new WeakMap<Edition, Map<unknown, Map<unknown, Names>>>()

/** The names of a schema, of which there are as many as there are schemas. */
export function namesOf (place: Place, edition: Edition): Names {
  const { schema, document } = edition.enter(place.schema, place.document)
  const ofEdition = namesByEdition.get(edition) ?? new Map<unknown, Map<unknown, Names>>()
  namesByEdition.set(edition, ofEdition)
  const ofSchema = ofEdition.get(schema) ?? new Map<unknown, Names>()
  ofEdition.set(schema, ofSchema)
  const names = ofSchema.get(document) ?? new Names(place, edition)
  ofSchema.set(document, names)
  return names
}

/**
 * What an upgrade may return: members that the newer schema has, and what a client has sent beyond an older one. Values
 * inside are only looked at where clients can send nothing beyond the older schema.
 */
export function upgradable (newer: readonly [Place, Edition], older: readonly [Place, Edition]): Returnable {
  const [to, from] = [namesOf(...newer), namesOf(...older)]
  const isClosed = !isOpenIn(...older)
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
export function isOpenIn ({ schema }: Place, edition: Edition): boolean {
  return edition.has(schema, (place) => isOpen(place.schema))
}

function isOpen (schema: unknown): boolean {
  if (!isObject(schema)) return schema === true
  const { type, properties, additionalProperties, items, unevaluatedProperties, ...others } = keywordsOf(schema)
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

import { MAX_DEPTH, isPlain, jsonOf, put } from './json.ts'
import { entriesOf, isObject, keptIn, listOf, toPattern } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { ObjectSchema } from './schema.ts'

/** What schemas say of one value: each schema that may apply to it. */
export type Said = readonly Place[]

/** Keywords that say of which type a value is. */
const SAYING = [
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'properties', 'patternProperties',
  'additionalProperties', 'items', 'prefixItems'
]

/** What lets everything pass. */
const ANYTHING = {}

/**
 * Schemas, with those that they refer to, and all parts of them that describe the same value.
 *
 * @param most how many alternatives are read, of each list of them
 */
export function saidBy (places: readonly Place[], most = Infinity): Said {
  const all = new Set(places)
  for (const place of all) {
    const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas, dependencies } = place.keywords
    const dependent = [dependentSchemas, dependencies].flatMap((schemas) => Object.values(Object(schemas)))
    const alternatives = [anyOf, oneOf, [then, otherwise], dependent].flatMap((list) => listOf(list).slice(0, most))
    if (place.target !== null) all.add(place.target)
    for (const part of [...listOf(allOf), ...alternatives]) all.add(place.enter(part))
  }
  return [...all].filter(({ schema }) => isObject(schema))
}

/** What is said of a member, or of an item by its index. */
export function saidInside (said: Said, key: string, most = Infinity): Said {
  return said.flatMap((place) => {
    const { keywords } = place
    if (isAny(keywords)) return [place]
    const parts = partsNamed(place, key)
    if (parts.length === 0 && isObject(keywords.additionalProperties)) parts.push(keywords.additionalProperties)
    const items = /^\d+$/.test(key) ? itemsAt(keywords, Number(key)) : []
    return saidBy([...parts, ...items].map((part) => place.enter(part === true ? ANYTHING : part)), most)
  })
}

/** The schemas of an item: draft 07 has those of a tuple in `items`. */
function itemsAt ({ items, additionalItems, prefixItems, contains }: ObjectSchema, index: number): unknown[] {
  const [first, others] = Array.isArray(items) ? [items, additionalItems] : [listOf(prefixItems), items]
  return [index < first.length ? first[index] : others, contains].filter((part) => part !== undefined)
}

/** What is said of a value inside. */
export function saidAt (said: Said, path: readonly string[]): Said {
  return path.reduce((outer, key) => saidInside(outer, key), said)
}

/** Whether a schema says nothing of the type of a value, so that it may have everything inside. */
export function isAny (keywords: ObjectSchema): boolean {
  return SAYING.every((keyword) => keywords[keyword] === undefined)
}

/** What a schema says of a member by its name. */
function partsNamed ({ keywords: { properties, patternProperties } }: Place, key: string): unknown[] {
  const matching = entriesOf(patternProperties).filter(([pattern]) => toPattern(pattern).test(key))
  const named = Object.hasOwn(Object(properties), key) ? [(properties as ObjectSchema)[key]] : []
  return [...named, ...matching.map(([, part]) => part)]
}

/** Whether schemas let other members pass. A map describes all that it has. */
function isOpen (said: Said): boolean {
  const others = said.map(({ keywords }) => keywords.additionalProperties)
  return others.includes(true) || (memberNames(said).length === 0 && !others.some(isObject))
}

/** The names that schemas have for members. */
export function memberNames (said: Said): string[] {
  return [...new Set(said.flatMap(({ keywords }) => Object.keys(Object(keywords.properties))))]
}

/** How many items have schemas of their own. */
export function tupleLength (said: Said): number {
  return Math.max(0, ...said.map(({ keywords }) => listOf(keywords.prefixItems ?? keywords.items).length))
}

/** Reads schemas of one value, once for members that are alike: clients choose how many members and items there are. */
export class SchemaReader {
  readonly said: Said
  readonly isAny: boolean
  readonly #names: ReadonlySet<string>
  readonly #patterns: readonly RegExp[]
  /** By what makes members or items alike. */
  readonly #inside = new Map<string, SchemaReader>()
  readonly #firm: Said
  /** How many items have schemas of their own. */
  readonly #tuple: number

  /** @param firm what is said whatever the alternatives are */
  constructor (said: Said, firm: Said) {
    this.said = said
    this.#firm = firm
    this.isAny = said.some(({ keywords }) => isAny(keywords))
    this.#names = new Set(memberNames(said))
    this.#patterns = said.flatMap(({ keywords }) => entriesOf(keywords.patternProperties))
      .map(([pattern]) => toPattern(pattern))
    this.#tuple = tupleLength(said)
  }

  get isOpen (): boolean {
    return isOpen(this.said)
  }

  /** Whether a schema has a name for a member, or a pattern. */
  isNamed (key: string): boolean {
    return this.#names.has(key) || this.#patterns.some((pattern) => pattern.test(key))
  }

  /** Whether a schema names a member, and none refuses it that is more than an alternative. */
  allows (key: string): boolean {
    return this.isNamed(key) && this.#firm.every((place) => (
      place.keywords.additionalProperties !== false || partsNamed(place, key).length > 0
    ))
  }

  /** What is in a value: a member, or an item by its index. */
  inside (key: string): SchemaReader {
    const patterns = this.#patterns.filter((pattern) => pattern.test(key))
    const index = /^\d+$/.test(key) ? Math.min(Number(key), this.#tuple) : ''
    const kind = this.#names.has(key) ? `.${key}` : `${index} ${patterns.join(' ')}`
    return keptIn(this.#inside, kind, () => (
      new SchemaReader(saidInside(this.said, key), saidInside(this.#firm, key, 0))
    ))
  }
}

/**
 * A value as a serializer writes it: without members that its schema does not have.
 *
 * @param freeNames for what a parser has made, of which even an open schema leaves only what it describes. It gets the
 * names of members that no schema names
 */
export function writtenIn (
  value: unknown, reader: SchemaReader, freeNames: Set<string> | null = null, depth = 0
): unknown {
  const source = freeNames === null ? jsonOf(value) : value
  if (!isPlain(source) || reader.isAny || depth === MAX_DEPTH) return source
  const isOpen = freeNames === null && (reader.isOpen || Array.isArray(source))
  const written: Members = {}
  for (const [key, member] of Object.entries(source)) {
    const inside = reader.inside(key)
    const isDescribed = inside.said.length > 0
    if (isDescribed && !Array.isArray(source) && !reader.isNamed(key)) freeNames?.add(key)
    if (isDescribed) put(written, key, writtenIn(member, inside, freeNames, depth + 1))
    else if (isOpen) put(written, key, member)
  }
  return Array.isArray(source) ? Object.values(written) : written
}

/** Reads a schema, with those that it refers to. */
export function readerOf (place: Place): SchemaReader {
  return new SchemaReader(saidBy([place]), saidBy([place], 0))
}

/** A member that no schema describes. */
export interface Stranger {
  readonly key: string
  readonly member: unknown
  /** The object that has it, what is said of this one, and whether that lets other members pass. */
  readonly holder: object
  readonly said: Said
  readonly isOpen: boolean
}

/** Where a value has a member that no schema describes, and that none lets pass; or null. */
export function strangerIn (
  value: unknown, said: Said, isFine: (stranger: Stranger) => boolean = (stranger) => stranger.isOpen,
  path: readonly string[] = []
): readonly string[] | null {
  if (!isObject(value)) return null
  const isOpenHere = Array.isArray(value) || isOpen(said)
  for (const [key, member] of Object.entries(value)) {
    const inside = saidInside(said, key)
    const isUnsaid = inside.length === 0 && !Array.isArray(value) && member !== undefined
    const isStrange = isUnsaid && !isFine({ key, member, holder: value, said, isOpen: isOpenHere })
    const found = isStrange ? [...path, key] : strangerIn(member, inside, isFine, [...path, key])
    if (found !== null) return found
  }
  return null
}

import { entriesOf, isObject, listOf, toPattern } from './schema.ts'

import type { Place } from './edition.ts'
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
    const alternatives = [anyOf, oneOf, [then, otherwise]].flatMap((list) => listOf(list).slice(0, most))
    const dependent = [dependentSchemas, dependencies].flatMap((schemas) => Object.values(Object(schemas)))
    for (const part of [...listOf(allOf), ...alternatives, ...dependent]) all.add(place.enter(part))
    if (place.target !== null) all.add(place.target)
  }
  return [...all].filter(({ schema }) => isObject(schema))
}

/** What is said of a member, or of an item by its index. */
export function saidInside (said: Said, key: string, most = Infinity): Said {
  return said.flatMap((place) => {
    const { keywords } = place
    if (isAny(keywords)) return [place]
    const { properties, patternProperties, additionalProperties } = keywords
    const matching = entriesOf(patternProperties).filter(([pattern]) => toPattern(pattern).test(key))
    const named = Object.hasOwn(Object(properties), key) ? [(properties as ObjectSchema)[key]] : []
    const parts = [...named, ...matching.map(([, part]) => part)]
    if (parts.length === 0 && isObject(additionalProperties)) parts.push(additionalProperties)
    const items = /^\d+$/.test(key) ? itemsAt(keywords, Number(key)) : []
    return saidBy([...parts, ...items].map((part) => place.enter(part === true ? ANYTHING : part)), most)
  })
}

/** The schemas of an item: draft 07 has those of a tuple in `items`. */
function itemsAt ({ items, additionalItems, prefixItems, contains }: ObjectSchema, index: number): unknown[] {
  const [first, others] = Array.isArray(items) ? [items, additionalItems] : [listOf(prefixItems), items]
  return [index < first.length ? first[index] : others, contains].filter((part) => part !== undefined)
}

/** What is said of each item of a tuple, and at last of all further items. */
export function saidOfItems (said: Said): Said[] {
  const lengths = said.map(({ keywords: { items, prefixItems } }) => listOf(prefixItems ?? items).length)
  return Array.from({ length: Math.max(0, ...lengths) + 1 }, (_, index) => saidInside(said, String(index)))
}

/** What is said of a value inside. */
export function saidAt (said: Said, path: readonly string[]): Said {
  return path.reduce((outer, key) => saidInside(outer, key), said)
}

/** Whether a schema says nothing of the type of a value, so that it may have everything inside. */
export function isAny (keywords: ObjectSchema): boolean {
  return SAYING.every((keyword) => keywords[keyword] === undefined)
}

function isNamedBy ({ keywords: { properties, patternProperties } }: Place, key: string): boolean {
  return Object.hasOwn(Object(properties), key) ||
    entriesOf(patternProperties).some(([pattern]) => toPattern(pattern).test(key))
}

/** The names that schemas have for members. */
export function memberNames (said: Said): string[] {
  return [...new Set(said.flatMap(({ keywords }) => Object.keys(Object(keywords.properties))))]
}

/** Reads schemas of one value, once for members that are alike: clients choose how many members and items there are. */
export class SchemaReader {
  readonly said: Said
  readonly isAny: boolean
  readonly #names: ReadonlySet<string>
  readonly #patterns: readonly RegExp[]
  /** By what makes members alike. */
  readonly #members = new Map<string, SchemaReader>()
  readonly #firm: Said
  #items: readonly SchemaReader[] | null = null

  /** @param firm what is said whatever the alternatives are */
  constructor (said: Said, firm: Said) {
    this.said = said
    this.#firm = firm
    this.isAny = said.some(({ keywords }) => isAny(keywords))
    this.#names = new Set(memberNames(said))
    this.#patterns = said.flatMap(({ keywords }) => entriesOf(keywords.patternProperties))
      .map(([pattern]) => toPattern(pattern))
  }

  /** Whether a schema has a name for a member, or a pattern. */
  isNamed (key: string): boolean {
    return this.#names.has(key) || this.#patterns.some((pattern) => pattern.test(key))
  }

  /** Whether a schema names a member, and none refuses it that is more than an alternative. */
  allows (key: string): boolean {
    return this.isNamed(key) && this.#firm.every((place) => (
      place.keywords.additionalProperties !== false || isNamedBy(place, key)
    ))
  }

  member (key: string): SchemaReader {
    const patterns = this.#patterns.filter((pattern) => pattern.test(key))
    const kind = this.#names.has(key) ? `.${key}` : `${/^\d+$/.test(key)} ${patterns.join(' ')}`
    const cached = this.#members.get(kind)
    if (cached !== undefined) return cached
    const reader = new SchemaReader(saidInside(this.said, key), saidInside(this.#firm, key, 0))
    this.#members.set(kind, reader)
    return reader
  }

  item (index: number): SchemaReader {
    this.#items ??= saidOfItems(this.said).map((said, i) => (
      new SchemaReader(said, saidInside(this.#firm, String(i), 0))
    ))
    return this.#items[Math.min(index, this.#items.length - 1)]
  }
}

/** Reads a schema, with those that it refers to. */
export function readerOf (place: Place): SchemaReader {
  return new SchemaReader(saidBy([place]), saidBy([place], 0))
}

/** Where a value has a member that no schema describes, and that none lets pass; or null. */
export function strangerIn (
  value: unknown, said: Said, isFine: (key: string, member: unknown) => boolean = () => false,
  path: readonly string[] = []
): readonly string[] | null {
  const isOpen = said.some(({ keywords }) => keywords.additionalProperties === true) || memberNames(said).length === 0
  if (!isObject(value) || (isOpen && !Array.isArray(value))) return null
  for (const [key, member] of Object.entries(value)) {
    const inside = saidInside(said, key)
    const isStrange = inside.length === 0 && !Array.isArray(value) && member !== undefined && !isFine(key, member)
    const found = isStrange ? [...path, key] : strangerIn(member, inside, isFine, [...path, key])
    if (found !== null) return found
  }
  return null
}

import { MAX_DEPTH, isPlain, jsonOf, put } from './json.ts'
import { isObject, keptIn, listOf } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'

/** The schemas of one value, with the schemas that they refer to, and all their parts that describe the same value. */
export class Description {
  /** All schemas of the value, the outermost first. */
  readonly places: readonly Place[]
  /** The names of members in the schemas. */
  readonly names: ReadonlySet<string>
  /** How many items at the beginning of a list have schemas of their own. */
  readonly tupleLength: number
  readonly #patterns: readonly RegExp[]
  readonly #most: number
  readonly #findFirm: () => Description
  #firm: Description | null = null
  /** Descriptions of members and items. Alike ones share a description, because clients choose how many there are. */
  readonly #inside = new Map<string, Description>()

  /** @param most how many alternatives are read of each list. @param findFirm finds the description without any */
  constructor (outermost: readonly Place[], most = Infinity, findFirm = () => new Description(outermost, 0)) {
    this.#most = most
    this.#findFirm = findFirm
    const all = new Set(outermost)
    for (const place of all) {
      const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas, dependencies } = place.keywords
      const dependent = [dependentSchemas, dependencies].flatMap((schemas) => Object.values(Object(schemas)))
      const alternatives = [anyOf, oneOf, [then, otherwise], dependent].flatMap((list) => listOf(list).slice(0, most))
      if (place.target !== null) all.add(place.target)
      for (const part of [...listOf(allOf), ...alternatives]) all.add(place.enter(part))
    }
    this.places = [...all].filter(({ schema }) => isObject(schema))
    this.names = new Set(this.places.flatMap(({ members }) => [...members.keys()]))
    this.tupleLength = Math.max(0, ...this.places.map(({ items: [first] }) => first.length))
    this.#patterns = this.places.flatMap(({ patterns }) => patterns.map(([pattern]) => pattern))
  }

  /** The description without alternatives, which is true of a value of any branch. */
  get firm (): Description {
    return (this.#firm ??= this.#findFirm())
  }

  /** Whether the schemas let undescribed members pass. A map is not open, because it describes all its members. */
  get isOpen (): boolean {
    const additional = this.places.map(({ keywords }) => keywords.additionalProperties)
    return additional.includes(true) || (this.names.size === 0 && !additional.some(isObject))
  }

  /** Tells whether a schema names a member, or has a pattern for its name. */
  isNamed (key: string): boolean {
    return this.names.has(key) || this.#patterns.some((pattern) => pattern.test(key))
  }

  /** Tells whether a schema names a member, or has a pattern for it, and no schema outside alternatives refuses it. */
  allows (key: string): boolean {
    return this.isNamed(key) && this.firm.places.every((place) => (
      place.keywords.additionalProperties !== false || place.named(key).length > 0
    ))
  }

  /** Returns the outermost schemas of a member, or of an item by its index. */
  partsOf (key: string): Place[] {
    return this.places.flatMap((place) => place.inside(key))
  }

  /** Returns the description of a member, or of an item by its index. */
  inside (key: string): Description {
    const patterns = this.#patterns.filter((pattern) => pattern.test(key))
    const index = /^\d+$/.test(key) ? Math.min(Number(key), this.tupleLength) : ''
    const kind = this.names.has(key) ? `.${key}` : `${index} ${patterns.join(' ')}`
    return keptIn(this.#inside, kind, () => (
      new Description(this.partsOf(key), this.#most, () => this.firm.inside(key))
    ))
  }

  /** Returns the description of a value inside, by its path. */
  at (path: readonly string[]): Description {
    return path.reduce((outer: Description, key) => outer.inside(key), this)
  }

  /** Tells whether any schema describes a value inside, by its path. */
  describes (path: readonly string[]): boolean {
    return this.at(path).places.length > 0
  }
}

/**
 * Returns a value as a serializer writes it, without the members that its schema does not have.
 *
 * @param freeNames given for a value of a parser, of which even an open schema keeps only described members. The set
 * gets the names of kept members that no schema names, such as those of a map
 */
export function writtenIn (
  value: unknown, description: Description, freeNames: Set<string> | null = null, depth = 0
): unknown {
  const source = freeNames === null ? jsonOf(value) : value
  if (!isPlain(source) || depth === MAX_DEPTH || description.places.some(({ isAny }) => isAny)) return source
  const isOpen = freeNames === null && (description.isOpen || Array.isArray(source))
  const written: Members = {}
  for (const [key, member] of Object.entries(source)) {
    const inside = description.inside(key)
    const isDescribed = inside.places.length > 0
    if (isDescribed && !Array.isArray(source) && !description.isNamed(key)) freeNames?.add(key)
    if (isDescribed) put(written, key, writtenIn(member, inside, freeNames, depth + 1))
    else if (isOpen) put(written, key, member)
  }
  return Array.isArray(source) ? Object.values(written) : written
}

/** A member that no schema describes. */
export interface Stranger {
  readonly key: string
  readonly member: unknown
  /** The object that has the member, and the description of the object. */
  readonly holder: object
  readonly description: Description
}

/** Returns the path of the first member that no schema describes, unless it is fine, as in an open schema; or null. */
export function strangerIn (
  value: unknown, description: Description, isFine: (stranger: Stranger) => boolean = (stranger) => (
    stranger.description.isOpen
  ), path: readonly string[] = []
): readonly string[] | null {
  if (!isObject(value)) return null
  for (const [key, member] of Object.entries(value)) {
    const inside = description.inside(key)
    const isUnsaid = inside.places.length === 0 && !Array.isArray(value) && member !== undefined
    const isStrange = isUnsaid && !isFine({ key, member, holder: value, description })
    const found = isStrange ? [...path, key] : strangerIn(member, inside, isFine, [...path, key])
    if (found !== null) return found
  }
  return null
}

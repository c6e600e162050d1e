import { NAME, UNCLEAR } from './document.ts'
import { below, itemOf, keyOf, listOf, show } from './json.ts'
import { TYPES, alternativesOf, combinedOf, isApart, isWider, partsOf, propertiesOf, saidOf } from './plain.ts'
import { areSame } from './same.ts'
import { difference } from './words.ts'

import type { Item } from './json.ts'
import type { Plain } from './plain.ts'
import type { Difference } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/** Keywords that are compared by themselves. */
const OWN = ['type', 'enum', 'required', 'properties', 'additionalProperties', 'items', 'anyOf', 'oneOf']
/** Keywords that may ask more of a client whether they come or go. */
const SIDED = ['default', 'readOnly', 'writeOnly']

/** More pairs of schemas than these are not compared for one message, nor longer locations. */
const MOST_PAIRS = 20_000
const LONGEST = 5_000

/** All schemas that described a value before. */
type Described = ReadonlySet<Item>

/**
 * Every value of a request that was allowed must be allowed now, and every value of a response must have been allowed
 * before. What is not proven is breaking. A schema in several places of a message is reported in the first of them.
 */
export class SchemaComparison {
  /** By location and words: what several alternatives have in common is reported once. */
  readonly #differences = new Map<string, Difference>()
  readonly #direction: Direction
  readonly #ids = new Map<unknown, number>()
  /** Pairs of schemas, with the schemas around them, by their ids. */
  readonly #met = new Set<string>()
  /** Pairs of schemas that are compared next, and where they are. */
  readonly #open: [before: unknown, after: unknown, at: string, around: Described][] = []

  constructor (direction: Direction) {
    this.#direction = direction
  }

  compare (before: unknown, after: unknown, at: string): Difference[] {
    if (areSame(before, after)) return []
    this.#compareLater(before, after, at, [before])
    for (const [before, after, location, around] of this.#open) {
      if (this.#met.size > MOST_PAIRS || location.length > LONGEST) {
        return [difference('breaking', at, 'is too large to compare')]
      }
      this.#comparePair(before, after, location, around)
    }
    return [...this.#differences.values()]
  }

  /** @param schemas what described the value before */
  #compareLater (before: unknown, after: unknown, at: string, schemas: Iterable<unknown>): void {
    const around = combinedOf(schemas)
    const ids = [...around].map((schema) => this.#idOf(schema)).sort()
    const key = [this.#idOf(before), this.#idOf(after), ...ids].join()
    if (!this.#met.has(key)) this.#open.push([before, after, at, around])
    this.#met.add(key)
  }

  #idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  #comparePair (before: unknown, after: unknown, at: string, around: Described): void {
    const [some, others] = [partsOf(before), partsOf(after)]
    const unclear = unclearOf(some) ?? unclearOf(others)
    if (unclear !== undefined) {
      if (!areSame(before, after)) {
        this.#add('breaking', at, `cannot be compared because of its ${unclear}`)
      }
      return
    }
    // As many parts as before are compared one by one; otherwise those that stay are left out.
    const isStaying = (one: Plain, other: Plain) => some.length !== others.length && areSame(one, other)
    const removed = some.filter((one) => !others.some((other) => isStaying(one, other)))
    const added = others.filter((other) => !some.some((one) => isStaying(one, other)))
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      this.#compareParts(removed[i] ?? { type: TYPES }, added[i] ?? { type: TYPES }, at, around)
    }
  }

  #compareParts (one: Plain, other: Plain, at: string, around: Described): void {
    const [some, others] = [alternativesOf(one), alternativesOf(other)]
    if (some === null && others !== null && isBare(other)) return this.#compareAlternatives([one], others, at, around)
    if (some !== null && others === null && isBare(one)) return this.#compareAlternatives(some, [other], at, around)
    if (some !== null && others !== null) this.#compareAlternatives(some, others, at, around)
    else if (some !== null) this.#report(false, true, at, 'has no alternatives any more')
    else if (others !== null) this.#report(true, false, at, 'has alternatives now')
    this.#compareTypes(one, other, at)
    if (!one.type.some((type) => other.type.includes(type))) return
    this.#compareKeywords(one, other, at)
    this.#compareObjects(one, other, at, around)
    this.#compareLater(one.items ?? true, other.items ?? true, below(at, 'items'), saidOf(around))
  }

  /** Each alternative is compared with one that its values may meet. */
  #compareAlternatives (some: readonly unknown[], others: readonly unknown[], at: string, around: Described): void {
    const free = new Set(others)
    for (const one of some) {
      const near = others.filter((other) => !isApart(one, other))
      const name = nameOf(one)
      const match = near.find((other) => free.has(other) && nameOf(other) === name) ??
        near.find((other) => free.has(other)) ?? near[0]
      if (match === undefined) this.#report(true, false, at, `cannot be ${name} any more`)
      else {
        free.delete(match)
        this.#compareLater(one, match, at, around)
      }
    }
    for (const other of free) this.#report(false, true, at, `can be ${nameOf(other)} now`)
  }

  #compareTypes ({ type: was, enum: some }: Plain, { type: is, enum: others }: Plain, at: string): void {
    const [isLess, isMore] = [was.some((type) => !is.includes(type)), is.some((type) => !was.includes(type))]
    if ((isLess || isMore) && (some === undefined || others === undefined)) {
      this.#report(isLess, isMore, at, `is ${typesOf(is)} now, was ${typesOf(was)}`)
    }
    if (some === undefined && others === undefined) return
    if (some === undefined) return this.#report(true, false, at, `can only be ${listed(listOf(others))} now`)
    if (others === undefined) return this.#report(false, true, at, `can be more than ${listed(some)} now`)
    const [keys, otherKeys] = [some, others].map((values) => new Set(values.map(keyOf)))
    const removed = some.filter((value) => !otherKeys?.has(keyOf(value)))
    const added = others.filter((value) => !keys?.has(keyOf(value)))
    if (removed.length > 0) this.#report(true, false, at, `cannot be ${listed(removed)} any more`)
    if (added.length > 0) this.#report(false, true, at, `can be ${listed(added)} now`)
  }

  /** Bounds, patterns, formats and other rules: each allows less than its absence. */
  #compareKeywords (one: Plain, other: Plain, at: string): void {
    for (const name of Object.keys({ ...one, ...other })) {
      const [was, is] = [one[name], other[name]]
      if (OWN.includes(name) || areSame({ [name]: was }, { [name]: is })) continue
      // A schema may contain itself, and is not shown.
      const now = [was, is].some((value) => typeof value === 'object')
        ? `has another ${name} now`
        : `has ${name} ${show(is)} now${was === undefined ? '' : `, was ${show(was)}`}`
      const words = is === undefined ? `has no ${name} any more` : now
      // The server uses a default in place of what the client leaves out.
      if (name === 'default' && this.#direction === 'response') continue
      if (SIDED.includes(name)) this.#add('breaking', below(at, name), words)
      else this.#report(!isWider(name, is, was), !isWider(name, was, is), below(at, name), words)
    }
  }

  #compareObjects (one: Plain, other: Plain, at: string, around: Described): void {
    const [some, others] = [propertiesOf(one), propertiesOf(other)]
    const required = [one, other].map((plain) => new Set(listOf(plain.required).map(String)))
    for (const name of new Set([...some.keys(), ...others.keys(), ...required.flatMap((names) => [...names])])) {
      const isIn = required.map((names) => names.has(name))
      this.#compareProperty(name, [some.get(name), others.get(name)], isIn, one.additionalProperties, at, around)
    }
    const location = below(at, 'additionalProperties')
    const [wasClosed, isClosed] = [one, other].map(({ additionalProperties }) => additionalProperties === false)
    if (isClosed && !wasClosed) this.#report(true, false, location, 'is not allowed any more')
    else if (wasClosed && !isClosed) this.#report(false, true, location, 'is allowed now')
    else {
      const [was = true, is = true] = [one.additionalProperties, other.additionalProperties]
      this.#compareLater(was, is, location, saidOf(around, null))
    }
  }

  #compareProperty (
    name: string, [was, is]: readonly unknown[], [wasRequired, isRequired]: readonly boolean[], others: unknown,
    parent: string, around: Described
  ): void {
    const [at, said] = [below(parent, 'properties', name), saidOf(around, name)]
    // Nobody sent what nothing described. A request allows less than no description, a response more than a closed one.
    const isNew = was === undefined && is !== undefined
    const isFree = others === (this.#direction === 'request' ? undefined : false)
    if (isNew && isFree && said.length > 0) {
      return this.#add('breaking', at, 'is described once more now')
    }
    if (is === undefined && was !== undefined) return this.#add('breaking', at, 'was removed')
    if (was === undefined && is !== undefined) {
      if (others !== undefined && others !== false) this.#compareLater(others, is, at, said)
      if (isRequired && !wasRequired) return this.#report(true, false, at, 'is new and required')
      this.#add('added', at, 'is new')
    } else if (was !== undefined) this.#compareLater(was, is, at, said)
    if (wasRequired === isRequired) return
    this.#report(isRequired === true, !isRequired, at, isRequired ? 'is required now' : 'is not required any more')
  }

  /** Clients fail if less is allowed in a request, or more in a response. */
  #report (isLess: boolean, isMore: boolean, at: string, words: string): void {
    this.#add((this.#direction === 'request' ? isLess : isMore) ? 'breaking' : 'added', at, words)
  }

  #add (kind: Difference['kind'], at: string, words: string): void {
    this.#differences.set(`${at} ${words}`, difference(kind, at, words))
  }
}

// Words.

function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(show).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

function typesOf (types: readonly string[]): string {
  if (types.length === TYPES.length) return 'of any type'
  return types.filter((type) => type !== 'integer' || !types.includes('number')).join(' or ') || 'never allowed'
}

/** What an alternative is called: the schema that it refers to, its values, or its types. */
function nameOf (schema: unknown): string {
  const [{ enum: values, type } = { type: TYPES }] = partsOf(schema)
  return (itemOf(schema) as { [NAME]?: string })[NAME] ?? (values === undefined ? typesOf(type) : listed(values))
}

/** The keyword because of which schemas must stay the same, or undefined. */
function unclearOf (parts: readonly Plain[]): string | undefined {
  const isUnclear = (part: Plain) => part.oneOf !== undefined && alternativesOf(part) === null
  return parts.find((part) => part[UNCLEAR] !== undefined)?.[UNCLEAR] ?? (parts.some(isUnclear) ? 'oneOf' : undefined)
}

/** Whether a schema says nothing but its alternatives. */
function isBare (plain: Plain): boolean {
  return plain.type.length === TYPES.length && Object.keys(plain).length === 2
}

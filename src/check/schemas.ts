import { NAME } from './document.ts'
import { areSame, below, isItem, itemOf, show } from './json.ts'
import {
  TYPES, alternativesOf, areOverlapping, difficultyIn, isApart, isVague, isWider, plain, requiredIn, saidOf, shared
} from './plain.ts'
import { difference } from './words.ts'

import type { Plain, Schemas } from './plain.ts'
import type { Difference } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/** Rules that are compared by themselves. */
const OWN = ['required', 'properties', 'additionalProperties', 'items']
/** Rules that may ask more of a client whether they come or go. */
const SIDED = ['default', 'nullable', 'readOnly', 'writeOnly']

/** More pairs of schemas than these are not compared for one message, nor longer locations. */
const MOST_PAIRS = 20_000
const LONGEST = 5_000

/**
 * Every value of a request that was allowed must be allowed now, and every value of a response must have been allowed
 * before. What is not proven is breaking. A schema in several places of a message is reported in the first of them.
 */
export class SchemaComparison {
  /** By location and words: what several alternatives have in common is reported once. */
  readonly #differences = new Map<string, Difference>()
  readonly #direction: Direction
  readonly #ids = new Map<unknown, number>()
  /** What has been compared, or will be. */
  readonly #met = new Set<string>()
  /** What is compared next, and where it is. */
  readonly #open: [before: Schemas, after: Schemas, at: string, isAlone: boolean][] = []

  constructor (direction: Direction) {
    this.#direction = direction
  }

  compare (before: unknown, after: unknown, at: string): Difference[] {
    if (areSame(before, after)) return []
    this.#compareLater([before], [after], at, true)
    for (const [before, after, location, isAlone] of this.#open) {
      if (this.#met.size > MOST_PAIRS || location.length > LONGEST) {
        return [difference('breaking', at, 'is too large to compare')]
      }
      this.#compareSchemas(before, after, location, isAlone)
    }
    return [...this.#differences.values()]
  }

  /** @param isAlone whether nothing but these schemas described the value before */
  #compareLater (before: Schemas, after: Schemas, at: string, isAlone: boolean): void {
    const keyOfAll = (schemas: Schemas) => [...new Set(schemas)].map((schema) => this.#idOf(schema)).sort().join()
    const key = [keyOfAll(before), keyOfAll(after), isAlone].join(' ')
    if (!this.#met.has(key)) this.#open.push([before, after, at, isAlone])
    this.#met.add(key)
  }

  #idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  #compareSchemas (before: Schemas, after: Schemas, at: string, isAlone: boolean): void {
    const [one, other] = [plain(before), plain(after)]
    const difficulty = difficultyIn(one) ?? difficultyIn(other)
    if (difficulty !== undefined) {
      if (!areSame(before, after)) this.#add('breaking', at, `cannot be compared because of its ${difficulty}`)
      return
    }
    const [some, others] = [alternativesOf(one), alternativesOf(other)]
    if (some || others) return this.#compareAlternatives(some ?? [before], others ?? [after], at, isAlone)
    this.#compareTypes(one, other, at)
    this.#compareRules(one, other, at)
    if (!areOverlapping(one, other)) return
    const isClear = isAlone && !isVague(one)
    this.#compareObjects(one, other, at, isClear)
    this.#compareLater(one.rules.get('items') ?? [], other.rules.get('items') ?? [], below(at, 'items'), isClear)
  }

  /** Each alternative is compared with one that its values may meet. */
  #compareAlternatives (some: readonly Schemas[], others: readonly Schemas[], at: string, isAlone: boolean): void {
    const areObjects = some.filter((one) => plain(one).types.includes('object')).length > 1
    const free = new Set(others)
    for (const one of some) {
      const near = others.filter((other) => !isApart(one, other))
      const match = near.find((other) => nameOf(other) === nameOf(one) && free.delete(other)) ??
        near.find((other) => free.delete(other)) ?? near[0]
      if (match === undefined) this.#report(true, false, at, `cannot be ${nameOf(one)} any more`)
      else this.#compareLater(one, match, at, isAlone && !areObjects)
    }
    for (const other of free) this.#report(false, true, at, `can be ${nameOf(other)} now`)
  }

  #compareTypes ({ types: was, values: some }: Plain, { types: is, values: others }: Plain, at: string): void {
    if (some && others) {
      const [removed, added] = [shared(some, others, false), shared(others, some, false)]
      if (removed.length > 0) this.#report(true, false, at, `cannot be ${listed(removed)} any more`)
      if (added.length > 0) this.#report(false, true, at, `can be ${listed(added)} now`)
      return
    }
    const [isLess, isMore] = [was.some((type) => !is.includes(type)), is.some((type) => !was.includes(type))]
    if (isLess || isMore) this.#report(isLess, isMore, at, `is ${typesOf(is)} now, was ${typesOf(was)}`)
    if (some) this.#report(false, true, at, `can be more than ${listed(some)} now`)
    if (others) this.#report(true, false, at, `can only be ${listed(others)} now`)
  }

  /** Bounds, patterns, formats and other rules: each allows less than its absence. */
  #compareRules (one: Plain, other: Plain, at: string): void {
    for (const name of new Set([...one.rules.keys(), ...other.rules.keys()])) {
      const [was, is] = [one, other].map(({ rules }) => rules.get(name) ?? [])
      const isLess = is.some((rule) => !was.some((narrow) => isWider(name, rule, narrow)))
      const isMore = was.some((rule) => !is.some((narrow) => isWider(name, rule, narrow)))
      // The server uses a default in place of what the client leaves out.
      if (OWN.includes(name) || !(isLess || isMore) || (name === 'default' && this.#direction === 'response')) continue
      const now = `has ${name} ${rulesOf(is)} now${was.length === 0 ? '' : `, was ${rulesOf(was)}`}`
      const words = is.length === 0 ? `has no ${name} any more` : now
      if (SIDED.includes(name)) this.#add('breaking', below(at, name), words)
      else this.#report(isLess, isMore, below(at, name), words)
    }
  }

  #compareObjects (one: Plain, other: Plain, at: string, isAlone: boolean): void {
    const [known, described] = [one, other].map(({ rules }) => (
      new Set(rules.get('properties')?.flatMap((properties) => Object.keys(itemOf(properties))))
    ))
    const [needed, required] = [one, other].map(requiredIn)
    for (const name of new Set([...known, ...described, ...needed, ...required])) {
      const location = below(at, 'properties', name)
      const [was, is] = [saidOf(one, name), saidOf(other, name)]
      const [isNeeded, isRequired] = [needed.has(name), required.has(name)]
      const isNew = described.has(name) && !known.has(name)
      // Nobody sent what nothing described. In a request it was free if the schema was open, in a response if closed.
      const isFree = this.#direction === 'request' ? was.length === 0 : was.includes(false)
      if (known.has(name) && !described.has(name)) this.#add('breaking', location, 'was removed')
      else if (isNew && isFree && (isNeeded || !isAlone)) this.#add('breaking', location, 'is described once more now')
      else {
        if (!isNew || (was.length > 0 && !was.includes(false))) this.#compareLater(was, is, location, isAlone)
        if (isNew && !(isRequired && !isNeeded)) this.#add('added', location, 'is new')
        const words = isNeeded ? 'is not required any more' : isNew ? 'is new and required' : 'is required now'
        if (isRequired !== isNeeded) this.#report(isRequired, isNeeded, location, words)
      }
    }
    const location = below(at, 'additionalProperties')
    const [was, is] = [saidOf(one), saidOf(other)]
    const isClosed = is.includes(false)
    if (isClosed !== was.includes(false)) {
      this.#report(isClosed, !isClosed, location, isClosed ? 'is not allowed any more' : 'is allowed now')
    } else if (!isClosed) this.#compareLater(was, is, location, isAlone)
  }

  /** Clients fail if less is allowed in a request, or more in a response. */
  #report (isLess: boolean, isMore: boolean, at: string, words: string): void {
    this.#add((this.#direction === 'request' ? isLess : isMore) ? 'breaking' : 'added', at, words)
  }

  #add (kind: Difference['kind'], at: string, words: string): void {
    this.#differences.set(`${at} ${words}`, difference(kind, at, words))
  }
}

function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(show).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

/** A schema is not shown: it may contain itself. */
function rulesOf (values: readonly unknown[]): string {
  return values.map((value) => isItem(value) ? '…' : show(value)).join(' and ')
}

function typesOf (types: readonly string[]): string {
  if (types.length === TYPES.length) return 'of any type'
  return types.filter((type) => type !== 'integer' || !types.includes('number')).join(' or ') || 'never allowed'
}

/** What an alternative is called: the schema that it refers to, its values, or its types. */
function nameOf (schemas: Schemas): string {
  const { types, values } = plain(schemas)
  return (itemOf(schemas[0]) as { [NAME]?: string })[NAME] ?? (values ? listed(values) : typesOf(types))
}

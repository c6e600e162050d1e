import { Alternatives, NOTES, alternativesOf, alternativeName, areTold } from './alternatives.ts'
import { SHARED, areSame, below, isItem, itemOf, shortJson } from './json.ts'
import {
  areNever, areOverlapping, combine, difficultyIn, isImplied, isVague, listed, schemasOf, sharedValues
} from './combined-schema.ts'
import { splitByType } from './normal-form.ts'
import { removal, sunsetMove } from './sunset.ts'
import { typesText } from './types.ts'

import type { Sameness } from './json.ts'
import type { Fields } from './normal-form.ts'
import type { Combined, Schemas } from './combined-schema.ts'
import type { DifferenceKind } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/** A difference, and where it is in the schemas that were compared. */
export interface Found {
  readonly kind: DifferenceKind
  readonly at: string
  /** The change at this location: `is required now`. */
  readonly words: string
  /** The location in the innermost shared schema around the difference, as a JSON pointer, or null if none is. */
  readonly within: string | null
}

/** Schemas that describe one value before and after. */
interface Pair {
  readonly before: Schemas
  readonly after: Schemas
  /** Whether nothing but these schemas described the value before. */
  readonly isAlone: boolean
  /** The differences of the value itself, or null until they are compared. */
  own: Pick<Found, 'kind' | 'at' | 'words'>[] | null
  /** The pairs of items, properties and alternatives that may differ in the value. */
  readonly parts: [at: string, pair: Pair][]
  /** All differences of the value and what is in it, or null until somebody asks for them. */
  found: readonly Found[] | null
}

/** Rules that may ask more of a client both if they are added and if they are removed. */
const SIDED = [...NOTES, 'nullable']
/** Rules without effect in a direction. In a request the server uses `default` for what the client leaves out. */
const IDLE: Readonly<Record<Direction, string[]>> = { request: ['writeOnly'], response: ['default', 'readOnly'] }

/** The most pairs of schemas, and the longest location, that are compared for one message. */
const MOST_PAIRS = 20_000
const LONGEST = 5_000
/** The most schemas that parts of an `allOf` may have for all properties of an object. */
const MOST_SAID = 400_000
const TOO_LARGE = 'is too large to compare'

/**
 * Compares schemas. Every value of a request that was allowed must be allowed now. Every value of a response that is
 * allowed now must have been allowed before. A difference is breaking unless it provably is not. If a message has a
 * schema several times, its differences are reported at the first place. Each pair of schemas of two documents is
 * compared once, however many messages have it.
 */
export class SchemaComparison {
  readonly #direction: Direction
  /** Compares exactly, sunsets included. */
  readonly #sameness: Sameness
  readonly #now: number
  readonly #ids = new Map<unknown, number>()
  readonly #pairs = new Map<string, Pair>()
  /** The pair that is being compared. */
  #pair: Pair | null = null

  constructor (direction: Direction, sameness: Sameness, now: number) {
    this.#direction = direction
    this.#sameness = sameness
    this.#now = now
  }

  /** Returns the differences. Their locations begin at the compared schemas. */
  compare (before: unknown, after: unknown): readonly Found[] {
    if (this.#sameness.of(before, after)) return []
    const root = this.#pairOf([before], [after], true)
    root.found ??= this.#findIn(root)
    return root.found
  }

  #findIn (root: Pair): readonly Found[] {
    /** The differences by location and words, because a difference of several alternatives is reported once. */
    const found = new Map<string, Found>()
    const open: [pair: Pair, at: string, within: Found['within']][] = [[root, '', null]]
    const met = new Set([root])
    for (const [pair, at, around] of open) {
      if (met.size > MOST_PAIRS || at.length > LONGEST) {
        return [{ kind: 'breaking', at: '', words: TOO_LARGE, within: null }]
      }
      const differences = pair.own ?? this.#compareSchemas(pair)
      const schema = sharedIn(pair)
      const within = schema ?? around
      const inSchema = (names: string) => within === null ? null : within + names
      for (const difference of differences) {
        const location = at + difference.at
        found.set(`${location} ${difference.words}`, { ...difference, at: location, within: inSchema(difference.at) })
      }
      for (const [names, part] of pair.parts) {
        if (met.has(part)) continue
        met.add(part)
        open.push([part, at + names, inSchema(names)])
      }
    }
    return [...found.values()]
  }

  #pairOf (before: Schemas, after: Schemas, isAlone: boolean): Pair {
    const keyOfAll = (schemas: Schemas) => [...new Set(schemas)].map((schema) => this.#idOf(schema)).sort().join()
    const key = [keyOfAll(before), keyOfAll(after), isAlone].join(' ')
    const existing = this.#pairs.get(key)
    if (existing !== undefined) return existing
    const pair: Pair = { before, after, isAlone, own: null, parts: [], found: null }
    this.#pairs.set(key, pair)
    return pair
  }

  #idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  /** Adds a pair of schemas of what is at a location in the value, unless the schemas are the same. */
  #compareLater (before: Schemas, after: Schemas, at: string, isAlone: boolean): void {
    if (!this.#sameness.of(before, after)) this.#pair!.parts.push([at, this.#pairOf(before, after, isAlone)])
  }

  #compareSchemas (pair: Pair): NonNullable<Pair['own']> {
    const { before, after, isAlone } = pair
    this.#pair = pair
    pair.own = []
    const [first, second] = [combine(before), combine(after)]
    const difficulty = difficultyIn(first) ?? difficultyIn(second)
    if (difficulty !== undefined) {
      if (!areSame(before, after)) this.#add('breaking', '', `cannot be compared because of its ${difficulty}`)
      return pair.own
    }
    const isTold = areTold(first) || areTold(second)
    const [branchesBefore, branchesAfter] = [alternativesOf(first, isTold), alternativesOf(second, isTold)]
    if (branchesBefore || branchesAfter) {
      this.#compareRules(first, second, NOTES)
      const branches = [branchesBefore ?? [withoutNotes(before)], branchesAfter ?? [withoutNotes(after)]]
      const [was, is] = branches.map((all) => all.flatMap((branch) => (
        branch.length === 1 ? splitByType(branch[0] as Fields).map((schema) => [schema]) : [branch]
      )))
      this.#compareAlternatives(was, is, isAlone, isTold)
      return pair.own
    }
    this.#compareTypes(first, second)
    this.#compareRules(first, second)
    if (!areOverlapping(first, second)) return pair.own
    const isClear = isAlone && !isVague(first)
    this.#compareObjects(first, second, isClear)
    this.#compareLater(first.items, second.items, '/items', isClear)
    return pair.own
  }

  /** Compares each alternative with an alternative that its values may meet now. */
  #compareAlternatives (
    before: readonly Schemas[], after: readonly Schemas[], isAlone: boolean, isTold: boolean
  ): void {
    const [branchesBefore, branchesAfter] = [before, after].map((all) => all.filter((branch) => !areNever(branch)))
    // An alternative that no value meets may still describe a property.
    const areSeveral = before.filter((branch) => /^$|object/.test(combine(branch).types.join())).length > 1
    const [was, is] = [new Alternatives(branchesBefore), new Alternatives(branchesAfter)]
    const isClear = (branch: Schemas) => (
      !areSeveral || (before.length === branchesBefore.length && was.near(branch).length === 1)
    )
    // If a discriminator tells alternatives apart, an alternative of another name is a different alternative.
    const near = (branch: Schemas) => isTold ? [] : is.near(branch)
    const named = (branch: Schemas) => (
      is.near(branch).filter((candidate) => alternativeName(candidate) === alternativeName(branch))
    )
    const free = new Set(branchesAfter)
    const take = (candidates: Schemas[]) => candidates.find((candidate) => free.delete(candidate))
    const open = branchesBefore.filter((branch) => take(is.sameAs(branch, this.#sameness)) === undefined)
    const counterparts = new Map<Schemas, Schemas | undefined>()
    for (const candidatesOf of [named, near]) {
      for (const branch of open) counterparts.set(branch, counterparts.get(branch) ?? take(candidatesOf(branch)))
    }
    for (const branch of open) {
      const counterpart = counterparts.get(branch) ?? near(branch)[0]
      if (counterpart === undefined) this.#report(true, false, '', `cannot be ${was.describe(branch)} any more`)
      else this.#compareLater(branch, counterpart, '', isAlone && isClear(branch))
    }
    for (const added of free) {
      const isNew = was.sameAs(added, this.#sameness).length === 0
      if (isNew) this.#report(false, true, '', `can be ${is.describe(added)} now`)
    }
  }

  #compareTypes ({ types: was, values: some }: Combined, { types: is, values: others }: Combined): void {
    if (some && others) {
      const [removed, added] = [sharedValues(some, others, false), sharedValues(others, some, false)]
      if (removed.length > 0) this.#report(true, false, '', `cannot be ${listed(removed)} any more`)
      if (added.length > 0) this.#report(false, true, '', `can be ${listed(added)} now`)
      return
    }
    const [isLess, isMore] = [was.some((type) => !is.includes(type)), is.some((type) => !was.includes(type))]
    if (isLess || isMore) this.#report(isLess, isMore, '', `is ${typesText(is)} now, was ${typesText(was)}`)
    if (some && is.length > 0) this.#report(false, true, '', `can be more than ${listed(some)} now`)
    if (others && was.length > 0) this.#report(true, false, '', `can only be ${listed(others)} now`)
  }

  /** Compares bounds, patterns, formats and other rules, each of which allows less than its absence. */
  #compareRules (before: Combined, after: Combined, names = [...before.rules.keys(), ...after.rules.keys()]): void {
    for (const name of new Set(names)) {
      const [was, is] = [before, after].map(({ rules }) => rules.get(name) ?? [])
      const isLess = is.some((rule) => !isImplied(name, rule, before))
      const isMore = was.some((rule) => !isImplied(name, rule, after))
      if (!(isLess || isMore) || IDLE[this.#direction].includes(name)) continue
      const now = `has ${name} ${rulesOf(is, was)} now${was.length === 0 ? '' : `, was ${rulesOf(was, is)}`}`
      const words = is.length === 0 ? `has no ${name} any more` : now
      if (SIDED.includes(name)) this.#add('breaking', below('', name), words)
      else this.#report(isLess, isMore, below('', name), words)
    }
  }

  #compareObjects (before: Combined, after: Combined, isAlone: boolean): void {
    const sides = [before, after]
    const named = sides.flatMap(({ properties }) => [...properties.keys()])
    const all = new Set([...named, ...sides.flatMap(({ required }) => [...required])])
    if (sides.some(({ limited }) => limited.length * all.size > MOST_SAID)) return this.#add('breaking', '', TOO_LARGE)
    for (const name of all) {
      const at = below('', 'properties', name)
      const [was, is] = sides.map((side) => schemasOf(side, name))
      const [wasNamed, isNamed] = sides.map(({ properties }) => properties.has(name))
      const [wasRequired, isRequired] = sides.map(({ required }) => required.has(name))
      const [isNew, isGone] = [isNamed && !wasNamed, wasNamed && !isNamed]
      const ending = isGone ? removal(was, this.#now) : wasNamed ? sunsetMove(was, is) : null
      if (ending !== null) this.#add(ending.kind, at, ending.words)
      const [wasOpen, wasClosed] = [was.length === 0, areNever(was)]
      if (isNew && (wasOpen || wasClosed)) {
        // Clients sent no property that nothing described, and servers none that was forbidden, unless it was required
        // or described by another schema.
        const isUnsent = this.#direction === 'request' ? wasOpen : wasClosed
        if (isUnsent && (wasRequired || !isAlone)) {
          this.#add('breaking', at, 'has to match one more schema now')
          continue
        }
      } else if (!isGone) this.#compareLater(was, is, at, isAlone)
      const words = isNew ? 'is new and required' : 'is required now'
      if (isRequired && !wasRequired) this.#report(true, false, at, words)
      else if (isNew) this.#add('added', at, 'is new')
      if (wasRequired && !isRequired && !isGone) this.#report(false, true, at, 'is not required any more')
    }
    const location = '/additionalProperties'
    const [was, is] = [schemasOf(before), schemasOf(after)]
    const isClosed = areNever(is)
    if (isClosed !== areNever(was)) {
      this.#report(isClosed, !isClosed, location, isClosed ? 'is not allowed any more' : 'is allowed now')
    } else if (!isClosed) this.#compareLater(was, is, location, isAlone)
  }

  /** Adds a difference, which is breaking if a request may have less now, or a response more. */
  #report (isLess: boolean, isMore: boolean, at: string, words: string): void {
    this.#add((this.#direction === 'request' ? isLess : isMore) ? 'breaking' : 'added', at, words)
  }

  #add (kind: DifferenceKind, at: string, words: string): void {
    this.#pair!.own!.push({ kind, at, words })
  }
}

/** Returns schemas without the notes, which belong to the schema around the alternatives. */
function withoutNotes (schemas: Schemas): Schemas {
  const [schema] = schemas
  if (schemas.length > 1 || !NOTES.some((name) => name in itemOf(schema))) return schemas
  const copy: Fields = { __proto__: null, ...itemOf(schema) }
  for (const name of NOTES) delete copy[name]
  return [copy]
}

/** Returns the shared schema of the same name on both sides, or null. */
function sharedIn ({ before, after }: Pair): string | null {
  const [was, is] = [before, after].map((schemas) => (
    schemas.length === 1 ? (itemOf(schemas[0]) as { [SHARED]?: string })[SHARED] : undefined
  ))
  return was !== undefined && was === is ? was : null
}

/**
 * Returns the text of rules in a message. A schema is `…`, because it may contain itself. A long text is shown where it
 * differs from the other side.
 */
function rulesOf (values: readonly unknown[], others: readonly unknown[]): string {
  return values.map((value, i) => isItem(value) ? '…' : shortJson(value, others[i])).join(' and ')
}

import { Alternatives, NOTES, alternativesOf, alternativeName, areTold } from './alternatives.ts'
import { SHARED, areSame, below, isItem, itemOf, shortJson } from './json.ts'
import {
  areNever, areOverlapping, difficultyIn, isImplied, isVague, listed, plain, saidOf, sharedValues
} from './combined-schema.ts'
import { splitByType } from './normal-form.ts'
import { removal, sunsetMove } from './sunset.ts'
import { typesText } from './types.ts'

import type { Sameness } from './json.ts'
import type { Fields } from './normal-form.ts'
import type { Plain, Schemas } from './combined-schema.ts'
import type { DifferenceKind } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/** A difference, and where it is in the schemas that were compared. */
export interface Found {
  readonly kind: DifferenceKind
  readonly at: string
  /** What has become of what is there: `is required now`. */
  readonly words: string
  /** Where it is in the innermost shared schema that it is in, as a JSON pointer; null if it is in none. */
  readonly within: string | null
}

/** Schemas that describe one value before and after. */
interface Pair {
  readonly before: Schemas
  readonly after: Schemas
  /** Whether nothing but these schemas described the value before. */
  readonly isAlone: boolean
  /** What differs in the value itself, or null until it is compared. */
  own: Pick<Found, 'kind' | 'at' | 'words'>[] | null
  /** The pairs of what is in the value, where they differ. */
  readonly parts: [at: string, pair: Pair][]
  /** All that differs, or null until somebody asks. */
  found: readonly Found[] | null
}

/** Rules that may ask more of a client whether they come or go. */
const SIDED = [...NOTES, 'nullable']
/** Rules that say nothing there. The server uses a default in place of what the client leaves out. */
const IDLE: Readonly<Record<Direction, string[]>> = { request: ['writeOnly'], response: ['default', 'readOnly'] }

/** More pairs of schemas than these are not compared for one message, nor longer locations. */
const MOST_PAIRS = 20_000
const LONGEST = 5_000
/** Nor are properties, if more than these schemas of parts of `allOf` say something of them. */
const MOST_SAID = 400_000
const TOO_LARGE = 'is too large to compare'

/**
 * Every value of a request that was allowed must be allowed now, and every value of a response must have been allowed
 * before. What is not proven is breaking. A schema in several places of a message is reported in the first of them.
 * Each pair of schemas of two documents is compared once, however many messages have it.
 */
export class SchemaComparison {
  readonly #direction: Direction
  /** The exact one. */
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

  /** What differs. Its locations are what follows the location of the schemas. */
  compare (before: unknown, after: unknown): readonly Found[] {
    if (this.#sameness.of(before, after)) return []
    const root = this.#pairOf([before], [after], true)
    root.found ??= this.#findIn(root)
    return root.found
  }

  #findIn (root: Pair): readonly Found[] {
    /** By location and words: what several alternatives have in common is reported once. */
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
      const below = (names: string) => within === null ? null : within + names
      for (const difference of differences) {
        const location = at + difference.at
        found.set(`${location} ${difference.words}`, { ...difference, at: location, within: below(difference.at) })
      }
      for (const [names, part] of pair.parts) {
        if (met.has(part)) continue
        met.add(part)
        open.push([part, at + names, below(names)])
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

  /** @param at where the value is, in the value that is being compared */
  #compareLater (before: Schemas, after: Schemas, at: string, isAlone: boolean): void {
    if (!this.#sameness.of(before, after)) this.#pair!.parts.push([at, this.#pairOf(before, after, isAlone)])
  }

  #compareSchemas (pair: Pair): NonNullable<Pair['own']> {
    const { before, after, isAlone } = pair
    this.#pair = pair
    pair.own = []
    const [saidBefore, saidAfter] = [plain(before), plain(after)]
    const difficulty = difficultyIn(saidBefore) ?? difficultyIn(saidAfter)
    if (difficulty !== undefined) {
      if (!areSame(before, after)) this.#add('breaking', '', `cannot be compared because of its ${difficulty}`)
      return pair.own
    }
    const isTold = areTold(saidBefore) || areTold(saidAfter)
    const [branchesBefore, branchesAfter] = [alternativesOf(saidBefore, isTold), alternativesOf(saidAfter, isTold)]
    if (branchesBefore || branchesAfter) {
      this.#compareRules(saidBefore, saidAfter, NOTES)
      const branches = [branchesBefore ?? [withoutNotes(before)], branchesAfter ?? [withoutNotes(after)]]
      const [was, is] = branches.map((all) => all.flatMap((branch) => (
        branch.length === 1 ? splitByType(branch[0] as Fields).map((schema) => [schema]) : [branch]
      )))
      this.#compareAlternatives(was, is, isAlone, isTold)
      return pair.own
    }
    this.#compareTypes(saidBefore, saidAfter)
    this.#compareRules(saidBefore, saidAfter)
    if (!areOverlapping(saidBefore, saidAfter)) return pair.own
    const isClear = isAlone && !isVague(saidBefore)
    this.#compareObjects(saidBefore, saidAfter, isClear)
    this.#compareLater(saidBefore.items, saidAfter.items, '/items', isClear)
    return pair.own
  }

  /** Each alternative is compared with one that its values may meet. */
  #compareAlternatives (
    before: readonly Schemas[], after: readonly Schemas[], isAlone: boolean, isTold: boolean
  ): void {
    const [branchesBefore, branchesAfter] = [before, after].map((all) => all.filter((branch) => !areNever(branch)))
    // An alternative that allows nothing may describe a property.
    const areSeveral = before.filter((branch) => /^$|object/.test(plain(branch).types.join())).length > 1
    const [was, is] = [new Alternatives(branchesBefore), new Alternatives(branchesAfter)]
    const isClear = (branch: Schemas) => (
      !areSeveral || (before.length === branchesBefore.length && was.near(branch).length === 1)
    )
    // An alternative of another name is another one, if something tells them apart.
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

  #compareTypes ({ types: was, values: some }: Plain, { types: is, values: others }: Plain): void {
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

  /** Bounds, patterns, formats and other rules: each allows less than its absence. */
  #compareRules (before: Plain, after: Plain, names = [...before.rules.keys(), ...after.rules.keys()]): void {
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

  #compareObjects (before: Plain, after: Plain, isAlone: boolean): void {
    const sides = [before, after]
    const named = sides.flatMap(({ properties }) => [...properties.keys()])
    const all = new Set([...named, ...sides.flatMap(({ required }) => [...required])])
    if (sides.some(({ limited }) => limited.length * all.size > MOST_SAID)) return this.#add('breaking', '', TOO_LARGE)
    for (const name of all) {
      const location = below('', 'properties', name)
      const [was, is] = [saidOf(before, name), saidOf(after, name)]
      const [isNeeded, isRequired] = [before.required.has(name), after.required.has(name)]
      const [wasNamed, isNamed] = [before.properties.has(name), after.properties.has(name)]
      const [isNew, isGone] = [isNamed && !wasNamed, wasNamed && !isNamed]
      const ending = isGone ? removal(was, this.#now) : wasNamed ? sunsetMove(was, is) : null
      if (ending !== null) this.#add(ending.kind, location, ending.words)
      // Nobody sent what nothing described. In a request it was free if the schema was open, in a response if closed.
      const isFree = this.#direction === 'request' ? was.length === 0 : areNever(was)
      if (isNew && isFree && (isNeeded || !isAlone)) {
        this.#add('breaking', location, 'has to match one more schema now')
        continue
      }
      if (!isGone && !(isNew && (was.length === 0 || areNever(was)))) this.#compareLater(was, is, location, isAlone)
      const words = isNew ? 'is new and required' : 'is required now'
      if (isRequired && !isNeeded) this.#report(true, false, location, words)
      else if (isNew) this.#add('added', location, 'is new')
      if (isNeeded && !isRequired && !isGone) this.#report(false, true, location, 'is not required any more')
    }
    const location = '/additionalProperties'
    const [was, is] = [saidOf(before), saidOf(after)]
    const isClosed = areNever(is)
    if (isClosed !== areNever(was)) {
      this.#report(isClosed, !isClosed, location, isClosed ? 'is not allowed any more' : 'is allowed now')
    } else if (!isClosed) this.#compareLater(was, is, location, isAlone)
  }

  /** Clients fail if less is allowed in a request, or more in a response. */
  #report (isLess: boolean, isMore: boolean, at: string, words: string): void {
    this.#add((this.#direction === 'request' ? isLess : isMore) ? 'breaking' : 'added', at, words)
  }

  #add (kind: DifferenceKind, at: string, words: string): void {
    this.#pair!.own!.push({ kind, at, words })
  }
}

/** Schemas as an alternative of one that has the notes. */
function withoutNotes (schemas: Schemas): Schemas {
  const [schema] = schemas
  if (schemas.length > 1 || !NOTES.some((name) => name in itemOf(schema))) return schemas
  const copy: Fields = { __proto__: null, ...itemOf(schema) }
  for (const name of NOTES) delete copy[name]
  return [copy]
}

/** The shared schema of one name that both sides are, or null. */
function sharedIn ({ before, after }: Pair): string | null {
  const [was, is] = [before, after].map((schemas) => (
    schemas.length === 1 ? (itemOf(schemas[0]) as { [SHARED]?: string })[SHARED] : undefined
  ))
  return was !== undefined && was === is ? was : null
}

/** A schema is not shown: it may contain itself. A long text is shown where it differs from the other one. */
function rulesOf (values: readonly unknown[], others: readonly unknown[]): string {
  return values.map((value, i) => isItem(value) ? '…' : shortJson(value, others[i])).join(' and ')
}

import { Alternatives, alternativesOf, splitByType } from './alternatives.ts'
import { kindsIn } from './document.ts'
import { below, elementsOf, isItem, itemOf, shortJson } from './json.ts'
import {
  BOUND, DIFFICULT, NOTES, OPEN, areOverlapping, difficultyIn, isVague, listed, nameOf, requiredIn, saidOf,
  sharedValues
} from './combined-schema.ts'
import { removal, sunsetMove } from './sunset.ts'
import { typesText } from './types.ts'

import type { Said, SchemaReader, Schemas } from './combined-schema.ts'
import type { DifferenceKind } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/** A difference, and where it is in the schemas that were compared. */
export interface Found {
  readonly kind: DifferenceKind
  /** What follows the location of the schemas. */
  readonly at: string
  readonly words: string
  /** The innermost shared schema that it is in, as a JSON pointer, and where in it; null if it is in none. */
  readonly within: readonly [schema: string, at: string] | null
}

/** Schemas that describe one value before and after. */
interface Pair {
  readonly before: Schemas
  readonly after: Schemas
  /** Whether nothing but these schemas described the value before. */
  readonly isAlone: boolean
  /** What differs, or null until somebody asks. */
  compared: Compared | null
}

/** What differs between the schemas of a pair. */
interface Compared {
  /** In the value itself. */
  readonly own: Pick<Found, 'kind' | 'at' | 'words'>[]
  /** The pairs of what is in the value, which may differ. */
  readonly parts: [at: string, pair: Pair][]
}

/** Rules that are compared by themselves. */
const OWN = ['required', 'properties', 'additionalProperties', 'items']
/** Rules that may ask more of a client whether they come or go. */
const SIDED = ['default', 'nullable', 'readOnly', 'writeOnly']

/** More pairs of schemas than these are not compared for one message, nor longer locations. */
const MOST_PAIRS = 20_000
const LONGEST = 5_000
const TOO_LARGE: readonly Found[] = [{ kind: 'breaking', at: '', words: 'is too large to compare', within: null }]
/** Among more alternatives than these, which nothing tells apart, no equal one is looked for. */
const MOST_NEAR = 20
/** How deep schemas are inside others that must stay the same. */
const DEEPEST = 200

/**
 * Every value of a request that was allowed must be allowed now, and every value of a response must have been allowed
 * before. What is not proven is breaking. A schema in several places of a message is reported in the first of them.
 * Each pair of schemas of two documents is compared once, however many messages have it.
 */
export class SchemaComparison {
  readonly #reader: SchemaReader
  readonly #now: number
  readonly #ids = new Map<unknown, number>()
  readonly #pairs = new Map<string, Pair>()
  readonly #found = new Map<Pair, readonly Found[]>()
  /** Whether schemas are the same, by their ids. */
  readonly #same = new Map<string, boolean>()
  /** Those that are taken for the same, unless what is in them is not. */
  readonly #assumed: string[] = []
  #depth = 0
  #direction: Direction = 'request'
  /** Where the comparison is that goes on. */
  #compared: Compared | null = null

  constructor (reader: SchemaReader, now: number) {
    this.#reader = reader
    this.#now = now
  }

  compare (before: unknown, after: unknown, direction: Direction): readonly Found[] {
    if (this.#areSame([before], [after])) return []
    const root = this.#pairOf([before], [after], true, direction)
    const found = this.#found.get(root) ?? this.#findIn(root, direction)
    this.#found.set(root, found)
    return found
  }

  #findIn (root: Pair, direction: Direction): readonly Found[] {
    /** By location and words: what several alternatives have in common is reported once. */
    const found = new Map<string, Found>()
    const open: [pair: Pair, at: string, within: Found['within']][] = [[root, '', null]]
    const met = new Set<Pair>()
    for (const [pair, at, around] of open) {
      if (open.length > MOST_PAIRS || at.length > LONGEST) return TOO_LARGE
      this.#direction = direction
      const { own, parts } = pair.compared ??= this.#compareSchemas(pair)
      const schema = sharedIn(pair)
      // What is short and has no name is written out in several places.
      if (met.has(pair) && (schema !== null || parts.length > 0)) continue
      met.add(pair)
      const within = schema === null ? around : [schema, ''] as const
      const below = (names: string) => within && [within[0], within[1] + names] as const
      for (const difference of own) {
        const location = at + difference.at
        found.set(`${location} ${difference.words}`, { ...difference, at: location, within: below(difference.at) })
      }
      for (const [names, part] of parts) open.push([part, at + names, below(names)])
    }
    return [...found.values()]
  }

  #pairOf (before: Schemas, after: Schemas, isAlone: boolean, direction = this.#direction): Pair {
    const key = `${this.#keyOf(before, after)} ${isAlone} ${direction}`
    const existing = this.#pairs.get(key)
    if (existing !== undefined) return existing
    const pair: Pair = { before, after, isAlone, compared: null }
    this.#pairs.set(key, pair)
    return pair
  }

  #keyOf (before: Schemas, after: Schemas): string {
    const keyOfAll = (schemas: Schemas) => (
      schemas.length === 1
        ? this.#idOf(schemas[0])
        : [...new Set(schemas)].map((schema) => this.#idOf(schema)).sort().join()
    )
    return `${keyOfAll(before)} ${keyOfAll(after)}`
  }

  #idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  /** Whether nothing differs between schemas. If they contain themselves, they are taken for the same on the way. */
  #areSame (before: Schemas, after: Schemas): boolean {
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return true
    const key = this.#keyOf(before, after)
    const known = this.#same.get(key)
    if (known !== undefined) return known
    if (this.#depth > DEEPEST) return false
    const start = this.#assumed.push(key) - 1
    this.#same.set(key, true)
    this.#depth++
    const { own, parts } = this.#compareSchemas({ before, after, isAlone: true, compared: null })
    const areSame = own.length === 0 && parts.every(([, part]) => this.#areSame(part.before, part.after))
    this.#depth--
    if (!areSame) {
      // What was taken for the same because of them may differ.
      for (const assumed of this.#assumed.splice(start)) this.#same.delete(assumed)
      this.#same.set(key, false)
    } else if (this.#depth === 0) this.#assumed.length = 0
    return areSame
  }

  /** Whether nothing differs between parts of a kind, of documents or of schemas. They may be parts of themselves. */
  areAlike (kinds: string, before: unknown, after: unknown, met = new Set<string>()): boolean {
    if (before === after) return true
    const kind = kinds.split('|').find((candidate) => (candidate[0] === '[') === Array.isArray(before)) ?? kinds
    if (kind === 'schema' || kind === 'reference') {
      return before !== undefined && after !== undefined && this.#areSame([before], [after])
    }
    if (!isItem(before) || !isItem(after)) return false
    const key = this.#keyOf([before], [after])
    if (met.has(key)) return true
    met.add(key)
    return Array.isArray(before) === Array.isArray(after) && Object.keys({ ...before, ...after }).every((name) => {
      const inner = kind === 'data' ? kind : kindsIn(kind, name)
      // It is open if it is left out.
      const [was, is] = OPEN.has(name) ? [before[name] ?? true, after[name] ?? true] : [before[name], after[name]]
      return inner === null || this.areAlike(inner, was, is, met)
    })
  }

  /** @param at where the value is, in the value that is being compared */
  #compareLater (before: Schemas, after: Schemas, at: string, isAlone: boolean): void {
    const { isEvaluating } = this.#reader
    const isOpen = (schema: unknown) => this.#reader.isOpen(schema)
    if (isEvaluating && before.length !== after.length && before.every(isOpen) && after.every(isOpen)) {
      this.#add('breaking', at, 'is written in another way now')
    }
    if (this.#depth > 0 || !this.#areSame(before, after)) {
      this.#compared!.parts.push([at, this.#pairOf(before, after, isAlone)])
    }
  }

  #compareSchemas (pair: Pair): Compared {
    const around = this.#compared
    const compared: Compared = this.#compared = { own: [], parts: [] }
    this.#comparePair(pair)
    this.#compared = around
    return compared
  }

  #comparePair ({ before, after, isAlone }: Pair): void {
    const [saidBefore, saidAfter] = [this.#reader.said(before), this.#reader.said(after)]
    const areAlternatives = [before, after].every((schemas) => alternativesOf(this.#reader, schemas, false))
    const [branchesBefore, branchesAfter] = [before, after].map((schemas) => (
      alternativesOf(this.#reader, schemas, !areAlternatives)
    ))
    if (branchesBefore || branchesAfter) {
      if (areAlternatives) this.#compareRules(saidBefore, saidAfter, NOTES)
      this.#compareAlternatives(
        branchesBefore ?? splitByType(this.#reader, before), branchesAfter ?? splitByType(this.#reader, after), isAlone
      )
      return
    }
    this.#compareTypes(saidBefore, saidAfter, '')
    this.#compareRules(saidBefore, saidAfter)
    const isClear = isAlone && !isVague(saidBefore)
    if (areOverlapping(saidBefore, saidAfter)) {
      this.#compareObjects(saidBefore, saidAfter, '', isClear)
      this.#compareLater(saidBefore.rules.get('items') ?? [], saidAfter.rules.get('items') ?? [], '/items', isClear)
    }
    const difficulty = difficultyIn(saidBefore) ?? difficultyIn(saidAfter)
    const { own, parts } = this.#compared!
    if (difficulty === undefined || this.#depth > 0 || own.length + parts.length === 0) return
    own.length = parts.length = 0
    this.#add('breaking', '', `cannot be compared because of its ${difficulty}`)
  }

  /** Each alternative is compared with one that its values may meet. */
  #compareAlternatives (before: readonly Schemas[], after: readonly Schemas[], isAlone: boolean): void {
    // What allows nothing may describe an object, too.
    const mayBeObject = ({ types }: Said) => types.length === 0 || types.includes('object')
    const areObjects = before.filter((branch) => mayBeObject(this.#reader.said(branch))).length > 1
    const [was, is] = [new Alternatives(this.#reader, before), new Alternatives(this.#reader, after)]
    const free = new Set(after)
    for (const branch of before) {
      const near = is.near(branch)
      const firstFree = (is: (candidate: Schemas) => boolean) => (
        near.find((candidate) => free.has(candidate) && is(candidate))
      )
      const name = nameOf(branch)
      const isSame = (candidate: Schemas) => near.length < MOST_NEAR && this.#areSame(branch, candidate)
      const match = near.length < 2
        ? near[0]
        : firstFree((candidate) => name !== undefined && nameOf(candidate) === name) ?? firstFree(isSame) ??
          near.find(isSame) ?? firstFree(() => true) ?? near[0]
      free.delete(match)
      if (match === undefined) this.#report(true, false, '', `cannot be ${was.describe(branch)} any more`)
      else this.#compareLater(branch, match, '', isAlone && !areObjects)
    }
    for (const added of free) {
      const near = was.near(added)
      if (near.length < MOST_NEAR && near.some((branch) => this.#areSame(branch, added))) continue
      this.#report(false, true, '', `can be ${is.describe(added)} now`)
    }
  }

  #compareTypes ({ types: was, values: some }: Said, { types: is, values: others }: Said, at: string): void {
    if (some && others) {
      const [removed, added] = [sharedValues(some, others, false), sharedValues(others, some, false)]
      if (removed.length > 0) this.#report(true, false, at, `cannot be ${listed(removed)} any more`)
      if (added.length > 0) this.#report(false, true, at, `can be ${listed(added)} now`)
      return
    }
    const [isLess, isMore] = [was.some((type) => !is.includes(type)), is.some((type) => !was.includes(type))]
    if (isLess || isMore) this.#report(isLess, isMore, at, `is ${typesText(is)} now, was ${typesText(was)}`)
    if (some && is.length > 0) this.#report(false, true, at, `can be more than ${listed(some)} now`)
    if (others && was.length > 0) this.#report(true, false, at, `can only be ${listed(others)} now`)
  }

  /** Bounds, patterns, formats and other rules: each allows less than its absence. */
  #compareRules (
    before: Said, after: Said, names: readonly string[] = [...new Set([...before.rules.keys(), ...after.rules.keys()])]
  ): void {
    for (const name of names) {
      // The server uses a default in place of what the client leaves out.
      if (OWN.includes(name) || (name === 'default' && this.#direction === 'response')) continue
      const [was, is] = [before, after].map(({ rules }) => rules.get(name) ?? [])
      const isLess = is.some((rule) => !was.some((narrow) => this.#isWider(name, rule, narrow)))
      const isMore = was.some((rule) => !is.some((narrow) => this.#isWider(name, rule, narrow)))
      if (!isLess && !isMore) continue
      const now = `has ${name} ${rulesOf(is)} now${was.length === 0 ? '' : `, was ${rulesOf(was)}`}`
      const words = is.length === 0 ? `has no ${name} any more` : now
      if (SIDED.includes(name)) this.#add('breaking', below('', name), words)
      else this.#report(isLess, isMore, below('', name), words)
    }
  }

  /** Whether a rule provably allows all that another value of it allows. */
  #isWider (name: string, wide: unknown, narrow: unknown): boolean {
    const [low, high] = /min/i.test(name) ? [wide, narrow] : [narrow, wide]
    if (BOUND.test(name) && typeof low === 'number' && typeof high === 'number') return low <= high
    if (name === 'anyOf') {
      const [some, others] = [elementsOf(wide), elementsOf(narrow)]
      return this.#areIn(some, others) && this.#areIn(others, some)
    }
    return this.areAlike(DIFFICULT.has(name) ? 'keywords' : kindsIn('schema', name) as string, wide, narrow)
  }

  /** Whether all schemas are among others. */
  #areIn (schemas: Schemas, all: Schemas): boolean {
    return schemas.every((schema) => all.some((candidate) => this.#areSame([schema], [candidate])))
  }

  #compareObjects (before: Said, after: Said, at: string, isAlone: boolean): void {
    const [namesBefore, namesAfter] = [before, after].map(({ rules }) => (
      new Set(rules.get('properties')?.flatMap((properties) => Object.keys(itemOf(properties))))
    ))
    const [needed, required] = [before, after].map(requiredIn)
    for (const name of new Set([...namesBefore, ...namesAfter, ...needed, ...required])) {
      const location = below(at, 'properties', name)
      const [was, is] = [saidOf(before, name), saidOf(after, name)]
      const [isNeeded, isRequired] = [needed.has(name), required.has(name)]
      const isNew = namesAfter.has(name) && !namesBefore.has(name)
      // Nobody sent what nothing described. In a request it was free if the schema was open, in a response if closed.
      const isFree = this.#direction === 'request' ? was.length === 0 : was.includes(false)
      const ending = namesAfter.has(name) ? sunsetMove(was, is) : removal(was, this.#now)
      if (namesBefore.has(name) && ending !== null) this.#add(ending.kind, location, ending.words)
      if (namesBefore.has(name) && !namesAfter.has(name)) continue
      if (isNew && isFree && (isNeeded || !isAlone)) this.#add('breaking', location, 'is described once more now')
      else {
        if (!isNew || (was.length > 0 && !was.includes(false))) this.#compareLater(was, is, location, isAlone)
        if (isNew && !(isRequired && !isNeeded)) this.#add('added', location, 'is new')
        const words = isNeeded ? 'is not required any more' : isNew ? 'is new and required' : 'is required now'
        if (isRequired !== isNeeded) this.#report(isRequired, isNeeded, location, words)
      }
    }
    const location = below(at, 'additionalProperties')
    const [was, is] = [saidOf(before), saidOf(after)]
    const isClosed = is.includes(false)
    if (isClosed !== was.includes(false)) {
      this.#report(isClosed, !isClosed, location, isClosed ? 'is not allowed any more' : 'is allowed now')
    } else if (!isClosed) this.#compareLater(was, is, location, isAlone)
  }

  /** Clients fail if less is allowed in a request, or more in a response. */
  #report (isLess: boolean, isMore: boolean, at: string, words: string): void {
    this.#add((this.#direction === 'request' ? isLess : isMore) ? 'breaking' : 'added', at, words)
  }

  #add (kind: DifferenceKind, at: string, words: string): void {
    this.#compared!.own.push({ kind, at, words })
  }
}

/** The shared schema of one name that both sides are, or null. */
function sharedIn ({ before, after }: Pair): string | null {
  const [was, is] = [nameOf(before), nameOf(after)]
  return was !== undefined && was === is ? was : null
}

/** A schema is not shown: it may contain itself. */
function rulesOf (values: readonly unknown[]): string {
  return values.map((value) => isItem(value) ? '…' : shortJson(value)).join(' and ')
}

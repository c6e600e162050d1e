import { VersionChangeOptionError } from '../errors.ts'
import { selectorOf } from './branch.ts'
import { entriesOf, isObject, listOf, onlyReferenceOf, partsIn } from './schema.ts'
import { isZod, zodKeywordsOf } from './zod.ts'

import type { Selector } from './branch.ts'
import type { Document, Edition, Place } from './edition.ts'
import type { ReadChange, Step, ValueStep } from './read.ts'

export type Direction = 'upgrade' | 'downgrade'

/** What one step undoes of a value: by its own schemas, and inside it. */
export interface Shape {
  /** The changes of the value itself, the outermost schema first. */
  readonly steps: ValueStep[]
  members: (readonly [key: string, shape: Shape])[]
  /** The members that have no name here, or null if nothing is undone in them. */
  others: Others | null
  items: Shape | null
  /** `anyOf` or `oneOf`. */
  choice: Choice | null
  /** Whether something is undone in it: nothing else is walked. */
  isAlive: boolean
  /** Why it cannot be converted. */
  problem: string | null
  /** Made when they are needed. */
  readonly walks: Record<Direction, ((value: unknown) => unknown) | null>
}

/** Members of an object by patterns, and all further ones. */
export interface Others {
  readonly named: ReadonlySet<string>
  readonly patterns: readonly (readonly [pattern: RegExp, shape: Shape])[]
  readonly rest: Shape | null
}

/** Alternatives of a value. */
export interface Choice {
  readonly keyword: string
  readonly branches: readonly Branch[]
  /** Null until the shape is checked. */
  readonly select: Record<Direction, Selector | null>
}

export interface Branch {
  readonly place: Place
  readonly shape: Shape
}

/** What is read of a schema before it is known where something is undone. */
interface Draft {
  readonly shape: Shape
  readonly members: (readonly [key: string, shape: Shape])[]
  readonly patterns: (readonly [pattern: RegExp, shape: Shape])[]
  readonly rest: Shape[]
  readonly items: Shape[]
  readonly choices: Choice[]
  /** How many schemas say which members the value has. */
  objects: number
  readonly defaults: unknown[]
  /** Where nothing can be converted, with the reason. */
  readonly blocked: (readonly [reason: string, shape: Shape])[]
}

/** Keywords that are walked, or that have no schema which describes a value. */
const KNOWN: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'additionalProperties', 'items'
])
const DYNAMIC = ['$dynamicRef', '$recursiveRef']
const BY_ROUTE = 'change it by route'

/** The shapes of the schemas of a context for one step. */
export class Shapes {
  readonly #newer: Edition
  readonly #older: Edition
  readonly #step: Step
  readonly #known = new Map<Document, Map<unknown, Shape>>()
  /** Shapes of which it is not known yet whether something is undone in them. */
  #drafts: Draft[] = []

  constructor (newer: Edition, older: Edition, step: Step) {
    this.#newer = newer
    this.#older = older
    this.#step = step
  }

  /** The shape of a part of a route, or of a shared schema. */
  of (schema: unknown): Shape {
    const shape = this.#at(this.#older.at(schema))
    let left = this.#drafts
    for (let found = left; found.length > 0; left = left.filter(({ shape }) => !shape.isAlive)) {
      found = left.filter(isTouched)
      for (const { shape } of found) shape.isAlive = true
    }
    this.#drafts.forEach(complete)
    for (const { shape, defaults } of this.#drafts) {
      if (!defaults.some((value) => holds(shape, value))) continue
      shape.problem ??= `its "default" is in the words of the newer version: ${BY_ROUTE}`
    }
    this.#drafts = []
    return shape
  }

  /**
   * Whether a part can be converted in a direction.
   *
   * @returns the steps that apply, or the reason why not
   */
  check (outermost: Shape, direction: Direction): Set<ValueStep> | string {
    const steps = new Set<ValueStep>()
    const seen = new Set([outermost])
    for (const shape of seen) {
      if (shape.problem !== null) return shape.problem
      for (const step of shape.steps) {
        steps.add(step)
        if (step[direction] === null) return `the change ${step.change.label} has no function "${direction}"`
      }
      if (shape.choice !== null) {
        const { keyword, branches, select } = shape.choice
        // A downgrade starts from values of the newer version, an upgrade from values of the older one.
        select[direction] ??= selectorOf(branches, direction === 'upgrade' ? this.#older : this.#newer)
        if (select[direction] === null) {
          return `no type and no required "const" tells the branches of "${keyword}" apart: ${BY_ROUTE}`
        }
      }
      for (const one of childrenOf(shape)) if (one.isAlive) seen.add(one)
    }
    return steps
  }

  #at (place: Place): Shape {
    const { schema, document } = this.#older.enter(place.schema, place.document)
    const known = this.#known.get(document) ?? new Map<unknown, Shape>()
    this.#known.set(document, known)
    const same = known.get(schema)
    if (same !== undefined) return same
    const reference = onlyReferenceOf(schema)
    const target = reference === null ? null : this.#older.resolve(reference, document)
    if (target !== null && onlyReferenceOf(target.schema) === null) return this.#at(target)
    const shape: Shape = {
      steps: [],
      members: [],
      others: null,
      items: null,
      choice: null,
      isAlive: false,
      problem: null,
      walks: { upgrade: null, downgrade: null }
    }
    known.set(schema, shape)
    const draft: Draft = {
      shape, members: [], patterns: [], rest: [], items: [], choices: [], objects: 0, defaults: [], blocked: []
    }
    this.#drafts.push(draft)
    this.#read({ schema, document }, draft, [])
    return shape
  }

  /** Adds to a draft what a schema says of the same value. */
  #read ({ schema, document }: Place, draft: Draft, within: readonly unknown[]): void {
    if (!isObject(schema) || within.includes(schema)) return
    const { steps } = draft.shape
    const step = schema === document.root && document.id !== null ? this.#step.schemas.get(document.id) : undefined
    if (step !== undefined && !steps.includes(step)) steps.push(step)
    const keywords = isZod(schema) ? zodKeywordsOf(schema) : schema
    const seen = [...within, schema]
    if (typeof schema.$ref === 'string') this.#refer(schema.$ref, document, draft, seen)
    for (const part of listOf(keywords.allOf)) this.#read(this.#older.enter(part, document), draft, seen)
    this.#readInner(keywords, document, draft)
    const dynamic = DYNAMIC.find((keyword) => Object.hasOwn(schema, keyword))
    if (dynamic !== undefined) draft.shape.problem = `nothing is converted behind "${dynamic}": ${BY_ROUTE}`
    // A default of the changed schema itself is in the words of the older version.
    if (!this.#step.schemas.has(document.id ?? '')) draft.defaults.push(keywords.default)
  }

  #readInner (keywords: Readonly<Record<string, unknown>>, document: Document, draft: Draft): void {
    const inside = (part: unknown) => this.#at({ schema: part, document })
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = listOf(keywords[keyword]).map((part) => (
        { place: { schema: part, document }, shape: inside(part) }
      ))
      if (branches.length > 0) draft.choices.push({ keyword, branches, select: { upgrade: null, downgrade: null } })
    }
    const { properties, patternProperties, additionalProperties } = keywords
    if ([properties, patternProperties, additionalProperties].some(isObject)) draft.objects++
    for (const [key, part] of entriesOf(properties)) draft.members.push([key, inside(part)])
    for (const [pattern, part] of entriesOf(patternProperties)) {
      draft.patterns.push([new RegExp(pattern, 'u'), inside(part)])
    }
    if (isObject(additionalProperties)) draft.rest.push(inside(additionalProperties))
    const isTuple = Array.isArray(keywords.items)
    if (isObject(keywords.items) && !isTuple) draft.items.push(inside(keywords.items))
    for (const [keyword, value] of Object.entries(keywords)) {
      if (KNOWN.has(keyword) && !(keyword === 'items' && isTuple)) continue
      for (const part of partsIn({ [keyword]: value })) {
        draft.blocked.push([`nothing is converted under "${keyword}": ${BY_ROUTE}`, inside(part)])
      }
    }
  }

  #refer (reference: string, document: Document, draft: Draft, seen: readonly unknown[]): void {
    const [id, pointer = ''] = reference.split('#', 2)
    if (pointer !== '' && this.#step.schemas.has(id)) {
      draft.shape.problem = `it refers to ${reference}, a part of a changed schema: ${BY_ROUTE}`
      return
    }
    const target = this.#older.resolve(reference, document)
    if (target === null) {
      draft.shape.problem = `"$ref": "${reference}" leads to no $id and no JSON pointer: ${BY_ROUTE}`
      return
    }
    this.#read(target, draft, seen)
  }
}

function isTouched ({ shape, members, patterns, rest, items, choices, blocked }: Draft): boolean {
  if (shape.steps.length > 0 || shape.problem !== null) return true
  const named = [...members, ...patterns, ...blocked].map(([, one]) => one)
  const branches = choices.flatMap(({ branches }) => branches.map(({ shape }) => shape))
  return [...named, ...rest, ...items, ...branches].some(({ isAlive }) => isAlive)
}

/** Whether a value has something in it that is converted. */
function holds (shape: Shape, value: unknown, seen: readonly Shape[] = []): boolean {
  const { steps, members, others, items, choice, isAlive } = shape
  if (!isAlive || value === null || value === undefined || seen.includes(shape)) return false
  if (steps.length > 0) return true
  if (choice !== null) return choice.branches.some((branch) => holds(branch.shape, value, [...seen, shape]))
  if (Array.isArray(value)) return items !== null && value.some((item) => holds(items, item))
  return entriesOf(value).some(([key, member]) => {
    const inner = members.find(([name]) => name === key)?.[1] ?? (others === null ? null : otherShape(others, key))
    return inner !== null && holds(inner, member)
  })
}

/** The shape of a member that has no name in a schema. */
export function otherShape ({ named, patterns, rest }: Others, key: string): Shape | null {
  if (named.has(key)) return null
  const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, shape]) => shape)
  return matching.length === 0 ? rest : matching.find(({ isAlive }) => isAlive) ?? null
}

/** Leaves out where nothing is undone, and finds out whether two schemas say what is in one value. */
function complete ({ shape, members, patterns, rest, items, choices, objects, blocked }: Draft): void {
  const ofMembers = members.filter(([, one]) => one.isAlive)
  const ofPatterns = patterns.filter(([, one]) => one.isAlive)
  const ofChoices = choices.filter(({ branches }) => branches.some((one) => one.shape.isAlive))
  const named = new Set(members.map(([key]) => key))
  shape.members = [...new Map(ofMembers)]
  shape.items = items.find((one) => one.isAlive) ?? null
  shape.choice = ofChoices[0] ?? null
  const ofRest = rest.find((one) => one.isAlive) ?? null
  if (ofPatterns.length > 0 || ofRest !== null) shape.others = { named, patterns, rest: ofRest }
  const hasInner = shape.members.length > 0 || shape.others !== null || shape.items !== null
  const isSaidTwice =
    members.some(([key, one]) => ofMembers.some(([other, same]) => key === other && one !== same)) ||
    ofPatterns.length > 1 || ofPatterns.some(([pattern]) => [...named].some((name) => pattern.test(name))) ||
    (shape.others !== null && objects > 1) ||
    (shape.items !== null && items.length > 1) ||
    ofChoices.length > (hasInner ? 0 : 1)
  const [reason = null] = blocked.find(([, one]) => one.isAlive) ?? []
  shape.problem ??= isSaidTwice ? `several schemas say what is in one value: ${BY_ROUTE}` : reason
}

function childrenOf ({ members, others, items, choice }: Shape): Shape[] {
  return [
    ...members.map(([, shape]) => shape),
    ...others === null ? [] : others.patterns.map(([, shape]) => shape),
    ...others?.rest ? [others.rest] : [],
    ...items === null ? [] : [items],
    ...choice === null ? [] : choice.branches.map(({ shape }) => shape)
  ]
}

/** The changes of a value, and of what is in it. */
export function changesOf (outermost: Shape): Set<ReadChange> {
  const seen = new Set(outermost.isAlive ? [outermost] : [])
  for (const shape of seen) for (const one of childrenOf(shape)) if (one.isAlive) seen.add(one)
  return new Set([...seen].flatMap(({ steps }) => steps.map(({ change }) => change)))
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
export function refuse (changes: readonly ReadChange[], subject: string, part: string, reason: string): never {
  const labels = changes.map(({ label }) => label).join(' and ')
  throw new VersionChangeOptionError(`Change ${labels}, ${subject}, ${part}: ${reason}.`)
}

import { show, suggestionFor } from '../messages.ts'
import { selectorOf } from './branch.ts'
import { toPattern } from './pattern.ts'
import { entriesOf, isObject, listOf, membersIn, onlyReferenceOf } from './schema.ts'

import type { Selector } from './branch.ts'
import type { Described, Document, Edition, Place } from './edition.ts'
import type { Direction, ReadChange, Step, ValueStep } from './read.ts'
import type { ObjectSchema } from './schema.ts'

/** Alternatives of a value. */
export interface Choice {
  readonly keyword: string
  readonly branches: readonly { readonly place: Place, readonly shape: Shape }[]
  /** Null if nothing tells the branches apart. Known when the shape is settled. */
  select: Readonly<Record<Direction, Selector | null>>
}

/** Keywords that are walked, or that have no schema which describes a value. */
const KNOWN: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'additionalProperties', 'items'
])
const DYNAMIC = ['$dynamicRef', '$recursiveRef']
/** What to do where nothing can be converted. */
export const BY_VERSION = 'change it by route, with "version"'

/**
 * What one step undoes of a value: by its own schemas, and inside it. While schemas are read, it has all that they say.
 * Once it is settled, `members`, `items` and `choices` have only what is walked.
 */
export class Shape {
  /** The changes of the value itself, the outermost schema first. */
  readonly steps: ValueStep[] = []
  members: (readonly [key: string, shape: Shape])[] = []
  /** Members of other names: by a pattern, or by null all the rest. */
  others: (readonly [pattern: RegExp | null, shape: Shape])[] = []
  readonly named = new Set<string>()
  items: Shape[] = []
  /** `anyOf` and `oneOf`. */
  choices: Choice[] = []
  /** What schemas around the changed ones require. */
  readonly required: string[] = []
  /** Where nothing can be converted, with the reason. */
  readonly blocked: (readonly [reason: string, shape: Shape])[] = []
  /** How many schemas say which members the value has. */
  objects = 0
  /** Whether something is undone in it: nothing else is walked. */
  isAlive = false
  /** Why it cannot be converted. */
  problem: string | null = null

  /** The shapes directly in it. */
  inner (): Shape[] {
    const { members, others, items, choices, blocked } = this
    const branches = choices.flatMap(({ branches }) => branches.map(({ shape }) => shape))
    return [...items, ...branches, ...[...members, ...others, ...blocked].map(([, shape]) => shape)]
  }

  /** This shape, and all in it. */
  all (): Set<Shape> {
    const all = new Set<Shape>([this])
    for (const shape of all) for (const one of shape.inner()) all.add(one)
    return all
  }

  /** Those of them in which something is undone. */
  alive (): Shape[] {
    return [...this.all()].filter(({ isAlive }) => isAlive)
  }

  /** The changes of the value, and of what is in it. */
  changes (): Set<ReadChange> {
    return new Set(this.alive().flatMap(({ steps }) => steps.map(({ change }) => change)))
  }

  /** Leaves out where nothing is undone. Returns why nothing can be converted, such as two schemas of one value. */
  settle (): string | null {
    const { steps, members, others, named, required, items, choices, blocked, objects } = this
    const alive = new Map(members.filter(([, one]) => one.isAlive))
    const patterns = others.flatMap(([pattern, one]) => pattern !== null && one.isAlive ? [pattern] : [])
    this.members = [...alive]
    this.others = others.some(([, one]) => one.isAlive) ? others : []
    this.items = items.filter((one) => one.isAlive)
    this.choices = choices.filter(({ branches }) => branches.some((one) => one.shape.isAlive))
    const isInner = this.members.length + this.others.length + this.items.length > 0
    const isSaidTwice =
      members.some(([key, one]) => alive.has(key) && alive.get(key) !== one) ||
      patterns.length > 1 || patterns.some((pattern) => [...named].some((name) => pattern.test(name))) ||
      (this.others.length > 0 && objects > 1) ||
      (this.items.length > 0 && items.length > 1) ||
      this.choices.length > (isInner ? 0 : 1)
    if (isSaidTwice) return 'several schemas say what is in one value'
    // Alternatives and patterns may have it.
    const isNamed = steps.length > 0 && named.size > 0 && choices.length + others.length === 0
    const name = isNamed ? required.find((name) => !named.has(name)) : undefined
    if (name !== undefined) return `"required" next to a reference has ${show(name)}, which the older schema does not`
    return blocked.find(([, one]) => one.isAlive)?.[0] ?? null
  }

  /** A member that a schema around a changed one describes, and the older one removes; undefined if there is none. */
  removed (): string | undefined {
    const schemas = this.steps.map(({ older }) => older as ObjectSchema)
    const closed = schemas.filter(({ additionalProperties }) => additionalProperties === false)
    return [...this.named].find((name) => closed.some(({ properties }) => !Object.hasOwn(Object(properties), name)))
  }

  /** The shape of a member that has no name in a schema. */
  other (key: string): Shape | null {
    if (this.named.has(key)) return null
    const matching = this.others.filter(([pattern]) => pattern?.test(key))
    const shapes = matching.length > 0 ? matching : this.others.filter(([pattern]) => pattern === null)
    return shapes.find(([, { isAlive }]) => isAlive)?.[1] ?? null
  }
}

/** What one step does to the schemas of a context. */
export class Shapes {
  readonly step: Step
  /** The schemas after the step, and before it. */
  readonly newer: Edition
  readonly older: Edition
  readonly #known = new Map<Document, Map<unknown, Shape>>()
  /** Shapes of which it is not known yet whether something is undone in them. */
  #fresh: Shape[] = []

  constructor (step: Step, newer: Edition) {
    this.step = step
    this.newer = newer
    this.older = newer.before(step)
  }

  /** The shape of a part of a route, or of a shared schema. */
  of (schema: unknown): Shape {
    const shape = this.#at(this.older.at(schema))
    let left = this.#fresh
    for (let found = left; found.length > 0; left = left.filter(({ isAlive }) => !isAlive)) {
      found = left.filter((one) => (
        one.steps.length > 0 || one.problem !== null || one.inner().some(({ isAlive }) => isAlive)
      ))
      for (const one of found) one.isAlive = true
    }
    for (const one of this.#fresh) {
      const reason = one.settle()
      if (reason !== null) one.problem ??= this.#byRoute(reason)
      for (const choice of one.choices) {
        const branches = choice.branches.map(({ place, shape }) => ({ place, purpose: shape.isAlive ? shape : null }))
        const [upgrade, downgrade] = [this.older, this.newer].map((edition) => selectorOf(branches, edition))
        choice.select = { upgrade, downgrade }
      }
    }
    this.#fresh = []
    return shape
  }

  /**
   * Whether a part can be converted in a direction.
   *
   * @returns the steps that apply, or the reason why not
   */
  check (outermost: Shape, direction: Direction): ReadonlySet<ValueStep> | string {
    const alive = outermost.alive()
    for (const { problem, choices: [choice] } of alive) {
      if (problem !== null) return problem
      if (choice === undefined || choice.select[direction] !== null) continue
      return `the plugin cannot tell which branch of "${choice.keyword}" a value has. Give each branch a required ` +
        'property with its own "const", or describe the change under "routes", not "schemas"'
    }
    const steps = new Set(alive.flatMap((shape) => shape.steps))
    const missing = [...steps].find((step) => step[direction] === null)
    return missing === undefined ? steps : `the change ${missing.change.label} has no function "${direction}"`
  }

  #byRoute (problem: string): string {
    return this.step.schemas.size === 0 ? problem : `${problem}. Describe the change under "routes", not "schemas"`
  }

  #at (place: Place): Shape {
    const { schema, document } = this.older.enter(place.schema, place.document)
    const known = this.#known.get(document) ?? new Map<unknown, Shape>()
    this.#known.set(document, known)
    const same = known.get(schema)
    if (same !== undefined) return same
    const reference = onlyReferenceOf(schema)
    const target = reference === null ? null : this.older.resolve(reference, document)
    if (target !== null && onlyReferenceOf(target.schema) === null) return this.#at(target)
    const shape = new Shape()
    known.set(schema, shape)
    this.#fresh.push(shape)
    for (const described of this.older.inPlace({ schema, document })) this.#read(described, shape)
    return shape
  }

  /** Adds to a shape what a schema says of its values. */
  #read ({ schema, document, keywords }: Described, shape: Shape): void {
    const step = schema === document.root && document.id !== null ? this.step.schemas.get(document.id) : undefined
    if (step !== undefined && !shape.steps.includes(step)) shape.steps.push(step)
    if (typeof keywords.$ref === 'string') shape.problem ??= this.#problemOf(keywords.$ref, document)
    this.#readInner(keywords, document, shape)
    const dynamic = DYNAMIC.find((keyword) => Object.hasOwn(keywords, keyword))
    if (dynamic !== undefined) shape.problem = this.#byRoute(`nothing is converted behind "${dynamic}"`)
    // What the changed schema itself says is in the words of the older version.
    if (this.step.schemas.has(document.id ?? '')) return
    shape.required.push(...listOf(keywords.required) as string[])
    if (Object.keys(Object(keywords.default)).length === 0) return
    shape.blocked.push(['its "default" is in the words of the newer version', shape])
  }

  /** Adds what a schema says of values inside. */
  #readInner (keywords: ObjectSchema, document: Document, shape: Shape): void {
    const inside = (part: unknown) => this.#at({ schema: part, document })
    const { properties, patternProperties, additionalProperties, items } = keywords
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = listOf(keywords[keyword]).map((part) => (
        { place: { schema: part, document }, shape: inside(part) }
      ))
      if (branches.length > 0) shape.choices.push({ keyword, branches, select: { upgrade: null, downgrade: null } })
    }
    if ([properties, patternProperties, additionalProperties].some(isObject)) shape.objects++
    for (const [key, part] of entriesOf(properties)) {
      shape.named.add(key)
      shape.members.push([key, inside(part)])
    }
    for (const [pattern, part] of entriesOf(patternProperties)) {
      shape.others.push([toPattern(pattern), inside(part)])
    }
    if (isObject(additionalProperties)) shape.others.push([null, inside(additionalProperties)])
    const isTuple = Array.isArray(items)
    if (isObject(items) && !isTuple) shape.items.push(inside(items))
    for (const [keyword, , part] of membersIn(keywords)) {
      if (KNOWN.has(keyword) && !(keyword === 'items' && isTuple)) continue
      shape.blocked.push([`nothing is converted under "${keyword}"`, inside(part)])
    }
  }

  /** Why values behind a reference cannot be converted, or null. */
  #problemOf (reference: string, document: Document): string | null {
    const [id, pointer = ''] = reference.split('#', 2)
    if (pointer !== '' && this.step.schemas.has(id)) {
      return this.#byRoute(`it refers to ${reference}, a part of a changed schema`)
    }
    if (this.older.resolve(reference, document) !== null) return null
    const hint = suggestionFor(pointer === '' ? id : reference, [...this.older.schemas.keys()])
    return `"$ref": "${reference}" leads to no $id and no JSON pointer${hint && `.${hint}`}`
  }
}

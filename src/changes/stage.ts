import { show, suggestionFor } from '../messages.ts'
import { descriptionOf, selectorOf } from './description.ts'
import { listOf, membersIn, onlyReferenceOf } from './schema.ts'

import type { Choice, Description, Selector } from './description.ts'
import type { Edition, Place } from './edition.ts'
import type { Direction, ReadChange, Step, ValueStep } from './read.ts'
import type { ObjectSchema } from './schema.ts'

/** Alternatives, in some of which something is undone. */
export interface Alternatives {
  readonly keyword: string
  readonly branches: readonly Shape[]
  /** Null if nothing tells the branches apart. */
  readonly select: Readonly<Record<Direction, Selector | null>>
}

/** Where something is undone inside of a value. */
interface Inside {
  readonly members: readonly (readonly [key: string, shape: Shape])[]
  /** Whether members without a name in a schema are among them. */
  readonly hasOthers: boolean
  readonly item: Shape | undefined
  readonly alternatives: Alternatives | undefined
  /** Why nothing can be converted, such as two schemas of one value; or null. */
  readonly problem: string | null
}

/** Keywords that are walked, or that have no schema which describes a value. */
const KNOWN: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'additionalProperties', 'items'
])
const DYNAMIC = ['$dynamicRef', '$recursiveRef']
/** What to do where nothing can be converted. */
export const BY_VERSION = 'change it by route, with "version"'

/** What one step undoes of a value: by its own schemas, and inside it. */
export class Shape {
  /** The changes of the value itself, the outermost schema first. */
  readonly steps: ValueStep[] = []
  readonly members: (readonly [key: string, shape: Shape])[] = []
  /** Members of other names: by a pattern, or by null all the rest. */
  readonly others: (readonly [pattern: RegExp | null, shape: Shape])[] = []
  readonly items: Shape[] = []
  readonly choices: (readonly [choice: Choice, branches: readonly Shape[]])[] = []
  /** What schemas around the changed ones require. */
  readonly required: unknown[] = []
  /** Where nothing can be converted, with the reason. */
  readonly blocked: (readonly [reason: string, shape: Shape])[] = []
  /** Whether something is undone in it: nothing else is walked. */
  isAlive = false
  /** Why it cannot be converted. */
  problem: string | null = null
  /** What the older schema says of the value. */
  readonly #description: Description
  readonly #newer: Edition
  readonly #around: Shape[] = []
  #inside: Inside | null = null

  constructor (description: Description, newer: Edition) {
    this.#description = description
    this.#newer = newer
  }

  /** Notes that it is directly in another shape. */
  addTo (outer: Shape): this {
    this.#around.push(outer)
    if (this.isAlive) outer.enliven()
    return this
  }

  enliven (): void {
    if (this.isAlive) return
    this.isAlive = true
    for (const outer of this.#around) outer.enliven()
  }

  /** This shape, and those in it, in which something is undone. */
  alive (): Shape[] {
    const all = new Set<Shape>([this])
    for (const { members, others, items, choices, blocked } of all) {
      const branches = choices.flatMap(([, branches]) => branches)
      const inner = [...items, ...branches, ...[...members, ...others, ...blocked].map(([, shape]) => shape)]
      for (const shape of inner) if (shape.isAlive) all.add(shape)
    }
    return this.isAlive ? [...all] : []
  }

  /** The changes of the value, and of what is in it. */
  changes (): Set<ReadChange> {
    return new Set(this.alive().flatMap(({ steps }) => steps.map(({ change }) => change)))
  }

  /** A member that a schema around a changed one describes, and the older one removes; undefined if there is none. */
  removed (): string | undefined {
    const schemas = this.steps.map(({ older }) => older as ObjectSchema)
    const closed = schemas.filter(({ additionalProperties }) => additionalProperties === false)
    return this.#names.find((name) => closed.some(({ properties }) => !Object.hasOwn(Object(properties), name)))
  }

  /** The shape of a member that has no name in a schema, if something is undone in it. */
  other (key: string): Shape | undefined {
    if (this.#description.layers.some(({ members }) => members.has(key))) return undefined
    const matching = this.others.filter(([pattern]) => pattern?.test(key))
    const shapes = matching.length > 0 ? matching : this.others.filter(([pattern]) => pattern === null)
    return shapes.find(([, { isAlive }]) => isAlive)?.[1]
  }

  /** Ask for it when the schemas have been read. */
  get inside (): Inside {
    this.#inside ??= this.#findInside()
    return this.#inside
  }

  get #names (): string[] {
    return this.#description.layers.flatMap(({ members }) => [...members.keys()])
  }

  #findInside (): Inside {
    const members = new Map(this.members.filter(([, { isAlive }]) => isAlive))
    const others = this.others.filter(([, { isAlive }]) => isAlive)
    const items = this.items.filter(({ isAlive }) => isAlive)
    const choices = this.choices.filter(([, branches]) => branches.some(({ isAlive }) => isAlive))
    const patterns = others.map(([pattern]) => pattern).filter((pattern) => pattern !== null)
    const layers = this.#description.layers.filter(({ members, patterns, rest }) => (
      members.size + patterns.length > 0 || rest !== null
    ))
    const isSaidTwice =
      this.members.some(([key, shape]) => members.has(key) && members.get(key) !== shape) ||
      patterns.length > 1 || patterns.some((pattern) => this.#names.some((name) => pattern.test(name))) ||
      (others.length > 0 && layers.length > 1) || (items.length > 0 && this.items.length > 1) ||
      choices.length > (members.size + others.length + items.length > 0 ? 0 : 1)
    return {
      members: [...members],
      hasOthers: others.length > 0,
      item: items[0],
      alternatives: choices.map((choice) => this.#alternativesOf(choice))[0],
      problem: isSaidTwice ? 'several schemas say what is in one value' : this.#problemInside()
    }
  }

  #problemInside (): string | null {
    const { steps, choices, others, required, blocked } = this
    const names = this.#names
    // Alternatives and patterns may have it.
    const isNamed = steps.length > 0 && names.length > 0 && choices.length + others.length === 0
    const name = isNamed ? required.find((name) => !names.includes(String(name))) : undefined
    if (name !== undefined) return `"required" next to a reference has ${show(name)}, which the older schema does not`
    return blocked.find(([, { isAlive }]) => isAlive)?.[0] ?? null
  }

  #alternativesOf ([{ keyword, place, parts }, branches]: Shape['choices'][number]): Alternatives {
    const purposes = branches.map((shape) => shape.isAlive ? shape : null)
    const [upgrade, downgrade] = [place.edition, this.#newer].map((edition) => (
      selectorOf(parts.map((part) => descriptionOf(edition.enter(part, place.document))), purposes)
    ))
    return { keyword, branches, select: { upgrade, downgrade } }
  }
}

/** One step with the schemas of a context. */
export class Stage {
  readonly step: Step
  /** The schemas after the step, and before it. */
  readonly newer: Edition
  readonly older: Edition
  readonly #shapes = new Map<Place, Shape>()

  constructor (step: Step, newer: Edition) {
    this.step = step
    this.newer = newer
    this.older = newer.before(step)
  }

  /** The shape of a part of a route, or of a shared schema. */
  shapeOf (schema: unknown): Shape {
    return this.#at(this.older.at(schema))
  }

  /**
   * Whether a part can be converted in a direction.
   *
   * @returns the steps that apply, or the reason why not
   */
  check (outermost: Shape, direction: Direction): ReadonlySet<ValueStep> | string {
    const alive = outermost.alive()
    for (const { problem, inside: { problem: inner, alternatives } } of alive) {
      if (problem !== null) return problem
      if (inner !== null) return this.#byRoute(inner)
      if (alternatives === undefined || alternatives.select[direction] !== null) continue
      return `the plugin cannot tell which branch of "${alternatives.keyword}" a value has. Give each branch a ` +
        'required property with its own "const", or describe the change under "routes", not "schemas"'
    }
    const steps = new Set(alive.flatMap((shape) => shape.steps))
    const missing = [...steps].find((step) => step[direction] === null)
    return missing === undefined ? steps : `the change ${missing.change.label} has no function "${direction}"`
  }

  #byRoute (problem: string): string {
    return this.step.schemas.size === 0 ? problem : `${problem}. Describe the change under "routes", not "schemas"`
  }

  #at (place: Place): Shape {
    const known = this.#shapes.get(place)
    if (known !== undefined) return known
    const target = onlyReferenceOf(place.schema) === null ? null : place.target
    if (target !== null && onlyReferenceOf(target.schema) === null) return this.#at(target)
    const description = descriptionOf(place)
    const shape = new Shape(description, this.newer)
    this.#shapes.set(place, shape)
    for (const described of description.places) this.#read(described, shape)
    this.#readInside(description, shape)
    if (shape.steps.length > 0 || shape.problem !== null) shape.enliven()
    return shape
  }

  /** Adds to a shape what a schema says of the value itself, and what is not walked. */
  #read (place: Place, shape: Shape): void {
    const { schema, document, keywords } = place
    const step = schema === document.root && document.id !== null ? this.step.schemas.get(document.id) : undefined
    if (step !== undefined && !shape.steps.includes(step)) shape.steps.push(step)
    if (typeof keywords.$ref === 'string') shape.problem ??= this.#problemOf(keywords.$ref, place)
    const dynamic = DYNAMIC.find((keyword) => Object.hasOwn(keywords, keyword))
    if (dynamic !== undefined) shape.problem = this.#byRoute(`nothing is converted behind "${dynamic}"`)
    for (const [keyword, , part] of membersIn(keywords)) {
      if (KNOWN.has(keyword) && !(keyword === 'items' && Array.isArray(keywords.items))) continue
      shape.blocked.push([`nothing is converted under "${keyword}"`, this.#at(place.enter(part)).addTo(shape)])
    }
    // What the changed schema itself says is in the words of the older version.
    if (this.step.schemas.has(document.id ?? '')) return
    shape.required.push(...listOf(keywords.required))
    if (Object.keys(Object(keywords.default)).length === 0) return
    shape.blocked.push(['its "default" is in the words of the newer version', shape])
  }

  #readInside ({ layers, itemPlaces, choices }: Description, shape: Shape): void {
    const inside = (place: Place) => this.#at(place).addTo(shape)
    for (const { members, patterns, rest } of layers) {
      for (const [key, place] of members) shape.members.push([key, inside(place)])
      for (const [pattern, place] of patterns) shape.others.push([pattern, inside(place)])
      if (rest !== null) shape.others.push([null, inside(rest)])
    }
    shape.items.push(...itemPlaces.map(inside))
    for (const choice of choices) {
      shape.choices.push([choice, choice.parts.map((part) => inside(choice.place.enter(part)))])
    }
  }

  /** Why values behind a reference cannot be converted, or null. */
  #problemOf (reference: string, { target }: Place): string | null {
    const [id, pointer = ''] = reference.split('#', 2)
    if (pointer !== '' && this.step.schemas.has(id)) {
      return this.#byRoute(`it refers to ${reference}, a part of a changed schema`)
    }
    if (target !== null) return null
    const hint = suggestionFor(pointer === '' ? id : reference, [...this.older.schemas.keys()])
    return `"$ref": "${reference}" leads to no $id and no JSON pointer${hint && `.${hint}`}`
  }
}

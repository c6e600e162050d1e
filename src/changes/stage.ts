import { show, suggestionFor } from '../messages.ts'
import { descriptionOf, selectorOf } from './description.ts'
import { isObject, listOf, membersIn, onlyReferenceOf } from './schema.ts'

import type { Choice, Description, Selector } from './description.ts'
import type { Edition, Place } from './edition.ts'
import type { Direction, Step, ValueStep } from './read-changes.ts'
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
const KNOWN_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'additionalProperties', 'items'
])
/** Keywords that say which texts and numbers a value may be, and which it is if it is absent. */
const OF_SCALARS = [
  'default', 'const', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum',
  'exclusiveMaximum', 'multipleOf'
]
const DYNAMIC = ['$dynamicRef', '$recursiveRef']
/** What to do where nothing can be converted. */
export const BY_VERSION = 'change it by route, with "version"'

/** What one step undoes of a value: by its own schemas, and inside it. */
export class Shape {
  /** The changes of the value itself, the outermost schema first. */
  readonly steps: ValueStep[] = []
  /** The shapes of the values directly in it, and of its alternatives. */
  readonly inner = new Map<Place, Shape>()
  /** What schemas say of it that have not changed. */
  readonly unchanged: ObjectSchema[] = []
  /** Where nothing can be converted, with the reason. */
  readonly blocked: (readonly [reason: string, shape: Shape])[] = []
  /** Whether something is undone in it: nothing else is walked. */
  isAlive = false
  /** Why it cannot be converted. */
  problem: string | null = null
  readonly stage: Stage
  /** What the older schema says of the value. */
  readonly #description: Description
  readonly #around: Shape[] = []
  #inside: Inside | null = null

  constructor (description: Description, stage: Stage) {
    this.#description = description
    this.stage = stage
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
    for (const { inner, blocked } of all) {
      for (const shape of [...inner.values(), ...blocked.map(([, shape]) => shape)]) if (shape.isAlive) all.add(shape)
    }
    return this.isAlive ? [...all] : []
  }

  /** What changes the value, and what is in it. */
  allSteps (): Set<ValueStep> {
    return new Set(this.alive().flatMap(({ steps }) => steps))
  }

  /** A member that a schema around a changed one describes, and the older one removes; undefined if there is none. */
  removed (): string | undefined {
    const schemas = this.steps.map(({ older }) => older as ObjectSchema)
    const closed = schemas.filter(({ additionalProperties }) => additionalProperties === false)
    return this.#names.find((name) => closed.some(({ properties }) => !Object.hasOwn(Object(properties), name)))
  }

  /** The shape of a member that has no name in a schema, if something is undone in it. */
  other (key: string): Shape | undefined {
    const { layers } = this.#description
    if (layers.some(({ members }) => members.has(key))) return undefined
    const matching = layers.flatMap(({ patterns }) => patterns).filter(([pattern]) => pattern.test(key))
    const places = matching.length > 0 ? matching.map(([, place]) => place) : this.#rest
    return places.map((place) => this.inner.get(place)).find((shape) => shape?.isAlive)
  }

  /** Ask for it when the schemas have been read. */
  get inside (): Inside {
    return (this.#inside ??= this.#findInside())
  }

  get #names (): string[] {
    return this.#description.layers.flatMap(({ members }) => [...members.keys()])
  }

  get #rest (): Place[] {
    return this.#description.layers.flatMap(({ rest }) => rest ?? [])
  }

  #findInside (): Inside {
    const { layers, itemPlaces } = this.#description
    const isAlive = (place: Place) => this.inner.get(place)?.isAlive === true
    const named = layers.flatMap(({ members }) => [...members])
      .map(([key, place]) => [key, this.inner.get(place) as Shape] as const)
    const members = new Map(named.filter(([, { isAlive }]) => isAlive))
    const patterns = layers.flatMap(({ patterns }) => patterns).filter(([, place]) => isAlive(place))
    const hasOthers = patterns.length > 0 || this.#rest.some(isAlive)
    const item = itemPlaces.find(isAlive)
    const choices = this.#description.choices.filter(({ places }) => places.some(isAlive))
    const saying = layers.filter(({ members, patterns, rest }) => members.size + patterns.length > 0 || rest !== null)
    const twice = named.find(([key, shape]) => members.has(key) && members.get(key) !== shape)
    const isSaidTwice = twice !== undefined ||
      patterns.length > 1 || patterns.some(([pattern]) => named.some(([name]) => pattern.test(name))) ||
      (hasOthers && saying.length > 1) || (item !== undefined && itemPlaces.length > 1) ||
      choices.length > (members.size > 0 || hasOthers || item !== undefined ? 0 : 1)
    return {
      members: [...members],
      hasOthers,
      item: item && this.inner.get(item),
      alternatives: choices.map((choice) => this.#alternativesOf(choice))[0],
      problem: isSaidTwice
        ? `several schemas say what is in ${twice === undefined ? 'one value' : show(twice[0])}`
        : this.#problemInside()
    }
  }

  #problemInside (): string | null {
    const { steps, unchanged, blocked } = this
    const names = this.#names
    // Alternatives and patterns may have it.
    const isNamed = steps.length > 0 && names.length > 0 &&
      this.#description.choices.length + this.#rest.length === 0 &&
      this.#description.layers.every(({ patterns }) => patterns.length === 0)
    const required = unchanged.flatMap((keywords) => listOf(keywords.required))
    const name = isNamed ? required.find((name) => !names.includes(String(name))) : undefined
    if (name !== undefined) return `"required" next to a reference has ${show(name)}, which the older schema does not`
    const keyword = unchanged.map((keywords) => this.#newerWordIn(keywords)).find((keyword) => keyword !== undefined)
    if (keyword !== undefined) return `its "${keyword}" is in the words of the newer version`
    return blocked.find(([, { isAlive }]) => isAlive)?.[0] ?? null
  }

  /** A keyword that stands around or next to what has changed, and means values of it. Null is not converted. */
  #newerWordIn (keywords: ObjectSchema): string | undefined {
    if (Object.keys(Object(keywords.default)).length > 0 && isObject(keywords.default)) return 'default'
    const isSaid = (keyword: string) => keywords[keyword] !== undefined && !isEmpty(keywords[keyword])
    if (this.steps.length > 0) return OF_SCALARS.find(isSaid)
    const [choice] = this.#description.choices.map((choice) => this.#alternativesOf(choice))
    const select = choice?.select.downgrade ?? null
    return select === null
      ? undefined
      : OF_SCALARS.slice(0, 3).find((keyword) => (
        isSaid(keyword) && [keywords[keyword]].flat().some((value) => choice.branches[select(value)]?.isAlive)
      ))
  }

  #alternativesOf ({ keyword, place, parts, places }: Choice): Alternatives {
    const branches = places.map((place) => this.inner.get(place) as Shape)
    const purposes = branches.map((shape) => shape.isAlive ? shape : null)
    const newer = parts.map((part) => this.stage.newer.enter(part, place.document))
    const [upgrade, downgrade] = [places, newer].map((places) => selectorOf(places.map(descriptionOf), purposes))
    return { keyword, branches, select: { upgrade, downgrade } }
  }
}

/** Null, or an object without content. */
function isEmpty (value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
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
    for (const { problem, inside: { problem: inner, alternatives } } of outermost.alive()) {
      if (problem !== null) return problem
      if (inner !== null) return this.#byRoute(inner)
      if (alternatives === undefined || alternatives.select[direction] !== null) continue
      return `the plugin cannot tell which branch of "${alternatives.keyword}" a value has. Give each branch a ` +
        'required property with its own "const", or describe the change under "routes", not "schemas"'
    }
    const steps = outermost.allSteps()
    const missing = [...steps].find((step) => step[direction] === null)
    return missing === undefined ? steps : `the change ${missing.change.label} has no function "${direction}"`
  }

  #byRoute (problem: string): string {
    return this.step.schemas.size === 0 ? problem : `${problem}. Describe the change under "routes", not "schemas"`
  }

  #at (place: Place): Shape {
    const cached = this.#shapes.get(place)
    if (cached !== undefined) return cached
    const target = onlyReferenceOf(place.schema) === null ? null : place.target
    if (target !== null && onlyReferenceOf(target.schema) === null) return this.#at(target)
    const description = descriptionOf(place)
    const shape = new Shape(description, this)
    this.#shapes.set(place, shape)
    for (const described of description.places) this.#read(described, shape)
    for (const place of description.inner) shape.inner.set(place, this.#at(place).addTo(shape))
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
    const isTuple = Array.isArray(keywords.items) || keywords.prefixItems !== undefined
    for (const [keyword, , part] of membersIn(keywords)) {
      if (KNOWN_KEYWORDS.has(keyword) && !(isTuple && keyword === 'items')) continue
      shape.blocked.push([`nothing is converted under "${keyword}"`, this.#at(place.enter(part)).addTo(shape)])
    }
    // What the changed schema itself says is in the words of the older version.
    if (this.step.schemas.has(document.id ?? '')) return
    shape.unchanged.push(keywords)
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

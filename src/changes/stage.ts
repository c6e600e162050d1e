import { show, suggestionFor } from '../messages.ts'
import { choicesIn, selectorOf } from './alternatives.ts'
import { Description } from './description.ts'
import { changesOf } from './read-changes.ts'
import { isObject, listOf, membersIn, onlyReferenceOf } from './schema.ts'

import type { Choice, Selector } from './alternatives.ts'
import type { Convert } from './calls.ts'
import type { Edition, Place } from './edition.ts'
import type { Direction, ReadChange, Step, ValueStep } from './read-changes.ts'
import type { ObjectSchema } from './schema.ts'

/** The alternatives of a value, if something is undone in a branch. */
export interface Alternatives {
  readonly keyword: string
  readonly branches: readonly Shape[]
  /** The selectors of a branch; null if nothing tells the branches apart. */
  readonly select: Readonly<Record<Direction, Selector | null>>
}

/** What is inside a value, as far as something is undone there. */
interface Inside {
  readonly members: readonly (readonly [key: string, shape: Shape])[]
  /** Whether something is undone in members that no schema names. */
  readonly hasOthers: boolean
  readonly item: Shape | undefined
  readonly alternatives: Alternatives | undefined
  /** The reason why nothing can be converted, such as two schemas of one value; or null. */
  readonly problem: string | null
}

/** Keywords whose schemas are walked, or describe no value by themselves. */
const KNOWN_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'additionalProperties', 'items'
])
/** Keywords that limit texts and numbers. The first three hold values themselves. */
const OF_SCALARS = [
  'default', 'const', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum',
  'exclusiveMaximum', 'multipleOf'
]
const DYNAMIC = ['$dynamicRef', '$recursiveRef']
/** The advice where nothing can be converted. */
export const BY_VERSION = 'change it by route, with "version"'

/** How one step applies to values of a schema: by changes of the schema itself, and inside the values. */
export class Shape {
  readonly stage: Stage
  /** The changes of the value itself, the outermost schema first. */
  readonly steps: readonly ValueStep[]
  /** The reason why the value cannot be converted, or null. */
  readonly problem: string | null
  /** The functions that convert the value, by direction, and by whether a serializer gets the result. */
  readonly converts = new Map<string, Convert>()
  /** Whether something is undone in the value. Conversions leave out values in which nothing is undone. */
  isAlive = false
  /** The older schemas of the value, without those of alternatives. */
  readonly #places: readonly Place[]
  readonly #choices: readonly Choice[]
  /** The schemas that are not walked, so that nothing can be converted there, with their keywords. */
  readonly #blocked: readonly (readonly [keyword: string, place: Place])[]
  readonly #around: Shape[] = []
  readonly #within: Shape[] = []
  #inside: Inside | null = null

  constructor (place: Place, stage: Stage) {
    const { places } = new Description([place], 0)
    this.stage = stage
    this.steps = [...new Set(places.flatMap(({ id }) => stage.step.schemas.get(id ?? '') ?? []))]
    this.problem = places.map((place) => this.#problemAt(place)).find((problem) => problem !== null) ?? null
    this.#places = places
    this.#choices = choicesIn(places)
    this.#blocked = places.flatMap(blockedIn)
  }

  /** The schemas of members, items and alternatives of the value. */
  get inner (): Place[] {
    const ofMembers = this.#places.flatMap(({ members, patterns, rest }) => (
      [...members.values(), ...patterns.map(([, place]) => place), rest ?? []].flat()
    ))
    const ofChoices = this.#choices.flatMap(({ places }) => places)
    return [...ofMembers, ...this.#items, ...ofChoices, ...this.#blocked.map(([, place]) => place)]
  }

  /** Notes that this shape is directly in another shape. */
  addTo (outer: Shape): void {
    this.#around.push(outer)
    outer.#within.push(this)
    if (this.isAlive) outer.enliven()
  }

  enliven (): void {
    if (this.isAlive) return
    this.isAlive = true
    for (const outer of this.#around) outer.enliven()
  }

  /** Returns this shape and the shapes in it, as far as something is undone in them. */
  alive (): Shape[] {
    const all = new Set<Shape>([this])
    for (const outer of all) for (const shape of outer.#within) if (shape.isAlive) all.add(shape)
    return this.isAlive ? [...all] : []
  }

  /** Returns the steps that change the value, or values in it. */
  allSteps (): Set<ValueStep> {
    return new Set(this.alive().flatMap(({ steps }) => steps))
  }

  /**
   * Checks whether the value can be converted in a direction.
   *
   * @returns the steps that apply, or the reason why the value cannot be converted
   */
  check (direction: Direction): ReadonlySet<ValueStep> | string {
    for (const { problem, inside: { problem: inner, alternatives } } of this.alive()) {
      if (problem !== null) return problem
      if (inner !== null) return this.#byRoute(inner)
      if (alternatives === undefined || alternatives.select[direction] !== null) continue
      return `the plugin cannot tell which branch of "${alternatives.keyword}" a value has. Give each branch a ` +
        'required property with its own "const", or describe the change under "routes", not "schemas"'
    }
    const steps = this.allSteps()
    const missing = [...steps].find((step) => step[direction] === null)
    return missing === undefined ? steps : `the change ${missing.change.label} has no function "${direction}"`
  }

  #byRoute (problem: string): string {
    const isByRoute = this.stage.step.schemas.size === 0
    return isByRoute ? problem : `${problem}. Describe the change under "routes", not "schemas"`
  }

  /** Returns a member that a schema of the value describes, and the changed schema in its older form removes. */
  removed (): string | undefined {
    const schemas = this.steps.map(({ older }) => older as ObjectSchema)
    const closed = schemas.filter(({ additionalProperties }) => additionalProperties === false)
    return this.#names.find((name) => closed.some(({ properties }) => !Object.hasOwn(Object(properties), name)))
  }

  /** Returns the shape of a member that no schema names, if something is undone in the member. */
  other (key: string): Shape | undefined {
    if (this.#places.some(({ members }) => members.has(key))) return undefined
    const matching = this.#places.flatMap((place) => place.named(key))
    return (matching.length > 0 ? matching : this.#rest).map(this.#shapeAt).find(({ isAlive }) => isAlive)
  }

  /** The values inside. Read this when all schemas have shapes, because only then it is known which are alive. */
  get inside (): Inside {
    return (this.#inside ??= this.#findInside())
  }

  /** Tells whether another shape of the same value is alive, and this shape says more than that the value is a list. */
  #isSaidBeside (alive: Shape | undefined): boolean {
    return alive !== undefined && alive !== this && !this.#places.every((place) => (
      isSilent(place) && (alive.steps.length === 0 || Object.keys(place.keywords).length === 0)
    ))
  }

  get #items (): Place[] {
    return this.#places.flatMap((place) => {
      const { items: [first, others] } = place
      return first.length === 0 && isObject(others) ? [place.enter(others)] : []
    })
  }

  get #names (): string[] {
    return this.#places.flatMap(({ members }) => [...members.keys()])
  }

  get #rest (): Place[] {
    return this.#places.flatMap(({ rest }) => rest ?? [])
  }

  readonly #shapeAt = (place: Place): Shape => this.stage.at(place)

  /** Returns the reason why values cannot be converted behind the references of a schema, or null. */
  #problemAt ({ keywords, target }: Place): string | null {
    const { step, older } = this.stage
    const dynamic = DYNAMIC.find((keyword) => Object.hasOwn(keywords, keyword))
    if (dynamic !== undefined) return this.#byRoute(`nothing is converted behind "${dynamic}"`)
    const { $ref: reference } = keywords
    if (typeof reference !== 'string') return null
    const [id, pointer = ''] = reference.split('#', 2)
    if (pointer !== '' && step.schemas.has(id)) {
      const problem = this.#byRoute(`it refers to ${reference}, a part of a changed schema`)
      return `${problem}, or make the part a shared schema of its own`
    }
    if (target !== null) return null
    const hint = suggestionFor(pointer === '' ? id : reference, [...older.schemas.keys()])
    return `"$ref": "${reference}" leads to no $id and no JSON pointer${hint && `.${hint}`}`
  }

  #findInside (): Inside {
    const places = this.#places
    const isAlive = (place: Place) => this.#shapeAt(place).isAlive
    const named = places.flatMap(({ members }) => [...members])
      .map(([key, place]) => [key, this.#shapeAt(place)] as const)
    const members = new Map(named.filter(([, { isAlive }]) => isAlive))
    const patterns = places.flatMap(({ patterns }) => patterns).filter(([, place]) => isAlive(place))
    const hasOthers = patterns.length > 0 || this.#rest.some(isAlive)
    const items = this.#items.map(this.#shapeAt)
    const item = items.find(({ isAlive }) => isAlive)
    const choices = this.#choices.filter(({ places }) => places.some(isAlive))
    const [alternatives] = choices.map((choice) => this.#alternativesOf(choice))
    const saying = places.filter(({ members, patterns, rest }) => members.size + patterns.length > 0 || rest !== null)
    const twice = named.find(([key, shape]) => shape.#isSaidBeside(members.get(key)))
    const isSaidTwice = twice !== undefined ||
      patterns.length > 1 || patterns.some(([pattern]) => named.some(([name]) => pattern.test(name))) ||
      (hasOthers && saying.length > 1) || items.some((shape) => shape.#isSaidBeside(item)) ||
      choices.length > (members.size > 0 || hasOthers || item !== undefined ? 0 : 1)
    return {
      members: [...members],
      hasOthers,
      item,
      alternatives,
      problem: isSaidTwice
        ? `several schemas say what is in ${twice === undefined ? 'one value' : show(twice[0])}`
        : this.#problemIn(alternatives)
    }
  }

  #problemIn (alternatives: Alternatives | undefined): string | null {
    const { steps } = this
    const names = this.#names
    // The changed schema itself stands here in its older form, so its keywords fit older values.
    const unchanged = this.#places.filter(({ document }) => !this.stage.step.schemas.has(document.id ?? ''))
      .map(({ keywords }) => keywords)
    // A required member without a name in `properties` may be described by alternatives, patterns or a map.
    const isNamed = steps.length > 0 && names.length > 0 &&
      this.#choices.length + this.#rest.length === 0 && this.#places.every(({ patterns }) => patterns.length === 0)
    const required = unchanged.flatMap((keywords) => listOf(keywords.required))
    const name = isNamed ? required.find((name) => !names.includes(String(name))) : undefined
    if (name !== undefined) return `"required" next to a reference has ${show(name)}, which the older schema does not`
    const keyword = unchanged.map((keywords) => this.#newerWordIn(keywords, alternatives)).find(Boolean)
    if (keyword !== undefined) return `its "${keyword}" is in the words of the newer version`
    const blocked = this.#blocked.find(([, place]) => this.#shapeAt(place).isAlive)
    const holder = blocked?.[0] === 'items' ? ' of a tuple' : ''
    return blocked === undefined ? null : `nothing is converted under "${blocked[0]}"${holder}`
  }

  /** Returns a keyword around or beside a changed schema whose value is about newer values. Null is in all versions. */
  #newerWordIn (keywords: ObjectSchema, alternatives: Alternatives | undefined): string | undefined {
    const isSaid = (keyword: string) => {
      const value = keywords[keyword] ?? null
      return isObject(value) ? Object.keys(value).length > 0 : value !== null
    }
    if (isObject(keywords.default) && isSaid('default')) return 'default'
    if (this.steps.length > 0) return OF_SCALARS.find(isSaid)
    const select = alternatives?.select.downgrade ?? null
    if (select === null) return undefined
    const isConverted = (value: unknown) => alternatives!.branches[select(value)]?.isAlive
    return OF_SCALARS.slice(0, 3).find((keyword) => isSaid(keyword) && [keywords[keyword]].flat().some(isConverted))
  }

  #alternativesOf ({ keyword, place, parts, places }: Choice): Alternatives {
    const branches = places.map(this.#shapeAt)
    const purposes = branches.map((shape) => shape.isAlive ? shape : null)
    const newer = parts.map((part) => this.stage.newer.enter(part, place.document))
    const [upgrade, downgrade] = [places, newer].map((places) => selectorOf(places, purposes))
    return { keyword, branches, select: { upgrade, downgrade } }
  }
}

/** Tells whether a schema says at most that a value is a list of anything. */
function isSilent (place: Place): boolean {
  const { type = 'array', items, ...others } = place.keywords
  return type === 'array' && Object.keys(others).length === 0 &&
    (items === undefined || (!Array.isArray(items) && isSilent(place.enter(items))))
}

/** Returns the schemas inside a schema that are not walked, with their keywords. */
function blockedIn (place: Place): (readonly [keyword: string, place: Place])[] {
  const { items, prefixItems } = place.keywords
  const isTuple = Array.isArray(items) || prefixItems !== undefined
  const isWalked = (keyword: string) => KNOWN_KEYWORDS.has(keyword) && !(isTuple && keyword === 'items')
  return membersIn(place.keywords).filter(([keyword]) => !isWalked(keyword))
    .map(([keyword, , part]) => [keyword, place.enter(part)])
}

/** One step, applied to the schemas of a context. */
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

  /** Returns the shape of a part of a route, or of a shared schema. */
  shapeOf (schema: unknown): Shape {
    return this.at(this.older.at(schema))
  }

  /** Returns the changes that apply to a schema, or inside it. If there are none, the step itself is to blame. */
  changesOf (schema: unknown): readonly ReadChange[] {
    const changes = changesOf(this.shapeOf(schema).allSteps())
    return changes.length > 0 ? changes : this.step.changes
  }

  /** Returns the shape of the values of a schema. A sole reference has the shape of its target. */
  at (place: Place): Shape {
    const cached = this.#shapes.get(place)
    if (cached !== undefined) return cached
    const target = onlyReferenceOf(place.schema) === null ? null : place.target
    if (target !== null && onlyReferenceOf(target.schema) === null) return this.at(target)
    const shape = new Shape(place, this)
    this.#shapes.set(place, shape)
    for (const inner of shape.inner) this.at(inner).addTo(shape)
    if (shape.steps.length > 0 || shape.problem !== null) shape.enliven()
    return shape
  }
}

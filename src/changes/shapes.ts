import { isDeepStrictEqual } from 'node:util'

import { isObject, onlyReferenceOf } from './documents.ts'
import { viewOf } from './view.ts'

import type { Document, Located, ObjectSchema, Schemas } from './documents.ts'
import type { ReadChange, SchemaStep, Step } from './steps.ts'

/** The shape of a value, for conversions: which changes apply to it, and what is inside it. */
export interface Shape {
  /** The change that errors name if it is not known which one of the step has failed. */
  readonly change: ReadChange
  /** The changes of this value, outermost first. */
  readonly places: SchemaStep[]
  /** What each schema says of its members or items: `allOf` and references have several for one value. */
  layers: Layer[]
  /** What all of them say, without what is not alive; null if there is nothing. Set by `prune`. */
  inner: Layer | null
  /** Alternatives of the value. */
  choices: Choice[]
  /** The shapes of a value that several schemas describe; a shape that was read is its only one. */
  readonly sources: readonly Shape[]
  /** What cannot be converted if it is alive: the keyword, or a reference into a changed schema. */
  readonly blocked: { readonly keyword: string, readonly shape: Shape }[]
  /** Why the value cannot be converted, or null if it can. */
  problem: string | null
  /** Whether there is a place in it, or under it: nothing else is walked. */
  isAlive: boolean
  /** Whether everything that is not alive has been removed from it. */
  isPruned: boolean
  readonly parents: Shape[]
}

/** The members or items of a value. */
export interface Layer {
  readonly properties: readonly (readonly [key: string, shape: Shape])[]
  /** The keys of all properties that are described by name, if anything describes others. */
  readonly known: ReadonlySet<string>
  /** What describes the other members, for each schema by itself. */
  readonly others: readonly Others[]
  readonly tuple: readonly (Shape | null)[]
  /** The shape of the items after the tuple, or null. */
  readonly items: Shape | null
}

/** Members that are not described by name. */
interface Others {
  readonly patterns: readonly (readonly [pattern: RegExp, shape: Shape | null])[]
  /** The shape of members that match no pattern, or null. */
  readonly rest: Shape | null
}

/** `anyOf` or `oneOf`. */
export interface Choice {
  readonly keyword: string
  readonly schema: ObjectSchema
  readonly branches: readonly { readonly located: Located, readonly shape: Shape }[]
  /** Set by `prepare.ts` when one is first needed. */
  upgrade: Selector | null
  downgrade: Selector | null
}

/** @returns the shape of the branch of a value, null if there is nothing to do, or undefined if no branch fits */
export type Selector = (value: unknown) => Shape | null | undefined

const NONE: ReadonlySet<string> = new Set()

/** The shapes of the schemas as they were before one step, with the places that it changes. */
export class Shapes {
  readonly newer: Schemas
  readonly older: Schemas
  readonly #step: Step
  readonly #known = new Map<Document, Map<unknown, Shape>>()

  constructor (newer: Schemas, older: Schemas, step: Step) {
    this.newer = newer
    this.older = older
    this.#step = step
  }

  /** The shape of the outermost schema of a part. */
  of (schema: unknown): Shape {
    return this.at(this.older.locate(schema))
  }

  at ({ schema, document }: Located): Shape {
    const entered = this.older.enter(schema, document)
    const known = this.#known.get(entered.document) ?? new Map<unknown, Shape>()
    this.#known.set(entered.document, known)
    const same = known.get(entered.schema)
    if (same !== undefined) return same
    const target = this.#target(entered)
    const shape = target === null ? emptyShape(this.#step) : this.at(target)
    known.set(entered.schema, shape)
    if (target === null) this.#read(entered, shape, new Set())
    return shape
  }

  /** The target of a schema that is only a reference, whose shape it shares; null if it has a shape to itself. */
  #target ({ schema, document }: Located): Located | null {
    const reference = onlyReferenceOf(schema)
    const target = reference === null ? null : this.older.resolve(reference, document)
    // References may lead to each other in a circle.
    return target === null || onlyReferenceOf(target.schema) !== null ? null : target
  }

  /** Adds to a shape what a schema says of the same value. */
  #read ({ schema, document }: Located, shape: Shape, seen: Set<unknown>): void {
    if (!isObject(schema) || seen.has(schema)) return
    seen.add(schema)
    const step = schema === document.root && document.id !== null ? this.#step.schemas.get(document.id) : undefined
    if (step !== undefined) {
      shape.places.push(step)
      revive(shape)
    }
    if (typeof schema.$ref === 'string') this.#refer(schema.$ref, document, shape, seen)
    const { same, choices, properties, patterns, rest, tuple, items, blocked } = viewOf(schema)
    for (const part of same) this.#read(this.older.enter(part, document), shape, seen)
    const inside = (part: unknown) => {
      const inner = this.at({ schema: part, document })
      if (inner.isAlive) revive(shape)
      else inner.parents.push(shape)
      return inner
    }
    for (const [keyword, parts] of choices) {
      const branches = parts.map((part) => ({ located: this.older.enter(part, document), shape: inside(part) }))
      shape.choices.push({ keyword, schema, branches, upgrade: null, downgrade: null })
    }
    const others: Others = {
      patterns: patterns.map(([pattern, part]) => [new RegExp(pattern, 'u'), inside(part)]),
      rest: isObject(rest) ? inside(rest) : null
    }
    shape.layers.push({
      properties: properties.map(([key, part]) => [key, inside(part)]),
      known: new Set(properties.map(([key]) => key)),
      others: others.patterns.length > 0 || others.rest !== null ? [others] : [],
      tuple: tuple.map(inside),
      items: isObject(items) ? inside(items) : null
    })
    for (const [keyword, part] of blocked) shape.blocked.push({ keyword, shape: inside(part) })
  }

  #refer (reference: string, document: Document, shape: Shape, seen: Set<unknown>): void {
    const target = this.older.resolve(reference, document)
    const isWhole = /^[^#]*#?$/.test(reference)
    if (!isWhole && this.#isTornApart(reference, document, target)) {
      shape.problem = `it refers to ${reference}, which the change alters`
      revive(shape)
    }
    if (target !== null) this.#read(target, shape, seen)
  }

  /** Whether a part of a changed schema that others refer to differs before and after the change. */
  #isTornApart (reference: string, document: Document, target: Located | null): boolean {
    const newer = this.newer.resolve(reference, document)
    const id = (target ?? newer)?.document.id ?? null
    if (id === null || id === document.id || !this.#step.schemas.has(id)) return false
    return !isDeepStrictEqual(newer?.schema, target?.schema)
  }
}

function emptyShape ({ changes: [change] }: Step): Shape {
  const sources: Shape[] = []
  const lists = { places: [], layers: [], choices: [], blocked: [], parents: [], sources }
  const shape = { change, ...lists, inner: null, problem: null, isAlive: false, isPruned: false }
  sources.push(shape)
  return shape
}

/** By two shapes, the shape of a value that both describe. */
const combinations = new WeakMap<Shape, Map<Shape, Shape>>()

/**
 * The shape of a value that two schemas describe. What both of them say is in it once, so that no function gets a value
 * that it has converted before.
 */
export function combined (one: Shape, other: Shape): Shape {
  if (other.sources.every((source) => one.sources.includes(source))) return one
  let known = combinations.get(one)
  if (known === undefined) combinations.set(one, known = new Map())
  let shape = known.get(other)
  if (shape === undefined) {
    const { change, problem } = one
    shape = {
      change,
      places: union(one.places, other.places),
      layers: union(one.layers, other.layers),
      inner: null,
      choices: union(one.choices, other.choices),
      sources: union(one.sources, other.sources),
      blocked: union(one.blocked, other.blocked),
      problem: problem ?? other.problem,
      isAlive: true,
      isPruned: false,
      parents: []
    }
    known.set(other, shape)
    prune(shape)
  }
  return shape
}

function union<Item> (some: readonly Item[], others: readonly Item[]): Item[] {
  return [...new Set([...some, ...others])]
}

/** The shape of a value that all of these describe. Shapes that are not alive are left out; null if none is alive. */
function combinedAll (shapes: readonly (Shape | null | undefined)[]): Shape | null {
  let all: Shape | null = null
  for (const shape of shapes) if (shape?.isAlive) all = all === null ? shape : combined(all, shape)
  return all
}

/** Frees what is only needed until a shape is pruned. Call it when all shapes around it are. */
export function settle (shape: Shape): void {
  for (const one of shape.sources) {
    prune(one)
    one.layers = one.inner === null ? [] : [one.inner]
  }
}

/** Removes from a shape everything that is not alive. Call it when everything in it has been read. */
export function prune (shape: Shape): void {
  if (shape.isPruned) return
  shape.isPruned = true
  shape.choices = shape.choices.filter(({ branches }) => branches.some(({ shape }) => shape.isAlive))
  const layers = shape.layers.filter(isLayerAlive)
  shape.inner = layers.length === 0 ? null : merged(layers)
}

function isLayerAlive ({ properties, others, tuple, items }: Layer): boolean {
  return [...properties.map(([, shape]) => shape), ...tuple, items].some((shape) => shape?.isAlive) ||
    others.some(isOthersAlive)
}

function isOthersAlive ({ patterns, rest }: Others): boolean {
  return patterns.some(([, shape]) => shape?.isAlive) || rest?.isAlive === true
}

/** What layers of one value say together. */
function merged (layers: readonly Layer[]): Layer {
  const known = new Set(layers.flatMap((layer) => [...layer.properties.map(([key]) => key), ...layer.known]))
  const properties = [...known].flatMap((key) => {
    const shape = combinedAll(layers.flatMap((layer) => shapesOf(layer, key)))
    return shape === null ? [] : [[key, shape] as const]
  })
  const others = layers.flatMap((layer) => layer.others).filter(isOthersAlive).map(({ patterns, rest }) => {
    const alive = combinedAll([rest])
    // A member that a pattern describes is not one of the rest.
    return {
      patterns: patterns.map(([pattern, shape]) => [pattern, combinedAll([shape])] as const)
        .filter(([, shape]) => alive !== null || shape !== null),
      rest: alive
    }
  })
  const items = combinedAll(layers.map((layer) => layer.items))
  const length = Math.max(...layers.map(({ tuple }) => tuple.length))
  const tuple = Array.from({ length }, (_, i) => (
    combinedAll(layers.map((layer) => i < layer.tuple.length ? layer.tuple[i] : layer.items))
  ))
  return {
    properties,
    known: others.length === 0 ? NONE : known,
    others,
    tuple: items === null ? tuple.slice(0, tuple.findLastIndex((shape) => shape !== null) + 1) : tuple,
    items
  }
}

/** What one schema says of a member: by its name and by patterns, or else as one of the rest. */
function shapesOf (layer: Layer, key: string): readonly (Shape | null | undefined)[] {
  const named = layer.properties.find(([name]) => name === key)
  return [named?.[1], ...layer.others.flatMap((one) => shapesOfOther(one, key, layer.known.has(key)))]
}

function shapesOfOther ({ patterns, rest }: Others, key: string, isKnown = false): readonly (Shape | null)[] {
  const matching = patterns.filter(([pattern]) => pattern.test(key))
  return isKnown || matching.length > 0 ? matching.map(([, shape]) => shape) : [rest]
}

/** The shape of a member that no schema describes by its name, or null. */
export function shapeOfOther ({ others }: Layer, key: string): Shape | null {
  return combinedAll(others.flatMap((one) => shapesOfOther(one, key)))
}

/** Marks a shape, and those it is in. */
function revive (shape: Shape): void {
  const found = [shape]
  for (let one = found.pop(); one !== undefined; one = found.pop()) {
    if (one.isAlive) continue
    one.isAlive = true
    found.push(...one.parents)
  }
}

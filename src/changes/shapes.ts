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
export interface Others {
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

/** Marks a shape, and those it is in. */
function revive (shape: Shape): void {
  const found = [shape]
  for (let one = found.pop(); one !== undefined; one = found.pop()) {
    if (one.isAlive) continue
    one.isAlive = true
    found.push(...one.parents)
  }
}

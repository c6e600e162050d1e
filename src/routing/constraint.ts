import { inspect } from 'node:util'

import { ChoiceStore } from './store.ts'
import { nameOf } from '../errors.ts'

import type { Choice, Claim } from './candidates.ts'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

const WHOLE = { depth: null, sorted: true, maxArrayLength: null, maxStringLength: null }

/**
 * A constraint of Fastify's router that chooses among the routes of a URL by the version that their scheme reads. What
 * stands for a route is plain data, for the router compares it deeply and prints it; what is behind it is kept here.
 */
export class VersionConstraint {
  readonly name = CONSTRAINT
  readonly #choices = new WeakMap<object, Choice>()
  readonly #labels = new Map<VersioningScheme, string>()

  /** What stands for a choice in the constraints of its route: its versions, and the scheme if it is not the first. */
  valueFor (choice: Choice): object {
    const value = choice.claim === null ? ['any other'] : this.#describe(choice.claim)
    this.#choices.set(value, choice)
    return value
  }

  /** Whether it is one of the values that stand for a choice. */
  knows (value: unknown): boolean {
    return this.#choices.has(value as object)
  }

  /** The raw request itself: only where routes have versions somebody looks at it. */
  readonly deriveConstraint = (raw: RawRequest): unknown => raw

  readonly storage = (): ChoiceStore => new ChoiceStore(this.#choices)

  #describe ({ scheme, versions, from }: Claim): object {
    const range = { from: versions[0], to: versions.at(-1) }
    const served = from === null ? [...versions] : range
    const label = this.#labelOf(scheme)
    return label === '' ? served : { scheme: label, version: served }
  }

  /** Schemes of one class are numbered. */
  #labelOf (scheme: VersioningScheme): string {
    const known = this.#labels.get(scheme)
    if (known !== undefined) return known
    const name = nameOf(scheme)
    const count = [...this.#labels.keys()].filter((other) => nameOf(other) === name).length
    const label = count === 0 ? name : `${name} (${count + 1})`
    this.#labels.set(scheme, this.#labels.size === 0 ? '' : label)
    return this.#labelOf(scheme)
  }
}

/** What sets a route apart beside its version: a text for each constraint, in order. */
export function constraintsOf (constraints: object): string[] {
  const others = Object.entries(constraints).filter(([name]) => name !== CONSTRAINT)
  return others.map((other) => inspect(other, WHOLE)).sort()
}

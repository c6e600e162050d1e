import { inspect } from 'node:util'

import { ChoiceStore } from './choice-store.ts'

import type { Choice } from './choice-store.ts'
import type { RawRequest } from '../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

const REST = 'any other'

/**
 * A constraint of Fastify's router that chooses among the routes of a URL by the version that their scheme reads. The
 * router compares constraints deeply, so that a text stands for what a route takes, and the rest is kept here.
 */
export class VersionConstraint {
  readonly name = CONSTRAINT
  readonly #choices = new Map<string, Choice>()

  /** What stands for a choice in the constraints of its routes: its versions, numbered where others have the same. */
  textFor (choice: Choice): string {
    const versions = choice.claim?.versions.join(', ') ?? REST
    for (let text = versions, i = 2; ; text = `${versions} (${i++})`) {
      const known = this.#choices.get(text)
      if (known === undefined) this.#choices.set(text, choice)
      if (known === undefined || isSame(known, choice)) return text
    }
  }

  /** The raw request itself: only where routes have versions somebody looks at it. */
  readonly deriveConstraint = (raw: RawRequest): unknown => raw

  readonly storage = (): ChoiceStore => new ChoiceStore(this.#choices)
}

/** What sets a route apart beside its version, one text for each constraint. */
export function constraintsOf (constraints: object): Set<string> {
  const others = Object.entries(constraints).filter(([name]) => name !== CONSTRAINT)
  return new Set(others.map((other) => inspect(other, { depth: null, sorted: true })).sort())
}

function isSame (a: Choice, b: Choice): boolean {
  return a.claim?.scheme === b.claim?.scheme && a.claim?.from === b.claim?.from &&
    a.claim?.versions.join() === b.claim?.versions.join() && [...a.others].join() === [...b.others].join()
}

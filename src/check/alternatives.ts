import { TOLD, elementsOf, grouped, keyOf, nameOf, shortJson } from './json.ts'
import { areOverlapping, combine, listed, schemasOf } from './combined-schema.ts'
import { typesText } from './types.ts'

import type { Combined, Schemas } from './combined-schema.ts'
import type { Sameness } from './json.ts'

/** The names of properties that an object must have, each with the only values of the property. */
type Tags = ReadonlyMap<string, readonly unknown[]>

/** Keywords that say the same of a value whichever alternative it meets. */
export const NOTES = ['default', 'readOnly', 'writeOnly']

/** Keywords that do not limit a value by themselves. */
const UNLIMITING = ['allOf', 'x-sunset']

/** The depth to which alternatives in alternatives are looked for. */
const DEEPEST = 4

/** Tells whether a schema has a `discriminator` that tells its alternatives apart. */
export function areTold ({ parts }: Combined): boolean {
  return parts.some((part) => TOLD in part && ('anyOf' in part || 'oneOf' in part))
}

/**
 * Returns the schemas of which a value must meet one. Returns null if other keywords limit the value, too, or if a
 * value may meet two schemas of `oneOf`.
 *
 * @param isTold whether a discriminator tells the alternatives apart
 */
export function alternativesOf (combined: Combined, isTold = areTold(combined), depth = 0): Schemas[] | null {
  const [name, ...more] = combined.parts.flatMap((part) => Object.keys(part)).filter((keyword) => (
    !UNLIMITING.includes(keyword) && (depth > 0 || !NOTES.includes(keyword))
  ))
  if (more.length > 0 || (name !== 'anyOf' && name !== 'oneOf')) return null
  const all = elementsOf(combined.rules.get(name)![0]).flatMap((schema) => {
    const isNamed = nameOf(schema) !== undefined || depth > DEEPEST
    return (isNamed ? null : alternativesOf(combine([schema]), undefined, depth + 1)) ?? [[schema]]
  })
  return name === 'anyOf' || isTold || new Alternatives(all).areApart() ? all : null
}

/** Finds alternatives by the property whose values tell most of them apart. */
export class Alternatives {
  readonly #all: readonly Schemas[]
  /** The name of that property, or undefined if no property has required values. */
  readonly #tag: string | undefined
  /** The alternatives by the key of each value, or by undefined if they have no required values of the property. */
  readonly #byValue: ReadonlyMap<string | undefined, readonly Schemas[]>
  #byHash: ReadonlyMap<number, readonly Schemas[]> | undefined

  constructor (all: readonly Schemas[]) {
    this.#all = all
    const byTag = grouped(all, (alternative) => tagsOf(alternative).keys())
    this.#tag = [...byTag].sort(([, some], [, others]) => others.length - some.length)[0]?.[0]
    this.#byValue = grouped(all, (alternative) => this.#valuesOf(alternative)?.map(keyOf) ?? [undefined])
  }

  #valuesOf (alternative: Schemas): readonly unknown[] | undefined {
    return this.#tag === undefined ? undefined : tagsOf(alternative).get(this.#tag)
  }

  /** Returns the alternatives that a value of a schema may meet. */
  near (schemas: Schemas): Schemas[] {
    const keys = this.#valuesOf(schemas)?.map(keyOf)
    const all = keys === undefined ? this.#all : [...keys, undefined].flatMap((key) => this.#byValue.get(key) ?? [])
    return [...new Set(all)].filter((alternative) => !isApart(schemas, alternative))
  }

  /** Returns the alternatives that are the same as a schema. */
  sameAs (schemas: Schemas, sameness: Sameness): Schemas[] {
    this.#byHash ??= grouped(this.#all, ([schema]) => [sameness.hashOf(schema)])
    const candidates = this.#byHash.get(sameness.hashOf(schemas[0])) ?? []
    return candidates.filter((candidate) => (
      schemas.length + candidate.length === 2 && sameness.of(schemas[0], candidate[0])
    ))
  }

  /** Tells whether no value meets two alternatives. */
  areApart (): boolean {
    return this.#all.every((alternative) => this.near(alternative).every((near) => near === alternative))
  }

  /** Returns the name of an alternative for a message, or what tells it apart. A single one is the whole schema. */
  describe (alternative: Schemas): string {
    const name = this.#all.length > 1 ? nameOf(alternative[0]) : undefined
    const values = name === undefined ? this.#valuesOf(alternative) : undefined
    const what = name ?? kindOf(alternative)
    return values === undefined ? what : `${what} with ${shortJson(this.#tag)} ${listed(values)}`
  }
}

function tagsOf (schemas: Schemas): Tags {
  const combined = combine(schemas)
  if (combined.types.join() !== 'object') return new Map()
  return new Map([...combined.required].flatMap((name) => {
    const { values } = combine(schemasOf(combined, name))
    return values === undefined ? [] : [[name, values] as const]
  }))
}

/** Tells whether no value meets both schemas: types, or values of a property that both require, differ. */
function isApart (some: Schemas, others: Schemas): boolean {
  const [first, second] = [combine(some), combine(others)]
  if (!areOverlapping(first, second)) return true
  const areObjects = [first, second].every(({ types }) => types.join() === 'object')
  return areObjects && [...first.required].some((name) => (
    second.required.has(name) && !areOverlapping(combine(schemasOf(first, name)), combine(schemasOf(second, name)))
  ))
}

/** Returns the name of an alternative: the schema that it refers to, its values, or its types. */
export function alternativeName (schemas: Schemas): string {
  return nameOf(schemas[0]) ?? kindOf(schemas)
}

function kindOf (schemas: Schemas): string {
  const { types, values } = combine(schemas)
  return values ? listed(values) : typesText(types)
}

import { TOLD, elementsOf, grouped, keyOf, nameOf, shortJson } from './json.ts'
import { areOverlapping, listed, plain, saidOf } from './combined-schema.ts'
import { typesText } from './types.ts'

import type { Plain, Schemas } from './combined-schema.ts'
import type { Sameness } from './json.ts'

/** The properties that an object must have with one of some values, by their names. */
type Tags = ReadonlyMap<string, readonly unknown[]>

/** What is said of a value whichever alternative it meets. */
export const NOTES = ['default', 'readOnly', 'writeOnly']

/** What does not limit a value by itself. */
const UNLIMITING = ['allOf', 'x-sunset']

/** How deep alternatives are looked for in one another. */
const DEEPEST = 4

/** Whether a `discriminator` tells the alternatives of a schema apart. */
export function areTold ({ parts }: Plain): boolean {
  return parts.some((part) => TOLD in part && ('anyOf' in part || 'oneOf' in part))
}

/**
 * The schemas of which a value must meet one, or null if it must meet more than that, or must not meet two of them.
 *
 * @param isTold whether something else tells them apart
 */
export function alternativesOf (said: Plain, isTold = areTold(said), depth = 0): Schemas[] | null {
  const [name, ...more] = said.parts.flatMap((part) => Object.keys(part)).filter((keyword) => (
    !UNLIMITING.includes(keyword) && (depth > 0 || !NOTES.includes(keyword))
  ))
  if (more.length > 0 || (name !== 'anyOf' && name !== 'oneOf')) return null
  const all = elementsOf(said.rules.get(name)![0]).flatMap((schema) => {
    const isNamed = nameOf(schema) !== undefined || depth > DEEPEST
    return (isNamed ? null : alternativesOf(plain([schema]), undefined, depth + 1)) ?? [[schema]]
  })
  return name === 'anyOf' || isTold || new Alternatives(all).areApart() ? all : null
}

/** Alternatives, by the values of the property that tells most of them apart. */
export class Alternatives {
  readonly #all: readonly Schemas[]
  /** The property, or undefined if none has required values. */
  readonly #tag: string | undefined
  /** By the keys of the values, or undefined for those without required values of the property. */
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

  /** The alternatives whose values may be those of a schema. */
  near (schemas: Schemas): Schemas[] {
    const keys = this.#valuesOf(schemas)?.map(keyOf)
    const all = keys === undefined ? this.#all : [...keys, undefined].flatMap((key) => this.#byValue.get(key) ?? [])
    return [...new Set(all)].filter((alternative) => !isApart(schemas, alternative))
  }

  /** Those that are the same as a schema. */
  sameAs (schemas: Schemas, sameness: Sameness): Schemas[] {
    this.#byHash ??= grouped(this.#all, ([schema]) => [sameness.hashOf(schema)])
    const candidates = this.#byHash.get(sameness.hashOf(schemas[0])) ?? []
    return candidates.filter((candidate) => (
      schemas.length + candidate.length === 2 && sameness.of(schemas[0], candidate[0])
    ))
  }

  /** Whether no value meets two of them. */
  areApart (): boolean {
    return this.#all.every((alternative) => this.near(alternative).every((near) => near === alternative))
  }

  /** What a message calls one of them: its name, or what tells it apart. A single one is the whole schema. */
  describe (alternative: Schemas): string {
    const name = this.#all.length > 1 ? nameOf(alternative[0]) : undefined
    const values = name === undefined ? this.#valuesOf(alternative) : undefined
    const what = name ?? kindOf(alternative)
    return values === undefined ? what : `${what} with ${shortJson(this.#tag)} ${listed(values)}`
  }
}

function tagsOf (schemas: Schemas): Tags {
  const said = plain(schemas)
  if (said.types.join() !== 'object') return new Map()
  return new Map([...said.required].flatMap((name) => {
    const { values } = plain(saidOf(said, name))
    return values === undefined ? [] : [[name, values] as const]
  }))
}

/** Whether no value meets both: they have other types, or other values of a property that both require. */
function isApart (some: Schemas, others: Schemas): boolean {
  const [first, second] = [plain(some), plain(others)]
  if (!areOverlapping(first, second)) return true
  const areObjects = [first, second].every(({ types }) => types.join() === 'object')
  return areObjects && [...first.required].some((name) => (
    second.required.has(name) && !areOverlapping(plain(saidOf(first, name)), plain(saidOf(second, name)))
  ))
}

/** What an alternative is called: the schema that it refers to, its values, or its types. */
export function alternativeName (schemas: Schemas): string {
  return nameOf(schemas[0]) ?? kindOf(schemas)
}

function kindOf (schemas: Schemas): string {
  const { types, values } = plain(schemas)
  return values ? listed(values) : typesText(types)
}

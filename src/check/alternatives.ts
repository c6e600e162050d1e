import { SHARED, keyOf, namesInPointer, shortJson } from './json.ts'
import { NOTES, areOverlapping, listed, nameOf, requiredIn, saidOf } from './combined-schema.ts'
import { TYPES, typesText } from './types.ts'

import type { Said, SchemaReader, Schemas } from './combined-schema.ts'

/** How deep alternatives may be inside one another. */
const DEEPEST = 50

/**
 * The schemas of which a value must meet one, or null if it must meet more than that, or must not meet two of them.
 *
 * @param hasNotes whether each of them has what is said beside them, such as a default
 */
export function alternativesOf (
  reader: SchemaReader, schemas: Schemas, hasNotes: boolean, depth = 0
): Schemas[] | null {
  const { types, values, rules } = reader.said(schemas)
  const [[name, [list, ...lists]] = ['', []], ...more] = [...rules].filter(([rule]) => !NOTES.includes(rule))
  if (values || lists.length > 0 || more.length > 0 || !/^(?:any|one)Of$/.test(name) || depth > DEEPEST) return null
  const members = (list as readonly unknown[]).map((member) => [member])
  // The type beside them says no more than theirs.
  if (members.some((member) => reader.said(member).types.some((type) => !types.includes(type)))) return null
  if (name === 'oneOf' && !new Alternatives(reader, members).areApart()) return null
  const notes = [...hasNotes ? rules : []].filter(([rule]) => rule !== name)
    .flatMap(([rule, all]) => all.map((value) => ({ [rule]: value })))
  const noted = notes.length === 0
    ? members
    : members.map((member) => (
      [{ allOf: [...member, ...notes], [SHARED]: nameOf(member) }]
    ))
  return noted.flatMap((member) => alternativesOf(reader, member, true, depth + 1) ?? splitByType(reader, member))
}

/** A schema of several types as an alternative for each: another document may have written it so. */
export function splitByType (reader: SchemaReader, schemas: Schemas): readonly Schemas[] {
  const { types } = reader.said(schemas)
  const isSingle = types.length < 2 || types.join() === 'integer,number' || types.length === TYPES.length
  return isSingle ? [schemas] : reader.split(schemas.length === 1 ? schemas[0] : { allOf: schemas })
}

/** Alternatives, by the values of the property that tells most of them apart. */
export class Alternatives {
  readonly #reader: SchemaReader
  readonly #all: readonly Schemas[]
  /** The property, or undefined if none has required values. */
  readonly #tag: string | undefined
  readonly #byValue = new Map<string, Schemas[]>()
  /** Those without required values of the property. */
  readonly #others: Schemas[] = []

  constructor (reader: SchemaReader, all: readonly Schemas[]) {
    this.#reader = reader
    this.#all = all
    const counts = new Map<string, number>()
    for (const name of all.flatMap((alternative) => this.#tagsOf(alternative))) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    this.#tag = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
    for (const alternative of all) {
      const values = this.#valuesOf(alternative)
      if (values === undefined) this.#others.push(alternative)
      for (const key of new Set(values?.map(keyOf))) {
        this.#byValue.set(key, [...this.#byValue.get(key) ?? [], alternative])
      }
    }
  }

  /** The properties that an object must have with one of some values. */
  #tagsOf (alternative: Schemas): string[] {
    const said = this.#reader.said(alternative)
    if (said.types.join() !== 'object') return []
    return [...requiredIn(said)].filter((name) => this.#reader.said(saidOf(said, name)).values !== undefined)
  }

  #valuesOf (alternative: Schemas): readonly unknown[] | undefined {
    const said = this.#reader.said(alternative)
    if (this.#tag === undefined || said.types.join() !== 'object' || !requiredIn(said).has(this.#tag)) return undefined
    return this.#reader.said(saidOf(said, this.#tag)).values
  }

  /** The alternatives whose values may be those of a schema, in their order. */
  near (schemas: Schemas): Schemas[] {
    const values = this.#valuesOf(schemas)
    const found = values?.flatMap((value) => this.#byValue.get(keyOf(value)) ?? [])
    const all = found === undefined ? this.#all : new Set([...found, ...this.#others])
    return [...all].filter((alternative) => !this.#isApart(schemas, alternative))
  }

  /** Whether no value meets two of them. */
  areApart (): boolean {
    return this.#all.every((alternative) => this.near(alternative).every((near) => near === alternative))
  }

  /** Whether no value meets both: they have other types, or other values of a property that both require. */
  #isApart (some: Schemas, others: Schemas): boolean {
    const [first, second] = [this.#reader.said(some), this.#reader.said(others)]
    if (areApart(first, second)) return true
    const areObjects = [first, second].every(({ types }) => types.join() === 'object')
    return areObjects && [...requiredIn(first)].some((name) => requiredIn(second).has(name) && areApart(
      this.#reader.said(saidOf(first, name)), this.#reader.said(saidOf(second, name))
    ))
  }

  /** What a message calls one of them: its name, or what tells it apart. A single one is the whole schema. */
  describe (alternative: Schemas): string {
    const name = this.#all.length > 1 ? nameOf(alternative) : undefined
    if (name !== undefined) return namesInPointer(name).at(-1) as string
    const { types, values } = this.#reader.said(alternative)
    const what = values ? listed(values) : typesText(types)
    const tags = this.#valuesOf(alternative)
    return tags === undefined ? what : `${what} with ${shortJson(this.#tag)} ${listed(tags)}`
  }
}

/** Whether values have other types, or are others. What is never allowed is compared with anything. */
function areApart (first: Said, second: Said): boolean {
  return first.types.length > 0 && second.types.length > 0 && !areOverlapping(first, second)
}

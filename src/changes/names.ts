import { toPattern } from './pattern.ts'
import { entriesOf, isObject, listOf } from './schema.ts'
import { isZod, zodKeywordsOf } from './zod.ts'

import type { Edition, Place } from './edition.ts'
import type { Direction } from './read.ts'

type Members = Readonly<Record<string, unknown>>

/** What one schema says of the names of members. */
interface Layer {
  readonly names: ReadonlySet<string>
  readonly patterns: readonly RegExp[]
  /** Whether it has no others: validators remove these without a word, or refuse them. */
  readonly isClosed: boolean
}

/** Types whose values have no members. */
const SIMPLE = ['array', 'boolean', 'integer', 'null', 'number', 'string']

/**
 * The names that a schema has for the members of a value, and of the values inside. What several schemas say of one
 * member, or only alternatives, is not looked at.
 */
export class Names {
  /** As messages call the schema. */
  readonly version: string = 'newer'
  readonly #edition: Edition
  readonly #layers: Layer[] = []
  readonly #closed: readonly Layer[]
  readonly #choices: Names[][] = []
  /** The schemas of members by name, by pattern, and of all others; and of items. */
  readonly #named = new Map<string, Place[]>()
  readonly #others: (readonly [pattern: RegExp | null, place: Place])[] = []
  readonly #items: Place[] = []
  #isOpen = false
  /** Names of the values inside, by the schema. */
  readonly #inner = new Map<Place, Names>()

  constructor (place: Place, edition: Edition) {
    this.#edition = edition
    this.#read(place, new Set())
    this.#closed = this.#layers.filter(({ isClosed }) => isClosed)
  }

  /** The names that the schema has, for a hint. */
  get known (): string[] {
    const inChoices = this.#choices.flat().flatMap(({ known }) => known)
    return [...new Set([...this.#layers.flatMap(({ names }) => [...names]), ...inChoices])]
  }

  /** Whether a validator leaves a member of this name. */
  allows (key: string): boolean {
    for (let i = 0; i < this.#closed.length; i++) if (!isIn(this.#closed[i], key)) return false
    return this.#choices.length === 0 || this.#choices.every((branches) => branches.some((one) => one.allows(key)))
  }

  /** Whether a serializer writes a member of this name. */
  has (key: string): boolean {
    const isAny = this.#isOpen || this.#layers.length + this.#choices.length === 0
    return isAny || this.describes(key) || this.#choices.flat().some((one) => one.has(key))
  }

  /** Whether the schema says what a member of this name is. */
  describes (key: string): boolean {
    return this.#layers.some((layer) => isIn(layer, key)) || this.#choices.flat().some((one) => one.describes(key))
  }

  /** The names inside a member; null if it is not known which these are. */
  inside (key: string): Names | null {
    if (this.#choices.flat().some((one) => one.describes(key))) return null
    const named = this.#named.get(key) ?? []
    const matching = this.#others.filter(([pattern]) => pattern?.test(key))
    const others = named.length + matching.length > 0 ? matching : this.#others.filter(([pattern]) => pattern === null)
    return this.#of([...named, ...others.map(([, place]) => place)])
  }

  get items (): Names | null {
    return this.#of(this.#items)
  }

  #of (places: readonly Place[]): Names | null {
    if (places.length !== 1) return null
    const [place] = places
    const names = this.#inner.get(place) ?? namesOf(place, this.#edition)
    this.#inner.set(place, names)
    return names
  }

  /** Adds what a schema says of the same value. */
  #read (given: Place, within: Set<unknown>): void {
    const { schema, document } = this.#edition.enter(given.schema, given.document)
    if (!isObject(schema) || within.has(schema)) return
    within.add(schema)
    const keywords = isZod(schema) ? zodKeywordsOf(schema) : schema
    const at = (one: unknown): Place => ({ schema: one, document })
    const target = typeof schema.$ref === 'string' ? this.#edition.resolve(schema.$ref, document) : null
    for (const one of [...target === null ? [] : [target], ...listOf(keywords.allOf).map(at)]) this.#read(one, within)
    for (const branches of [keywords.anyOf, keywords.oneOf].map(listOf)) {
      const objects = branches.filter(mayBeObject).map((one) => namesOf(at(one), this.#edition))
      if (objects.length > 0) this.#choices.push(objects)
    }
    const { properties, patternProperties, additionalProperties: rest, items } = keywords
    const patterns = entriesOf(patternProperties).map(([pattern, part]) => [toPattern(pattern), at(part)] as const)
    for (const [key, part] of entriesOf(properties)) {
      this.#named.set(key, [...this.#named.get(key) ?? [], at(part)])
    }
    this.#others.push(...patterns)
    if (rest === true || isObject(rest)) this.#isOpen = true
    if (isObject(rest)) this.#others.push([null, at(rest)])
    if (isObject(items) && !Array.isArray(items)) this.#items.push(at(items))
    const isClosed = isClosedObject(schema)
    if (properties === undefined && patternProperties === undefined && !isClosed) return
    this.#layers.push({
      names: new Set(Object.keys(Object(properties))), patterns: patterns.map(([pattern]) => pattern), isClosed
    })
  }
}

const known = new WeakMap<Edition, Map<unknown, Map<unknown, Names>>>()

/** The names of a schema, of which there are as many as there are schemas. */
export function namesOf (place: Place, edition: Edition): Names {
  const { schema, document } = edition.enter(place.schema, place.document)
  const ofEdition = known.get(edition) ?? new Map<unknown, Map<unknown, Names>>()
  known.set(edition, ofEdition)
  const ofSchema = ofEdition.get(schema) ?? new Map<unknown, Names>()
  ofEdition.set(schema, ofSchema)
  const names = ofSchema.get(document) ?? new Names(place, edition)
  ofSchema.set(document, names)
  return names
}

/**
 * What the function of a change may return: members that the schema has which it converts to. An upgrade may also pass
 * on what a client has sent beyond an open older schema, and a downgrade whatever it was given: serializers drop it.
 */
export class NewNames {
  readonly #to: Names
  readonly #from: Names
  readonly #isUpgrade: boolean
  readonly version: string
  /** Whether nothing in the schema of the given values takes what it does not describe. */
  readonly #isClosed: boolean

  static of (newer: readonly [Place, Edition], older: readonly [Place, Edition], direction: Direction): NewNames {
    return direction === 'upgrade' ? new NewNames(newer, older, true) : new NewNames(older, newer, false)
  }

  private constructor (to: readonly [Place, Edition], from: readonly [Place, Edition], isUpgrade: boolean) {
    this.#to = namesOf(...to)
    this.#from = namesOf(...from)
    this.#isUpgrade = isUpgrade
    this.version = isUpgrade ? 'newer' : 'older'
    this.#isClosed = isUpgrade && !from[1].has(from[0].schema, ({ schema }) => isOpen(schema))
  }

  get known (): string[] {
    return this.#to.known
  }

  allows (key: string, before: Members): boolean {
    if (this.#isUpgrade ? this.#to.allows(key) : this.#to.has(key)) return true
    return Object.hasOwn(before, key) && !(this.#isUpgrade && this.#from.describes(key))
  }

  inside (key: string): Names | null {
    return this.#isClosed ? this.#to.inside(key) : null
  }

  get items (): Names | null {
    return this.#isClosed ? this.#to.items : null
  }
}

function isIn ({ names, patterns }: Layer, key: string): boolean {
  return names.has(key) || (patterns.length > 0 && patterns.some((pattern) => pattern.test(key)))
}

function isClosedObject (schema: unknown): boolean {
  if (!isZod(schema)) return (Object(schema) as Members).additionalProperties === false
  const { type, additionalProperties } = zodKeywordsOf(schema)
  const isClosed = additionalProperties === undefined || (isZod(additionalProperties) && isNever(additionalProperties))
  return type === 'object' && isClosed
}

function isNever (schema: { readonly _zod: { readonly def: { readonly type: string } } }): boolean {
  return schema._zod.def.type === 'never'
}

function mayBeObject (schema: unknown): boolean {
  const { type, const: one, enum: several } = isZod(schema) ? zodKeywordsOf(schema) : Object(schema) as Members
  const values = one === undefined ? several : [one]
  if (Array.isArray(values)) return values.some(isObject)
  return type === undefined || ![type].flat().every((one) => SIMPLE.includes(one as string))
}

/** Whether a schema by itself takes members that it does not describe. */
function isOpen (schema: unknown): boolean {
  if (!isObject(schema)) return schema === true
  const keywords = isZod(schema) ? zodKeywordsOf(schema) : schema
  const { type, properties, $ref, allOf, anyOf, oneOf, const: one, enum: several } = keywords
  const isObjectSchema = [type].flat().includes('object') || isObject(properties)
  const isAny = [type, $ref, allOf, anyOf, oneOf, one, several].every((keyword) => keyword === undefined)
  return (isObjectSchema || isAny) && !isClosedObject(schema)
}

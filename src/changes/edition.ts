import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import {
  LITERALS, MAPS, entriesOf, idOf, idsIn, isObject, keptIn, keysOf, keywordsOf, listOf, onlyReferenceOf, partsIn,
  schemasIn, toPattern
} from './schema.ts'
import { isZod, zodCopy } from './zod.ts'

import type { Step, ValueStep } from './read-changes.ts'
import type { ObjectSchema } from './schema.ts'

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']
/** Keywords that limit the type of a value. */
const TYPE_KEYWORDS = [
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'properties', 'patternProperties',
  'additionalProperties', 'items', 'prefixItems'
]

/** The schema that allows every value. */
const ANYTHING = {}

/** The schema that local references are relative to: a schema with an `$id`, or the outermost schema of a part. */
export interface Document {
  readonly root: unknown
  readonly id: string | null
}

/** A schema of an edition, in its document. An edition makes only one Place of the two, so `===` compares places. */
export class Place {
  readonly schema: unknown
  readonly document: Document
  readonly edition: Edition
  /** The keywords of the schema. A Zod schema has those of a similar JSON Schema. */
  readonly keywords: ObjectSchema
  #members: ReadonlyMap<string, Place> | null = null
  #patterns: readonly (readonly [pattern: RegExp, place: Place])[] | null = null

  constructor (schema: unknown, document: Document, edition: Edition) {
    this.schema = schema
    this.document = document
    this.edition = edition
    this.keywords = keywordsOf(schema)
  }

  /** The `$id` of the schema, or null. */
  get id (): string | null {
    return this.schema === this.document.root ? this.document.id : null
  }

  /** Returns the place of a schema inside this schema. */
  enter (part: unknown): Place {
    return this.edition.enter(part, this.document)
  }

  /** The schema that its `$ref` leads to; null if there is no `$ref`, or if it leads nowhere. */
  get target (): Place | null {
    const { $ref } = this.keywords
    return typeof $ref === 'string' ? this.edition.resolve($ref, this.document) : null
  }

  /** Whether the schema does not limit the type of a value. The value may have anything inside then. */
  get isAny (): boolean {
    return TYPE_KEYWORDS.every((keyword) => this.keywords[keyword] === undefined)
  }

  /** The schemas of members by their names. */
  get members (): ReadonlyMap<string, Place> {
    const read = () => entriesOf(this.keywords.properties).map(([key, part]) => [key, this.enter(part)] as const)
    return (this.#members ??= new Map(read()))
  }

  get patterns (): readonly (readonly [pattern: RegExp, place: Place])[] {
    const read = () => entriesOf(this.keywords.patternProperties)
    return (this.#patterns ??= read().map(([pattern, part]) => [toPattern(pattern), this.enter(part)]))
  }

  /** The schema of all other members, or null. */
  get rest (): Place | null {
    const { additionalProperties } = this.keywords
    return isObject(additionalProperties) ? this.enter(additionalProperties) : null
  }

  /** The schemas of the items of a tuple, and the schema of all other items. Draft 07 has the tuple in `items`. */
  get items (): readonly [first: readonly unknown[], others: unknown] {
    const { items, additionalItems, prefixItems } = this.keywords
    return Array.isArray(items) ? [items, additionalItems] : [listOf(prefixItems), items]
  }

  /** Returns the schemas of a member that this schema names, or has patterns for. */
  named (key: string): Place[] {
    const matching = this.patterns.filter(([pattern]) => pattern.test(key)).map(([, place]) => place)
    return [this.members.get(key) ?? [], matching].flat()
  }

  /** Returns the schemas of a member, or of an item by its index. */
  inside (key: string): Place[] {
    if (this.isAny) return [this.enter(ANYTHING)]
    const named = this.named(key)
    const ofMember = named.length > 0 ? named : [this.rest ?? []].flat()
    const places = [...ofMember, .../^\d+$/.test(key) ? this.#ofItem(Number(key)) : []]
    return places.map((place) => place.schema === true ? this.enter(ANYTHING) : place)
  }

  #ofItem (index: number): Place[] {
    const [first, others] = this.items
    const parts = [index < first.length ? first[index] : others, this.keywords.contains]
    return parts.filter((part) => part !== undefined).map((part) => this.enter(part))
  }
}

/** Asks something about one schema, without the schemas inside it. */
type Question = (place: Place) => boolean

/** Makes the `$ref` that a copy has in place of a reference. */
type Refer = (reference: string, from: Document) => string

/** The schemas of a context as they were in one version. */
export class Edition {
  /** By `$id`: shared schemas, schemas inside others, and schemas that changes bring. */
  readonly schemas: ReadonlyMap<string, unknown>
  /** By `$id`: older schemas, which stand for every schema that has the `$id`. */
  readonly #replaced: ReadonlyMap<string, unknown>
  readonly #documents = new Map<unknown, Map<string | null, Document>>()
  readonly #places = new Map<Document, Map<unknown, Place>>()
  /** The answers of `has`, by question and schema. */
  readonly #answers = new Map<Question, Map<unknown, boolean>>()
  readonly #names = new Map<unknown, ReadonlySet<string>>()
  /** The copies of Zod schemas. Each schema has one copy, because it may contain itself. */
  readonly #zod = new Map<unknown, unknown>()
  readonly #bundles = { validated: new Map<unknown, unknown>(), serialized: new Map<unknown, unknown>() }

  constructor (schemas: ReadonlyMap<string, unknown>, replaced: ReadonlyMap<string, unknown> = new Map()) {
    this.schemas = schemas
    this.#replaced = replaced
  }

  /**
   * Returns the schemas as they were before a step.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION if an older schema has an `$id` inside, but refers by it to another schema
   */
  before ({ schemas, routes }: Step): Edition {
    const older = [...schemas].map(([id, { older }]) => [id, older] as const)
    const inside = idsIn([...schemas.values()].map(({ written }) => written))
    const edition = new Edition(new Map([...inside, ...this.schemas, ...older]), new Map([...this.#replaced, ...older]))
    for (const steps of [schemas, ...routes.values()]) for (const step of steps.values()) edition.#checkIds(step)
    return edition
  }

  /** Checks that references in an older schema to an `$id` inside it lead to the schema that has the `$id` there. */
  #checkIds ({ written, change: { label } }: ValueStep): void {
    const all = schemasIn([written])
    const referred = new Set(all.map(({ $ref }) => typeof $ref === 'string' ? $ref.split('#', 1)[0] : null))
    for (const schema of all) {
      const id = idOf(schema)
      const meant = id !== null && referred.has(id) ? this.schemas.get(id) : undefined
      if (meant === undefined || meant === schema || differenceOf(meant, schema) === null) continue
      throw new VersionChangeOptionError(
        `Change ${label}: its older schema has another schema with the $id ${show(id)} than { $ref: '${id}#' } leads ` +
        'to. Give it another $id, and refer to that.'
      )
    }
  }

  /** Tells whether changes have replaced a schema, or a schema that it contains or refers to. */
  isStale (schema: unknown): boolean {
    return this.has(schema, this.#isReplaced)
  }

  readonly #isReplaced: Question = ({ document: { id } }) => id !== null && this.#replaced.has(id)

  /**
   * Tells whether something is true of the schema of a part, or of a schema that it contains or refers to.
   *
   * @param isMeant the same function each time, because its answers are kept
   */
  has (schema: unknown, isMeant: Question): boolean {
    // Each route has its own reference object to a shared schema, so the `$id` is the key for all of them.
    const key = onlyReferenceOf(schema) ?? schema
    const answers = keptIn(this.#answers, isMeant, () => new Map<unknown, boolean>())
    return keptIn(answers, key, () => this.#find(this.at(schema), isMeant))
  }

  /** Returns the names of members in a schema, and in the schemas that it contains or refers to. */
  namesIn (schema: unknown): ReadonlySet<string> {
    return keptIn(this.#names, onlyReferenceOf(schema) ?? schema, () => {
      const names = new Set<string>()
      this.#find(this.at(schema), ({ members }) => {
        for (const name of members.keys()) names.add(name)
        return false
      })
      return names
    })
  }

  #find (outermost: Place, isMeant: Question): boolean {
    const places = new Set([outermost])
    for (const place of places) {
      const { schema, document } = place
      if (isMeant(place)) return true
      for (const part of partsIn(schema)) places.add(place.enter(part))
      for (const reference of REFERENCES.map((keyword) => Object(schema)[keyword])) {
        if (typeof reference !== 'string') continue
        // An anchor may lead to any schema in its document, so the whole document is searched.
        const inside = this.#documentOf(reference.split('#', 1)[0], document)
        const target = this.resolve(reference, document) ?? (inside && this.#place(inside.root, inside))
        if (target !== null) places.add(target)
      }
    }
    return false
  }

  /** Returns the place of the outermost schema of a part. */
  at (schema: unknown): Place {
    return this.enter(schema, this.#document(schema, null))
  }

  find (id: string): Place | null {
    const root = this.schemas.get(id) ?? null
    return root === null ? null : this.#place(root, this.#document(root, id))
  }

  /** Returns the place of a schema in a document. A schema with an `$id` is a document itself, or has been replaced. */
  enter (schema: unknown, document: Document): Place {
    const id = idOf(schema)
    if (id === null || (schema === document.root && document.id !== null)) return this.#place(schema, document)
    const root = this.#replaced.get(id) ?? schema
    return this.#place(root, this.#document(root, id))
  }

  /** Returns the place that a reference by an `$id`, a JSON pointer or both leads to; null for other references. */
  resolve (reference: string, from: Document): Place | null {
    const [id, pointer = ''] = reference.split('#', 2)
    const keys = keysOf(pointer)
    const document = keys === null ? null : this.#documentOf(id, from)
    let place = document && this.#place(document.root, document)
    for (const key of keys ?? []) {
      if (place === null || !isObject(place.schema) || !Object.hasOwn(place.schema, key)) return null
      place = place.enter(place.schema[key])
    }
    return place
  }

  /** Returns a copy of a schema of this edition that compiles by itself: `$defs` has the schemas that it refers to. */
  bundle (schema: unknown, use: 'validated' | 'serialized' = 'validated'): unknown {
    const key = onlyReferenceOf(schema) ?? schema
    return keptIn(this.#bundles[use], key, () => this.#bundled(schema, use === 'validated'))
  }

  #bundled (schema: unknown, isValidated: boolean): unknown {
    // The target of a sole reference replaces it, because with $defs beside it, the reference would have siblings.
    // fast-json-stringify unrolls recursion through allOf behind such a reference.
    const outermost = this.find(onlyReferenceOf(schema) ?? '') ?? this.at(schema)
    const documents: Document[] = []
    const refer: Refer = (reference, from) => {
      const [id, pointer = ''] = reference.split('#', 2)
      const document = this.#documentOf(id, from)
      if (document === null) return reference
      // fast-json-stringify unrolls recursion unless it is behind "#", but Fastify's Ajv cannot resolve "#".
      if (document === outermost.document && !(isValidated && pointer === '')) return `#${pointer}`
      if (!documents.includes(document)) documents.push(document)
      return `#/$defs/${nameOf(document)}${pointer}`
    }
    const nameOf = (document: Document) => `_${documents.indexOf(document)}`
    const copy = this.copy(outermost, refer)
    if (documents.length === 0) return copy
    const $defs: Record<string, unknown> = { ...(copy as ObjectSchema).$defs as object }
    // The copy of a document may refer to more documents, which `refer` adds to the list.
    for (const document of documents) {
      $defs[nameOf(document)] = this.copy(this.#place(document.root, document), refer)
    }
    return Object.assign(copy as object, { $defs })
  }

  /** Returns a copy of a schema of this edition, without `$id`s. */
  copy ({ schema, document }: Place, refer: Refer, around: readonly unknown[] = []): unknown {
    if (!isObject(schema)) return schema
    const inner = [...around, schema]
    const part = (written: unknown): unknown => {
      const place = this.enter(written, document)
      if (!inner.includes(place.schema) || isZod(place.schema)) return this.copy(place, refer, inner)
      return { $ref: refer(`${place.document.id}#`, place.document) }
    }
    if (isZod(schema)) {
      return keptIn(this.#zod, schema, () => this.isStale(schema) ? zodCopy(schema, part) : schema)
    }
    const copy: object = Object.create(Object.getPrototypeOf(schema))
    for (const key of Reflect.ownKeys(schema)) {
      if (key === '$id' && schema === document.root && idOf(schema) !== null) continue
      // An example around a changed schema shows the newest version, so copies do not have it.
      const isExample = (key === 'example' || key === 'examples') && !this.#replaced.has(document.id ?? '')
      if (isExample && this.isStale(schema)) continue
      const { enumerable } = Object.getOwnPropertyDescriptor(schema, key) as PropertyDescriptor
      const value = copied(key, Reflect.get(schema, key), part, (reference) => refer(reference, document))
      Object.defineProperty(copy, key, { value, enumerable: enumerable === true, configurable: true, writable: true })
    }
    return copy
  }

  #documentOf (id: string, from: Document): Document | null {
    if (id === '') return from
    // If routes have different schemas with one `$id`, only these schemas themselves can refer to it.
    return this.find(id)?.document ?? (id === from.id ? from : null)
  }

  #document (root: unknown, id: string | null): Document {
    const byId = keptIn(this.#documents, root, () => new Map<string | null, Document>())
    return keptIn(byId, id, () => ({ root, id }))
  }

  #place (schema: unknown, document: Document): Place {
    const places = keptIn(this.#places, document, () => new Map<unknown, Place>())
    return keptIn(places, schema, () => new Place(schema, document, this))
  }
}

/**
 * Returns what the copy of a schema has under a keyword.
 *
 * @param part copies a schema
 * @param refer makes the reference that stands in the copy
 */
export function copied (
  key: string | symbol, value: unknown, part: (schema: unknown) => unknown, refer: (reference: string) => string
): unknown {
  if (typeof key === 'symbol' || LITERALS.has(key)) return value
  if (key === '$ref' && typeof value === 'string') return refer(value)
  if (!isObject(value)) return value
  // In draft 07 "dependencies" has lists of names as well.
  const inner = (schema: unknown) => Array.isArray(schema) ? schema.map(part) : part(schema)
  if (!MAPS.has(key)) return inner(value)
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]))
}

/**
 * Returns the first difference of two schemas as text for a message: `''` for Zod schemas, null if there is none.
 * Symbols do not count, because TypeBox 0.34 marks optional properties with a symbol.
 */
export function differenceOf (first: unknown, second: unknown, at: readonly string[] = []): string | null {
  if (first === second) return null
  if (isZod(first) || isZod(second)) return ''
  if (isObject(first) && isObject(second)) {
    // An undefined keyword counts as absent, because some builders write `$id: undefined` into copies.
    const keys = new Set([first, second].flatMap(Object.keys))
    const texts = [...keys].map((key) => differenceOf(first[key], second[key], [...at, key]))
    return texts.find((text) => text !== null) ?? null
  }
  const [there, here] = [first, second].map((value) => value === undefined ? 'absent' : show(value).slice(0, 40))
  return `: there, "${at.join('.').slice(0, 60)}" is ${there}, not ${here}`
}

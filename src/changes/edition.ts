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
/** Keywords that say of which type a value is. */
const SAYING = [
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'properties', 'patternProperties',
  'additionalProperties', 'items', 'prefixItems'
]

/** What lets everything pass. */
const ANYTHING = {}

/** A schema with an `$id`, or the outermost one of a part: what local references are relative to. */
export interface Document {
  readonly root: unknown
  readonly id: string | null
}

/** A schema of an edition, and the document that it is in. There is one for both, so that places can be compared. */
export class Place {
  readonly schema: unknown
  readonly document: Document
  readonly edition: Edition
  /** What the schema says, in the words of JSON Schema. */
  readonly keywords: ObjectSchema
  #members: ReadonlyMap<string, Place> | null = null
  #patterns: readonly (readonly [pattern: RegExp, place: Place])[] | null = null

  constructor (schema: unknown, document: Document, edition: Edition) {
    this.schema = schema
    this.document = document
    this.edition = edition
    this.keywords = keywordsOf(schema)
  }

  /** Its `$id`, or null. */
  get id (): string | null {
    return this.schema === this.document.root ? this.document.id : null
  }

  /** A schema inside of it. */
  enter (part: unknown): Place {
    return this.edition.enter(part, this.document)
  }

  /** Where its `$ref` leads; null without one, or if it leads nowhere. */
  get target (): Place | null {
    const { $ref } = this.keywords
    return typeof $ref === 'string' ? this.edition.resolve($ref, this.document) : null
  }

  /** Whether it says nothing of the type of a value, which may have everything inside then. */
  get isAny (): boolean {
    return SAYING.every((keyword) => this.keywords[keyword] === undefined)
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

  /** The schemas of items that have their own, and of all others: draft 07 has those of a tuple in `items`. */
  get items (): readonly [first: readonly unknown[], others: unknown] {
    const { items, additionalItems, prefixItems } = this.keywords
    return Array.isArray(items) ? [items, additionalItems] : [listOf(prefixItems), items]
  }

  /** What it says of a member by its name. */
  named (key: string): Place[] {
    const matching = this.patterns.filter(([pattern]) => pattern.test(key)).map(([, place]) => place)
    return [this.members.get(key) ?? [], matching].flat()
  }

  /** What it says of a member, or of an item by its index. */
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

/** Asks something of one schema, without those inside of it. */
type Question = (place: Place) => boolean

/** Makes the reference that stands in a copy. */
type Refer = (reference: string, from: Document) => string

/** The schemas of a context as they were in one version. */
export class Edition {
  /** By `$id`: shared schemas, schemas inside others, and schemas that changes bring. */
  readonly schemas: ReadonlyMap<string, unknown>
  /** By `$id`: they stand for every schema that has the `$id`. */
  readonly #replaced: ReadonlyMap<string, unknown>
  readonly #documents = new Map<unknown, Map<string | null, Document>>()
  readonly #places = new Map<Document, Map<unknown, Place>>()
  /** What is true of schemas, by the question. */
  readonly #answers = new Map<Question, Map<unknown, boolean>>()
  readonly #names = new Map<unknown, ReadonlySet<string>>()
  /** Schemas of Zod may contain themselves, and each has one copy. */
  readonly #zod = new Map<unknown, unknown>()
  readonly #bundles = { validated: new Map<unknown, unknown>(), serialized: new Map<unknown, unknown>() }

  constructor (schemas: ReadonlyMap<string, unknown>, replaced: ReadonlyMap<string, unknown> = new Map()) {
    this.schemas = schemas
    this.#replaced = replaced
  }

  /**
   * The schemas as they were before a step.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION for an `$id` that an older schema has inside, and refers to elsewhere by it
   */
  before ({ schemas, routes }: Step): Edition {
    const older = [...schemas].map(([id, { older }]) => [id, older] as const)
    const inside = idsIn([...schemas.values()].map(({ written }) => written))
    const edition = new Edition(new Map([...inside, ...this.schemas, ...older]), new Map([...this.#replaced, ...older]))
    for (const steps of [schemas, ...routes.values()]) for (const step of steps.values()) edition.#checkIds(step)
    return edition
  }

  /** In an older schema, an `$id` must mean what references to it lead to. */
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

  /** Whether changes have replaced a schema, or anything that it contains or refers to. */
  isStale (schema: unknown): boolean {
    return this.has(schema, this.#isReplaced)
  }

  readonly #isReplaced: Question = ({ document: { id } }) => id !== null && this.#replaced.has(id)

  /**
   * Whether something is true of the schema of a part, or of one that it contains or refers to.
   *
   * @param isMeant the same function each time: its answers are kept
   */
  has (schema: unknown, isMeant: Question): boolean {
    // Each route writes its own reference to a shared schema.
    const key = onlyReferenceOf(schema) ?? schema
    const answers = keptIn(this.#answers, isMeant, () => new Map<unknown, boolean>())
    return keptIn(answers, key, () => this.#find(this.at(schema), isMeant))
  }

  /** The names of members in a schema, and in what it contains or refers to. */
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
        // An anchor may lead to anything in its document.
        const inside = this.#documentOf(reference.split('#', 1)[0], document)
        const target = this.resolve(reference, document) ?? (inside && this.#place(inside.root, inside))
        if (target !== null) places.add(target)
      }
    }
    return false
  }

  /** The outermost schema of a part. */
  at (schema: unknown): Place {
    return this.enter(schema, this.#document(schema, null))
  }

  find (id: string): Place | null {
    const root = this.schemas.get(id) ?? null
    return root === null ? null : this.#place(root, this.#document(root, id))
  }

  /** A schema in a document: where it has an `$id`, it is a document itself, and may have been replaced. */
  enter (schema: unknown, document: Document): Place {
    const id = idOf(schema)
    if (id === null || (schema === document.root && document.id !== null)) return this.#place(schema, document)
    const root = this.#replaced.get(id) ?? schema
    return this.#place(root, this.#document(root, id))
  }

  /** Where a reference leads: to a shared schema, or by a JSON pointer into a document. Null for all others. */
  resolve (reference: string, from: Document): Place | null {
    const [id, pointer = ''] = reference.split('#', 2)
    const keys = keysOf(pointer)
    const document = keys === null ? null : this.#documentOf(id, from)
    let found = document && this.#place(document.root, document)
    for (const key of keys ?? []) {
      if (found === null || !isObject(found.schema) || !Object.hasOwn(found.schema, key)) return null
      found = found.enter(found.schema[key])
    }
    return found
  }

  /** A copy of a schema, as it was, that compiles by itself: `$defs` has what it refers to. */
  bundle (schema: unknown, use: 'validated' | 'serialized' = 'validated'): unknown {
    const key = onlyReferenceOf(schema) ?? schema
    return keptIn(this.#bundles[use], key, () => this.#bundled(schema, use === 'validated'))
  }

  #bundled (schema: unknown, isValidated: boolean): unknown {
    // fast-json-stringify unrolls recursion through allOf behind a reference that has siblings, such as $defs.
    const outermost = this.find(onlyReferenceOf(schema) ?? '') ?? this.at(schema)
    const documents: Document[] = []
    const refer: Refer = (reference, from) => {
      const [id, pointer = ''] = reference.split('#', 2)
      const document = this.#documentOf(id, from)
      if (document === null) return reference
      // Fastify's Ajv does not know the outermost schema by "#", behind which alone recursion is not unrolled.
      if (document === outermost.document && !(isValidated && pointer === '')) return `#${pointer}`
      if (!documents.includes(document)) documents.push(document)
      return `#/$defs/${nameOf(document)}${pointer}`
    }
    const nameOf = (document: Document) => `_${documents.indexOf(document)}`
    const copy = this.copy(outermost, refer)
    if (documents.length === 0) return copy
    const $defs: Record<string, unknown> = { ...(copy as ObjectSchema).$defs as object }
    // Copies may refer to more of them.
    for (const document of documents) {
      $defs[nameOf(document)] = this.copy(this.#place(document.root, document), refer)
    }
    return Object.assign(copy as object, { $defs })
  }

  /** A copy of a schema as it was, without `$id`s. */
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
      // What stands around a changed schema has it in the words of the newest version.
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
    // Routes may have different schemas with one `$id`, which then nothing else can refer to.
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
 * What a copy of a schema has under a keyword.
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
 * Where two schemas differ first, as a message shows it; `''` for schemas of Zod; null if nowhere. Symbols do not
 * count, by which TypeBox 0.34 marks optional properties.
 */
export function differenceOf (first: unknown, second: unknown, at: readonly string[] = []): string | null {
  if (first === second) return null
  if (isZod(first) || isZod(second)) return ''
  if (isObject(first) && isObject(second)) {
    // Some builders write `$id: undefined` into copies.
    const keys = new Set([first, second].flatMap(Object.keys))
    const texts = [...keys].map((key) => differenceOf(first[key], second[key], [...at, key]))
    return texts.find((text) => text !== null) ?? null
  }
  const [there, here] = [first, second].map((value) => value === undefined ? 'absent' : show(value).slice(0, 40))
  return `: there, "${at.join('.').slice(0, 60)}" is ${there}, not ${here}`
}

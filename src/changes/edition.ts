import { keysOf } from './json-pointer.ts'
import { LITERALS, MAPS, idOf, idsIn, isObject, keywordsOf, listOf, onlyReferenceOf, partsIn } from './schema.ts'
import { isZod, zodCopy } from './zod.ts'

import type { Step } from './read.ts'
import type { ObjectSchema } from './schema.ts'

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']

/** A schema with an `$id`, or the outermost one of a part: what local references are relative to. */
export interface Document {
  readonly root: unknown
  readonly id: string | null
}

/** A schema, and the document that it is in. */
export interface Place {
  readonly schema: unknown
  readonly document: Document
}

/** A schema of several that describe one value, in the words of JSON Schema. */
export interface Described extends Place {
  readonly keywords: ObjectSchema
}

/** Makes the reference that stands in a copy. */
type Refer = (reference: string, from: Document) => string

/** The schemas of a context as they were in one version. */
export class Edition {
  /** By `$id`: shared schemas, schemas inside others, and schemas that changes bring. */
  readonly schemas: ReadonlyMap<string, unknown>
  /** By `$id`: they stand for every schema that has the `$id`. */
  readonly #replaced: ReadonlyMap<string, unknown>
  readonly #documents = new Map<unknown, Document[]>()
  readonly #stale = new Map<unknown, boolean>()
  /** Schemas of Zod may contain themselves, and each has one copy. */
  readonly #zod = new Map<unknown, unknown>()
  readonly #bundles = { validated: new Map<unknown, unknown>(), serialized: new Map<unknown, unknown>() }

  constructor (schemas: ReadonlyMap<string, unknown>, replaced: ReadonlyMap<string, unknown> = new Map()) {
    this.schemas = schemas
    this.#replaced = replaced
  }

  /** The schemas as they were before a step. */
  before ({ schemas }: Step): Edition {
    const older = [...schemas].map(([id, { older }]) => [id, older] as const)
    const inside = idsIn([...schemas.values()].map(({ given }) => given))
    return new Edition(new Map([...inside, ...this.schemas, ...older]), new Map([...this.#replaced, ...older]))
  }

  /** Whether changes have replaced a schema, or anything that it contains or refers to. */
  isStale (schema: unknown): boolean {
    const known = this.#stale.get(schema)
    if (known !== undefined) return known
    const isStale = this.has(schema, ({ document: { id } }) => id !== null && this.#replaced.has(id))
    this.#stale.set(schema, isStale)
    return isStale
  }

  /** Whether something is true of a schema, or of one that it contains or refers to. */
  has (schema: unknown, isMeant: (place: Place) => boolean): boolean {
    const known = new Map<unknown, Set<Document>>()
    const left: Place[] = [this.at(schema)]
    for (let place = left.pop(); place !== undefined; place = left.pop()) {
      const { schema, document } = place
      if (isMeant(place)) return true
      const documents = known.get(schema) ?? new Set()
      if (documents.has(document)) continue
      known.set(schema, documents.add(document))
      for (const part of partsIn(schema)) left.push(this.enter(part, document))
      for (const keyword of REFERENCES) {
        const reference = (Object(schema) as ObjectSchema)[keyword]
        if (typeof reference !== 'string') continue
        // An anchor may lead to anything in its document.
        const inside = this.#documentOf(reference.split('#', 1)[0], document)
        const target = this.resolve(reference, document) ?? (inside && { schema: inside.root, document: inside })
        if (target !== null) left.push(target)
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
    return root === null ? null : { schema: root, document: this.#document(root, id) }
  }

  /** A schema in a document: where it has an `$id`, it is a document itself, and may have been replaced. */
  enter (schema: unknown, document: Document): Place {
    const id = idOf(schema)
    if (id === null || (schema === document.root && document.id !== null)) return { schema, document }
    const root = this.#replaced.get(id) ?? schema
    return { schema: root, document: this.#document(root, id) }
  }

  /** Where a reference leads: to a shared schema, or by a JSON pointer into a document. Null for all others. */
  resolve (reference: string, from: Document): Place | null {
    const [id, pointer = ''] = reference.split('#', 2)
    const keys = keysOf(pointer)
    const document = keys === null ? null : this.#documentOf(id, from)
    let found: Place | null = document && { schema: document.root, document }
    for (const key of keys ?? []) {
      if (found === null || !isObject(found.schema) || !Object.hasOwn(found.schema, key)) return null
      found = this.enter(found.schema[key], found.document)
    }
    return found
  }

  /** All schemas that describe a value together: by "$ref" and "allOf", the outermost first. */
  inPlace (place: Place, found: Described[] = []): readonly Described[] {
    const { schema, document } = this.enter(place.schema, place.document)
    if (!isObject(schema) || found.some((one) => one.schema === schema && one.document === document)) return found
    const keywords = keywordsOf(schema)
    found.push({ schema, document, keywords })
    const target = typeof schema.$ref === 'string' ? this.resolve(schema.$ref, document) : null
    if (target !== null) this.inPlace(target, found)
    for (const part of listOf(keywords.allOf)) this.inPlace({ schema: part, document }, found)
    return found
  }

  /** A copy of a schema, as it was, that compiles by itself: `$defs` has what it refers to. */
  bundle (given: unknown, use: 'validated' | 'serialized' = 'validated'): unknown {
    const key = onlyReferenceOf(given) ?? given
    const known = this.#bundles[use]
    if (!known.has(key)) known.set(key, this.#bundled(given, use === 'validated'))
    return known.get(key)
  }

  #bundled (given: unknown, isValidated: boolean): unknown {
    // fast-json-stringify unrolls recursion through allOf behind a reference that has siblings, such as $defs.
    const outermost = this.find(onlyReferenceOf(given) ?? '') ?? this.at(given)
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
    for (const document of documents) $defs[nameOf(document)] = this.copy({ schema: document.root, document }, refer)
    return Object.assign(copy as object, { $defs })
  }

  /** A copy of a schema as it was, without `$id`s. */
  copy (place: Place, refer: Refer, within: readonly unknown[] = []): unknown {
    const { schema, document } = place
    if (!isObject(schema)) return schema
    const inner = [...within, schema]
    const part = (one: unknown): unknown => {
      const entered = this.enter(one, document)
      const { schema, document: { id } } = entered
      if (!inner.includes(schema) || isZod(schema)) return this.copy(entered, refer, inner)
      return { $ref: refer(`${id}#`, entered.document) }
    }
    if (isZod(schema)) {
      const known = this.#zod.get(schema) ?? (this.isStale(schema) ? zodCopy(schema, part) : schema)
      this.#zod.set(schema, known)
      return known
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
    const known = this.#documents.get(root) ?? []
    const same = known.find((one) => one.id === id)
    if (same !== undefined) return same
    const document = { root, id }
    this.#documents.set(root, [...known, document])
    return document
  }
}

/**
 * What a copy of a schema has under a keyword.
 *
 * @param part copies a schema
 * @param refer makes the reference that stands in the copy
 */
export function copied (
  key: string | symbol, value: unknown, part: (one: unknown) => unknown, refer: (reference: string) => string
): unknown {
  if (typeof key === 'symbol' || LITERALS.has(key)) return value
  if (key === '$ref' && typeof value === 'string') return refer(value)
  if (!isObject(value)) return value
  // In draft 07 "dependencies" has lists of names as well.
  const inner = (one: unknown) => Array.isArray(one) ? one.map(part) : part(one)
  if (!MAPS.has(key)) return inner(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))
}

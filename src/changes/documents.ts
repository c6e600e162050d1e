import { isZod, zodIdOf, zodPartsOf } from './zod.ts'

/** A schema that is an object. */
export type ObjectSchema = Readonly<Record<string, unknown>>

/** A schema with an `$id`, or the outermost one of a part: what local references are relative to. */
export interface Document {
  readonly root: unknown
  /** By which others refer to it, or null for the outermost schema of a part, and for a schema without one. */
  readonly id: string | null
  /** The one that it is embedded in. */
  readonly parent: Document | null
}

/** A schema, and the document that its references are relative to. */
export interface Located {
  readonly schema: unknown
  readonly document: Document
}

/** Keywords whose values are not schemas. */
export const LITERALS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples', 'required'])
/** Keywords that hold schemas by names, which may also be names of keywords. */
export const MAPS: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'
])
/** A reference to a whole schema other than its own. */
const WHOLE = /^[^#]+#?$/

const names = new WeakMap<object, Names>()

/** What is embedded in a document. */
interface Names {
  /** By their `$id`. */
  readonly ids: ReadonlyMap<string, object>
  /** By `$anchor`, or an `$id` that is a fragment. */
  readonly anchors: ReadonlyMap<string, object>
  readonly references: ReadonlySet<string>
}

/** The schemas as they were in one version: the shared ones, and replacements for some of them. */
export class Schemas {
  readonly shared: ReadonlyMap<string, unknown>
  /** By `$id`, wherever a schema with that `$id` stands. */
  readonly overrides: ReadonlyMap<string, unknown>
  /** By `$id`, the schemas inside older schemas. A schema that is found elsewhere wins. */
  readonly extras: ReadonlyMap<string, unknown>
  readonly #documents = new Map<unknown, Document[]>()

  constructor (
    shared: ReadonlyMap<string, unknown>, overrides: ReadonlyMap<string, unknown>, extras: ReadonlyMap<string, unknown>
  ) {
    this.shared = shared
    this.overrides = overrides
    this.extras = extras
  }

  /** The `$id`s of all schemas, without the schemas inside other ones. */
  get ids (): ReadonlySet<string> {
    return new Set([...this.shared.keys(), ...this.overrides.keys(), ...this.extras.keys()])
  }

  /** The outermost schema of a part. */
  locate (schema: unknown): Located {
    return this.enter(schema, this.#document(schema, null, null))
  }

  /** The shared schema of an `$id`, or null if there is none. */
  find (id: string): Located | null {
    const root = this.overrides.get(id) ?? this.shared.get(id) ?? this.extras.get(id)
    return root === undefined ? null : { schema: root, document: this.#document(root, id, null) }
  }

  /** A schema in a document: where it has an `$id`, it is a document itself, and may be one that was changed. */
  enter (schema: unknown, document: Document): Located {
    const id = idOf(schema)
    if (id === null || (schema === document.root && document.id !== null)) return { schema, document }
    const root = this.overrides.get(id) ?? schema
    for (let one: Document | null = document; one !== null; one = one.parent) {
      if (one.id === id && one.root === root) return { schema: root, document: one }
    }
    return { schema: root, document: this.#document(root, id, document) }
  }

  /** @returns null if the reference leads nowhere, which Fastify reports itself */
  resolve (reference: string, from: Document): Located | null {
    const [id, fragment = ''] = reference.split('#', 2)
    const found = id === '' ? { schema: from.root, document: from } : this.#named(id, from)
    if (found === null || fragment === '') return found
    if (fragment.startsWith('/')) return this.#at(fragment, found)
    const schema = namesIn(found.schema).anchors.get(fragment)
    return schema === undefined ? null : this.enter(schema, found.document)
  }

  /** The document that a reference leads to, or null for its own, and for one that does not exist. */
  targetOf (reference: string, from: Document): Document | null {
    const [id] = reference.split('#', 1)
    return id === '' ? null : this.resolve(id, from)?.document ?? null
  }

  /** The `$id`s of the schemas that a schema has inside, or refers to. */
  usedBy (schema: unknown, document: Document): string[] {
    const { ids, references } = namesIn(schema)
    const targets = [...references].map((reference) => this.targetOf(reference, document)?.id ?? null)
    return [...ids.keys(), ...targets.filter((id) => id !== null)]
  }

  /** Whether there is a schema with an `$id`, and everything that it refers to. */
  isComplete (id: string): boolean {
    const first = this.find(id)
    if (first === null) return false
    const documents = new Set([first.document])
    for (const document of documents) {
      for (const reference of namesIn(document.root).references) {
        const target = this.resolve(reference, document)
        if (target === null) return false
        documents.add(target.document)
      }
    }
    return true
  }

  #named (id: string, from: Document): Located | null {
    const base = baseOf(from)
    const ids = base !== null && URL.canParse(id, base) ? [id, new URL(id, base).href] : [id]
    for (const one of ids) {
      for (let document: Document | null = from; document !== null; document = document.parent) {
        if (document.id === one || (document.id !== null && idOf(document.root) === one)) {
          return { schema: document.root, document }
        }
        const embedded = namesIn(document.root).ids.get(one)
        if (embedded !== undefined) return this.enter(embedded, document)
      }
      const shared = this.find(one)
      if (shared !== null) return shared
    }
    return null
  }

  #at (pointer: string, { schema, document }: Located): Located | null {
    let found = { schema, document }
    for (const key of keysOf(pointer)) {
      if (!isObject(found.schema) || !Object.hasOwn(found.schema, key)) return null
      found = this.enter(found.schema[key], found.document)
    }
    return found
  }

  #document (root: unknown, id: string | null, parent: Document | null): Document {
    const known = this.#documents.get(root) ?? []
    const same = known.find((one) => one.id === id && one.parent === parent)
    if (same !== undefined) return same
    const document = { root, id, parent }
    this.#documents.set(root, [...known, document])
    return document
  }
}

/** An `$id` without the empty fragment that it may be written with. */
export function normalId (id: string): string {
  return id.endsWith('#') ? id.slice(0, -1) : id
}

/** The `$id` of a schema, or null if it is not a document. */
export function idOf (schema: unknown): string | null {
  if (isZod(schema)) return zodIdOf(schema)
  if (!isObject(schema) || !Object.hasOwn(schema, '$id')) return null
  const { $id } = schema
  return typeof $id === 'string' && $id !== '' && !$id.startsWith('#') ? normalId($id) : null
}

export function isObject (value: unknown): value is ObjectSchema {
  return typeof value === 'object' && value !== null
}

/** The reference that a schema consists of, if it leads to a whole schema; null otherwise. */
export function onlyReferenceOf (schema: unknown): string | null {
  const { $ref } = Object(schema) as ObjectSchema
  return typeof $ref === 'string' && WHOLE.test($ref) && Object.keys(schema as object).length === 1 ? $ref : null
}

/** The schemas directly inside a schema. */
function partsOf (schema: ObjectSchema): object[] {
  if (isZod(schema)) return zodPartsOf(schema) as object[]
  const parts: unknown[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isObject(value) || LITERALS.has(keyword)) continue
    if (!isZod(value) && (MAPS.has(keyword) || Array.isArray(value))) parts.push(...Object.values(value))
    else parts.push(value)
  }
  return parts.filter(isObject)
}

/** The schemas that have an `$id`, and those inside them, by it. */
export function idsIn (schemas: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(schemas.flatMap((schema) => [...namesIn({ schema }).ids]))
}

/** What is in a schema, at any depth. */
export function namesIn (root: unknown): Names {
  if (!isObject(root)) return { ids: new Map(), anchors: new Map(), references: new Set() }
  const known = names.get(root)
  if (known !== undefined) return known
  const ids = new Map<string, object>()
  const anchors = new Map<string, object>()
  const references = new Set<string>()
  const seen = new Set<object>([root])
  for (const schema of seen) {
    const { $id, $anchor, $ref } = schema as ObjectSchema
    const id = idOf(schema)
    if (id !== null && schema !== root) ids.set(id, schema)
    if (typeof $id === 'string' && $id.startsWith('#')) anchors.set($id.slice(1), schema)
    if (typeof $anchor === 'string') anchors.set($anchor, schema)
    if (typeof $ref === 'string') references.add($ref)
    for (const part of partsOf(schema as ObjectSchema)) seen.add(part)
  }
  const found = { ids, anchors, references }
  names.set(root, found)
  return found
}

function baseOf (document: Document): string | null {
  for (let one: Document | null = document; one !== null; one = one.parent) {
    if (one.id !== null && URL.canParse(one.id)) return one.id
  }
  return null
}

/** The keys of a JSON pointer in a URI (RFC 6901, section 6). */
function keysOf (pointer: string): string[] {
  let text = pointer
  try {
    text = decodeURIComponent(pointer)
  } catch {}
  return text.slice(1).split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A key of a JSON pointer (RFC 6901, section 3). */
export function pointerKey (key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

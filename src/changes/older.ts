import { LITERALS, MAPS, idOf, isObject, namesIn } from './documents.ts'
import { isZod, zodCopy } from './zod.ts'

import type { Document, Located, ObjectSchema, Schemas } from './documents.ts'

/** The schemas as they were in an older version, and what they are called. */
export interface Edition {
  readonly schemas: Schemas
  /** By `$id`, the newest version that has the schema in this form. Absent if it is as the context has it. */
  readonly stamps: ReadonlyMap<string, string>
  /** The `$id` of a schema as it was in a version. */
  readonly nameOf: (id: string, version: string) => string
  /** Whether a default of a schema is in the words of a newer version. */
  readonly isStaleDefault: (located: Located, value: unknown) => boolean
}

/** A copy of a schema as it was. */
export interface OlderSchema {
  readonly schema: unknown
  /** By `$id` in the context, the shared schemas that it refers to and that have another one now. */
  readonly shared: ReadonlySet<string>
  /** By new `$id`, the original one. */
  readonly originalIds: ReadonlyMap<string, string>
}

/** A copy that is being made. */
interface Copying {
  readonly edition: Edition
  /** The version in the new `$id`s of embedded schemas that no change alters. */
  readonly version: string
  readonly shared: Set<string>
  readonly originalIds: Map<string, string>
  /** The schemas that have been copied, with their copies. */
  readonly copies: Map<Document, Map<unknown, object>>
}

const FLAGS = { configurable: true, enumerable: true, writable: true }

/** Whether a schema has, or refers to, one that was changed. */
export function isStale (schema: unknown, { schemas, stamps }: Edition): boolean {
  const { ids, references } = namesIn(schema)
  const own = idOf(schema)
  if ((own !== null && stamps.has(own)) || [...ids.keys()].some((id) => stamps.has(id))) return true
  const { document } = schemas.locate(schema)
  return [...references].some((reference) => {
    const id = targetOf(reference, document, schemas)?.document.id
    return id !== undefined && id !== null && stamps.has(id)
  })
}

/** The document that a reference leads to, or null for its own, and for one that does not exist. */
export function targetOf (reference: string, from: Document, schemas: Schemas): Located | null {
  const [id] = reference.split('#', 1)
  return id === '' ? null : schemas.resolve(id, from)
}

/**
 * A schema as it was in the older version, with new `$id`s.
 *
 * @param version the version in the new `$id`s of embedded schemas that no change alters
 */
export function olderSchema (located: Located, edition: Edition, version: string): OlderSchema {
  const copying: Copying = { edition, version, shared: new Set(), originalIds: new Map(), copies: new Map() }
  const { shared, originalIds } = copying
  return { schema: copyOf(located, copying), shared, originalIds }
}

function copyOf (located: Located, copying: Copying): unknown {
  const { schema, document } = copying.edition.schemas.enter(located.schema, located.document)
  if (!isObject(schema)) return schema
  const known = copying.copies.get(document) ?? new Map<unknown, object>()
  copying.copies.set(document, known)
  const same = known.get(schema)
  if (same !== undefined) return same
  if (isZod(schema)) {
    // A schema that did not change keeps its id.
    if (!isStale(schema, copying.edition)) return schema
    const { innerType, defaultValue } = schema._zod.def
    if (defaultValue !== undefined && copying.edition.isStaleDefault({ schema, document }, defaultValue)) {
      const { optional } = innerType as { optional?: () => unknown }
      if (optional !== undefined) return copyOf({ schema: optional.call(innerType), document }, copying)
    }
    const copy = zodCopy(schema, (part) => copyOf({ schema: part, document }, copying))
    known.set(schema, copy)
    return copy
  }
  const id = document.id !== null && schema === document.root ? named(document.id, copying) : null
  const copy: object = Object.create(Object.getPrototypeOf(schema), id === null ? {} : { $id: { ...FLAGS, value: id } })
  known.set(schema, copy)
  for (const key of Reflect.ownKeys(schema)) {
    if (Object.hasOwn(copy, key)) continue
    // The newest schema fills it in, once a request is upgraded.
    if (key === 'default' && copying.edition.isStaleDefault({ schema, document }, Reflect.get(schema, key))) continue
    const value = copied(key, Reflect.get(schema, key), document, copying)
    const enumerable = Object.prototype.propertyIsEnumerable.call(schema, key)
    Object.defineProperty(copy, key, { ...FLAGS, value, enumerable })
  }
  return copy
}

function copied (key: string | symbol, value: unknown, document: Document, copying: Copying): unknown {
  if (typeof key === 'symbol' || LITERALS.has(key)) return value
  if (key === '$ref' && typeof value === 'string') return referred(value, document, copying)
  if (!isObject(value)) return value
  if (key === 'discriminator') return withMapping(value, document, copying)
  const part = (one: unknown) => copyOf({ schema: one, document }, copying)
  if (Array.isArray(value)) return value.map(part)
  return MAPS.has(key) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, part(one)])) : part(value)
}

function withMapping (discriminator: ObjectSchema, document: Document, copying: Copying): unknown {
  if (!isObject(discriminator.mapping)) return discriminator
  const mapping = Object.entries(discriminator.mapping).map(([value, reference]) => (
    [value, typeof reference === 'string' ? referred(reference, document, copying) : reference]
  ))
  return { ...discriminator, mapping: Object.fromEntries(mapping) }
}

/** A reference to the schema as it was. */
function referred (reference: string, document: Document, copying: Copying): string {
  const { schemas, stamps } = copying.edition
  const target = targetOf(reference, document, schemas)
  const id = target?.document.id ?? null
  if (target === null || id === null) return reference
  const isEmbedded = target.document.parent !== null
  if (!isEmbedded && !stamps.has(id)) return reference
  if (!isEmbedded) copying.shared.add(id)
  const hash = reference.indexOf('#')
  return named(id, copying) + (hash === -1 ? '' : reference.slice(hash))
}

function named (id: string, { edition: { stamps, nameOf }, originalIds, version }: Copying): string {
  const name = nameOf(id, stamps.get(id) ?? version)
  originalIds.set(name, id)
  return name
}

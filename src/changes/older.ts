import { LITERALS, MAPS, idOf, isObject } from './documents.ts'
import { isZod, zodCopy } from './zod.ts'

import type { Document, Located, Schemas } from './documents.ts'

/** The schemas as they were in an older version, and what they are called. */
export interface Edition {
  readonly schemas: Schemas
  /** By `$id`, the newest version that has the schema in this form. Absent if it is as the context has it. */
  readonly stamps: ReadonlyMap<string, string>
  /** The `$id` of a schema as it was in a version. */
  readonly nameOf: (id: string, version: string) => string
  /** Whether a default of a schema was written for a newer version. */
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

const FLAGS = { configurable: true, enumerable: true, writable: true }

/** Whether a schema has, or refers to, one that was changed. */
export function isStale (schema: unknown, { schemas, stamps }: Edition): boolean {
  const { document } = schemas.locate(schema)
  return [idOf(schema), ...schemas.usedBy(schema, document)].some((id) => id !== null && stamps.has(id))
}

/**
 * A schema as it was in the older version, with new `$id`s.
 *
 * @param version the version in the new `$id`s of embedded schemas that no change alters
 */
export function olderSchema (outermost: Located, edition: Edition, version: string): OlderSchema {
  const { schemas, stamps, nameOf, isStaleDefault } = edition
  const shared = new Set<string>()
  const originalIds = new Map<string, string>()
  /** The schemas that have been copied, with their copies. */
  const copies = new Map<Document, Map<unknown, object>>()

  function copyOf (part: unknown, from: Document): unknown {
    const { schema, document } = schemas.enter(part, from)
    if (!isObject(schema)) return schema
    const known = copies.get(document) ?? new Map<unknown, object>()
    copies.set(document, known)
    const same = known.get(schema)
    if (same !== undefined) return same
    if (isZod(schema)) {
      // A schema that did not change keeps its id.
      if (!isStale(schema, edition)) return schema
      const { innerType, defaultValue } = schema._zod.def
      if (defaultValue !== undefined && isStaleDefault({ schema, document }, defaultValue)) {
        const { optional } = innerType as { optional?: () => unknown }
        if (optional !== undefined) return copyOf(optional.call(innerType), document)
      }
      const copy = zodCopy(schema, (one) => copyOf(one, document))
      known.set(schema, copy)
      return copy
    }
    const isDocument = document.id !== null && schema === document.root
    const $id = isDocument ? { $id: { ...FLAGS, value: newIdOf(document.id) } } : {}
    const copy: object = Object.create(Object.getPrototypeOf(schema), $id)
    known.set(schema, copy)
    for (const key of Reflect.ownKeys(schema)) {
      if (Object.hasOwn(copy, key)) continue
      // The newest schema fills it in, once a request is upgraded.
      if (key === 'default' && isStaleDefault({ schema, document }, Reflect.get(schema, key))) continue
      const value = copied(key, Reflect.get(schema, key), document)
      const enumerable = Object.prototype.propertyIsEnumerable.call(schema, key)
      Object.defineProperty(copy, key, { ...FLAGS, value, enumerable })
    }
    return copy
  }

  function copied (key: string | symbol, value: unknown, document: Document): unknown {
    if (typeof key === 'symbol' || LITERALS.has(key)) return value
    if (key === '$ref' && typeof value === 'string') return referred(value, document)
    if (!isObject(value)) return value
    if (key === 'discriminator') {
      const { mapping } = value
      const renamed = (one: unknown) => typeof one === 'string' ? referred(one, document) : one
      return isObject(mapping) ? { ...value, mapping: mapped(mapping, renamed) } : value
    }
    const part = (one: unknown) => copyOf(one, document)
    if (Array.isArray(value)) return value.map(part)
    return MAPS.has(key) ? mapped(value, part) : part(value)
  }

  /** A reference to the schema as it was. */
  function referred (reference: string, document: Document): string {
    const target = schemas.targetOf(reference, document)
    if (target === null || target.id === null) return reference
    if (target.parent === null) {
      if (!stamps.has(target.id)) return reference
      shared.add(target.id)
    }
    const hash = reference.indexOf('#')
    return newIdOf(target.id) + (hash === -1 ? '' : reference.slice(hash))
  }

  function newIdOf (id: string): string {
    const name = nameOf(id, stamps.get(id) ?? version)
    originalIds.set(name, id)
    return name
  }

  return { schema: copyOf(outermost.schema, outermost.document), shared, originalIds }
}

function mapped (values: object, map: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}

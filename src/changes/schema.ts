import { isZod, zodIdOf, zodKeywordsOf, zodPartsOf } from './zod.ts'

export type ObjectSchema = Readonly<Record<string, unknown>>

/** Keywords whose values are not schemas. */
export const LITERALS: ReadonlySet<string> = new Set([
  'const', 'default', 'discriminator', 'enum', 'example', 'examples', 'required'
])
/** Keywords that hold schemas by names, which may also be names of keywords. */
export const MAPS: ReadonlySet<string> = new Set([
  '$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'
])
export function isObject (value: unknown): value is ObjectSchema {
  return typeof value === 'object' && value !== null
}

export function listOf (value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function entriesOf (value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** Returns the keywords of a schema. A Zod schema has those of a similar JSON Schema. */
export function keywordsOf (schema: unknown): ObjectSchema {
  return isZod(schema) ? zodKeywordsOf(schema) : Object(schema) as ObjectSchema
}

/** Returns an `$id` without the empty fragment that it may end with. */
export function normalId (id: string): string {
  return id.endsWith('#') ? id.slice(0, -1) : id
}

/** Returns the `$id` of a schema, or its id in Zod's registry; null if it has none. */
export function idOf (schema: unknown): string | null {
  if (isZod(schema)) return zodIdOf(schema)
  if (!isObject(schema) || !Object.hasOwn(schema, '$id')) return null
  const { $id } = schema
  return typeof $id === 'string' && $id !== '' && !$id.startsWith('#') ? normalId($id) : null
}

/** Returns the `$id` that a schema refers to if it only has a `$ref` to a whole schema; null for other schemas. */
export function onlyReferenceOf (schema: unknown): string | null {
  if (!isObject(schema) || typeof schema.$ref !== 'string' || !/^[^#]+#?$/.test(schema.$ref)) return null
  return Object.keys(schema).length === 1 ? normalId(schema.$ref) : null
}

type Member = [keyword: string, pointer: string, part: ObjectSchema]

/** Returns the schemas directly inside a schema, under any keyword, with the JSON pointers that lead to them. */
export function membersIn (schema: unknown): Member[] {
  return entriesOf(schema).flatMap(([keyword, value]): Member[] => {
    if (!isObject(value) || LITERALS.has(keyword)) return []
    if (isZod(value) || !(MAPS.has(keyword) || Array.isArray(value))) return [[keyword, `/${keyword}`, value]]
    return Object.entries(value).flatMap(([key, part]) => isObject(part) ? [[keyword, `/${keyword}/${key}`, part]] : [])
  })
}

/** Returns the schemas directly inside a schema. */
export function partsIn (schema: unknown): ObjectSchema[] {
  if (isZod(schema)) return zodPartsOf(schema) as unknown as ObjectSchema[]
  return membersIn(schema).map(([, , part]) => part)
}

/** Returns the given schemas, and all schemas inside them. */
export function schemasIn (schemas: readonly unknown[]): ObjectSchema[] {
  const seen = new Set(schemas)
  for (const schema of seen) for (const part of partsIn(schema)) seen.add(part)
  return [...seen].filter(isObject)
}

/** Returns the schemas at any depth that have an `$id`, by the `$id`. */
export function idsIn (schemas: readonly unknown[]): Map<string, unknown> {
  const ids = new Map<string, unknown>()
  for (const schema of schemasIn(schemas)) {
    const id = idOf(schema)
    if (id !== null && !ids.has(id)) ids.set(id, schema)
  }
  return ids
}

/** Returns a map with the same keys and other values. */
export function mapValues<Key, Value, Other> (
  map: ReadonlyMap<Key, Value>, change: (value: Value, key: Key) => Other
): Map<Key, Other> {
  return new Map([...map].map(([key, value]) => [key, change(value, key)]))
}

/** Returns the value that a map has for a key. If there is none, it makes the value and adds it to the map. */
export function keptIn<Key, Value> (
  map: { get: (key: Key) => Value | undefined, set: (key: Key, value: Value) => unknown }, key: Key, make: () => Value
): Value {
  const kept = map.get(key)
  if (kept !== undefined) return kept
  const made = make()
  map.set(key, made)
  return made
}

/** Returns a schema as a plain object: the `valueOf` of fluent-json-schema is called, as Fastify calls it. */
export function plainSchema (schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const isFluent = schema.isFluentSchema || schema.isFluentJSONSchema ||
    (schema as Record<symbol, unknown>)[Symbol.for('fluent-schema-object')]
  return isFluent ? (schema as { valueOf (): unknown }).valueOf() : schema
}

/** Returns the keys of a JSON pointer in a URI (RFC 6901, section 6); null for another fragment. */
export function keysOf (fragment: string): string[] | null {
  if (fragment === '') return []
  if (!fragment.startsWith('/')) return null
  try {
    const keys = decodeURIComponent(fragment.slice(1)).split('/')
    return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return null
  }
}

/** Returns the JSON pointer of keys (RFC 6901, section 3). */
export function pointerOf (keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Returns what is at a path in a value; undefined if there is nothing. */
export function valueAt (value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, key) => Object.hasOwn(Object(inner), key) ? Object(inner)[key] : undefined, value)
}

/** Compiles a pattern with the flag `u`, as Ajv does, or else without the flag, as the serializer does. */
export function toPattern (pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

import { areApart } from './alternatives.ts'
import { Edition, copied } from './edition.ts'
import { isObject, keptIn, listOf, membersIn, partsIn, plainSchema, schemasIn } from './schema.ts'
import { isZod, zodCopy } from './zod.ts'

import type { Place } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

/** Keywords that say what becomes of properties that a schema does not know. */
const REST = ['additionalProperties', 'unevaluatedProperties']
/** A pattern that each name matches: TypeBox writes it for a `Record`. */
const EACH_NAME = /^\^?\(?\.\*\)?\$?$/
const CHOICES = ['anyOf', 'oneOf']
/** Keywords whose schemas describe the same value. "unevaluatedProperties" beside them knows the properties in them. */
const IN_PLACE = [...CHOICES, 'allOf', 'then', 'else', 'dependencies', 'dependentSchemas']
/** Keywords whose schemas are conditions. No property passes because a condition describes it. */
const CONDITIONS = ['contains', 'if', 'not', 'propertyNames']
/** Keywords about objects that do not say which properties an object has. */
const OF_OBJECTS = ['required', 'minProperties', 'maxProperties', 'propertyNames', 'dependentRequired', 'dependencies']
/** Keywords that limit a value. A schema without them allows every object. */
const LIMITS = [...REST, 'type', '$ref', 'const', 'enum']

/**
 * Finds an object in an older schema of requests without a word on unknown properties. With such a schema, clients of
 * the older version could set every property that the newest schema knows.
 *
 * @param older the older schema. References are followed only if they describe the value itself, because newer versions
 * may have the schemas that it refers to inside as well
 * @returns the JSON pointer of the object, or null
 */
export function openObjectIn (older: Place): string | null {
  const seen = new Map<string, Set<unknown>>()
  /**
   * @param isOutermost whether the schema describes the outermost value
   * @param isValue whether no schema around the schema describes the same value
   * @param isClosed whether a schema around it that describes the same value says what becomes of unknown properties
   */
  function open (
    place: Place, pointer: string, isOutermost: boolean, isValue: boolean, isClosed: boolean
  ): string | null {
    const schema = plainSchema(place.schema)
    const key = `${isOutermost} ${isValue} ${isClosed}`
    const visited = keptIn(seen, key, () => new Set<unknown>())
    if (!isObject(schema) || isZod(schema) || visited.has(schema)) return null
    visited.add(schema)
    const isMap = Object.keys(Object(schema.patternProperties)).some((pattern) => EACH_NAME.test(pattern))
    if (!isClosed && !isMap && isObjectSchema(schema) && !has(schema, REST)) return pointer
    for (const [keyword, at, part] of membersIn(schema)) {
      if (CONDITIONS.includes(keyword)) continue
      const isInPlace = IN_PLACE.includes(keyword)
      const isPartClosed = isInPlace && (isClosed || schema.unevaluatedProperties !== undefined)
      const found = open(place.enter(part), `${pointer}${at}`, isOutermost && isInPlace, !isInPlace, isPartClosed)
      if (found !== null) return found
    }
    const target = isOutermost ? place.target : null
    const behind = target && open(target, `${pointer}/$ref`, true, isValue, isClosed || has(schema, REST))
    if (behind !== null) return behind
    return isValue && takesAnyObject(schema) && (isOutermost || has(schema, OF_OBJECTS)) ? pointer : null
  }
  return open(older, '', true, true, false)
}

/**
 * Finds a property of an older schema of requests that `additionalProperties: false` removes, although another schema
 * of the same `allOf` describes the property.
 */
export function removedPropertyIn (older: Place): string | undefined {
  for (const schema of schemasIn([older.schema])) {
    const parts = partsOfValue(older.enter(schema))
    const names = parts.flatMap(({ members }) => [...members.keys()])
    for (const { keywords, members, patterns } of parts) {
      const removed = names.find((name) => !members.has(name) && !patterns.some(([pattern]) => pattern.test(name)))
      if (keywords.additionalProperties === false && removed !== undefined) return removed
    }
  }
}

/** Tells whether the properties of an object are in the `allOf` of its schema. */
export function describesInParts (schema: Place): boolean {
  return partsOfValue(schema).some((part) => part !== schema && part.members.size > 0)
}

/** Returns a schema, and the schemas in its `allOf` or behind its `$ref`: all of them describe the same value. */
function partsOfValue (schema: Place): Place[] {
  const parts = new Set([schema])
  for (const part of parts) {
    for (const member of [...listOf(part.keywords.allOf).map((member) => part.enter(member)), part.target]) {
      if (member !== null) parts.add(member)
    }
  }
  return [...parts]
}

function has (schema: ObjectSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined)
}

function isObjectSchema ({ type, properties, patternProperties }: ObjectSchema): boolean {
  return [type].flat().includes('object') || isObject(properties) || isObject(patternProperties)
}

/** Tells whether a schema allows every object, apart from keywords such as "required". */
function takesAnyObject (writtenSchema: unknown): boolean {
  const schema = plainSchema(writtenSchema)
  if (!isObject(schema)) return schema === true
  const { allOf, anyOf, oneOf } = schema
  return !has(schema, LIMITS) && listOf(allOf).every(takesAnyObject) &&
    [anyOf, oneOf].map(listOf).every((branches) => branches.length === 0 || branches.some(takesAnyObject))
}

/**
 * Returns an older schema for the serializer. Serializers drop properties that a schema does not know, but in
 * alternatives they validate the value. There, `additionalProperties: false` would refuse properties that a handler may
 * return by the newest schema.
 *
 * @param bundle a schema that compiles by itself
 * @returns the same schema without `false`, except in alternatives that nothing else tells apart
 */
export function openSerializer (bundle: unknown): unknown {
  const edition = new Edition(new Map())
  const outermost = edition.at(bundle)
  const choices = schemasIn([bundle]).map((schema) => outermost.enter(schema).keywords)
    .flatMap((keywords) => CHOICES.map((keyword) => listOf(keywords[keyword])))
  // The copy of each schema, or the schema itself if it keeps `false`.
  const copies = new Map<unknown, unknown>()

  function keep (parts: readonly unknown[]): void {
    const left = new Set(parts)
    for (const schema of left) {
      copies.set(schema, schema)
      const { target } = outermost.enter(schema)
      for (const part of [...partsIn(schema), ...target === null ? [] : [target.schema]]) left.add(part)
    }
  }

  function opened (schema: unknown): unknown {
    const earlierCopy = copies.get(schema)
    if (earlierCopy !== undefined || !isObject(schema)) return earlierCopy ?? schema
    const kept = Object.entries(schema).filter(([keyword, value]) => value !== false || !REST.includes(keyword))
    const copy = isZod(schema)
      ? zodCopy(schema, opened, true)
      : Object.fromEntries(kept.map(([keyword, value]) => [keyword, copied(keyword, value, opened, String)]))
    copies.set(schema, copy)
    return copy
  }

  for (const parts of choices) {
    if (!areApart(parts.map((part) => outermost.enter(part)))) keep(parts)
  }
  return choices.some(({ length }) => length > 0) || isZod(bundle) ? opened(bundle) : bundle
}

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
/** They describe the same value: "unevaluatedProperties" next to them knows what they describe. */
const IN_PLACE = [...CHOICES, 'allOf', 'then', 'else', 'dependencies', 'dependentSchemas']
/** No value passes by what these describe. */
const CONDITIONS = ['contains', 'if', 'not', 'propertyNames']
/** They say something of objects, but not which properties these have. */
const OF_OBJECTS = ['required', 'minProperties', 'maxProperties', 'propertyNames', 'dependentRequired', 'dependencies']
/** A schema with one of these is not open to every object. */
const LIMITS = [...REST, 'type', '$ref', 'const', 'enum']

/**
 * Whether an older schema of requests says what becomes of properties that it does not know. If it does not, clients of
 * the older version can set whatever the newest schema knows.
 *
 * @param older the older schema. References are followed that describe the value itself: what it refers to inside,
 * newer versions may have as well
 * @returns where an object schema does not say it, as a JSON pointer; or null
 */
export function openObjectIn (older: Place): string | null {
  const seen = new Map<string, Set<unknown>>()
  /**
   * @param isOutermost whether it describes the value itself
   * @param isValue whether no schema around it describes the same value
   * @param isClosed whether one that does says what becomes of all other properties
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

function has (schema: ObjectSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined)
}

function isObjectSchema ({ type, properties, patternProperties }: ObjectSchema): boolean {
  return [type].flat().includes('object') || isObject(properties) || isObject(patternProperties)
}

/** Whether a schema lets every object pass, but for keywords such as "required". */
function takesAnyObject (writtenSchema: unknown): boolean {
  const schema = plainSchema(writtenSchema)
  if (!isObject(schema)) return schema === true
  const { allOf, anyOf, oneOf } = schema
  return !has(schema, LIMITS) && listOf(allOf).every(takesAnyObject) &&
    [anyOf, oneOf].map(listOf).every((branches) => branches.length === 0 || branches.some(takesAnyObject))
}

/**
 * An older schema for the serializer. Serializers drop properties that a schema does not know, but in alternatives they
 * validate the value: then `additionalProperties: false` would refuse what the newest schema may let a handler return.
 *
 * @param bundle a schema that compiles by itself
 * @returns the same without `false`, but in alternatives that nothing else tells apart
 */
export function openSerializer (bundle: unknown): unknown {
  const edition = new Edition(new Map())
  const outermost = edition.at(bundle)
  const choices = schemasIn([bundle]).map((schema) => outermost.enter(schema).keywords)
    .flatMap((keywords) => CHOICES.map((keyword) => listOf(keywords[keyword])))
  // By schema.
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

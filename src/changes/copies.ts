import { differenceOf } from './edition.ts'
import { idOf, isObject, keptIn, keywordsOf, listOf, schemasIn } from './schema.ts'
import { isZod } from './zod.ts'

import type { Edition } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

/** What a copy may have otherwise. An item of a list that has some fields of a row may be open. */
const NOTE_KEYWORDS: readonly string[] = [
  '$id', '$schema', 'title', 'description', 'example', 'examples', 'additionalProperties'
]

/**
 * The `$id` of the first shared schema of which there is a copy without its `$id`, among schemas or inside them.
 *
 * @param hasParts whether what is made with properties of a schema of Zod counts
 */
export type FindCopy = (
  schemas: readonly unknown[], isMeant?: (id: string) => boolean, hasParts?: boolean
) => string | null

/**
 * Finds shared schemas that are copied without their `$id`.
 *
 * @param older the editions before the newest one
 */
export function copyFinder (ids: readonly string[], newest: Edition, older: readonly Edition[]): FindCopy {
  /** By the names of their properties, without which schemas are alike by chance. */
  const byNames = new Map<string, [id: string, schema: ObjectSchema][]>()
  for (const id of ids) {
    const schema = newest.find(id)?.schema
    const names = propertyNames(schema)
    if (names !== '') keptIn(byNames, names, () => []).push([id, schema as ObjectSchema])
  }
  /** The properties of schemas of Zod, and which of them are other ones in some older version. */
  const ofZod = ids.map((id) => {
    const parts = zodPropertiesOf(newest.find(id)?.schema)
    const changed = [...parts].filter(([name, part]) => older.some((edition) => (
      keywordsOf(zodPropertiesOf(edition.find(id)?.schema).get(name)).type !== keywordsOf(part).type
    )))
    return { id, parts: [...parts.values()], changed: changed.map(([, part]) => part) }
  })
  return (schemas, isMeant = () => true, hasParts = true) => {
    const unnamed = schemasIn(schemas).filter((schema) => idOf(schema) === null)
    const originals = unnamed.map((schema) => (
      byNames.get(propertyNames(schema))?.find(([, original]) => isCopy(schema, original))?.[0] ??
        ofZod.find(({ parts, changed }) => hasParts && isMadeOf(schema, parts, changed))?.id
    ))
    return originals.find((id) => id !== undefined && isMeant(id)) ?? null
  }
}

function zodPropertiesOf (schema: unknown): Map<string, unknown> {
  return new Map(Object.entries(Object((isZod(schema) ? keywordsOf(schema) : {}).properties)))
}

/** Whether a schema of Zod has properties of another one, which may be optional, such as by `extend` or `partial`. */
function isMadeOf (schema: unknown, parts: readonly unknown[], changed: readonly unknown[]): boolean {
  const own = [...zodPropertiesOf(schema).values()].flatMap((part) => [part, ...listOf(keywordsOf(part).allOf)])
  // One alone may be used in many places.
  return own.some((part) => changed.includes(part)) && own.filter((part) => parts.includes(part)).length > 1
}

function propertyNames (schema: unknown): string {
  const { properties } = (isZod(schema) ? {} : Object(schema)) as ObjectSchema
  return isObject(properties) ? Object.keys(properties).sort().join('\n') : ''
}

/** A copy of a schema with several properties may leave out keywords, such as `required`. */
function isCopy (schema: ObjectSchema, original: ObjectSchema): boolean {
  const [keywords, ofOriginal] = [bare(schema), bare(original)]
  const isSubset = Object.entries(keywords).every(([keyword, value]) => (
    differenceOf(value, ofOriginal[keyword]) === null
  ))
  const { length } = Object.keys(Object(schema.properties))
  return isSubset && (length > 1 || Object.keys(keywords).length === Object.keys(ofOriginal).length)
}

function bare (schema: ObjectSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => (
    value !== undefined && !NOTE_KEYWORDS.includes(keyword)
  )))
}

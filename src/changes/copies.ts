import { differenceOf } from './edition.ts'
import { idOf, isObject, keptIn, keywordsOf, listOf, schemasIn } from './schema.ts'
import { isZod } from './zod.ts'

import type { Edition } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

/** Keywords in which a copy may differ. For example, a closed schema may be copied into an open item of a list. */
const NOTE_KEYWORDS: readonly string[] = [
  '$id', '$schema', 'title', 'description', 'example', 'examples', 'additionalProperties'
]

/**
 * Returns the `$id` of the first shared schema that has a copy without its `$id` among schemas or inside them, or null.
 *
 * @param isMeant tells which shared schemas count
 * @param hasParts whether a Zod schema counts as a copy if it has properties of the shared schema
 */
export type FindCopy = (
  schemas: readonly unknown[], isMeant?: (id: string) => boolean, hasParts?: boolean
) => string | null

/**
 * Makes the function that finds shared schemas which are copied without their `$id`.
 *
 * @param older the editions before the newest edition
 */
export function copyFinder (ids: readonly string[], newest: Edition, older: readonly Edition[]): FindCopy {
  /** Shared schemas by the names of their properties. Schemas without properties are often alike by chance. */
  const byNames = new Map<string, [id: string, schema: ObjectSchema][]>()
  for (const id of ids) {
    const schema = newest.find(id)?.schema
    const names = propertyNames(schema)
    if (names !== '') keptIn(byNames, names, () => []).push([id, schema as ObjectSchema])
  }
  /** The properties of shared Zod schemas, and which of them have another type in some older version. */
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

/** Tells whether a Zod schema has properties of another one, as `extend` copies them, and `partial` wraps them. */
function isMadeOf (schema: unknown, parts: readonly unknown[], changed: readonly unknown[]): boolean {
  const ownParts = [...zodPropertiesOf(schema).values()].flatMap((part) => [part, ...listOf(keywordsOf(part).allOf)])
  // One common property says nothing, because an app may use the schema of a property in many objects.
  return ownParts.some((part) => changed.includes(part)) && ownParts.filter((part) => parts.includes(part)).length > 1
}

function propertyNames (schema: unknown): string {
  const { properties } = (isZod(schema) ? {} : Object(schema)) as ObjectSchema
  return isObject(properties) ? Object.keys(properties).sort().join('\n') : ''
}

/** Tells whether a schema is a copy. A copy with several properties may leave out keywords, such as `required`. */
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

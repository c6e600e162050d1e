import { differenceOf } from './edition.ts'
import { idOf, isObject, keptIn, schemasIn } from './schema.ts'
import { isZod } from './zod.ts'

import type { Edition } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

/** What a copy may have otherwise. An item of a list that has some fields of a row may be open. */
const NOTE_KEYWORDS: readonly string[] = [
  '$id', '$schema', 'title', 'description', 'example', 'examples', 'additionalProperties'
]

/** The `$id` of the first shared schema of which there is a copy without its `$id`, among schemas or inside them. */
export type FindCopy = (schemas: readonly unknown[], isMeant?: (id: string) => boolean) => string | null

/** Finds shared schemas that are copied without their `$id`. */
export function copyFinder (ids: readonly string[], edition: Edition): FindCopy {
  /** By the names of their properties, without which schemas are alike by chance. */
  const byNames = new Map<string, [id: string, schema: ObjectSchema][]>()
  for (const id of ids) {
    const schema = edition.find(id)?.schema
    const names = propertyNames(schema)
    if (names !== '') keptIn(byNames, names, () => []).push([id, schema as ObjectSchema])
  }
  return (schemas, isMeant = () => true) => {
    const originals = schemasIn(schemas).filter((schema) => idOf(schema) === null)
      .map((schema) => byNames.get(propertyNames(schema))?.find(([, original]) => isCopy(schema, original)))
    return originals.find((found) => found !== undefined && isMeant(found[0]))?.[0] ?? null
  }
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

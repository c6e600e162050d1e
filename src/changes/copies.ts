import { isDeepStrictEqual } from 'node:util'

import { idOf, isObject, schemasIn } from './schema.ts'
import { isZod } from './zod.ts'

import type { Edition } from './edition.ts'
import type { ObjectSchema } from './schema.ts'

/** What a copy may have otherwise. An item of a list that has some fields of a row may be open. */
const NOTE_KEYWORDS: readonly string[] = [
  '$id', '$schema', 'title', 'description', 'example', 'examples', 'additionalProperties'
]

/** Shared schemas, to find those that are copied without their `$id`. */
export class Copies {
  /** By the names of their properties. */
  readonly #byNames = new Map<string, [id: string, schema: ObjectSchema][]>()

  constructor (ids: readonly string[], edition: Edition) {
    for (const id of ids) {
      const schema = edition.find(id)?.schema
      if (!isObject(schema) || isZod(schema)) continue
      const names = propertyNames(schema)
      this.#byNames.set(names, [...this.#byNames.get(names) ?? [], [id, schema]])
    }
  }

  /** The `$id` of the first shared schema of which there is a copy without its `$id`, among schemas or inside them. */
  findIn (schemas: readonly unknown[], isMeant: (id: string) => boolean = () => true): string | null {
    return schemasIn(schemas).map((each) => this.#find(each)).find((id) => id !== null && isMeant(id)) ?? null
  }

  #find (schema: ObjectSchema): string | null {
    const names = isZod(schema) || idOf(schema) !== null ? '' : propertyNames(schema)
    // Without properties it is like others by chance.
    const near = names === '' ? [] : this.#byNames.get(names) ?? []
    return near.find(([, original]) => isCopy(schema, original))?.[0] ?? null
  }
}

function propertyNames ({ properties }: ObjectSchema): string {
  return isObject(properties) ? Object.keys(properties).sort().join('\n') : ''
}

/** A copy of a schema with several properties may leave out keywords, such as `required`. */
function isCopy (schema: ObjectSchema, original: ObjectSchema): boolean {
  const [keywords, ofOriginal] = [bare(schema), bare(original)]
  const isSubset = Object.entries(keywords).every(([keyword, value]) => isDeepStrictEqual(value, ofOriginal[keyword]))
  const { length } = Object.keys(Object(schema.properties))
  return isSubset && (length > 1 || Object.keys(keywords).length === Object.keys(ofOriginal).length)
}

function bare (schema: ObjectSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOTE_KEYWORDS.includes(keyword)))
}

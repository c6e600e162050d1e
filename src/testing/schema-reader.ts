import { Edition } from '../changes/edition.ts'
import { entriesOf, isObject, listOf, schemasIn, toPattern } from '../changes/schema.ts'
import { isZod, zodKeywordsOf } from '../changes/zod.ts'

import type { ObjectSchema } from '../changes/schema.ts'
import type { ZodSchema } from '../changes/zod.ts'

/** What schemas say of one value: the keywords of each that applies to it. */
export type Said = readonly ObjectSchema[]

/** Keywords that say of which type a value is. */
const SAYING = [
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'properties', 'patternProperties',
  'additionalProperties', 'items'
]

/** Reads what a schema that compiles by itself says of a value, and of the values inside. */
export class SchemaReader {
  /** What the schema says of a value. */
  readonly root: Said
  readonly #edition = new Edition(new Map())
  readonly #bundle: unknown
  readonly #keywords = new Map<unknown, ObjectSchema>()

  constructor (bundle: unknown) {
    this.#bundle = bundle
    this.root = this.read([bundle])
  }

  /** What schemas say, with those that they refer to, all parts of them and all alternatives. */
  read (schemas: readonly unknown[]): Said {
    return schemas.flatMap((schema) => this.#read(schema, []))
  }

  /** What is said of a member. */
  member (said: Said, key: string): Said {
    return said.flatMap((keywords) => {
      if (isAny(keywords)) return [keywords]
      const { properties, patternProperties, additionalProperties } = keywords
      const matching = entriesOf(patternProperties).filter(([pattern]) => toPattern(pattern).test(key))
      const named = Object.hasOwn(Object(properties), key) ? [(properties as ObjectSchema)[key]] : []
      const parts = [...named, ...matching.map(([, part]) => part)]
      // What "true" lets pass is between the handler and its changes.
      return this.read(parts.length > 0 ? parts : [additionalProperties].filter(isObject))
    })
  }

  /** The keywords of all schemas, also of values inside. */
  all (): ObjectSchema[] {
    return schemasIn([this.#bundle]).map((schema) => this.#keywordsOf(schema))
  }

  /** What is said without the alternatives. */
  outer (said: Said): Said {
    const alternatives = new Set(this.read(said.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].flatMap(listOf))))
    return said.filter((keywords) => !alternatives.has(keywords))
  }

  /** Where a value has a member, of some names, that no schema describes, and that none lets pass; or null. */
  strangerIn (
    value: unknown, isMeant: (key: string) => boolean, said: Said = this.root, path: readonly string[] = []
  ): readonly string[] | null {
    if (!isObject(value) || said.some(({ additionalProperties }) => additionalProperties === true)) return null
    for (const [key, member] of Object.entries(value)) {
      const inside = Array.isArray(value) ? this.items(said) : this.member(said, key)
      const isKnown = inside.length > 0 || Array.isArray(value) || !isMeant(key)
      const found = isKnown ? this.strangerIn(member, isMeant, inside, [...path, key]) : [...path, key]
      if (found !== null) return found
    }
    return null
  }

  items (said: Said): Said {
    return said.flatMap((keywords) => {
      const { items } = keywords
      return isAny(keywords) ? [keywords] : Array.isArray(items) ? [] : this.read([items])
    })
  }

  #read (schema: unknown, within: readonly unknown[]): Said {
    // A schema that says nothing allows everything.
    if (schema === true) return [{}]
    if (!isObject(schema) || within.includes(schema)) return []
    const keywords = this.#keywordsOf(schema)
    const { allOf, anyOf, oneOf } = keywords
    const { target } = this.#edition.at(this.#bundle).enter(schema)
    const others = [allOf, anyOf, oneOf].flatMap(listOf)
    return [keywords, ...[...others, target?.schema].flatMap((one) => this.#read(one, [...within, schema]))]
  }

  #keywordsOf (schema: ObjectSchema): ObjectSchema {
    const keywords = this.#keywords.get(schema) ?? keywordsOf(schema)
    this.#keywords.set(schema, keywords)
    return keywords
  }
}

/** Whether a schema says nothing of the type of a value, so that it may have everything inside. */
export function isAny (keywords: ObjectSchema): boolean {
  return SAYING.every((keyword) => keywords[keyword] === undefined)
}

/** The names that schemas have for members. */
export function namesIn (said: Said): string[] {
  return [...new Set(said.flatMap(({ properties }) => Object.keys(Object(properties))))]
}

/** Whether a value has no members but those that are described: validators remove or refuse all others. */
export function isClosed (said: Said): boolean {
  return said.some(({ additionalProperties }) => additionalProperties === false)
}

function keywordsOf (schema: ObjectSchema): ObjectSchema {
  if (!isZod(schema)) return schema
  const { def } = schema._zod
  const checks = [def, ...listOf(def.checks).map((check) => (check as ZodSchema)._zod.def)]
  return Object.assign({}, zodKeywordsOf(schema), ...checks.map(keywordsOfCheck))
}

/** What a check of Zod says, in the words of JSON Schema. */
function keywordsOfCheck ({ minimum, maximum, check, inclusive, value, format, pattern }: ObjectSchema): ObjectSchema {
  const bound = check === 'greater_than' ? 'Minimum' : 'Maximum'
  return {
    ...minimum !== undefined && { minLength: minimum, minItems: minimum },
    ...maximum !== undefined && { maxLength: maximum, maxItems: maximum },
    ...value !== undefined && { [inclusive === true ? bound.toLowerCase() : `exclusive${bound}`]: value },
    ...format !== undefined && { format },
    ...pattern instanceof RegExp && { pattern: pattern.source }
  }
}

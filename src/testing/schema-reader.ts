import { Edition } from '../changes/edition.ts'
import { entriesOf, isObject, keywordsOf, listOf, schemasIn, toPattern } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'

import type { Place } from '../changes/edition.ts'
import type { ObjectSchema } from '../changes/schema.ts'
import type { ZodSchema } from '../changes/zod.ts'

/** What schemas say of one value: each schema that applies to it. */
export type Said = readonly { readonly schema: unknown, readonly keywords: ObjectSchema }[]

/** Keywords that say of which type a value is. */
const SAYING = [
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'properties', 'patternProperties',
  'additionalProperties', 'items'
]

/** What lets everything pass. */
const ANYTHING = {}

/** Reads what a schema that compiles by itself says of a value, and of the values inside. */
export class SchemaReader {
  readonly root: Said
  readonly schema: unknown
  readonly #outermost: Place

  constructor (bundle: unknown) {
    this.schema = bundle
    this.#outermost = new Edition(new Map()).at(bundle)
    this.root = this.read([bundle])
  }

  /**
   * What schemas say, with those that they refer to, and all parts of them.
   *
   * @param most how many alternatives are read, of each list of them
   */
  read (schemas: readonly unknown[], most = Infinity): Said {
    const places = new Set(schemas.map((schema) => this.#outermost.enter(schema === true ? ANYTHING : schema)))
    for (const { keywords, target } of places) {
      const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas, dependencies } = keywords
      const alternatives = [anyOf, oneOf, [then, otherwise]].flatMap((list) => listOf(list).slice(0, most))
      const dependent = [dependentSchemas, dependencies].flatMap((schemas) => Object.values(Object(schemas)))
      for (const part of [...listOf(allOf), ...alternatives, ...dependent]) places.add(this.#outermost.enter(part))
      if (target !== null) places.add(target)
    }
    return [...places].filter(({ schema }) => isObject(schema))
      .map(({ schema, keywords }) => ({ schema, keywords: keywordsIn(schema, keywords) }))
  }

  /** What is said of a member, or of an item by its index. */
  inside (said: Said, key: string, most = Infinity): Said {
    return said.flatMap((saying) => {
      if (isAny(saying.keywords)) return [saying]
      const { items, properties, patternProperties, additionalProperties } = saying.keywords
      const matching = entriesOf(patternProperties).filter(([pattern]) => toPattern(pattern).test(key))
      const named = Object.hasOwn(Object(properties), key) ? [(properties as ObjectSchema)[key]] : []
      const parts = [...named, ...matching.map(([, part]) => part)]
      if (parts.length === 0 && isObject(additionalProperties)) parts.push(additionalProperties)
      return this.read([...parts, ...Array.isArray(items) || !/^\d+$/.test(key) ? [] : [items]], most)
    })
  }

  /** The keywords of all schemas, also of values inside. */
  all (): ObjectSchema[] {
    return schemasIn([this.schema]).map((schema) => keywordsIn(schema, keywordsOf(schema)))
  }

  /** What is said of a value inside. */
  at (path: readonly string[]): Said {
    return path.reduce((said: Said, key) => this.inside(said, key), this.root)
  }

  /** Where a value has a member that no schema describes, and that none lets pass; or null. */
  strangerIn (
    value: unknown, isFine: (key: string, member: unknown) => boolean, said = this.root, path: readonly string[] = []
  ): readonly string[] | null {
    const isOpen = said.some(({ keywords }) => keywords.additionalProperties === true) || memberNames(said).length === 0
    if (!isObject(value) || (isOpen && !Array.isArray(value))) return null
    for (const [key, member] of Object.entries(value)) {
      const inside = this.inside(said, key)
      const isStrange = inside.length === 0 && !Array.isArray(value) && member !== undefined && !isFine(key, member)
      const found = isStrange ? [...path, key] : this.strangerIn(member, isFine, inside, [...path, key])
      if (found !== null) return found
    }
    return null
  }
}

/** Whether a schema says nothing of the type of a value, so that it may have everything inside. */
export function isAny (keywords: ObjectSchema): boolean {
  return SAYING.every((keyword) => keywords[keyword] === undefined)
}

/** The names that schemas have for members. */
export function memberNames (said: Said): string[] {
  return [...new Set(said.flatMap(({ keywords }) => Object.keys(Object(keywords.properties))))]
}

/** Whether a value has no members but those that are described: validators remove or refuse all others. */
export function isClosed (said: Said): boolean {
  return said.some(({ keywords }) => keywords.additionalProperties === false)
}

/** The keywords of a schema. Zod has bounds, formats and examples elsewhere. */
function keywordsIn (schema: unknown, keywords: ObjectSchema): ObjectSchema {
  if (!isZod(schema)) return keywords
  const { def } = schema._zod
  const checks = [def, ...listOf(def.checks).map((check) => (check as ZodSchema)._zod.def)]
  return Object.assign({}, schema.meta?.(), keywords, ...checks.map(keywordsOfCheck))
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

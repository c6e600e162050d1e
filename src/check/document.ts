import { isItem, itemOf, keyOf, listOf, namesIn, show } from './json.ts'

import type { Item } from './json.ts'

/** In OpenAPI 3.0, what a reference may stand beside that still counts: it is a path then. */
const IN_PATHS = /^(?:get|put|post|delete|options|head|patch|trace|parameters|servers)$/

/** In place of a keyword, which no document has: the keyword because of which a schema is not understood. */
export const UNCLEAR = '\0'
/** What a reference calls a schema. */
export const NAME = Symbol('name')

/** What is for readers only. */
const ANNOTATIONS = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId', 'xml',
  'discriminator', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor', '$defs', 'definitions'
])
/** The names in these are not keywords. */
const MAPS = new Set([
  'paths', 'webhooks', 'responses', 'content', 'headers', 'callbacks', 'encoding', 'schemas', 'securitySchemes',
  'properties', 'patternProperties', 'dependentSchemas', 'dependencies'
])
/** Values of JSON, in which a reference or a title is only data. */
const DATA = new Set(['const', 'default', 'dependentRequired', 'security', 'servers'])
/** Lists of such values whose order does not count. */
const SETS = new Set(['enum', 'required', 'type'])

/** A document of OpenAPI 3.0 or 3.1. */
export class Document {
  /** The document without what is for readers only, and with what references lead to in their places. */
  readonly root: Item
  /** The version that clients specify (`x-api-version`), or null if the document does not say it. */
  version: string | null
  readonly #name: string
  /** Whether it is OpenAPI 3.1, where what stands beside a reference counts. */
  readonly #isLater: boolean
  readonly #source: unknown
  readonly #known = new Map<object, unknown>()
  #anchored: readonly unknown[] | undefined
  /** Copies that have no fields yet. */
  readonly #open: [copy: Record<string, unknown>, fields: Iterable<[string, unknown]>, isMap: boolean][] = []

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document, or a reference in it leads only to itself
   */
  constructor (source: unknown, name: string) {
    const { openapi, info } = itemOf(source)
    if (typeof openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(openapi)) {
      const found = !isItem(source) ? show(source) : openapi !== undefined ? `openapi: ${show(openapi)}` : 'no openapi'
      throw new TypeError(`Expected ${name} to be a document of OpenAPI 3.0 or 3.1, got ${found}`)
    }
    const { 'x-api-version': version } = itemOf(info)
    this.version = typeof version === 'string' && version !== '' ? version : null
    this.#name = name
    this.#isLater = openapi.startsWith('3.1')
    this.#source = source
    this.root = this.#read(source) as Item
    for (const [copy, fields, isMap] of this.#open) {
      for (const [field, value] of fields) copy[field] = this.#read(value, isMap ? '' : field)
    }
  }

  /**
   * A copy of a value, whose fields are filled in later.
   *
   * @param name the field that has this value, unless any name could stand there
   */
  #read (value: unknown, name = ''): unknown {
    if (typeof value !== 'object' || value === null || DATA.has(name)) return value
    if (SETS.has(name)) return listOf(value).map((member) => [keyOf(member), member]).sort().map(([, member]) => member)
    if (this.#known.has(value)) return this.#known.get(value)
    const isMap = MAPS.has(name)
    if (!isMap && isReference(value, this.#isLater)) return this.#follow(value)
    const fields = new Map<string, unknown>(isMap ? Object.entries(value) : keywordsOf(value))
    if (!isMap && fields.has('$ref')) {
      fields.set('allOf', [{ $ref: fields.get('$ref') }, ...listOf(fields.get('allOf'))]).delete('$ref')
    }
    const dynamic = isMap ? undefined : fields.get('$dynamicRef')
    if (dynamic !== undefined) fields.set('$dynamicRef', [dynamic, this.#target(dynamic), ...this.#findAnchored()])
    const copy: Record<string, unknown> = Array.isArray(value) ? [] : Object.create(null)
    this.#known.set(value, copy)
    this.#open.push([copy, fields, isMap])
    return copy
  }

  /** What a reference leads to in the end. */
  #follow (reference: Item): unknown {
    const way = new Set<object>()
    let end: unknown = reference
    while (isReference(end, this.#isLater)) {
      if (way.has(end)) throw new TypeError(`The reference ${show(end.$ref)} leads only to itself`)
      way.add(end)
      end = this.#target(end.$ref) ?? { [UNCLEAR]: `$ref ${show(end.$ref)}` }
    }
    const found = this.#read(end)
    if (isItem(found)) Object.assign(found, { [NAME]: namesIn(String(reference.$ref)).at(-1) })
    for (const one of way) this.#known.set(one, found)
    return found
  }

  /** All schemas that a dynamic reference may lead to, each after its name. */
  #findAnchored (): readonly unknown[] {
    if (this.#anchored !== undefined) return this.#anchored
    const all = new Set([this.#source])
    for (const value of all) for (const part of Object.values(value ?? {})) if (typeof part === 'object') all.add(part)
    this.#anchored = [...all].filter(isItem).flatMap((value) => {
      const name = value.$dynamicAnchor ?? value.$anchor
      return name === undefined ? [] : [name, value]
    })
    return this.#anchored
  }

  /** What a reference to this document leads to, or undefined. */
  #target (ref: unknown): unknown {
    if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
    let target = this.#source
    for (const name of namesIn(ref.replace(/(?:%[\da-f]{2})+/gi, (text) => decodeURIComponent(text)))) {
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
      target = (target as Item)[name]
    }
    return target
  }

  /**
   * A value that should be an object. What is not there is read as an empty one.
   *
   * @throws TypeError if it is something else, or refers to something that is not in this document
   */
  item (value: unknown = {}, at: string): Item {
    if (isItem(value) && value[UNCLEAR] === undefined && value.allOf === undefined) return value
    const found = isItem(value) ? value[UNCLEAR] ?? 'a $ref with other fields' : show(value)
    throw new TypeError(`Expected ${at} in ${this.#name} to be an object, got ${found}`)
  }

  /** A text of this document with the same characters in place of every version. */
  withoutVersion (text: string): string {
    if (this.version === null) return text
    return text.replace(new RegExp(`(?<!\\w)v?${this.version.replace(/\W/g, '\\$&')}(?!\\w)`, 'gi'), '\0')
  }
}

/** The fields of a value that are not for readers only. */
function keywordsOf (value: object): [string, unknown][] {
  return Object.entries(value).filter(([name]) => !ANNOTATIONS.has(name) && !name.startsWith('x-'))
}

/** Whether a value says nothing but a reference, or nothing that counts beside it. */
function isReference (value: unknown, isAlone: boolean): value is Item {
  if (!isItem(value) || !Object.hasOwn(value, '$ref')) return false
  return keywordsOf(value).every(([name]) => name === '$ref' || (!isAlone && !IN_PATHS.test(name)))
}

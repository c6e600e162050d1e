import { unescape } from 'node:querystring'

import { below, isItem, itemOf, namesIn, show } from './json.ts'

import type { Item } from './json.ts'

/** What a reference calls a schema. */
export const NAME = Symbol('name')

/** What is for readers only, and where definitions are. */
const IGNORED = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId',
  'discriminator', 'xml', 'info', 'links', 'scopes', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor',
  '$defs', 'definitions'
])

/**
 * What the fields of the parts of a document and of schemas hold. `[schema]`: a list of schemas. `{schema}`: an object
 * of schemas by any name; `<part>`: one that may have extensions, too. Other fields hold data, in which references do
 * not count.
 */
const FIELDS = new Map(Object.entries({
  part: 'get put post delete options head patch trace requestBody components',
  '{part}': 'webhooks content headers encoding securitySchemes requestBodies pathItems',
  '<part>': 'paths responses flows',
  '<<part>>': 'callbacks',
  '[part]|{part}': 'parameters',
  '[{data}]': 'servers security',
  schema: 'schema not if then else contains additionalItems additionalProperties propertyNames unevaluatedItems ' +
    'unevaluatedProperties contentSchema',
  '{schema}': 'schemas properties patternProperties dependentSchemas',
  '[schema]': 'allOf anyOf oneOf prefixItems',
  'schema|[schema]': 'items',
  reference: '$ref $dynamicRef $recursiveRef'
}).flatMap(([kinds, names]) => names.split(' ').map((name) => [name, kinds])))

/** After how many objects the reading of a document may pause. */
const STEP = 100

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
  /** By what they may be, and by the value or a reference to it. */
  readonly #copies = new Map<string, Map<unknown, Record<string | symbol, unknown>>>()
  /** Copies that have no fields yet. */
  readonly #open: [copy: Record<string, unknown>, value: Item, kind: string, at: string][] = []

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document, is malformed, or a reference leads out of it or only to itself
   */
  constructor (source: unknown, name: string) {
    const { openapi, info } = itemOf(source)
    if (typeof openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(openapi)) {
      const found = openapi !== undefined ? `openapi: ${show(openapi)}` : !isItem(source) ? show(source) : 'no openapi'
      throw new TypeError(`Expected ${name} to be a document of OpenAPI 3.0 or 3.1, got ${found}`)
    }
    const { 'x-api-version': version } = itemOf(info)
    this.version = typeof version === 'string' && version !== '' ? version : null
    this.#name = name
    this.#isLater = openapi.startsWith('3.1')
    this.#source = source
    this.root = this.#read(source, 'part', '#') as Item
  }

  /**
   * Fills in what the document contains. Call it once, to its end: it pauses now and then.
   *
   * @throws TypeError as the constructor
   */
  * read (): Iterable<undefined> {
    for (const [i, [copy, value, kind, at]] of this.#open.entries()) {
      if (i % STEP === 0) yield
      for (const [field, inner] of Object.entries(value)) {
        const kinds = kindsIn(kind, field)
        if (kinds !== null && inner !== undefined) copy[field] = this.#read(inner, kinds, below(at, field))
      }
    }
  }

  /** A copy of a value, or of what it refers to. Its fields are filled in later. */
  #read (given: unknown, kinds: string, from: string): unknown {
    if (kinds === 'data') return given
    if (kinds === 'reference') return this.#read({ $ref: String(given) }, 'schema', from)
    const copies = this.#copies.get(kinds) ?? new Map()
    this.#copies.set(kinds, copies)
    let [value, at] = [given, from]
    const way = new Set<unknown>()
    while (!copies.has(value) && this.#isReference(value, kinds)) {
      if (way.has(value)) throw new TypeError(`The reference ${show(value.$ref)} leads only to itself`)
      way.add(value)
      at = value.$ref
      value = this.#target(at)
    }
    if (typeof value === 'boolean' && /^schema/.test(kinds)) return value
    const kind = kinds.split('|').find((one) => (one[0] === '[') === Array.isArray(value))
    if (!isItem(value) || kind === undefined) {
      const type = kinds[0] === '[' ? 'array' : 'object'
      throw new TypeError(`Expected ${at} in ${this.#name} to be an ${type}, got ${show(value)}`)
    }
    const copy = copies.get(value) ?? (Array.isArray(value) ? [] : Object.create(null))
    if (!copies.has(value)) this.#open.push([copy, value, kind, at])
    for (const one of [...way, value]) copies.set(one, copy)
    if (way.has(given)) copy[NAME] = namesIn(String(itemOf(given).$ref)).at(-1)
    return copy
  }

  /** Whether a value only refers to another one. In OpenAPI 3.1 a schema may say more. */
  #isReference (value: unknown, kinds: string): value is { readonly $ref: string } {
    if (!isItem(value) || typeof value.$ref !== 'string') return false
    const isAlone = Object.keys(value).every((name) => name === '$ref' || kindsIn(kinds, name) === null)
    if (isAlone || /^schema/.test(kinds)) return isAlone || !this.#isLater
    throw new TypeError(`Expected nothing but a $ref in ${show(value)}`)
  }

  /** What a reference to this document leads to, or undefined. */
  #target (ref: string): unknown {
    if (!/^#(?:\/|$)/.test(ref)) return undefined
    let target = this.#source
    for (const name of namesIn(unescape(ref))) {
      if (!isItem(target) || !Object.hasOwn(target, name)) return undefined
      target = target[name]
    }
    return target
  }

  /** A text of this document with the same characters in place of every version. */
  withoutVersion (text: string): string {
    if (this.version === null) return text
    return text.replace(new RegExp(`(?<!\\w)v?${this.version.replace(/\W/g, '\\$&')}(?!\\w)`, 'gi'), '\0')
  }
}

/** What a field holds, or null if the field does not count. */
function kindsIn (kind: string, name: string): string | null {
  if (/^[[{]/.test(kind)) return kind.slice(1, -1)
  if (name.startsWith('x-')) return null
  if (kind[0] === '<') return kind.slice(1, -1)
  return IGNORED.has(name) ? null : FIELDS.get(name) ?? 'data'
}

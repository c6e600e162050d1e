import { unescape } from 'node:querystring'

import { below, isItem, itemOf, keyOf, namesIn, show, typeOf } from './json.ts'

import type { Item } from './json.ts'

/** In place of a keyword, which no document has: the keyword because of which a schema is not understood. */
export const UNCLEAR = '\0'
/** What a reference calls a schema. */
export const NAME = Symbol('name')

/** What is for readers only, and where definitions are. */
const IGNORED = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId', 'xml',
  'discriminator', 'info', 'links', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor', '$defs', 'definitions'
])

/**
 * The kinds of what the fields of parts, components and schemas hold. `[schema]`: a list of schemas. `{schema}`: an
 * object of schemas by any name; `<part>`: one that may have extensions, too. `set`: values whose order does not count.
 * Other fields hold data, in which references do not count.
 */
const FIELDS = new Map(Object.entries({
  part: fieldsOf({
    part: 'get put post delete options head patch trace requestBody',
    components: 'components',
    schema: 'schema',
    '<part>': 'paths responses',
    '<<part>>': 'callbacks',
    '{part}': 'webhooks content headers encoding',
    '[part]': 'parameters',
    '[item]': 'servers security',
    string: '$ref in name',
    boolean: 'required explode'
  }),
  components: fieldsOf({
    '{schema}': 'schemas',
    '{part}': 'responses parameters requestBodies headers pathItems',
    '{securityScheme}': 'securitySchemes',
    '<<part>>': 'callbacks'
  }),
  securityScheme: fieldsOf({ string: '$ref in name' }),
  schema: fieldsOf({
    reference: '$ref',
    schema: 'not if then else contains additionalItems additionalProperties propertyNames unevaluatedItems ' +
      'unevaluatedProperties contentSchema',
    '{schema}': 'properties patternProperties dependentSchemas',
    '[schema]': 'allOf anyOf oneOf prefixItems',
    'schema|[schema]': 'items',
    'string|set': 'type',
    set: 'enum required',
    string: 'pattern format',
    number: 'multipleOf minimum maximum minLength maxLength minItems maxItems minProperties maxProperties',
    'number|boolean': 'exclusiveMinimum exclusiveMaximum',
    boolean: 'nullable readOnly writeOnly uniqueItems',
    unclear: 'dependencies $dynamicRef $recursiveRef'
  })
}))
const ANY = 'null boolean number string array object'
/** The types that a kind may have. Other kinds are arrays, in square brackets, or objects. */
const TYPES = new Map([
  ['string', 'string'], ['reference', 'string'], ['number', 'number'], ['boolean', 'boolean'],
  ['schema', 'object boolean'], ['set', 'array'], ['data', ANY], ['unclear', ANY]
])

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
  /** By kind and value. */
  readonly #copies = new Map<string, Map<unknown, Record<string, unknown>>>()
  /** What references lead to, by kind and reference. */
  readonly #ends = new Map<string, unknown>()
  /** Copies that have no fields yet. */
  readonly #open: [copy: Record<string, unknown>, value: object, kind: string, at: string][] = []

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document, is malformed, or a reference in it leads only to itself
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
    this.root = this.#read(source, 'part', '#') as Item
    for (const [copy, value, kind, at] of this.#open) {
      for (const [field, inner] of Object.entries(value)) {
        const innerKind = kindIn(kind, field)
        if (innerKind !== null && inner !== undefined) copy[field] = this.#read(inner, innerKind, below(at, field))
      }
    }
  }

  /** A copy of a value, whose fields are filled in later. */
  #read (value: unknown, kinds: string, at: string): unknown {
    const kind = kinds.split('|').find((one) => typesOf(one).includes(typeOf(value)))
    if (kind === undefined) throw this.#unexpected(at, kinds, show(value))
    if (kind === 'reference') return this.#follow({ $ref: value }, 'schema', at)
    if (kind === 'unclear') return { [UNCLEAR]: kind }
    if (kind === 'set') return sorted(value as unknown[])
    if (typeof value !== 'object' || value === null || kind === 'data' || kind === 'item') return value
    if (this.#isReference(value, kind, at)) return this.#follow(value, kind, at)
    const copies = this.#copies.get(kind) ?? new Map()
    const copy = copies.get(value) ?? (Array.isArray(value) ? [] : Object.create(null))
    if (!copies.has(value)) this.#open.push([copy, value, kind, at])
    this.#copies.set(kind, copies.set(value, copy))
    return copy
  }

  /** Whether a value says nothing but a reference, or nothing that counts beside it. */
  #isReference (value: unknown, kind: string, at: string): value is Item {
    if (!isItem(value) || typeof value.$ref !== 'string') return false
    const isAlone = Object.keys(value).every((name) => name === '$ref' || kindIn(kind, name) === null)
    if (!isAlone && kind !== 'schema') throw this.#unexpected(at, kind, 'a $ref with other fields')
    return isAlone || !this.#isLater
  }

  /** A copy of what a reference leads to in the end. */
  #follow (reference: Item, kind: string, from: string): unknown {
    const way = new Set<string>()
    let [end, at]: [unknown, string] = [reference, from]
    while (this.#isReference(end, kind, at)) {
      at = String(end.$ref)
      if (way.has(at)) throw new TypeError(`The reference ${show(at)} leads only to itself`)
      way.add(at)
      end = this.#ends.get(`${kind} ${at}`) ?? this.#target(at)
    }
    for (const ref of way) this.#ends.set(`${kind} ${ref}`, end)
    if (end === undefined && kind === 'schema') return { [UNCLEAR]: `$ref ${show(at)}` }
    if (end === undefined) throw this.#unexpected(from, kind, `$ref ${show(at)}`)
    const found = this.#read(end, kind, at)
    if (isItem(found)) Object.assign(found, { [NAME]: namesIn(String(reference.$ref)).at(-1) })
    return found
  }

  /** What a reference to this document leads to, or undefined. */
  #target (ref: string): unknown {
    if (!/^#(?:\/|$)/.test(ref)) return undefined
    let target = this.#source
    for (const name of namesIn(unescape(ref))) {
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
      target = (target as Item)[name]
    }
    return target
  }

  #unexpected (at: string, kinds: string, found: string): TypeError {
    const types = kinds.split('|').flatMap((kind) => typesOf(kind).split(' '))
      .map((type) => /^[ao]/.test(type) ? `an ${type}` : `a ${type}`)
    return new TypeError(`Expected ${at} in ${this.#name} to be ${types.join(' or ')}, got ${found}`)
  }

  /** A text of this document with the same characters in place of every version. */
  withoutVersion (text: string): string {
    if (this.version === null) return text
    return text.replace(new RegExp(`(?<!\\w)v?${this.version.replace(/\W/g, '\\$&')}(?!\\w)`, 'gi'), '\0')
  }
}

function fieldsOf (namesByKind: Record<string, string>): Map<string, string> {
  return new Map(Object.entries(namesByKind).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind])))
}

/** The kind of a field, or null if the field does not count. */
function kindIn (kind: string, name: string): string | null {
  if (/^[[{]/.test(kind)) return kind.slice(1, -1)
  if (name.startsWith('x-')) return null
  if (kind[0] === '<') return kind.slice(1, -1)
  return IGNORED.has(name) ? null : FIELDS.get(kind)?.get(name) ?? 'data'
}

function typesOf (kind: string): string {
  return TYPES.get(kind) ?? (kind[0] === '[' ? 'array' : 'object')
}

/** Values whose order does not count, in one order. */
function sorted (values: readonly unknown[]): unknown[] {
  return [...values].sort((one, other) => keyOf(one) < keyOf(other) ? -1 : 1)
}

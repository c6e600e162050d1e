import { unescape } from 'node:querystring'

import { NAME, SHARED, TOLD, below, boundedText, isItem, isTrue, itemOf, namesInPointer, shortJson } from './json.ts'
import { writeAlternativesIn, writePart, writeSchema } from './normal-form.ts'
import { sunsetOf } from './sunset.ts'

import type { Item } from './json.ts'
import type { Fields } from './normal-form.ts'

/** What is for readers only, and where definitions are. */
const IGNORED = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId',
  'discriminator', 'xml', 'info', '$self', 'links', 'scopes', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor',
  '$defs', 'definitions'
])

/** What something may be. */
type Kinds = readonly string[]

/**
 * What the fields of the parts of a document and of schemas hold. `[schema]`: a list of schemas. `{schema}`: an object
 * of schemas by any name; `<part>`: one that may have extensions, too. Other fields hold data, in which references do
 * not count.
 */
const FIELDS_BY_KIND = new Map(Object.entries({
  part: 'get put post delete options head patch trace query components',
  '{part}': 'webhooks securitySchemes pathItems additionalOperations',
  body: 'requestBody',
  '{body}': 'requestBodies',
  '{header}': 'headers',
  '{media}': 'content mediaTypes',
  '{encoding}': 'encoding',
  encoding: 'itemEncoding',
  '[encoding]': 'prefixEncoding',
  '<part>': 'paths flows',
  '<response>': 'responses',
  '<<part>>': 'callbacks',
  '[parameter]|{parameter}': 'parameters',
  '[{data}]': 'servers security',
  schema: 'schema itemSchema not if then else contains additionalItems additionalProperties propertyNames ' +
    'unevaluatedItems unevaluatedProperties contentSchema',
  '{schema}': 'schemas properties patternProperties dependentSchemas',
  '[schema]': 'allOf anyOf oneOf prefixItems',
  'schema|[schema]': 'items',
  reference: '$ref $dynamicRef $recursiveRef'
}).flatMap(([kinds, names]) => names.split(' ').map((name): [string, Kinds] => [name, kinds.split('|')])))

const DATA: Kinds = ['data']

/** What is in lists and in objects with any names, by their kinds. */
const INNER = new Map([...FIELDS_BY_KIND.values()].flat().flatMap((kind) => {
  const found: [string, Kinds][] = []
  for (let outer = kind; /^[[{<]/.test(outer); outer = outer.slice(1, -1)) found.push([outer, [outer.slice(1, -1)]])
  return found
}))

/** Parts that many operations have in the same words, such as an error: each is read once. */
const REPEATED = ['parameter', 'header', 'body', 'response']

/** By what is read, by its text, or by a reference to it. */
type Copies = Map<unknown, Fields>

/** A copy that is being filled in. */
interface Open {
  readonly copy: Fields
  readonly value: Item
  readonly kind: string
  /** The fields that have not been read, the first one last. */
  readonly fields: string[]
  /** The field that is being read. */
  field: string
  /** Where it is, if a reference has led to it. */
  readonly at: string | undefined
}

/** After how many fields or schemas the reading of a document may pause. */
const STEP = 500

/** A document of OpenAPI 3.0, 3.1 or 3.2. */
export class Document {
  /** The document without what is for readers only, and with what references lead to in their places. */
  readonly root: Item
  /** The version that clients specify (`x-api-version`), or null if the document does not say it. */
  readonly ownVersion: string | null
  /** The same, or null if it counts how clients specify it. */
  version: string | null
  /** Where a text has the version. */
  readonly #mentions: RegExp
  readonly #name: string
  /** Whether it is OpenAPI 3.1 or later, where what stands beside a reference counts. */
  readonly #isLater: boolean
  readonly #source: unknown
  /** The URL by which the document may refer to itself (`$self`), perhaps without its beginning. */
  readonly #address: string
  /** By what they may be. */
  readonly #copies = new Map<string, Copies>()
  /** The way from the root to what is being read. */
  readonly #open: Open[] = []

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document, is malformed, or a reference leads out of it or only to itself
   */
  constructor (source: unknown, name: string) {
    const { openapi, info, $self } = itemOf(source)
    if (typeof openapi !== 'string' || !/^3\.[0-2](?:\.|$)/.test(openapi)) {
      const absent = isItem(source) ? 'no openapi' : shortJson(source)
      const found = openapi === undefined ? absent : `openapi: ${shortJson(openapi)}`
      throw new TypeError(`Expected ${name} to be a document of OpenAPI 3.0, 3.1 or 3.2, got ${found}`)
    }
    const { 'x-api-version': version } = itemOf(info)
    this.version = this.ownVersion = typeof version === 'string' && version !== '' ? version : null
    const texts = [this.ownVersion ?? '', encodeURIComponent(this.ownVersion?.toWellFormed() ?? '')]
    const written = texts.map((text) => text.replace(/\W/g, '\\$&')).join('|')
    this.#mentions = new RegExp(`(?<!\\w)(v?)(?:${written})(?!\\w)`, 'gi')
    this.#name = name
    this.#isLater = !openapi.startsWith('3.0')
    this.#source = source
    this.#address = resolved(String($self ?? ''), 'self:/').replace(/#.*/, '')
    this.root = this.#read(source, ['part'])
  }

  /**
   * Fills in what the document contains. Call it once, to its end: it pauses now and then.
   *
   * @throws TypeError as the constructor
   */
  * read (): Iterable<undefined> {
    // What is in a part comes before it, unless the part contains itself.
    const schemas: Fields[] = []
    const parts: [part: Fields, kind: string][] = []
    let isEvaluating = false
    for (let i = 1, open = this.#open[0]; open !== undefined; i++, open = this.#open.at(-1)!) {
      if (i % STEP === 0) yield
      const { copy, value, kind, fields } = open
      const field = fields.pop()
      if (field === undefined) {
        const sunset = value['x-sunset'] === undefined || INNER.has(kind) ? null : sunsetOf(value)
        if (sunset !== null) copy['x-sunset'] = sunset
        if (kind === 'schema' && isItem(value.discriminator)) copy[TOLD] = true
        if (kind === 'schema') schemas.push(copy)
        else if (!INNER.has(kind)) parts.push([copy, kind])
        this.#open.pop()
        continue
      }
      open.field = field
      const inner = value[field]
      const kinds = kindsIn(kind, field)
      isEvaluating ||= field.startsWith('unevaluated') && !isTrue(inner)
      if (kinds?.[0] === 'data') copy[field] = inner
      else if (kinds !== null && inner !== undefined) copy[field] = this.#read(inner, kinds)
    }
    const written = new Set<unknown>()
    for (const [i, schema] of schemas.entries()) {
      if (i % STEP === 0) yield
      if (writeSchema(schema, isEvaluating, written)) written.add(schema)
    }
    yield
    // Alternatives that contain one another are written now, and others are the same then.
    for (let i = 0; i < 2 && written.size < schemas.length; i++) schemas.forEach(writeAlternativesIn)
    for (const [part, kind] of parts) writePart(part, kind)
  }

  /** A copy of a value, or of what it refers to. Its fields are filled in later. */
  #read (value: unknown, kinds: Kinds): Fields {
    const fitting = kinds.length === 1 || !isItem(value)
      ? undefined
      : kinds.find((candidate) => isListKind(candidate) === Array.isArray(value))
    const kind = fitting ?? kinds[0]
    if (kind === 'reference') return this.#read({ $ref: String(value) }, ['schema'])
    const copies: Copies = this.#copies.get(kind) ?? new Map()
    this.#copies.set(kind, copies)
    const way = new Set<unknown>()
    let source = value
    let at: string | undefined
    while (!copies.has(source) && this.#isReference(source, kind)) {
      if (way.has(source)) throw new TypeError(`The reference ${shortJson(source.$ref)} leads only to itself`)
      at = source.$ref
      way.add(source).add(at)
      source = copies.has(at) ? at : this.#target(at)
    }
    const copy = copies.get(source) ?? this.#copy(source, kind, copies, at)
    for (const passed of way) copies.set(passed, copy)
    if (way.size > 0 && copy[NAME] === undefined) {
      const { $ref } = value as { readonly $ref: string }
      copy[NAME] = namesInPointer($ref).at(-1)
      const [shared] = /#\/components\/schemas\/[^/]+$/.exec($ref) ?? []
      if (shared !== undefined) copy[SHARED] = shared
    }
    return copy
  }

  /** @param at where it is, if a reference leads to it */
  #copy (value: unknown, kind: string, copies: Copies, at?: string): Fields {
    if (kind === 'schema' && typeof value === 'boolean') return this.#copy(value ? {} : { enum: [] }, kind, copies, at)
    const isUnnamed = kind === 'parameter' && !['name', 'in'].every((name) => typeof itemOf(value)[name] === 'string')
    if (!isItem(value) || isListKind(kind) !== Array.isArray(value) || isUnnamed) {
      const place = at ?? this.#open.reduce((around, open) => below(open.at ?? around, open.field), '#')
      const type = isListKind(kind) ? 'array' : kind === 'parameter' ? 'object with "name" and "in"' : 'object'
      const hint = value === undefined && place[0] !== '#' ? '. Bundle the documents' : ''
      throw new TypeError(`Expected ${place} in ${this.#name} to be an ${type}, got ${shortJson(value)}${hint}`)
    }
    const text = REPEATED.includes(kind) ? boundedText(value) : undefined
    const twin = text && copies.get(text)
    if (twin) return twin
    // Nothing is inherited, and V8 does not take it for a dictionary, as it takes Object.create(null).
    const copy = (Array.isArray(value) ? [] : { __proto__: null }) as unknown as Fields
    this.#open.push({ copy, value, kind, fields: Object.keys(value).reverse(), field: '', at })
    copies.set(value, copy)
    if (text !== undefined) copies.set(text, copy)
    return copy
  }

  /** Whether a value only refers to another one. In OpenAPI 3.1 a schema may say more. */
  #isReference (value: unknown, kind: string): value is { readonly $ref: string } {
    if (!isItem(value) || typeof value.$ref !== 'string') return false
    const isAlone = Object.keys(value).every((name) => (
      name === '$ref' || (kindsIn(kind, name) === null && (name !== 'x-sunset' || kind !== 'schema'))
    ))
    if (isAlone || kind === 'schema') return isAlone || !this.#isLater
    throw new TypeError(`Expected nothing but a $ref in ${shortJson(value)}`)
  }

  /** What a reference to this document leads to, or undefined. */
  #target (ref: string): unknown {
    const { length } = this.#address
    const url = ref[0] === '#' ? this.#address + ref : resolved(ref, this.#address)
    const pointer = url.slice(length)
    if (!url.startsWith(this.#address) || !/^#(?:\/|$)/.test(pointer)) return undefined
    let target = this.#source
    for (const name of namesInPointer(unescape(pointer))) {
      if (!isItem(target) || !Object.hasOwn(target, name)) return undefined
      target = target[name]
    }
    return target
  }

  /** A text of this document with the same characters in place of every version. */
  withoutVersion (text: string, version = this.version): string {
    return version === null ? text : text.replace(this.#mentions, '$1\0')
  }
}

function isListKind (kind: string): boolean {
  return kind[0] === '['
}

/** A URL, or a text without characters if it is none. */
function resolved (url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : ''
}

/** What a field holds, or null if the field does not count. */
function kindsIn (kind: string, name: string): Kinds | null {
  const inner = INNER.get(kind)
  if (inner !== undefined && kind[0] !== '<') return inner
  if (name.startsWith('x-')) return null
  return inner ?? (IGNORED.has(name) ? null : FIELDS_BY_KIND.get(name) ?? DATA)
}

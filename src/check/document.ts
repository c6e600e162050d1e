import { unescape } from 'node:querystring'

import { NAME, SHARED, TOLD, below, boundedText, isItem, isTrue, itemOf, namesInPointer, shortJson } from './json.ts'
import { writeAlternativesIn, writePart, writeSchema } from './normal-form.ts'
import { sunsetOf } from './sunset.ts'

import type { Item } from './json.ts'
import type { Fields } from './normal-form.ts'

/** The fields that do not count: texts for readers, and definitions, which are read where a reference leads. */
const IGNORED = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId',
  'discriminator', 'xml', 'info', '$self', 'links', 'scopes', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor',
  '$defs', 'definitions'
])

/** The kinds of value that a field may have, such as `schema` or `[schema]`. */
type Kinds = readonly string[]

/**
 * The names of the fields of documents and schemas, by the kinds of their values. `[schema]` is a list of schemas,
 * `{schema}` an object of schemas by any name, and `<part>` such an object that may have extensions, too. All other
 * fields hold data, in which references do not count.
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

/** The kinds of the members of a list or of an object by any name, by the kind of the list or the object. */
const INNER = new Map([...FIELDS_BY_KIND.values()].flat().flatMap((kind) => {
  const found: [string, Kinds][] = []
  for (let outer = kind; /^[[{<]/.test(outer); outer = outer.slice(1, -1)) found.push([outer, [outer.slice(1, -1)]])
  return found
}))

/** The kinds of parts that many operations have in the same words, such as an error. Each text is read once. */
const REPEATED = ['parameter', 'header', 'body', 'response']

/** Copies of values, by the value, by its text, or by a reference to it. */
type Copies = Map<unknown, Fields>

/** A copy that is being filled in. */
interface Open {
  readonly copy: Fields
  readonly value: Item
  readonly kind: string
  /** The fields that have not been read, in reverse order. */
  readonly fields: string[]
  /** The field that is being read. */
  field: string
  /** The reference that has led to the value, or undefined. */
  readonly at: string | undefined
}

/** The number of fields or schemas after which the reading of a document may pause. */
const STEP = 500

/** A document of OpenAPI 3.0, 3.1 or 3.2. */
export class Document {
  /** A copy of the document without fields for readers. Each reference is replaced by its target. */
  readonly root: Item
  /** The version that clients specify (`x-api-version`), or null if the document does not say it. */
  readonly ownVersion: string | null
  /** The version that does not count in a text, or null if the way in which clients specify it counts. */
  version: string | null
  /** Matches each mention of the version in a text. */
  readonly #mentions: RegExp
  readonly #name: string
  /** Whether the document is OpenAPI 3.1 or later, where the fields beside a `$ref` count. */
  readonly #isLater: boolean
  readonly #source: unknown
  /** The URL that the document says of itself (`$self`). A relative `$self` begins with `self:/`. */
  readonly #address: string
  /** The copies that exist, by the kind of their values. */
  readonly #copies = new Map<string, Copies>()
  /** The open copies, from the root to the value that is being read. */
  readonly #open: Open[] = []

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is no such document, is malformed, or a reference leads out of the document or to itself
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
   * Fills in the copies, with a pause after each `STEP` fields or schemas. Call it once, and run it to its end.
   *
   * @throws TypeError as the constructor
   */
  * read (): Iterable<undefined> {
    // A schema or a part comes after all that it contains, unless it contains itself.
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
    // Schemas that contain themselves come last. Each pass merges what the pass before it has made the same, and
    // doubles the depth to which alternatives become one list. Seven lists inside one another need three passes.
    for (let i = 0; i < 3 && written.size < schemas.length; i++) schemas.forEach(writeAlternativesIn)
    for (const [part, kind] of parts) writePart(part, kind)
  }

  /** Returns the copy of a value, or of the target of a reference. `read` fills in the fields of the copy. */
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

  /** Makes an empty copy of a value that has to be read. `at` is the reference that has led to the value. */
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
    // The copy inherits nothing. V8 takes Object.create(null) for a dictionary, but not this literal.
    const copy = (Array.isArray(value) ? [] : { __proto__: null }) as unknown as Fields
    this.#open.push({ copy, value, kind, fields: Object.keys(value).reverse(), field: '', at })
    copies.set(value, copy)
    if (text !== undefined) copies.set(text, copy)
    return copy
  }

  /** Tells whether a value is only a reference. In OpenAPI 3.1 a schema may say more beside its `$ref`. */
  #isReference (value: unknown, kind: string): value is { readonly $ref: string } {
    if (!isItem(value) || typeof value.$ref !== 'string') return false
    const isAlone = Object.keys(value).every((name) => (
      name === '$ref' || (kindsIn(kind, name) === null && (name !== 'x-sunset' || kind !== 'schema'))
    ))
    if (isAlone || kind === 'schema') return isAlone || !this.#isLater
    throw new TypeError(`Expected nothing but a $ref in ${shortJson(value)}`)
  }

  /** Returns the value in this document to which a reference leads, or undefined. */
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

  /** Returns a text of this document with the same character in place of each mention of the version. */
  withoutVersion (text: string, version = this.version): string {
    return version === null ? text : text.replace(this.#mentions, '$1\0')
  }
}

function isListKind (kind: string): boolean {
  return kind[0] === '['
}

/** Returns an absolute URL, or '' if the text is no URL. */
function resolved (url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : ''
}

/** Returns the kinds of value that a field may have, or null if the field does not count. */
function kindsIn (kind: string, name: string): Kinds | null {
  const inner = INNER.get(kind)
  if (inner !== undefined && kind[0] !== '<') return inner
  if (name.startsWith('x-')) return null
  return inner ?? (IGNORED.has(name) ? null : FIELDS_BY_KIND.get(name) ?? DATA)
}

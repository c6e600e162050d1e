import { unescape } from 'node:querystring'

import { NAME, SHARED, TOLD, below, isItem, isTrue, itemOf, namesInPointer, shortJson } from './json.ts'
import { ENCODINGS, Normal, dropDefaults, dropEncodings, ignoreOrderIn, writeAlternativesIn } from './normal-form.ts'
import { sunsetOf } from './sunset.ts'

import type { Item } from './json.ts'

/** What is for readers only, and where definitions are. */
const IGNORED = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId',
  'discriminator', 'xml', 'info', '$self', 'links', 'scopes', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor',
  '$defs', 'definitions'
])

/**
 * What the fields of the parts of a document and of schemas hold. `[schema]`: a list of schemas. `{schema}`: an object
 * of schemas by any name; `<part>`: one that may have extensions, too. Other fields hold data, in which references do
 * not count.
 */
const FIELDS = new Map(Object.entries({
  part: 'get put post delete options head patch trace query components',
  '{part}': 'webhooks content securitySchemes pathItems mediaTypes additionalOperations',
  body: 'requestBody',
  '{body}': 'requestBodies',
  '{header}': 'headers',
  '{encoding}': 'encoding',
  encoding: 'itemEncoding',
  '[encoding]': 'prefixEncoding',
  '<part>': 'paths responses flows',
  '<<part>>': 'callbacks',
  '[parameter]|{parameter}': 'parameters',
  '[{data}]': 'servers security',
  schema: 'schema itemSchema not if then else contains additionalItems additionalProperties propertyNames ' +
    'unevaluatedItems unevaluatedProperties contentSchema',
  '{schema}': 'schemas properties patternProperties dependentSchemas',
  '[schema]': 'allOf anyOf oneOf prefixItems',
  'schema|[schema]': 'items',
  reference: '$ref $dynamicRef $recursiveRef'
}).flatMap(([kinds, names]) => names.split(' ').map((name) => [name, kinds])))

/** What is in lists and in objects with any names, by their kinds. */
const INNER = new Map([...FIELDS.values()].flatMap((kinds) => kinds.split('|')).flatMap((kind) => {
  const found: [string, string][] = []
  for (let outer = kind; /^[[{<]/.test(outer); outer = outer.slice(1, -1)) found.push([outer, outer.slice(1, -1)])
  return found
}))

/** The kinds of an object, and of a list, for what may be several. */
const KINDS = new Map([...FIELDS.values(), ...INNER.values()].map((kinds) => {
  const all = kinds.split('|')
  return [kinds, [all.find((kind) => kind[0] !== '['), all.find((kind) => kind[0] === '[')]] as const
}))

/** By what is read, by its text, or by a reference to it. */
type Copies = Map<unknown, unknown>

/** Parts that say how a value is written, and that many operations share, as they share responses. */
const REPEATED = ['parameter', 'header', 'body']
const STATUS = /\/(?:[1-5]..|default)$/i

/** After how many objects the reading of a document may pause. */
const STEP = 100

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
  /** Copies that have no fields yet. */
  readonly #open: [copy: Record<string, unknown>, value: Item, kind: string, at: string][] = []

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
    this.#mentions = new RegExp(`(?<!\\w)(v?)${this.ownVersion?.replace(/\W/g, '\\$&')}(?!\\w)`, 'gi')
    this.#name = name
    this.#isLater = !openapi.startsWith('3.0')
    this.#source = source
    this.#address = resolved(String($self ?? ''), 'self:/').replace(/#.*/, '')
    this.root = this.#read(source, 'part', '#') as Item
  }

  /**
   * Fills in what the document contains. Call it once, to its end: it pauses now and then.
   *
   * @throws TypeError as the constructor
   */
  * read (): Iterable<undefined> {
    let isEvaluating = false
    for (let i = 0; i < this.#open.length; i++) {
      if (i % STEP === 0) yield
      const [copy, value, kind, at] = this.#open[i]
      for (const field of Object.keys(value)) {
        const inner = value[field]
        const kinds = kindsIn(kind, field)
        isEvaluating ||= field.startsWith('unevaluated') && !isTrue(inner)
        if (kinds === 'data') copy[field] = inner
        else if (kinds !== null && inner !== undefined) copy[field] = this.#read(inner, kinds, below(at, field))
      }
      const sunset = value['x-sunset'] === undefined || INNER.has(kind) ? null : sunsetOf(value)
      if (sunset !== null) copy['x-sunset'] = sunset
      if (kind === 'schema' && isItem(value.discriminator)) (copy as Record<symbol, unknown>)[TOLD] = true
    }
    const normal = new Normal(isEvaluating)
    for (const [i, [copy, , kind]] of this.#open.entries()) {
      if (i % STEP === 0) yield
      if (kind === 'schema') normal.write(copy)
    }
    yield
    for (const [copy, , kind] of this.#open.toReversed()) {
      if (kind === 'schema') writeAlternativesIn(copy)
      else if (REPEATED.includes(kind)) dropDefaults(copy)
      else if (ENCODINGS.some((name) => copy[name] !== undefined)) dropEncodings(copy)
    }
    for (const [copy, , kind] of this.#open) if (kind === 'schema') ignoreOrderIn(copy)
  }

  /** A copy of a value, or of what it refers to. Its fields are filled in later. */
  #read (value: unknown, kinds: string, at: string): unknown {
    if (kinds === 'reference') return this.#read({ $ref: String(value) }, 'schema', at)
    const copies = this.#copies.get(kinds) ?? new Map()
    this.#copies.set(kinds, copies)
    const existing = copies.get(value)
    if (existing !== undefined) return existing
    if (this.#isReference(value, kinds)) return this.#readReference(value, kinds, copies)
    return this.#copy(value, kinds, copies, at)
  }

  #readReference (reference: { readonly $ref: string }, kinds: string, copies: Copies): unknown {
    const { $ref } = reference
    const way = new Set<unknown>()
    let value: unknown = reference
    let at = $ref
    while (!copies.has(at) && this.#isReference(value, kinds)) {
      if (way.has(value)) throw new TypeError(`The reference ${shortJson(value.$ref)} leads only to itself`)
      way.add(value)
      at = value.$ref
      value = this.#target(at)
    }
    const copy = copies.get(at) ?? this.#copy(value, kinds, copies, at)
    for (const passed of way) copies.set(passed, copy).set((passed as typeof reference).$ref, copy)
    const named = copy as Record<symbol, unknown>
    named[NAME] = namesInPointer($ref).at(-1)
    const [shared] = /#\/components\/schemas\/[^/]+$/.exec($ref) ?? []
    if (shared !== undefined) named[SHARED] = shared
    return copy
  }

  #copy (value: unknown, kinds: string, copies: Copies, at: string): unknown {
    const existing = copies.get(value)
    if (existing !== undefined) return existing
    const isBoolean = typeof value === 'boolean' && /^schema/.test(kinds)
    if (isBoolean) return this.#copy(value ? {} : { enum: [] }, kinds, copies, at)
    const kind = KINDS.get(kinds)![Array.isArray(value) ? 1 : 0]
    if (!isItem(value) || kind === undefined) {
      const type = kinds[0] === '[' ? 'array' : 'object'
      throw new TypeError(`Expected ${at} in ${this.#name} to be an ${type}, got ${shortJson(value)}`)
    }
    // What many operations have, such as an error, is read once.
    const isRepeated = REPEATED.includes(kind) || (kind === 'part' && STATUS.test(at))
    const text = isRepeated ? textOf(value) : value
    const twin = copies.get(text)
    if (twin !== undefined) return twin
    // Nothing is inherited, and V8 does not take it for a dictionary, as it takes Object.create(null).
    const copy = (Array.isArray(value) ? [] : { __proto__: null }) as unknown as Record<string, unknown>
    this.#open.push([copy, value, kind, at])
    copies.set(value, copy).set(text, copy)
    return copy
  }

  /** Whether a value only refers to another one. In OpenAPI 3.1 a schema may say more. */
  #isReference (value: unknown, kinds: string): value is { readonly $ref: string } {
    if (!isItem(value) || typeof value.$ref !== 'string') return false
    const isAlone = Object.keys(value).every((name) => (
      name === '$ref' || (kindsIn(kinds, name) === null && (name !== 'x-sunset' || kinds !== 'schema'))
    ))
    if (isAlone || /^schema/.test(kinds)) return isAlone || !this.#isLater
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

/** A text for each value, or the value if it is too deep, or contains itself. */
function textOf (value: Item): unknown {
  try {
    return JSON.stringify(value)
  } catch {
    return value
  }
}

/** A URL, or a text without characters if it is none. */
function resolved (url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : ''
}

/** What a field holds, or null if the field does not count. */
function kindsIn (kind: string, name: string): string | null {
  const inner = INNER.get(kind)
  if (inner !== undefined && kind[0] !== '<') return inner
  if (name.startsWith('x-')) return null
  return inner ?? (IGNORED.has(name) ? null : FIELDS.get(name) ?? 'data')
}

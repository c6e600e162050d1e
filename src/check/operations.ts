import { Document } from './document.ts'
import { below, fieldsOf, itemOf, keyOf, listOf } from './json.ts'
import { headersOf, isVersionParameter, mediaTypeKeyOf, pathKeyOf, serversKeyOf, versionedPathKeyOf } from './naming.ts'
import { areSame } from './same.ts'
import { SchemaComparison } from './schemas.ts'
import { sentenceOf } from './words.ts'

import type { Item } from './json.ts'
import type { Direction } from './schemas.ts'
import type { Difference } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** OpenAPI ignores parameters of these names. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

/** Anything with a location. */
interface Part {
  readonly at: string
  readonly item: Item
}

/** An operation, with what its path says. */
interface Operation extends Part {
  readonly document: Document
  readonly path: string
  /** The method and the path without the version. */
  readonly versionedKey: string
  readonly shared: Item
}

type Parts<Value extends Part = Part> = ReadonlyMap<string, Value>

export function compare (before: object, after: object): Difference[] {
  const [first, second] = [new Document(before, 'the first document'), new Document(after, 'the second document')]
  // A version that only one of them says would look like a difference.
  if (first.version === null || second.version === null) first.version = second.version = null
  const comparison = new OperationsComparison(first, second)
  comparison.compareAll()
  return comparison.differences
}

class OperationsComparison {
  readonly differences: Difference[] = []
  readonly #before: Document
  readonly #after: Document

  constructor (before: Document, after: Document) {
    this.#before = before
    this.#after = after
  }

  compareAll (): void {
    const [before, after] = [this.#before, this.#after]
    const [was, is] = [before, after].map((document) => serversKeyOf(document.root.servers, document, true))
    if (was !== is) this.#add('breaking', '#/servers', 'have another path now')
    const [some, others] = [operationsOf(before), operationsOf(after)]
    this.#compareEach(byCommonKey(some, others), byCommonKey(others, some), (one, other) => {
      this.#compareServers(one, other)
      this.#compareSecurity(one, other)
      this.#compareParameters(one, other)
      this.#compareBodies(one, other)
      this.#compareResponses(one, other)
      this.#compareWhole(one.item.callbacks, other.item.callbacks, below(one.at, 'callbacks'))
    })
    this.#compareWhole(before.root.webhooks, after.root.webhooks, '#/webhooks')
  }

  /** Compares parts by their key. What was removed is breaking; what is new is not, unless the client must send it. */
  #compareEach <Value extends Part>(
    some: Parts<Value>, others: Parts<Value>, compare: (one: Value, other: Value) => void,
    isNeeded: (part: Value) => boolean = () => false
  ): void {
    for (const key of new Set([...some.keys(), ...others.keys()])) {
      const [one, other] = [some.get(key), others.get(key)]
      if (one !== undefined && other !== undefined) compare(one, other)
      else if (one !== undefined) this.#add('breaking', one.at, 'was removed')
      else if (other !== undefined && isNeeded(other)) this.#add('breaking', other.at, 'is new and required')
      else if (other !== undefined) this.#add('added', other.at, 'is new')
    }
  }

  /** Webhooks and callbacks: the server sends and the client answers, so every difference may break a client. */
  #compareWhole (some: unknown, others: unknown, at: string): void {
    const partsOf = (value: unknown) => new Map(fieldsOf(value).map(([name, item]) => (
      [name, { at: below(at, name), item: itemOf(item) }]
    )))
    this.#compareEach(partsOf(some), partsOf(others), ({ at, item: was }, { item: is }) => {
      if (!areSame(was, is, this.#before, this.#after)) this.#add('breaking', at, 'has changed')
    })
  }

  #compareServers (one: Operation, other: Operation): void {
    const [was, is] = [one, other].map(({ item, shared, document }) => (
      serversKeyOf(item.servers ?? shared.servers, document, false)
    ))
    if (was !== is) this.#add('breaking', below(one.at, 'servers'), 'have another address now')
  }

  #compareSecurity (one: Operation, other: Operation): void {
    const [was, is] = [securityOf(one), securityOf(other)]
    const [first, second] = [was, is].map((ways) => keyOf(ways.map((way) => [...way].sort().join()).sort()))
    if (first === second) return
    // The credentials of a client must be enough for one of the alternatives.
    const isEnough = was.every((held) => is.some((needed) => [...needed].every((need) => held.has(need))))
    const words = isEnough ? 'needs less now, or has another way' : 'needs more now'
    this.#add(isEnough ? 'added' : 'breaking', below(one.at, 'security'), words)
  }

  #compareParameters (one: Operation, other: Operation): void {
    this.#compareEach(parametersOf(one), parametersOf(other), ({ at, item: was }, { item: is }) => {
      if (was.in !== 'path') this.#compareRequired(was, is, at)
      if (styleOf(was) !== styleOf(is)) this.#add('breaking', at, 'is written in another way now')
      this.#compareValues(was, is, at, 'request')
    }, isRequired)
  }

  /** What a client sends. */
  #compareRequired ({ required: was }: Item, { required: is }: Item, at: string): void {
    if (is === true && was !== true) this.#add('breaking', at, 'is required now')
    if (was === true && is !== true) this.#add('added', at, 'is not required any more')
  }

  /** Parameters and headers: text by a schema, or content of a media type. */
  #compareValues (one: Item, other: Item, at: string, direction: Direction): void {
    const [was, is] = [one, other].map(({ content }) => Object.entries(itemOf(content))[0])
    if (was?.[0] !== is?.[0]) return this.#add('breaking', at, 'is written in another way now')
    const [first, second] = was === undefined ? [one, other] : [itemOf(was[1]), itemOf(is?.[1])]
    this.#compareSchemas(first.schema, second.schema, below(at, 'schema'), direction)
  }

  #compareSchemas (one: unknown, other: unknown, at: string, direction: Direction): void {
    const comparison = new SchemaComparison(this.#before, this.#after, direction)
    this.differences.push(...comparison.compare(one ?? true, other ?? true, at))
  }

  #compareBodies (one: Operation, other: Operation): void {
    const at = below(one.at, 'requestBody')
    const bodyOf = ({ item: { requestBody }, document }: Operation) => (
      new Map(requestBody === undefined ? [] : [['', { at, item: document.item(requestBody) }]])
    )
    this.#compareEach(bodyOf(one), bodyOf(other), ({ item: was }, { item: is }) => {
      this.#compareRequired(was, is, at)
      this.#compareContent(was, is, at, 'request')
    }, isRequired)
  }

  #compareContent (one: Item, other: Item, at: string, direction: Direction): void {
    const [some, others] = [contentOf(one, at, this.#before), contentOf(other, at, this.#after)]
    this.#compareEach(some, others, ({ at, item: was }, { item: is }) => {
      const isSame = keyOf(was.encoding) === keyOf(is.encoding)
      if (!isSame) this.#add('breaking', below(at, 'encoding'), 'is encoded in another way now')
      this.#compareSchemas(was.schema, is.schema, below(at, 'schema'), direction)
    })
  }

  #compareResponses (one: Operation, other: Operation): void {
    const [was, is] = [new Map(fieldsOf(one.item.responses)), new Map(fieldsOf(other.item.responses))]
    for (const status of new Set([...was.keys(), ...is.keys()])) {
      const at = below(one.at, 'responses', status)
      const isSuccess = /^[123]/.test(status)
      const first = was.get(status) ?? generalOf(status, was, true)
      const second = is.get(status) ?? generalOf(status, is, !isSuccess)
      if (first === undefined) this.#add(isSuccess ? 'breaking' : 'added', at, 'is new')
      else if (second !== undefined) this.#compareResponse(this.#before.item(first), this.#after.item(second), at)
      else this.#add(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
    }
  }

  #compareResponse (one: Item, other: Item, at: string): void {
    this.#compareContent(one, other, at, 'response')
    const [some, others] = headersOf(one, other)
    const partsOf = (headers: [string, unknown][], document: Document) => new Map(headers.map(([name, header]) => (
      [name.toLowerCase(), { at: below(at, 'headers', name), item: document.item(header) }]
    )))
    this.#compareEach(partsOf(some, this.#before), partsOf(others, this.#after), ({ at, item: was }, { item: is }) => {
      if (was.required === true && is.required !== true) this.#add('breaking', at, 'is not always sent any more')
      if (was.required !== true && is.required === true) this.#add('added', at, 'is always sent now')
      this.#compareValues(was, is, at, 'response')
    })
  }

  #add (kind: Difference['kind'], at: string, words: string): void {
    this.differences.push({ kind, at, message: sentenceOf(at, words) })
  }
}

type Responses = ReadonlyMap<string, unknown>

function isRequired ({ item }: Part): boolean {
  return item.required === true
}

/** The operations of a document by method and path, where the names of parameters do not count. */
function operationsOf (document: Document): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, value] of fieldsOf(document.root.paths)) {
    const shared = document.item(value)
    for (const method of METHODS.filter((name) => Object.hasOwn(shared, name))) {
      const key = `${method} ${pathKeyOf(path)}`
      const isTaken = operations.has(key)
      const versionedKey = `${method} ${isTaken ? path : versionedPathKeyOf(path, document)}`
      const item = itemOf(shared[method])
      const operation = { document, at: below('#/paths', path, method), path, versionedKey, item, shared }
      operations.set(isTaken ? versionedKey : key, operation)
    }
  }
  return operations
}

/** The operations by their key, or, if it is not in the other document, by the key without the version. */
function byCommonKey (operations: Parts<Operation>, others: Parts<Operation>): Parts<Operation> {
  return new Map([...operations].map(([key, one]) => [others.has(key) ? key : one.versionedKey, one]))
}

/** The parameters of an operation by location and name; path parameters by their position. */
function parametersOf ({ document, at, path, item, shared }: Operation): Map<string, Part> {
  const parameters = new Map<string, Part>()
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  for (const value of [...listOf(shared.parameters), ...listOf(item.parameters)]) {
    const parameter = document.item(value)
    const [location, given] = [String(parameter.in), String(parameter.name)]
    const name = location === 'header' ? given.toLowerCase() : given
    const isIgnored = location === 'header' && NO_PARAMETERS.includes(name)
    if (isIgnored || isVersionParameter(parameter, document)) continue
    const key = location === 'path' ? `path ${inPath.indexOf(given)}` : `${location} ${name}`
    parameters.set(key, { at: below(at, 'parameters', location, given), item: parameter })
  }
  return parameters
}

/** How the values of a parameter are written. */
function styleOf ({ in: location, style, explode, allowReserved, allowEmptyValue }: Item): string {
  const used = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return [used, explode ?? used === 'form', allowReserved === true, allowEmptyValue === true].join()
}

/** The media types of a message. */
function contentOf ({ content }: Item, at: string, document: Document): Map<string, Part> {
  return new Map(Object.entries(itemOf(content)).map(([name, media]) => (
    [mediaTypeKeyOf(name, document), { at: below(at, 'content', name), item: document.item(media) }]
  )))
}

/** The class or the default that describes a status that is not described itself. */
function generalOf (status: string, responses: Responses, hasDefault: boolean): unknown {
  return responses.get(`${status[0]}XX`) ?? (hasDefault ? responses.get('default') : undefined)
}

/** What each way to authenticate needs: scopes, and schemes by their definition, not by their name. */
function securityOf ({ document, item }: Operation): Set<string>[] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    new Set(Object.entries(itemOf(way)).flatMap(([name, scopes]) => {
      const { description, ...scheme } = Object.hasOwn(schemes, name) ? document.item(schemes[name]) : { name }
      const key = keyOf({ ...scheme, scheme: String(scheme.scheme).toLowerCase() })
      return [key, ...listOf(scopes).map((scope) => `${key} ${scope}`)]
    }))
  ))
  return ways.length > 0 ? ways : [new Set()]
}

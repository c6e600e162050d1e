import { Document } from './document.ts'
import { below, fieldsOf, itemOf, keyOf, listOf, show, stringsOf } from './json.ts'
import { headersOf, isVersionParameter, mediaTypeKeyOf, pathKeyOf, serversKeyOf, versionedPathKeyOf } from './naming.ts'
import { compareSchemas } from './schemas.ts'

import type { Item } from './json.ts'
import type { Documents } from './same.ts'
import type { Direction } from './schemas.ts'
import type { Change, ChangeKind } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** OpenAPI ignores parameters of these names. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

/** An operation, with what its path says. */
interface Operation {
  readonly document: Document
  readonly at: string
  readonly path: string
  /** The method and the path without the version. */
  readonly versionedKey: string
  readonly item: Item
  readonly shared: Item
}

/** A parameter; its name is part of the location of a change. */
interface Parameter {
  readonly at: string
  readonly item: Item
}

export function compare (before: object, after: object): Change[] {
  const documents = {
    before: new Document(before, 'the first document'),
    after: new Document(after, 'the second document'),
    same: new Set<string>()
  }
  // A version that only one of them names would look like a difference.
  if (documents.before.version === null || documents.after.version === null) {
    documents.before.version = documents.after.version = null
  }
  const comparison = new OperationsComparison(documents)
  comparison.compareAll()
  return comparison.changes
}

class OperationsComparison {
  readonly changes: Change[] = []
  readonly #documents: Documents
  /** Whether callbacks are compared. Callbacks of callbacks are not, because they may go on without end. */
  readonly #hasCallbacks: boolean

  constructor (documents: Documents, hasCallbacks = true) {
    this.#documents = documents
    this.#hasCallbacks = hasCallbacks
  }

  compareAll (): void {
    const { before, after } = this.#documents
    const [was, is] = [before, after].map((document) => serversKeyOf(document.root.servers, document, true))
    if (was !== is) this.#add('unknown', '#/servers', 'The path of the server has changed')
    const operationsOf = (document: Document, field: string) => (
      operationsIn(document.root[field], document, below('#', field))
    )
    this.#compareEach(operationsOf(before, 'paths'), operationsOf(after, 'paths'))
    this.#compareEach(operationsOf(before, 'webhooks'), operationsOf(after, 'webhooks'), (one, other) => (
      this.#compareBackwards(new Map([['', one]]), new Map([['', other]]), one.at, 'webhook')
    ))
  }

  #compareEach (
    before: Operations, after: Operations,
    compareBoth = (one: Operation, other: Operation) => this.#compareOperations(one, other)
  ): void {
    for (const [one, other] of paired(byCommonKey(before, after), byCommonKey(after, before))) {
      if (other === undefined) this.#add('breaking', one.at, 'The operation was removed')
      else if (one === undefined) this.#add('added', other.at, 'The operation is new')
      else compareBoth(one, other)
    }
  }

  #compareOperations (one: Operation, other: Operation): void {
    this.#compareServers(one, other)
    this.#compareSecurity(one, other)
    this.#compareParameters(one, other)
    this.#compareBodies(one, other)
    this.#compareResponses(one, other)
    this.#compareCallbacks(one, other)
  }

  /** In a callback the server sends and the client answers, so whether a change breaks is not decided. */
  #compareBackwards (before: Operations, after: Operations, at: string, what: string): void {
    const comparison = new OperationsComparison(this.#documents, false)
    comparison.#compareEach(before, after)
    if (comparison.changes.length > 0) this.#add('unknown', at, `The ${what} has changed`)
  }

  #compareCallbacks (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const [callbacks, others] = [one, other].map(({ item }) => new Map(fieldsOf(item.callbacks)))
    for (const [some, another, name] of paired(callbacks, others)) {
      const at = below(one.at, 'callbacks', name)
      const [was, is] = [before.item(some), after.item(another)]
      if (this.#hasCallbacks) {
        this.#compareBackwards(operationsIn(was, before, '#'), operationsIn(is, after, '#'), at, 'callback')
      } else if (keyOf(was) !== keyOf(is)) {
        this.#add('unknown', at, 'The callback has changed')
      }
    }
  }

  #compareServers (one: Operation, other: Operation): void {
    const [was, is] = [one, other].map(({ item, shared, document }) => (
      serversKeyOf(item.servers ?? shared.servers, document, false)
    ))
    if (was !== is) this.#add('unknown', below(one.at, 'servers'), 'The server has changed')
  }

  #compareSecurity (one: Operation, other: Operation): void {
    const [was, is] = [securityOf(one), securityOf(other)]
    const at = below(one.at, 'security')
    const [first, second] = [was, is].map((ways) => keyOf(ways.map((way) => [...way].sort().join()).sort()))
    if (first === second) return
    // The credentials of a client must be enough for one of the alternatives.
    const isMet = was.every((held) => is.some((needed) => [...needed].every((need) => held.has(need))))
    if (isMet) this.#add('added', at, 'There are more ways to authenticate, or less is needed')
    else this.#add('breaking', at, 'What clients authenticate with is not enough any more')
  }

  #compareParameters (one: Operation, other: Operation): void {
    for (const [was, is] of paired(parametersOf(one), parametersOf(other))) {
      if (is === undefined) this.#add('unknown', was.at, 'The parameter was removed')
      else if (was === undefined) this.#compareRequired(undefined, is.item, is.at, 'parameter')
      else this.#compareParameter(was.item, is.item, was.at)
    }
  }

  /** What a client sends: it is new, or it is required now, or not any more. */
  #compareRequired (one: Item | undefined, { required }: Item, at: string, what: string): void {
    const isRequired = required === true
    const kind = isRequired ? 'breaking' : 'added'
    if (one === undefined) this.#add(kind, at, `The ${what} is new${isRequired ? ', and required' : ''}`)
    else if (isRequired !== (one.required === true)) {
      this.#add(kind, at, `The ${what} is ${isRequired ? 'required now' : 'not required any more'}`)
    }
  }

  #compareParameter (one: Item, other: Item, at: string): void {
    if (one.in !== 'path') this.#compareRequired(one, other, at, 'parameter')
    if (styleOf(one) !== styleOf(other)) this.#add('unknown', at, 'The parameter is written in another way')
    this.#compareValues(one, other, at, 'request')
  }

  /** Parameters and headers: text by a schema, or content of a media type. */
  #compareValues (one: Item, other: Item, at: string, direction: Direction): void {
    const [was, is] = [one, other].map(({ content }) => Object.entries(itemOf(content))[0])
    if (was?.[0] !== is?.[0]) return this.#add('unknown', at, 'It is written in another way')
    const isText = was === undefined
    const [first, second] = isText ? [one, other] : [itemOf(was[1]), itemOf(is?.[1])]
    this.#compareSchemas(first.schema, second.schema, below(at, 'schema'), direction, isText)
  }

  #compareSchemas (one: unknown, other: unknown, at: string, direction: Direction, isText = false): void {
    const subject = { documents: this.#documents, direction, isText }
    this.changes.push(...compareSchemas(one ?? true, other ?? true, at, subject))
  }

  #compareBodies (one: Operation, other: Operation): void {
    const at = below(one.at, 'requestBody')
    const [was, is] = [one, other].map(({ item: { requestBody }, document }) => (
      requestBody === undefined ? undefined : document.item(requestBody)
    ))
    if (is !== undefined) this.#compareRequired(was, is, at, 'request body')
    if (was !== undefined && is !== undefined) this.#compareContent(was, is, at, 'request')
    if (was !== undefined && is === undefined) this.#add('breaking', at, 'The request body was removed')
  }

  #compareContent (one: Item, other: Item, at: string, direction: Direction): void {
    const { before, after } = this.#documents
    const others = contentOf(other, after)
    for (const [was, is, key] of paired(contentOf(one, before), others)) {
      if (was === undefined) {
        this.#add('added', below(at, 'content', is[0]), `The media type ${show(is[0])} is new`)
        continue
      }
      const [name, media] = was
      const found = is ?? (direction === 'request' ? rangeOf(key, others) : undefined)
      const location = below(at, 'content', name)
      if (found === undefined) {
        this.#add('breaking', location, `The media type ${show(name)} was removed`)
        continue
      }
      const [first, second] = [before.item(media), after.item(found[1])]
      if (keyOf(first.encoding) !== keyOf(second.encoding)) {
        this.#add('unknown', below(location, 'encoding'), 'The encoding has changed')
      }
      this.#compareSchemas(first.schema, second.schema, below(location, 'schema'), direction)
    }
  }

  #compareResponses (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const [was, is] = [new Map(fieldsOf(one.item.responses)), new Map(fieldsOf(other.item.responses))]
    for (const [,, status] of paired(was, is)) {
      const at = below(one.at, 'responses', status)
      const isNew = !was.has(status)
      const first = isNew ? generalOf(status, was, true) : was.get(status)
      const second = is.get(status) ?? generalOf(status, is, !isSuccess(status))
      if (isNew && first === undefined) {
        this.#add(isSuccess(status) ? 'unknown' : 'added', at, `The status ${status} is new`)
      } else if (second !== undefined) this.#compareResponse(before.item(first), after.item(second), at)
      else if (isSuccess(status)) this.#add('breaking', at, `The status ${status} was removed`)
      else this.#add(status === 'default' ? 'unknown' : 'added', at, `The status ${status} does not come any more`)
    }
  }

  #compareResponse (one: Item, other: Item, at: string): void {
    const { before, after } = this.#documents
    this.#compareContent(one, other, at, 'response')
    const [some, others] = headersOf(one, other)
    for (const [was, is] of paired(some, others)) {
      const [name, header] = was ?? is
      const location = below(at, 'headers', name)
      const subject = `The header ${show(name)}`
      if (was === undefined) {
        this.#add('added', location, `${subject} is new`)
        continue
      }
      const first = before.item(header)
      const wasSent = first.required === true
      if (is === undefined) {
        this.#add(wasSent ? 'breaking' : 'unknown', location, `${subject} was removed`)
        continue
      }
      const second = after.item(is[1])
      if (wasSent && second.required !== true) this.#add('breaking', location, `${subject} is not always sent any more`)
      if (!wasSent && second.required === true) this.#add('added', location, `${subject} is always sent now`)
      this.#compareValues(first, second, location, 'response')
    }
  }

  #add (kind: ChangeKind, at: string, message: string): void {
    this.changes.push({ kind, at, message })
  }
}

type Operations = ReadonlyMap<string, Operation>
type Responses = ReadonlyMap<string, unknown>
type Content = ReadonlyMap<string, readonly [string, unknown]>

/** The operations of paths by method and path, where the names of parameters do not count. */
function operationsIn (paths: unknown, document: Document, at: string): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, value] of fieldsOf(paths)) {
    const shared = document.item(value)
    for (const method of METHODS.filter((name) => Object.hasOwn(shared, name))) {
      const ownKey = `${method} ${path}`
      const key = `${method} ${pathKeyOf(path)}`
      const isTaken = operations.has(key)
      const versionedKey = isTaken ? ownKey : `${method} ${versionedPathKeyOf(path, document)}`
      const item = itemOf(shared[method])
      const operation = { document, at: below(at, path, method), path, versionedKey, item, shared }
      operations.set(isTaken ? ownKey : key, operation)
    }
  }
  return operations
}

/** The operations by their key, or, if it is not in the other document, by the key without the version. */
function byCommonKey (operations: Operations, others: Operations): Operations {
  return new Map([...operations].map(([key, one]) => [others.has(key) ? key : one.versionedKey, one]))
}

/** The members of two maps by their key: all of the first map, and then the members that only the other map has. */
function paired<Value> (
  before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>
): ([Value, Value, string] | [Value, undefined, string] | [undefined, Value, string])[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.map((key) => [before.get(key), after.get(key), key] as [Value, Value, string])
}

/** The parameters of an operation by location and name; path parameters by their position. */
function parametersOf ({ document, at, path, item, shared }: Operation): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>()
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
function contentOf ({ content }: Item, document: Document): Content {
  const types = Object.entries(itemOf(content)).map(([name, media]) => (
    [mediaTypeKeyOf(name, document), [name, media] as const] as const
  ))
  return new Map(types)
}

/** The range that a media type is in. */
function rangeOf (key: string, content: Content): readonly [string, unknown] | undefined {
  return content.get(key.replace(/\/.*/, '/*')) ?? content.get('*/*')
}

/** The class or the default that describes a status that is not described itself. */
function generalOf (status: string, responses: Responses, hasDefault: boolean): unknown {
  return responses.get(`${status[0]}XX`) ?? (hasDefault ? responses.get('default') : undefined)
}

function isSuccess (status: string): boolean {
  return /^[123]/.test(status)
}

/** What each way to authenticate needs: scopes, and schemes by their definition, not by their name. */
function securityOf ({ document, item }: Operation): Set<string>[] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    new Set(Object.entries(itemOf(way)).flatMap(([name, scopes]) => {
      const key = schemeKeyOf(Object.hasOwn(schemes, name) ? document.item(schemes[name]) : { name })
      return [key, ...stringsOf(scopes).map((scope) => `${key} ${scope}`)]
    }))
  ))
  return ways.length > 0 ? ways : [new Set()]
}

function schemeKeyOf ({ type, in: location, name, scheme, openIdConnectUrl, flows }: Item): string {
  const kind = typeof scheme === 'string' ? scheme.toLowerCase() : null
  return keyOf([type, location, name, kind, openIdConnectUrl, Object.keys(itemOf(flows)).sort()])
}

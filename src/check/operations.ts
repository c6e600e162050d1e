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
  readonly at: string
  readonly path: string
  /** The method and the path without the version. */
  readonly versionedKey: string
  readonly item: Item
  readonly shared: Item
}

/** A parameter; its name is part of the place of a change. */
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
    this.#compareEach(
      operationsIn(before.root.paths, before, below('#', 'paths')),
      operationsIn(after.root.paths, after, below('#', 'paths')),
      (one, other) => this.#compareOperations(one, other)
    )
    this.#compareEach(
      operationsIn(before.root.webhooks, before, below('#', 'webhooks')),
      operationsIn(after.root.webhooks, after, below('#', 'webhooks')),
      (one, other) => this.#compareBackwards(new Map([['', one]]), new Map([['', other]]), one.at, 'webhook')
    )
  }

  #compareEach (
    before: Operations, after: Operations, compareBoth: (one: Operation, other: Operation) => void
  ): void {
    const [was, is] = [byVersionedKey(before, after), byVersionedKey(after, before)]
    for (const [key, one] of before) {
      const other = after.get(key) ?? is.get(one.versionedKey)
      if (other === undefined) this.#add('breaking', one.at, 'The operation was removed')
      else compareBoth(one, other)
    }
    for (const [key, { at }] of is) if (!was.has(key)) this.#add('added', at, 'The operation is new')
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
    comparison.#compareEach(before, after, (one, other) => comparison.#compareOperations(one, other))
    if (comparison.changes.length > 0) this.#add('unknown', at, `The ${what} has changed`)
  }

  #compareCallbacks (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const at = below(one.at, 'callbacks')
    const [was, is] = [new Map(fieldsOf(one.item.callbacks)), new Map(fieldsOf(other.item.callbacks))]
    for (const name of new Set([...was.keys(), ...is.keys()])) {
      const [some, others] = [before.item(was.get(name)), after.item(is.get(name))]
      if (this.#hasCallbacks) {
        const operations = [operationsIn(some, before, '#'), operationsIn(others, after, '#')] as const
        this.#compareBackwards(...operations, below(at, name), 'callback')
      } else if (keyOf(some) !== keyOf(others)) {
        this.#add('unknown', below(at, name), 'The callback has changed')
      }
    }
  }

  #compareServers (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const [was, is] = [one.item.servers ?? one.shared.servers, other.item.servers ?? other.shared.servers]
    if (serversKeyOf(was, before, false) === serversKeyOf(is, after, false)) return
    this.#add('unknown', below(one.at, 'servers'), 'The server has changed')
  }

  #compareSecurity (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const [was, is] = [securityOf(one, before), securityOf(other, after)]
    const at = below(one.at, 'security')
    // The credentials of a client must be enough for one of the alternatives.
    const isMet = was.every((held) => is.some((needed) => [...needed].every((need) => held.has(need))))
    const [first, second] = [was, is].map((ways) => keyOf(ways.map((way) => [...way].sort().join()).sort()))
    if (first === second) return
    if (isMet) this.#add('added', at, 'There are more ways to authenticate, or less is needed')
    else this.#add('breaking', at, 'What clients authenticate with is not enough any more')
  }

  #compareParameters (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const [was, is] = [parametersOf(one, before), parametersOf(other, after)]
    for (const [key, { at, item }] of was) {
      const found = is.get(key)
      if (found === undefined) this.#add('unknown', at, 'The parameter was removed')
      else this.#compareParameter(item, found.item, at)
    }
    for (const [key, { item, at }] of is) {
      if (was.has(key)) continue
      if (item.required === true) this.#add('breaking', at, 'The parameter is new, and required')
      else this.#add('added', at, 'The parameter is new')
    }
  }

  #compareParameter (one: Item, other: Item, at: string): void {
    const isRequired = other.required === true
    if (one.in !== 'path' && isRequired !== (one.required === true)) {
      const message = `The parameter is ${isRequired ? 'required now' : 'not required any more'}`
      this.#add(isRequired ? 'breaking' : 'added', at, message)
    }
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
    const { before, after } = this.#documents
    const at = below(one.at, 'requestBody')
    if (other.item.requestBody === undefined) {
      if (one.item.requestBody !== undefined) this.#add('breaking', at, 'The request body was removed')
      return
    }
    const [was, is] = [before.item(one.item.requestBody), after.item(other.item.requestBody)]
    const isRequired = is.required === true
    if (one.item.requestBody === undefined) {
      this.#add(isRequired ? 'breaking' : 'added', at, `The request body is new${isRequired ? ', and required' : ''}`)
      return
    }
    if (isRequired !== (was.required === true)) {
      const message = `The request body is ${isRequired ? 'required now' : 'not required any more'}`
      this.#add(isRequired ? 'breaking' : 'added', at, message)
    }
    this.#compareContent(was, is, at, 'request')
  }

  #compareContent (one: Item, other: Item, at: string, direction: Direction): void {
    const { before, after } = this.#documents
    const [was, is] = [contentOf(one, before), contentOf(other, after)]
    for (const [key, [name, media]] of was) {
      const found = is.get(key) ?? (direction === 'request' ? rangeOf(key, is) : undefined)
      const place = below(at, 'content', name)
      if (found === undefined) {
        this.#add('breaking', place, `The media type ${show(name)} was removed`)
        continue
      }
      const [first, second] = [before.item(media), after.item(found[1])]
      if (keyOf(first.encoding) !== keyOf(second.encoding)) {
        this.#add('unknown', below(place, 'encoding'), 'The encoding has changed')
      }
      this.#compareSchemas(first.schema, second.schema, below(place, 'schema'), direction)
    }
    for (const [key, [name]] of is) {
      if (!was.has(key)) this.#add('added', below(at, 'content', name), `The media type ${show(name)} is new`)
    }
  }

  #compareResponses (one: Operation, other: Operation): void {
    const { before, after } = this.#documents
    const at = below(one.at, 'responses')
    const [was, is] = [new Map(fieldsOf(one.item.responses)), new Map(fieldsOf(other.item.responses))]
    for (const [status, response] of was) {
      const found = is.get(status) ?? generalOf(status, is, !isSuccess(status))
      const place = below(at, status)
      if (found !== undefined) this.#compareResponse(before.item(response), after.item(found), place)
      else if (isSuccess(status)) this.#add('breaking', place, `The status ${status} was removed`)
      else this.#add(status === 'default' ? 'unknown' : 'added', place, `The status ${status} does not come any more`)
    }
    for (const [status, response] of is) {
      if (was.has(status)) continue
      const found = generalOf(status, was, true)
      if (found !== undefined) this.#compareResponse(before.item(found), after.item(response), below(at, status))
      else this.#add(isSuccess(status) ? 'unknown' : 'added', below(at, status), `The status ${status} is new`)
    }
  }

  #compareResponse (one: Item, other: Item, at: string): void {
    const { before, after } = this.#documents
    this.#compareContent(one, other, at, 'response')
    const [was, is] = [headersOf(one), headersOf(other)]
    for (const [key, [name, header]] of was) {
      const found = is.get(key)
      const place = below(at, 'headers', name)
      const first = before.item(header)
      if (found === undefined) {
        this.#add(first.required === true ? 'breaking' : 'unknown', place, `The header ${show(name)} was removed`)
        continue
      }
      const second = after.item(found[1])
      if (first.required === true && second.required !== true) {
        this.#add('breaking', place, `The header ${show(name)} is not always sent any more`)
      }
      if (first.required !== true && second.required === true) {
        this.#add('added', place, `The header ${show(name)} is always sent now`)
      }
      this.#compareValues(first, second, place, 'response')
    }
    for (const [key, [name]] of is) {
      if (!was.has(key)) this.#add('added', below(at, 'headers', name), `The header ${show(name)} is new`)
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
      operations.set(isTaken ? ownKey : key, { at: below(at, path, method), path, versionedKey, item, shared })
    }
  }
  return operations
}

/** The operations whose paths are not in the other document as they are: they are matched without the version. */
function byVersionedKey (operations: Operations, others: Operations): Operations {
  const rest = [...operations].filter(([key]) => !others.has(key))
  return new Map(rest.map(([, operation]) => [operation.versionedKey, operation]))
}

/** The parameters of an operation by place and name; path parameters by their position. */
function parametersOf ({ at, path, item, shared }: Operation, document: Document): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>()
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  for (const value of [...listOf(shared.parameters), ...listOf(item.parameters)]) {
    const parameter = document.item(value)
    const [place, given] = [String(parameter.in), String(parameter.name)]
    const name = place === 'header' ? given.toLowerCase() : given
    const isIgnored = place === 'header' && NO_PARAMETERS.includes(name)
    if (isIgnored || isVersionParameter(parameter, document)) continue
    const key = place === 'path' ? `path ${inPath.indexOf(given)}` : `${place} ${name}`
    parameters.set(key, { at: below(at, 'parameters', place, given), item: parameter })
  }
  return parameters
}

/** How the values of a parameter are written. */
function styleOf ({ in: place, style, explode, allowReserved, allowEmptyValue }: Item): string {
  const used = style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
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
function securityOf ({ item }: Operation, document: Document): Set<string>[] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    new Set(Object.entries(itemOf(way)).flatMap(([name, scopes]) => {
      const key = schemeKeyOf(Object.hasOwn(schemes, name) ? document.item(schemes[name]) : { name })
      return [key, ...stringsOf(scopes).map((scope) => `${key} ${scope}`)]
    }))
  ))
  return ways.length > 0 ? ways : [new Set()]
}

function schemeKeyOf ({ type, in: place, name, scheme, openIdConnectUrl, flows }: Item): string {
  const kind = typeof scheme === 'string' ? scheme.toLowerCase() : null
  return keyOf([type, place, name, kind, openIdConnectUrl, Object.keys(itemOf(flows)).sort()])
}

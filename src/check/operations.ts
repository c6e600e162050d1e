import { Document } from './document.ts'
import { below, fieldsOf, itemOf, keyOf, listOf } from './json.ts'
import { headersOf, isVersionParameter, mediaTypeKeyOf, pathKeyOf, serversKeyOf, versionedPathKeyOf } from './naming.ts'
import { areSame } from './same.ts'
import { SchemaComparison } from './schemas.ts'
import { difference } from './words.ts'

import type { Item } from './json.ts'
import type { Direction } from './schemas.ts'
import type { Difference } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** OpenAPI ignores parameters of these names. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

type Differences = Iterable<Difference>

/** A part of a document. The second one of two that are compared has the location of the first. */
interface Part {
  readonly document: Document
  readonly at: string
  readonly item: Item
}

/** An operation, with what its path says. */
interface Operation extends Part {
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
  return [...compareDocuments(first, second)]
}

function * compareDocuments (before: Document, after: Document): Differences {
  const [was, is] = [before, after].map((document) => serversKeyOf(document.root.servers, document, true))
  if (was !== is) yield difference('breaking', '#/servers', 'have another path now')
  const [some, others] = [operationsOf(before), operationsOf(after)]
  yield * compareEach(byCommonKey(some, others), byCommonKey(others, some), compareOperations)
  const [one, other] = [before, after].map((document) => ({ document, at: '#', item: document.root }))
  yield * compareWhole(one as Part, other as Part, 'webhooks')
}

/** Compares parts by their key. What was removed is breaking, and what is new if the client must send it. */
function * compareEach <Value extends Part> (
  some: Parts<Value>, others: Parts<Value>, compare: (one: Value, other: Value) => Differences, isSent = false
): Differences {
  for (const key of new Set([...some.keys(), ...others.keys()])) {
    const [one, other] = [some.get(key), others.get(key)]
    if (other === undefined) yield difference('breaking', (one as Value).at, 'was removed')
    else if (one !== undefined) yield * compare(one, { ...other, at: one.at })
    else if (isSent && other.item.required === true) yield difference('breaking', other.at, 'is new and required')
    else yield difference('added', other.at, 'is new')
  }
}

/** Webhooks and callbacks: the server sends and the client answers, so every difference may break a client. */
function compareWhole (one: Part, other: Part, name: string): Differences {
  const [some, others] = [one, other].map((part) => partsOf(part, name, fieldsOf(part.item[name])))
  return compareEach(some as Parts, others as Parts, function * (one, other) {
    const isSame = areSame(one.item, other.item, one.document, other.document)
    if (!isSame) yield difference('breaking', one.at, 'has changed')
  })
}

function * compareOperations (one: Operation, other: Operation): Differences {
  const [was, is] = [one, other].map(({ item, shared, document }) => (
    serversKeyOf(item.servers ?? shared.servers, document, false)
  ))
  if (was !== is) yield difference('breaking', below(one.at, 'servers'), 'have another address now')
  yield * compareSecurity(securityOf(one), securityOf(other), below(one.at, 'security'))
  yield * compareEach(parametersOf(one), parametersOf(other), compareParameters, true)
  yield * compareEach(bodyOf(one), bodyOf(other), compareBodies, true)
  yield * compareResponses(one, other)
  yield * compareWhole(one, other, 'callbacks')
}

function * compareSecurity (was: readonly Set<string>[], is: readonly Set<string>[], at: string): Differences {
  const [first, second] = [was, is].map((ways) => keyOf(ways.map((way) => [...way].sort().join()).sort()))
  // The credentials of a client must be enough for one of the alternatives.
  const isEnough = was.every((held) => is.some((needed) => [...needed].every((need) => held.has(need))))
  if (!isEnough) yield difference('breaking', at, 'needs more now')
  else if (first !== second) yield difference('added', at, 'needs less now, or has another way')
}

function * compareParameters (one: Part, other: Part): Differences {
  if (one.item.in !== 'path') yield * compareRequired(one, other)
  if (styleOf(one.item) !== styleOf(other.item)) yield difference('breaking', one.at, 'is written in another way now')
  yield * compareValues(one, other, 'request')
}

/** What a client sends. */
function * compareRequired ({ item: { required: was }, at }: Part, { item: { required: is } }: Part): Differences {
  if (is === true && was !== true) yield difference('breaking', at, 'is required now')
  if (was === true && is !== true) yield difference('added', at, 'is not required any more')
}

/** Parameters and headers: text by a schema, or content of a media type. */
function * compareValues (one: Part, other: Part, direction: Direction): Differences {
  const [was, is] = [one, other].map(({ item: { content } }) => Object.entries(itemOf(content))[0])
  if (was?.[0] !== is?.[0]) return yield difference('breaking', one.at, 'is written in another way now')
  const [first, second] = [itemOf(was?.[1] ?? one.item), itemOf(is?.[1] ?? other.item)]
  yield * compareSchemas({ ...one, item: first }, { ...other, item: second }, direction)
}

function compareSchemas (one: Part, other: Part, direction: Direction): Differences {
  const comparison = new SchemaComparison(one.document, other.document, direction)
  return comparison.compare(one.item.schema ?? true, other.item.schema ?? true, below(one.at, 'schema'))
}

function * compareBodies (one: Part, other: Part): Differences {
  yield * compareRequired(one, other)
  yield * compareContent(one, other, 'request')
}

function compareContent (one: Part, other: Part, direction: Direction): Differences {
  const [some, others] = [one, other].map((part) => (
    partsOf(part, 'content', Object.entries(itemOf(part.item.content)), mediaTypeKeyOf)
  ))
  return compareEach(some as Parts, others as Parts, function * (one, other) {
    const isSame = keyOf(one.item.encoding) === keyOf(other.item.encoding)
    if (!isSame) yield difference('breaking', below(one.at, 'encoding'), 'is encoded in another way now')
    yield * compareSchemas(one, other, direction)
  })
}

function * compareResponses (one: Operation, other: Operation): Differences {
  const [was, is] = [responsesOf(one), responsesOf(other)]
  for (const status of new Set([...was.keys(), ...is.keys()])) {
    const at = below(one.at, 'responses', status)
    const isSuccess = /^[123]/.test(status)
    const first = was.get(status) ?? generalOf(status, was, true)
    const second = is.get(status) ?? generalOf(status, is, !isSuccess)
    if (first === undefined) yield difference(isSuccess ? 'breaking' : 'added', at, 'is new')
    else if (second !== undefined) yield * compareResponse({ ...one, at, item: first }, { ...other, at, item: second })
    else yield difference(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
  }
}

function * compareResponse (one: Part, other: Part): Differences {
  yield * compareContent(one, other, 'response')
  const [some, others] = headersOf(one.item, other.item)
  const toKey = (name: string) => name.toLowerCase()
  const [first, second] = [partsOf(one, 'headers', some, toKey), partsOf(other, 'headers', others, toKey)]
  yield * compareEach(first, second, function * (one, other) {
    const [was, is] = [one.item.required === true, other.item.required === true]
    if (was && !is) yield difference('breaking', one.at, 'is not always sent any more')
    if (is && !was) yield difference('added', one.at, 'is always sent now')
    yield * compareValues(one, other, 'response')
  })
}

type Responses = ReadonlyMap<string, Item>

function responsesOf ({ item, document }: Operation): Responses {
  return new Map(fieldsOf(item.responses).map(([status, response]) => [status, document.item(response)]))
}

/** The class or the default that describes a status that is not described itself. */
function generalOf (status: string, responses: Responses, hasDefault: boolean): Item | undefined {
  return responses.get(`${status[0]}XX`) ?? (hasDefault ? responses.get('default') : undefined)
}

/** Parts of a part, by the keys of their names. */
function partsOf (
  { document, at }: Part, field: string, entries: readonly [string, unknown][],
  toKey: (name: string, document: Document) => string = (name) => name
): Parts {
  return new Map(entries.map(([name, value]) => (
    [toKey(name, document), { document, at: below(at, field, name), item: document.item(value) }]
  )))
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
    parameters.set(key, { document, at: below(at, 'parameters', location, given), item: parameter })
  }
  return parameters
}

/** The body of a request, if there is one. */
function bodyOf ({ document, at, item: { requestBody } }: Operation): Parts {
  const body = { document, at: below(at, 'requestBody'), item: document.item(requestBody) }
  return new Map(requestBody === undefined ? [] : [['', body]])
}

/** How the values of a parameter are written. */
function styleOf ({ in: location, style, explode, allowReserved, allowEmptyValue }: Item): string {
  const used = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return [used, explode ?? used === 'form', allowReserved === true, allowEmptyValue === true].join()
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

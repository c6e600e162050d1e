import { Document } from './document.ts'
import { below, itemOf, keyOf, listOf, show } from './json.ts'
import { areSame } from './same.ts'
import { SchemaComparison } from './schemas.ts'
import { difference } from './words.ts'

import type { Item } from './json.ts'
import type { Direction } from './schemas.ts'
import type { Difference } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** How the values of a parameter are written. */
const STYLE = ['style', 'explode', 'allowReserved', 'allowEmptyValue']
/** OpenAPI ignores parameters of these names. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

type Differences = Iterable<Difference>

/** A part of a document. The second one of two that are compared has the location of the first. */
interface Part {
  readonly document: Document
  readonly at: string
  readonly item: Item
}

/** An operation, with the servers and parameters of its path. */
interface Operation extends Part {
  readonly path: string
  /** The method and the path without the version. */
  readonly versionlessKey: string
}

type Parts<Value extends Part = Part> = ReadonlyMap<string, Value>

export function compare (before: object, after: object): Difference[] {
  const [first, second] = [new Document(before, 'the first document'), new Document(after, 'the second document')]
  if (areSame(before, after)) return []
  // A version that only one of them says would look like a difference.
  if (first.version === null || second.version === null) first.version = second.version = null
  const [one, other] = [first, second].map((document) => ({ document, at: '#', item: document.root })) as [Part, Part]
  const [some, others] = [operationsOf(one), operationsOf(other)]
  return [
    ...compareServers(one, other),
    ...compareEach(byCommonKey(some, others), byCommonKey(others, some), compareOperations),
    ...compareWhole(one, other, 'webhooks')
  ]
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
function compareWhole (one: Part, other: Part, field: string): Differences {
  return compareEach(partsIn(one, field), partsIn(other, field), function * (one, other) {
    if (!areSame(one.item, other.item)) yield difference('breaking', one.at, 'has changed')
  })
}

function * compareOperations (one: Operation, other: Operation): Differences {
  yield * compareServers(one, other)
  yield * compareSecurity(one, other)
  yield * compareEach(sentTo(one), sentTo(other), (one, other) => compareValues(one, other, 'request'), true)
  yield * compareResponses(one, other)
  yield * compareWhole(one, other, 'callbacks')
}

function * compareServers (one: Part, other: Part): Differences {
  const isSame = serversKeyOf(one) === serversKeyOf(other)
  if (!isSame) yield difference('breaking', below(one.at, 'servers'), 'have another address now')
}

function * compareSecurity (one: Operation, other: Operation): Differences {
  const [was, is] = [securityOf(one), securityOf(other)]
  const [first, second] = [was, is].map((ways) => keyOf(ways.map((way) => [...way].sort().join()).sort()))
  // The credentials of a client must be enough for one of the alternatives.
  const isEnough = was.every((held) => is.some((needed) => [...needed].every((need) => held.has(need))))
  if (!isEnough) yield difference('breaking', below(one.at, 'security'), 'needs more now')
  else if (first !== second) yield difference('added', below(one.at, 'security'), 'needs less now, or has another way')
}

/** Parameters, bodies of requests, and headers of responses. Clients fail if they must send more, or get less. */
function * compareValues (one: Part, other: Part, direction: Direction): Differences {
  const [wasRequired, isRequired] = [one, other].map(({ item }) => item.in !== 'path' && item.required === true)
  if (wasRequired !== isRequired) {
    const kind = isRequired === (direction === 'request') ? 'breaking' : 'added'
    yield difference(kind, one.at, isRequired ? 'is required now' : 'is not required any more')
  }
  const isOther = (one.item.content === undefined) !== (other.item.content === undefined)
  if (isOther || STYLE.some((name) => one.item[name] !== other.item[name])) {
    yield difference('breaking', one.at, 'is written in another way now')
  }
  yield * compareSchemas(one, other, direction)
  yield * compareContent(one, other, direction)
}

function compareSchemas (one: Part, other: Part, direction: Direction): Differences {
  const [before, after] = [one.item.schema ?? true, other.item.schema ?? true]
  return new SchemaComparison(direction).compare(before, after, below(one.at, 'schema'))
}

function compareContent (one: Part, other: Part, direction: Direction): Differences {
  const some = new Map(partsIn(one, 'content', mediaTypeKeyOf))
  const others = partsIn(other, 'content', mediaTypeKeyOf)
  // A media type that is new takes the place of the one that described it, such as a range.
  for (const [key, { at }] of others) {
    const type = key.replace(/;.*/, '')
    const covering = [type, type.replace(/\/.*/, '/*'), '*/*'].map((range) => some.get(range)).find(Boolean)
    if (covering !== undefined && !some.has(key)) some.set(key, { ...covering, at })
  }
  return compareEach(some, others, function * (one, other) {
    const isSame = areSame(one.item.encoding, other.item.encoding)
    if (!isSame) yield difference('breaking', below(one.at, 'encoding'), 'is encoded in another way now')
    yield * compareSchemas(one, other, direction)
  })
}

function * compareResponses (one: Operation, other: Operation): Differences {
  const [was, is] = [partsIn(one, 'responses'), partsIn(other, 'responses')]
  for (const status of new Set([...was.keys(), ...is.keys()])) {
    const at = below(one.at, 'responses', status)
    const isSuccess = /^[123]/.test(status)
    const first = was.get(status) ?? generalOf(status, was, true)
    const second = is.get(status) ?? generalOf(status, is, !isSuccess)
    if (first === undefined) yield difference(isSuccess ? 'breaking' : 'added', at, 'is new')
    else if (second !== undefined) yield * compareResponse({ ...first, at }, { ...second, at })
    else yield difference(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
  }
}

/** The class or the default that describes a status that is not described itself. */
function generalOf (status: string, responses: Parts, hasDefault: boolean): Part | undefined {
  return responses.get(`${status[0]}XX`) ?? (hasDefault ? responses.get('default') : undefined)
}

function * compareResponse (one: Part, other: Part): Differences {
  yield * compareContent(one, other, 'response')
  // The headers about the retirement of a version come and go with its dates.
  const names = [one, other].flatMap(({ item }) => Object.keys(itemOf(item.headers)))
  const isRetired = names.some((name) => /^(?:deprecation|sunset)$/i.test(name))
  const ignored = isRetired ? /^(?:content-type|deprecation|sunset|link)$/i : /^content-type$/i
  const toKey = (name: string) => ignored.test(name) ? null : name.toLowerCase()
  const [some, others] = [partsIn(one, 'headers', toKey), partsIn(other, 'headers', toKey)]
  yield * compareEach(some, others, (one, other) => compareValues(one, other, 'response'))
}

function partIn ({ document, at, item }: Part, field: string): Part {
  return { document, at: below(at, field), item: itemOf(item[field]) }
}

/**
 * The parts that a field of a part has, by the keys of their names.
 *
 * @param toKey returns null for a name that does not count
 */
function partsIn (
  part: Part, field: string, toKey: (name: string, document: Document) => string | null = (name) => name
): Parts {
  const all = partIn(part, field)
  const keys = Object.keys(all.item).map((name) => [toKey(name, part.document), name] as const)
  return new Map(keys.flatMap(([key, name]) => key === null ? [] : [[key, partIn(all, name)]]))
}

/** The operations of a document by method and path, where the names of parameters do not count. */
function operationsOf (root: Part): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, shared] of partsIn(root, 'paths')) {
    for (const method of METHODS.filter((name) => Object.hasOwn(shared.item, name))) {
      const own = partIn(shared, method)
      const parameters = [...listOf(shared.item.parameters), ...listOf(own.item.parameters)]
      const [name, named] = [`${method} ${path}`, `${method} ${path.replace(/\{[^{}/]*\}/g, '{}')}`]
      const key = operations.has(named) ? name : named
      const versionlessKey = root.document.withoutVersion(key)
      const item = { servers: shared.item.servers, ...own.item, parameters }
      operations.set(key, { ...own, path, versionlessKey, item })
    }
  }
  return operations
}

/** The operations by their key, or, if it is not in the other document, by the key without the version. */
function byCommonKey (operations: Parts<Operation>, others: Parts<Operation>): Parts<Operation> {
  return new Map([...operations].map(([key, one]) => [others.has(key) ? key : one.versionlessKey, one]))
}

/** What clients send: the body, and parameters by location and name; path parameters by their position. */
function sentTo (operation: Operation): Parts {
  const { document, at, path, item } = operation
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const parts = new Map<string, Part>()
  for (const parameter of listOf(item.parameters) as Item[]) {
    const [location, given] = [String(parameter.in), String(parameter.name)]
    const name = location === 'header' ? given.toLowerCase() : given
    const { const: constant, enum: values = [constant] } = itemOf(parameter.schema)
    const isVersion = document.version !== null && areSame(values, [document.version])
    if (isVersion || (location === 'header' && NO_PARAMETERS.includes(name))) continue
    const key = location === 'path' ? `path ${inPath.indexOf(given)}` : `${location} ${name}`
    parts.set(key, { document, at: below(at, 'parameters', location, given), item: parameter })
  }
  if (item.requestBody !== undefined) parts.set('body', partIn(operation, 'requestBody'))
  return parts
}

/** What each way to authenticate needs: scopes, and schemes by their definition, not by their name. */
function securityOf ({ document, item }: Operation): Set<string>[] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    new Set(Object.entries(way as Item).flatMap(([name, scopes]) => {
      const own = Object.hasOwn(schemes, name) ? itemOf(schemes[name]) : { name }
      const key = keyOf({ ...own, scheme: show(own.scheme).toLowerCase() })
      return [key, ...listOf(scopes).map((scope) => `${key} ${scope}`)]
    }))
  ))
  return ways.length > 0 ? ways : [new Set()]
}

/** A media type in lower case, with its parameters in order, and with the same text for every version. */
function mediaTypeKeyOf (mediaType: string, document: Document): string {
  const [type, ...parameters] = document.withoutVersion(mediaType.toLowerCase()).split(';').map((part) => part.trim())
  const saysMore = (parameter: string) => parameter !== 'charset=utf-8' && !/^$|=\s*"?\0"?$/.test(parameter)
  return [type, ...parameters.filter(saysMore).sort()].join(';')
}

/** The URLs of servers, without the version. The servers of the whole document may move to another host. */
function serversKeyOf ({ document, at, item }: Part): string {
  const host = at === '#' ? /^(?:[a-z][\w+.-]*:)?\/\/[^/]*/i : ''
  const urls = listOf(item.servers).map((server) => (
    document.withoutVersion(String((server as Item).url)).replace(host, '').replace(/(?<!\/)\/+$/, '')
  ))
  return [...new Set(urls)].sort().join(' ')
}

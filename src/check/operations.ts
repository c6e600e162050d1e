import { Document } from './document.ts'
import { areSame, below, itemOf, keyOf, listOf, show } from './json.ts'
import { SchemaComparison } from './schemas.ts'
import { difference } from './words.ts'

import type { Item } from './json.ts'
import type { Direction } from './schemas.ts'
import type { Difference } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** How values are written. */
const STYLE = ['style', 'explode', 'allowReserved', 'allowEmptyValue', 'encoding']

/** Undefined stands where a comparison may pause: large documents take a second. */
type Differences = Iterable<Difference | undefined>

/** A part of a document. The second one of two that are compared has the location of the first. */
interface Part {
  readonly document: Document
  readonly at: string
  readonly item: Item
}

type Parts = ReadonlyMap<string, Part>

export function compare (before: object, after: object): Difference[] {
  return [...compareInSteps(before, after)].filter((one) => one !== undefined)
}

/** Like `compare`, in steps of a few milliseconds. */
export function * compareInSteps (before: object, after: object): Differences {
  const [first, second] = [new Document(before, 'the first document'), new Document(after, 'the second document')]
  for (const document of [first, second]) yield * document.read()
  if (areSame(before, after)) return
  // A version that only one of them says would look like a difference.
  if (first.version === null || second.version === null) first.version = second.version = null
  const [one, other] = [first, second].map((document) => ({ document, at: '#', item: document.root })) as [Part, Part]
  const [some, others] = [operationsOf(one), operationsOf(other)]
  yield * compareServers(one, other)
  yield * compareEach(byCommonKey(some, others), byCommonKey(others, some), compareOperations)
  yield * compareWhole(one, other, 'webhooks')
}

/** Compares parts by their key. What was removed is breaking, and what is new if the client must send it. */
function * compareEach (
  some: Parts, others: Parts, compare: (one: Part, other: Part) => Differences, isSent = false
): Differences {
  for (const key of new Set([...some.keys(), ...others.keys()])) {
    const [one, other] = [some.get(key), others.get(key)]
    if (other === undefined) yield difference('breaking', (one as Part).at, 'was removed')
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

function * compareOperations (one: Part, other: Part): Differences {
  yield * compareServers(one, other)
  yield * compareSecurity(one, other)
  yield * compareEach(sentTo(one), sentTo(other), (one, other) => compareValues(one, other, 'request'), true)
  yield * compareResponses(one, other)
  yield * compareWhole(one, other, 'callbacks')
  yield
}

function * compareServers (one: Part, other: Part): Differences {
  if (serversKeyOf(one) === serversKeyOf(other)) return
  yield difference('breaking', below(one.at, 'servers'), 'have another address now')
}

function * compareSecurity (one: Part, other: Part): Differences {
  const [was, is] = [securityOf(one), securityOf(other)]
  // The credentials of a client must be enough for one of the alternatives.
  const isEnough = was.every((held) => is.some((needed) => needed.every((need) => held.includes(need))))
  if (!isEnough) yield difference('breaking', below(one.at, 'security'), 'needs more now')
  else if (!areSame(was, is)) yield difference('added', below(one.at, 'security'), 'needs less now, or has another way')
}

/** Parameters, bodies of requests, and headers of responses. Clients fail if they must send more, or get less. */
function * compareValues (one: Part, other: Part, direction: Direction): Differences {
  const [wasRequired, isRequired] = [one, other].map(({ item }) => item.in !== 'path' && item.required === true)
  if (wasRequired !== isRequired) {
    const kind = isRequired === (direction === 'request') ? 'breaking' : 'added'
    yield difference(kind, one.at, isRequired ? 'is required now' : 'is not required any more')
  }
  yield * compareSchemas(one, other, direction)
  yield * compareContent(one, other, direction)
}

function * compareSchemas (one: Part, other: Part, direction: Direction): Differences {
  const isOther = (one.item.content === undefined) !== (other.item.content === undefined)
  if (isOther || !STYLE.every((name) => areSame(one.item[name], other.item[name]))) {
    yield difference('breaking', one.at, 'is written in another way now')
  }
  const [before, after] = [one.item.schema ?? true, other.item.schema ?? true]
  yield * new SchemaComparison(direction).compare(before, after, below(one.at, 'schema'))
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
  return compareEach(some, others, (one, other) => compareSchemas(one, other, direction))
}

function * compareResponses (one: Part, other: Part): Differences {
  const [was, is] = [partsIn(one, 'responses'), partsIn(other, 'responses')]
  for (const status of new Set([...was.keys(), ...is.keys()])) {
    const at = below(one.at, 'responses', status)
    const isSuccess = /^[123]/.test(status)
    // A class or the default describes a status that is not described itself, but a new default is for errors.
    const [first, second] = [was, is].map((all) => (
      all.get(status) ?? all.get(`${status[0]}XX`) ?? (all === is && isSuccess ? undefined : all.get('default'))
    ))
    if (first === undefined) yield difference(isSuccess ? 'breaking' : 'added', at, 'is new')
    else if (second !== undefined) yield * compareResponse({ ...first, at }, { ...second, at })
    else yield difference(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
  }
}

function * compareResponse (one: Part, other: Part): Differences {
  yield * compareContent(one, other, 'response')
  // The headers about the retirement of a version come and go with its dates.
  const names = [one, other].flatMap(({ item }) => Object.keys(itemOf(item.headers)))
  const isRetired = names.some((name) => /^(?:deprecation|sunset)$/i.test(name))
  const known = `content-type|deprecation|sunset|api-deprecated-versions${isRetired ? '|link' : ''}`
  const ignored = new RegExp(`^(?:${known})$`, 'i')
  const toKey = (name: string) => ignored.test(name) ? null : name.toLowerCase()
  const [some, others] = [partsIn(one, 'headers', toKey), partsIn(other, 'headers', toKey)]
  yield * compareEach(some, others, (one, other) => compareValues(one, other, 'response'))
}

function partIn ({ document, at, item }: Part, field: string): Part {
  return { document, at: below(at, field), item: itemOf(item[field]) }
}

/** The parts that a field of a part has, by the keys of their names. A name that does not count has the key null. */
function partsIn (
  part: Part, field: string, toKey: (name: string, document: Document) => string | null = (name) => name
): Parts {
  const all = partIn(part, field)
  const keys = Object.keys(all.item).map((name) => [toKey(name, part.document), name] as const)
  return new Map(keys.flatMap(([key, name]) => key === null ? [] : [[key, partIn(all, name)]]))
}

/** Operations by method and path, where the names of parameters do not count, with what stands for the whole path. */
function operationsOf (root: Part): Parts {
  const operations = new Map<string, Part>()
  for (const [path, shared] of partsIn(root, 'paths')) {
    for (const method of METHODS.filter((name) => Object.hasOwn(shared.item, name))) {
      const own = partIn(shared, method)
      const parameters = [...listOf(shared.item.parameters), ...listOf(own.item.parameters)]
      const [name, named] = [`${method} ${path}`, `${method} ${path.replace(/\{[^{}/]*\}/g, '{}')}`]
      const item = { servers: shared.item.servers, ...own.item, parameters, path }
      operations.set(operations.has(named) ? name : named, { ...own, item })
    }
  }
  return operations
}

/** The operations by their key, or, if it is not in the other document, by the key without the version. */
function byCommonKey (operations: Parts, others: Parts): Parts {
  return new Map([...operations].map(([key, one]) => [others.has(key) ? key : one.document.withoutVersion(key), one]))
}

/** What clients send: the body, and parameters by location and name; path parameters by their position. */
function sentTo (operation: Part): Parts {
  const { document, at, item } = operation
  const inPath = [...String(item.path).matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const parts = new Map<string, Part>()
  for (const parameter of listOf(item.parameters) as Item[]) {
    const [location, given] = [String(parameter.in), String(parameter.name)]
    const name = location === 'header' ? given.toLowerCase() : given
    const { const: constant, enum: values = [constant] } = itemOf(parameter.schema)
    if (document.version !== null && areSame(values, [document.version])) continue
    const key = location === 'path' ? `path ${inPath.indexOf(given)}` : `${location} ${name}`
    // OpenAPI has other places for the contents of these headers.
    if (/^header (?:accept|content-type|authorization)$/.test(key)) continue
    parts.set(key, { document, at: below(at, 'parameters', location, given), item: parameter })
  }
  if (item.requestBody !== undefined) parts.set('body', partIn(operation, 'requestBody'))
  return parts
}

/** What each way to authenticate needs: scopes, and schemes by their definition, not by their name. */
function securityOf ({ document, item }: Part): string[][] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    Object.entries(way as Item).flatMap(([name, scopes]) => {
      const own = Object.hasOwn(schemes, name) ? itemOf(schemes[name]) : { name }
      const key = keyOf([own.type, own.in, own.name, show(own.scheme).toLowerCase(), own.flows, own.openIdConnectUrl])
      return [key, ...listOf(scopes).map((scope) => `${key} ${scope}`)]
    }).sort()
  ))
  return ways.length > 0 ? ways : [[]]
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
    document.withoutVersion(String(itemOf(server).url)).replace(host, '').replace(/(?<!\/)\/+$/, '')
  ))
  return [...new Set(urls)].sort().join(' ')
}

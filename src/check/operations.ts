import { isDeepStrictEqual } from 'node:util'

import { Document } from './document.ts'
import { Sameness, areSame, below, isTrue, itemOf, keyOf, listOf, namesIn, show } from './json.ts'
import { SchemaComparison } from './schemas.ts'
import { merged } from './shared-schemas.ts'
import { removal, sunsetMove, toTime } from './sunset.ts'
import { difference, ofSchema } from './message.ts'

import type { Item } from './json.ts'
import type { Direction } from './schemas.ts'
import type { Located } from './shared-schemas.ts'
import type { CompareOptions, Difference } from '../../types/check.d.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
/** How values are written. */
const STYLE = ['style', 'explode', 'allowReserved', 'allowEmptyValue', 'encoding', 'prefixEncoding', 'itemEncoding']

/** Headers of responses that do not count. */
const UNCOMPARED = /^(?:content-type|deprecation|sunset|api-deprecated-versions)$/i

/** Undefined stands where a comparison may pause: large documents take a second. */
type Differences = Iterable<Located | undefined>

/** A part of a document. The second one of two that are compared has the location of the first. */
interface Part {
  readonly document: Document
  readonly at: string
  readonly item: Item
  readonly comparison: Comparison
}

/** What is remembered of two documents that are compared. */
interface Comparison extends Readonly<Record<Direction, SchemaComparison>> {
  readonly sameness: Sameness
  /** Whether what operations inherit is the same in both documents. */
  readonly isAlike: boolean
  readonly now: number
}

type Parts = ReadonlyMap<string, Part>

export function compare (before: object, after: object, options?: CompareOptions): Difference[] {
  return [...compareInSteps(before, after, options)].filter((one) => one !== undefined)
}

/** Like `compare`, in steps of a few milliseconds: the differences come last. */
export function * compareInSteps (
  before: object, after: object, { now }: CompareOptions = {}
): Iterable<Difference | undefined> {
  const time = toTime(now)
  const [first, second] = [new Document(before, 'the first document'), new Document(after, 'the second document')]
  yield * first.read()
  if (isDeepStrictEqual(before, after)) return
  yield * second.read()
  const sameness = new Sameness(true)
  if (sameness.of(first.root, second.root) && first.version === second.version) return
  // A version that only one of them says would look like a difference.
  if (first.version === null || second.version === null) first.version = second.version = null
  const [was, is] = [first, second].map(({ root: { security, servers, components } }) => (
    { security, servers, schemes: itemOf(components).securitySchemes }
  ))
  const comparison: Comparison = {
    sameness,
    isAlike: sameness.of(was, is),
    now: time,
    request: new SchemaComparison('request', sameness, time),
    response: new SchemaComparison('response', sameness, time)
  }
  const [one, other] = [first, second].map((document) => (
    { document, at: '#', item: document.root, comparison }
  )) as [Part, Part]
  const located: Located[] = []
  for (const difference of compareDocuments(one, other)) {
    if (difference === undefined) yield
    else located.push(difference)
  }
  yield * merged(located)
}

function * compareDocuments (one: Part, other: Part): Differences {
  const [first, second] = [operationsOf(one), operationsOf(other)]
  const [some, others] = [byCommonKey(first, second), byCommonKey(second, first)]
  // Operations with servers of their own are compared by themselves.
  if ([...some].some(([key, part]) => !hasServers(part) && !hasServers(others.get(key) ?? part))) {
    yield * compareServers(one, other)
  }
  yield * compareEach(some, others, compareOperations)
  yield * compareWhole(one, other, 'webhooks')
}

/** Compares parts by their key. What was removed is breaking, and what is new if the client must send it. */
function * compareEach (
  some: Parts, others: Parts, compare: (one: Part, other: Part) => Differences, isSent = false
): Differences {
  for (const key of new Set([...some.keys(), ...others.keys()])) {
    const [one, other] = [some.get(key), others.get(key)]
    if (one === undefined) {
      const { at, item } = other as Part
      const isRequired = isSent && item.required === true
      yield difference(isRequired ? 'breaking' : 'added', at, isRequired ? 'is new and required' : 'is new')
      continue
    }
    const { at, item, comparison: { now } } = one
    const ending = other === undefined ? removal([item], now) : sunsetMove([item], [other.item])
    if (ending !== null) yield difference(ending.kind, at, ending.words)
    if (other !== undefined) yield * compare(one, { ...other, at })
  }
}

/** Webhooks and callbacks: the server sends and the client answers, so every difference may break a client. */
function compareWhole (one: Part, other: Part, field: string): Differences {
  return compareEach(partsIn(one, field), partsIn(other, field), function * (one, other) {
    if (!areSame(one.item, other.item)) yield difference('breaking', one.at, 'has changed')
  })
}

function * compareOperations (one: Part, other: Part): Differences {
  const { sameness, isAlike } = one.comparison
  if (isAlike && sameness.of(one.item, other.item)) return
  yield * compareServers(one, other)
  if (!isAlike || !sameness.of(one.item.security, other.item.security)) yield * compareSecurity(one, other)
  const [sent, needed] = withoutVersions(sentTo(one), sentTo(other))
  yield * compareEach(sent, needed, (one, other) => compareValues(one, other, 'request'), true)
  if (!sameness.of(one.item.responses, other.item.responses)) yield * compareResponses(one, other)
  yield * compareWhole(one, other, 'callbacks')
  yield
}

function * compareServers (one: Part, other: Part): Differences {
  // Most operations have the servers of the document.
  if (one.at !== '#' && !hasServers(one) && !hasServers(other)) return
  const [was, is] = [one, other].map((part) => [serversKeyOf(part), serversKeyOf(part, true)])
  if (was[0] === is[0] || was[1] === is[1]) return
  yield difference('breaking', below(one.at, 'servers'), 'have another address now')
}

function hasServers ({ item }: Part): boolean {
  return listOf(item.servers).length > 0
}

function * compareSecurity (one: Part, other: Part): Differences {
  const [was, is] = [securityOf(one), securityOf(other)]
  // The credentials of a client must be enough for one of the alternatives.
  const isEnough = was.every((held) => is.some((needed) => needed.every((need) => held.includes(need))))
  if (!isEnough) yield difference('breaking', below(one.at, 'security'), 'needs more now')
  else if (keyOf(was) !== keyOf(is)) {
    yield difference('added', below(one.at, 'security'), 'needs less now, or has another way')
  }
}

/** Parameters, bodies of requests, and headers of responses. Clients fail if they must send more, or get less. */
function * compareValues (one: Part, other: Part, direction: Direction): Differences {
  if (one.comparison.sameness.of(one.item, other.item)) return
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
  for (const name of ['schema', 'itemSchema']) {
    const [before, after] = [one.item[name] ?? true, other.item[name] ?? true]
    for (const { kind, at, words, within } of one.comparison[direction].compare(before, after)) {
      const found = difference(kind, `${below(one.at, name)}${at}`, words)
      yield within === null ? found : { ...found, ...ofSchema(within, words) }
    }
  }
}

function compareContent (one: Part, other: Part, direction: Direction): Differences {
  const [first, second] = [partsIn(one, 'content', mediaTypeIn), partsIn(other, 'content', mediaTypeIn)]
  const some = new Map(byCommonKey(first, second, mediaTypeOf))
  const others = byCommonKey(second, first, mediaTypeOf)
  // A media type that is new takes the place of the one that described it, such as a range.
  for (const [key, { at }] of others) {
    const type = key.replace(/;.*/, '')
    const covering = [type, type.replace(/\/.*/, '/*'), '*/*'].map((range) => some.get(range)).find(Boolean)
    if (covering !== undefined && !some.has(key)) some.set(key, { ...covering, at })
  }
  // What a document says only because clients must accept something.
  const known = (parts: Parts, others: Parts) => new Map([...parts].filter(([key, part]) => (
    others.has(key) || !isMadeUp(part)
  )))
  return compareEach(known(some, others), known(others, some), (one, other) => compareSchemas(one, other, direction))
}

/** Whether content names the version, and says nothing else. */
function isMadeUp ({ at, document, item: { schema = true } }: Part): boolean {
  const type = namesIn(at).at(-1) as string
  return document.withoutVersion(type) !== type && isTrue(schema)
}

/** Whether nothing is known of a response but that it exists. */
function isUnknown (response: Part): boolean {
  const content = [...partsIn(response, 'content').values()]
  return content.length > 0 && content.every(isMadeUp)
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
    if ((first === undefined || second === undefined) && isUnknown((first ?? second) as Part)) continue
    if (first === undefined) yield difference(isSuccess ? 'breaking' : 'added', at, 'is new')
    else if (second !== undefined) yield * compareResponse({ ...first, at }, { ...second, at })
    else yield difference(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
  }
}

function * compareResponse (one: Part, other: Part): Differences {
  if (one.comparison.sameness.of(one.item, other.item)) return
  yield * compareContent(one, other, 'response')
  // The headers about the retirement of a version come and go with its dates.
  const names = [one, other].flatMap(({ item }) => Object.keys(itemOf(item.headers)))
  const isRetired = names.some((name) => /^(?:deprecation|sunset)$/i.test(name))
  const ignored = isRetired ? /^(?:content-type|deprecation|sunset|api-deprecated-versions|link)$/i : UNCOMPARED
  const toKey = (name: string) => ignored.test(name) ? null : name.toLowerCase()
  const [some, others] = [partsIn(one, 'headers', toKey), partsIn(other, 'headers', toKey)]
  yield * compareEach(some, others, (one, other) => compareValues(one, other, 'response'))
}

function partIn ({ document, at, item, comparison }: Part, field: string): Part {
  return { document, at: below(at, field), item: itemOf(item[field]), comparison }
}

/** The parts that a field of a part has, by the keys of their names. A name that does not count has the key null. */
function partsIn (part: Part, field: string, toKey: (name: string) => string | null = (name) => name): Parts {
  const parts = new Map<string, Part>()
  const all = partIn(part, field)
  for (const name of Object.keys(all.item)) {
    const key = toKey(name)
    if (key !== null) parts.set(key, partIn(all, name))
  }
  return parts
}

/** Operations by method and path, where the names of parameters do not count, with what stands for the whole path. */
function operationsOf (root: Part): Parts {
  const operations = new Map<string, Part>()
  for (const [path, shared] of partsIn(root, 'paths')) {
    const methods = METHODS.filter((name) => Object.hasOwn(shared.item, name)).map((name) => partIn(shared, name))
    for (const own of [...methods, ...partsIn(shared, 'additionalOperations').values()]) {
      const parameters = [...listOf(shared.item.parameters), ...listOf(own.item.parameters)]
      const method = namesIn(own.at).at(-1)
      const [name, named] = [`${method} ${path}`, `${method} ${path.replace(/\{[^{}/]*\}/g, '{}')}`]
      const servers = own.item.servers ?? shared.item.servers
      operations.set(operations.has(named) ? name : named, { ...own, item: { ...own.item, servers, parameters, path } })
    }
  }
  return operations
}

/** Parts by their key, or, if it is not in the other document, by the key without the version. */
function byCommonKey (parts: Parts, others: Parts, toKey = (key: string) => key): Parts {
  return new Map([...parts].map(([key, one]) => (
    [toKey(others.has(key) ? key : one.document.withoutVersion(key)), one]
  )))
}

/** What clients send: the body, and parameters by location and name; path parameters by their position. */
function sentTo (operation: Part): Parts {
  const { document, at, item, comparison } = operation
  const inPath = [...String(item.path).matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const parts = new Map<string, Part>()
  for (const parameter of listOf(item.parameters) as Item[]) {
    const [location, given] = [String(parameter.in), String(parameter.name)]
    const name = location === 'header' ? given.toLowerCase() : given
    const key = location === 'path' ? `path ${inPath.indexOf(given)}` : `${location} ${name}`
    // OpenAPI has other places for the contents of these headers.
    if (/^header (?:accept|content-type|authorization)$/.test(key)) continue
    parts.set(key, { document, at: below(at, 'parameters', location, given), item: parameter, comparison })
  }
  if (item.requestBody !== undefined) parts.set('body', partIn(operation, 'requestBody'))
  return parts
}

/** What clients sent and send, without the version, unless they must send it now and did not before. */
function withoutVersions (sent: Parts, needed: Parts): [Parts, Parts] {
  const isVersion = ({ document: { version }, item }: Part) => (
    version !== null && areSame(itemOf(item.schema).enum, [version])
  )
  const others = ([, part]: [string, Part]) => !isVersion(part)
  const some = new Map([...sent].filter(others))
  const isNew = some.size === sent.size
  return [some, new Map([...needed].filter((entry) => others(entry) || (isNew && entry[1].item.required === true)))]
}

/** What each way to authenticate needs: scopes, and schemes by their definition, not by their name. */
function securityOf ({ document, item }: Part): string[][] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = listOf(item.security ?? document.root.security).map((way) => (
    Object.entries(way as Item).flatMap(([name, scopes]) => {
      const own = Object.hasOwn(schemes, name) ? itemOf(schemes[name]) : { name }
      const parameter = own.in === 'header' ? show(own.name).toLowerCase() : own.name
      const key = keyOf([own.type, own.in, parameter, show(own.scheme).toLowerCase(), own.flows, own.openIdConnectUrl])
      return [key, ...listOf(scopes).map((scope) => `${key} ${scope}`)]
    }).sort()
  ))
  if (ways.length === 0) return [[]]
  const distinct = [...new Map(ways.map((way) => [way.join(), way]))]
  return distinct.sort(([a], [b]) => a < b ? -1 : 1).map(([, way]) => way)
}

/** A media type in lower case, with its parameters in order. */
function mediaTypeIn (mediaType: string): string {
  const [type, ...parameters] = mediaType.toLowerCase().split(';').map((part) => part.trim())
  return [type, ...parameters.filter((one) => one !== '' && one !== 'charset=utf-8').sort()].join(';')
}

/** The same, where a parameter that is the version does not count. */
function mediaTypeOf (key: string): string {
  return key.replace(/;[^;=]*=\s*"?\0"?(?=;|$)/g, '')
}

/** The URLs of servers, perhaps without the version. The servers of the whole document may move to another host. */
function serversKeyOf ({ document, at, item }: Part, isWithout = false): string {
  const host = at === '#' ? /^(?:[a-z][\w+.-]*:)?\/\/[^/]*/i : ''
  const servers = [item.servers, document.root.servers, [{ url: '/' }]].map(listOf).find((list) => list.length > 0)
  const urls = servers!.map((server) => {
    const url = String(itemOf(server).url)
    return (isWithout ? document.withoutVersion(url) : url).replace(host, '').replace(/(?<!\/)\/+$/, '') || '/'
  })
  return [...new Set(urls)].sort().join(' ')
}

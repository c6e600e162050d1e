import { isDeepStrictEqual } from 'node:util'

import { Document } from './document.ts'
import {
  Sameness, areSame, below, checkNames, elementsOf, grouped, isTrue, itemOf, keyOf, namesInPointer, shortJson
} from './json.ts'
import { SchemaComparison } from './schemas.ts'
import { mergeShared } from './shared-schemas.ts'
import { removal, sunsetMove, toTime } from './sunset.ts'

import type { Item } from './json.ts'
import type { Direction, Found } from './schemas.ts'
import type { CompareOptions, Difference } from '../../types/check.d.ts'

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
/** The fields that say how a value is written in a request or a response. */
const STYLE = ['style', 'explode', 'allowReserved', 'allowEmptyValue', 'encoding', 'prefixEncoding', 'itemEncoding']

/** The segment of a path in which `withoutVersion` has replaced the version. */
const SEGMENT = /\/v?\0(?=\/|$)/i

/** A parameter in a path. */
const PATH_PARAMETER = /\{([^{}/]*)\}/g

/** A variable in the URL of a server. */
const VARIABLE = /\{([^{}]*)\}/g

/** Statuses of responses that never have content (RFC 9110, sections 15.2, 15.3.5, 15.3.6 and 15.4.5). */
const EMPTY = /^(?:1..|204|205|304)$/

/** Headers of responses that do not count: OpenAPI ignores Content-Type, and an API may retire other versions. */
const UNCOMPARED = /^(?:content-type|deprecation|sunset|api-(?:deprecated|supported)-versions)$/i

/** A part of a document. Of two parts that are compared, the second has the location of the first, too. */
interface Part {
  readonly document: Document
  readonly at: string
  readonly item: Item
}

type Parts = ReadonlyMap<string, Part>

export function compare (before: object, after: object, options?: CompareOptions): Difference[] {
  return [...compareInSteps(before, after, options)].filter((found) => found !== undefined)
}

/** Compares like `compare`, but pauses every few milliseconds, where it yields undefined. The differences come last. */
export function * compareInSteps (
  before: object, after: object, options: CompareOptions = {}
): Iterable<Difference | undefined> {
  checkNames(options, ['now'])
  const time = toTime(options.now)
  const [first, second] = [new Document(before, 'the first document'), new Document(after, 'the second document')]
  yield * first.read()
  if (isDeepStrictEqual(before, after)) return
  yield * second.read()
  // A version that only one document says would be a difference. In one version, the way to send it counts.
  const isAcross = first.version !== null && second.version !== null && first.version !== second.version
  if (!isAcross) first.version = second.version = null
  const comparison = new Comparison(time)
  yield * comparison.run(first, second)
  yield * mergeShared(comparison.found)
}

/** Compares two documents that have been read. */
class Comparison {
  readonly found: Found[] = []
  readonly #now: number
  readonly #sameness = new Sameness(true)
  readonly #schemas: Readonly<Record<Direction, SchemaComparison>>

  constructor (now: number) {
    this.#now = now
    this.#schemas = {
      request: new SchemaComparison('request', this.#sameness, now),
      response: new SchemaComparison('response', this.#sameness, now)
    }
  }

  /** Finds the differences, and may pause after each operation, because large documents take a second. */
  * run (...documents: readonly Document[]): Iterable<undefined> {
    const [before, after] = documents.map((document) => ({ document, at: '#', item: document.root }))
    const [first, second] = [operationsIn(before), operationsIn(after)]
    const [partsBefore, partsAfter] = [byCommonKey(first, second), byCommonKey(second, first)]
    // The servers of the document count only for an operation that has no servers of its own.
    if ([...partsBefore].some(([key, part]) => !hasServers(part) && !hasServers(partsAfter.get(key) ?? part))) {
      this.#compareServers(before, after)
    }
    const [inherited, inheritedAfter] = documents.map(({ root: { security, servers, components } }) => (
      { security, servers, schemes: itemOf(components).securitySchemes }
    ))
    const isAlike = this.#sameness.of(inherited, inheritedAfter)
    for (const [was, is] of this.#pairs(partsBefore, partsAfter)) {
      if (!isAlike || !this.#areSame(was, is)) this.#compareOperations(was, is)
      yield
    }
    this.#compareCalls(before, after, 'webhooks')
  }

  #add (kind: Found['kind'], at: string, words: string): void {
    this.found.push({ kind, at, words, within: null })
  }

  #areSame (before: Part, after: Part): boolean {
    return this.#sameness.of(before.item, after.item)
  }

  /**
   * Yields the parts of the same key, and adds a difference for each part that was removed, which is breaking, or is
   * new, which is breaking if the client must send the part.
   */
  * #pairs (partsBefore: Parts, partsAfter: Parts, isSent = false): Iterable<[before: Part, after: Part]> {
    for (const key of new Set([...partsBefore.keys(), ...partsAfter.keys()])) {
      const [before, after] = [partsBefore.get(key), partsAfter.get(key)]
      if (before === undefined) {
        const { at, item } = after as Part
        const isRequired = isSent && item.required === true
        this.#add(isRequired ? 'breaking' : 'added', at, isRequired ? 'is new and required' : 'is new')
        continue
      }
      const { at, item } = before
      const ending = after === undefined ? removal([item], this.#now) : sunsetMove([item], [after.item])
      if (ending !== null) this.#add(ending.kind, at, ending.words)
      if (after !== undefined) yield [before, { ...after, at }]
    }
  }

  /** Compares webhooks or callbacks. The server sends their bodies like responses. Any other difference is breaking. */
  #compareCalls (before: Part, after: Part, field: 'webhooks' | 'callbacks'): void {
    for (const [was, is] of this.#pairs(partsBelow(before, field), partsBelow(after, field))) {
      const [calls, callsAfter] = [was, is].map((part) => (
        field === 'webhooks' ? [part] : Object.keys(part.item).sort().map((url) => partIn(part, url))
      ))
      if (areSame(calls.map(withoutBodies), callsAfter.map(withoutBodies))) {
        const [bodies, bodiesAfter] = [calls, callsAfter].map((all) => all.flatMap(bodiesIn))
        for (const [i, body] of bodies.entries()) this.#compareValues(body, bodiesAfter[i], 'response')
      } else this.#add('breaking', was.at, 'has changed')
    }
  }

  #compareOperations (before: Part, after: Part): void {
    // Most operations have the servers of the document, which `run` has compared.
    if (hasServers(before) || hasServers(after)) this.#compareServers(before, after)
    this.#compareSecurity(before, after)
    const [sent, needed] = withoutVersions(sentTo(before), sentTo(after))
    for (const [was, is] of this.#pairs(sent, needed, true)) this.#compareValues(was, is, 'request')
    if (!this.#sameness.of(before.item.responses, after.item.responses)) this.#compareResponses(before, after)
    this.#compareCalls(before, after, 'callbacks')
  }

  #compareServers (before: Part, after: Part): void {
    const [was, is] = [before, after].map((part) => [addressesOf(part), addressesOf(part, true)])
    const at = below(before.at, 'servers')
    if (was.some((all, i) => all.size === is[i].size && isWithin(all, is[i]))) return
    if (was.some((all, i) => isWithin(all, is[i]))) this.#add('added', at, 'have more addresses now')
    else this.#add('breaking', at, 'have another address now')
  }

  #compareSecurity (before: Part, after: Part): void {
    const [was, is] = [before, after].map(securityOf)
    // The credentials that a client has must be enough for one of the new alternatives.
    const isEnough = was.every((held) => is.some((needed) => needed.every((need) => held.includes(need))))
    const at = below(before.at, 'security')
    if (!isEnough) this.#add('breaking', at, 'needs more now')
    else if (keyOf(was) !== keyOf(is)) this.#add('added', at, 'needs less now, or has another way')
  }

  /** Compares parameters, request bodies, or response headers. Clients fail if they must send more, or get less. */
  #compareValues (before: Part, after: Part, direction: Direction): void {
    if (this.#areSame(before, after)) return
    const [wasRequired, isRequired] = [before, after].map(({ item }) => item.in !== 'path' && item.required === true)
    if (wasRequired !== isRequired) {
      const kind = isRequired === (direction === 'request') ? 'breaking' : 'added'
      this.#add(kind, before.at, isRequired ? 'is required now' : 'is not required any more')
    }
    this.#compareSchemas(before, after, direction)
    this.#compareContent(before, after, direction)
  }

  #compareSchemas (before: Part, after: Part, direction: Direction): void {
    const isOther = (before.item.content === undefined) !== (after.item.content === undefined)
    if (isOther || !STYLE.every((name) => areSame(before.item[name], after.item[name]))) {
      this.#add('breaking', before.at, 'is written in another way now')
    }
    for (const name of ['schema', 'itemSchema']) {
      const start = below(before.at, name)
      const differences = this.#schemas[direction].compare(before.item[name] ?? true, after.item[name] ?? true)
      for (const found of differences) this.found.push({ ...found, at: start + found.at })
    }
  }

  #compareContent (before: Part, after: Part, direction: Direction): void {
    const [first, second] = [partsBelow(before, 'content', mediaTypeIn), partsBelow(after, 'content', mediaTypeIn)]
    const shared = new Set([first, second].flatMap(sharedTypesIn))
    const toKey = (key: string) => shared.has(mediaTypeOf(key)) ? key : mediaTypeOf(key)
    const [typesBefore, typesAfter] = [byCommonKey(first, second, toKey), byCommonKey(second, first, toKey)]
    // A new media type is compared with the old media type that covers it, such as a range.
    addCovered(typesBefore, typesAfter)
    // A client may still send an old media type if a new one covers it.
    if (direction === 'request') addCovered(typesAfter, typesBefore)
    // Our documents make up content to show which media type clients must accept. Such content may differ between
    // versions, and a version may stop asking for any.
    const isFree = before.document.version !== null || typesAfter.size === 0
    const withoutMadeUp = (parts: Parts, others: Parts) => new Map([...parts].filter(([key, part]) => (
      others.has(key) || !isFree || !isMadeUp(part)
    )))
    const [was, is] = [withoutMadeUp(typesBefore, typesAfter), withoutMadeUp(typesAfter, typesBefore)]
    for (const [media, newer] of this.#pairs(was, is)) this.#compareSchemas(media, newer, direction)
  }

  #compareResponses (before: Part, after: Part): void {
    // Some documents write the class 2XX as 2xx.
    const toKey = (status: string) => status.replace(/^\dxx$/i, (text) => text.toUpperCase())
    const [was, is] = [partsBelow(before, 'responses', toKey), partsBelow(after, 'responses', toKey)]
    for (const status of new Set([...was.keys(), ...is.keys()])) {
      const { at } = (was.get(status) ?? is.get(status)) as Part
      const isSuccess = /^[123]/.test(status)
      // A status that is not listed has the response of its class or of the default. A new default is only for errors.
      const [first, second] = [was, is].map((all) => (
        all.get(status) ?? all.get(`${status[0]}XX`) ?? (all === is && isSuccess ? undefined : all.get('default'))
      ))
      if (first !== undefined && second !== undefined) {
        this.#compareResponse({ ...first, at }, { ...second, at }, status)
        continue
      }
      // A 410 comes and goes with the dates of a retirement.
      if (status === '410' || isUnknown((first ?? second) as Part)) continue
      if (first === undefined) this.#add(isSuccess ? 'breaking' : 'added', at, 'is new')
      else this.#add(isSuccess || status === 'default' ? 'breaking' : 'added', at, 'was removed')
    }
  }

  #compareResponse (before: Part, after: Part, status: string): void {
    if (this.#areSame(before, after)) return
    if (!EMPTY.test(status)) this.#compareContent(before, after, 'response')
    // The headers of a retirement come and go with its dates.
    const names = [before, after].flatMap(({ item }) => Object.keys(itemOf(item.headers)))
    const isRetired = names.some((name) => /^(?:deprecation|sunset)$/i.test(name))
    const toKey = (name: string) => (
      UNCOMPARED.test(name) || (isRetired && /^link$/i.test(name)) ? null : name.toLowerCase()
    )
    const [was, is] = [partsBelow(before, 'headers', toKey), partsBelow(after, 'headers', toKey)]
    for (const [header, newer] of this.#pairs(was, is)) this.#compareValues(header, newer, 'response')
  }
}

/** Adds each media type of other content that a range, or the type without parameters, covers in this content. */
function addCovered (types: Map<string, Part>, others: Parts): void {
  for (const [key, { at }] of others) {
    const type = key.replace(/;.*/, '')
    const covering = [type, type.replace(/\/.*/, '/*'), '*/*'].map((range) => types.get(range)).find(Boolean)
    if (covering !== undefined && !types.has(key)) types.set(key, { ...covering, at })
  }
}

function hasServers ({ item }: Part): boolean {
  return elementsOf(item.servers).length > 0
}

/** Tells whether content has a media type that names the version, and no schema that says anything. */
function isMadeUp ({ at, document, item: { schema = true } }: Part): boolean {
  const type = namesInPointer(at).at(-1) as string
  return document.withoutVersion(type, document.ownVersion) !== type && isTrue(schema)
}

/** Tells whether a document of a version says of a response only that it exists. */
function isUnknown (response: Part): boolean {
  const content = [...partsBelow(response, 'content').values()]
  return response.document.version !== null && content.length > 0 && content.every(isMadeUp)
}

function partIn ({ document, at, item }: Part, field: string): Part {
  return { document, at: below(at, field), item: itemOf(item[field]) }
}

/** Returns the bodies of the operations of a webhook or a callback. */
function bodiesIn (call: Part): Part[] {
  return METHODS.map((method) => partIn(partIn(call, method), 'requestBody'))
}

/** Returns the item of a webhook or a callback with only the media types of its bodies. */
function withoutBodies (call: Part): Item {
  const operations = METHODS.map((method) => {
    const operation = partIn(call, method)
    const types = [...partsBelow(partIn(operation, 'requestBody'), 'content', mediaTypeIn).keys()].sort()
    return [method, call.item[method] && { ...operation.item, requestBody: types }] as const
  })
  return { ...call.item, at: call.at, ...Object.fromEntries(operations) }
}

/** Returns the parts in a field of a part, by their keys. `toKey` returns null for a name that does not count. */
function partsBelow (part: Part, field: string, toKey: (name: string) => string | null = (name) => name): Parts {
  const parts = new Map<string, Part>()
  const all = partIn(part, field)
  for (const name of Object.keys(all.item)) {
    const key = toKey(name)
    if (key !== null) parts.set(key, partIn(all, name))
  }
  return parts
}

/** Returns the operations by method and path without names of parameters. Each has what its path says for all. */
function operationsIn (root: Part): Parts {
  const operations = new Map<string, Part>()
  for (const [path, shared] of partsBelow(root, 'paths')) {
    const inPath = [...path.matchAll(PATH_PARAMETER)].map(([, name]) => name)
    const unnamed = path.replace(PATH_PARAMETER, '{}')
    const methods = METHODS.filter((method) => shared.item[method] !== undefined)
    const all = methods.map((method) => [method, partIn(shared, method)] as const)
    for (const [method, operation] of [...all, ...partsBelow(shared, 'additionalOperations')]) {
      const parameters = [...elementsOf(shared.item.parameters), ...elementsOf(operation.item.parameters)]
      const item = { ...operation.item, servers: operation.item.servers ?? shared.item.servers, parameters, inPath }
      const key = `${method} ${unnamed}`
      operations.set(operations.has(key) ? `${method} ${path}` : key, { ...operation, item })
    }
  }
  return operations
}

/**
 * Returns parts by their keys. A key that the other document does not have loses its version. It also loses the segment
 * of the version if the other document has the path without this segment.
 */
function byCommonKey (parts: Parts, others: Parts, toKey = (key: string) => key): Map<string, Part> {
  const areCommon = [...parts.keys()].every((key) => others.has(key))
  const versioned = new Set([...areCommon ? [] : others].map(([key, { document }]) => document.withoutVersion(key)))
  return new Map([...parts].map(([key, part]) => {
    if (others.has(key)) return [toKey(key), part]
    const bare = part.document.withoutVersion(key)
    const short = bare.replace(SEGMENT, '')
    const isShort = others.has(short) && !parts.has(short) && !versioned.has(bare)
    return [toKey(isShort ? short : bare), part]
  }))
}

/** Returns what clients send: the body, and parameters by location and name, or by position in the path. */
function sentTo (operation: Part): Parts {
  const { document, at, item } = operation
  const parts = new Map<string, Part>()
  for (const parameter of elementsOf(item.parameters) as Item[]) {
    const [location, writtenName] = [String(parameter.in), String(parameter.name)]
    const name = location === 'header' ? writtenName.toLowerCase() : writtenName
    // With `in: querystring`, the whole query is one value, and the name is nowhere in a request.
    const written = location === 'querystring' ? location : `${location} ${name}`
    const key = location === 'path' ? `path ${(item.inPath as string[]).indexOf(writtenName)}` : written
    // OpenAPI ignores parameters for these headers, because other fields describe the headers.
    if (/^header (?:accept|content-type|authorization)$/.test(key)) continue
    parts.set(key, { document, at: below(at, 'parameters', location, writtenName), item: parameter })
  }
  if (item.requestBody !== undefined) parts.set('body', partIn(operation, 'requestBody'))
  return parts
}

/**
 * Returns what clients sent and what they send now, without the parameter that has the version. The parameter counts if
 * clients must send it now, and did not before.
 */
function withoutVersions (sent: Parts, needed: Parts): [Parts, Parts] {
  const [was, is] = [sent, needed].map((parts) => [...parts].filter(([, { document: { version }, item }]) => {
    const { enum: values } = itemOf(item.schema)
    return version !== null && Array.isArray(values) && values.length === 1 && values[0] === version
  }).map(([key]) => key))
  const common = was.find((key) => is.includes(key))
  // If two parameters may have the version, both count. A parameter with the same value in both versions counts, too.
  const single = [was.filter((key) => !needed.has(key)), is.filter((key) => !sent.has(key))]
  const [versionBefore, versionAfter] = single.map((keys) => common ?? (keys.length === 1 ? keys[0] : undefined))
  const isNew = versionBefore === undefined
  return [
    new Map([...sent].filter(([key]) => key !== versionBefore)),
    new Map([...needed].filter(([key, { item }]) => key !== versionAfter || (isNew && item.required === true)))
  ]
}

/** Returns the schemes and scopes that each way to authenticate needs. The name of a scheme does not count. */
function securityOf ({ document, item }: Part): string[][] {
  const schemes = itemOf(itemOf(document.root.components).securitySchemes)
  const ways = elementsOf(item.security ?? document.root.security).map((needs) => (
    Object.entries(needs as Item).flatMap(([name, scopes]) => {
      const scheme = Object.hasOwn(schemes, name) ? itemOf(schemes[name]) : { name }
      const parameter = scheme.in === 'header' ? shortJson(scheme.name).toLowerCase() : scheme.name
      const { type, in: place, scheme: authentication, flows, openIdConnectUrl, oauth2MetadataUrl } = scheme
      const way = shortJson(authentication).toLowerCase()
      const key = keyOf([type, place, parameter, way, flows, openIdConnectUrl, oauth2MetadataUrl])
      return [key, ...new Set(elementsOf(scopes).map((scope) => `${key} ${scope}`))]
    }).sort()
  ))
  if (ways.length === 0) return [[]]
  return [...new Map(ways.map((way) => [way.join(), way])).values()].sort()
}

/** Returns a media type in lower case, with its parameters in order. */
function mediaTypeIn (mediaType: string): string {
  const unquoted = mediaType.toLowerCase().replace(/="([\w.+-]+)"/g, '=$1')
  const [type, ...parameters] = unquoted.split(';').map((part) => part.trim())
  return [type, ...parameters.filter((parameter) => parameter !== '' && parameter !== 'charset=utf-8').sort()].join(';')
}

/** Returns such a media type without the parameter that has the version. */
function mediaTypeOf (key: string): string {
  return key.replace(/;[^;=]*=\s*"?\0"?(?=;|$)/g, '')
}

/** Returns the media types that several parts have if the version is left out, such as `a/b` and `a/b;v=1`. */
function sharedTypesIn (parts: Parts): string[] {
  const types = grouped([...parts], ([key, { document }]) => [mediaTypeOf(document.withoutVersion(key))])
  return [...types].filter(([, all]) => all.length > 1).map(([type]) => type)
}

/**
 * Returns the URLs of servers, perhaps without the version, with the values of their variables. The servers of the
 * whole document may move to another host, so their hosts are left out.
 */
function addressesOf ({ document, at, item }: Part, isWithout = false): Set<string> {
  const host = at === '#' ? /^(?:[a-z][\w+.-]*:)?\/\/[^/]*/i : ''
  const servers = [item.servers, document.root.servers, [{ url: '/' }]].map(elementsOf).find((list) => list.length > 0)
  const urls = servers!.map((server) => {
    const { url: written, variables } = itemOf(server)
    const of = (name: string) => itemOf(Object.hasOwn(itemOf(variables), name) ? itemOf(variables)[name] : undefined)
    const url = String(written).replace(VARIABLE, (whole, name) => String(of(name).default ?? whole))
    const values = [...String(written).replace(host, '').matchAll(VARIABLE)].map(([, name]) => (
      [...new Set(elementsOf(of(name).enum).map(keyOf))].sort()
    )).filter((all) => all.length > 1)
    const path = (isWithout ? document.withoutVersion(url) : url).replace(host, '').replace(/(?<!\/)\/+$/, '') || '/'
    return values.length === 0 ? path : `${path} ${values.join(' ')}`
  })
  return new Set(urls)
}

function isWithin (all: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...all].every((member) => others.has(member))
}

import { isDeepStrictEqual } from 'node:util'

import { schemeOf } from '../context.ts'
import { urlOf } from './addresses.ts'
import { describedWith, nameOfVersion, sentenceOf } from './ending.ts'
import { headersOf, refusalsOf } from './responses.ts'
import { isOfHost } from './slots.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Operation } from './operations.ts'
import type { Subject } from './options.ts'
import type { Component } from './responses.ts'

/** An object of OpenAPI. */
type Item = Record<string, unknown>

/** The parts of a document that are read here. */
export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string, readonly description?: string, readonly 'x-api-version'?: string }
  readonly paths: Item
  readonly components?: { readonly headers?: object, readonly responses?: object, readonly schemas?: object }
  readonly servers?: unknown
}

/** What a finished document describes. */
interface About {
  readonly subject: Subject
  /** The context that the document is about. */
  readonly server: object
  /** Whether responses link to the document. */
  readonly hasServiceDesc: boolean
  /** How the version ends, or undefined if it does not. */
  readonly ending: Ending | undefined
  /** The version to use instead, or null if there is none. */
  readonly successor: string | null
}

/** What is remembered of an operation. */
export interface Mark {
  readonly shown: Operation
  /** Whether the route describes the body of its requests. */
  readonly hasBody: boolean
}

interface Marked extends Mark {
  readonly operation: Item
  /** Where requests to it are sent, or null if that is unknown. */
  readonly address: string | null
}

/**
 * The field of an operation that has a function which returns its mark, until the document is finished.
 * @fastify/swagger would walk through an object.
 */
export const MARK = 'x-fastify-versioning'
/** The `$id` and the mark of the schema of the option `refusal`, until the document is finished. */
export const REFUSAL = 'x-fastify-versioning-refusal'

/** Finishes a document that @fastify/swagger has made: says which version it is, and what the plugin answers. */
export function finish (document: Document, about: About): Document {
  const { subject: { version }, server, hasServiceDesc } = about
  const { openapi, info, ...others } = document
  const { refusal, schemas } = takeRefusal(document.components?.schemas)
  const headers = new Components('headers', document.components?.headers)
  const responses = new Components('responses', document.components?.responses)
  const marked = markedIn(document)
  for (const { operation, shown, hasBody } of marked.filter(isVersioned)) {
    // @fastify/swagger requires every body, even one that is only there to have a media type.
    if (!hasBody) delete (operation.requestBody as Item | undefined)?.required
    const { served, refused, gone } = headersOf(shown, version, hasServiceDesc)
    const own = referTo(served, headers)
    const described = operation.responses as Record<string, Item>
    for (const response of Object.values(described)) addHeaders(response, own)
    for (const { status, name, value, isOfEnding } of refusalsOf(shown, version, refusal)) {
      if (isDescribed(status, described)) continue
      const withHeaders: Item = { ...value }
      addHeaders(withHeaders, referTo(isOfEnding ? gone : refused, headers))
      described[status] = responses.add({ name, value: withHeaders })
    }
  }
  return {
    openapi,
    ...about.ending?.isPreview === true ? { 'x-stability-level': 'beta' } : {},
    info: infoOf(info, about),
    ...serversOf(document, marked, server),
    ...others,
    components: { ...document.components, ...schemas, ...headers.entry, ...responses.entry }
  }
}

function isVersioned ({ shown: { route } }: Marked): boolean {
  return schemeOf(route) !== null
}

/** Takes the schema of the option `refusal` out of the shared ones, among which its references have been resolved. */
function takeRefusal (schemas: object = {}): { refusal: unknown, schemas: { schemas?: object } } {
  const found = Object.entries(schemas).find(([, schema]) => (schema as Item)[REFUSAL] === true)
  if (found === undefined) return { refusal: undefined, schemas: {} }
  const others = Object.entries(schemas).filter((entry) => entry[0] !== found[0])
  return { refusal: found[1].allOf[0], schemas: { schemas: Object.fromEntries(others) } }
}

/** The operations that have a mark, which is taken from them. */
function markedIn ({ paths }: Document): Marked[] {
  const marked: Marked[] = []
  for (const operation of Object.values(paths).flatMap((path) => operationsIn(path as Item))) {
    const mark = operation[MARK]
    delete operation[MARK]
    if (typeof mark !== 'function') continue
    const { shown, hasBody } = mark() as Mark
    marked.push({ operation, shown, hasBody, address: shown.home && urlOf(shown.route.server, shown.home) })
  }
  return marked
}

/** The operations at a path: OpenAPI 3.2 has some methods one level deeper. */
function operationsIn ({ additionalOperations, ...path }: Item): Item[] {
  return Object.values({ ...path, ...additionalOperations as Item | undefined }) as Item[]
}

function infoOf (info: Document['info'], { subject, server, ending, successor }: About): Document['info'] {
  const title = subject.team === null ? info.title : `${info.title} ${subject.team}`
  return {
    ...ending?.isPreview === true ? { 'x-stability-level': 'beta' } : {},
    ...info,
    title: titleOf(title, subject.version),
    ...ending && { description: describedWith(sentenceOf(ending, successor, server), info.description) },
    'x-api-version': subject.version
  }
}

/** A title with the version. A number at its end may be part of the name, as in "Formula 1". */
function titleOf (title: string, version: string): string {
  const name = nameOfVersion(version)
  const names = [name, /^[\d.]+$/.test(version) ? `v${version}` : version]
  if (names.some((one) => ` ${title}`.endsWith(` ${one}`) || title.endsWith(`(${one})`))) return title
  return name === version ? `${title} ${version}` : `${title} (${name})`
}

function referTo (components: readonly Component[], known: Components): Item {
  return Object.fromEntries(components.map((component) => [component.name, known.add(component)]))
}

/** The ones that the user has not described. */
function addHeaders (response: Item, headers: Item): void {
  const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
  const added = Object.entries(headers).filter(([name]) => !own.includes(name.toLowerCase()))
  if (added.length > 0) response.headers = { ...response.headers as Item, ...Object.fromEntries(added) }
}

/** Whether the user says what a refusal looks like: Fastify makes its body by the schema of `4xx` or `default`, too. */
function isDescribed (status: string, described: Item): boolean {
  return status in described || `${status[0]}XX` in described || 'default' in described
}

/**
 * Where requests are sent, unless the user writes it: the server that all operations with versions share, or else the
 * address of the app.
 */
function serversOf (
  { servers }: Document, marked: readonly Marked[], server: object
): { servers?: readonly { readonly url: string }[] } {
  if (servers !== undefined) return {}
  for (const { operation, shown, address } of marked) {
    if (address !== null && !isElsewhere(shown)) operation.servers ??= [{ url: address }]
  }
  if (marked.some(({ operation }) => operation.servers === undefined)) return {}
  const [url, ...others] = new Set(marked.filter(isVersioned).map(({ operation, address }) => (
    isDeepStrictEqual(operation.servers, [{ url: address }]) ? address : null
  )))
  const shared = typeof url === 'string' && others.length === 0 ? url : urlOf(server)
  if (shared === null) return {}
  for (const { operation } of marked) {
    if (isDeepStrictEqual(operation.servers, [{ url: shared }])) delete operation.servers
  }
  return { servers: [{ url: shared }] }
}

/** Whether a route is for hosts that cannot be listed, and the address of the app is not one of them. */
function isElsewhere (operation: Operation): boolean {
  return operation.constraints.host !== undefined && !isOfHost(operation, operation.home as string)
}

/** The components that the operations of a document share, each once. */
class Components {
  readonly #kind: 'headers' | 'responses'
  readonly #own: object
  readonly #added = new Map<string, object>()

  /** @param own the user's, which come first */
  constructor (kind: 'headers' | 'responses', own: object = {}) {
    this.#kind = kind
    this.#own = own
  }

  /** The field of `components`; none without members. */
  get entry (): object {
    const all = { ...this.#own, ...Object.fromEntries(this.#added) }
    return Object.keys(all).length === 0 ? {} : { [this.#kind]: all }
  }

  /** A reference to a component. */
  add ({ name, value }: Component): { $ref: string } {
    const plain = name.replace(/[^\w.-]/g, '-')
    let key = plain
    for (let i = 2; this.#isTaken(key, value); i++) key = `${plain}${i}`
    if (!Object.hasOwn(this.#own, key)) this.#added.set(key, value)
    return { $ref: `#/components/${this.#kind}/${key}` }
  }

  #isTaken (key: string, value: object): boolean {
    const known = this.#added.get(key)
    return known !== undefined && !isDeepStrictEqual(known, value)
  }
}

import { isDeepStrictEqual } from 'node:util'

import { contextOf } from '../context.ts'
import { serverOf } from './naming.ts'
import { Refusals, endingHeadersOf, headersOf, reportHeadersOf } from './responses.ts'

import type { Route } from '../routes.ts'
import type { Component } from './responses.ts'

/** An object of OpenAPI. */
type Item = Record<string, unknown>

/** A document, as far as it is read here. */
export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string, readonly 'x-api-version'?: string }
  readonly paths: Item
  readonly components?: { readonly headers?: object, readonly responses?: object }
  readonly servers?: unknown
}

/** What is remembered of an operation that has versions. */
interface Mark {
  readonly route: Route
  /** Whether the route describes the body of its requests. */
  readonly hasBody: boolean
}

interface Marked extends Mark {
  readonly operation: Item
}

/** Where an operation says which route it is, as a number, until its document is finished. */
export const MARK = 'x-fastify-versioning'

/** The operations of a document that have versions, by their mark. */
export class Marks {
  readonly #all: Mark[] = []

  /** @returns the mark of an operation */
  add (route: Route, hasBody: boolean): number {
    return this.#all.push({ route, hasBody }) - 1
  }

  of (mark: unknown): Mark | undefined {
    return this.#all[mark as number]
  }
}

/**
 * Finishes a document that @fastify/swagger has made: says which version it is, and what the plugin answers.
 *
 * @param hasServiceDesc whether responses link to the document
 */
export function finish (document: Document, version: string, marks: Marks, hasServiceDesc: boolean): Document {
  const headers = new Components('headers', document.components?.headers)
  const responses = new Components('responses', document.components?.responses)
  const refusals = new Refusals(document.openapi)
  const operations = markedIn(document, marks)
  for (const { operation, route, hasBody } of operations) {
    // @fastify/swagger requires every body, even one that is only there to have a media type.
    if (!hasBody) delete (operation.requestBody as Item | undefined)?.required
    const reported = reportHeadersOf(route)
    const ofEnding = [...endingHeadersOf(route, version, hasServiceDesc), ...reported]
    const own = referTo(headersOf(route, version, hasServiceDesc), headers)
    const described = operation.responses as Record<string, Item>
    for (const response of Object.values(described)) addHeaders(response, own)
    for (const { status, name, value, isOfEnding } of refusals.of(route, version)) {
      if (isDescribed(status, described, route)) continue
      const withHeaders: Item = { ...value }
      addHeaders(withHeaders, referTo(isOfEnding ? ofEnding : reported, headers))
      described[status] = responses.add({ name, value: withHeaders })
    }
  }
  const { info } = document
  return {
    ...document,
    ...sharedServers(document, operations, version),
    info: { ...info, title: titleOf(info, version), 'x-api-version': version },
    components: { ...document.components, ...headers.entry, ...responses.entry }
  }
}

/** The operations that have a mark, which is taken from them. */
function markedIn ({ paths }: Document, marks: Marks): Marked[] {
  const marked: Marked[] = []
  for (const operation of Object.values(paths).flatMap((path) => operationsIn(path as Item))) {
    const mark = marks.of(operation[MARK])
    delete operation[MARK]
    if (mark !== undefined) marked.push({ operation, ...mark })
  }
  return marked
}

/** The operations at a path: OpenAPI 3.2 has those of some methods one level deeper. */
function operationsIn ({ additionalOperations, ...path }: Item): Item[] {
  return Object.values({ ...path, ...additionalOperations as Item | undefined }) as Item[]
}

function titleOf ({ title }: Document['info'], version: string): string {
  return title.endsWith(version) ? title : `${title} ${version}`
}

function referTo (components: readonly Component[], known: Components): Item {
  return Object.fromEntries(components.map((component) => [component.name, known.add(component)]))
}

/** Those that the user has not described. */
function addHeaders (response: Item, headers: Item): void {
  const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
  const added = Object.entries(headers).filter(([name]) => !own.includes(name.toLowerCase()))
  if (added.length > 0) response.headers = { ...response.headers as Item, ...Object.fromEntries(added) }
}

/**
 * Whether the user says what a refusal looks like: Fastify makes the body of an error, but not of a problem, by the
 * schema of `4xx` or `default` as well.
 */
function isDescribed (status: string, described: Item, { server }: Route): boolean {
  if (status in described) return true
  const { problemDetails: problems } = contextOf(server)
  return problems === null && (`${status[0]}XX` in described || 'default' in described)
}

/** The host that names the version, where all operations with versions have it, and the user names no server. */
function sharedServers (
  { servers }: Document, operations: readonly Marked[], version: string
): { servers?: readonly { readonly url: string }[] } {
  const [url, ...others] = new Set(operations.map(({ operation, route }) => {
    const server = serverOf(route, version)
    return isDeepStrictEqual(operation.servers, [{ url: server }]) ? server : null
  }))
  if (typeof url !== 'string' || others.length > 0 || servers !== undefined) return {}
  for (const { operation } of operations) delete operation.servers
  return { servers: [{ url }] }
}

/** What the operations of a document share, each once. */
class Components {
  readonly #kind: 'headers' | 'responses'
  readonly #own: object
  readonly #added = new Map<string, object>()

  /** @param own those of the user, which come first */
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

import { queryOf } from '../http/query.ts'
import { routerOf } from '../paths/router.ts'
import { segmentOf, versionParamIn } from './path-version.ts'

import type { FindResult, HTTPVersion } from 'find-my-way'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Router } from '../paths/router.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { RawRequest } from '../../types/index.d.ts'

const NO_PARAMS = Object.freeze({})
const [PERCENT, SLASH, SEMICOLON] = [0x25, 0x2f, 0x3b]
const [QUESTION_MARK, HASH] = [0x3f, 0x23]

/** Reads URLs of one route before the app's router does: usual URLs by itself, others by a router of its own. */
export class UrlReader {
  readonly #paths: readonly string[]
  readonly #options: RouterOptions
  /** The parameter that is the version, or null. */
  readonly #param: string | null
  /** The index of the segment that holds the version, or -1. */
  readonly #segment: number
  /** Whether the query is read as Fastify does by default. */
  readonly #isPlainQuery: boolean
  /** A router with the paths of the route alone. The first URL that needs it makes it. */
  #router: Router | null = null

  constructor ({ alias, url }: Route, scheme: Scheme, options: RouterOptions) {
    this.#paths = alias === null ? [url] : [url, alias]
    this.#param = versionParamIn(scheme, url)
    this.#segment = segmentOf(scheme, url)
    this.#options = options
    this.#isPlainQuery = options.querystringParser === null && !options.useSemicolonDelimiter
  }

  /** Returns parameters of the path, among them the version, or none if the path has no version. */
  paramsOf (url: string): object {
    const param = this.#param
    if (param === null || this.#segment === -1) return NO_PARAMS
    const version = segmentAt(url, this.#segment)
    return version === null ? this.#find(url).params : { [param]: version }
  }

  queryOf (url: string): unknown {
    return this.#isPlainQuery && url.startsWith('/') ? queryOf(url) : this.#find(url).searchParams
  }

  /** Returns what the own router finds, which is never null: the app's router has found the same path. */
  #find (url: string): FindResult<HTTPVersion.V1> {
    this.#router ??= routerOf(this.#paths, this.#options)
    return this.#router.find('GET', url) as FindResult<HTTPVersion.V1>
  }
}

/**
 * Returns a segment of the path of a URL. Null if a router may read the URL in another way than it looks: because of an
 * origin, an escape, a semicolon, or slashes next to each other.
 */
function segmentAt (url: string, index: number): string | null {
  if (!url.startsWith('/')) return null
  let start = 1
  let left = index
  for (let i = 1; i <= url.length; i++) {
    const code = url.charCodeAt(i)
    if (code === PERCENT || code === SEMICOLON || (code === SLASH && i === start)) break
    if (code !== SLASH && code !== QUESTION_MARK && code !== HASH && i < url.length) continue
    if (left-- === 0) return url.slice(start, i)
    start = i + 1
  }
  return null
}

/** A request before routing, as schemes read it. */
export class Unrouted {
  readonly raw: RawRequest
  readonly headers: RawRequest['headers']
  readonly method: string | undefined
  readonly url: string
  readonly #reader: UrlReader

  constructor (raw: RawRequest, reader: UrlReader) {
    this.raw = raw
    this.headers = raw.headers
    this.method = raw.method
    this.url = raw.url as string
    this.#reader = reader
  }

  get socket () {
    return this.raw.socket
  }

  get params () {
    return this.#reader.paramsOf(this.url)
  }

  get query () {
    return this.#reader.queryOf(this.url)
  }
}

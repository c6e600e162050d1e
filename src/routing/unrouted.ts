import FindMyWay from 'find-my-way'

import type { RouterOptions } from '../paths/pattern.ts'
import type { VersionParam } from '../routes.ts'
import type { RawRequest } from '../../types/index.d.ts'

const SLASH = 47
const PERCENT = 37
const HASH = 35
const QUESTION_MARK = 63
const SEMICOLON = 59

const HTTP = /^https?:\/\//i

/**
 * A request before routing, with the parameters that hold the version. Schemes read it as they read Fastify's request
 * later. One object serves all requests of a store, one after the other.
 */
export class UnroutedRequest {
  raw: RawRequest | null = null
  readonly params: Record<string, string> = Object.create(null)
  readonly #versionParams: readonly VersionParam[]
  readonly #options: RouterOptions

  constructor (versionParams: readonly VersionParam[], options: RouterOptions) {
    this.#versionParams = versionParams
    this.#options = options
  }

  /** Takes a request on. */
  take (raw: RawRequest): this {
    this.raw = raw
    for (const { name, segment } of this.#versionParams) {
      this.params[name] = segmentAt(raw.url as string, segment, this.#options)
    }
    return this
  }

  get headers (): RawRequest['headers'] {
    return (this.raw as RawRequest).headers
  }

  get method (): string | undefined {
    return (this.raw as RawRequest).method
  }

  get socket (): RawRequest['socket'] {
    return (this.raw as RawRequest).socket
  }

  get url (): string | undefined {
    return (this.raw as RawRequest).url
  }
}

/**
 * A segment of the path of a URL, decoded, as the router makes a parameter of it.
 *
 * @param url the target of a request whose path has the segment
 */
export function segmentAt (
  url: string, index: number, { ignoreDuplicateSlashes, useSemicolonDelimiter }: RouterOptions
): string {
  let start = startOfPath(url)
  let before = index
  let isEscaped = false
  let at = start
  for (; at < url.length; at++) {
    const code = url.charCodeAt(at)
    if (code === SLASH) {
      const isMerged = ignoreDuplicateSlashes && url.charCodeAt(at - 1) === SLASH
      if (!isMerged && before-- === 0) break
      start = at + 1
      isEscaped = false
    } else if (code === PERCENT) {
      isEscaped = true
    } else if (code === QUESTION_MARK || code === HASH || (code === SEMICOLON && useSemicolonDelimiter)) {
      break
    }
  }
  const segment = url.slice(start, at)
  return isEscaped ? FindMyWay.sanitizeUrlPath(`/${segment}`).slice(1) : segment
}

/** The index after the first slash of the path, in an absolute URL as well (RFC 9112, section 3.2.2). */
function startOfPath (url: string): number {
  if (url.charCodeAt(0) === SLASH || !HTTP.test(url)) return 1
  const end = url.slice(url.indexOf('://') + 3).search(/[/?]/)
  const at = url.indexOf('://') + 3 + end
  return end === -1 || url[at] === '?' ? url.length : at + 1
}

import { isFormOf, matches, versionBySubtype, withVersion } from '../options/media-types.ts'
import { normalizeSettings } from '../options/options.ts'
import { BaseVersioning } from './base.ts'

import type { MediaRange } from '../http/accept.ts'
import type { RawRequest } from '../../types/index.d.ts'

type Headers = Pick<RawRequest, 'headers'>

interface ReadHeader {
  readonly header: string
  readonly versions: string | readonly string[] | null
  /** The media type of the API that the header accepts for JSON with a version in it, or null. */
  readonly type: string | null
  /** This type with the version that was last asked for, which is nearly always the same one. */
  version: string | null
  text: string | null
}

/** How many headers are remembered, and how long one may be: clients send few different ones. */
const [MAX_HEADERS, MAX_LENGTH] = [100, 256]

/** @internal Where a class has what it reads: no class of an app has a member of this name. */
export const SOURCE: unique symbol = Symbol('fastify-versioning.source')
/** @internal Where a class has which Content-Type a response has. */
export const RESPONSE_TYPE: unique symbol = Symbol('fastify-versioning.responseType')

/** A media type of the API that JSON may have: a vendor type without a suffix has no other syntax. */
const FOR_JSON = /[/+]json$|^application\/[^+]*\{version\}[^+]*$/

/** What a response can have as its type. If every version is allowed, a part of it is the client's text. */
const SENDABLE = /^[ -~]{1,256}$/

/** @internal What these schemes read. */
export const MEDIA_TYPE_SETTINGS = ['resolveVersion', 'versionParam', 'mediaTypes'] as const

/** Shared by the schemes that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  readonly #byHeader = new Map<string, ReadHeader>()
  /** What was read last. The response nearly always needs it again, and so does the next request. */
  #last: ReadHeader | null = null
  #types: readonly string[] | null | undefined

  /** @internal The header as Node calls it, and the media type in it that has the version. */
  abstract readonly [SOURCE]: {
    readonly field: 'accept' | 'content-type'
    readonly mediaTypeIn: (header: string, isOfApi: (range: MediaRange) => boolean) => MediaRange | null
  }

  /** The versions in the subtype and in the parameter of the media type. */
  override readVersion ({ headers }: Headers): string | readonly string[] | null {
    const header = headers[this[SOURCE].field]
    return header === undefined ? null : this.#namedIn(header).versions
  }

  /**
   * @internal The Content-Type of a response in JSON: the media type of the API that the request accepts, with the
   * version. Null where the header does not name a version itself, or accepts no JSON of the API first.
   */
  [RESPONSE_TYPE] ({ headers }: Headers, version: string): string | null {
    const header = headers[this[SOURCE].field]
    const named = header === undefined ? null : this.#namedIn(header)
    if (named === null || named.type === null) return null
    if (named.version !== version) {
      const type = withVersion(named.type, version, this.versionParam) as string
      named.version = version
      named.text = SENDABLE.test(type) ? `${type}; charset=utf-8` : null
    }
    return named.text
  }

  #namedIn (header: string): ReadHeader {
    if (this.#last?.header === header) return this.#last
    let named = this.#byHeader.get(header)
    if (named === undefined) {
      named = this.#named(header, this[SOURCE].mediaTypeIn(header, (range) => this.#isOfApi(range)))
      if (this.#byHeader.size === MAX_HEADERS) this.#byHeader.clear()
      if (header.length <= MAX_LENGTH) this.#byHeader.set(header, named)
    }
    this.#last = named
    return named
  }

  #named (header: string, range: MediaRange | null): ReadHeader {
    const byParameter = range?.parameters.get(this.versionParam.toLowerCase()) ?? null
    const bySubtype = range === null ? null : versionBySubtype(range, this.#mediaTypes)
    const versions = bySubtype === null || byParameter === null ? bySubtype ?? byParameter : [bySubtype, byParameter]
    const type = versions === null ? null : this.#jsonTypeFor(range as MediaRange)
    return { header, versions, type, version: null, text: null }
  }

  /** The first media type of the API that is JSON and that a range matches, or null. */
  #jsonTypeFor (range: MediaRange): string | null {
    const json = (this.#mediaTypes ?? ['application/json']).filter((type) => FOR_JSON.test(type))
    return json.find((type) => matches(range, type)) ?? null
  }

  /** In lower case, and without parameters, however a class below has written them. */
  get #mediaTypes (): readonly string[] | null {
    if (this.#types === undefined) this.#types = normalizeSettings({ mediaTypes: this.mediaTypes }).mediaTypes
    return this.#types
  }

  /** Whether a media range matches a media type of the API. */
  #isOfApi (range: MediaRange): boolean {
    const types = this.#mediaTypes
    return types === null || range.mediaType === '*/*' || types.some((type) => matches(range, type))
  }

  override mediaTypeFor (version: string, mediaType?: string): string | null {
    const types = this.#mediaTypes
    const type = types === null
      ? mediaType ?? 'application/json'
      : types.find((template) => mediaType === undefined || isFormOf(template, mediaType.toLowerCase()))
    return type === undefined ? null : withVersion(type, version, this.versionParam)
  }
}

import { isFormOf, matches, versionBySubtype, withVersion } from '../options/media-types.ts'
import { normalizeSettings } from '../options/options.ts'
import { BaseVersioning } from './base.ts'

import type { MediaRange } from '../http/accept.ts'
import type { RawRequest } from '../../types/index.d.ts'

type Headers = Pick<RawRequest, 'headers'>

/** The result of reading a header. */
interface ReadHeader {
  readonly header: string
  readonly versions: string | readonly string[] | null
  /** The media type of the API that the header accepts for JSON with a version in it, or null. */
  readonly type: string | null
  /** The version that was last asked for, nearly always the same one, and the whole Content-Type with it. */
  version: string | null
  text: string | null
}

/** The number of headers that are remembered, and their longest length: clients send few different headers. */
const [MAX_HEADERS, MAX_LENGTH] = [100, 256]

/** @internal The member in which a class says what it reads. No class of an app has a member of this name. */
export const SOURCE: unique symbol = Symbol('fastify-versioning.source')
/** @internal The method that returns the Content-Type of a response. */
export const RESPONSE_TYPE: unique symbol = Symbol('fastify-versioning.responseType')

/** A media type of the API that JSON may have: a vendor type without a suffix has no other syntax. */
const FOR_JSON = /[/+]json$|^application\/[^+]*\{version\}[^+]*$/

/** A type that a response can have. If every version is allowed, a part of the type is the client's text. */
const SENDABLE = /^[ -~]{1,256}$/

/** @internal The settings that these schemes read. */
export const MEDIA_TYPE_SETTINGS = ['resolveVersion', 'versionParam', 'mediaTypes'] as const

/** The class of schemes that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  readonly #byHeader = new Map<string, ReadHeader>()
  /** The header that was read last. The response nearly always needs it again, and so does the next request. */
  #last: ReadHeader | null = null
  #types: readonly string[] | null | undefined

  /** @internal The header as Node calls it, and the media type in it that has the version. */
  abstract readonly [SOURCE]: {
    readonly field: 'accept' | 'content-type'
    readonly mediaTypeIn: (header: string, isOfApi: (range: MediaRange) => boolean) => MediaRange | null
  }

  /** Returns the versions in the subtype and in the parameter of the media type. */
  override readVersion ({ headers }: Headers): string | readonly string[] | null {
    const header = headers[this[SOURCE].field]
    return header === undefined ? null : this.#resultOf(header).versions
  }

  /**
   * @internal Returns the Content-Type of a response in JSON: the media type of the API that the request accepts, with
   * the version. Null where the header does not name a version itself, or accepts no JSON of the API first.
   */
  [RESPONSE_TYPE] ({ headers }: Headers, version: string): string | null {
    const header = headers[this[SOURCE].field]
    const result = header === undefined ? null : this.#resultOf(header)
    if (result === null || result.type === null) return null
    if (result.version !== version) {
      const type = withVersion(result.type, version, this.versionParam) as string
      result.version = version
      result.text = SENDABLE.test(type) ? `${type}; charset=utf-8` : null
    }
    return result.text
  }

  #resultOf (header: string): ReadHeader {
    if (this.#last?.header === header) return this.#last
    let result = this.#byHeader.get(header)
    if (result === undefined) {
      result = this.#read(header, this[SOURCE].mediaTypeIn(header, (range) => this.#isOfApi(range)))
      if (this.#byHeader.size === MAX_HEADERS) this.#byHeader.clear()
      if (header.length <= MAX_LENGTH) this.#byHeader.set(header, result)
    }
    this.#last = result
    return result
  }

  #read (header: string, range: MediaRange | null): ReadHeader {
    const byParameter = range?.parameters.get(this.versionParam.toLowerCase()) ?? null
    const bySubtype = range === null ? null : versionBySubtype(range, this.#mediaTypes)
    const versions = bySubtype === null || byParameter === null ? bySubtype ?? byParameter : [bySubtype, byParameter]
    const type = versions === null ? null : this.#jsonTypeFor(range as MediaRange)
    return { header, versions, type, version: null, text: null }
  }

  /** Returns the first media type of the API that is JSON and that a range matches, or null. */
  #jsonTypeFor (range: MediaRange): string | null {
    const json = (this.#mediaTypes ?? ['application/json']).filter((type) => FOR_JSON.test(type))
    return json.find((type) => matches(range, type)) ?? null
  }

  /** Returns the media types of the API in lower case, without parameters, however a class below has written them. */
  get #mediaTypes (): readonly string[] | null {
    if (this.#types === undefined) this.#types = normalizeSettings({ mediaTypes: this.mediaTypes }).mediaTypes
    return this.#types
  }

  /** Tells whether a media range matches a media type of the API. */
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

import { hasSyntaxOf } from '../http/media-type.ts'
import { VERSION_PLACEHOLDER } from '../options/options.ts'

/** A media type of the setting `mediaTypes` with a version in its subtype: `application/vnd.acme.{version}+json`. */
export interface VendorType {
  /** The part before the version, in lower case. */
  readonly start: string
  /** The part after the version. */
  readonly end: string
}

/** A media type of that setting. Without a version in its subtype `start` is all of it. */
type MediaType = VendorType | { readonly start: string, readonly end: null }

/** The media types that an API has. */
export class MediaTypes {
  readonly #types: readonly MediaType[]

  /** @param types as `normalizeSettings` returns them */
  constructor (types: readonly string[]) {
    this.#types = types.map((type) => {
      const [start, end = null] = type.split(VERSION_PLACEHOLDER)
      return { start, end }
    })
  }

  /** Whether a media range matches one of them. */
  matches (mediaRange: string): boolean {
    if (mediaRange === '*/*') return true
    if (!mediaRange.endsWith('/*')) return this.#types.some((type) => isOf(type, mediaRange))
    const prefix = mediaRange.slice(0, -1)
    return this.#types.some(({ start }) => start.startsWith(prefix))
  }

  /** The one that a client writes instead of another, with the version if it has one, or null. */
  typeFor (version: string, mediaType: string): string | null {
    const type = this.#types.find(({ start, end }) => (
      end === null ? start === mediaType.toLowerCase() : hasSyntaxOf(start + end, mediaType)
    ))
    return type === undefined ? null : fill(type, version)
  }

  /** The first of them, with the version if it has one, or null if there is none. */
  firstFor (version: string): string | null {
    return this.#types.length === 0 ? null : fill(this.#types[0], version)
  }

  /** The one that a media type with a version in its subtype is, or null. */
  vendorTypeOf (mediaType: string): VendorType | null {
    const type = this.#types.find((one) => isOf(one, mediaType))
    return type === undefined || type.end === null ? null : type
  }
}

/** A media type with a version, as the setting writes it: in lower case except for the version. */
export function fill ({ start, end }: MediaType, version: string): string {
  return end === null ? start : `${start}${version}${end}`
}

function isOf ({ start, end }: MediaType, mediaType: string): boolean {
  if (end === null) return mediaType === start
  const isLonger = mediaType.length > start.length + end.length
  return isLonger && mediaType.startsWith(start) && mediaType.endsWith(end) && !mediaType.includes('*')
}

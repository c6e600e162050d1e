import { hasSyntaxOf } from '../http/media-type.ts'
import { VERSION_PLACEHOLDER } from '../options/settings.ts'

import type { MediaRange } from '../http/accept.ts'

/** A media type of the setting `mediaTypes`, which may have a version: `application/vnd.acme.{version}+json`. */
interface MediaType {
  /** In lower case; of a template, the part before the version. */
  readonly start: string
  /** The part after the version, or null if the media type has none. */
  readonly end: string | null
}

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
  matches ({ mediaType }: Pick<MediaRange, 'mediaType'>): boolean {
    if (mediaType === '*/*') return true
    if (!mediaType.endsWith('/*')) return this.#types.some((type) => isOf(type, mediaType))
    const prefix = mediaType.slice(0, -1)
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

  /** A media type with a version, as the setting writes it: in lower case except for the version. */
  vendorTypeOf (mediaRange: Pick<MediaRange, 'mediaType' | 'sent'>): string | null {
    const version = this.versionIn(mediaRange)
    const type = this.#types.find((one) => isOf(one, mediaRange.mediaType))
    return version === null ? null : fill(type as MediaType, version)
  }

  /** A media type with a version, changed to another version. */
  withVersion (vendorType: string, version: string): string {
    const type = this.#types.find((one) => isOf(one, vendorType.toLowerCase()))
    return fill(type as MediaType, version)
  }

  /** The version in the subtype of a media type, as the client has written it, or null. */
  versionIn ({ mediaType, sent }: Pick<MediaRange, 'mediaType' | 'sent'>): string | null {
    const type = this.#types.find((one) => isOf(one, mediaType))
    if (type === undefined || type.end === null) return null
    return sent.slice(type.start.length, sent.length - type.end.length)
  }
}

function fill ({ start, end }: MediaType, version: string): string {
  return end === null ? start : `${start}${version}${end}`
}

function isOf ({ start, end }: MediaType, mediaType: string): boolean {
  if (end === null) return mediaType === start
  const isLonger = mediaType.length > start.length + end.length
  return isLonger && mediaType.startsWith(start) && mediaType.endsWith(end) && !mediaType.includes('*')
}

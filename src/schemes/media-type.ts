import { isToken } from '../http/headers.ts'
import { withParameter } from '../http/media-type.ts'
import { normalizeSettings } from '../options/options.ts'
import { BaseVersioning, setDefaults } from './base.ts'
import { HeaderCache } from './header-cache.ts'
import { MediaTypes } from './media-types.ts'

import type { VersioningSettings } from '../../types/index.d.ts'
import type { MediaRange } from '../http/accept.ts'
import type { VendorType } from './media-types.ts'

/** What is read in a header. */
interface Reading {
  readonly versions: string | readonly string[] | null
  /** The media type, if it has a version in its subtype. */
  readonly vendorType: VendorType | null
}

const NOTHING: Reading = Object.freeze({ versions: null, vendorType: null })

/** Shared by the schemes that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  static {
    setDefaults(this.prototype, { settingsRead: ['versionParam', 'mediaTypes'] })
  }

  /** The media types of the API, in lower case; null when it may be any. */
  readonly mediaTypes: readonly string[] | null
  #types: MediaTypes | null | undefined
  readonly #readings = new HeaderCache<Reading>()

  constructor (settings: VersioningSettings = {}) {
    const normalized = normalizeSettings(settings)
    super(normalized)
    this.mediaTypes = normalized.mediaTypes
  }

  /** The media type of a header whose version counts, or null. */
  protected abstract mediaTypeOf (header: string): MediaRange | null

  /** Null if every media type is one of the API's. */
  protected get types (): MediaTypes | null {
    if (this.#types === undefined) {
      // A class field has not been checked.
      const { mediaTypes } = normalizeSettings(this)
      this.#types = mediaTypes === null ? null : new MediaTypes(mediaTypes)
    }
    return this.#types
  }

  /** The versions in a header: in the subtype and in the parameter of a media type. */
  protected versionsIn (header: string | undefined): string | readonly string[] | null {
    return this.#read(header).versions
  }

  /** Whether a media type, such as a response's, has a version in its subtype. */
  protected namesVersion ({ mediaType }: Pick<MediaRange, 'mediaType'>): boolean {
    return this.#vendorTypeOf(mediaType) !== null
  }

  /**
   * The media type with a version, or null if it cannot have one.
   *
   * @param mediaType the media type that it replaces. Default: the first of the API's
   */
  override mediaTypeFor (version: string, mediaType?: string): string | null {
    const { types, versionParam } = this
    let type: string | null = mediaType ?? 'application/json'
    if (types !== null) type = mediaType === undefined ? types.firstFor(version) : types.typeFor(version, mediaType)
    if (type === null || this.namesVersion({ mediaType: type.toLowerCase() })) return type
    return isToken(versionParam) ? withParameter(type, versionParam, version) : null
  }

  #read (header: string | undefined): Reading {
    if (header === undefined) return NOTHING
    let reading = this.#readings.get(header)
    if (reading === undefined) {
      const mediaType = this.mediaTypeOf(header)
      reading = mediaType === null ? NOTHING : this.#readingOf(mediaType)
      this.#readings.set(header, reading)
    }
    return reading
  }

  #readingOf ({ mediaType, sent, parameters }: MediaRange): Reading {
    const vendorType = this.#vendorTypeOf(mediaType)
    const byParameter = parameters.get(this.versionParam.toLowerCase()) ?? null
    if (vendorType === null) return { versions: byParameter, vendorType }
    const bySubtype = sent.slice(vendorType.start.length, sent.length - vendorType.end.length)
    return { versions: byParameter === null ? bySubtype : [bySubtype, byParameter], vendorType }
  }

  #vendorTypeOf (mediaType: string): VendorType | null {
    return this.types?.vendorTypeOf(mediaType) ?? null
  }
}

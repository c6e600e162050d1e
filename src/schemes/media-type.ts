import { normalizeSettings } from '../options/settings.ts'
import { BaseVersioning } from './base.ts'
import { HeaderCache } from './header-cache.ts'
import { MediaTypes } from './media-types.ts'

import type { VersioningSettings } from '../../types/index.d.ts'
import type { MediaRange } from '../http/accept.ts'

/** What the schemes share that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  override readonly settingsRead: readonly string[] | null = ['versionParam', 'mediaTypes']

  /** The media types of the API, in lower case; null when it may be any. */
  readonly mediaTypes: readonly string[] | null
  #types: MediaTypes | null | undefined
  readonly #versions = new HeaderCache<string | readonly string[] | null>()

  constructor (settings: VersioningSettings = {}) {
    const normalized = normalizeSettings(settings)
    super(normalized)
    this.mediaTypes = normalized.mediaTypes
  }

  /** The media type of a header whose version counts; null: none. */
  protected abstract mediaTypeOf (header: string): MediaRange | null

  /** Null: every media type is one of the API. */
  protected get types (): MediaTypes | null {
    if (this.#types === undefined) {
      // A class field comes as its author wrote it.
      const { mediaTypes } = normalizeSettings(this)
      this.#types = mediaTypes === null ? null : new MediaTypes(mediaTypes)
    }
    return this.#types
  }

  /** The versions that a header names: by the subtype and by the parameter of a media type. */
  protected versionsIn (header: string | undefined): string | readonly string[] | null {
    if (header === undefined) return null
    const known = this.#versions.get(header)
    if (known !== undefined) return known
    const mediaType = this.mediaTypeOf(header)
    const versions = mediaType === null ? null : this.#versionsOf(mediaType)
    this.#versions.set(header, versions)
    return versions
  }

  #versionsOf (mediaType: MediaRange): string | readonly string[] | null {
    const bySubtype = this.types?.versionIn(mediaType) ?? null
    const byParameter = mediaType.parameters.get(this.versionParam.toLowerCase()) ?? null
    if (bySubtype === null || byParameter === null) return bySubtype ?? byParameter
    return [bySubtype, byParameter]
  }
}

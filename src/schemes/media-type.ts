import { isToken, withParameter } from '../http/headers.ts'
import { VERSION_PLACEHOLDER } from '../options/options.ts'
import { BaseVersioning } from './base.ts'

import type { MediaRange } from '../http/accept.ts'

type Versions = string | readonly string[] | null

/** How many headers are remembered, and how long one may be: clients send few different ones. */
const [MAX_HEADERS, MAX_LENGTH] = [100, 256]

/** Shared by the schemes that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  readonly #known = new Map<string, Versions>()

  /** @internal The media type in a header that has the version, or null. */
  protected abstract mediaTypeIn (header: string): MediaRange | null

  /** @internal The versions in a header: in the subtype and in the parameter of its media type. */
  protected versionsIn (header: string | undefined): Versions {
    if (header === undefined) return null
    let versions = this.#known.get(header)
    if (versions === undefined) {
      versions = this.#versionsOf(this.mediaTypeIn(header))
      if (this.#known.size === MAX_HEADERS) this.#known.clear()
      if (header.length <= MAX_LENGTH) this.#known.set(header, versions)
    }
    return versions
  }

  #versionsOf (range: MediaRange | null): Versions {
    if (range === null) return null
    const byParameter = range.parameters.get(this.versionParam.toLowerCase()) ?? null
    const bySubtype = this.#versionBy(range)
    return bySubtype === null || byParameter === null ? bySubtype ?? byParameter : [bySubtype, byParameter]
  }

  /** @internal Whether a media range matches a media type of the API. */
  protected isOfApi (range: MediaRange): boolean {
    const { mediaTypes: types } = this
    const { mediaType } = range
    if (types === null || mediaType === '*/*') return true
    if (mediaType.endsWith('/*')) return types.some((template) => template.startsWith(mediaType.slice(0, -1)))
    return types.includes(mediaType) || this.#versionBy(range) !== null
  }

  /** @internal */
  override namesVersion (mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean {
    return this.#versionBy(mediaType) !== null
  }

  override mediaTypeFor (version: string, mediaType?: string): string | null {
    const { mediaTypes: types, versionParam } = this
    const type = types === null
      ? mediaType ?? 'application/json'
      : types.find((template) => mediaType === undefined || isFormOf(template, mediaType.toLowerCase()))
    if (type?.includes(VERSION_PLACEHOLDER)) return type.replace(VERSION_PLACEHOLDER, () => version)
    return type === undefined || !isToken(versionParam) ? null : withParameter(type, versionParam, version)
  }

  /** The version in the subtype of a media type, as it was sent, or null. The first media type of the API decides. */
  #versionBy ({ mediaType, sent }: Pick<MediaRange, 'mediaType' | 'sent'>): string | null {
    if (mediaType.includes('*')) return null
    for (const template of this.mediaTypes ?? []) {
      if (template === mediaType) return null
      const [start, end] = template.split(VERSION_PLACEHOLDER)
      const isOf = end !== undefined && mediaType.length > start.length + end.length &&
        mediaType.startsWith(start) && mediaType.endsWith(end)
      if (isOf) return sent.slice(start.length, sent.length - end.length)
    }
    return null
  }
}

/** Whether a media type of the API is another one, or a vendor type with its syntax: `…+json` for JSON. */
function isFormOf (template: string, mediaType: string): boolean {
  if (!template.includes(VERSION_PLACEHOLDER)) return template === mediaType
  return template.endsWith(`+${mediaType.slice(mediaType.indexOf('/') + 1)}`)
}

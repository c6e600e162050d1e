import { isToken, withParameter } from '../http/headers.ts'
import { VERSION_PLACEHOLDER, normalizeSettings } from '../options/options.ts'
import { BaseVersioning } from './base.ts'

import type { MediaRange } from '../http/accept.ts'
import type { RawRequest } from '../../types/index.d.ts'

type Versions = string | readonly string[] | null

/** How many headers are remembered, and how long one may be: clients send few different ones. */
const [MAX_HEADERS, MAX_LENGTH] = [100, 256]

/** Where a class has what it reads: no class of an app has a member of this name. */
export const SOURCE: unique symbol = Symbol('fastify-versioning.source')

/** Shared by the schemes that read the version from a media type: from its parameter, or from its subtype. */
export abstract class MediaTypeVersioning extends BaseVersioning {
  readonly #known = new Map<string, Versions>()
  #types: readonly string[] | null | undefined

  /** @internal The header as Node calls it, and the media type in it that has the version. */
  abstract readonly [SOURCE]: {
    readonly field: 'accept' | 'content-type'
    readonly mediaTypeIn: (header: string, isOfApi: (range: MediaRange) => boolean) => MediaRange | null
  }

  /** The versions in the subtype and in the parameter of the media type. */
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    const { field, mediaTypeIn } = this[SOURCE]
    const header = headers[field]
    if (header === undefined) return null
    let versions = this.#known.get(header)
    if (versions === undefined) {
      versions = this.#versionsOf(mediaTypeIn(header, (range) => this.#isOfApi(range)))
      if (this.#known.size === MAX_HEADERS) this.#known.clear()
      if (header.length <= MAX_LENGTH) this.#known.set(header, versions)
    }
    return versions
  }

  #versionsOf (range: MediaRange | null): Versions {
    if (range === null) return null
    const byParameter = range.parameters.get(this.versionParam.toLowerCase()) ?? null
    const bySubtype = versionBySubtype(range, this.#mediaTypes)
    return bySubtype === null || byParameter === null ? bySubtype ?? byParameter : [bySubtype, byParameter]
  }

  /** In lower case, and without parameters, however a class below has written them. */
  get #mediaTypes (): readonly string[] | null {
    if (this.#types === undefined) this.#types = normalizeSettings({ mediaTypes: this.mediaTypes }).mediaTypes
    return this.#types
  }

  /** Whether a media range matches a media type of the API. */
  #isOfApi (range: MediaRange): boolean {
    const types = this.#mediaTypes
    const { mediaType } = range
    if (types === null || mediaType === '*/*') return true
    if (mediaType.endsWith('/*')) return types.some((template) => template.startsWith(mediaType.slice(0, -1)))
    return types.includes(mediaType) || versionBySubtype(range, types) !== null
  }

  override mediaTypeFor (version: string, mediaType?: string): string | null {
    const { versionParam } = this
    const types = this.#mediaTypes
    const type = types === null
      ? mediaType ?? 'application/json'
      : types.find((template) => mediaType === undefined || isFormOf(template, mediaType.toLowerCase()))
    if (type?.includes(VERSION_PLACEHOLDER)) return type.replace(VERSION_PLACEHOLDER, () => version)
    return type === undefined || !isToken(versionParam) ? null : withParameter(type, versionParam, version)
  }
}

/** The version in the subtype of a media type, as it was sent, or null. The first media type of the API decides. */
export function versionBySubtype (
  { mediaType, sent }: Pick<MediaRange, 'mediaType' | 'sent'>, mediaTypes: readonly string[] | null
): string | null {
  if (mediaType.includes('*')) return null
  for (const template of mediaTypes ?? []) {
    if (template === mediaType) return null
    const [start, end] = template.split(VERSION_PLACEHOLDER)
    const isOf = end !== undefined && mediaType.length > start.length + end.length &&
      mediaType.startsWith(start) && mediaType.endsWith(end)
    if (isOf) return sent.slice(start.length, sent.length - end.length)
  }
  return null
}

/** Whether a media type of the API is another one, or a vendor type with its syntax: `…+json` for JSON. */
function isFormOf (template: string, mediaType: string): boolean {
  if (!template.includes(VERSION_PLACEHOLDER)) return template === mediaType
  return template.endsWith(`+${mediaType.slice(mediaType.indexOf('/') + 1)}`)
}

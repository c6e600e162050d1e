import { must } from '../errors.ts'
import { isToken, withParameter } from '../http/headers.ts'
import { toArray } from './read.ts'

import type { MediaRange } from '../http/accept.ts'

export const VERSION_PLACEHOLDER = '{version}'
/** Two tokens (RFC 9110, section 5.6.2) without a wildcard, of which the second may have a version, once. */
const TYPE_PATTERN = /^[\w!#$%&'+.^`|~-]+\/(?!$)[\w!#$%&'+.^`|~-]*(?:\{version\}[\w!#$%&'+.^`|~-]*)?$/
const MEDIA_TYPES =
  "an iterable of media types such as 'application/json', with {version} at most once and in the subtype, or null"

/** Reads the option `mediaTypes`. */
export function toMediaTypes (value: unknown, name: string): readonly string[] {
  const mediaTypes = toArray(value)?.map(toMediaType)
  must(mediaTypes?.includes('') === false, name, MEDIA_TYPES, value)
  return Object.freeze(mediaTypes)
}

/** Returns a media type without its parameters, which do not concern the scheme; `''` if it is malformed. */
function toMediaType (value: unknown): string {
  const [start, ...parameters] = String(value).toLowerCase().split(';')
  const mediaType = start.trim()
  return TYPE_PATTERN.test(mediaType) && !parameters.join().includes(VERSION_PLACEHOLDER) ? mediaType : ''
}

/** Returns the version in the subtype of a media type, as sent, or null. The first media type of the API decides. */
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

/** Tells whether a media range matches a media type of the API. */
export function matches (range: Pick<MediaRange, 'mediaType' | 'sent'>, type: string): boolean {
  const { mediaType } = range
  if (mediaType.endsWith('/*')) return mediaType === '*/*' || type.startsWith(mediaType.slice(0, -1))
  return type === mediaType || versionBySubtype(range, [type]) !== null
}

/** Tells whether a media type of the API equals a media type, or is a vendor type for it, as `…+json` is for JSON. */
export function isFormOf (template: string, mediaType: string): boolean {
  if (!template.includes(VERSION_PLACEHOLDER)) return template === mediaType
  return template.endsWith(`+${mediaType.slice(mediaType.indexOf('/') + 1)}`)
}

/** Returns a media type of the API with a version in its subtype or as its parameter; null if it cannot have one. */
export function withVersion (type: string, version: string, versionParam: string): string | null {
  if (type.includes(VERSION_PLACEHOLDER)) return type.replace(VERSION_PLACEHOLDER, () => version)
  return isToken(versionParam) ? withParameter(type, versionParam, version) : null
}

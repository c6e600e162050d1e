import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isFieldName } from '../http/headers.ts'
import { toDefaultVersion } from './client-default.ts'
import { toResolver } from './resolve-version.ts'
import { defaultsOf, option, readOptions } from './table.ts'

import type { ValuesOf } from './table.ts'
import type { AllowedVersions, VersioningSettings } from '../../types/index.d.ts'

/** The settings of a scheme, with SPEC.md's nulls and Django REST framework's name of the parameter as defaults. */
export const SETTINGS = {
  defaultVersion: option(null, toDefaultVersion),
  allowedVersions: option(null, toAllowedVersions),
  resolveVersion: option(null, toResolver),
  versionParam: option('version', toVersionParam),
  versionHeader: option('API-Version', toVersionHeader),
  mediaTypes: option(null, toMediaTypes)
}

/** The settings of a scheme, checked, with defaults for the absent ones. */
export type Settings = ValuesOf<typeof SETTINGS>

export const DEFAULT_SETTINGS: Settings = defaultsOf(SETTINGS)

/** Where a media type holds the version. */
export const VERSION_PLACEHOLDER = '{version}'

/** RFC 9110 section 5.6.2, `token`; as a type or subtype it may also be `*`, which is a token, too. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

/** Request headers that have another meaning, or that Node, a browser or a proxy sets. */
const TAKEN_FIELDS = [
  'accept', 'accept-charset', 'accept-encoding', 'accept-language', 'authorization', 'connection', 'content-encoding',
  'content-length', 'content-type', 'cookie', 'date', 'expect', 'forwarded', 'host', 'keep-alive', 'origin', 'range',
  'referer', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via', 'x-forwarded-for',
  'x-forwarded-host', 'x-forwarded-prefix', 'x-forwarded-proto'
]

/**
 * Checks the given settings, and fills in the missing ones.
 *
 * @param given what the user wrote; `undefined` counts as absent
 * @param inherited where absent settings come from; default: `DEFAULT_SETTINGS`
 * @throws FST_ERR_VERSIONING_OPTION naming the setting and the value
 */
export function normalizeSettings (given: VersioningSettings, inherited: Settings = DEFAULT_SETTINGS): Settings {
  return readOptions(SETTINGS, given, inherited, undefined)
}

function toAllowedVersions (value: unknown): AllowedVersions | null {
  if (value === null) return null
  const versions = toArray(value)
  if (versions?.every((version) => version === null || typeof version === 'string')) {
    return Object.freeze([...new Set(versions as AllowedVersions)])
  }
  throw new VersioningOptionError('allowedVersions', 'an iterable of strings and null, or null', show(value))
}

function toVersionParam (value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new VersioningOptionError('versionParam', 'a non-empty string', show(value))
}

function toVersionHeader (value: unknown): string {
  if (isFieldName(value) && !TAKEN_FIELDS.includes(value.toLowerCase())) return value
  throw new VersioningOptionError(
    'versionHeader', 'the name of a request header that has no other meaning', show(value)
  )
}

function toMediaTypes (value: unknown): readonly string[] | null {
  if (value === null) return null
  const mediaTypes = toArray(value)?.map(withoutParameters)
  if (mediaTypes?.every((mediaType) => mediaType !== null)) return Object.freeze(mediaTypes)
  throw new VersioningOptionError(
    'mediaTypes',
    "an iterable of media types such as 'application/json', with {version} at most once and in the subtype, or null",
    show(value)
  )
}

/** Media ranges are matched by type and subtype only: parameters of the response do not concern the scheme. */
function withoutParameters (value: unknown): string | null {
  if (typeof value !== 'string') return null
  const [mediaType, ...parameters] = value.split(';').map((part) => part.trim().toLowerCase())
  const [start, end, ...more] = mediaType.split(VERSION_PLACEHOLDER)
  // A version may stand in the subtype, once.
  const isTemplate = end !== undefined
  const isElsewhere = more.length > 0 || parameters.some((parameter) => parameter.includes(VERSION_PLACEHOLDER))
  const isWrong = isElsewhere || (isTemplate && (!start.includes('/') || mediaType.includes('*')))
  return !isWrong && MEDIA_TYPE.test(isTemplate ? `${start}v${end}` : mediaType) ? mediaType : null
}

/** A string is iterable too, but as a list of versions it can only be a mistake. */
function toArray (value: unknown): unknown[] | null {
  const iterable = typeof value === 'object' && value !== null && Symbol.iterator in value
  return iterable ? [...value as Iterable<unknown>] : null
}

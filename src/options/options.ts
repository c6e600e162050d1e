import { Changes } from '../changes/changes.ts'
import { isToken } from '../http/headers.ts'
import { toLifecycle } from './lifecycle.ts'
import { checked, defaultsOf, fieldsOf, isAsync, must, option, readOptions } from './read.ts'

import type { Origin } from '../http/origin.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Listing, ValuesOf } from './read.ts'
import type {
  AllowedVersions, DefaultByHeader, VersionResolver, VersioningOptions, VersioningSettings
} from '../../types/index.d.ts'

/** The public address of an app, whose path, `''` or `/api`, begins every link. */
export interface BaseUrl extends Origin {
  readonly path: string
}

/** Where a media type holds the version. */
export const VERSION_PLACEHOLDER = '{version}'
const FLAG = checked(false, 'true or false', (value) => typeof value === 'boolean')
/** Two tokens (RFC 9110, section 5.6.2), of which the second may have a version, once. `*` is a token, too. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/(?!$)[\w!#$%&'*+.^`|~-]*(?:\{version\}[\w!#$%&'*+.^`|~-]*)?$/
const MEDIA_TYPES =
  "an iterable of media types such as 'application/json', with {version} at most once and in the subtype, or null"
const BASE_URL = 'an http or https URL without credentials, query and fragment, or null'
const CLOCK = 'a function that returns milliseconds since the epoch'
/** What a list in a header may hold: visible ASCII, space within it, and no comma (RFC 9110, section 5.5). */
const REPORTABLE = /^[!-+\--~](?:[ !-+\--~]*[!-+\--~])?$/
/** Response headers that a version would break. */
const TAKEN_FIELDS = [
  'content-type', 'content-length', 'transfer-encoding', 'connection', 'set-cookie', 'date', 'link', 'vary'
]

/** The settings of a scheme, with SPEC.md's nulls and Django REST framework's name of the parameter as defaults. */
export const SETTINGS = {
  defaultVersion: option<string | DefaultByHeader | null>(null, toDefaultVersion),
  allowedVersions: option<AllowedVersions | null>(null, toAllowedVersions),
  resolveVersion: checked<VersionResolver | null>(null, 'a function without a promise, or null', (value) => (
    typeof value === 'function' && !isAsync(value)
  )),
  versionParam: checked('version', 'a non-empty string', (value) => typeof value === 'string' && value !== ''),
  versionHeader: checked('API-Version', 'the name of a request header', isToken),
  mediaTypes: option<readonly string[] | null>(null, toMediaTypes)
}

/** The options of a context besides its scheme and settings. Contexts below inherit each option. */
export const CONTEXT_OPTIONS = {
  baseUrl: option<BaseUrl | null>(null, toBaseUrl),
  changes: option<Changes | null>(null, (value, _name, { allowedVersions = null }) => (
    new Changes(value, allowedVersions)
  )),
  logVersion: FLAG,
  lifecycle: option<Lifecycle | null>(null, toLifecycle),
  reportVersions: FLAG,
  enforceSunset: FLAG,
  now: option<() => number>(() => Date.now(), toClock),
  servedVersion: checked<string | null>(
    null, `the name of a response header other than ${TAKEN_FIELDS.join(', ')}, or null`, (value) => (
      isToken(value) && !TAKEN_FIELDS.includes(value.toLowerCase())
    )
  )
}

/** The settings of a scheme, checked, with defaults for the absent ones. */
export type Settings = ValuesOf<typeof SETTINGS>
/** The options of a context as they were read. */
export type ContextOptions = ValuesOf<typeof CONTEXT_OPTIONS>

export const DEFAULT_SETTINGS: Settings = defaultsOf(SETTINGS)

/** Checks the given settings, and inherits the others. */
export function normalizeSettings (given: VersioningSettings, inherited: Settings = DEFAULT_SETTINGS): Settings {
  return readOptions(SETTINGS, given, inherited)
}

/** Reads the given options, and inherits the others from the parent context. */
export function toContextOptions (
  given: VersioningOptions, scheme: Listing, parent: ContextOptions = defaultsOf(CONTEXT_OPTIONS)
): ContextOptions {
  const options = readOptions(CONTEXT_OPTIONS, given, parent, scheme)
  checkContextOptions(options, scheme)
  return options
}

/** Checks that the versions of a scheme fit into the headers that the options of its context write. */
export function checkContextOptions (
  { reportVersions, servedVersion }: ContextOptions, { allowedVersions }: Listing
): void {
  if (!reportVersions && servedVersion === null) return
  const option = reportVersions ? 'reportVersions' : 'servedVersion'
  const expected = 'allowedVersions of visible ASCII without commas, because they are written into a header'
  for (const version of allowedVersions ?? []) {
    must(version === null || REPORTABLE.test(version), option, expected, version)
  }
}

function toDefaultVersion (value: unknown, name: string): string | DefaultByHeader {
  if (typeof value === 'string') return value
  const expected = 'a string, null or { header, version }'
  const fields = fieldsOf(name, value, expected, ['header', 'version'])
  const [header, version] = [fields.get('header'), fields.get('version')]
  must(isToken(header), `${name}.header`, 'the name of a request header', header)
  must(typeof version === 'function', `${name}.version`, 'a function that returns a version', version)
  return Object.freeze({ header, version: version as DefaultByHeader['version'] })
}

function toAllowedVersions (value: unknown, name: string): AllowedVersions {
  const versions = toArray(value)
  const areVersions = versions?.every((version) => version === null || typeof version === 'string') === true
  must(areVersions, name, 'an iterable of strings and null, or null', value)
  return Object.freeze([...new Set(versions as AllowedVersions)])
}

function toMediaTypes (value: unknown, name: string): readonly string[] {
  const mediaTypes = toArray(value)?.map(withoutParameters)
  must(mediaTypes?.every(isMediaType) === true, name, MEDIA_TYPES, value)
  return Object.freeze(mediaTypes as string[])
}

/** Media ranges are matched by type and subtype only: parameters of the response do not concern the scheme. */
function withoutParameters (value: unknown): string {
  const [mediaType, ...parameters] = (typeof value === 'string' ? value : '').toLowerCase().split(';')
  return parameters.join().includes(VERSION_PLACEHOLDER) ? '' : mediaType.trim()
}

function isMediaType (text: string): boolean {
  return MEDIA_TYPE.test(text) && !(text.includes('*') && text.includes(VERSION_PLACEHOLDER))
}

/** A string is iterable too, but as a list of versions it can only be a mistake. */
function toArray (value: unknown): unknown[] | null {
  const iterable = typeof value === 'object' && value !== null && Symbol.iterator in value
  return iterable ? [...value as Iterable<unknown>] : null
}

function toBaseUrl (value: unknown, name: string): BaseUrl {
  const text = value instanceof URL ? value.href : value
  must(typeof text === 'string' && URL.canParse(text), name, BASE_URL, value)
  const { protocol, host, pathname, username, password, href } = new URL(text)
  const isPlain = username === '' && password === '' && !/[?#]/.test(href) && !pathname.includes('//')
  must(/^https?:$/.test(protocol) && isPlain, name, BASE_URL, value)
  return { protocol: protocol === 'http:' ? 'http' : 'https', host, path: pathname.replace(/\/$/, '') }
}

/** Called once, so that a clock that returns something else is noticed at boot. */
function toClock (value: unknown, name: string): () => number {
  must(typeof value === 'function', name, CLOCK, value)
  let instant: unknown
  try {
    instant = value()
  } catch (error) {
    instant = error
  }
  must(typeof instant === 'number' && !Number.isNaN(instant), name, CLOCK, instant)
  return value as () => number
}

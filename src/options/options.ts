import { types } from 'node:util'

import { must, forbid } from '../errors.ts'
import { Changes } from '../changes/changes.ts'
import { isToken } from '../http/headers.ts'
import { show, suggestionFor } from '../messages.ts'
import { ClientDefault } from './client-default.ts'
import { toLifecycle } from './lifecycle.ts'
import { toMediaTypes } from './media-types.ts'
import { checked, fieldsOf, option, readOptions, toArray } from './read.ts'
import { checkOrder } from './release-order.ts'

import type { Origin } from '../http/origin.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Listing, ValuesOf } from './read.ts'
import type {
  AllowedVersions, DefaultByHeader, VersionResolver, VersioningOptions, VersioningSettings
} from '../../types/index.d.ts'

/** The public address of an app, whose path, `''` or `/api`, begins every link. */
export type BaseUrl = Origin & { readonly path: string }

const FLAG = checked(false, 'true or false', (value) => typeof value === 'boolean')
const EVENTS = "schemas by the names of events, such as { 'booking.made': { $ref: 'Booking#' } }"
const BASE_URL = 'an http or https URL without credentials, parameters, query and fragment, or null'
/** A version in a header with a list: visible ASCII, space within it, and no comma (RFC 9110, section 5.5). */
const REPORTABLE = /^[!-+\--~](?:[ !-+\--~]*[!-+\--~])?$/
/** Response headers that a version would break: those of HTTP, and what the plugin itself sends. */
const TAKEN_FIELDS = [
  'age', 'allow', 'cache-control', 'connection', 'content-disposition', 'content-encoding', 'content-language',
  'content-length', 'content-location', 'content-range', 'content-type', 'date', 'etag', 'expires', 'keep-alive',
  'last-modified', 'link', 'location', 'retry-after', 'server', 'set-cookie', 'trailer', 'transfer-encoding', 'upgrade',
  'vary', 'www-authenticate', 'deprecation', 'sunset', 'api-supported-versions', 'api-deprecated-versions'
]

/** The settings of a scheme, with SPEC.md's nulls and Django REST framework's name of the parameter as defaults. */
export const SETTINGS = {
  defaultVersion: option<string | ClientDefault | null>(null, toDefaultVersion),
  allowedVersions: option<AllowedVersions | null>(null, toAllowedVersions),
  resolveVersion: checked<VersionResolver | null>(null, 'a function without a promise, or null', (value) => (
    typeof value === 'function' && !types.isAsyncFunction(value)
  )),
  versionParam: checked('version', 'a name without ":"', (value) => typeof value === 'string' && /^[^:]+$/.test(value)),
  versionHeader: checked('API-Version', 'the name of a request header', isToken),
  mediaTypes: option<readonly string[] | null>(null, toMediaTypes)
}

/** The options of a context besides its scheme and settings. Contexts below inherit each option. */
export const CONTEXT_OPTIONS = {
  baseUrl: option<BaseUrl | null>(null, toBaseUrl),
  changes: option<Changes | null>(null, (value, name, { allowedVersions = null }) => {
    checkOrder(allowedVersions, `"${name}"`)
    return new Changes(value, allowedVersions)
  }),
  events: option<object | null>(null, (value, name) => Object.fromEntries(fieldsOf(name, value, EVENTS))),
  logVersion: FLAG,
  lifecycle: option<Lifecycle | null>(null, toLifecycle),
  reportVersions: FLAG,
  enforceSunset: FLAG,
  now: option<() => number>(() => Date.now(), toClock),
  servedVersion: checked<string | null>(
    null, "the name of a response header that has no meaning yet, such as 'API-Version', or null", (value) => (
      isToken(value) && !TAKEN_FIELDS.includes(value.toLowerCase())
    )
  )
}

export type Settings = ValuesOf<typeof SETTINGS>
export type ContextOptions = ValuesOf<typeof CONTEXT_OPTIONS>

/** All names of options: an app may share the options of a registration with its schemes. */
const OPTION_NAMES: ReadonlySet<string> = new Set([...Object.keys({ ...SETTINGS, ...CONTEXT_OPTIONS }), 'scheme'])

/**
 * Checks the settings that the constructor of a scheme gets, among which no name may be nearly that of a setting.
 *
 * @param isOurs whether the class is of this package, and reads no other names
 */
export function toSettings (settings: unknown, isOurs: boolean): Settings {
  must(typeof settings === 'object' && !Array.isArray(settings ?? []), 'settings', 'an object', settings)
  const names = Object.keys(SETTINGS)
  for (const name of Object.keys(settings as object)) {
    if (OPTION_NAMES.has(name)) continue
    const hint = suggestionFor(name, names)
    if (isOurs || hint !== '') forbid('settings', `Unknown setting "${name}" of a scheme.${hint}`)
  }
  return normalizeSettings(settings as object)
}

/** Checks the given settings, and inherits the others. */
export function normalizeSettings (settings: VersioningSettings, inherited?: Settings): Settings {
  return readOptions(SETTINGS, settings, inherited)
}

/** Reads the given options, and inherits the others from the parent context. */
export function toContextOptions (
  options: VersioningOptions, scheme: Listing, parent: ContextOptions | undefined
): ContextOptions {
  const read = readOptions(CONTEXT_OPTIONS, options, parent, scheme)
  checkContextOptions(read, scheme)
  return read
}

/**
 * Checks that the versions of a scheme fit into the headers that the options of its context write, and are in the order
 * that these options read.
 */
export function checkContextOptions (
  { lifecycle, reportVersions, servedVersion }: ContextOptions, { allowedVersions = null }: Listing
): void {
  const isDated = [...lifecycle?.values() ?? []].some(({ deprecatedAt }) => deprecatedAt < Infinity)
  if (isDated) checkOrder(allowedVersions, '"lifecycle"')
  const wrong = allowedVersions?.find((version) => version !== null && !REPORTABLE.test(version))
  if (wrong === undefined || (!reportVersions && servedVersion === null)) return
  const why = reportVersions
    ? '"reportVersions" writes all versions into a header, separated by commas'
    : '"servedVersion" writes it into a header'
  forbid('reportVersions', `Rename the version ${show(wrong)}: ${why}. It needs visible ASCII without commas.`)
}

function toDefaultVersion (value: unknown, name: string): string | ClientDefault {
  if (typeof value === 'string' || value instanceof ClientDefault) return value
  const fields = fieldsOf(name, value, 'a string, null or { header, version }', ['header', 'version'])
  const { header, version } = Object.fromEntries(fields)
  must(isToken(header), `${name}.header`, 'the name of a request header', header)
  must(typeof version === 'function', `${name}.version`, 'a function that returns a version', version)
  return new ClientDefault({ header, version: version as DefaultByHeader['version'] })
}

function toAllowedVersions (value: unknown, name: string): AllowedVersions {
  const versions = toArray(value)
  const areVersions = versions?.every((version) => version === null || typeof version === 'string') === true
  // An iterator that has been read before is empty, and would allow every version.
  const isSpent = versions?.length === 0 && (value as Iterable<unknown>)[Symbol.iterator]() === value
  must(areVersions && !isSpent, name, "a list such as ['v1', 'v2'], or null", value)
  return Object.freeze([...new Set(versions as AllowedVersions)])
}

/** Tells whether an instant must be in seconds: as milliseconds, it would be in January to April 1970. */
function isInSeconds (instant: number): boolean {
  return instant >= 1e9 && instant < 1e10
}

function toBaseUrl (value: unknown, name: string): BaseUrl {
  const text = value instanceof URL ? value.href : value
  must(typeof text === 'string' && URL.canParse(text), name, BASE_URL, value)
  const { protocol, host, pathname, username, password, href } = new URL(text)
  const isPlain = username === '' && password === '' && !/[?#]/.test(href) && !/\/(?:[/:]|%7B)/i.test(pathname)
  must(/^https?:$/.test(protocol) && isPlain, name, BASE_URL, value)
  return { protocol: protocol === 'http:' ? 'http' : 'https', host, path: pathname.replace(/\/$/, '') }
}

/** Calls a clock once, so that a clock that returns something else, such as seconds, is noticed at boot. */
function toClock (value: unknown, name: string): () => number {
  const instant: unknown = typeof value === 'function' ? value() : undefined
  const isClock = Number.isFinite(instant) && !isInSeconds(instant as number)
  must(isClock, name, 'a function that returns milliseconds since the epoch', instant ?? value)
  return value as () => number
}

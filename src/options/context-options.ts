import { Changes } from '../changes/changes.ts'
import { REFUSALS, VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isFieldName, isToken } from '../http/headers.ts'
import { toUriText } from '../http/uri.ts'
import { toBaseUrl } from './base-url.ts'
import { isAsync, knownFieldsOf, toFlag } from './checks.ts'
import { checkPreviews, toLifecycle } from './lifecycle.ts'
import { defaultsOf, option, readOptions } from './table.ts'

import type { ValuesOf } from './table.ts'
import type { VersionStatusCodes, VersioningOptions, VersioningScheme } from '../../types/index.d.ts'

/** How refusals become problems (RFC 9457). */
export interface Problems {
  /** The part of `type` in front of the fragment, or null for `about:blank`. */
  readonly base: string | null
}

/** Says whether a version past its sunset is gone for a request. */
export type Enforcement = Extract<VersioningOptions['enforceSunset'], Function>

/** An object that is a scheme need not have them. */
type SchemeSettings = Partial<Pick<VersioningScheme, 'allowedVersions' | 'versionParam'>>

/** The options of a context besides its scheme and settings. Contexts below inherit each option. */
export const CONTEXT_OPTIONS = {
  /** The public address of the app, or null. */
  baseUrl: option(null, toBaseUrl),
  /** What changed between versions; null if handlers are not shared by versions that differ. */
  changes: option(null, toChanges),
  logVersion: option(false, toFlag),
  /** How versions end; null if none does. */
  lifecycle: option(null, (value, _name, { allowedVersions }: SchemeSettings) => toLifecycle(value, allowedVersions)),
  reportVersions: option(false, toFlag),
  /** Whether a version past its sunset is gone, or a function that says so of a request. */
  enforceSunset: option(false, toEnforcement),
  /** Milliseconds since the epoch. */
  now: option(() => Date.now(), toClock),
  /** Null if refusals are answered as any other error. */
  problemDetails: option(null, toProblems),
  /** The response header that has the version served, as the user spells it; `content-type` is in lower case. */
  servedVersion: option(null, toServedVersion),
  /** The status of each kind of refusal; a kind that is absent keeps its own. */
  statusCodes: option({}, toStatusCodes)
}

/** The options of a context as they were read. */
export type ContextOptions = ValuesOf<typeof CONTEXT_OPTIONS>

/** What a list in a header may hold: visible ASCII, space within it, and no comma (RFC 9110, section 5.5). */
const REPORTABLE = /^[!-+\--~](?:[ !-+\--~]*[!-+\--~])?$/

/** Response headers that a version would break, or that have another meaning for versions. */
const TAKEN_FIELDS = [
  'api-deprecated-versions', 'api-preview-versions', 'api-supported-versions', 'connection', 'content-length', 'date',
  'deprecation', 'keep-alive', 'link', 'location', 'retry-after', 'set-cookie', 'sunset', 'trailer',
  'transfer-encoding', 'upgrade', 'vary'
]

/**
 * Reads the given options, and inherits the others from the parent context.
 *
 * @param settings the settings of the context's scheme
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toContextOptions (
  given: VersioningOptions, settings: SchemeSettings, parent?: ContextOptions
): ContextOptions {
  const options = readOptions(CONTEXT_OPTIONS, given, parent ?? defaultsOf(CONTEXT_OPTIONS), settings)
  checkContextOptions(options, settings)
  return options
}

/**
 * Checks the options of a context against the versions of a scheme in it: the order of previews, and what
 * `reportVersions` and `servedVersion` write into headers.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the version, or the parameter, that does not fit
 */
export function checkContextOptions (
  { lifecycle, reportVersions, servedVersion }: ContextOptions, { allowedVersions, versionParam }: SchemeSettings
): void {
  checkPreviews(lifecycle, allowedVersions)
  if (servedVersion === 'content-type' && versionParam !== undefined && !isToken(versionParam)) {
    const expected = 'the name of a parameter of a media type, because servedVersion writes it into the Content-Type'
    throw new VersioningOptionError('versionParam', expected, show(versionParam))
  }
  if (!reportVersions && servedVersion === null) return
  const option = reportVersions ? 'reportVersions' : 'servedVersion'
  for (const version of allowedVersions ?? []) {
    if (version === null || REPORTABLE.test(version)) continue
    const expected = 'allowedVersions of visible ASCII without commas, because they are written into a header'
    throw new VersioningOptionError(option, expected, show(version))
  }
}

function toChanges (value: unknown, _name: string, { allowedVersions }: SchemeSettings): Changes | null {
  return value === null ? null : new Changes(value, allowedVersions ?? null)
}

function toEnforcement (value: unknown): boolean | Enforcement {
  if (typeof value === 'boolean') return value
  if (typeof value === 'function' && !isAsync(value)) return value as Enforcement
  throw new VersioningOptionError('enforceSunset', 'true, false or a function without a promise', show(value))
}

function toClock (value: unknown): () => number {
  if (typeof value === 'function') return value as () => number
  throw new VersioningOptionError('now', 'a function that returns milliseconds since the epoch', show(value))
}

function toProblems (value: unknown): Problems | null {
  if (typeof value === 'boolean') return value ? { base: null } : null
  const fields = knownFieldsOf('problemDetails', value, 'true, false or an object { base }', ['base'])
  const base = fields.get('base')
  const isText = typeof base === 'string' && !/[#\0-\x20\x7f]/.test(base)
  if (isText && base.startsWith('/') && URL.canParse(base, 'http://localhost')) return { base: toUriText(base) }
  if (isText && URL.canParse(base)) return { base: toUriText(new URL(base).href) }
  throw new VersioningOptionError('problemDetails.base', 'a URL or a path, without fragment', show(base))
}

function toServedVersion (value: unknown): string | null {
  if (value === null) return null
  if (isFieldName(value) && !TAKEN_FIELDS.includes(value.toLowerCase())) {
    return value.toLowerCase() === 'content-type' ? 'content-type' : value
  }
  const expected = 'the name of a response header that has no other meaning, or null'
  throw new VersioningOptionError('servedVersion', expected, show(value))
}

function toStatusCodes (value: unknown): VersionStatusCodes {
  if (value === null) return {}
  const kinds = Object.keys(REFUSALS)
  const fields = knownFieldsOf('statusCodes', value, `an object { ${kinds.join('?, ')}? }, or null`, kinds)
  for (const [kind, code] of fields) {
    if (Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 499) continue
    throw new VersioningOptionError(`statusCodes.${kind}`, 'an integer from 400 to 499', show(code))
  }
  return Object.fromEntries(fields)
}

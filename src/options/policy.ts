import { REFUSALS, VersioningOptionError, show } from '../errors.ts'
import { isFieldName, isToken } from '../http/headers.ts'
import { toUriText } from '../http/uri.ts'
import { knownFieldsOf, toFlag } from './checks.ts'
import { toLifecycle } from './lifecycle.ts'

import type { Lifecycle } from './lifecycle.ts'
import type { VersionStatusCodes, VersioningOptions, VersioningScheme } from '../../types/index.d.ts'

/** What a context does with the versions it has; contexts below inherit each option. */
export interface Policy {
  /** How versions end; null: none does. */
  readonly lifecycle: Lifecycle | null
  readonly reportVersions: boolean
  readonly enforceSunset: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Null: refusals are answered as any other error. */
  readonly problems: Problems | null
  /** The response header that tells the version served, in lower case; null: none does. */
  readonly servedVersion: string | null
  /** The status of each kind of refusal; what is absent keeps its own. */
  readonly statusCodes: VersionStatusCodes
}

/** How refusals are written as problems (RFC 9457). */
export interface Problems {
  /** What stands in front of the fragment of `type`; null: the type is `about:blank`. */
  readonly base: string | null
}

/** An object that is a scheme need not have them. */
type SchemeSettings = Partial<Pick<VersioningScheme, 'allowedVersions' | 'versionParam'>>

export const POLICY_OPTIONS = [
  'lifecycle', 'reportVersions', 'enforceSunset', 'now', 'problemDetails', 'servedVersion', 'statusCodes'
]

const DEFAULT_POLICY: Policy = {
  lifecycle: null,
  reportVersions: false,
  enforceSunset: false,
  now: () => Date.now(),
  problems: null,
  servedVersion: null,
  statusCodes: {}
}

/** What a list in a header may hold: visible ASCII, space within it, and no comma (RFC 9110, section 5.5). */
const REPORTABLE = /^[!-+\--~](?:[ !-+\--~]*[!-+\--~])?$/

/** Response headers that a version would break, or that say something else of versions. */
const TAKEN_FIELDS = [
  'api-deprecated-versions', 'api-supported-versions', 'connection', 'content-length', 'date', 'deprecation',
  'keep-alive', 'link', 'location', 'set-cookie', 'sunset', 'trailer', 'transfer-encoding', 'upgrade', 'vary'
]

/**
 * Checks the options given, and takes the others over from the parent context.
 *
 * @param settings those of the context's scheme
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toPolicy (
  given: VersioningOptions, settings: SchemeSettings, parent: Policy = DEFAULT_POLICY
): Policy {
  const { lifecycle, reportVersions, enforceSunset, now, problemDetails, servedVersion, statusCodes } = given
  const policy = {
    lifecycle: lifecycle === undefined ? parent.lifecycle : toLifecycle(lifecycle, settings.allowedVersions),
    reportVersions: toFlag('reportVersions', reportVersions, parent.reportVersions),
    enforceSunset: toFlag('enforceSunset', enforceSunset, parent.enforceSunset),
    now: now === undefined ? parent.now : toClock(now),
    problems: problemDetails === undefined ? parent.problems : toProblems(problemDetails),
    servedVersion: servedVersion === undefined ? parent.servedVersion : toServedVersion(servedVersion),
    statusCodes: statusCodes === undefined ? parent.statusCodes : toStatusCodes(statusCodes)
  }
  checkReportable(policy, settings)
  return policy
}

/**
 * Checks that what the options `reportVersions` and `servedVersion` put into a header can stand there.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the version, or the parameter, that cannot
 */
export function checkReportable (
  { reportVersions, servedVersion }: Pick<Policy, 'reportVersions' | 'servedVersion'>,
  { allowedVersions, versionParam }: SchemeSettings
): void {
  if (servedVersion === 'content-type' && versionParam !== undefined && !isToken(versionParam)) {
    const expected = 'the name of a parameter of a media type, for servedVersion writes it into the Content-Type'
    throw new VersioningOptionError('versionParam', expected, show(versionParam))
  }
  if (!reportVersions && servedVersion === null) return
  const option = reportVersions ? 'reportVersions' : 'servedVersion'
  for (const version of allowedVersions ?? []) {
    if (version === null || REPORTABLE.test(version)) continue
    const expected = 'allowedVersions of visible ASCII without commas, for they are written into a header'
    throw new VersioningOptionError(option, expected, show(version))
  }
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
  if (isFieldName(value) && !TAKEN_FIELDS.includes(value.toLowerCase())) return value.toLowerCase()
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

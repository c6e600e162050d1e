import { types } from 'node:util'

import { must } from '../errors.ts'

import type { AllowedVersions } from '../../types/index.d.ts'

/** A date, or a date-time with its offset, without which it is not an instant. Date checks the time of the day. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T[\d:.]+(?:Z|[+-]\d\d(?::\d\d)?))?$/
/** The length of a date. */
const DATE_LENGTH = 10

/** The first and last date of both headers: a year has four digits (RFC 9110 section 5.6.7, RFC 9651 section 3.3.7). */
const [FIRST, LAST] = [Date.parse('0001-01-01'), Date.parse('9999-12-31T23:59:59.999Z')]
const INSTANT = "a Date, '2026-12-31' or '2026-12-31T12:00:00Z'"

/**
 * @internal Reads an instant.
 *
 * @param value a Date, an ISO 8601 date, which is its midnight in UTC, or a date-time with offset
 * @returns milliseconds since the epoch
 * @throws FST_ERR_VERSIONING_OPTION for anything else, such as 30 February
 */
export function toInstant (option: string, value: unknown): number {
  const instant = types.isDate(value) ? value.getTime() : typeof value === 'string' ? parse(value) : NaN
  must(instant >= FIRST && instant <= LAST, option, INSTANT, value)
  return instant
}

/** The rest of a version behind its date: nothing, or a name, as in `2024-06-20.acacia`. */
const AFTER_DATE = /^(?:[^A-Za-z\d].*)?$/
/** A preview, such as `2024-06-20-preview`, which a client that sends a date does not ask for. */
const PREVIEW = /[^A-Za-z]preview\b/i

/**
 * Resolves dates, as a `resolveVersion` for versions that are ISO 8601 dates, perhaps with a name behind: a date stands
 * for the latest version that is not after it, and that is not called a preview. Of versions with the same date, the
 * version that is listed last is the latest.
 *
 * @returns null, which refuses the request, for a date before the first version; anything else stays as it is
 * @throws TypeError if it is called in place of being passed on
 */
export function byDate (requested: string, allowedVersions: AllowedVersions): string | null {
  if ((requested as unknown) === undefined) throw new TypeError('Write "resolveVersion: byDate", without parentheses.')
  if (!isDate(requested) || allowedVersions.includes(requested)) return requested
  const dated = allowedVersions.filter((version) => version !== null && beginsWithDate(version)) as string[]
  if (dated.length === 0) return requested
  // ISO 8601 dates with four-digit years sort as text.
  const sorted = dated.toSorted((a, b) => datePartOf(a) < datePartOf(b) ? -1 : Number(datePartOf(a) > datePartOf(b)))
  return sorted.findLast((version) => datePartOf(version) <= requested && !PREVIEW.test(version)) ?? null
}

function datePartOf (version: string): string {
  return version.slice(0, DATE_LENGTH)
}

/** @internal Tells whether a client can ask for a version by a date. */
export function beginsWithDate (version: string): boolean {
  return isDate(datePartOf(version)) && AFTER_DATE.test(version.slice(DATE_LENGTH))
}

/** @internal Tells whether a text is an ISO 8601 date that the calendar has. */
export function isDate (text: string): boolean {
  return text.length === DATE_LENGTH && !Number.isNaN(parse(text))
}

/** Returns an instant, or NaN for a text that is no date or date-time. Date reads 30 February as a day of March. */
function parse (text: string): number {
  const [, date = ''] = ISO_8601.exec(text) ?? []
  const midnight = Date.parse(date)
  const isInCalendar = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return isInCalendar ? Date.parse(text.replace(/T.*[+-]\d\d$/, '$&:00')) : NaN
}

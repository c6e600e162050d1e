import { types } from 'node:util'

import { must } from '../errors.ts'

import type { AllowedVersions } from '../../types/index.d.ts'

/** A date, or a date-time with its offset, without which it is not an instant. Date checks the time of the day. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T[\d:.]+(?:Z|[+-]\d\d(?::\d\d)?))?$/
/** The characters of a date. */
const DATE_LENGTH = 10

/** The dates that both headers can have: four digits of a year (RFC 9110 section 5.6.7, RFC 9651 section 3.3.7). */
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

/** What follows the date of a version: nothing, or a name, as in `2024-06-20.acacia`. */
const AFTER_DATE = /^(?:[^A-Za-z\d].*)?$/
/** Who asks for a date does not ask for a preview, such as `2024-06-20-preview`. */
const PREVIEW = /[^A-Za-z]preview\b/i

/**
 * A `resolveVersion` for versions that are ISO 8601 dates, perhaps with a name behind: a date stands for the latest
 * version that is not after it, and that is not called a preview. Of one date the version that is listed last is the
 * latest.
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

/** @internal Whether a version can be asked for by a date. */
export function beginsWithDate (version: string): boolean {
  return isDate(datePartOf(version)) && AFTER_DATE.test(version.slice(DATE_LENGTH))
}

/** @internal Whether a text is an ISO 8601 date that the calendar has. */
export function isDate (text: string): boolean {
  return text.length === DATE_LENGTH && !Number.isNaN(parse(text))
}

/** NaN unless the text is a date or a date-time; Date itself reads 30 February as a day of March. */
function parse (text: string): number {
  const [, date = ''] = ISO_8601.exec(text) ?? []
  const midnight = Date.parse(date)
  const isInCalendar = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return isInCalendar ? Date.parse(text.replace(/T.*[+-]\d\d$/, '$&:00')) : NaN
}

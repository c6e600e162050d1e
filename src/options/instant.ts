import { types } from 'node:util'

import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

/** ISO 8601 in its extended form: a date, or a date-time with its offset, without which it is not an instant. */
const DATE = /(\d{4}-\d\d-\d\d)/.source
const TIME = /(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?/.source
const OFFSET = /(?:Z|[+-](?:[01]\d|2[0-3])(?::[0-5]\d)?)/.source
const ISO_8601 = new RegExp(`^${DATE}(?:T${TIME}${OFFSET})?$`)

/** The dates that both headers can have: four digits of a year (RFC 9110 section 5.6.7, RFC 9651 section 3.3.7). */
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

const EXPECTED = 'a Date, an ISO 8601 date, or a date-time with offset, of the years 1 to 9999'

/**
 * Reads an instant.
 *
 * @param option the option that it is the value of, for the error
 * @param value a Date, an ISO 8601 date, which is its midnight in UTC, or a date-time with offset
 * @param expected what the value must be, for the error
 * @returns milliseconds since the epoch
 * @throws FST_ERR_VERSIONING_OPTION for anything else, such as 30 February, or a year beyond 1 to 9999
 */
export function toInstant (option: string, value: unknown, expected = EXPECTED): number {
  const instant = types.isDate(value) ? value.getTime() : typeof value === 'string' ? parse(value) : NaN
  if (instant >= FIRST && instant <= LAST) return instant
  throw new VersioningOptionError(option, expected, show(value))
}

/** A structured-field date (RFC 9651, section 3.3.7). */
export function toStructuredDate (instant: number): string {
  return `@${Math.floor(instant / 1000)}`
}

/** An IMF-fixdate (RFC 9110, section 5.6.7). */
export function toHttpDate (instant: number): string {
  return new Date(instant).toUTCString()
}

/** Whether a text is an ISO 8601 date that the calendar has. */
export function isDate (text: string): boolean {
  return text.length === 10 && isInCalendar(ISO_8601.exec(text)?.[1])
}

function isInCalendar (date: string | undefined): boolean {
  const midnight = date === undefined ? NaN : Date.parse(date)
  // Date reads a day such as 30 February as one of March.
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === date
}

function parse (text: string): number {
  if (!isInCalendar(ISO_8601.exec(text)?.[1])) return NaN
  return Date.parse(/[+-]\d\d$/.test(text.slice(10)) ? `${text}:00` : text)
}

/** IMF-fixdate, rfc850-date or asctime-date (RFC 9110, section 5.6.7). */
const HTTP_DATE =
  /^\w+, \d\d(?: \w{3} \d{4}|-\w{3}-\d\d) \d\d:\d\d:\d\d GMT$|^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** A year of two digits is at most this many milliseconds in the future. */
const FIFTY_YEARS = 50 * 31_557_600_000

/** Reads a date of a structured field, `@1688169599` (RFC 9651, section 3.3.7), or returns null if it is malformed. */
export function structuredDate (text: string): Date | null {
  return /^@-?\d{1,12}(;|$)/.test(text) ? new Date(parseInt(text.slice(1)) * 1000) : null
}

/** Reads an HTTP-date in any of its three forms, or returns null if it is malformed. */
export function httpDate (text: string): Date | null {
  const date = new Date(HTTP_DATE.test(text) ? text.replace(/\d$/, '$& GMT') : '')
  // The first number is the day. The Date of 31 February has another day.
  if (date.getUTCDate() !== parseInt(text.replace(/\D+/, ''))) return null
  const later = new Date(date).setUTCFullYear(date.getUTCFullYear() + 100)
  return /-\d\d /.test(text) && later < Date.now() + FIFTY_YEARS ? new Date(later) : date
}

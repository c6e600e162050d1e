import { parseUrl } from './url.ts'

const PARAMETER = /;\s*([^\s,;="]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"?|([^\s;,"]*))/g

/** A link-value (RFC 8288, section 3): its target and its parameters. */
const LINK = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\[^])*"?)*)/g

/** IMF-fixdate, rfc850-date or asctime-date (RFC 9110, section 5.6.7). */
const HTTP_DATE =
  /^\w+, \d\d(?: \w{3} \d{4}|-\w{3}-\d\d) \d\d:\d\d:\d\d GMT$|^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** A year of two digits is at most this many milliseconds in the future. */
const FIFTY_YEARS = 50 * 31_557_600_000

/** Finds the first parameter of this name in a field, in linear time: a quoted string without an end takes the rest. */
export function parameterIn (field: string, name: string): string | undefined {
  for (const [, one, quoted, token] of field.matchAll(PARAMETER)) {
    if (one.toLowerCase() === name.toLowerCase()) return quoted?.replace(/\\([^])/g, '$1') ?? token
  }
}

/** Finds the key of a header in a plain object, whose names may be in any case. */
export function keyOf (headers: object, name: string): string {
  return Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name
}

/**
 * Finds the first link of each relation type. Links that are malformed, have an anchor, or are neither http nor https
 * are left out.
 *
 * @param page the URL against which links are resolved, or undefined to leave them as they were sent
 */
export function linksIn (field: string, page: string | undefined): Record<string, string> {
  const links: Record<string, string> = {}
  for (const [, target, parameters] of field.matchAll(LINK)) {
    const href = (page ? parseUrl(target, page)?.href : target) ?? ''
    if (!parameterIn(parameters, 'anchor') && /^(?:https?:|(?![\w+.-]+:))[!-~]+$/i.test(href)) {
      for (const type of (parameterIn(parameters, 'rel') ?? '').toLowerCase().split(/\s+/)) links[type] ??= href
    }
  }
  return links
}

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

import { toPercent } from './uri.ts'

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/

/** Whether a value is the name of a header. */
export function isFieldName (value: unknown): value is string {
  return typeof value === 'string' && isToken(value)
}

/** Whether a text can stand in a header without quotes; a field name is such a text (RFC 9110, section 5.1). */
export function isToken (text: string): boolean {
  return TOKEN.test(text)
}

/** A text as a quoted-string (RFC 9110, section 5.6.4). */
export function quoted (text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Whether a value is the name of a header, or several with commas between them. */
export function isFieldNames (value: unknown): value is string {
  return typeof value === 'string' && namesIn(value).every(isToken)
}

/**
 * A link-value (RFC 8288, section 3).
 *
 * @param href in ASCII, and without `>`
 * @param attributes as the functions below make them
 */
export function linkValue (href: string, relation: string, attributes = ''): string {
  return `<${href}>${quotedAttribute('rel', relation)}${attributes}`
}

/** An attribute whose value is a quoted-string. */
export function quotedAttribute (name: string, value: string): string {
  return `; ${name}=${quoted(value)}`
}

/** The same for a text, which beyond printable ASCII is an extended value (RFC 8187, section 3.2). */
export function textAttribute (name: string, text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) return quotedAttribute(name, text)
  const value = encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, toPercent)
  return `; ${name}*=UTF-8''${value}`
}

/** The members of a list, without the spaces around them. */
export function namesIn (list: string): string[] {
  return list.split(',').map((name) => name.trim())
}

/** A text without the spaces and tabs around it, which are all that a field value may have there (RFC 9110, OWS). */
export function trimSpace (text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isSpace (code: number): boolean {
  return code === 0x20 || code === 0x09
}

import { toPercent } from './uri.ts'

import type { Kept } from './head.ts'

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/

/** Adds the missing members to the text of a header. */
type Merge = (present: string, members: readonly string[]) => string

/** What a response header that is a list holds, whatever else is in it. */
export class Members implements Kept {
  // Declared only: a field that is defined first and set later costs V8 both.
  declare readonly field: string
  /** The header if nothing else is in it. */
  declare readonly text: string
  declare readonly members: readonly string[]
  declare private readonly merge: Merge
  /** Most responses lack the same, such as nothing. */
  declare private lastOwn: string
  declare private lastText: string | undefined

  constructor (field: string, text: string, members: readonly string[], merge: Merge) {
    this.field = field
    this.text = text
    this.members = members
    this.merge = merge
    this.lastOwn = text
    this.lastText = undefined
  }

  /** The header with the members that it lacks. */
  mergeInto (present: string): string {
    return this.merge(present, this.members)
  }

  /** Fastify sends the header of the reply alone, and does not see one that is set on Node's response as well. */
  complete (own: unknown, raw: unknown): string | undefined {
    if (own === undefined && raw === undefined) return this.text
    if (own === this.lastOwn && raw === undefined) return this.lastText
    const present = textOf(own)
    const before = textOf(raw)
    const isIn = `, ${present}, `.includes(`, ${before}, `)
    const all = isIn ? present : textOf([before, present])
    const merged = all === '' ? this.text : this.mergeInto(all)
    const text = merged === (own ?? raw) ? undefined : merged
    if (typeof own === 'string' && raw === undefined) {
      this.lastOwn = own
      this.lastText = text
    }
    return text
  }
}

/** The most that the schemes of one process may have. */
const MAX_VARY = 100
const varies = new Map<string, Members>()

/** Names of request headers that a response depends on (RFC 9110, section 12.5.5). `*` means all of them. */
export function varyMembers (vary: string): Members {
  let members = varies.get(vary)
  if (members === undefined) {
    if (varies.size === MAX_VARY) varies.clear()
    varies.set(vary, members = new Members('vary', vary, namesIn(vary), mergeNames))
  }
  return members
}

function mergeNames (present: string, names: readonly string[]): string {
  const own = namesIn(present).filter((name) => name !== '')
  const all = [...own, ...names]
  const known = all.map((name) => name.toLowerCase())
  // Headers of Node's response and of Fastify's reply may have the same name.
  const unique = all.filter((_name, i) => known.indexOf(known[i]) === i)
  return own.includes('*') || unique.join() === own.join() ? present : unique.join(', ')
}

/**
 * @param links link-values (RFC 8288, section 3)
 * @param text all of them in one
 */
export function linkMembers (links: readonly string[], text: string = links.join(', ')): Members {
  return new Members('link', text, links, mergeLinks)
}

function mergeLinks (present: string, links: readonly string[]): string {
  return [present, ...links.filter((link) => !present.includes(link))].join(', ')
}

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

/** The lines of a header in one. */
function textOf (lines: unknown): string {
  return [lines].flat().filter((line) => line !== undefined && line !== null && line !== '').join(', ')
}

function namesIn (list: string): string[] {
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

import type { FastifyReply } from 'fastify'

/** What a field may hold, as Fastify and Node take it. */
type FieldValue = number | string | readonly string[] | null | undefined

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/

/**
 * A link-value (RFC 8288, section 3).
 *
 * @param href in ASCII, and without `>`
 * @param attributes as the functions below make them
 */
export function linkValue (href: string, relation: string, attributes = ''): string {
  return `<${href}>${quotedAttribute('rel', relation)}${attributes}`
}

/** An attribute whose value is a quoted-string (RFC 9110, section 5.6.4). */
export function quotedAttribute (name: string, value: string): string {
  return `; ${name}="${value.replace(/["\\]/g, '\\$&')}"`
}

/** The same for a text, which beyond printable ASCII is an extended value (RFC 8187, section 3.2). */
export function textAttribute (name: string, text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) return quotedAttribute(name, text)
  const value = encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, toPercent)
  return `; ${name}*=UTF-8''${value}`
}

/** Adds to the Link header of a response those links that are not in it. */
export function addLinks (reply: FastifyReply, links: readonly string[]): void {
  const raw = reply.raw.getHeader('link')
  const own = reply.getHeader('link')
  // Of a field that both have, Fastify sends its own alone.
  const present = raw === undefined || raw === own ? [own].flat() : [raw, own].flat()
  reply.header('link', mergeLinks(present as FieldValue, links))
}

/** The lines of a Link header in one, and the links that are not among them. */
export function mergeLinks (present: FieldValue, links: readonly string[]): string {
  const lines = [present].flat().filter((line) => line !== undefined && line !== null && line !== '').map(String)
  const text = lines.join(', ')
  return [...lines, ...links.filter((link) => !text.includes(link))].join(', ')
}

function toPercent (character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

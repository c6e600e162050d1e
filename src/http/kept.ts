import { namesIn } from './headers.ts'

import type { FastifyReply } from 'fastify'

/** On the reply: a WeakMap costs a response that has links more than all the rest of them. */
const kLinks: unique symbol = Symbol('fastify-versioning.links')

/** A reply, the links that it keeps, whatever else sets Link, and Link as it has been completed. */
interface Keeping {
  [kLinks]?: { readonly links: readonly string[], text: string | null }
}

/**
 * Adds names of request headers to Vary (RFC 9110, section 12.5.5), on Node's response as well: not everything that
 * answers does so through the reply. Call `completeVary` before the response is sent.
 */
export function keepVary (reply: FastifyReply, names: string): void {
  const { raw } = reply
  // Most responses have no Vary yet.
  if (!raw.headersSent && raw.getHeader('vary') === undefined && reply.getHeader('vary') === undefined) {
    raw.setHeader('vary', names)
    reply.header('vary', names)
    return
  }
  if (!raw.headersSent) raw.setHeader('vary', withNames(textOf(raw.getHeader('vary')), names))
  completeVary(reply, names)
}

/** Adds to Vary the names that it lacks by now. */
export function completeVary (reply: FastifyReply, names: string): void {
  const own = reply.getHeader('vary')
  if (own === names && own === reply.raw.getHeader('vary')) return
  const text = withNames(presentIn(reply, 'vary', names), names)
  if (text !== own) reply.header('vary', text)
}

/**
 * Adds link-values to Link (RFC 8288, section 3). `completeLinks` adds them again if the header has been replaced.
 */
export function keepLinks (reply: FastifyReply & Keeping, links: readonly string[]): void {
  reply[kLinks] = { links, text: null }
  completeLinks(reply)
}

/** Adds the links that Link lacks by now. */
export function completeLinks (reply: FastifyReply & Keeping): void {
  const kept = reply[kLinks]
  if (kept === undefined) return
  const own = reply.getHeader('link')
  const isAlone = reply.raw.getHeader('link') === undefined
  // Most responses have no other links.
  if (isAlone && own === kept.text) return
  const present = isAlone && own === undefined ? '' : presentIn(reply, 'link', '')
  kept.text = present === ''
    ? kept.links.join(', ')
    : [present, ...kept.links.filter((link) => !present.includes(link))].join(', ')
  if (kept.text !== own) reply.header('link', kept.text)
}

/** Whether Fastify sends a payload with its own status and headers, as a Response of fetch() has them. */
export function isWebResponse (payload: unknown): payload is Response {
  return Object.prototype.toString.call(payload) === '[object Response]' && !(payload as Response).bodyUsed
}

/** What Fastify does after all hooks, when the headers of a web response would replace the headers of the reply. */
export function takeHead (reply: FastifyReply, { headers, status }: Response): void {
  reply.code(status)
  for (const [name, value] of headers) reply.header(name, value)
}

/** The header of the reply, after the header of Node's response: Fastify would send the former alone. */
function presentIn (reply: FastifyReply, field: string, ours: string): string {
  const own = textOf(reply.getHeader(field))
  const raw = textOf(reply.raw.getHeader(field))
  return raw === ours || `, ${own}, `.includes(`, ${raw}, `) ? own : [raw, own].filter(Boolean).join(', ')
}

/** The lines of a header in one. */
function textOf (lines: unknown): string {
  return Array.isArray(lines) ? lines.filter(Boolean).join(', ') : String(lines ?? '')
}

/** Adds the names that a list lacks, unless it has `*`, which stands for all. */
function withNames (present: string, names: string): string {
  if (present === '') return names
  const own = namesIn(present).filter((name) => name !== '')
  const all = [...own, ...namesIn(names)]
  const known = all.map((name) => name.toLowerCase())
  const unique = all.filter((_name, i) => known.indexOf(known[i]) === i)
  return own.includes('*') || unique.join() === own.join() ? present : unique.join(', ')
}

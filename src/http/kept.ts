import { namesIn } from './headers.ts'

import type { FastifyReply } from 'fastify'

/** Where a reply has the links that it keeps: a decorator, null by default. */
export const kLinks: unique symbol = Symbol('fastify-versioning.links')
export type Keeping = FastifyReply & { [kLinks]?: string | null }

/** Adds names of request headers to Vary (RFC 9110, section 12.5.5). Call `completeVary` before the reply is sent. */
export function keepVary (reply: FastifyReply, names: string): void {
  // Most responses have no Vary yet.
  if (reply.getHeader('vary') === undefined) reply.header('vary', names)
  else completeVary(reply, names)
}

/** Adds to Vary the names that it lacks by now. */
export function completeVary (reply: FastifyReply, names: string): void {
  complete(reply, 'vary', names, withNames)
}

/** Adds link-values to Link (RFC 8288, section 3). Call `completeLinks` before the response is sent. */
export function keepLinks (reply: Keeping, links: string): void {
  reply[kLinks] = links
  // Most responses have no Link yet.
  if (reply.getHeader('link') === undefined) reply.header('link', links)
  else completeLinks(reply)
}

/** Adds the links that Link lacks by now. */
export function completeLinks (reply: Keeping): void {
  complete(reply, 'link', reply[kLinks] as string, withLinks)
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

/** Fastify sends the header of the reply alone, so it gets what a middleware has set on Node's response. */
function complete (
  reply: FastifyReply, field: string, ours: string, add: (present: string, ours: string) => string
): void {
  const own = textOf(reply.getHeader(field))
  const raw = textOf(reply.raw.getHeader(field))
  const present = `, ${own}, `.includes(`, ${raw}, `) ? own : [raw, own].filter(Boolean).join(', ')
  reply.header(field, present === '' ? ours : add(present, ours))
}

/** The lines of a header in one. */
function textOf (lines: unknown): string {
  return Array.isArray(lines) ? lines.filter(Boolean).join(', ') : String(lines ?? '')
}

function withLinks (present: string, links: string): string {
  return present.includes(links) ? present : `${present}, ${links}`
}

/** Adds the names that a list lacks, unless it has `*`, which stands for all. */
function withNames (present: string, names: string): string {
  const own = namesIn(present).filter((name) => name !== '')
  const all = [...own, ...namesIn(names)]
  const known = all.map((name) => name.toLowerCase())
  const unique = all.filter((_name, i) => known.indexOf(known[i]) === i)
  return own.includes('*') || unique.join() === own.join() ? present : unique.join(', ')
}

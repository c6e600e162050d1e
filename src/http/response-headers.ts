import { namesIn } from './headers.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'

/** The value of Cache-Control that refusals have. */
export const NO_STORE = 'no-store'

/**
 * Where a request has the names of the headers by which its response varies, if the app trusts a proxy, whose headers
 * may be among them: a decorator, null by default.
 */
export const kVary: unique symbol = Symbol('fastify-versioning.vary')

declare module 'fastify' {
  interface FastifyRequest { [kVary]?: string | null }
}

/** Where a reply has the links that it keeps: a decorator, null by default. */
export const kLinks: unique symbol = Symbol('fastify-versioning.links')
export type Keeping = FastifyReply & { [kLinks]?: string | null }

/** The replies that no cache may store. */
const unstored = new WeakSet<FastifyReply>()

/** Adds names to those by which the response of a request varies, if it has a place for them. */
export function addNames (request: Pick<FastifyRequest, typeof kVary>, names: string | null): void {
  const { [kVary]: present } = request
  if (present === undefined || names === null) return
  request[kVary] = present === null ? names : withNames(present, names)
}

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

/** Forbids caches to store a reply (RFC 9111, section 5.2.2.5). Call `completeUnstored` before it is sent. */
export function keepUnstored (reply: FastifyReply): void {
  unstored.add(reply)
  reply.header('cache-control', NO_STORE)
}

/** Forbids it once more, and returns what the app has set instead; null if it has not. */
export function completeUnstored (reply: FastifyReply): string | null {
  const present = joinedLines(reply.getHeader('cache-control'))
  if (!unstored.has(reply) || /\bno-store\b/i.test(present)) return null
  reply.header('cache-control', NO_STORE)
  return present
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
  const header = joinedLines(reply.getHeader(field))
  const raw = joinedLines(reply.raw.getHeader(field))
  const present = `, ${header}, `.includes(`, ${raw}, `) ? header : [raw, header].filter(Boolean).join(', ')
  reply.header(field, present === '' ? ours : add(present, ours))
}

/** The lines of a header in one. */
function joinedLines (lines: unknown): string {
  return Array.isArray(lines) ? lines.filter(Boolean).join(', ') : String(lines ?? '')
}

function withLinks (present: string, links: string): string {
  return present.includes(links) ? present : `${present}, ${links}`
}

/** Adds the names that a list lacks. `*` stands for all, and alone, because some caches overlook it in a list. */
function withNames (present: string, names: string): string {
  const presentNames = namesIn(present).filter((name) => name !== '')
  if (presentNames.includes('*')) return '*'
  const all = [...presentNames, ...namesIn(names)]
  const lowerCase = all.map((name) => name.toLowerCase())
  const unique = all.filter((_name, i) => lowerCase.indexOf(lowerCase[i]) === i)
  return unique.join() === presentNames.join() ? present : unique.join(', ')
}

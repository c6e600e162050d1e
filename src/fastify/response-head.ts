import type { FastifyReply } from 'fastify'

/** The headers that are written with a head: by name, a list of names and values, or a list of pairs. */
export type HeadFields = NamedFields | readonly unknown[] | undefined
type NamedFields = Readonly<Record<string, unknown>>

/** The key of a watched head in Node's response: functions for each response would cost more than all else here. */
const kHead: unique symbol = Symbol('fastify-versioning.head')

interface Written {
  writeHead (status: number, reason?: unknown, fields?: unknown): unknown
  setHeader (name: string, value: unknown): unknown
  getHeader (name: string): unknown
  [kHead]?: WatchedHead
}

/** A function that completes headers, and returns the headers that remain to be written. */
export type Complete = (reply: FastifyReply, status: number, fields: HeadFields) => HeadFields

/** The record of a head that is completed when it is written. The fields are null until the head is watched. */
export interface WatchedHead {
  reply: FastifyReply | null
  complete: Complete | null
  writeHead: Written['writeHead'] | null
  setHeader: Written['setHeader'] | null
  /** The head of another app around this one. */
  outer: WatchedHead | null
  isComplete: boolean
}

type WatchingHead = { [Name in keyof WatchedHead]: NonNullable<WatchedHead[Name]> }

/**
 * Lets a function complete the head of a reply when it is written, which is after all hooks of the app.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/reply.js): Fastify calls `raw.writeHead(status, headers)` with the object
 * that has the headers of the reply, so `reply.header()` still changes them. For a stream, it calls `raw.setHeader` for
 * each header. If nobody writes a head, Node calls `raw.writeHead`, as the package on-headers bets, too.
 */
export function watchHead (head: WatchedHead, reply: FastifyReply, complete: Complete): void {
  const raw = reply.raw as unknown as Written
  const outer = raw[kHead] ?? null
  head.reply = reply
  head.complete = complete
  head.outer = outer
  head.writeHead = outer === null ? raw.writeHead : outer.writeHead
  head.setHeader = outer === null ? raw.setHeader : outer.setHeader
  raw[kHead] = head
  if (outer !== null) return
  raw.writeHead = writeHead
  raw.setHeader = setHeader
}

function writeHead (this: Written, status: number, reason?: unknown, headers?: unknown): unknown {
  const head = this[kHead] as WatchingHead
  const text = typeof reason === 'string' ? reason : undefined
  let rest = (text === undefined ? headers ?? reason : headers) as HeadFields
  for (let each: WatchedHead | null = head; each !== null; each = each.outer) {
    const { complete, reply } = each as WatchingHead
    rest = complete(reply, status, rest)
  }
  // From now on, Node itself may set the headers, one by one.
  head.isComplete = true
  const { raw } = head.reply
  return text === undefined ? head.writeHead.call(raw, status, rest) : head.writeHead.call(raw, status, text, rest)
}

function setHeader (this: Written, name: string, value: unknown): unknown {
  const head = this[kHead] as WatchingHead
  const { raw } = head.reply
  // Fastify writes names in lower case. A middleware, which writes Vary, may have set the same header before.
  const isList = !head.isComplete && (name === 'vary' || name === 'link')
  const whole = isList ? joinedTexts(joinedLines(raw.getHeader(name)), joinedLines(value)) : value
  return head.setHeader.call(raw, name, whole)
}

/**
 * Sets a header of a head that is being written.
 *
 * @param fields the headers that are written with it
 * @returns the headers that remain to be written
 */
export function putField (reply: FastifyReply, fields: HeadFields, name: string, value: string): HeadFields {
  const { raw } = reply
  reply.header(name, value)
  if ((fields as NamedFields | undefined)?.[name] === value) return fields
  // Something else than Fastify writes the head, or Fastify has set the headers of a stream.
  const pairs = fieldPairs(fields)
  for (const [field] of pairs) raw.removeHeader(field)
  for (const [field, written] of pairs) raw.appendHeader(field, written)
  raw.removeHeader(name)
  raw.setHeader(name, value)
  return undefined
}

/** Returns a header of a head that is being written, with its value on Node's response; `''` for none. */
export function textIn ({ raw }: FastifyReply, fields: HeadFields, name: string): string {
  const present = joinedLines(raw.getHeader(name))
  const ofReply = (fields as NamedFields | undefined)?.[name]
  if (present === '' && typeof ofReply === 'string') return ofReply
  const isNamed = ([field]: readonly [string, unknown]) => field.toLowerCase() === name
  const written = joinedLines(fieldPairs(fields).filter(isNamed).flatMap(([, value]) => value))
  return joinedTexts(present, written)
}

function joinedTexts (present: string, written: string): string {
  return `, ${written}, `.includes(`, ${present}, `) ? written : joinedLines([present, written])
}

function joinedLines (lines: unknown): string {
  return Array.isArray(lines) ? lines.filter(Boolean).join(', ') : String(lines ?? '')
}

function fieldPairs (fields: HeadFields): [string, string][] {
  if (!Array.isArray(fields)) return Object.entries(fields ?? {}) as [string, string][]
  if (Array.isArray(fields[0])) return fields as [string, string][]
  return fields.flatMap((name, i) => i % 2 === 0 ? [[name, fields[i + 1]]] : []) as [string, string][]
}

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** What a header of a response holds, whatever else is done to the header. */
export interface Kept {
  readonly field: string
  /**
   * @param own the header of the reply
   * @param raw the header of Node's response, which may have another value
   * @returns the header with what it lacks, or undefined if it lacks nothing
   */
  complete (own: unknown, raw: unknown, reply: FastifyReply): string | undefined
}

/** What is kept in a response until Node writes its head. */
interface Head {
  readonly reply: FastifyReply
  readonly writeHead: WriteHead
  readonly kept: Kept[]
}

type Fields = Record<string, unknown>
/** Node's method takes the reason of the status or leaves it out. */
type WriteHead = (this: ServerResponse, statusCode: number, reason?: unknown, fields?: unknown) => ServerResponse

const kHead: unique symbol = Symbol('fastify-versioning.head')
type Response = ServerResponse & { [kHead]?: Head }

/**
 * Completes a header of a response: now, so that hooks and handlers see it, and when Node writes the head, after every
 * hook, handler, error handler and web response.
 */
export function keep (reply: FastifyReply, kept: Kept): void {
  complete(reply, kept)
  const raw: Response = reply.raw
  const head = raw[kHead]
  if (head === undefined) {
    raw[kHead] = { reply, writeHead: raw.writeHead as WriteHead, kept: [kept] }
    raw.writeHead = writeHead
  } else {
    head.kept.push(kept)
  }
}

/** Adds to a header of a reply what it lacks. */
export function complete (reply: FastifyReply, kept: Kept): void {
  const { field } = kept
  const text = kept.complete(reply.getHeader(field), reply.raw.getHeader(field), reply)
  if (text !== undefined) reply.header(field, text)
}

/**
 * Merges Node's headers into the headers of a reply that keeps some, because a stream replaces Node's.
 *
 * @returns whether it keeps any
 */
export function mergeRaw (reply: FastifyReply): boolean {
  const raw: Response = reply.raw
  const head = raw[kHead]
  if (head === undefined) return false
  for (const kept of head.kept) {
    if (raw.getHeader(kept.field) !== undefined) complete(reply, kept)
  }
  return true
}

/** `writeHead` of such a response. Node calls it if nothing else does. */
function writeHead (this: Response, statusCode: number, reason?: unknown, given?: unknown): ServerResponse {
  const { reply, kept, writeHead: write } = this[kHead] as Head
  const isReason = typeof reason === 'string'
  let fields = (isReason ? given : reason) as Fields | undefined
  // A hijacked reply belongs to its handler. HTTP/2 ends a response before it writes the head.
  const isHijacked = reply.sent && !this.writableEnded
  if (!isHijacked && !this.headersSent) {
    if (Array.isArray(fields)) fields = fieldsOf(fields)
    for (let i = 0; i < kept.length && !Array.isArray(fields); i++) fields = completed(reply, fields, kept[i])
  }
  return isReason ? write.call(this, statusCode, reason, fields) : write.call(this, statusCode, fields)
}

/** A list of names and values in turn, or of pairs, as an object; the list itself if Node refuses it. */
function fieldsOf (list: Fields & readonly unknown[]): Fields {
  const pairs = Array.isArray(list[0]) ? list : list.flatMap((_, i) => i % 2 === 0 ? [list.slice(i, i + 2)] : [])
  const fields: Fields = Object.create(null)
  const names = new Map<string, string>()
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') return list
    const [given, value] = pair
    const name = names.get(given.toLowerCase()) ?? given
    names.set(given.toLowerCase(), name)
    fields[name] = name in fields ? [fields[name], value].flat() : value
  }
  return fields
}

/** The headers to write; undefined if Node's response has all of them. */
function completed (reply: FastifyReply, fields: Fields | undefined, kept: Kept): Fields | undefined {
  const { raw } = reply
  const { field } = kept
  if (fields === undefined || fields === null) {
    const text = kept.complete(undefined, raw.getHeader(field), reply)
    if (text !== undefined) raw.setHeader(field, text)
    return fields
  }
  // Fastify's are in lower case.
  const name = field in fields ? field : Object.keys(fields).find((one) => one.toLowerCase() === field) ?? field
  const text = kept.complete(fields[name], raw.getHeader(field), reply)
  return text === undefined ? fields : { ...fields, [name]: text }
}

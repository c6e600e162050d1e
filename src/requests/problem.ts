import { STATUS_CODES } from 'node:http'

import { basePathOf } from '../context.ts'
import { toUriText } from '../http/uri.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import type { Problems } from '../options/context-options.ts'

/** The titles of problems, which documents use, too. */
export const TITLES = {
  FST_ERR_VERSION_AMBIGUOUS: 'The request specifies different versions',
  FST_ERR_VERSION_BROWNOUT: 'The version does not answer for a while',
  FST_ERR_VERSION_GONE: 'The version is gone',
  FST_ERR_VERSION_NOT_ACCEPTABLE: 'The version is not acceptable',
  FST_ERR_VERSION_NOT_FOUND: 'The version is not found',
  FST_ERR_VERSION_NOT_SUPPORTED: 'The version is not supported',
  FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE: 'The version of the media type is not supported'
}

const kProblem: unique symbol = Symbol('fastify-versioning.problem')
interface Problem extends Problems {
  readonly error: Refusal
  isSent: boolean
}
type Refused = FastifyRequest & { [kProblem]?: Problem }

/** Marks the refusal of a request to be answered as a problem, unless an error handler answers it. */
export function setProblem (request: Refused, error: Refusal, { base }: Problems): void {
  request[kProblem] = { error, base, isSent: false }
}

/**
 * onSend of the routes whose refusals are problems (RFC 9457): replaces the body that Fastify makes of the error. A
 * body that an error handler has written stays.
 */
export function sendProblem (
  request: Refused, reply: FastifyReply, payload: unknown, done: (error?: null, payload?: unknown) => void
): void {
  const problem = request[kProblem]
  if (problem === undefined || !isFastifysAnswer(problem.error, request, reply, payload)) return done()
  problem.isSent = true
  const text = JSON.stringify(detailsOf(problem, request, reply.statusCode))
  reply.header('content-type', 'application/problem+json').header('content-length', Buffer.byteLength(text))
  done(null, text)
}

/** onError of the same routes: if an onSend hook fails, Fastify answers, and its body is not a problem. */
export function withdrawProblem (request: Refused, reply: FastifyReply, _error: Error, done: () => void): void {
  if (request[kProblem]?.isSent === true) reply.removeHeader('content-type')
  done()
}

/**
 * Whether this is Fastify's own answer to the error. With a response schema its text can be anything, but only Fastify
 * sets the length of a body before `onSend`.
 */
function isFastifysAnswer (
  { code, message }: Refusal, request: FastifyRequest, reply: FastifyReply, payload: unknown
): boolean {
  const { statusCode } = reply
  if (payload === JSON.stringify({ statusCode, code, error: STATUS_CODES[statusCode], message })) return true
  return Boolean(request.routeOptions.schema?.response) && reply.hasHeader('content-length')
}

/** Without a page of the app, the status says what the type would (RFC 9457, section 4.2.1). */
function detailsOf ({ error, base }: Problem, request: FastifyRequest, status: number): object {
  const { code, message, allowedVersions, reason } = error
  return {
    type: base === null ? 'about:blank' : `${base}#${code.toLowerCase()}`,
    title: base === null ? STATUS_CODES[status] ?? 'Client Error' : TITLES[code],
    status,
    detail: message,
    instance: instanceOf(request),
    code,
    reason,
    allowedVersions
  }
}

/** The path of the request as clients see it. Two slashes at its start would make it a host. */
function instanceOf (request: FastifyRequest): string {
  const { url, server } = request
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]
  const base = basePathOf(server, request)
  return toUriText((base + path).startsWith('//') ? `/.${base}${path}` : base + path)
}

import { STATUS_CODES } from 'node:http'

import { VersioningOptionError, show } from '../errors.ts'
import { knownFieldsOf } from '../options/checks.ts'
import { toUriText } from '../http/uri.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersionError } from '../options/status-codes.ts'

/** README has a heading for every code. */
const OWN_BASE = 'https://github.com/fastify-versioning/fastify-versioning/blob/main/README.md'

const TITLES = {
  FST_ERR_VERSION_GONE: 'The version is gone',
  FST_ERR_VERSION_NOT_ACCEPTABLE: 'The version is not acceptable',
  FST_ERR_VERSION_NOT_FOUND: 'The version is not found'
}

/**
 * Reads the option `problemDetails`.
 *
 * @returns what stands in front of the type of a problem; null: none are sent
 * @throws FST_ERR_VERSIONING_OPTION unless it is a boolean, or an object with a `base` that is a URL or a path
 */
export function toProblemBase (value: unknown): string | null {
  if (typeof value === 'boolean') return value ? OWN_BASE : null
  const fields = knownFieldsOf('problemDetails', value, 'true, false or an object { base }', ['base'])
  const base = fields.get('base')
  const isText = typeof base === 'string' && !/[#\0-\x20\x7f]/.test(base)
  if (isText && base.startsWith('/') && URL.canParse(base, 'http://localhost')) return toUriText(base)
  if (isText && URL.canParse(base)) return toUriText(new URL(base).href)
  throw new VersioningOptionError('problemDetails.base', 'a URL or a path, without fragment', show(base))
}

const kProblem: unique symbol = Symbol('fastify-versioning.problem')
interface Problem { readonly error: VersionError, readonly base: string }
type Marked = FastifyRequest & { [kProblem]?: Problem }

/** Has the refusal of a request answered as a problem, unless somebody else answers it. */
export function setProblem (request: Marked, error: VersionError, base: string): void {
  request[kProblem] = { error, base }
}

/**
 * onSend of the routes whose refusals are problems (RFC 9457): takes the place of what Fastify makes of the error. What
 * an error handler has written stays.
 */
export function sendProblem (
  request: Marked, reply: FastifyReply, payload: unknown, done: (error?: null, payload?: unknown) => void
): void {
  const problem = request[kProblem]
  if (problem === undefined || !isOf(problem.error, request, reply.statusCode, payload)) return done()
  const text = JSON.stringify(detailsOf(problem, request, reply.statusCode))
  reply.header('content-type', 'application/problem+json').header('content-length', Buffer.byteLength(text))
  done(null, text)
}

/** Whether this is what Fastify itself answers to the error; a response schema may have left out some of it. */
function isOf (
  { code, message }: VersionError, request: FastifyRequest, statusCode: number, payload: unknown
): boolean {
  const body = parse(payload)
  if (typeof body !== 'object' || body === null) return false
  const error = STATUS_CODES[statusCode]
  const own = new Map(Object.entries({ statusCode, code, message, ...error === undefined ? {} : { error } }))
  const fields = Object.entries(body)
  const isWhole = fields.length === own.size || hasResponseSchema(request)
  return isWhole && fields.every(([name, value]) => own.get(name) === value)
}

function hasResponseSchema ({ routeOptions: { schema } }: FastifyRequest): boolean {
  return schema?.response !== undefined && schema.response !== null
}

function parse (payload: unknown): unknown {
  try {
    return JSON.parse(payload as string)
  } catch {
    return null
  }
}

function detailsOf ({ error, base }: Problem, request: FastifyRequest, status: number): object {
  const { code, message, allowedVersions } = error
  return {
    type: `${base}#${code.toLowerCase()}`,
    title: TITLES[code],
    status,
    detail: message,
    instance: instanceOf(request),
    code,
    allowedVersions
  }
}

/** The path of the request; two slashes at its start would make a host of it. */
function instanceOf ({ url }: FastifyRequest): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]
  return toUriText(path.startsWith('//') ? `/.${path}` : path)
}

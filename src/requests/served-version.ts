import { parseContentType } from '../http/accept.ts'
import { isResponse, withHeader } from '../http/web-response.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** What a field value may hold (RFC 9110, section 5.5), without what is outside of ASCII. */
const FIELD_VALUE = /^[!-~](?:[ !-~]*[!-~])?$/
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

const kInContentType: unique symbol = Symbol('fastify-versioning.inContentType')
type Served = FastifyRequest & { [kInContentType]?: true }

/** Tells in the response which version is served. To be called where the version is accepted. */
export function tellServedVersion (
  request: Served, reply: FastifyReply, version: string, { servedVersion }: VersioningContext
): void {
  // Where every version is permitted the client has written it.
  if (servedVersion === null || !FIELD_VALUE.test(version)) return
  if (servedVersion === 'content-type') request[kInContentType] = true
  else reply.header(servedVersion, version)
}

/** onSend of the routes whose version is told in the Content-Type, whatever the handler has set there. */
export function tellInContentType (
  request: Served, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (request[kInContentType] === undefined) return done()
  if (isResponse(payload)) {
    const own = payload.headers.get('content-type')
    return done(null, own === null ? payload : withHeader(payload, 'content-type', withVersion(own, request)))
  }
  const type = reply.getHeader('content-type')
  if (typeof type === 'string') reply.header('content-type', withVersion(type, request))
  done()
}

/** The Content-Type of a response, with the version as a parameter, or as the vendor type that the client asked for. */
function withVersion (contentType: string, request: FastifyRequest): string {
  const scheme = request.versioningScheme as VersioningScheme
  const version = request.version as string
  const type = parseContentType(contentType)
  if (type === null || type.mediaType === 'application/problem+json') return contentType
  if (type.parameters.has(scheme.versionParam.toLowerCase())) return contentType
  const vendorType = scheme.vendorTypeFor?.(request) ?? null
  const isSyntax = vendorType !== null && syntaxOf(vendorType) === syntaxOf(type.mediaType)
  if (isSyntax) return vendorType + contentType.slice(contentType.indexOf(type.sent) + type.sent.length)
  const value = TOKEN.test(version) ? version : `"${version.replace(/["\\]/g, '\\$&')}"`
  return `${contentType}; ${scheme.versionParam}=${value}`
}

/** The syntax of a media type: `application/vnd.acme.v2+json` is written as `application/json` is (RFC 6838, 4.2.8). */
function syntaxOf (mediaType: string): string {
  return mediaType.slice(Math.max(mediaType.lastIndexOf('+'), mediaType.indexOf('/')) + 1).toLowerCase()
}

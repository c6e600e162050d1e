import { parseContentType } from '../http/accept.ts'
import { hasSyntaxOf, withParameter } from '../http/media-type.ts'
import { isResponse, withHeader } from '../http/web-response.ts'
import { DEFAULT_SETTINGS } from '../options/settings.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningScheme } from '../../types/index.d.ts'

/** What a field value may hold (RFC 9110, section 5.5), without what is outside of ASCII. */
const FIELD_VALUE = /^[!-~](?:[ !-~]*[!-~])?$/
/** Clients and proxies refuse responses whose headers are long. */
const MAX_LENGTH = 256

/** Most requests name the version that the one before has named, and need no other check. */
let lastTold: string | null = null

type WithMediaTypes = VersioningScheme & { readonly mediaTypes?: readonly string[] | null }
const mediaTypesByScheme = new WeakMap<VersioningScheme, readonly string[]>()

const kInContentType: unique symbol = Symbol('fastify-versioning.inContentType')
type Served = FastifyRequest & { [kInContentType]?: true }

/**
 * Tells in the response which version is served. To be called where the version is accepted.
 *
 * @param servedVersion the name of the header
 */
export function tellServedVersion (
  request: Served, reply: FastifyReply, version: string, servedVersion: string
): void {
  if (!canBeTold(version)) return
  if (servedVersion === 'content-type') request[kInContentType] = true
  else reply.header(servedVersion, version)
}

/** Whether a version can stand in a header: where every version is permitted the client has written it. */
function canBeTold (version: string): boolean {
  if (version === lastTold) return true
  if (version.length > MAX_LENGTH || !FIELD_VALUE.test(version)) return false
  lastTold = version
  return true
}

/** onSend of the routes whose version is told in the Content-Type, whatever the handler has set there. */
export function tellInContentType (
  request: Served, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (request[kInContentType] !== true) return done()
  const own = isResponse(payload) ? payload.headers.get('content-type') : null
  if (own !== null) return done(null, withHeader(payload as Response, 'content-type', withVersion(own, request)))
  const type = reply.getHeader('content-type')
  if (typeof type === 'string') reply.header('content-type', withVersion(type, request))
  done()
}

/**
 * Whether a media type can name a version: it is one of the option `mediaTypes`, or has the syntax of a vendor type
 * there; without that option, it is JSON. A problem has no parameters (RFC 9457).
 */
function canName (mediaType: string, scheme: VersioningScheme): boolean {
  if (mediaType === 'application/problem+json') return false
  const types = mediaTypesOf(scheme)
  if (types.length === 0) return mediaType === 'application/json' || mediaType.endsWith('+json')
  return types.some((type) => type === mediaType || hasSyntaxOf(type, mediaType))
}

function mediaTypesOf (scheme: VersioningScheme): readonly string[] {
  let types = mediaTypesByScheme.get(scheme)
  if (types === undefined) {
    const members: readonly WithMediaTypes[] = scheme.schemes ?? [scheme]
    mediaTypesByScheme.set(scheme, types = members.flatMap(({ mediaTypes }) => mediaTypes ?? []))
  }
  return types
}

/** The Content-Type of a response, with the version as a parameter, or as the vendor type that the client asked for. */
function withVersion (contentType: string, request: FastifyRequest): string {
  const scheme = request.versioningScheme as VersioningScheme
  const version = request.version as string
  const type = parseContentType(contentType)
  if (type === null || !canName(type.mediaType, scheme)) return contentType
  // An object that is a scheme need not have the field.
  const versionParam = scheme.versionParam ?? DEFAULT_SETTINGS.versionParam
  const vendorType = scheme.vendorTypeFor?.(request) ?? null
  const isTold = type.parameters.has(versionParam.toLowerCase()) || scheme.namesVersion?.(type) === true
  if (isTold) return contentType
  const isVendorType = vendorType !== null && hasSyntaxOf(vendorType, type.mediaType)
  if (isVendorType) return contentType.replace(type.sent, () => vendorType)
  return withParameter(contentType, versionParam, version)
}

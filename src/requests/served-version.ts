import { parseContentType } from '../http/accept.ts'
import { hasSyntaxOf, withParameter } from '../http/media-type.ts'
import { keep } from '../http/head.ts'
import { recordOf } from '../scheme.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kept } from '../http/head.ts'
import type { Scheme } from '../scheme.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** What a field value may hold (RFC 9110, section 5.5), without what is outside of ASCII. */
const FIELD_VALUE = /^[!-~](?:[ !-~]*[!-~])?$/
/** Clients and proxies refuse responses whose headers are long. */
const MAX_LENGTH = 256

/** The version in the Content-Type of a response, whatever the handler has set there. */
const IN_CONTENT_TYPE: Kept = {
  field: 'content-type',
  complete (own, raw, { request }) {
    const type = own ?? raw
    return typeof type === 'string' ? withVersion(type, request) : undefined
  }
}

/** Most requests have the same version as the previous one, and need no other check. */
let lastSent: string | null = null

/**
 * Adds the version that is served to the response. Call it when the version is accepted.
 *
 * @param servedVersion the name of the header
 */
export function addServedVersion (reply: FastifyReply, version: string, servedVersion: string): void {
  if (!canBeSent(version)) return
  if (servedVersion === 'content-type') keep(reply, IN_CONTENT_TYPE)
  else reply.header(servedVersion, version)
}

/** Whether a version is valid in a header. If every version is allowed, it is the client's text. */
function canBeSent (version: string): boolean {
  if (version === lastSent) return true
  if (version.length > MAX_LENGTH || !FIELD_VALUE.test(version)) return false
  lastSent = version
  return true
}

/**
 * Whether a media type can specify a version: it is one of the option `mediaTypes`, or has the syntax of a vendor type
 * there; without that option, it is JSON. A problem has no parameters (RFC 9457).
 */
function canName (mediaType: string, { mediaTypes: types }: Scheme): boolean {
  if (mediaType === 'application/problem+json') return false
  if (types.length === 0) return mediaType === 'application/json' || mediaType.endsWith('+json')
  return types.some((type) => type === mediaType || hasSyntaxOf(type, mediaType))
}

/** The Content-Type of a response, with the version as a parameter, or as the vendor type that the client accepts. */
function withVersion (contentType: string, request: FastifyRequest): string {
  const scheme = recordOf(request.versioningScheme as VersioningScheme)
  const version = request.version as string
  const type = parseContentType(contentType)
  if (type === null || !canName(type.mediaType, scheme)) return contentType
  const { versionParam } = scheme
  const vendorType = scheme.vendorTypeFor(request)
  const isThere = type.parameters.has(versionParam.toLowerCase()) || scheme.namesVersion(type)
  if (isThere) return contentType
  const isVendorType = vendorType !== null && hasSyntaxOf(vendorType, type.mediaType)
  if (isVendorType) return contentType.replace(type.sent, () => vendorType)
  return withParameter(contentType, versionParam, version)
}

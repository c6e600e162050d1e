import { VersionInvalidError, VersionNotFoundError, nameOf } from '../errors.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/**
 * The version that a client names, as its scheme reads it.
 *
 * @param request Node's request before it is routed, Fastify's afterwards
 * @returns null: the client names none
 * @throws what the scheme's `refusal` returns, when the client names different versions
 * @throws FST_ERR_VERSION_INVALID (500) when the scheme reads what is neither text nor a list of texts
 */
export function versionNamed (scheme: VersioningScheme, request: RawRequest | FastifyRequest): string | null {
  const read: unknown = scheme.readVersion?.(request)
  if (read === undefined || read === null || typeof read === 'string') return read ?? null
  if (!Array.isArray(read) || !read.every((one) => typeof one === 'string')) throw invalid(scheme, read)
  const [version = null, ...others] = new Set<string>(read)
  if (others.length > 0) throw refusalOf(scheme)
  return version
}

/** The error of a scheme for a version that is not permitted, or that a URL does not serve. */
export function refusalOf (scheme: VersioningScheme, message: string = scheme.invalidVersionMessage): Error {
  return scheme.refusal?.(message) ?? new VersionNotFoundError(message, scheme.allowedVersions)
}

/** The error of a scheme whose method has returned what it must not. Nobody waits for it where it is a promise. */
export function invalid (scheme: VersioningScheme, value: unknown): Error {
  ignoreRejection(value)
  return new VersionInvalidError(nameOf(scheme), value)
}

/** Where a promise is not what was asked for nobody awaits it, and its rejection must not end the process. */
export function ignoreRejection (value: unknown): void {
  if (value instanceof Promise) value.catch(() => {})
}

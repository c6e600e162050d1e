import { VersionInvalidError } from '../errors.ts'
import { isThenable } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, RawRequest } from '../../types/index.d.ts'

/** A version, which may not be allowed, or null for none. */
export type ClientDefault = string | null | Promise<string | null>

/**
 * The default version of a client, by the request header that Node calls `field`.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything but a version
 */
export function defaultBy (
  { version }: DefaultByHeader, field: string, request: RawRequest | FastifyRequest
): ClientDefault {
  const value: unknown = request.headers[field]
  let found: unknown
  try {
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    found = version(typeof value === 'string' ? value : null, request)
  } catch (cause) {
    throw invalidResult('defaultVersion', cause, { cause })
  }
  if (!isThenable(found)) return versionFrom('defaultVersion', found)
  return Promise.resolve(found).then((one) => versionFrom('defaultVersion', one), (cause) => {
    throw invalidResult('defaultVersion', cause, { cause })
  })
}

/**
 * What a function among the options has returned.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where it is not a version
 */
export function versionFrom (option: string, returned: unknown): string | null {
  if (returned === null || returned === undefined) return null
  if (typeof returned === 'string') return returned
  throw invalidResult(option, returned)
}

export function invalidResult (option: string, returned: unknown, options?: ErrorOptions): Error {
  return new VersionInvalidError(`The option "${option}" must return a string, null or undefined.`, returned, options)
}

import { VersionInvalidError } from '../errors.ts'
import { isThenable } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, RawRequest } from '../../types/index.d.ts'

/** A version, which may not be allowed, or null for none. */
export type DefaultVersion = string | null | Promise<string | null>

/** The option `defaultVersion` where each client has its own. */
export class ClientDefault {
  readonly header: string
  readonly version: DefaultByHeader['version']
  /** As Node calls the header. */
  readonly #field: string
  /** What the router was told, by request, so that the hook has the same. */
  readonly #told = new WeakMap<RawRequest, DefaultVersion>()

  constructor ({ header, version }: DefaultByHeader) {
    this.header = header
    this.version = version
    this.#field = header.toLowerCase()
  }

  /**
   * The default version of the client that has sent a request.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything but a version
   */
  of (request: RawRequest | FastifyRequest): DefaultVersion {
    const isRouted = 'raw' in request
    const told = this.#told.get(isRouted ? request.raw : request)
    if (told !== undefined) return told
    const version = this.#call(request)
    if (!isRouted) this.#told.set(request, version)
    return version
  }

  #call (request: RawRequest | FastifyRequest): DefaultVersion {
    const { version } = this
    const value: unknown = request.headers[this.#field]
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

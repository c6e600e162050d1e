import { VersionInvalidError } from '../errors.ts'
import { isThenable } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, RawRequest } from '../../types/index.d.ts'

type Version = string | null | Promise<string | null>

/**
 * The default version of a client, by a request header. It is looked up once for each request, so that the router and
 * the hook have the same.
 */
export class ClientDefault {
  readonly #given: DefaultByHeader
  readonly #field: string
  /** By the requests that the router has asked for. To remember the others would cost more than all the rest. */
  readonly #routed = new WeakMap<RawRequest, Version>()

  constructor (given: DefaultByHeader) {
    this.#given = given
    this.#field = given.header.toLowerCase()
  }

  /**
   * A version, which may not be allowed, or null if there is none.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything else
   */
  for (request: RawRequest | FastifyRequest): Version {
    const isRouted = 'raw' in request
    let found = this.#routed.get(isRouted ? request.raw : request)
    if (found === undefined) {
      found = this.#find(request)
      if (!isRouted) this.#routed.set(request, found)
    }
    return found
  }

  #find (request: RawRequest | FastifyRequest): Version {
    const value: unknown = request.headers[this.#field]
    let version: unknown
    try {
      // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
      version = this.#given.version(typeof value === 'string' ? value : null, request)
    } catch (cause) {
      throw invalidResult('defaultVersion', cause, { cause })
    }
    if (!isThenable(version)) return versionFrom('defaultVersion', version)
    return Promise.resolve(version).then((one) => versionFrom('defaultVersion', one), (cause) => {
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

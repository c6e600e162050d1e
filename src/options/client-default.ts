import { VersionInvalidError } from '../errors.ts'
import { isThenable } from '../promises.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, RawRequest } from '../../types/index.d.ts'

/** A version, which may not be allowed, or null for none. */
export type DefaultVersion = string | null | Promise<string | null>

/** The option `defaultVersion` of an app in which each client has its own default version. */
export class ClientDefault implements DefaultByHeader {
  readonly header: string
  readonly version: DefaultByHeader['version']
  /** The name of the header as Node has it. */
  readonly #field: string
  /** The versions that the router was told, by request, so that the onRequest hook gets the same. */
  readonly #told = new WeakMap<RawRequest, DefaultVersion>()

  constructor ({ header, version }: DefaultByHeader) {
    this.header = header
    this.version = version
    this.#field = header.toLowerCase()
  }

  /**
   * Returns the default version of the client that has sent a request.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything but a version
   */
  of (request: RawRequest | FastifyRequest): DefaultVersion {
    const isRouted = 'raw' in request
    const told = this.#told.get(isRouted ? request.raw : request)
    if (told !== undefined) return told
    const value: unknown = request.headers[this.#field]
    // The headers of HTTP/1.1 are an ordinary object, so a header called "constructor" may be an inherited function.
    const text = typeof value === 'string' ? value : null
    const { version: versionOf } = this
    let returned: unknown
    try {
      returned = versionOf(text, request)
    } catch (cause) {
      throw invalidResult('defaultVersion', cause, { cause })
    }
    const version = isThenable(returned) ? awaited(returned) : versionFrom('defaultVersion', returned)
    if (!isRouted) this.#told.set(request, version)
    return version
  }
}

async function awaited (returned: PromiseLike<unknown>): Promise<string | null> {
  const version = await Promise.resolve(returned).catch((cause) => {
    throw invalidResult('defaultVersion', cause, { cause })
  })
  return versionFrom('defaultVersion', version)
}

/**
 * Returns the version that a function among the options has returned, or null.
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

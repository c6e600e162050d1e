import { VersionInvalidError } from './errors.ts'
import { isThenable } from './promises.ts'
import { invalidResult } from './scheme-errors.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, RawRequest } from '../types/index.d.ts'

/** A default version that was found for a request, or the error of the function. */
interface Found {
  readonly by: ClientDefault
  readonly version: string | null | Promise<string | null>
  readonly error: unknown
}

const kDefault: unique symbol = Symbol('fastify-versioning.default')
type WithDefault = RawRequest & { [kDefault]?: Found }

/** A default version that depends on the client. For a request it is found once, for the router and for the hook. */
export class ClientDefault {
  readonly given: DefaultByHeader
  /** The request header that it depends on. */
  readonly vary: string
  readonly #field: string

  constructor (given: DefaultByHeader) {
    this.given = given
    this.vary = given.header
    this.#field = given.header.toLowerCase()
  }

  /**
   * A version, which may not be allowed, or null if there is none.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything else
   */
  for (request: RawRequest | FastifyRequest): string | null | Promise<string | null> {
    const raw: WithDefault = 'raw' in request ? request.raw : request
    let found = raw[kDefault]
    if (found?.by !== this) raw[kDefault] = found = this.#find(request)
    if (found.error !== undefined) throw found.error
    return found.version
  }

  /** Whether it has been found for a request. */
  has (raw: RawRequest | undefined): boolean {
    return (raw as WithDefault | undefined)?.[kDefault]?.by === this
  }

  #find (request: RawRequest | FastifyRequest): Found {
    const value: unknown = request.headers[this.#field]
    try {
      // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
      const version: unknown = this.given.version(typeof value === 'string' ? value : null, request)
      const checked = isThenable(version) ? Promise.resolve(version).then(check, fail) : check(version)
      return { by: this, version: checked, error: undefined }
    } catch (error) {
      return { by: this, version: null, error: error instanceof VersionInvalidError ? error : failed(error) }
    }
  }
}

function check (version: unknown): string | null {
  if (version === null || version === undefined) return null
  if (typeof version === 'string') return version
  throw invalidResult('defaultVersion', 'a string, null or undefined', version)
}

function fail (cause: unknown): never {
  throw failed(cause)
}

function failed (cause: unknown): Error {
  return invalidResult('defaultVersion', 'a string, null or undefined', cause, { cause })
}

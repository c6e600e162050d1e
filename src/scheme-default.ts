import { VersionInvalidError } from './errors.ts'
import { isThenable } from './promises.ts'
import { invalidResult } from './scheme-errors.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByClient } from './options/client-default.ts'
import type { DefaultByHeader, DefaultByRequest, RawRequest } from '../types/index.d.ts'

/** The member of the scheme that is used. */
interface Allowing {
  allows (version: string | null): boolean
}

/** A default version that was found for a request, or the error of the function. */
interface Found {
  readonly by: ClientDefault
  readonly version: string | null | Promise<string | null>
  readonly error: unknown
}

const EXPECTED = 'an allowed version, null or undefined'

const kDefault: unique symbol = Symbol('fastify-versioning.default')
type WithDefault = RawRequest & { [kDefault]?: Found }

/** A default version that depends on the client. For a request it is found once, for the router and for the hook. */
export class ClientDefault {
  readonly given: DefaultByClient
  /** The request headers that it depends on, as in a Vary header, or null if it depends on none. */
  readonly vary: string | null
  /** The header whose value its function takes, in lower case, or null if it takes only the request. */
  readonly #field: string | null
  readonly #scheme: Allowing

  constructor (given: DefaultByClient, scheme: Allowing) {
    this.given = given
    this.vary = given.header ?? given.vary ?? null
    this.#field = given.header?.toLowerCase() ?? null
    this.#scheme = scheme
  }

  /**
   * An allowed version, or null if there is none.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function returns or rejects with anything else
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
    try {
      const version = this.#call(request)
      const checked = isThenable(version)
        ? Promise.resolve(version).then((one) => this.#check(one), (error) => { throw failed(error) })
        : this.#check(version)
      return { by: this, version: checked, error: undefined }
    } catch (error) {
      return { by: this, version: null, error: error instanceof VersionInvalidError ? error : failed(error) }
    }
  }

  /** The unchecked result of the function. */
  #call (request: RawRequest | FastifyRequest): unknown {
    const field = this.#field
    if (field === null) return (this.given as DefaultByRequest).version(request)
    const value: unknown = request.headers[field]
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    return (this.given as DefaultByHeader).version(typeof value === 'string' ? value : null, request)
  }

  #check (version: unknown): string | null {
    if (version === null || version === undefined) return null
    if (typeof version === 'string' && this.#scheme.allows(version)) return version
    throw invalidResult('defaultVersion', EXPECTED, version)
  }
}

function failed (cause: unknown): Error {
  return invalidResult('defaultVersion', EXPECTED, cause, { cause })
}

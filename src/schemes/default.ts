import { isThenable } from '../promises.ts'
import { invalidResult } from '../scheme.ts'

import type { Requested } from '../scheme.ts'
import type { DefaultByHeader, RawRequest } from '../../types/index.d.ts'

type Version = string | null | Promise<string | null>

const EXPECTED = 'a string, null or undefined'

/**
 * The default version of a client, by a request header. It is looked up once for each request, so that the router and
 * the hook have the same.
 */
export class ClientDefault {
  readonly #given: DefaultByHeader
  readonly #field: string
  readonly #found = new WeakMap<RawRequest, Version>()

  constructor (given: DefaultByHeader) {
    this.#given = given
    this.#field = given.header.toLowerCase()
  }

  /**
   * A version, which may not be allowed, or null if there is none.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function fails, or returns anything else
   */
  for (request: Requested): Version {
    const raw = 'raw' in request ? request.raw : request
    let found = this.#found.get(raw)
    if (found === undefined) this.#found.set(raw, found = this.#find(request))
    return found
  }

  /** Whether it has been looked up for a request. */
  has (raw: RawRequest | undefined): boolean {
    return raw !== undefined && this.#found.has(raw)
  }

  #find (request: Requested): Version {
    const value: unknown = request.headers[this.#field]
    let version: unknown
    try {
      // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
      version = this.#given.version(typeof value === 'string' ? value : null, request)
    } catch (cause) {
      throw failed(cause)
    }
    if (!isThenable(version)) return check(version)
    return Promise.resolve(version).then(check, (cause) => { throw failed(cause) })
  }
}

function check (version: unknown): string | null {
  if (version === null || version === undefined) return null
  if (typeof version === 'string') return version
  throw invalidResult('defaultVersion', EXPECTED, version)
}

function failed (cause: unknown): Error {
  return invalidResult('defaultVersion', EXPECTED, cause, { cause })
}

import { VersionInvalidError } from './errors.ts'
import { isThenable } from './promises.ts'
import { invalidResult } from './scheme-errors.ts'

import type { FastifyRequest } from 'fastify'
import type { ClientDefault } from './options/client-default.ts'
import type { RawRequest } from '../types/index.d.ts'

/** The members of the scheme that are used. */
interface Allowing {
  readonly label: string
  allows (version: string | null): boolean
}

/** A default version that was found for a request, or the error of the function. */
interface Found {
  readonly by: FoundDefaults
  readonly version: string | null | Promise<string | null>
  readonly error: unknown
}

const EXPECTED = 'an allowed version, null or undefined'

const kDefault: unique symbol = Symbol('fastify-versioning.default')
type WithDefault = RawRequest & { [kDefault]?: Found }

/** The default versions of a scheme that depend on the client. Each is found once, for the router and for the hook. */
export class FoundDefaults {
  readonly #given: ClientDefault
  readonly #scheme: Allowing

  constructor (given: ClientDefault, scheme: Allowing) {
    this.#given = given
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
      const version = this.#given.versionFor(request)
      const checked = isThenable(version)
        ? Promise.resolve(version).then((one) => this.#check(one), (error) => { throw this.#failed(error) })
        : this.#check(version)
      return { by: this, version: checked, error: undefined }
    } catch (error) {
      return { by: this, version: null, error: error instanceof VersionInvalidError ? error : this.#failed(error) }
    }
  }

  #failed (cause: unknown): Error {
    return invalidResult('defaultVersion', EXPECTED, cause, { cause })
  }

  #check (version: unknown): string | null {
    if (version === null || version === undefined) return null
    if (typeof version === 'string' && this.#scheme.allows(version)) return version
    throw invalidResult('defaultVersion', EXPECTED, version)
  }
}

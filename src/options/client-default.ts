import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isAsync, knownFieldsOf } from './checks.ts'
import { isFieldName, isFieldNames } from '../http/headers.ts'

import type { FastifyRequest } from 'fastify'
import type { DefaultByHeader, DefaultByRequest, RawRequest } from '../../types/index.d.ts'

type Given = DefaultByHeader | DefaultByRequest

const EXPECTED = 'a string, null, { header, version } or { vary, version }'

/** A default version that depends on the client. */
export class ClientDefault {
  /** The request headers that it depends on, as in a Vary header, or null if it depends on none. */
  readonly vary: string | null
  /** Whether its function always returns a promise. */
  readonly isAsync: boolean
  /** As it was given. */
  readonly given: Given
  /** The header whose value its function takes, in lower case, or null if it takes only the request. */
  readonly #field: string | null

  constructor (given: Given) {
    this.vary = given.header ?? given.vary ?? null
    this.isAsync = isAsync(given.version)
    this.given = given
    this.#field = given.header?.toLowerCase() ?? null
  }

  /** The unchecked result of the function. */
  versionFor (request: RawRequest | FastifyRequest): unknown {
    const field = this.#field
    if (field === null) return (this.given as DefaultByRequest).version(request)
    const value: unknown = request.headers[field]
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    return (this.given as DefaultByHeader).version(typeof value === 'string' ? value : null, request)
  }
}

/**
 * Reads the setting `defaultVersion`.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the field and the value
 */
export function toDefaultVersion (value: unknown): string | Given | null {
  if (value === null || typeof value === 'string') return value
  const fields = knownFieldsOf('defaultVersion', value, EXPECTED, ['header', 'vary', 'version'])
  if (fields.has('header') === fields.has('vary')) {
    throw new VersioningOptionError('defaultVersion', EXPECTED, show(value))
  }
  const [header, vary, version] = ['header', 'vary', 'version'].map((name) => fields.get(name))
  if (fields.has('header') && !isFieldName(header)) {
    throw new VersioningOptionError('defaultVersion.header', 'the name of a request header', show(header))
  }
  if (fields.has('vary') && vary !== null && !isFieldNames(vary)) {
    throw new VersioningOptionError('defaultVersion.vary', 'the name of a request header, or null', show(vary))
  }
  if (typeof version !== 'function') {
    throw new VersioningOptionError('defaultVersion.version', 'a function that returns a version', show(version))
  }
  return Object.freeze(Object.fromEntries(fields)) as unknown as Given
}

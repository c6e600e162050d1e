import { queryOf } from '../http/query.ts'
import { BaseVersioning, setDefaults, setFields } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersionParameter, VersioningSettings } from '../../types/index.d.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 */
export class QueryParameterVersioning extends BaseVersioning {
  static override readonly label: string = 'QueryParameterVersioning'
  static {
    setDefaults(this.prototype, {
      place: 'query',
      placeText: 'query parameter',
      isInLinks: true,
      linkPlace: 'query',
      invalidVersionMessage: 'Invalid version in query parameter.',
      settingsRead: ['versionParam']
    })
  }

  declare readonly parameter: VersionParameter

  constructor (settings: VersioningSettings = {}) {
    super(settings)
    const scheme = this
    // A subclass may have the field `versionParam`, which is set only after this.
    setFields(this, { parameter: { in: 'query', get name () { return scheme.versionParam } } })
  }

  /** The last value of a repeated parameter wins. The app's own query parser is known only after routing. */
  override readVersion (request: RawRequest | FastifyRequest): string | null {
    const query = 'query' in request ? request.query : queryOf(request.url as string)
    const given = (query as Record<string, unknown> | null)?.[this.versionParam]
    const version: unknown = Array.isArray(given) ? given.at(-1) : given
    return typeof version === 'string' ? version : null
  }
}

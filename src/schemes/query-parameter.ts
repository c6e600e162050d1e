import { queryOf } from '../http/query.ts'
import { BaseVersioning, setPlace } from './base.ts'

import type { Requested } from './reading.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 */
export class QueryParameterVersioning extends BaseVersioning {
  static {
    setPlace<QueryParameterVersioning>(this, {
      place: 'query',
      placeText: 'query parameter',
      linkPlace: 'query',
      parameter: ({ versionParam }) => ({ in: 'query', name: versionParam })
    }, { reads: ['resolveVersion', 'versionParam'] })
  }

  /** Returns the last value of the parameter. Fastify's parser reads requests of Node, the app's parser all others. */
  override readVersion (request: Requested): string | null {
    const query = 'query' in request ? request.query : queryOf(request.url as string)
    const values = (query as Record<string, unknown> | null)?.[this.versionParam]
    const version: unknown = Array.isArray(values) ? values.at(-1) : values
    return typeof version === 'string' ? version : null
  }
}

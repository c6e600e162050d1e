import { BaseVersioning, setPlace } from './base.ts'

import type { FastifyRequest } from 'fastify'

/**
 * ```http
 * GET /1.0/bookings/ HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 *
 * The paths of routes show where the version is: `app.get('/:version/bookings/', …)`.
 */
export class URLPathVersioning extends BaseVersioning {
  static {
    setPlace<URLPathVersioning>(this, {
      place: 'path', placeText: 'URL path', linkPlace: 'path', impliedParam: ({ versionParam }) => versionParam
    }, { reads: ['resolveVersion', 'versionParam'] })
  }

  override readVersion ({ params }: FastifyRequest): string | null {
    const version = (params as Record<string, unknown>)[this.versionParam]
    return typeof version === 'string' ? version : null
  }
}

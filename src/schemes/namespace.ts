import { namespaceOf } from '../context.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { ReverseOptions } from '../../types/index.d.ts'

/**
 * ```http
 * GET /1.0/bookings/ HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 *
 * The routes of a version share a context: `app.register(routes, { prefix: '/1.0', namespace: '1.0' })`.
 */
export class NamespaceVersioning extends BaseVersioning {
  override readonly invalidVersionMessage = 'Invalid version in URL path. Does not match any version namespace.'

  override determineVersion (request: FastifyRequest): string | null {
    const candidates = namespaceOf(request.server)
    if (candidates.length === 0) return this.defaultVersion
    for (const candidate of candidates) {
      if (this.isAllowedVersion(candidate)) return candidate
    }
    throw this.refusal()
  }

  /** The version becomes the namespace of the name: `bookings` is looked up as `1.0:bookings`. */
  override reverse (viewName: string, options: ReverseOptions = {}): string {
    const version = options.request?.version ?? null
    return super.reverse(version === null ? viewName : `${version}:${viewName}`, options)
  }
}

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
 * The routes say where the version stands: `app.get('/:version/bookings/', …)`.
 */
export class URLPathVersioning extends BaseVersioning {
  override readonly invalidVersionMessage = 'Invalid version in URL path.'

  /** Links need not name the version: it is the request's. */
  override get impliedParam (): string {
    return this.versionParam
  }

  override determineVersion (request: FastifyRequest): string | null {
    const version = (request.params as Record<string, unknown>)[this.versionParam]
    return this.permit(typeof version === 'string' ? version : null)
  }

  /** The version becomes a path parameter, unless the caller names one: `/1.0/bookings/7`. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const kwargs = options.kwargs ?? {}
    if (Object.hasOwn(kwargs, this.versionParam) && kwargs[this.versionParam] !== undefined) {
      return super.reverse(viewName, { ...options, version: undefined })
    }
    const version = this.linkVersion(options)
    if (viewName === null ? !this.#isIn(options.request) : version === null) return super.reverse(viewName, options)
    return super.reverse(viewName, { ...options, kwargs: { ...kwargs, [this.versionParam]: version } })
  }

  /** Whether the path of the request has a place for the version. */
  #isIn (request: ReverseOptions['request']): boolean {
    return Object.hasOwn(Object(request?.params), this.versionParam)
  }
}

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

  /** The version becomes a path parameter, unless the caller names one: `/1.0/bookings/7`. */
  override get impliedParam (): string {
    return this.versionParam
  }

  override determineVersion (request: FastifyRequest): string | null {
    const version = (request.params as Record<string, unknown>)[this.versionParam]
    return this.permit(typeof version === 'string' ? version : null)
  }

  /** The caller's own parameter wins; a link to the current route has the version in the place of the request's. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const { kwargs, request } = options
    if (hasOwn(kwargs, this.versionParam)) return super.reverse(viewName, withoutVersion(options))
    if (viewName !== null || !hasOwn(request?.params, this.versionParam)) return super.reverse(viewName, options)
    return super.reverse(null, { ...options, kwargs: { ...kwargs, [this.versionParam]: this.linkVersion(options) } })
  }
}

/** The version of the caller's own parameter need not be permitted, and leaves no room for another. */
function withoutVersion (options: ReverseOptions): ReverseOptions {
  return options.version === undefined ? options : { ...options, version: undefined }
}

/** Whether an object has a property of its own that is not undefined. */
function hasOwn (object: unknown, name: string): boolean {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return false
  return (object as Record<string, unknown>)[name] !== undefined
}

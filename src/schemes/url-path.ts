import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

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
  static override readonly label: string = 'URLPathVersioning'
  override readonly place: string = 'path'
  override readonly placeText: string = 'URL path'
  override readonly isInLinks = true
  override readonly invalidVersionMessage = 'Invalid version in URL path.'
  override readonly settingsRead: readonly string[] | null = ['versionParam']
  override readonly knownAfterRouting: string | null = 'the version is in the path: /:version(^v1$)/…'

  /** The version becomes a path parameter, unless the caller names one: `/1.0/bookings/7`. */
  override get impliedParam (): string {
    return this.versionParam
  }

  override readVersion ({ params }: FastifyRequest): string | null {
    const version = (params as Record<string, unknown>)[this.versionParam]
    return typeof version === 'string' ? version : null
  }

  /** The caller's own parameter wins over the version, whichever it is. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    return super.reverse(viewName, hasOwn(options.kwargs, this.versionParam) ? withoutVersion(options) : options)
  }
}

/** What this scheme reads is at hand: it determines the version without a promise. */
export interface URLPathVersioning { determineVersion (request: FastifyRequest): string | null }

/** The version of the caller's own parameter need not be permitted, and leaves no room for another. */
function withoutVersion (options: ReverseOptions): ReverseOptions {
  return options.version === undefined ? options : { ...options, version: undefined }
}

function hasOwn (kwargs: ReverseKwargs | null | undefined, name: string): boolean {
  return kwargs?.[name] !== undefined && Object.hasOwn(kwargs, name)
}

import { lastParameter, setQueryParameter, toQueryParameter } from '../http/query.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, ReverseOptions } from '../../types/index.d.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 */
export class QueryParameterVersioning extends BaseVersioning {
  override readonly invalidVersionMessage = 'Invalid version in query parameter.'

  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(lastIn(request, this.versionParam))
  }

  requestedVersion (request: FastifyRequest): string | null {
    return lastIn(request, this.versionParam)
  }

  readVersion ({ url = '' }: Pick<RawRequest, 'url'>): string | undefined {
    return lastParameter(url, this.versionParam)
  }

  /** The version becomes a query parameter: `/bookings/?version=1.0`. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const url = super.reverse(viewName, options)
    const version = this.linkVersion(options)
    if (version === null) return options.version === null ? setQueryParameter(url, this.versionParam, null) : url
    const isBare = options.query === undefined && options.hash === undefined
    if (isBare) return `${url}?${toQueryParameter(this.versionParam, version)}`
    return setQueryParameter(url, this.versionParam, version)
  }
}

/** What Fastify has parsed, which may be of any shape; null: the parameter is not there. */
function lastIn ({ query }: FastifyRequest, name: string): string | null {
  const given = (query as Record<string, unknown> | null)?.[name]
  const version: unknown = Array.isArray(given) ? given.at(-1) : given
  return typeof version === 'string' ? version : null
}

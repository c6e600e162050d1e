import { namespaceOf } from '../context.ts'
import { NoReverseMatchError } from '../errors.ts'
import { routeNameOf } from '../route-config.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

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

  /** Links in its own version find `1.0:bookings` as `bookings`. */
  override shortNameOf (name: string): string | null {
    const [namespace, ...rest] = name.split(':')
    return rest.length > 0 && this.isAllowedVersion(namespace) ? rest.join(':') : null
  }

  override determineVersion (request: FastifyRequest): string | null {
    const candidates = namespaceOf(request.server)
    if (candidates.length === 0) return this.defaultVersion
    for (const candidate of candidates) {
      if (this.isAllowedVersion(candidate)) return candidate
    }
    throw this.refusal()
  }

  /** The version becomes the namespace of the name: `bookings` is looked up as `1.0:bookings`. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const version = this.linkVersion(options)
    if (viewName !== null) return super.reverse(version === null ? viewName : `${version}:${viewName}`, options)
    const { request } = options
    if (!request || version === request.version) return super.reverse(null, options)
    const kwargs = { ...request.params as ReverseKwargs, ...options.kwargs }
    return super.reverse(this.#counterpart(request, version), { ...options, kwargs })
  }

  /** The name that the route of the request has in another version. */
  #counterpart (request: ReversingRequest, version: string | null): string {
    const name = routeNameOf(request)
    if (name === undefined) {
      throw new NoReverseMatchError('The current route has no name under which another version could know it.', false)
    }
    const namespace: readonly (string | null)[] = namespaceOf(request.server)
    const at = namespace.indexOf(request.version)
    const others = namespace.filter((_, i) => i !== at)
    return [...(version === null ? others : others.toSpliced(Math.max(at, 0), 0, version)), name].join(':')
  }
}

import { namespaceOf } from '../instances.ts'
import { BaseVersioning, setPlace } from './base.ts'
import { versionAmong } from './reading.ts'

import type { FastifyRequest } from 'fastify'

/**
 * ```http
 * GET /1.0/bookings/ HTTP/1.1
 * Host: example.com
 * Accept: application/json
 * ```
 *
 * The routes of a version share a context: `app.register(routes, { prefix: '/1.0', namespace: '1.0' })`. Outside of
 * namespaces the default version is not checked (SPEC.md, NamespaceVersioning 2).
 */
export class NamespaceVersioning extends BaseVersioning {
  static {
    setPlace(this, {
      place: 'namespace',
      placeText: 'namespace of the route',
      linkPlace: 'namespace',
      invalidVersionMessage: 'Invalid version in URL path. Does not match any version namespace.',
      knownAfterRouting: 'under NamespaceVersioning, the namespace is the version. Write ' +
        "register(routes, { prefix: '/v1', namespace: 'v1' })"
    }, { isDefaultChecked: false, reads: [] })
  }

  /** Returns the namespace that is the version, or all namespaces if none is allowed. */
  override readVersion ({ server }: FastifyRequest): string | undefined {
    const { names } = namespaceOf(server)
    return versionAmong(names, this) ?? (names.join(':') || undefined)
  }
}

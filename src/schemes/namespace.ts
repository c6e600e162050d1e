import { namespaceOf } from '../links/scope.ts'
import { BaseVersioning, setPlace } from './base.ts'

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
      isDefaultChecked: false,
      invalidVersionMessage: 'Invalid version in URL path. Does not match any version namespace.',
      knownAfterRouting: 'the version is a namespace: register(routes, { prefix, namespace })'
    })
  }

  /** The namespace that is the version, or all of them if none is allowed. */
  override readVersion ({ server }: FastifyRequest): string | undefined {
    const { names } = namespaceOf(server)
    return this.versionIn(names) ?? (names.join(':') || undefined)
  }

  /** @internal A namespace means itself. */
  override resolve (requested: string): string {
    return requested
  }

  /** @internal The first namespace that is allowed, or null if none is. */
  override versionIn (namespaces: readonly string[]): string | null {
    for (const name of namespaces) if (this.allows(name)) return name
    return null
  }
}

import { namespaceOf } from '../links/scope.ts'
import { BaseVersioning, setDefaults } from './base.ts'

import type { FastifyRequest } from 'fastify'

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
  static override readonly label: string = 'NamespaceVersioning'
  static {
    setDefaults(this.prototype, {
      place: 'namespace',
      placeText: 'namespace of the route',
      isInLinks: true,
      linkPlace: 'namespace',
      invalidVersionMessage: 'Invalid version in URL path. Does not match any version namespace.',
      settingsRead: [],
      knownAfterRouting: 'the version is a namespace: register(routes, { prefix, namespace })'
    })
  }

  /** Links in its own version find `1.0:bookings` as `bookings`, and `shop:1.0:bookings` as `shop:bookings`. */
  protected override shortNameOf (name: string): string | null {
    const names = name.split(':')
    const at = names.slice(0, -1).findIndex((namespace) => this.isAllowedVersion(namespace))
    return at === -1 ? null : names.toSpliced(at, 1).join(':')
  }

  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const { names } = namespaceOf(request.server)
    if (names.length === 0) return this.defaultFor(request)
    const version = this.versionIn(names)
    if (version === null) throw this.refusal()
    return version
  }

  /** The namespace that is the version, or all of them if none is allowed. */
  override readVersion ({ server }: FastifyRequest): string | undefined {
    const { names } = namespaceOf(server)
    return this.versionIn(names) ?? (names.join(':') || undefined)
  }

  /** The first namespace that is allowed, or null if none is. */
  protected versionIn (namespaces: readonly string[]): string | null {
    for (const name of namespaces) {
      if (this.isAllowedVersion(name)) return name
    }
    return null
  }
}

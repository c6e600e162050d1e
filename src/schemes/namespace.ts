import { namespaceOf } from '../links/scope.ts'
import { checkLinkOptions, serverOf } from '../links/link-options.ts'
import { reverseElsewhere, reverseInNamespace } from '../links/reverse.ts'
import { BaseVersioning, setDefaults, versionOfLink } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

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
      invalidVersionMessage: 'Invalid version in URL path. Does not match any version namespace.',
      settingsRead: [],
      knownAfterRouting: 'the version is a namespace: register(routes, { prefix, namespace })'
    })
  }

  /** Links in its own version find `1.0:bookings` as `bookings`. */
  override shortNameOf (name: string): string | null {
    const [namespace, ...rest] = name.split(':')
    return rest.length > 0 && this.isAllowedVersion(namespace) ? rest.join(':') : null
  }

  override determineVersion ({ server }: FastifyRequest): string | null {
    const { names } = namespaceOf(server)
    if (names.length === 0) return this.defaultVersion
    const version = this.versionIn(names)
    if (version === null) throw this.refusal()
    return version
  }

  /** The namespace that is the version; where none is permitted, all of them. */
  override readVersion ({ server }: FastifyRequest): string | undefined {
    const { names } = namespaceOf(server)
    return this.versionIn(names) ?? (names.join(':') || undefined)
  }

  /** The first of the namespaces that is permitted; null: none is. */
  versionIn (namespaces: readonly string[]): string | null {
    for (const name of namespaces) {
      if (this.isAllowedVersion(name)) return name
    }
    return null
  }

  /** The version becomes the namespace of the name: `bookings` is looked up as `1.0:bookings`. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const version = versionOfLink(this, options)
    const { request } = options
    checkLinkOptions(this, options)
    if (viewName === null && request && version !== request.version) {
      return reverseElsewhere(namespacesIn(version, request), request, options)
    }
    if (viewName === null || version === null) return super.reverse(viewName, options)
    return reverseInNamespace(serverOf(this, options), version, viewName, options)
  }
}

/**
 * The namespaces in which a route may be in another version: that of the request with the version in the place of its
 * own; where the request has none, because it was refused, in the place of each; and inside the version.
 */
function namespacesIn (version: string | null, { server, version: own }: ReversingRequest): string[][] {
  const { names } = namespaceOf(server)
  const other = version === null ? [] : [version]
  const at = names.findIndex((name) => name === own)
  const places = at === -1 ? [...names.keys()] : [at]
  const namespaces = places.map((place) => names.toSpliced(place, 1, ...other))
  return places.length === 1 ? namespaces : [...namespaces, [...other, ...names]]
}

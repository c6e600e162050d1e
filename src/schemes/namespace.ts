import { namespaceOf } from '../links/scope.ts'
import { JoinedNames } from './joined-names.ts'
import { reverseElsewhere } from '../links/reverse.ts'
import { BaseVersioning } from './base.ts'

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
  override readonly invalidVersionMessage = 'Invalid version in URL path. Does not match any version namespace.'

  /** What a route says there instead of `version`. */
  readonly versionPlace = 'none, for the version is a namespace: register(routes, { prefix, namespace })'

  readonly #names = new JoinedNames()

  /** Links in its own version find `1.0:bookings` as `bookings`. */
  override shortNameOf (name: string): string | null {
    const [namespace, ...rest] = name.split(':')
    return rest.length > 0 && this.isAllowedVersion(namespace) ? rest.join(':') : null
  }

  override determineVersion (request: FastifyRequest): string | null {
    const { names } = namespaceOf(request.server)
    if (names.length === 0) return this.defaultVersion
    for (const name of names) {
      if (this.isAllowedVersion(name)) return name
    }
    throw this.refusal()
  }

  /** The namespace that is the version; where none is permitted, all of them. */
  requestedVersion (request: FastifyRequest): string | undefined {
    const { names } = namespaceOf(request.server)
    return names.find((name) => this.isAllowedVersion(name)) ?? (names.join(':') || undefined)
  }

  /** The version becomes the namespace of the name: `bookings` is looked up as `1.0:bookings`. */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const version = this.linkVersion(options)
    const { request } = options
    if (viewName === null && request && version !== request.version) {
      return reverseElsewhere(namespacesIn(version, request), request, options)
    }
    const isPlain = viewName === null || version === null
    return super.reverse(isPlain ? viewName : this.#names.join(version, viewName), options)
  }
}

/**
 * The namespaces in which a route may be in another version: that of the request with the version in the place of its
 * own; where the request has none, because it was refused, in the place of each; and inside the version.
 */
function namespacesIn (version: string | null, { server, version: own }: ReversingRequest): string[][] {
  const { names } = namespaceOf(server)
  const other = version === null ? [] : [version]
  const places = own === null || !names.includes(own) ? [...names.keys()] : [names.indexOf(own)]
  const namespaces = places.map((at) => names.toSpliced(at, 1, ...other))
  return places.length === 1 ? namespaces : [...namespaces, [...other, ...names]]
}

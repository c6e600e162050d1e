import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: v1.example.com
 * Accept: application/json
 * ```
 */
export class HostNameVersioning extends BaseVersioning {
  override readonly invalidVersionMessage = 'Invalid version in hostname.'

  /** What a hostname with a version looks like: exactly three alphanumeric labels; the first group is the version. */
  readonly hostnameRegex: RegExp = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

  override determineVersion (request: FastifyRequest): string | null {
    const { host } = request
    const portStart = host.indexOf(':')
    const match = this.hostnameRegex.exec(portStart === -1 ? host : host.slice(0, portStart))
    return match === null ? this.defaultVersion : this.permit(match[1])
  }

  // No `reverse` of its own: a link is relative to the host, and so stays on the version's.
}

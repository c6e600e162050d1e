import { ReverseHostError, ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { keepRead, setTrusted } from '../scheme.ts'
import { BaseVersioning, setDefaults } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'
import type { Origin } from '../http/origin.ts'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: v1.example.com
 * Accept: application/json
 * ```
 */
export class HostNameVersioning extends BaseVersioning {
  static override readonly label: string = 'HostNameVersioning'
  static {
    setDefaults(this.prototype, {
      place: 'host',
      placeText: 'hostname',
      isInLinks: true,
      linkPlace: 'host',
      invalidVersionMessage: 'Invalid version in hostname.',
      settingsRead: []
    })
  }

  /** What a hostname with a version looks like: exactly three alphanumeric labels; the first group is the version. */
  readonly hostnameRegex: RegExp = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const version = this.readVersion(request)
    keepRead(request, version ?? null)
    return version === undefined ? this.defaultFor(request) : this.permit(version)
  }

  /** The host that a proxy forwards is known only after routing. */
  override readVersion (request: RawRequest | FastifyRequest): string | undefined {
    if ('host' in request) return this.versionInHost(request.host)
    const { headers } = request
    return this.versionInHost(headers.host ?? headers[':authority']?.toString() ?? '')
  }

  /** The host with this version instead of its own, or null if it cannot have one. */
  override hostFor (version: string, host: string): string | null {
    const { source, flags } = this.hostnameRegex
    const place = new RegExp(source, flags.replace('d', '') + 'd').exec(hostnameOf(host))?.indices?.[1]
    if (place === undefined) return null
    const other = host.slice(0, place[0]) + version + host.slice(place[1])
    return this.versionInHost(other) === version ? other : null
  }

  /** The version of a host, or undefined if it has none. */
  protected versionInHost (host: string): string | undefined {
    // A regular expression with the flag g or y would continue where the last request ended.
    this.hostnameRegex.lastIndex = 0
    return this.hostnameRegex.exec(hostnameOf(host))?.[1]
  }

  /**
   * The same origin with another version instead of its own.
   *
   * @throws FST_ERR_REVERSE_HOST (400) if the host has no version
   * @throws FST_ERR_REVERSE_OPTION when the version does not fit into the host
   */
  protected originFor (version: string, { protocol, host }: Origin): Origin {
    if (this.versionInHost(host) === undefined) throw new ReverseHostError('a host with a version', show(host))
    const other = this.hostFor(version, host)
    if (other !== null) return { protocol, host: other }
    throw new ReverseOptionError('version', `a version that fits into the host ${show(host)}`, show(version))
  }
}

/** A host without its port. */
function hostnameOf (host: string): string {
  const portStart = host.indexOf(':')
  return portStart === -1 ? host : host.slice(0, portStart)
}

setTrusted(HostNameVersioning.prototype.determineVersion)

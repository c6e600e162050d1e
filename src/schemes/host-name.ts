import { BaseVersioning, setPlace } from './base.ts'

import type { Requested } from './reading.ts'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: v1.example.com
 * Accept: application/json
 * ```
 *
 * On a host without a version the default version is not checked (SPEC.md, HostNameVersioning 3).
 */
export class HostNameVersioning extends BaseVersioning {
  static { setPlace(this, { place: 'host', placeText: 'hostname', linkPlace: 'host' }, { isDefaultChecked: false }) }

  /** What a hostname with a version looks like: exactly three alphanumeric labels; the first group is the version. */
  readonly hostnameRegex: RegExp = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

  /** Returns the version of the host. The host that a proxy forwards is known only after routing. */
  override readVersion (request: Requested): string | undefined {
    if ('host' in request) return versionInName(request.host, this.hostnameRegex)
    const { headers } = request
    return versionInName(headers.host ?? headers[':authority']?.toString() ?? '', this.hostnameRegex)
  }

  override hostFor (version: string, host: string): string | null {
    const { source, flags } = this.hostnameRegex
    const place = new RegExp(source, flags.replace('d', '') + 'd').exec(hostnameOf(host))?.indices?.[1]
    if (place === undefined) return null
    const versioned = host.slice(0, place[0]) + version + host.slice(place[1])
    return versionInName(versioned, this.hostnameRegex) === version ? versioned : null
  }
}

/** @internal Returns the version of a host, or undefined if it has none. */
export function versionInName (host: string, hostnameRegex: RegExp): string | undefined {
  // A regular expression with the flag g or y would continue where the last request ended.
  if (hostnameRegex.lastIndex !== 0) hostnameRegex.lastIndex = 0
  return hostnameRegex.exec(hostnameOf(host))?.[1]
}

function hostnameOf (host: string): string {
  const portStart = host.indexOf(':')
  return portStart === -1 ? host : host.slice(0, portStart)
}

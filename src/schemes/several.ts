import { BaseVersioning, agreed, setPlace } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { Reading, Requested, Scheme } from './base.ts'
import type { VersioningSettings } from '../../types/index.d.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 *
 * Several schemes at once: a client specifies the version in any of their places.
 */
export class SeveralVersioning extends BaseVersioning {
  // By its place, the check of schemes knows a class of this package.
  static { setPlace(this, { place: 'custom' }) }

  /** In the order of the list. */
  declare readonly schemes: readonly Scheme[]

  constructor (schemes: readonly Scheme[], settings: VersioningSettings) {
    super(settings)
    const late = schemes.find(({ knownAfterRouting }) => knownAfterRouting !== null)
    Object.assign(this, {
      schemes: Object.freeze([...schemes]),
      label: schemes.map(({ label }) => label).join(', '),
      invalidVersionMessage: schemes[0].invalidVersionMessage,
      vary: [...new Set(schemes.flatMap(({ vary }) => vary ?? []))].join(', ') || null,
      knownAfterRouting: late === undefined ? null : `under ${late.label} ${late.knownAfterRouting}`,
      linkOptions: schemes.flatMap(({ linkOptions }) => linkOptions)
    })
  }

  /** A member may allow more than the list. */
  override isAllowedVersion (version: string | null): boolean {
    return super.isAllowedVersion(version) || (version !== null && this.schemes.some((one) => one.allows(version)))
  }

  override versionIn (namespaces: readonly string[]): string | null {
    return this.schemes.map((one) => one.versionIn(namespaces)).find((version) => version !== null) ?? null
  }

  override readings (request: Requested): readonly Reading[] {
    const all: Reading[] = []
    // For every request: flatMap() takes longer than all the rest of a scheme.
    for (const one of this.schemes) all.push(...one.readings(request))
    return all
  }

  /** A member may have its own settings. */
  override find (request: Requested): string | null | undefined {
    const first = agreed(this.readings(request))
    if (first === null) return null
    const { scheme, resolved } = first
    return resolved !== null && scheme.allows(resolved) ? resolved : undefined
  }

  /** @throws FST_ERR_VERSION_AMBIGUOUS (400) if the places have different versions */
  override readVersion (request: Requested): string | null {
    return agreed(this.readings(request))?.version ?? null
  }

  /** As the first scheme that has read a version determines it. */
  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const first = agreed(this.readings(request))
    return first === null ? this.permit(null, request) : first.scheme.determineVersion(request)
  }

  override readerFor (request: FastifyRequest): Scheme {
    try {
      return agreed(this.readings(request))?.scheme ?? this.schemes[0]
    } catch {
      return this.schemes[0]
    }
  }

  /** As the scheme that refuses the request makes it. */
  override refusal (message?: string, request?: FastifyRequest): Error {
    return (request === undefined ? this.schemes[0] : this.readerFor(request)).refusal(message, request)
  }
}

import { BaseVersioning, meant } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { Named, Requested, Scheme } from '../scheme.ts'
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
  /** In the order of the list. */
  readonly schemes: readonly Scheme[]
  override readonly label: string
  override readonly invalidVersionMessage: string
  override readonly vary: string | null
  override readonly knownAfterRouting: string | null
  override readonly linkOptions: readonly string[]
  override readonly mediaTypes: readonly string[]

  constructor (schemes: readonly Scheme[], settings: VersioningSettings) {
    super(settings)
    const late = schemes.find(({ knownAfterRouting }) => knownAfterRouting !== null)
    const vary = new Set(schemes.map((one) => one.vary).filter((one) => one !== null))
    this.schemes = Object.freeze([...schemes])
    this.label = schemes.map(({ label }) => label).join(', ')
    this.invalidVersionMessage = schemes[0].invalidVersionMessage
    this.vary = vary.size === 0 ? null : [...vary].join(', ')
    this.knownAfterRouting = late === undefined ? null : `under ${late.label} ${late.knownAfterRouting}`
    this.linkOptions = schemes.flatMap(({ linkOptions }) => linkOptions)
    this.mediaTypes = schemes.flatMap(({ mediaTypes }) => mediaTypes ?? [])
  }

  override get members (): readonly Scheme[] {
    return this.schemes
  }

  override get isList (): boolean {
    return true
  }

  override get isInLinks (): boolean {
    return this.schemes.some(({ isInLinks }) => isInLinks)
  }

  override versionIn (namespaces: readonly string[]): string | null {
    return firstOf(this.schemes, (one) => one.versionIn(namespaces))
  }

  override shortNameOf (name: string): string | null {
    return firstOf(this.schemes, (one) => one.shortNameOf(name))
  }

  override named (request: Requested): readonly Named[] {
    const named: Named[] = []
    for (const scheme of this.schemes) named.push(...scheme.named(request))
    return named
  }

  override find (request: Requested): string | null | undefined {
    const named = this.named(request)
    const version = meant(named)
    // A member may have its own settings.
    return typeof version !== 'string' || named[0].scheme.allows(version) ? version : undefined
  }

  /** @throws FST_ERR_VERSION_AMBIGUOUS (400) if the places have different versions */
  override readVersion (request: Requested): string | null {
    const named = this.named(request)
    meant(named)
    return named.length === 0 ? null : named[0].version
  }

  /** As the first scheme that has read a version determines it. */
  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const named = this.named(request)
    meant(named)
    return named.length === 0 ? this.permit(null, request) : named[0].scheme.determineVersion(request)
  }

  /** The refusal of the first scheme that has read a version, or else of the first one. */
  override refusal (message?: string, request?: FastifyRequest): Error {
    const [first = this.schemes[0]] = request === undefined ? [] : this.naming(request)
    return first.refusal(message, request)
  }
}

function firstOf (schemes: readonly Scheme[], read: (scheme: Scheme) => string | null): string | null {
  for (const scheme of schemes) {
    const found = read(scheme)
    if (found !== null) return found
  }
  return null
}

import { VersionNotSupportedError } from '../errors.ts'
import { normalizeSettings } from '../options/settings.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersionParameter, VersioningSettings } from '../../types/index.d.ts'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 */
export class HeaderVersioning extends BaseVersioning {
  static override readonly label: string = 'HeaderVersioning'
  override readonly place: string = 'header'
  override readonly placeText: string
  override readonly invalidVersionMessage: string
  override readonly vary: string | null
  override readonly parameter: VersionParameter
  override readonly settingsRead: readonly string[] | null = ['versionHeader']

  /** The name of the request header. */
  readonly versionHeader: string
  readonly #field: string

  constructor (settings: VersioningSettings = {}) {
    super(settings)
    const { versionHeader } = normalizeSettings(settings)
    this.versionHeader = versionHeader
    this.placeText = `"${versionHeader}" header`
    this.invalidVersionMessage = `Invalid version in ${this.placeText}.`
    this.vary = versionHeader
    this.parameter = { in: 'header', name: versionHeader }
    this.#field = versionHeader.toLowerCase()
  }

  /** A header that is sent twice is one list with commas to Node. */
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    const text = headers[this.#field]
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    if (typeof text !== 'string') return null
    return text.includes(',') ? text.split(',').map((one) => one.trim()).filter(isNamed) : text.trim() || null
  }

  override refusal (message: string = this.invalidVersionMessage, _request?: FastifyRequest): Error {
    return new VersionNotSupportedError(message, this.allowedVersions)
  }

  // No `reverse` of its own: a URL has no place for a header.
}

/** What this scheme reads is at hand: it determines the version without a promise. */
export interface HeaderVersioning { determineVersion (request: FastifyRequest): string | null }

function isNamed (version: string): boolean {
  return version !== ''
}

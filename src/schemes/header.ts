import { trimSpace } from '../http/headers.ts'
import { normalizeSettings } from '../options/options.ts'
import { BaseVersioning, setDefaults, setFields } from './base.ts'

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
  static {
    setDefaults(this.prototype, { place: 'header', refusalKind: 'notSupported', settingsRead: ['versionHeader'] })
  }

  declare readonly parameter: VersionParameter

  /** The name of the request header. */
  readonly versionHeader: string
  readonly #field: string

  constructor (settings: VersioningSettings = {}) {
    super(settings)
    const { versionHeader } = normalizeSettings(settings)
    const placeText = `"${versionHeader}" header`
    this.versionHeader = versionHeader
    this.#field = versionHeader.toLowerCase()
    setFields(this, {
      placeText,
      invalidVersionMessage: `Invalid version in ${placeText}.`,
      vary: versionHeader,
      parameter: { in: 'header', name: versionHeader }
    })
  }

  /** A header that is sent twice is one list with commas to Node. */
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    const text = headers[this.#field]
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    if (typeof text !== 'string') return null
    return text.includes(',') ? text.split(',').map(trimSpace).filter(isNamed) : trimSpace(text) || null
  }

  // No own `reverse`: a URL has no place for a header.
}

function isNamed (version: string): boolean {
  return version !== ''
}

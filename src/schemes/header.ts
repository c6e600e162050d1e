import { trimSpace } from '../http/headers.ts'
import { normalizeSettings } from '../options/options.ts'
import { BaseVersioning, setPlace } from './base.ts'

import type { RawRequest, VersionParameter, VersioningSettings } from '../../types/index.d.ts'

const SPACE = 32

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 */
export class HeaderVersioning extends BaseVersioning {
  static { setPlace(this, { place: 'header', refusalKind: 'notSupported' }) }

  /** The name of the request header. */
  readonly versionHeader: string
  override readonly placeText: string
  override readonly invalidVersionMessage: string
  override readonly vary: string
  override readonly parameter: VersionParameter
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
    if (text.includes(',')) return text.split(',').map(trimSpace).filter(Boolean)
    // Node has removed the space around it.
    const isTrimmed = text.charCodeAt(0) > SPACE && text.charCodeAt(text.length - 1) > SPACE
    return isTrimmed ? text : trimSpace(text) || null
  }
}

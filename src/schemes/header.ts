import { trimSpace } from '../http/headers.ts'
import { BaseVersioning, setPlace } from './base.ts'

import type { RawRequest } from '../../types/index.d.ts'

const SPACE = 32

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 */
export class HeaderVersioning extends BaseVersioning {
  static {
    setPlace<HeaderVersioning>(this, {
      place: 'header',
      placeText: ({ versionHeader }) => `"${versionHeader}" header`,
      refusalKind: 'notSupported',
      vary: ({ versionHeader }) => versionHeader,
      parameter: ({ versionHeader }) => ({ in: 'header', name: versionHeader })
    }, { mayNameVersions: true, reads: ['resolveVersion', 'versionHeader'] })
  }

  declare readonly versionHeader: string
  #field: string | undefined

  /** Returns the version, or a list: Node makes one header with commas of a header that is sent twice. */
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    const text = headers[this.#field ??= this.versionHeader.toLowerCase()]
    // The headers of HTTP/1.1 are an ordinary object, so a header called "constructor" may be an inherited function.
    if (typeof text !== 'string') return null
    if (text.includes(',')) return text.split(',').map(trimSpace).filter(Boolean)
    // Node has removed the space around a header, `inject` has not.
    const isTrimmed = text.charCodeAt(0) > SPACE && text.charCodeAt(text.length - 1) > SPACE
    return isTrimmed ? text : trimSpace(text) || null
  }
}

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

  /** A header that is sent twice is one list with commas to Node. */
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    const text = headers[this.#field ??= this.versionHeader.toLowerCase()]
    // The headers of HTTP/1.1 are an ordinary object, which inherits a constructor.
    if (typeof text !== 'string') return null
    if (text.includes(',')) return text.split(',').map(trimSpace).filter(Boolean)
    // Node has removed the space around it.
    const isTrimmed = text.charCodeAt(0) > SPACE && text.charCodeAt(text.length - 1) > SPACE
    return isTrimmed ? text : trimSpace(text) || null
  }
}

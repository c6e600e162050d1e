import { parseContentType } from '../http/accept.ts'
import { setDefaults } from './base.ts'
import { MediaTypeVersioning } from './media-type.ts'

import type { RawRequest } from '../../types/index.d.ts'
import type { MediaRange } from '../http/accept.ts'

/**
 * ```http
 * POST /bookings/ HTTP/1.1
 * Host: example.com
 * Content-Type: application/json; version=1.0
 * ```
 */
export class ContentTypeVersioning extends MediaTypeVersioning {
  static override readonly label: string = 'ContentTypeVersioning'
  static {
    setDefaults(this.prototype, {
      place: 'content-type',
      placeText: '"Content-Type" header',
      invalidVersionMessage: 'Invalid version in "Content-Type" header.',
      refusalKind: 'unsupportedMediaType',
      vary: 'Content-Type'
    })
  }

  override readVersion ({ headers }: Pick<RawRequest, 'headers'>): string | readonly string[] | null {
    return this.versionsIn(headers['content-type'])
  }

  protected override mediaTypeOf (header: string): MediaRange | null {
    return parseContentType(header)
  }

  // No own `reverse`: a URL has no place for a header.
}

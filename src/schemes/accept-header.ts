import { parseAccept } from '../http/accept.ts'
import { setPlace } from './base.ts'
import { MEDIA_TYPE_SETTINGS, MediaTypeVersioning, SOURCE } from './media-type.ts'

import type { MediaRange } from '../http/accept.ts'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: example.com
 * Accept: application/json; version=1.0
 * ```
 */
export class AcceptHeaderVersioning extends MediaTypeVersioning {
  static {
    setPlace(this, {
      place: 'accept', placeText: '"Accept" header', refusalKind: 'notAcceptable', vary: 'Accept'
    }, { reads: MEDIA_TYPE_SETTINGS })
  }

  /** @internal */
  readonly [SOURCE] = { field: 'accept', mediaTypeIn: bestOf } as const
}

/** Returns the first of the media ranges that rank highest: by weight, then by how specific they are. */
function bestOf (header: string, isOfApi: (range: MediaRange) => boolean): MediaRange | null {
  let best: MediaRange | null = null
  for (const range of parseAccept(header)) {
    if (range.quality > 0 && isOfApi(range) && (best === null || isPreferred(range, best))) best = range
  }
  return best
}

function isPreferred (a: MediaRange, b: MediaRange): boolean {
  return (a.quality - b.quality || specificity(a) - specificity(b)) > 0
}

/** Ranks ranges by RFC 9110, section 12.5.1: `type/subtype;parameter`, `type/subtype`, `type/*`, the full wildcard. */
function specificity ({ mediaType, parameters }: MediaRange): number {
  if (mediaType === '*/*') return 0
  if (mediaType.endsWith('/*')) return 1
  return parameters.size === 0 ? 2 : 3
}

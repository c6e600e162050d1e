import { parseAccept } from '../http/accept.ts'
import { VersionNotAcceptableError } from '../errors.ts'
import { HeaderCache } from './header-cache.ts'
import { normalizeSettings } from '../options/settings.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningSettings } from '../../types/index.d.ts'
import type { MediaRange } from '../http/accept.ts'

/**
 * ```http
 * GET /bookings/ HTTP/1.1
 * Host: example.com
 * Accept: application/json; version=1.0
 * ```
 */
export class AcceptHeaderVersioning extends BaseVersioning {
  override readonly invalidVersionMessage = 'Invalid version in "Accept" header.'
  override readonly vary: string | null = 'Accept'

  /** Media types that the API can answer with, in lower case; null when every media range counts. */
  readonly mediaTypes: readonly string[] | null
  #answers: readonly string[] | null | undefined
  readonly #versions = new HeaderCache<string | null>()

  constructor (settings: VersioningSettings = {}) {
    const normalized = normalizeSettings(settings)
    super(normalized)
    this.mediaTypes = normalized.mediaTypes
  }

  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(this.readVersion(request))
  }

  requestedVersion (request: FastifyRequest): string | null {
    return this.readVersion(request)
  }

  readVersion ({ headers: { accept } }: Pick<RawRequest, 'headers'>): string | null {
    return accept === undefined ? null : this.#versionIn(accept)
  }

  override refusal (message: string = this.invalidVersionMessage): Error {
    return new VersionNotAcceptableError(message, this.allowedVersions)
  }

  // No `reverse` of its own: a URL has no place for a header.

  #versionIn (header: string): string | null {
    const known = this.#versions.get(header)
    if (known !== undefined) return known
    const version = this.#negotiate(header)?.parameters.get(this.versionParam.toLowerCase()) ?? null
    this.#versions.set(header, version)
    return version
  }

  /** The first of the ranges that rank highest: by weight, then by how specific they are. */
  #negotiate (header: string): MediaRange | undefined {
    let best: MediaRange | undefined
    for (const range of parseAccept(header)) {
      if (range.quality > 0 && this.#canAnswer(range) && (best === undefined || compare(range, best) > 0)) best = range
    }
    return best
  }

  #canAnswer ({ mediaType }: MediaRange): boolean {
    // A class field comes as its author wrote it.
    if (this.#answers === undefined) this.#answers = normalizeSettings(this).mediaTypes
    const answers = this.#answers
    if (answers === null || mediaType === '*/*') return true
    if (!mediaType.endsWith('/*')) return answers.includes(mediaType)
    const type = mediaType.slice(0, -1)
    return answers.some((answer) => answer.startsWith(type))
  }
}

function compare (a: MediaRange, b: MediaRange): number {
  return a.quality - b.quality || specificity(a) - specificity(b)
}

/** RFC 9110 section 12.5.1: `type/subtype;parameter`, then `type/subtype`, then `type/*`, then the full wildcard. */
function specificity ({ mediaType, parameters }: MediaRange): number {
  if (mediaType === '*/*') return 0
  if (mediaType.endsWith('/*')) return 1
  return parameters.size === 0 ? 2 : 3
}

import { nameOf } from '../messages.ts'
import { recordOf, setTrusted } from '../scheme.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningScheme, VersioningSettings } from '../../types/index.d.ts'

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
  override readonly label: string
  override readonly invalidVersionMessage: string
  override readonly vary: string | null
  override readonly settingsRead: readonly string[] | null
  override readonly knownAfterRouting: string | null
  override readonly linkOptions: readonly string[]
  override readonly isInLinks: boolean

  /** In the order of the list. */
  readonly schemes: readonly VersioningScheme[]

  constructor (schemes: readonly VersioningScheme[], settings: VersioningSettings) {
    super(settings)
    const late = schemes.find(({ knownAfterRouting }) => typeof knownAfterRouting === 'string')
    const members = schemes.map(recordOf)
    const vary = members.map((one) => one.vary).filter((one) => one !== null)
    this.schemes = Object.freeze([...schemes])
    this.label = members.map(({ label }) => label).join(', ')
    this.invalidVersionMessage = schemes[0].invalidVersionMessage
    this.vary = vary.length === 0 ? null : [...new Set(vary)].join(', ')
    this.settingsRead = members.some((one) => one.settingsRead === null)
      ? null
      : [...new Set(members.flatMap((one) => one.settingsRead as readonly string[]))]
    this.knownAfterRouting = late === undefined ? null : `under ${nameOf(late)} ${late.knownAfterRouting}`
    this.linkOptions = members.flatMap(({ linkOptions }) => linkOptions)
    this.isInLinks = members.some(({ isInLinks }) => isInLinks)
  }

  /** @throws FST_ERR_VERSION_AMBIGUOUS (400) if the places have different versions */
  override readVersion (request: RawRequest | FastifyRequest): string | null {
    return recordOf(this).read(request)
  }

  /** As the first scheme that has read a version determines it. */
  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const scheme = recordOf(this)
    if (scheme.read(request) === null) return this.permit(null, request)
    return scheme.naming(request)[0].source.determineVersion(request)
  }

  /** The refusal of the first scheme that has read a version, or else of the first one. */
  override refusal (message?: string, request?: FastifyRequest): Error {
    const scheme = recordOf(this)
    const [first = scheme.members[0]] = request === undefined ? [] : scheme.naming(request)
    return first.refusal(request, message)
  }
}

setTrusted(SeveralVersioning.prototype.determineVersion)

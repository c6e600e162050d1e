import { BaseVersioning } from './base.ts'
import { agreed, refusalBy } from './reading.ts'
import { Scheme } from './scheme.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningSettings } from '../../types/index.d.ts'
import type { Requested } from './reading.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 *
 * Makes a scheme of several schemes: a client specifies the version in any of their places.
 *
 * @param settings settings of the list, whose versions each member allows that lists none
 */
export function schemeList (members: readonly Scheme[], settings: VersioningSettings): Scheme {
  const list = new SeveralVersioning(members, settings)
  if (!list.allowedVersions?.length) return new Scheme(list, members)
  return new Scheme(list, members.map((member) => (
    member.allowedVersions?.length ? member : new Scheme(member.author, null, list)
  )))
}

/** The object of a list, as requests show it. `Scheme.of` finds its record, which has the members. */
class SeveralVersioning extends BaseVersioning {
  /** The schemes, in the order of the list. */
  declare readonly schemes: readonly BaseVersioning[]

  constructor (members: readonly Scheme[], settings: VersioningSettings) {
    super(settings)
    const late = members.find(({ knownAfterRouting }) => knownAfterRouting !== null)
    Object.assign(this, {
      schemes: Object.freeze(members.map(({ author }) => author)),
      label: members.map(({ label }) => label).join(', '),
      invalidVersionMessage: members[0].invalidVersionMessage,
      vary: [...new Set(members.flatMap(({ vary }) => vary ?? []))].join(', ') || null,
      knownAfterRouting: late?.knownAfterRouting ?? null,
      linkOptions: members.flatMap(({ linkOptions }) => linkOptions)
    })
  }

  /** Tells whether the list or a member allows a version: a member may allow more than the list. */
  override isAllowedVersion (version: string | null): boolean {
    return super.isAllowedVersion(version) ||
      (version !== null && Scheme.of(this).members.some((member) => member.allows(version)))
  }

  /** @throws FST_ERR_VERSION_AMBIGUOUS (400) if the places have different versions */
  override readVersion (request: Requested): string | null {
    return agreed(Scheme.of(this).readings(request))?.version ?? null
  }

  /** Determines the version as the first scheme does that has read one. */
  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const first = agreed(Scheme.of(this).readings(request))
    if (first === null) return this.permit(null, request)
    const { resolved, scheme: { author, ownMethods, within }, scheme } = first
    if (within === null) return author.determineVersion(request)
    // The member lists no versions, so by itself it would allow every version.
    if (resolved === null || !scheme.allows(resolved)) throw refusalBy(author, request, 'unsupported')
    return ownMethods.has('determineVersion') ? author.determineVersion(request) : resolved
  }

  /** Makes the refusal as the member does that has read the version, or else as the first member does. */
  override refusal (message?: string, request?: FastifyRequest): Error {
    const { members } = Scheme.of(this)
    const { author } = request === undefined ? members[0] : Scheme.of(this).readerFor(request)
    return author.refusal(message, request)
  }
}

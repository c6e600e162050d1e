import { nameOf } from '../errors.ts'
import { ambiguity, isPermitted, refusalOf, versionNamed } from '../routing/reading.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, ReverseOptions, VersioningScheme, VersioningSettings } from '../../types/index.d.ts'
import type { HostLinking, Linking, LinkingList, Namespaced } from '../links/reverse.ts'
import type { Named } from '../routing/reading.ts'

/**
 * ```http
 * GET /bookings/?version=1.0 HTTP/1.1
 * Host: example.com
 * API-Version: 1.0
 * ```
 *
 * Several schemes at once: a client names the version in any of their places.
 */
export class SeveralVersioning extends BaseVersioning implements LinkingList {
  override readonly label: string
  override readonly invalidVersionMessage: string
  override readonly vary: string | null
  override readonly settingsRead: readonly string[] | null
  override readonly knownAfterRouting: string | null
  override readonly linkOptions: readonly string[]
  override readonly isInLinks: boolean
  readonly linksToRequestHost: boolean

  /** In the order of the list. */
  readonly schemes: readonly VersioningScheme[]
  readonly #inLinks: readonly VersioningScheme[]
  readonly inPath: readonly VersioningScheme[]
  readonly inNamespace: readonly Namespaced[]
  readonly inQuery: readonly Linking[]
  readonly inHost: readonly HostLinking[]

  constructor (schemes: readonly VersioningScheme[], settings: VersioningSettings) {
    super(settings)
    const late = schemes.find(({ knownAfterRouting }) => typeof knownAfterRouting === 'string')
    const vary = schemes.map((scheme) => scheme.vary).filter((one) => typeof one === 'string')
    const settingsRead = schemes.flatMap<string | null>((scheme) => scheme.settingsRead ?? [null])
    this.schemes = Object.freeze([...schemes])
    this.label = schemes.map(nameOf).join(', ')
    this.invalidVersionMessage = schemes[0].invalidVersionMessage
    this.vary = vary.length === 0 ? null : [...new Set(vary)].join(', ')
    this.settingsRead = settingsRead.includes(null) ? null : [...new Set(settingsRead as string[])]
    this.knownAfterRouting = late === undefined ? null : `under ${nameOf(late)} ${late.knownAfterRouting}`
    this.linkOptions = schemes.flatMap(({ linkOptions }) => linkOptions ?? [])
    this.#inLinks = schemes.filter(({ isInLinks }) => isInLinks)
    this.isInLinks = this.#inLinks.length > 0
    this.inPath = schemes.filter(({ impliedParam }) => impliedParam)
    this.inNamespace = (schemes as Namespaced[]).filter(({ versionIn }) => versionIn !== undefined)
    this.inQuery = (schemes as Linking[]).filter(({ linkPlace }) => linkPlace === 'query')
    this.inHost = (schemes as HostLinking[]).filter(({ linkPlace }) => linkPlace === 'host')
    this.linksToRequestHost = schemes.some(({ linksToRequestHost }) => linksToRequestHost === true)
  }

  override get impliedParam (): string | null {
    return this.schemes.find(({ impliedParam }) => impliedParam)?.impliedParam ?? null
  }

  override shortNameOf (name: string): string | null {
    for (const scheme of this.schemes) {
      const short = scheme.shortNameOf?.(name) ?? null
      if (short !== null) return short
    }
    return null
  }

  /** @throws FST_ERR_VERSION_AMBIGUOUS (400) when the places name different versions */
  override readVersion (request: RawRequest | FastifyRequest): string | null {
    return this.#namedIn(request)[0]?.version ?? null
  }

  /** As the first scheme determines it whose version the request names. */
  override determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    const [named] = this.#namedIn(request)
    return named === undefined ? this.permit(null) : named.scheme.determineVersion(request)
  }

  /** The refusal of the first scheme whose version the request names, or else of the first one. */
  override refusal (message?: string, request?: FastifyRequest): Error {
    const scheme = (request && this.schemesFor(request)[0]) ?? this.schemes[0]
    return refusalOf(scheme, request as FastifyRequest, message)
  }

  /** The media type of a response that the client asks for by a vendor type with the version; null: by none. */
  vendorTypeFor (request: FastifyRequest): string | null {
    for (const scheme of this.schemes) {
      const vendorType = scheme.vendorTypeFor?.(request) ?? null
      if (vendorType !== null) return vendorType
    }
    return null
  }

  /** Whether a media type, such as that of a response, names a version by its subtype. */
  namesVersion (mediaType: { readonly mediaType: string, readonly sent: string }): boolean {
    return this.schemes.some((scheme) => scheme.namesVersion?.(mediaType) === true)
  }

  /** The schemes whose version a request names; none: it names none, or different ones. */
  schemesFor (request: FastifyRequest): VersioningScheme[] {
    try {
      return this.#namedIn(request).map(({ scheme }) => scheme)
    } catch {
      return []
    }
  }

  /** The version that each place names, the same in all of them. */
  #namedIn (request: RawRequest | FastifyRequest): Named[] {
    const named: Named[] = []
    for (const scheme of this.schemes) {
      const version = versionNamed(scheme, request)
      if (version !== null) named.push({ scheme, version })
    }
    if (named.some(({ version }) => version !== named[0].version)) throw ambiguity(this, named)
    return named
  }

  /**
   * A link names the version where the request does. If the route has no such place, or the request names none, the
   * first scheme makes the link that can put the version into it. A version that the caller gives, or null, goes before
   * where the request names its own.
   *
   * @returns the members that may make the link, in the order in which they try
   */
  linkOrder ({ request, version }: ReverseOptions): readonly VersioningScheme[] {
    const carried = version === undefined ? request?.version ?? null : version
    const isRouted = request !== null && request !== undefined && 'raw' in request
    const naming = isRouted ? this.schemesFor(request as FastifyRequest) : []
    // Only a link into a version that the caller gives has a host.
    const able = this.#inLinks.filter((scheme) => carried === null || (
      isPermitted(scheme, carried) && (scheme.linksToRequestHost !== true || version !== undefined)
    ))
    const order = naming.filter((scheme) => able.includes(scheme))
    for (const scheme of version === undefined ? [...naming, ...able] : [...able, ...naming]) {
      if (!order.includes(scheme)) order.push(scheme)
    }
    return order.length === 0 ? this.schemes.slice(0, 1) : order
  }
}

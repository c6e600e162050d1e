import { nameOf } from '../errors.ts'
import { namespaceOf } from '../links/scope.ts'
import { hasParameter } from '../paths/pattern.ts'
import { ambiguity, isPermitted, refusalOf, versionNamed } from '../routing/reading.ts'
import { BaseVersioning } from './base.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, ReverseOptions, VersioningScheme, VersioningSettings } from '../../types/index.d.ts'
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
export class SeveralVersioning extends BaseVersioning {
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
   * A link carries the version where the request names it. Where a link has no such place, or the request names none,
   * the first scheme makes the link that can put the version into it.
   */
  override reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const [first, ...others] = this.#linking(viewName, options)
    try {
      return first.reverse(viewName, options)
    } catch (error) {
      if (!isOfLink(error)) throw error
      for (const scheme of others) {
        try {
          return scheme.reverse(viewName, options)
        } catch (another) {
          if (!isOfLink(another)) throw another
        }
      }
      throw error
    }
  }

  /** The schemes to ask for a link, in this order. */
  #linking (viewName: string | null, options: ReverseOptions): VersioningScheme[] {
    const { request, version } = options
    const isRouted = request !== null && request !== undefined && 'raw' in request
    const naming = isRouted ? this.schemesFor(request as FastifyRequest) : []
    const able = this.#inLinks.filter((scheme) => canCarry(scheme, viewName, options))
    const ableNaming = naming.filter((scheme) => able.includes(scheme))
    // A version that the caller tells, or that there is to be none, goes before where the request names its own.
    const all = version !== undefined ? [...ableNaming, ...able, ...naming] : [...ableNaming, ...naming, ...able]
    return [...new Set([...all, this.schemes[0]])]
  }
}

/** Whether a scheme may put the version into a link: it permits it, and the current route has a place for it. */
function canCarry (scheme: VersioningScheme, viewName: string | null, { request, version }: ReverseOptions): boolean {
  const carried = version === undefined ? request?.version ?? null : version
  if (carried === null) return true
  if (!isPermitted(scheme, carried)) return false
  // Only a link into a version that the caller tells has a host.
  if (scheme.linksToRequestHost === true) return version !== undefined
  if (viewName !== null || request === null || request === undefined) return true
  if (scheme.versionIn !== undefined) return scheme.versionIn(namespaceOf(request.server).names) !== null
  return !scheme.impliedParam || hasParameter(String(request.routeOptions?.url), scheme.impliedParam)
}

const OF_LINKS: readonly unknown[] = ['FST_ERR_NO_REVERSE_MATCH', 'FST_ERR_REVERSE_HOST', 'FST_ERR_REVERSE_OPTION']

/** Whether a scheme cannot make a link, so that another one may. */
function isOfLink (error: unknown): boolean {
  return OF_LINKS.includes((error as { code?: unknown } | null | undefined)?.code)
}

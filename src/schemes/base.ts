import { ReverseOptionError, VersionError, VersionNotImplementedError, VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { schemeReverse } from '../links/reverse.ts'
import { normalizeSettings } from '../options/options.ts'
import { isThenable } from '../promises.ts'
import { invalid, invalidRead, invalidResult } from '../scheme.ts'
import { ClientDefault } from './default.ts'

import type { FastifyRequest } from 'fastify'
import type { MediaRange } from '../http/accept.ts'
import type { Origin } from '../http/origin.ts'
import type { Documentation, LinkPlace, Named, Requested, Scheme } from '../scheme.ts'
import type {
  AllowedVersions, DefaultByHeader, RefusalKind, ReverseOptions, VersionParameter, VersioningSettings
} from '../../types/index.d.ts'

/** What `readVersion` may return: the members of a list must be equal; null and undefined mean that there is none. */
export type Read = string | readonly string[] | null | undefined

/** What a class of schemes says of its place. */
interface Place {
  readonly place?: string
  readonly placeText?: string
  readonly vary?: string
  readonly linkPlace?: LinkPlace
  readonly refusalKind?: RefusalKind
  readonly invalidVersionMessage?: string
  readonly knownAfterRouting?: string
}

/** What marks the schemes of any copy of the package. */
export const SCHEME = Symbol.for('fastify-versioning.scheme')

/** What must be a field: the plugin reads it once, when the scheme is registered. */
const FIELDS = [
  'defaultVersion', 'allowedVersions', 'versionParam', 'versionHeader', 'mediaTypes', 'resolveVersion', 'label',
  'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting'
]

/**
 * What every scheme shares (SPEC.md, Base contract). A scheme says where a request has its version and what the
 * version does to a link; settings, permission and the plain reversal are here.
 */
export class BaseVersioning implements Scheme {
  declare readonly defaultVersion: string | null
  declare readonly allowedVersions: AllowedVersions | null
  declare readonly versionParam: string
  /** The default version of a client, if it has its own. */
  readonly clientDefault: DefaultByHeader | null
  declare readonly invalidVersionMessage: string
  /** Which of the refusals it makes: this decides the status. */
  declare readonly refusalKind: RefusalKind
  /** What messages and usage events call the scheme. */
  readonly label: string
  /** Where a client specifies the version, for usage events: one of few values. */
  declare readonly place: string
  /** The same, as messages show it: `"Accept" header`. */
  declare readonly placeText?: string
  /** The request headers that the version depends on, as in Vary, or null if it is in the URL or the host. */
  declare readonly vary: string | null
  declare readonly linkPlace: LinkPlace
  declare readonly parameter: VersionParameter | null
  /** Why the version is known only after routing, so that it cannot choose handlers; null if it is known before. */
  declare readonly knownAfterRouting: string | null
  /** Options of a link that only this scheme's `reverse` takes. */
  declare readonly linkOptions: readonly string[]
  declare readonly mediaTypes: readonly string[] | null
  readonly #default: ClientDefault | null
  #defaultServer: object | undefined

  // On the prototype, so that a class below may replace each by a field.
  static {
    Object.assign(this.prototype, {
      [SCHEME]: true,
      invalidVersionMessage: 'Invalid version.',
      refusalKind: 'notFound',
      place: 'custom',
      vary: null,
      linkPlace: 'nowhere',
      parameter: null,
      knownAfterRouting: null,
      linkOptions: [],
      mediaTypes: null
    })
  }

  /** @throws FST_ERR_VERSIONING_OPTION for a setting that is not valid, and for an accessor in place of a field */
  constructor (settings: VersioningSettings = {}) {
    checkFields(this)
    const { defaultVersion, allowedVersions, resolveVersion, versionParam } = normalizeSettings(settings)
    const isFixed = typeof defaultVersion === 'string' || defaultVersion === null
    this.label = new.target.name
    this.clientDefault = isFixed ? null : defaultVersion
    this.#default = isFixed ? null : new ClientDefault(defaultVersion)
    Object.assign(this, { defaultVersion: isFixed ? defaultVersion : null, allowedVersions, versionParam })
    if (resolveVersion !== null) this.resolveVersion = resolveVersion
  }

  /** The path parameter that `reverse` fills in with the version unless the caller gives it a value, or null. */
  get impliedParam (): string | null {
    return null
  }

  /** Maps what a client specifies to a version: the setting of this name, or else a method of the subclass. */
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined

  /** What the client specifies. It gets Node's request before it is routed, Fastify's afterwards. */
  readVersion? (request: Requested): Read

  mediaTypeFor (_version: string, _mediaType?: string): string | null {
    return null
  }

  hostFor (_version: string, _host: string): string | null {
    return null
  }

  /**
   * The version of a request: what `readVersion` returns, or the default version.
   *
   * @throws what `refusal` returns, if the version is not allowed or the client specifies different ones
   * @throws FST_ERR_VERSION_NOT_IMPLEMENTED (501) where the scheme has no `readVersion`
   */
  determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    if (this.readVersion === undefined) throw new VersionNotImplementedError(this.label)
    return this.permit(this.readVersion(request), request)
  }

  /** Whether the version is allowed: listed, or the default version, or nothing is listed. */
  isAllowedVersion (version: string | null): boolean {
    const { allowedVersions } = this
    if (allowedVersions === null || allowedVersions.length === 0) return true
    return (version !== null && version === this.defaultVersion) || allowedVersions.includes(version)
  }

  /**
   * The requested version, or the default version if the request specifies none.
   *
   * @param request the one whose client may have its own default version
   * @throws what `refusal` returns, if it is not allowed; FST_ERR_VERSION_AMBIGUOUS (400) for different versions
   */
  permit (requested: Read): string | null
  permit (requested: Read, request: FastifyRequest): string | null | Promise<string | null>
  permit (requested: Read, request?: FastifyRequest): string | null | Promise<string | null> {
    // Most requests specify a version that means itself.
    const isPlain = typeof requested === 'string' && this.resolveVersion === undefined
    const meant = isPlain ? requested : this.meantBy(requested)
    const version = meant === null && request !== undefined ? this.defaultFor(request) : meant ?? this.defaultVersion
    if (typeof version === 'object' && isThenable(version)) return version.then((one) => this.permit(one))
    const isAllowed: unknown = meant !== undefined && this.isAllowedVersion(version)
    if (isAllowed === true) return version
    if (typeof isAllowed === 'object') throw invalid(this, isAllowed)
    throw this.refusal()
  }

  /** The error for a version that is not allowed: FST_ERR_VERSION_NOT_FOUND (404), or as `refusalKind` says. */
  refusal (message: string = this.invalidVersionMessage, _request?: FastifyRequest): Error {
    return new VersionError(this.refusalKind, message, this.allowedVersions)
  }

  /**
   * The version that a link carries: the one in the options, or else the request's; null for none.
   *
   * @throws FST_ERR_REVERSE_OPTION when the version of the options is not allowed
   */
  linkVersion ({ version, request }: ReverseOptions): string | null {
    if (version === undefined) return request?.version ?? null
    if (version === null || (typeof version === 'string' && this.allows(version))) return version
    const expected = this.allowedVersions?.length ? `one of ${show(this.allowedVersions)}` : 'a string'
    throw new ReverseOptionError('version', `${expected}, or null`, show(version))
  }

  /**
   * The URL of a named route, in the version that `linkVersion` returns: `linkPlace` says where the URL has it.
   *
   * @param viewName the route's name with its namespaces, or null for the route of the request with its parameters
   * @throws FST_ERR_NO_REVERSE_MATCH when no route has that name, or none of its URLs fits the parameters
   * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or its version is not allowed
   */
  reverse (viewName: string | null, options: ReverseOptions = {}): string {
    return schemeReverse(this, viewName, options)
  }

  // What follows from the above, for the plugin.

  get members (): readonly Scheme[] {
    return once(this, 'members', [this])
  }

  get isList (): boolean {
    return false
  }

  get listedVersions (): readonly string[] {
    return once(this, 'listedVersions', (this.allowedVersions ?? []).filter((version) => version !== null))
  }

  get varies (): string | null {
    const vary = [this.vary, this.clientDefault?.header ?? null].filter((one) => one !== null)
    return once(this, 'varies', vary.length === 0 ? null : vary.join(', '))
  }

  get inPath (): readonly Scheme[] {
    return once(this, 'inPath', this.members.filter(({ impliedParam }) => impliedParam !== null))
  }

  get inNamespace (): readonly Scheme[] {
    return once(this, 'inNamespace', this.members.filter(({ linkPlace }) => linkPlace === 'namespace'))
  }

  get inQuery (): readonly Scheme[] {
    return once(this, 'inQuery', this.members.filter(({ linkPlace }) => linkPlace === 'query'))
  }

  get inHost (): readonly Scheme[] {
    return once(this, 'inHost', this.members.filter(({ linkPlace }) => linkPlace === 'host'))
  }

  get readsNamespaces (): boolean {
    return this.inNamespace.length > 0
  }

  get isInLinks (): boolean {
    return this.linkPlace !== 'nowhere' || this.impliedParam !== null || this.hasOwnReverse
  }

  get hasOwnReverse (): boolean {
    return this.reverse !== BaseVersioning.prototype.reverse
  }

  get documentation (): Documentation {
    if (this.parameter !== null) return 'parameter'
    const { mediaTypeFor, hostFor } = BaseVersioning.prototype
    if (this.mediaTypeFor !== mediaTypeFor) return this.place === 'content-type' ? 'bodyType' : 'responseType'
    return this.hostFor === hostFor ? 'nowhere' : 'host'
  }

  get whyNoChoice (): string | null {
    if (this.knownAfterRouting !== null) return `none, because ${this.knownAfterRouting}`
    return this.readVersion === undefined ? `a scheme that has readVersion(), which ${this.label} has not` : null
  }

  get defaultServer (): object | undefined {
    return this.#defaultServer
  }

  set defaultServer (server: object | undefined) {
    this.#defaultServer = server
  }

  named (request: Requested): readonly Named[] {
    return this.#namedBy(this.readVersion?.(request))
  }

  find (request: Requested): string | null | undefined {
    const read: unknown = this.readVersion?.(request)
    return typeof read === 'string' && this.resolveVersion === undefined ? read : this.meantBy(read)
  }

  /** As `find`, by what `readVersion` has returned. */
  protected meantBy (read: unknown): string | null | undefined {
    if (read === undefined || read === null) return null
    if (typeof read === 'string') return this.resolve(read) ?? undefined
    return meant(this.#namedBy(read))
  }

  #namedBy (read: unknown): readonly Named[] {
    if (read === undefined || read === null) return []
    // A hole of a sparse array is undefined in the set.
    const versions = [...new Set<unknown>(Array.isArray(read) ? read : [read])]
    if (!versions.every((version) => typeof version === 'string')) throw invalidRead(this, read)
    return versions.map((version) => ({ scheme: this, version, resolved: this.resolve(version) }))
  }

  naming (request: Requested): readonly Scheme[] {
    try {
      const named = this.named(request)
      meant(named)
      return named.map(({ scheme }) => scheme)
    } catch {
      return []
    }
  }

  resolve (named: string): string | null {
    if (this.resolveVersion === undefined) return named
    const expected = 'a string, null or undefined'
    let version: unknown
    try {
      version = this.resolveVersion(named, this.allowedVersions ?? []) ?? null
    } catch (cause) {
      throw invalidResult('resolveVersion', expected, cause, { cause })
    }
    if (version === null || typeof version === 'string') return version
    throw invalidResult('resolveVersion', expected, version)
  }

  /** @throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns a promise, which is truthy */
  allows (version: string | null): boolean {
    const isAllowed: unknown = this.isAllowedVersion(version)
    if (typeof isAllowed === 'object') throw invalid(this, isAllowed)
    return isAllowed === true
  }

  defaultFor (request: Requested): string | null | Promise<string | null> {
    return this.#default === null ? this.defaultVersion : this.#default.for(request)
  }

  defaultOfLinks (request: ReverseOptions['request']): string | null {
    if (this.#default === null) return this.defaultVersion
    const { raw, version = null } = (request ?? {}) as Partial<FastifyRequest>
    return this.#default.has(raw) ? version : null
  }

  versionIn (_namespaces: readonly string[]): string | null {
    return null
  }

  shortNameOf (_name: string): string | null {
    return null
  }

  versionInHost (_host: string): string | undefined {
    return undefined
  }

  originFor (version: string, _origin: Origin): Origin {
    const expected = `none, because ${this.label}, whose linkPlace is "host", does not extend HostNameVersioning`
    throw new ReverseOptionError('version', expected, show(version))
  }

  namesVersion (_mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean {
    return false
  }
}

/** Says of a class where its version is. */
export function setPlace (Class: { readonly prototype: object }, place: Place): void {
  const message = place.placeText && { invalidVersionMessage: `Invalid version in ${place.placeText}.` }
  Object.assign(Class.prototype, message, place)
}

/** @throws FST_ERR_VERSIONING_OPTION where a class below has an accessor in place of a field */
export function checkFields (scheme: object): void {
  for (let owner = scheme; owner !== BaseVersioning.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of FIELDS) {
      const property = Object.getOwnPropertyDescriptor(owner, name)
      if (property?.get === undefined && property?.set === undefined) continue
      throw new VersioningOptionError(name, `a field of ${scheme.constructor.name}`, 'an accessor')
    }
  }
}

/**
 * Two aliases of one version are not different versions.
 *
 * @returns null if nothing was read, undefined if the version is refused
 * @throws FST_ERR_VERSION_AMBIGUOUS (400) for different versions
 */
export function meant (named: readonly Named[]): string | null | undefined {
  if (named.length === 0) return null
  const [{ resolved, version }] = named
  for (const other of named) {
    if ((other.resolved ?? other.version) !== (resolved ?? version)) throw ambiguity(named)
  }
  return resolved ?? undefined
}

function ambiguity (named: readonly Named[]): Error {
  const places = [...new Set(named.map(({ scheme: { label, placeText } }) => (
    placeText === undefined ? label : `the ${placeText}`
  )))]
  return new VersionError('ambiguous', `The request specifies different versions in ${places.join(' and ')}.`)
}

/** Makes what an accessor returns a property: it is needed for every request, and follows from fields. */
export function once<Value> (scheme: object, name: string, value: Value): Value {
  Object.defineProperty(scheme, name, { value, configurable: true })
  return value
}

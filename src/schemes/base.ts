import {
  NoReverseMatchError, ReverseOptionError, VersionError, VersionInvalidError, VersionNotImplementedError
} from '../errors.ts'
import { show } from '../messages.ts'
import { normalizeSettings } from '../options/options.ts'
import { isThenable } from '../promises.ts'
import { checkMembers, checkSettings } from './check.ts'
import { ClientDefault, invalidResult, versionFrom } from './default.ts'
import { FACTS } from './facts.ts'

import type { FastifyRequest } from 'fastify'
import type { MediaRange } from '../http/accept.ts'
import type {
  AllowedVersions, MARK, RawRequest, RefusalReason, ReverseOptions, VersioningScheme, VersioningSettings
} from '../../types/index.d.ts'
import type { DefaultVersion } from './default.ts'
import type { Facts } from './facts.ts'

/** What `readVersion` may return: the members of a list must be equal; null and undefined mean that there is none. */
export type Read = string | readonly string[] | null | undefined

/** Node's request before it is routed, Fastify's afterwards. */
export type Requested = RawRequest | FastifyRequest

/** What a class of schemes says of its place: values, and functions where they follow from other fields. */
type Place<Scheme> = { readonly [Name in keyof Scheme]?: Scheme[Name] | ((scheme: Scheme) => Scheme[Name]) }

/** A version that a scheme has read, as the client wrote it, and what it is resolved to: null if it is refused. */
export interface Reading {
  readonly scheme: BaseVersioning
  readonly version: string
  readonly resolved: string | null
}

/** Makes the links of schemes. An app keeps it under `kReverse`, where its contexts inherit it. */
export type SchemeReverse = (scheme: BaseVersioning, viewName: string | null, options: ReverseOptions) => string
export const kReverse: unique symbol = Symbol('fastify-versioning.reverse')

/** What marks the schemes of any copy of the package. */
export const SCHEME = Symbol.for('fastify-versioning.scheme') as typeof MARK

// Most members of a scheme are described there.
export interface BaseVersioning extends VersioningScheme {}
/** @internal */
export interface BaseVersioning extends Facts<BaseVersioning> {}

/**
 * What every scheme shares (SPEC.md, Base contract). A scheme says where a request has its version and what the
 * version does to a link; settings, permission and the plain reversal are here.
 */
export class BaseVersioning {
  /** @internal Whether the default version of a request without a version must be allowed. */
  declare readonly isDefaultChecked: boolean
  /** @internal The default versions of clients, if each has its own. */
  readonly clientDefault: ClientDefault | null
  /** @internal The app, or the context in it, whose names it looks up outside a request. The last of several wins. */
  declare defaultServer: object | undefined

  static {
    Object.defineProperty(this.prototype, SCHEME, { value: true })
    setPlace<BaseVersioning>(this, {
      invalidVersionMessage: 'Invalid version.',
      refusalKind: 'notFound',
      place: 'custom',
      vary: null,
      linkPlace: 'nowhere',
      parameter: null,
      knownAfterRouting: null,
      linkOptions: [],
      isDefaultChecked: true,
      ...FACTS as object
    })
  }

  /** @throws FST_ERR_VERSIONING_OPTION for a setting that is not valid, and for an accessor in place of a field */
  constructor (settings: VersioningSettings = {}) {
    checkMembers(this)
    checkSettings(settings)
    const { defaultVersion, resolveVersion, ...fields } = normalizeSettings(settings)
    const isFixed = typeof defaultVersion === 'string' || defaultVersion === null
    this.clientDefault = isFixed ? null : new ClientDefault(defaultVersion)
    Object.assign(this, { label: new.target.name, defaultVersion: isFixed ? defaultVersion : null, ...fields })
    if (resolveVersion !== null) this.resolveVersion = resolveVersion
    // Not a setting: two schemes that differ in it are the same.
    Object.defineProperty(this, 'defaultServer', { value: undefined, writable: true })
  }

  /** The path parameter that `reverse` fills in with the version unless the caller gives it a value, or null. */
  get impliedParam (): string | null {
    return null
  }

  /** Maps what a client specifies to a version: the setting of this name, or else a method of the subclass. */
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined

  readVersion? (request: Requested): Read

  /** The media type with a version, for documents: instead of the given one, or of the API's first; or null. */
  mediaTypeFor (_version: string, _mediaType?: string): string | null {
    return null
  }

  /** The host with a version, for documents, or null if it cannot have one. */
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
    const resolved = this.#resolved(requested)
    if (typeof resolved === 'string' && this.allows(resolved)) return resolved
    if (resolved !== null) return this.#allowed(resolved, request, 'unsupported')
    const version = request === undefined ? this.defaultVersion : this.defaultFor(request)
    if (!this.isDefaultChecked) return version
    return isThenable(version) ? version.then((one) => this.#allowed(one, request)) : this.#allowed(version, request)
  }

  #allowed (version: string | null | undefined, request?: FastifyRequest, reason: RefusalReason | null = null) {
    if (version !== undefined && this.allows(version)) return version
    const refusal = this.refusal(this.invalidVersionMessage, request)
    if (refusal instanceof VersionError) refusal.reason ??= version === null ? 'missing' : reason
    throw refusal
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
    const server = options.request?.server ?? options.server ?? this.defaultServer
    const make = (server as { readonly [kReverse]?: SchemeReverse } | undefined)?.[kReverse]
    if (make !== undefined) return make(this, viewName, options)
    throw new NoReverseMatchError(`Cannot reverse ${show(viewName)} with a scheme that no app has registered.`)
  }

  /** @internal Whether it makes its links itself. */
  get hasOwnReverse (): boolean {
    return this.reverse !== BASE.reverse
  }

  /** @internal What a request specifies, in each place. */
  readings (request: Requested): readonly Reading[] {
    return this.#readingsOf(this.readVersion?.(request))
  }

  /** @internal The version of a request: null if it specifies none, undefined if the version is refused. */
  find (request: Requested): string | null | undefined {
    return this.#resolved(this.readVersion?.(request))
  }

  /** @internal Who refuses a request: the member of a list that has read its version, or else the first one. */
  readerFor (_request: FastifyRequest): BaseVersioning {
    return this
  }

  #resolved (read: unknown): string | null | undefined {
    if (read === undefined || read === null) return null
    // Most requests specify one version, which means itself.
    if (typeof read === 'string') return this.resolveVersion === undefined ? read : this.resolve(read) ?? undefined
    const reading = agreed(this.#readingsOf(read))
    return reading === null ? null : reading.resolved ?? undefined
  }

  #readingsOf (read: unknown): readonly Reading[] {
    if (read === undefined || read === null) return []
    // A hole of a sparse array is undefined in the set.
    const versions = [...new Set<unknown>(Array.isArray(read) ? read : [read])]
    if (versions.every((version) => typeof version === 'string')) {
      return versions.map((version) => ({ scheme: this, version, resolved: this.resolve(version) }))
    }
    const verb = this.determineVersion === BASE.determineVersion ? 'readVersion() must return' : 'permit() must get'
    throw new VersionInvalidError(`${this.label}.${verb} a string, a list of strings, null or undefined.`, read)
  }

  /** @internal What a version is resolved to, or null if it is refused. */
  resolve (requested: string): string | null {
    if (this.resolveVersion === undefined) return requested
    let version: unknown
    try {
      version = this.resolveVersion(requested, this.allowedVersions ?? [])
    } catch (cause) {
      throw invalidResult('resolveVersion', cause, { cause })
    }
    return versionFrom('resolveVersion', version)
  }

  /** @internal Throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns a promise, which is truthy. */
  allows (version: string | null): boolean {
    const isAllowed: unknown = this.isAllowedVersion(version)
    if (typeof isAllowed !== 'object') return isAllowed === true
    throw new VersionInvalidError(`${this.label}.isAllowedVersion() must return true or false.`, isAllowed)
  }

  /** @internal The version of a request that specifies none, or null. */
  defaultFor (request: Requested): DefaultVersion {
    return this.clientDefault === null ? this.defaultVersion : this.clientDefault.of(request)
  }

  /** @internal The version that a link without one leads to, for the client of a request, or null. */
  defaultOfLinks (request: ReverseOptions['request']): string | null {
    if (this.clientDefault === null) return this.defaultVersion
    const { raw, version = null } = (request ?? {}) as Partial<FastifyRequest>
    return raw !== undefined && version !== null && this.find(request as FastifyRequest) === null ? version : null
  }

  /** @internal The version among namespaces, or null if none is allowed, or if namespaces are not versions. */
  versionIn (_namespaces: readonly string[]): string | null {
    return null
  }

  /** @internal The version of a host, or undefined if it has none, or if hosts have no versions. */
  versionInHost (_host: string): string | undefined {
    return undefined
  }

  /** @internal Another name under which links in its own version find a route, or null. */
  shortNameOf (name: string): string | null {
    const names = name.split(':')
    const version = this.versionIn(names.slice(0, -1))
    return version === null ? null : names.toSpliced(names.indexOf(version), 1).join(':')
  }

  /** @internal Whether a media type has a version in its subtype. */
  namesVersion (_mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean {
    return false
  }
}

/** Outside of the class: a bundler renames a class that names itself, and SPEC.md has its name in a message. */
const BASE = BaseVersioning.prototype

/** A scheme as the rooms of the plugin call it. */
export type Scheme = BaseVersioning

/**
 * Says of a class of schemes where its version is: values, and functions where they follow from other members. A class
 * below may replace each of them, by a field or by an assignment. What a function returns is kept, because requests
 * need it.
 */
export function setPlace<Scheme extends BaseVersioning> (
  { prototype }: { readonly prototype: Scheme }, place: Place<Scheme>
): void {
  const invalidVersionMessage = ({ placeText }: BaseVersioning) => `Invalid version in ${placeText}.`
  for (const [name, given] of Object.entries<unknown>({ invalidVersionMessage, ...place })) {
    const set = (scheme: object, value: unknown, enumerable = true) => {
      Object.defineProperty(scheme, name, { value, enumerable, configurable: true, writable: true })
    }
    if (typeof given !== 'function') {
      set(prototype, given)
      continue
    }
    const get = function (this: object) {
      const value = given(this)
      // A prototype has no settings of its own.
      if (Object.hasOwn(this, 'label')) set(this, value, false)
      return value
    }
    Object.defineProperty(prototype, name, { get, set (value) { set(this, value) } })
  }
}

/** How the error begins that says it, unless its message is the author's. */
export const AMBIGUITY = 'The request specifies different versions in '

/**
 * Two aliases of one version are not different versions.
 *
 * @returns the first reading, or null if there is none
 * @throws FST_ERR_VERSION_AMBIGUOUS (400) for different versions
 */
export function agreed (readings: readonly Reading[]): Reading | null {
  const [first] = readings
  if (readings.length < 2) return first ?? null
  const isOther = ({ resolved, version }: Reading) => (resolved ?? version) !== (first.resolved ?? first.version)
  if (!readings.some(isOther)) return first
  const places = new Set(readings.map(({ scheme: { label, placeText } }) => (
    placeText === undefined ? label : `the ${placeText}`
  )))
  throw new VersionError('ambiguous', `${AMBIGUITY}${[...places].join(' and ')}.`)
}

/** The error of a scheme whose method has returned a wrong value, such as a promise that is not awaited. */
export function invalid ({ label }: { readonly label: string }, value: unknown, method = 'determineVersion'): Error {
  return new VersionInvalidError(`${label}.${method}() must return a string or null.`, value)
}

import {
  NoReverseMatchError, TEXT, VersionError, VersionNotImplementedError, invalidLinkOption
} from '../errors.ts'
import { show } from '../messages.ts'
import { ClientDefault } from '../options/client-default.ts'
import { toSettings } from '../options/options.ts'
import { isThenable } from '../promises.ts'
import { checkFields } from './check-fields.ts'
import { CLIENTS, RULES, allowedBy, allows, defaultFor, isListed, refusalBy, versionMeant } from './reading.ts'

import type { FastifyRequest } from 'fastify'
import type {
  AllowedVersions, MARK, RefusalReason, ReverseOptions, VersioningScheme, VersioningSettings
} from '../../types/index.d.ts'
import type { Read, Requested, SchemeRules } from './reading.ts'

/** @internal A function that makes the links of schemes. An app has it under `kReverse`, which contexts inherit. */
export type SchemeReverse = (scheme: BaseVersioning, viewName: string | null, options: ReverseOptions) => string
/** @internal */
export const kReverse: unique symbol = Symbol('fastify-versioning.reverse')

/** @internal The app, or its context, in which a scheme looks up names outside a request. The last app wins. */
export const homes = new WeakMap<BaseVersioning, object>()

/** @internal The settings that the constructor of each scheme has got. */
export const settingsOf = new WeakMap<BaseVersioning, VersioningSettings>()

/** @internal The property that marks the schemes of any copy of the package. */
export const SCHEME = Symbol.for('fastify-versioning.scheme') as typeof MARK

// VersioningScheme describes most members.
export interface BaseVersioning extends VersioningScheme {}

/**
 * The class that a scheme extends (SPEC.md, Base contract). A scheme says where a request has its version and what the
 * version does to a link. Settings, permission and the plain reversal are here. When a scheme is registered, the plugin
 * makes a Scheme of it, and writes nothing into it.
 */
export class BaseVersioning implements VersioningScheme {
  /** @internal */
  declare readonly [RULES]: SchemeRules
  /** @internal */
  readonly [CLIENTS]: ClientDefault | null

  static {
    Object.defineProperty(this.prototype, SCHEME, { value: true })
    setPlace<BaseVersioning>(this, {
      invalidVersionMessage: 'Invalid version.',
      refusalKind: 'notFound',
      place: 'custom',
      vary: null,
      linkPlace: 'nowhere',
      impliedParam: null,
      parameter: null,
      knownAfterRouting: null,
      linkOptions: []
    })
  }

  /** @throws FST_ERR_VERSIONING_OPTION for a setting that is not valid, and for an accessor in place of a field */
  constructor (settings: VersioningSettings = {}) {
    checkFields(this)
    settingsOf.set(this, settings)
    const isOurs = Object.hasOwn(new.target.prototype, RULES)
    const { defaultVersion, resolveVersion, ...fields } = toSettings(settings, isOurs)
    const isOfClient = defaultVersion instanceof ClientDefault
    this[CLIENTS] = isOfClient ? defaultVersion : null
    Object.assign(this, { label: new.target.name, defaultVersion: isOfClient ? null : defaultVersion, ...fields })
    if (resolveVersion !== null) this.resolveVersion = resolveVersion
  }

  /** Maps what a client specifies to a version: the setting of this name, or else a method of the subclass. */
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined

  readVersion? (request: Requested): Read

  /** Returns the given media type, or else the API's first, with a version, for documents; null if it cannot be. */
  mediaTypeFor (_version: string, _mediaType?: string): string | null {
    return null
  }

  /** Returns the host with a version, for documents, or null if the host cannot have a version. */
  hostFor (_version: string, _host: string): string | null {
    return null
  }

  /**
   * Returns the version of a request: what `readVersion` returns, or the default version.
   *
   * @throws what `refusal` returns, if the version is not allowed or the client specifies different ones
   * @throws FST_ERR_VERSION_NOT_IMPLEMENTED (501) where the scheme has no `readVersion`
   */
  determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    if (this.readVersion === undefined) throw new VersionNotImplementedError(this.label)
    return this.permit(this.readVersion(request), request)
  }

  /** Tells whether the version is allowed: it is listed or the default version, or no version is listed. */
  isAllowedVersion (version: string | null): boolean {
    return isListed(this, version)
  }

  /**
   * Returns the requested version, or the default version if the request specifies none.
   *
   * @param request the request, whose client may have its own default version
   * @throws what `refusal` returns, for a version that is not allowed
   * @throws FST_ERR_VERSION_AMBIGUOUS (400) for different versions
   */
  permit (requested: Read): string | null
  permit (requested: Read, request: FastifyRequest): string | null | Promise<string | null>
  permit (requested: Read, request?: FastifyRequest): string | null | Promise<string | null> {
    const isRead = this.determineVersion === BASE.determineVersion
    const version = versionMeant(this, requested, this, isRead ? 'readVersion() must return' : 'permit() must get')
    if (version !== null) return this.#allowed(version, request, 'unsupported')
    const byDefault = request === undefined ? this.defaultVersion : defaultFor(this, request)
    if (!this[RULES].isDefaultChecked) return byDefault
    return isThenable(byDefault)
      ? byDefault.then((version) => this.#allowed(version, request))
      : this.#allowed(byDefault, request)
  }

  #allowed (version: string | null | undefined, request?: FastifyRequest, reason: RefusalReason | null = null) {
    if (version !== undefined && allows(this, version)) return version
    throw refusalBy(this, request, version === null ? 'missing' : reason)
  }

  /** Returns the error for a version that is not allowed: FST_ERR_VERSION_NOT_FOUND (404), or as `refusalKind` says. */
  refusal (message?: string, _request?: FastifyRequest): Error {
    const error = new VersionError(this.refusalKind, message ?? this.invalidVersionMessage, allowedBy(this))
    if (message === undefined) error[TEXT] = 'invalid'
    return error
  }

  /**
   * Returns the version that a link carries: that of the options, or else that of the request; null for none.
   *
   * @throws FST_ERR_REVERSE_OPTION when the version of the options is not allowed
   */
  linkVersion ({ version, request }: ReverseOptions): string | null {
    if (version === undefined) return request?.version ?? null
    if (version === null || (typeof version === 'string' && allows(this, version))) return version
    const allowedVersions = allowedBy(this)
    const expected = allowedVersions?.length ? `one of ${show(allowedVersions)}` : 'a string'
    throw invalidLinkOption('version', `${expected}, or null`, version)
  }

  /**
   * Returns the URL of a named route, in the version that `linkVersion` returns: `linkPlace` says where the URL has it.
   *
   * @param viewName the route's name with its namespaces, or null for the route of the request with its parameters
   * @throws FST_ERR_NO_REVERSE_MATCH when no route has that name, or none of its URLs fits the parameters
   * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or its version is not allowed
   */
  reverse (viewName: string | null, options: ReverseOptions = {}): string {
    const server = options.request?.server ?? options.server ?? homes.get(this)
    const make = (server as { readonly [kReverse]?: SchemeReverse } | undefined)?.[kReverse]
    if (make !== undefined) return make(this, viewName, options)
    throw new NoReverseMatchError(
      `Register ${this.label} with an app before you call its reverse(${show(viewName)}): the scheme finds the names ` +
      'of routes in the app.'
    )
  }
}

/** @internal The prototype, outside of its class, because a bundler renames a class that names itself. */
export const BASE = BaseVersioning.prototype

/** The fields in which a class of schemes describes the place of the version: values, or functions of other fields. */
type PlaceFields<Scheme> = { readonly [Name in keyof VersioningScheme & keyof Scheme]?:
  Scheme[Name] | ((scheme: Scheme) => Scheme[Name]) }

/**
 * @internal Tells a class of this package where its version is. The members are accessors of the prototype, so that a
 * class below can replace each by a field or by an assignment. TypeScript must not see the accessors: it allows neither
 * a field nor an assignment over an accessor.
 */
export function setPlace<Scheme extends BaseVersioning> (
  { prototype }: { readonly prototype: Scheme }, place: PlaceFields<Scheme>, rules: Partial<SchemeRules> = {}
): void {
  const invalidVersionMessage = ({ placeText }: BaseVersioning) => `Invalid version in ${placeText}.`
  for (const [name, member] of Object.entries<unknown>({ invalidVersionMessage, ...place })) {
    const toField = (value: unknown) => ({ value, enumerable: true, configurable: true, writable: true })
    const get = function (this: unknown) { return (member as (scheme: unknown) => unknown)(this) }
    const set = function (this: object, value: unknown) { Object.defineProperty(this, name, toField(value)) }
    Object.defineProperty(prototype, name, typeof member === 'function' ? { get, set } : toField(member))
  }
  const value = { isDefaultChecked: true, mayNameVersions: false, reads: ['resolveVersion'], ...rules }
  Object.defineProperty(prototype, RULES, { value })
}

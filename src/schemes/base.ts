import { ReverseOptionError, VersionError, VersionNotImplementedError } from '../errors.ts'
import { show } from '../messages.ts'
import { schemeReverse } from '../links/reverse.ts'
import { normalizeSettings } from '../options/options.ts'
import { isThenable } from '../promises.ts'
import { keepRead, recordOf, setBaseMethods } from '../scheme.ts'

import type { FastifyRequest } from 'fastify'
import type {
  AllowedVersions, DefaultByHeader, RawRequest, RefusalKind, ReverseOptions, VersionParameter, VersioningScheme,
  VersioningSettings
} from '../../types/index.d.ts'
import type { LinkPlace } from '../scheme.ts'

/** Members that are not part of the contract. */
interface Internals {
  readonly refusalKind?: RefusalKind
  readonly linkPlace?: LinkPlace
}

/**
 * What every scheme shares (SPEC.md, Base contract). A scheme says where a request has its version and what the
 * version does to a link; settings, permission and the plain reversal are here.
 */
export class BaseVersioning implements VersioningScheme {
  /** The label of this class itself. */
  static readonly label: string = 'BaseVersioning'

  declare readonly defaultVersion: string | null
  declare readonly allowedVersions: AllowedVersions | null
  declare readonly versionParam: string

  /** The default version if it depends on the client. */
  declare protected readonly clientDefault: DefaultByHeader | null
  declare readonly invalidVersionMessage: string

  /** The kind of its refusals, as `VersionError` has them. */
  protected declare readonly refusalKind: RefusalKind

  /** What messages and usage events call the scheme. Default: the name of its class, which a minifier may change. */
  declare readonly label: string

  /** Where a client specifies the version, for usage events: one of few values. */
  declare readonly place: string

  /** The same, as messages show it: `"Accept" header`. Default: the label. */
  declare readonly placeText?: string

  /** Whether a link can carry the version. */
  declare readonly isInLinks: boolean

  /** Where `reverse` puts the version of a link, besides the parameter `impliedParam` of the path. */
  protected declare readonly linkPlace: LinkPlace

  /** The request headers that the version depends on, as in Vary, or null if it is in the URL or the host. */
  declare readonly vary: string | null

  /** The parameter of a request that carries the version, as a document of OpenAPI has it, or null. */
  declare readonly parameter: VersionParameter | null

  /** The settings that the scheme reads besides the default and the list, or null for any. For warnings. */
  declare readonly settingsRead: readonly string[] | null

  /** Why the version is known only after routing, so that it cannot choose handlers; null if it is known before. */
  declare readonly knownAfterRouting: string | null

  /** Whether the scheme reads the version in the parameter of the path, so that only paths with it have versions. */
  declare readonly readsParams: boolean

  /** Options of a link that only this scheme's `reverse` takes. */
  declare readonly linkOptions: readonly string[]

  static {
    setDefaults(this.prototype, {
      invalidVersionMessage: 'Invalid version.',
      refusalKind: 'notFound',
      place: 'custom',
      isInLinks: false,
      linkPlace: 'nowhere',
      vary: null,
      parameter: null,
      settingsRead: null,
      knownAfterRouting: null,
      readsParams: false,
      linkOptions: []
    })
  }

  /**
   * @param settings defaults: `{ defaultVersion: null, allowedVersions: null, versionParam: 'version' }`
   * @throws FST_ERR_VERSIONING_OPTION for a setting that is not valid
   */
  constructor (settings: VersioningSettings = {}) {
    const { defaultVersion: given, allowedVersions, resolveVersion, versionParam } = normalizeSettings(settings)
    const isOfClient = typeof given === 'object' && given !== null
    const label = Object.hasOwn(new.target, 'label') ? new.target.label : new.target.name
    setFields(this, { defaultVersion: isOfClient ? null : given, allowedVersions, versionParam, label })
    this.clientDefault = isOfClient ? given : null
    if (resolveVersion !== null) setFields(this, { resolveVersion })
  }

  /** The path parameter that `reverse` fills in with the version unless the caller gives it a value, or null. */
  protected get impliedParam (): string | null {
    return null
  }

  /** Another name under which `reverse` finds a route, or null. For the types of routes. */
  protected shortNameOf (_name: string): string | null {
    return null
  }

  /** Maps what a client specifies to a version: the setting of this name, or else a method of the subclass. */
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined

  /** The media type with a version, for documents. */
  mediaTypeFor? (version: string, mediaType?: string): string | null

  /** The host with a version, for documents. */
  hostFor? (version: string, host: string): string | null

  /**
   * What the client specifies: the one place where a scheme reads the version.
   *
   * @param request Node's request before it is routed, Fastify's afterwards
   * @returns a version; a list, whose members must be equal; null or undefined if the client specifies none
   */
  readVersion? (request: RawRequest | FastifyRequest): string | readonly string[] | null | undefined

  /**
   * The version of a request: what `readVersion` returns, or the default version.
   *
   * @throws what `refusal` returns, if the version is not allowed or the client specifies different ones
   * @throws FST_ERR_VERSION_NOT_IMPLEMENTED (501) where the scheme has no `readVersion`
   */
  determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    if (this.readVersion === undefined) throw new VersionNotImplementedError(this.label)
    const read = this.readVersion(request) ?? null
    keepRead(request, read)
    return this.permit(read, request)
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
   * @param requested what `readVersion` may return; `''` is a version
   * @param request the one whose client may have its own default version, and then perhaps by a promise
   * @throws what `refusal` returns, when the version is not allowed
   * @throws FST_ERR_VERSION_AMBIGUOUS (400) for a list of different versions
   */
  permit (requested: string | readonly string[] | null | undefined): string | null
  permit (
    requested: string | readonly string[] | null | undefined, request: FastifyRequest
  ): string | null | Promise<string | null>
  permit (
    requested: string | readonly string[] | null | undefined, request?: FastifyRequest
  ): string | null | Promise<string | null> {
    const scheme = recordOf(this)
    const named = scheme.meantBy(requested)
    const version = named === null && request !== undefined ? this.defaultFor(request) : named ?? this.defaultVersion
    if (isThenable(version)) return version.then((one) => this.permit(one))
    if (named === undefined || !scheme.allows(version)) throw this.refusal()
    return version
  }

  /** The version of a request that specifies none, or null. */
  protected defaultFor (request: FastifyRequest): string | null | Promise<string | null> {
    return this.clientDefault === null ? this.defaultVersion : recordOf(this).defaultFor(request)
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
    if (version === null || (typeof version === 'string' && this.isAllowedVersion(version))) return version
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
    return schemeReverse(recordOf(this), viewName, options)
  }
}

/**
 * Gives a class of schemes the values of its fields. They are on the prototype, so that a subclass may replace each by
 * a field, by an assignment or by an accessor.
 */
export function setDefaults<Scheme extends object> (
  prototype: Scheme, values: { readonly [Name in keyof Scheme]?: Scheme[Name] } & Internals
): void {
  Object.assign(prototype, values)
}

/** Sets the fields of a scheme that depend on its settings, except fields that a subclass computes by an accessor. */
export function setFields (scheme: BaseVersioning, values: Partial<BaseVersioning>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!isComputed(scheme, name)) Object.assign(scheme, { [name]: value })
  }
}

function isComputed (scheme: object, name: string): boolean {
  for (let owner: object | null = scheme; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const property = Object.getOwnPropertyDescriptor(owner, name)
    if (property !== undefined) return property.get !== undefined
  }
  return false
}

// A variable named like the hook would make a bundler rename the hook, and traces show that name.
const base = BaseVersioning.prototype
setBaseMethods(base.determineVersion, base.isAllowedVersion, base.linkVersion, base.permit, base.refusal, base.reverse)

import { ReverseOptionError, VersionNotFoundError, VersionNotImplementedError, show } from '../errors.ts'
import { checkLinkOptions, serverOf } from '../links/link-options.ts'
import { reverseByName } from '../links/reverse.ts'
import { normalizeSettings } from '../options/settings.ts'
import { invalid, isPermitted, versionNamed } from '../routing/reading.ts'

import type { FastifyRequest } from 'fastify'
import type {
  AllowedVersions, RawRequest, ReverseOptions, VersionParameter, VersioningScheme, VersioningSettings
} from '../../types/index.d.ts'

/**
 * What every scheme shares (SPEC.md, Base contract). A scheme says where a request names its version and what the
 * version does to a link; settings, permission and the plain reversal are here.
 */
export class BaseVersioning implements VersioningScheme {
  /** The label of this very class. */
  static readonly label: string = 'BaseVersioning'

  readonly defaultVersion: string | null
  readonly allowedVersions: AllowedVersions | null
  readonly versionParam: string
  readonly invalidVersionMessage: string = 'Invalid version.'

  /** What messages and usage events call the scheme. Default: the name of its class, which a minifier may change. */
  readonly label: string

  /** Where a client names the version, for usage events: one of few values. */
  readonly place: string = 'custom'

  /** The same as a message says it: `"Accept" header`. Default: the label. */
  readonly placeText?: string

  /** Whether a link can carry the version. */
  readonly isInLinks: boolean = false

  /** The request headers that the version depends on, as in a Vary header; null: it is in the URL or the host. */
  readonly vary: string | null = null

  /** The parameter of a request that carries the version, as a document of OpenAPI has it; null: none. */
  readonly parameter: VersionParameter | null = null

  /** The settings that the scheme reads besides `defaultVersion` and `allowedVersions`; null: any. For warnings. */
  readonly settingsRead: readonly string[] | null = null

  /**
   * Why the version is known only once the request is routed, so that it cannot choose handlers; null: it is known
   * before.
   */
  readonly knownAfterRouting: string | null = null

  /** Options of a link that `reverse` takes besides those of every scheme. */
  readonly linkOptions: readonly string[] = []

  /**
   * @param settings defaults: `{ defaultVersion: null, allowedVersions: null, versionParam: 'version' }`
   * @throws FST_ERR_VERSIONING_OPTION for a setting that is not valid
   */
  constructor (settings: VersioningSettings = {}) {
    const { defaultVersion, allowedVersions, versionParam } = normalizeSettings(settings)
    this.defaultVersion = defaultVersion
    this.allowedVersions = allowedVersions
    this.versionParam = versionParam
    this.label = Object.hasOwn(new.target, 'label') ? new.target.label : new.target.name
  }

  /** The path parameter that `reverse` fills in with the version unless the caller gives it a value; null: none. */
  get impliedParam (): string | null {
    return null
  }

  /** Another name under which `reverse` finds a route; null: none. For the types of routes. */
  shortNameOf (_name: string): string | null {
    return null
  }

  /**
   * What the client names: the one place where a scheme reads the version.
   *
   * @param request Node's request before it is routed, Fastify's afterwards
   * @returns a version; a list, whose members have to be equal; null or undefined: the client names none
   */
  readVersion? (request: RawRequest | FastifyRequest): string | readonly string[] | null | undefined

  /**
   * The version of a request: what `readVersion` returns, or the default version.
   *
   * @throws what `refusal` returns, when the version is not permitted or the client names different ones
   * @throws FST_ERR_VERSION_NOT_IMPLEMENTED (501) where the scheme has no `readVersion`
   */
  determineVersion (request: FastifyRequest): string | null | Promise<string | null> {
    if (this.readVersion === undefined) throw new VersionNotImplementedError(this.label)
    return this.permit(versionNamed(this, request))
  }

  /** Whether the version is permitted: listed, or the default version, or nothing is listed. */
  isAllowedVersion (version: string | null): boolean {
    const { allowedVersions } = this
    if (allowedVersions === null || allowedVersions.length === 0) return true
    return (version !== null && version === this.defaultVersion) || allowedVersions.includes(version)
  }

  /**
   * The version asked for, or the default version where the request names none.
   *
   * @param requested null and undefined mean that the request names none; `''` is a version
   * @throws what `refusal` returns, when the version is not permitted
   */
  permit (requested: string | null | undefined): string | null {
    const version = requested ?? this.defaultVersion
    if (typeof version === 'object' && version !== null) throw invalid(this, version)
    if (!isPermitted(this, version)) throw this.refusal()
    return version
  }

  /** The error for a version that is not permitted: FST_ERR_VERSION_NOT_FOUND (404). */
  refusal (message: string = this.invalidVersionMessage, _request?: FastifyRequest): Error {
    return new VersionNotFoundError(message, this.allowedVersions)
  }

  /**
   * The version that a link is to carry: the one in the options, else the request's; null for none.
   *
   * @throws FST_ERR_REVERSE_OPTION when the options name a version that is not permitted
   */
  linkVersion ({ version, request }: ReverseOptions): string | null {
    if (version === undefined) return request?.version ?? null
    if (version === null || (typeof version === 'string' && this.isAllowedVersion(version))) return version
    const expected = this.allowedVersions?.length ? `one of ${show(this.allowedVersions)}` : 'a string'
    throw new ReverseOptionError('version', `${expected}, or null`, show(version))
  }

  /**
   * The ordinary reversal: the URL of a named route, without a version unless the scheme has an `impliedParam`.
   *
   * @param viewName the route's name, with its namespaces; null: the route of the request, with its parameters
   * @throws FST_ERR_NO_REVERSE_MATCH when no route has that name, or none of its URLs fits the parameters
   * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or names a version that is not permitted
   */
  reverse (viewName: string | null, options: ReverseOptions = {}): string {
    checkLinkOptions(this, options)
    return reverseByName(serverOf(this, options), viewName, options, this.impliedParam, versionOfLink(this, options))
  }
}

/** As `linkVersion`, which a subclass may have made asynchronous. */
export function versionOfLink (scheme: BaseVersioning, options: ReverseOptions): string | null {
  const version: unknown = scheme.linkVersion(options)
  if (version === null || typeof version === 'string') return version
  throw invalid(scheme, version)
}

/** Whether a scheme determines the version from what it reads, and from nothing else. */
export function isDetermined ({ determineVersion }: VersioningScheme): boolean {
  return determineVersion === BaseVersioning.prototype.determineVersion
}

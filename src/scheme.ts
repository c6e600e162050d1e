import { VersionError } from './errors.ts'
import { nameOf } from './messages.ts'
import { ClientDefault } from './scheme-default.ts'
import { ambiguity, invalid, invalidRead, invalidResult } from './scheme-errors.ts'

import type { FastifyRequest } from 'fastify'
import type { MediaRange } from './http/accept.ts'
import type { Origin } from './http/origin.ts'
import type {
  AllowedVersions, DefaultByHeader, RawRequest, RefusalKind, RefusalReason, ReverseOptions, VersionParameter,
  VersionResolver, VersioningScheme
} from '../types/index.d.ts'

/** Where a scheme puts the version of a link. */
export type LinkPlace = 'path' | 'namespace' | 'query' | 'host' | 'nowhere'

/** How a document shows where a request specifies the version. */
export type Documentation = 'parameter' | 'responseType' | 'bodyType' | 'host' | 'nowhere'

/** Further members of BaseVersioning and our own classes, which an object may lack. */
interface Source extends VersioningScheme {
  readonly schemes?: readonly VersioningScheme[]
  readonly refusalKind?: RefusalKind
  readonly mediaTypes?: readonly string[] | null
  readonly linkPlace?: LinkPlace
  readonly impliedParam?: string | null
  readonly placeText?: string
  readonly readsParams?: boolean
  readonly settingsRead?: readonly string[] | null
  readonly isInLinks?: boolean
  readonly linkOptions?: readonly string[]
  readonly parameter?: VersionParameter | null
  readonly clientDefault?: DefaultByHeader | null
  readonly resolveVersion?: VersionResolver | null
  mediaTypeFor? (version: string, mediaType?: string): string | null
  hostFor? (version: string, host: string): string | null
  permit? (requested: string | null): string | null | Promise<string | null>
  shortNameOf? (name: string): string | null
  versionIn? (namespaces: readonly string[]): string | null
  namesVersion? (mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean
  /** Every scheme that does not make its links itself has it. */
  linkVersion (options: ReverseOptions): unknown
  /** Every scheme whose `linkPlace` is the host has this and the next one. */
  versionInHost (host: string): string | undefined
  /** @throws FST_ERR_REVERSE_HOST (400) or FST_ERR_REVERSE_OPTION if the host cannot have the version */
  originFor (version: string, origin: Origin): Origin
}

type Requested = RawRequest | FastifyRequest

/** Methods of BaseVersioning that the plugin need not call unless a scheme overrides them. */
const baseMethods = new WeakSet<object>()

/** The methods of our own classes that return what `readVersion` returns, or the default version. */
const trustedMethods = new WeakSet<object>()

/** Call it for our own classes that have a `determineVersion`. */
export function setTrusted (determineVersion: object): void {
  trustedMethods.add(determineVersion)
}

/** Call it for BaseVersioning. */
export function setBaseMethods (...methods: readonly object[]): void {
  for (const method of methods) baseMethods.add(method)
}

function isOfBase (method: object | undefined): boolean {
  return method !== undefined && baseMethods.has(method)
}

/** A version, and the scheme that has read it. */
export interface Named {
  readonly scheme: Scheme
  /** As the client specifies it. */
  readonly version: string
  /** What it is resolved to, or null if it is refused. */
  readonly resolved: string | null
}

const NO_VERSIONS: AllowedVersions = Object.freeze([])

/**
 * A scheme as the plugin uses it: each member is there, whether the user gives a class, an instance, an object or a
 * list. It is made once, when the scheme is registered.
 */
export class Scheme {
  /** What the user has given, or what was made of the class or the list: `request.versioningScheme`. */
  readonly source: Source
  readonly label: string
  /** The schemes of a list, in its order. Any other scheme has itself. */
  readonly members: readonly Scheme[]
  readonly isList: boolean
  readonly defaultVersion: string | null
  /** The default version if it depends on the client; null if it is `defaultVersion`. */
  readonly clientDefault: ClientDefault | null
  readonly allowedVersions: AllowedVersions | null
  /** The allowed versions without null; empty if every version is allowed. */
  readonly listedVersions: readonly string[]
  readonly versionParam: string

  /** Where a client specifies the version, for usage events. */
  readonly place: string
  /** The same, as messages show it. */
  readonly placeText: string
  /** The request headers that the version depends on, or null if it is in the URL or the host. */
  readonly vary: string | null
  /** The same, with the headers that the default version depends on. */
  readonly varies: string | null
  /** The settings that it reads besides `defaultVersion` and `allowedVersions`, or null for any. */
  readonly settingsRead: readonly string[] | null

  /** Whether the version is what `readVersion` returns, so that it is read once for all purposes. */
  readonly isReadAlone: boolean
  /** Whether `determineVersion` is BaseVersioning's. */
  readonly isDetermined: boolean
  /** Whether what it determines is what it reads, or the default version. */
  readonly isTrusted: boolean
  /** What an error says is expected of the option `version`, or null if the scheme can choose handlers. */
  readonly whyNoChoice: string | null
  /** Null if the scheme makes its refusals itself. */
  readonly refusalKind: RefusalKind | null
  /** Whether the message of a refusal says what is wrong; otherwise it is `invalidVersionMessage`. */
  readonly isExplaining: boolean

  /** Whether a link can carry the version. */
  readonly isInLinks: boolean
  readonly linkPlace: LinkPlace
  /** Whether it makes its links itself. */
  readonly hasOwnReverse: boolean
  /** Whether a link into a listed version follows from the members here, so that it can be compiled. */
  readonly isPlainlyLinked: boolean
  readonly linkOptions: readonly string[]
  /** The path parameter that a link fills in with the version, or null. */
  readonly impliedParam: string | null
  /** Whether it reads the version in that parameter, or in `versionParam`, so that only paths with it have versions. */
  readonly readsParams: boolean
  /** Whether a namespace may be the version. */
  readonly readsNamespaces: boolean
  /** The members by the places that a URL may have. */
  readonly inPath: readonly Scheme[]
  readonly inNamespace: readonly Scheme[]
  readonly inQuery: readonly Scheme[]
  readonly inHost: readonly Scheme[]

  /** The media types of the API, as the setting has them. */
  readonly mediaTypes: readonly string[]
  readonly documentation: Documentation
  readonly parameter: VersionParameter | null

  /** The app, or the context in it, whose names it looks up outside a request. The last of several apps wins. */
  defaultServer: object | undefined

  constructor (given: VersioningScheme) {
    const source = given as Source
    const { knownAfterRouting, parameter, schemes = [] } = source
    const members = schemes.map(recordOf)
    this.source = source
    this.label = nameOf(source)
    this.isList = members.length > 0
    this.members = this.isList ? members : [this]
    this.defaultVersion = source.defaultVersion ?? null
    this.clientDefault = this.defaultVersion === null && source.clientDefault
      ? new ClientDefault(source.clientDefault)
      : null
    this.allowedVersions = source.allowedVersions ?? null
    this.listedVersions = (this.allowedVersions ?? []).filter((version) => version !== null)
    this.versionParam = source.versionParam ?? 'version'
    this.place = source.place ?? 'custom'
    this.placeText = source.placeText === undefined ? this.label : `the ${source.placeText}`
    this.vary = source.vary ?? null
    const vary = [this.vary, this.clientDefault?.vary ?? null].filter((one) => one !== null)
    this.varies = vary.length === 0 ? null : vary.join(', ')
    this.settingsRead = source.settingsRead ?? null
    this.isDetermined = isOfBase(source.determineVersion)
    this.isTrusted = isOfBase(source.permit) && (this.isDetermined || trustedMethods.has(source.determineVersion))
    this.isReadAlone = this.isDetermined && isOfBase(source.permit) && typeof source.readVersion === 'function'
    this.whyNoChoice = typeof knownAfterRouting === 'string'
      ? `none, because ${knownAfterRouting}`
      : whyNotRead(source, this.label) ?? members.find(({ whyNoChoice }) => whyNoChoice !== null)?.whyNoChoice ?? null
    const isRefusing = source.refusal !== undefined && !isOfBase(source.refusal)
    this.refusalKind = isRefusing ? null : source.refusalKind ?? 'notFound'
    // SPEC.md has the messages of the others. A subclass may have its own.
    this.isExplaining = (this.refusalKind === 'notSupported' || this.refusalKind === 'unsupportedMediaType') &&
      source.invalidVersionMessage === `Invalid version in ${source.placeText}.`
    this.isInLinks = source.isInLinks ?? false
    this.linkPlace = source.linkPlace ?? 'nowhere'
    this.hasOwnReverse = !isOfBase(source.reverse)
    this.isPlainlyLinked = [source.reverse, source.linkVersion, source.isAllowedVersion].every(isOfBase)
    this.linkOptions = source.linkOptions ?? []
    this.impliedParam = (this.isList ? members.find((one) => one.impliedParam !== null) : source)?.impliedParam || null
    this.readsParams = source.readsParams ?? false
    this.readsNamespaces = this.isList
      ? members.some(({ readsNamespaces }) => readsNamespaces)
      : source.versionIn !== undefined
    this.inPath = this.members.filter((one) => one.impliedParam !== null)
    this.inNamespace = this.members.filter((one) => one.readsNamespaces)
    this.inQuery = this.members.filter((one) => one.linkPlace === 'query')
    this.inHost = this.members.filter((one) => one.linkPlace === 'host')
    this.mediaTypes = this.isList ? members.flatMap((one) => one.mediaTypes) : source.mediaTypes ?? []
    this.parameter = parameter ?? null
    this.documentation = documentationOf(source)
    this.defaultServer = undefined
  }

  /**
   * The version that a client specifies.
   *
   * @param request Node's request before it is routed, Fastify's afterwards
   * @returns null if the client specifies none
   * @throws FST_ERR_VERSION_AMBIGUOUS (400) if the client specifies different versions
   * @throws FST_ERR_VERSION_INVALID (500) if the scheme reads something that is neither text nor a list of texts
   */
  read (request: Requested): string | null {
    if (this.isList) return oneOf(this, this.readList(request))?.version ?? null
    const read: unknown = this.source.readVersion?.(request)
    if (read === undefined || read === null || typeof read === 'string') return read ?? null
    return oneOf(this, namedBy(this, read))?.version ?? null
  }

  /**
   * The version that a client means.
   *
   * @returns null if the client specifies none, undefined if the version is refused
   * @throws as `read`, and FST_ERR_VERSION_INVALID (500) if `resolveVersion` returns a wrong value
   */
  find (request: Requested): string | null | undefined {
    if (!this.isList) return this.meantBy(this.source.readVersion?.(request))
    const named = oneOf(this, this.readList(request))
    if (named === undefined) return null
    const { scheme, resolved } = named
    // A member may have its own settings.
    return resolved !== null && scheme.allows(resolved) ? resolved : undefined
  }

  /**
   * The version that is meant by what `readVersion` has returned.
   *
   * @returns as `find`
   */
  meantBy (read: unknown): string | null | undefined {
    if (typeof read === 'string') return this.resolve(read) ?? undefined
    const named = read === undefined || read === null ? undefined : oneOf(this, namedBy(this, read))
    return named === undefined ? null : named.resolved ?? undefined
  }

  /** What a version is resolved to, or null if it is refused. */
  resolve (named: string): string | null {
    const { source, allowedVersions } = this
    if (typeof source.resolveVersion !== 'function') return named
    let version: unknown
    try {
      version = source.resolveVersion(named, allowedVersions ?? NO_VERSIONS) ?? null
    } catch (cause) {
      throw invalidResult('resolveVersion', 'a string, null or undefined', cause, { cause })
    }
    if (version === null || typeof version === 'string') return version
    throw invalidResult('resolveVersion', 'a string, null or undefined', version)
  }

  /**
   * The version of a request that specifies none: the version of the client, which may not be allowed, or the fixed
   * default, or null if there is none. It is found once for a request, so that the router and the hook have the same.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where the function returns or rejects with anything else
   */
  defaultFor (request: Requested): string | null | Promise<string | null> {
    return this.clientDefault === null ? this.defaultVersion : this.clientDefault.for(request)
  }

  /**
   * The version that a link without one leads to, for the client of a request.
   *
   * @returns null if there is none, or if it is unknown, because the request has a version
   */
  defaultOfLinks (request: ReverseOptions['request']): string | null {
    if (this.clientDefault === null) return this.defaultVersion
    const { raw, version = null } = (request ?? {}) as Partial<FastifyRequest>
    return this.clientDefault.has(raw) ? version : null
  }

  /** As `read`, for a list: what each member has read once, which may be different versions. */
  readList (request: Requested): readonly Named[] {
    const named: Named[] = []
    for (const scheme of this.members) {
      const version = scheme.read(request)
      if (version !== null) named.push({ scheme, version, resolved: scheme.resolve(version) })
    }
    return named
  }

  /** The members whose version a request specifies. Empty if it specifies none, or different ones. */
  naming (request: Requested): readonly Scheme[] {
    try {
      const named = this.readList(request)
      return isAmbiguous(named) ? [] : named.map(({ scheme }) => scheme)
    } catch {
      return []
    }
  }

  /**
   * Whether it allows a version.
   *
   * @throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns a promise
   */
  allows (version: string | null): boolean {
    const isAllowed: unknown = this.source.isAllowedVersion(version)
    if (typeof isAllowed === 'object') throw invalid(this, isAllowed)
    return Boolean(isAllowed)
  }

  /**
   * The error for a version that is not allowed, or that a URL does not serve. A member of a list makes it.
   *
   * @param versions the versions that the URL serves. Default: the versions of the scheme
   * @param reason null if it is not known yet
   */
  refusal (
    request?: FastifyRequest, message?: string, versions: AllowedVersions | null = this.allowedVersions,
    reason: RefusalReason | null = null
  ): Error {
    const { refusalKind, source } = this
    if (refusalKind === null) return (source.refusal as NonNullable<Source['refusal']>)(message, request)
    return new VersionError(refusalKind, message ?? source.invalidVersionMessage, versions, reason)
  }

  /** The version among namespaces, or null if none is allowed, or if namespaces are not versions. */
  versionIn (namespaces: readonly string[]): string | null {
    if (namespaces.length === 0) return null
    for (const { source } of this.inNamespace) {
      const version = source.versionIn?.(namespaces) ?? null
      if (version !== null) return version
    }
    return null
  }

  /** Another name under which links find a route, or null. */
  shortNameOf (name: string): string | null {
    for (const { source } of this.members) {
      const short = source.shortNameOf?.(name) ?? null
      if (short !== null) return short
    }
    return null
  }

  /** Whether a media type has a version in its subtype. */
  namesVersion (mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean {
    return this.members.some(({ source }) => source.namesVersion?.(mediaType) === true)
  }

  /** The media type with the version: instead of the given one, or of the API's first; null if it cannot have one. */
  mediaTypeFor (version: string, mediaType?: string): string | null {
    return this.source.mediaTypeFor?.(version, mediaType) ?? null
  }

  /** The host with this version instead of its own, or null if it cannot have one. */
  hostFor (version: string, host: string): string | null {
    return this.source.hostFor?.(version, host) ?? null
  }
}

const records = new WeakMap<VersioningScheme, Scheme>()

/** The record of a scheme. */
export function recordOf (source: VersioningScheme): Scheme {
  let record = records.get(source)
  if (record === undefined) records.set(source, record = new Scheme(source))
  return record
}

function documentationOf ({ hostFor, mediaTypeFor, parameter, place }: Source): Documentation {
  if (parameter) return 'parameter'
  if (typeof mediaTypeFor === 'function') return place === 'content-type' ? 'bodyType' : 'responseType'
  return typeof hostFor === 'function' ? 'host' : 'nowhere'
}

/** Why a scheme cannot read the version before routing. */
function whyNotRead (source: Source, label: string): string | null {
  if (typeof source.readVersion !== 'function') return `a scheme that has readVersion(), which ${label} has not`
  if (!isDeterminedApart(source)) return null
  return `a scheme that reads the version in readVersion(); ${label} overrides determineVersion() alone, which is ` +
    'called only after routing: override readVersion() instead'
}

/** Whether a scheme inherits `determineVersion` from a more derived class than `readVersion`. */
function isDeterminedApart (source: object): boolean {
  let owner = source
  while (!Object.hasOwn(owner, 'readVersion') && !Object.hasOwn(owner, 'determineVersion')) {
    owner = Object.getPrototypeOf(owner)
  }
  return !Object.hasOwn(owner, 'readVersion')
}

/** The different versions in a list that `readVersion` has returned. */
export function namedBy (scheme: Scheme, read: unknown): readonly Named[] {
  // A hole of a sparse array is undefined in the set.
  const versions = Array.isArray(read) ? [...new Set<unknown>(read)] : [read]
  if (!versions.every((version) => typeof version === 'string')) {
    // A `determineVersion` that the author wrote has passed it to `permit`.
    throw scheme.isDetermined || scheme.isTrusted ? invalidRead(scheme, read) : invalid(scheme, read)
  }
  return versions.map((version) => ({ scheme, version, resolved: scheme.resolve(version) }))
}

/** The first version that a client specifies, or undefined. */
function oneOf (scheme: Scheme, named: readonly Named[]): Named | undefined {
  if (isAmbiguous(named)) throw ambiguity(named, scheme.allowedVersions)
  return named[0]
}

/** Whether versions are different. Two aliases of one version are not. */
export function isAmbiguous (named: readonly Named[]): boolean {
  for (let i = 1; i < named.length; i++) {
    if ((named[i].resolved ?? named[i].version) !== (named[0].resolved ?? named[0].version)) return true
  }
  return false
}

/** A request keeps what a scheme has read if its `determineVersion` calls BaseVersioning's. */
const kRead: unique symbol = Symbol('fastify-versioning.read')
interface Keeping { [kRead]?: unknown }

export function keepRead (request: FastifyRequest & Keeping, read: unknown): void {
  if (Object.isExtensible(request)) request[kRead] = read
}

/** Undefined if nothing is kept. */
export function keptRead (request: FastifyRequest & Keeping): unknown {
  return request[kRead]
}

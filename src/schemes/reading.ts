import { TEXT, VersionError, VersionInvalidError, copyOfRefusal } from '../errors.ts'
import { invalidResult, versionFrom } from '../options/client-default.ts'

import type { AllowedVersions, RawRequest, RefusalReason, VersioningScheme } from '../../types/index.d.ts'
import type { FastifyRequest } from 'fastify'
import type { ClientDefault, DefaultVersion } from '../options/client-default.ts'

/** The result of `readVersion`: the members of a list must be equal, and null and undefined mean no version. */
export type Read = string | readonly string[] | null | undefined

/** A request as schemes get it: Node's before it is routed, Fastify's afterwards. */
export type Requested = RawRequest | FastifyRequest

/** @internal The rules of SPEC.md that only some schemes have. */
export interface SchemeRules {
  /** Whether the default version of a request without a version must be allowed. */
  readonly isDefaultChecked: boolean
  /** Whether the message of a refusal may say more than SPEC.md, which does not know the scheme. */
  readonly mayNameVersions: boolean
  /** The settings that the scheme reads, of those that not every scheme reads. */
  readonly reads: readonly Setting[]
}

/** @internal The settings that not every scheme reads. */
export const SOME_READ = ['resolveVersion', 'versionHeader', 'versionParam', 'mediaTypes'] as const
/** @internal */
export type Setting = typeof SOME_READ[number]

/** @internal The member in which each class of this package, but no class of an app, has its rules. */
export const RULES: unique symbol = Symbol('fastify-versioning.rules')
/** @internal The member in which a scheme has the default versions of clients, if each has its own, or null. */
export const CLIENTS: unique symbol = Symbol('fastify-versioning.clients')

/** @internal The object of a scheme, as its author sees it. */
export interface Author extends VersioningScheme {
  readonly [RULES]: SchemeRules
  readonly [CLIENTS]: ClientDefault | null
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined
}

/** @internal The reader of a version: an author's object, or its record, which may have the versions of its list. */
interface VersionReader extends Pick<VersioningScheme, 'allowedVersions' | 'label'> {
  readonly placeText?: string | undefined
}

/** @internal A version as the client wrote it, and the version to which it is resolved: null if it is refused. */
export interface Reading<By extends VersionReader = VersionReader> {
  readonly scheme: By
  readonly version: string
  readonly resolved: string | null
}

const lists = new WeakMap<object, AllowedVersions>()

/** @internal Returns the allowed versions as a list, or null. A field of an app may be any iterable, or undefined. */
export function allowedBy ({ allowedVersions }: Pick<Author, 'allowedVersions'>): AllowedVersions | null {
  const allowed: Iterable<string | null> | null | undefined = allowedVersions
  if (allowed === null || allowed === undefined || Array.isArray(allowed)) return (allowed as AllowedVersions) ?? null
  const list = lists.get(allowed) ?? [...allowed]
  lists.set(allowed, list)
  return list
}

/** @internal Tells whether a version is allowed (SPEC.md, Base contract 4). */
export function isListed (by: Pick<Author, 'allowedVersions' | 'defaultVersion'>, version: string | null): boolean {
  const allowedVersions = Array.isArray(by.allowedVersions) ? by.allowedVersions : allowedBy(by)
  if (allowedVersions === null || allowedVersions.length === 0) return true
  return (version !== null && version === by.defaultVersion) || allowedVersions.includes(version)
}

/**
 * @internal Asks a scheme whether it allows a version.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns an object, such as a promise, or null
 */
export function allows (scheme: Author, version: string | null): boolean {
  const isAllowed: unknown = scheme.isAllowedVersion(version)
  if (typeof isAllowed !== 'object') return isAllowed === true
  throw invalidReturn(scheme, isAllowed, 'isAllowedVersion', 'true or false')
}

/** @internal Returns the first namespace that is an allowed version, or null. */
export function versionAmong (namespaces: readonly string[], scheme: Author): string | null {
  for (const name of namespaces) if (allows(scheme, name)) return name
  return null
}

/** @internal Returns the version of a request that specifies none, or null. */
export function defaultFor (scheme: Author, request: Requested): DefaultVersion {
  return scheme[CLIENTS] === null ? scheme.defaultVersion : scheme[CLIENTS].of(request)
}

/**
 * @internal Returns the version to which a version is resolved, or null if it is refused. Namespaces have no aliases.
 *
 * @param by what lists the versions: the scheme, or the list of a member that has none
 */
export function resolve (scheme: Author, requested: string, by: Pick<Author, 'allowedVersions'> = scheme) {
  if (scheme.resolveVersion === undefined || scheme.linkPlace === 'namespace') return requested
  let version: unknown
  try {
    version = scheme.resolveVersion(requested, allowedBy(by) ?? [])
  } catch (cause) {
    throw invalidResult('resolveVersion', cause, { cause })
  }
  return versionFrom('resolveVersion', version)
}

/** @internal Returns the version that is meant: null if none was read, undefined if it is refused. */
export function versionMeant (scheme: Author, read: unknown, by: VersionReader = scheme, verb?: string) {
  if (read === undefined || read === null) return null
  // Most requests specify one version, which means itself.
  if (typeof read === 'string') {
    return scheme.resolveVersion === undefined ? read : resolve(scheme, read, by) ?? undefined
  }
  const reading = agreed(readingsIn(scheme, read, by, verb))
  return reading === null ? null : reading.resolved ?? undefined
}

/**
 * @internal Returns the different versions that were read.
 *
 * @throws FST_ERR_VERSION_INVALID (500) for what is no version, nor a list of them
 */
export function readingsIn<By extends VersionReader> (
  scheme: Author, read: unknown, by: By, verb = 'readVersion() must return'
): readonly Reading<By>[] {
  if (read === undefined || read === null) return []
  // A hole of a sparse array is undefined in the set.
  return [...new Set<unknown>(Array.isArray(read) ? read : [read])].map((version) => {
    if (typeof version === 'string') return { scheme: by, version, resolved: resolve(scheme, version, by) }
    throw new VersionInvalidError(`${scheme.label}.${verb} a string, a list of strings, null or undefined.`, read)
  })
}

/**
 * @internal Checks that all readings mean one version, for which they may have different aliases.
 *
 * @returns the first reading, or null if there is none
 * @throws FST_ERR_VERSION_AMBIGUOUS (400) for different versions
 */
export function agreed<By extends VersionReader> (readings: readonly Reading<By>[]): Reading<By> | null {
  const [first = null] = readings
  if (readings.length < 2) return first
  const versions = new Set(readings.map(({ resolved, version }) => resolved ?? version))
  if (versions.size === 1) return first
  const places = new Set(readings.map(({ scheme }) => whereOf(scheme)))
  const message = `The request specifies different versions in ${[...places].join(' and ')}.`
  throw Object.assign(new VersionError('ambiguous', message), { [TEXT]: 'ambiguous' as const })
}

/** @internal Returns the place where a scheme reads the version, as messages name it. */
export function whereOf ({ label, placeText }: Pick<VersionReader, 'label' | 'placeText'>): string {
  return placeText === undefined ? label : `the ${placeText}`
}

/** @internal Returns the refusal of a version, with the message of the scheme, unless an author's `refusal` has one. */
export function refusalBy (
  scheme: Author, request: FastifyRequest | undefined, reason: RefusalReason | null = null
): Error {
  const { invalidVersionMessage } = scheme
  const refusal = ownRefusalOf(scheme, invalidVersionMessage, request)
  if (!(refusal instanceof VersionError)) return refusal
  if (refusal.message === invalidVersionMessage) refusal[TEXT] = 'invalid'
  refusal.reason ??= reason
  return refusal
}

/**
 * @internal Returns the error that `refusal` returns. A VersionError is copied, to be completed for the request.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where `refusal` returns no error, such as a promise
 */
export function ownRefusalOf (scheme: Author, message: string, request: FastifyRequest | undefined): Error {
  const ofAuthor: unknown = scheme.refusal(message, request)
  if (ofAuthor instanceof VersionError) return copyOfRefusal(ofAuthor)
  if (ofAuthor instanceof Error) return ofAuthor
  throw invalidReturn(scheme, ofAuthor, 'refusal', 'an error')
}

/** @internal Returns the error of a scheme whose method has returned a wrong value, such as a promise. */
export function invalidReturn (
  { label }: Pick<VersionReader, 'label'>, value: unknown, method = 'determineVersion', what = 'a string or null'
): Error {
  return new VersionInvalidError(`${label}.${method}() must return ${what}.`, value)
}

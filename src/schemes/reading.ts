import { TEXT, VersionError, VersionInvalidError, copyOf } from '../errors.ts'
import { invalidResult, versionFrom } from './default.ts'

import type { AllowedVersions, RawRequest, RefusalReason, VersioningScheme } from '../../types/index.d.ts'
import type { FastifyRequest } from 'fastify'
import type { ClientDefault, DefaultVersion } from './default.ts'

/** What `readVersion` may return: the members of a list must be equal; null and undefined mean that there is none. */
export type Read = string | readonly string[] | null | undefined

/** Node's request before it is routed, Fastify's afterwards. */
export type Requested = RawRequest | FastifyRequest

/** What SPEC.md says of some schemes alone. */
export interface Rules {
  /** Whether the default version of a request without a version must be allowed. */
  readonly isDefaultChecked: boolean
  /** Whether the version is a namespace, which no alias stands for. */
  readonly isNamespace: boolean
  /** Whether the message of a refusal may say more than SPEC.md, which does not know the scheme. */
  readonly isTextFree: boolean
}

/** Where each class of this package keeps its rules, and no class of an app. */
export const RULES: unique symbol = Symbol('fastify-versioning.rules')
/** Where a scheme keeps the default versions of clients, if each has its own, or null. */
export const CLIENTS: unique symbol = Symbol('fastify-versioning.clients')

/** What of a scheme says which version is meant. */
export interface Author extends VersioningScheme {
  readonly [RULES]: Rules
  readonly [CLIENTS]: ClientDefault | null
  resolveVersion? (requested: string, allowedVersions: AllowedVersions): string | null | undefined
}

type Listing = Pick<Author, 'allowedVersions'>

const lists = new WeakMap<object, AllowedVersions>()

/** The allowed versions as a list, or null. A class field of an app in JavaScript may be any iterable, or undefined. */
export function allowedBy ({ allowedVersions }: Listing): AllowedVersions | null {
  const allowed: Iterable<string | null> | null | undefined = allowedVersions
  if (allowed === null || allowed === undefined || Array.isArray(allowed)) return (allowed as AllowedVersions) ?? null
  const list = lists.get(allowed) ?? [...allowed]
  lists.set(allowed, list)
  return list
}

/** A version that was read, as the client wrote it, and what it is resolved to: null if it is refused. */
export interface Reading<By> {
  readonly scheme: By
  readonly version: string
  readonly resolved: string | null
}

/** Throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns a promise, which is truthy. */
export function allows (scheme: Author, version: string | null): boolean {
  const isAllowed: unknown = scheme.isAllowedVersion(version)
  if (typeof isAllowed !== 'object') return isAllowed === true
  throw new VersionInvalidError(`${scheme.label}.isAllowedVersion() must return true or false.`, isAllowed)
}

/**
 * What a version is resolved to, or null if it is refused.
 *
 * @param by what lists the versions: the scheme, or the list of a member that has none
 */
export function resolve (
  scheme: Author, requested: string, by: Listing = scheme
): string | null {
  if (scheme.resolveVersion === undefined || scheme[RULES].isNamespace) return requested
  let version: unknown
  try {
    version = scheme.resolveVersion(requested, allowedBy(by) ?? [])
  } catch (cause) {
    throw invalidResult('resolveVersion', cause, { cause })
  }
  return versionFrom('resolveVersion', version)
}

/** The version of a request that specifies none, or null. */
export function defaultFor (scheme: Author, request: Requested): DefaultVersion {
  return scheme[CLIENTS] === null ? scheme.defaultVersion : scheme[CLIENTS].of(request)
}

/** The version that is meant: null if none was read, undefined if it is refused. */
export function resolved (
  scheme: Author, read: unknown, by: Listing & Pick<Author, 'label'> = scheme, verb?: string
): string | null | undefined {
  if (read === undefined || read === null) return null
  // Most requests specify one version, which means itself.
  if (typeof read === 'string') {
    return scheme.resolveVersion === undefined ? read : resolve(scheme, read, by) ?? undefined
  }
  const reading = agreed(readingsIn(scheme, read, by, verb))
  return reading === null ? null : reading.resolved ?? undefined
}

/** The different versions that were read. */
export function readingsIn<By extends Listing> (
  scheme: Author, read: unknown, by: By, verb?: string
): readonly Reading<By>[] {
  return versionsIn(scheme, read, verb).map((version) => (
    { scheme: by, version, resolved: resolve(scheme, version, by) }
  ))
}

/** @throws FST_ERR_VERSION_INVALID (500) for what is no version, nor a list of them */
export function versionsIn ({ label }: Author, read: unknown, verb = 'readVersion() must return'): readonly string[] {
  if (read === undefined || read === null) return []
  // A hole of a sparse array is undefined in the set.
  const versions = [...new Set<unknown>(Array.isArray(read) ? read : [read])]
  if (versions.every((version) => typeof version === 'string')) return versions
  throw new VersionInvalidError(`${label}.${verb} a string, a list of strings, null or undefined.`, read)
}

/**
 * Two aliases of one version are not different versions.
 *
 * @returns the first reading, or null if there is none
 * @throws FST_ERR_VERSION_AMBIGUOUS (400) for different versions
 */
export function agreed<By extends { readonly label: string, readonly placeText?: string | undefined }> (
  readings: readonly Reading<By>[]
): Reading<By> | null {
  const [first] = readings
  if (readings.length < 2) return first ?? null
  const isOther = ({ resolved, version }: Reading<By>) => (resolved ?? version) !== (first.resolved ?? first.version)
  if (!readings.some(isOther)) return first
  const places = new Set(readings.map(({ scheme }) => whereOf(scheme)))
  const message = `The request specifies different versions in ${[...places].join(' and ')}.`
  throw Object.assign(new VersionError('ambiguous', message), { [TEXT]: 'ambiguous' as const })
}

/** Where a scheme reads the version, as messages say it. */
export function whereOf ({ label, placeText }: { readonly label: string, readonly placeText?: string | undefined }) {
  return placeText === undefined ? label : `the ${placeText}`
}

/** SPEC.md, Base contract 4. */
export function isListed (by: Listing & Pick<Author, 'defaultVersion'>, version: string | null): boolean {
  const allowedVersions = Array.isArray(by.allowedVersions) ? by.allowedVersions : allowedBy(by)
  if (allowedVersions === null || allowedVersions.length === 0) return true
  return (version !== null && version === by.defaultVersion) || allowedVersions.includes(version)
}

/** The first namespace that is allowed, or null if none is. */
export function versionAmong (namespaces: readonly string[], scheme: Author): string | null {
  for (const name of namespaces) if (allows(scheme, name)) return name
  return null
}

/** The refusal of a version, with the message of the scheme: an author's `refusal` may replace it. */
export function refusalBy (
  scheme: Author, request: FastifyRequest | undefined, reason: RefusalReason | null = null
): Error {
  const { invalidVersionMessage } = scheme
  const ofAuthor = scheme.refusal(invalidVersionMessage, request)
  if (!(ofAuthor instanceof VersionError)) return ofAuthor
  const refusal = copyOf(ofAuthor)
  if (refusal.message === invalidVersionMessage) refusal[TEXT] = 'invalid'
  refusal.reason ??= reason
  return refusal
}

/** The error of a scheme whose method has returned a wrong value, such as a promise that is not awaited. */
export function invalid ({ label }: { readonly label: string }, value: unknown, method = 'determineVersion'): Error {
  return new VersionInvalidError(`${label}.${method}() must return a string or null.`, value)
}

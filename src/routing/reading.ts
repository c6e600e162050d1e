import { VersionAmbiguousError, VersionInvalidError, VersionNotFoundError, nameOf, show } from '../errors.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/**
 * The version that a client names, as its scheme reads it.
 *
 * @param request Node's request before it is routed, Fastify's afterwards
 * @returns null: the client names none
 * @throws FST_ERR_VERSION_AMBIGUOUS (400) when the client names different versions
 * @throws FST_ERR_VERSION_INVALID (500) when the scheme reads what is neither text nor a list of texts
 */
export function versionNamed (scheme: VersioningScheme, request: RawRequest | FastifyRequest): string | null {
  return toVersion(scheme, scheme.readVersion?.(request))
}

/**
 * The one version in what `readVersion` returns.
 *
 * @returns null if the client names none
 * @throws as `versionNamed`
 */
export function toVersion (scheme: VersioningScheme, read: unknown): string | null {
  if (read === undefined || read === null || typeof read === 'string') return read ?? null
  // A hole of a sparse array is undefined in the set.
  const versions = Array.isArray(read) ? [...new Set<unknown>(read)] : [read]
  if (!versions.every((version) => typeof version === 'string')) throw invalid(scheme, read)
  if (versions.length > 1) throw ambiguity(scheme, versions.map((version) => ({ scheme, version })))
  return versions[0] ?? null
}

/**
 * Why a scheme cannot choose among the routes of a URL, which happens before routing and by `readVersion` alone.
 *
 * @returns what an error says is expected of the option `version`; null if the scheme can choose
 */
export function whyNotBeforeRouting (scheme: VersioningScheme): string | null {
  const { knownAfterRouting, schemes = [] } = scheme
  if (typeof knownAfterRouting === 'string') return `none, for ${knownAfterRouting}`
  const label = nameOf(scheme)
  if (typeof scheme.readVersion !== 'function') return `a scheme that has readVersion(), which ${label} has not`
  if (isDeterminedApart(scheme)) {
    return `a scheme that reads the version in readVersion(); ${label} overrides determineVersion() alone, which is ` +
      'called only after routing: override readVersion() instead'
  }
  return schemes.map(whyNotBeforeRouting).find((why) => why !== null) ?? null
}

/** Whether a scheme has its `determineVersion` from a class that is further down than that of its `readVersion`. */
function isDeterminedApart (scheme: object): boolean {
  let owner = scheme
  while (!Object.hasOwn(owner, 'readVersion') && !Object.hasOwn(owner, 'determineVersion')) {
    owner = Object.getPrototypeOf(owner)
  }
  return !Object.hasOwn(owner, 'readVersion')
}

/** A version, and the scheme that has read it. */
export interface Named {
  readonly scheme: VersioningScheme
  readonly version: string
}

/** How much of a version a message shows, and how many of them. */
const MAX_SHOWN_LENGTH = 40
const MAX_SHOWN = 4

/** The error for a request that names different versions. */
export function ambiguity ({ allowedVersions }: VersioningScheme, named: readonly Named[]): Error {
  const shown = named.slice(0, MAX_SHOWN).map(({ scheme, version }) => {
    const place = scheme.placeText === undefined ? nameOf(scheme) : `the ${scheme.placeText}`
    return `${toAscii(show(version.slice(0, MAX_SHOWN_LENGTH)))} in ${place}`
  })
  return new VersionAmbiguousError(`The request names different versions: ${shown.join(', ')}.`, allowedVersions)
}

/** What is not visible ASCII is escaped: some of it would change how the rest is shown. */
function toAscii (text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}

/**
 * The error of a scheme for a version that is not permitted, or that a URL does not serve.
 *
 * @param request the one that is refused, for a scheme that refuses it where the version is named
 */
export function refusalOf (
  scheme: VersioningScheme, request: FastifyRequest, message?: string
): Error {
  return scheme.refusal?.(message, request) ??
    new VersionNotFoundError(message ?? scheme.invalidVersionMessage, scheme.allowedVersions)
}

/**
 * Whether a scheme permits a version.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where `isAllowedVersion` returns a promise
 */
export function isPermitted (scheme: VersioningScheme, version: string | null): boolean {
  const isAllowed: unknown = scheme.isAllowedVersion(version)
  if (typeof isAllowed === 'object') throw invalid(scheme, isAllowed)
  return Boolean(isAllowed)
}

/** The error of a scheme whose method has returned what it must not, such as a promise, for which nobody waits. */
export function invalid (scheme: VersioningScheme, value: unknown): Error {
  ignoreRejection(value)
  return new VersionInvalidError(nameOf(scheme), value)
}

/** Where a promise is not what was asked for nobody awaits it, and its rejection must not end the process. */
export function ignoreRejection (value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one instanceof Promise) one.catch(() => {})
  }
}

import { VersionError, VersionInvalidError } from './errors.ts'
import { show } from './messages.ts'
import { ignoreRejection } from './promises.ts'

import type { AllowedVersions } from '../types/index.d.ts'

/** The members of a scheme that errors show. */
interface Labelled { readonly label: string }
interface Explained { readonly place: string, readonly source: { readonly placeText?: string } }

/** A version, and the scheme that has read it. */
interface NamedInPlace { readonly version: string, readonly scheme: { readonly placeText: string } }

/** How much of a version a message shows, and how many of them. */
const MAX_SHOWN_LENGTH = 40
const MAX_SHOWN = 4

/**
 * The error for a request that specifies different versions.
 *
 * @param versions the versions that the URL serves, or the versions of the scheme
 */
export function ambiguity (named: readonly NamedInPlace[], versions: AllowedVersions | null): Error {
  const shown = named.slice(0, MAX_SHOWN).map(({ scheme: { placeText }, version }) => (
    `${toAscii(show(version.slice(0, MAX_SHOWN_LENGTH)))} in ${placeText}`
  ))
  return new VersionError('ambiguous', `The request specifies different versions: ${shown.join(', ')}.`, versions)
}

/** How much of a list of versions a message shows: a line of a header, which proxies take. */
const MAX_LIST_LENGTH = 256

/**
 * The message of a refusal that says what is wrong with the version of the request.
 *
 * @param named what the client specifies, or null
 * @param versions the versions that the URL serves
 */
export function explanation (
  { source: { placeText }, place }: Explained, named: string | null, versions: AllowedVersions | null
): string {
  const list = listOf(versions ?? [])
  const advice = list === '' ? '' : ` Versions: ${list}.`
  if (named === null) return `The ${place === 'header' ? '' : 'version in the '}${placeText} is missing.${advice}`
  return `Version ${toAscii(show(named.slice(0, MAX_SHOWN_LENGTH)))} in the ${placeText} is not supported.${advice}`
}

function listOf (versions: AllowedVersions): string {
  const all = versions.filter((version) => version !== null).map(toAscii)
  const shown: string[] = []
  let length = 0
  for (const version of all) {
    if (length + version.length + 2 > MAX_LIST_LENGTH) break
    length += version.length + 2
    shown.push(version)
  }
  const more = all.length - shown.length
  if (shown.length === 0) return ''
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Characters other than visible ASCII are escaped, because some would change how the rest is shown. */
function toAscii (text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}

/** The error of a scheme whose method has returned a wrong value, such as a promise that is not awaited. */
export function invalid ({ label }: Labelled, value: unknown): Error {
  ignoreRejection(value)
  return new VersionInvalidError(`${label}.determineVersion() must return a string or null.`, value)
}

/** The error of a scheme whose `readVersion` has returned what it must not. */
export function invalidRead ({ label }: Labelled, value: unknown): Error {
  ignoreRejection(value)
  const expected = 'a string, a list of strings, null or undefined'
  return new VersionInvalidError(`${label}.readVersion() must return ${expected}.`, value)
}

/** The error of a scheme whose two methods return different versions. */
export function disagreement ({ label }: Labelled, version: string | null): Error {
  return new VersionInvalidError(`${label}.determineVersion() must return the version that readVersion() returns, ` +
    'because versions choose handlers.', version)
}

/** The error of a function among the options that has failed, or has returned a wrong value. */
export function invalidResult (option: string, expected: string, value: unknown, options?: ErrorOptions): Error {
  ignoreRejection(value)
  return Object.assign(new VersionInvalidError(`The option "${option}" must return ${expected}.`, value), options)
}

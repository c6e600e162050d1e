import { TEXT } from '../errors.ts'
import { servedAt } from '../lifecycle/served-versions.ts'

import type { VersionError } from '../errors.ts'
import type { Arrival } from '../passage.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

/** The most characters of a list of versions in a message: proxies take a line of a header that long. */
const MAX_LIST_LENGTH = 256

/**
 * Returns the versions, without previews, that the URL serves to clients which specify them in the place where this
 * client has: a member of a list may have its own settings.
 */
export function answeredTo (arrival: Arrival, now: number, served = servedAt(arrival).versions): AllowedVersions {
  const { request, scheme } = arrival
  const answered = served.filter(({ goneAt, isPreview }) => now < goneAt && !isPreview).map(({ version }) => version)
  if (!scheme.isList) return answered
  const reader = scheme.readerFor(request)
  return answered.filter((version) => version === null || reader.allows(version))
}

/**
 * Returns the message of a refusal. It says what is expected, unless SPEC.md or the author has written the whole text.
 *
 * @param requested what the client specifies, or null
 */
export function completeText (
  arrival: Arrival, { allowedVersions, message, reason, [TEXT]: text }: VersionError, requested: string | null
): string {
  const versions = sentenceOf(allowedVersions ?? [])
  // In a namespace that is not allowed, the URL serves no versions, and those of its counterparts are no help.
  if (text === 'ambiguous') return servedAt(arrival).versions.length === 0 ? message : message + versions
  const { mayNameVersions, place, placeText } = arrival.scheme.readerFor(arrival.request)
  if (text === undefined || !mayNameVersions) return message
  const { clientDefault } = arrival.scheme
  if (clientDefault !== null && requested === null && reason === 'unsupported') {
    const list = listText(allowedVersions ?? [])
    return `The version that belongs to your "${clientDefault.header}" header is not available.` +
      (list === '' ? '' : ` Send one of these in the ${placeText}: ${list}.`)
  }
  if (reason !== 'missing') return message + versions
  return `The ${place === 'header' ? '' : 'version in the '}${placeText} is missing.${versions}`
}

/** Returns a text that says which versions a URL answers under a method. Other methods may have other versions. */
export function unservedText ({ request }: Arrival, answered: AllowedVersions): string {
  // A refusal of HEAD must have the length of the refusal of GET (RFC 9110, section 8.6).
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const list = listText(answered)
  if (list !== '') return `This URL answers ${method} in ${list}.`
  return answered.includes(null)
    ? `This URL answers ${method} without a version.`
    : `This URL does not answer ${method} in any version.`
}

export function sentenceOf (versions: AllowedVersions): string {
  const list = listText(versions)
  return list === '' ? '' : ` Versions: ${list}.`
}

function listText (versions: AllowedVersions): string {
  const all = versions.filter((version) => version !== null)
  let length = 0
  const end = all.findIndex((version) => (length += version.length + 2) > MAX_LIST_LENGTH)
  if (end === -1) return all.join(', ')
  return end === 0 ? '' : `${all.slice(0, end).join(', ')} and ${all.length - end} more`
}

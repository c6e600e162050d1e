import { VersionRangeError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { recordOf } from '../scheme.ts'

import type { FastifyRequest } from 'fastify'
import type { AllowedVersions, VersioningScheme } from '../../types/index.d.ts'

const EXPECTED = 'a version, a list of versions, or a range { from, to }'

/**
 * `request.isVersion`: whether the version of the request is one of these.
 *
 * @param given a version, a list, or a range with both ends included, in the order of the scheme's `allowedVersions`
 * @returns false if the request has no version
 * @throws FST_ERR_VERSION_RANGE (500) for anything else, and for a version that the scheme does not allow
 */
export function isVersion (this: FastifyRequest, given: unknown): boolean {
  const { version, versioningScheme: scheme } = this
  if (typeof given === 'string') {
    check(given, scheme)
    return version === given
  }
  if (Array.isArray(given)) return isInList(version, given, scheme)
  if (typeof given === 'object' && given !== null) return isInRange(version, given, scheme)
  throw new VersionRangeError(EXPECTED, show(given), '')
}

function isInList (version: string | null, given: readonly unknown[], scheme: VersioningScheme | null): boolean {
  if (given.length === 0) throw new VersionRangeError(EXPECTED, '[]', '')
  for (let i = 0; i < given.length; i++) check(given[i], scheme)
  return version !== null && given.includes(version)
}

function isInRange (
  version: string | null, range: { readonly from?: unknown, readonly to?: unknown }, scheme: VersioningScheme | null
): boolean {
  for (const name in range) {
    if (name !== 'from' && name !== 'to') throw new VersionRangeError(EXPECTED, show(range), '')
  }
  const { from, to } = range
  if (from === undefined && to === undefined) throw new VersionRangeError(EXPECTED, show(range), '')
  if (scheme === null) return false
  const order = scheme.allowedVersions
  if (order === null || order.length === 0) {
    throw new VersionRangeError('a version or a list, because a range needs allowedVersions', show(range), '')
  }
  const start = from === undefined ? 0 : indexIn(order, from)
  const end = to === undefined ? order.length - 1 : indexIn(order, to)
  if (start > end) {
    throw new VersionRangeError(`a range in the order of allowedVersions, ${show(order)}`, show(range), '')
  }
  if (version === null) return false
  const at = order.indexOf(version)
  return at >= start && at <= end
}

function check (version: unknown, scheme: VersioningScheme | null): void {
  if (typeof version !== 'string') throw new VersionRangeError(EXPECTED, show(version), '')
  if (scheme !== null && !recordOf(scheme).allows(version)) throw notAllowed(scheme.allowedVersions ?? [], version)
}

function indexIn (order: AllowedVersions, version: unknown): number {
  const index = typeof version === 'string' ? order.indexOf(version) : -1
  if (index === -1) throw notAllowed(order, version)
  return index
}

function notAllowed (order: AllowedVersions, version: unknown): Error {
  const known = order.filter((one) => one !== null)
  const near = typeof version === 'string' ? suggestionFor(version, known) : ''
  return new VersionRangeError(`one of allowedVersions, ${show(known)}`, show(version), near)
}

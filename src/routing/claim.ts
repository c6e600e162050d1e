import { types } from 'node:util'

import { must, forbid } from '../errors.ts'
import { show } from '../messages.ts'
import { checkOrder } from '../options/release-order.ts'
import { isRange } from '../options/version-range.ts'
import { Claim } from '../routes.ts'

import type { VersionRange } from '../options/version-range.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { RouteVersions } from '../../types/index.d.ts'

const VERSIONS = 'a version, a list of versions, or a range { from, to } of allowedVersions'

/**
 * Reads the route option `version`.
 *
 * @param versions a version, a list, or a range with both ends included, in the order of the scheme's `allowedVersions`
 * @param scheme the scheme of the route, or null
 * @throws FST_ERR_VERSIONING_OPTION for any other value, an unlisted version, an empty range, and where
 * the scheme cannot choose a route
 */
export function toClaim (versions: RouteVersions, scheme: Scheme | null): Claim {
  if (scheme === null) {
    forbid('version', 'Set "scheme" where you register fastify-versioning: without a scheme, no request has a ' +
      'version, and "version" cannot choose this route.')
  }
  const { author: { readVersion }, clientDefault, knownAfterRouting, label } = scheme
  if (knownAfterRouting !== null) forbid('version', `Remove "version": ${knownAfterRouting}.`)
  if (readVersion === undefined) {
    forbid('version', `Give the scheme ${label} a method readVersion(): "version" chooses a route before ` +
      `${label}.determineVersion() runs.`)
  }
  if (types.isAsyncFunction(clientDefault?.version)) {
    forbid('defaultVersion', 'Make "defaultVersion.version" synchronous: this app has routes with "version", and the ' +
      'router does not wait for a promise.')
  }
  if (typeof versions === 'string') return claimOfList([versions], scheme)
  must(typeof versions === 'object', 'version', VERSIONS, versions)
  if (Symbol.iterator in versions) return claimOfList([...versions], scheme)
  must(isRange(versions), 'version', VERSIONS, versions)
  return claimOfRange(versions, scheme)
}

function claimOfList (members: readonly unknown[], scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const versions = new Set(members)
  must(versions.size > 0, 'version', VERSIONS, members)
  const hasNull = versions.delete(null)
  if (hasNull) checkNull(scheme)
  for (const version of versions) listedIndex(allowed, version)
  const ordered = allowed.length === 0 ? [...versions] as string[] : allowed.filter((version) => versions.has(version))
  return new Claim(hasNull ? [...ordered, null] : ordered, Infinity)
}

function checkNull (scheme: Scheme): void {
  const { defaultVersion } = scheme
  if (defaultVersion !== null) {
    forbid('version', 'Remove null from "version": a request without a version gets the default version ' +
      `${show(defaultVersion)}, so it never has the version null.`)
  }
  if (scheme.allows(null)) return
  forbid('version', 'Remove null from "version": a request without a version is refused. To serve it, add null to ' +
    '"allowedVersions".')
}

function claimOfRange (range: VersionRange, scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const { from, to } = range
  if (allowed.length === 0) {
    forbid('version', `Set "allowedVersions": without this list, the range ${show(range)} has no order.`)
  }
  checkOrder(allowed, `the range ${show(range)}`)
  const start = from === undefined ? 0 : listedIndex(allowed, from)
  const end = to === undefined ? allowed.length : listedIndex(allowed, to) + 1
  if (start < end) return new Claim(allowed.slice(start, end), start)
  return forbid('version', `Invalid "version": ${show(from)} ("from") is newer than ${show(to)} ("to"). ` +
    `allowedVersions lists the oldest version first: ${allowed.map(show).join(', ')}.`)
}

function listedIndex (allowed: readonly string[], version: unknown): number {
  must(typeof version === 'string', 'version', VERSIONS, version)
  const index = allowed.indexOf(version)
  must(index !== -1 || allowed.length === 0, 'version', `one of allowedVersions, ${show(allowed)}`, version)
  return index
}

import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isAsync } from '../options/read.ts'
import { Claim } from '../routes.ts'

import type { Scheme } from '../schemes/base.ts'
import type { RouteVersions } from '../../types/index.d.ts'

const EXPECTED = 'a version, a list of versions, or a range { from, to } of allowedVersions'

/**
 * Reads the route option `version`.
 *
 * @param given a version, a list, or a range with both ends included, in the order of the scheme's `allowedVersions`
 * @param scheme the scheme of the route, or null
 * @throws FST_ERR_VERSIONING_OPTION for any other value, an unlisted version, an empty range, and where
 * the scheme cannot choose a route
 */
export function toClaim (given: RouteVersions, scheme: Scheme | null): Claim {
  if (scheme === null) throw new VersioningOptionError('version', 'a scheme that reads one', show(given))
  if (scheme.whyNoChoice !== null) throw new VersioningOptionError('version', scheme.whyNoChoice, show(given))
  if (scheme.clientDefault !== null && isAsync(scheme.clientDefault.version)) {
    const expected = 'a function without a promise where versions choose handlers: hold the versions of clients in ' +
      'memory, or let a gateway send them'
    throw new VersioningOptionError('defaultVersion.version', expected, 'an async function')
  }
  if (typeof given === 'string') return listed([given], scheme)
  if (typeof given !== 'object') throw new VersioningOptionError('version', EXPECTED, show(given))
  return Symbol.iterator in given ? listed([...given], scheme) : rangeOf(given, scheme)
}

function listed (given: readonly unknown[], scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const versions = new Set(given)
  if (versions.size === 0) throw new VersioningOptionError('version', EXPECTED, '[]')
  const hasNull = versions.delete(null)
  if (hasNull) checkNull(scheme, given)
  for (const version of versions) indexIn(allowed, version)
  const ordered = allowed.length === 0 ? [...versions] as string[] : allowed.filter((version) => versions.has(version))
  return new Claim(scheme, hasNull ? [...ordered, null] : ordered, Infinity)
}

function checkNull (scheme: Scheme, given: readonly unknown[]): void {
  const { defaultVersion, allowedVersions } = scheme
  if (defaultVersion !== null) {
    const why = `no null, because a request without a version is in the default version, ${show(defaultVersion)}`
    throw new VersioningOptionError('version', why, show(given))
  }
  if (scheme.allows(null)) return
  const why = `no null, because allowedVersions, ${show(allowedVersions)}, does not have null`
  throw new VersioningOptionError('version', why, show(given))
}

function rangeOf (range: { from?: unknown, to?: unknown }, scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const { from, to, ...others } = range
  if ((from === undefined && to === undefined) || Object.keys(others).length > 0) {
    throw new VersioningOptionError('version', EXPECTED, show(range))
  }
  if (allowed.length === 0) {
    const expected = 'a version or a list, because a range needs allowedVersions'
    throw new VersioningOptionError('version', expected, show(range))
  }
  const start = from === undefined ? 0 : indexIn(allowed, from)
  const end = to === undefined ? allowed.length : indexIn(allowed, to) + 1
  if (start < end) return new Claim(scheme, allowed.slice(start, end), start)
  throw new VersioningOptionError('version', `a range in the order of allowedVersions, ${show(allowed)}`, show(range))
}

function indexIn (allowed: readonly string[], version: unknown): number {
  if (typeof version !== 'string') throw new VersioningOptionError('version', EXPECTED, show(version))
  const index = allowed.indexOf(version)
  if (allowed.length === 0 || index !== -1) return index
  throw new VersioningOptionError('version', `one of allowedVersions, ${show(allowed)}`, show(version))
}

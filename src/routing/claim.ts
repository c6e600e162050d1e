import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { isAsync } from '../options/read.ts'

import type { Claim } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { RouteVersions } from '../../types/index.d.ts'

/** The claims to one version, which most routes have, by scheme and version: routes share them. */
const ofOne = new WeakMap<Scheme, Map<string, Claim>>()

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
  const known = typeof given === 'string' && scheme !== null ? ofOne.get(scheme)?.get(given) : undefined
  if (known !== undefined) return known
  checkScheme(scheme, given)
  if (typeof given === 'string') return remember(given, listed([given], scheme))
  if (typeof given !== 'object') throw new VersioningOptionError('version', EXPECTED, show(given))
  return Symbol.iterator in given ? listed([...given], scheme) : rangeOf(given, scheme)
}

function remember (version: string, claim: Claim): Claim {
  const { scheme } = claim
  const byVersion = ofOne.get(scheme) ?? new Map<string, Claim>()
  ofOne.set(scheme, byVersion.set(version, claim))
  return claim
}

/** Whether the first of two claims to a version wins: the one that lists it, then the range that begins last. */
export function isPreferred (a: Claim, b: Claim): boolean {
  if (a.from === null || b.from === null) return b.from !== null
  return a.from > b.from
}

function checkScheme (scheme: Scheme | null, version: unknown): asserts scheme {
  if (scheme === null) throw new VersioningOptionError('version', 'a scheme that reads one', show(version))
  const { clientDefault, whyNoChoice } = scheme
  if (whyNoChoice !== null) throw new VersioningOptionError('version', whyNoChoice, show(version))
  if (clientDefault === null || !isAsync(clientDefault.given.version)) return
  const expected = 'a function without a promise where versions choose handlers: hold the versions of clients in ' +
    'memory, or let a gateway send them'
  throw new VersioningOptionError('defaultVersion.version', expected, 'an async function')
}

function listed (given: readonly unknown[], scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  if (given.length === 0) throw new VersioningOptionError('version', EXPECTED, '[]')
  if (given.includes(null)) checkNull(scheme, given)
  const versions = [...new Set(given)].filter((version) => version !== null)
  for (const version of versions) check(version, allowed)
  const ordered = allowed.length === 0 ? versions : allowed.filter((version) => versions.includes(version))
  return { scheme, versions: (given.includes(null) ? [...ordered, null] : ordered) as string[], from: null }
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
    throw new VersioningOptionError(
      'version', 'a version or a list, because a range needs allowedVersions', show(range)
    )
  }
  if (from !== undefined) check(from, allowed)
  if (to !== undefined) check(to, allowed)
  const start = from === undefined ? 0 : allowed.indexOf(from as string)
  const end = to === undefined ? allowed.length : allowed.indexOf(to as string) + 1
  const versions = allowed.slice(start, end)
  if (versions.length > 0) return { scheme, versions, from: start }
  throw new VersioningOptionError('version', `a range in the order of allowedVersions, ${show(allowed)}`, show(range))
}

function check (version: unknown, allowed: readonly string[]): void {
  if (typeof version !== 'string') throw new VersioningOptionError('version', EXPECTED, show(version))
  if (allowed.length === 0 || allowed.includes(version)) return
  throw new VersioningOptionError('version', `one of allowedVersions, ${show(allowed)}`, show(version))
}

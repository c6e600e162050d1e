import { types } from 'node:util'

import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { must } from '../options/read.ts'
import { checkOrder } from '../options/release-order.ts'
import { Claim } from '../routes.ts'

import type { Scheme } from '../schemes/scheme.ts'
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
  must(scheme !== null, 'version', 'a scheme that reads one', given)
  const { author: { readVersion }, clientDefault, knownAfterRouting, label } = scheme
  must(knownAfterRouting === null, 'version', `none, because ${knownAfterRouting}`, given)
  must(readVersion !== undefined, 'version', `a scheme that has readVersion(), which ${label} has not`, given)
  const isSync = !types.isAsyncFunction(clientDefault?.version)
  must(isSync, 'defaultVersion.version', 'a synchronous function, because it chooses a handler', { ...clientDefault })
  if (typeof given === 'string') return listed([given], scheme)
  must(typeof given === 'object', 'version', EXPECTED, given)
  return Symbol.iterator in given ? listed([...given], scheme) : rangeOf(given, scheme)
}

function listed (given: readonly unknown[], scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const versions = new Set(given)
  must(versions.size > 0, 'version', EXPECTED, given)
  const hasNull = versions.delete(null)
  const isNullRight = !hasNull || (scheme.defaultVersion === null && scheme.allows(null))
  must(isNullRight, 'version', 'no null, because a request without a version has the default one or is refused', given)
  for (const version of versions) indexIn(allowed, version)
  const ordered = allowed.length === 0 ? [...versions] as string[] : allowed.filter((version) => versions.has(version))
  return new Claim(hasNull ? [...ordered, null] : ordered, Infinity)
}

function rangeOf (range: { from?: unknown, to?: unknown }, scheme: Scheme): Claim {
  const { listedVersions: allowed } = scheme
  const { from, to, ...others } = range
  must((from ?? to) !== undefined && Object.keys(others).length === 0, 'version', EXPECTED, range)
  must(allowed.length > 0, 'version', 'a version or a list, because a range needs allowedVersions', range)
  checkOrder(allowed, `the range ${show(range)}`)
  const start = from === undefined ? 0 : indexIn(allowed, from)
  const end = to === undefined ? allowed.length : indexIn(allowed, to) + 1
  if (start < end) return new Claim(allowed.slice(start, end), start)
  throw new VersioningOptionError('version', `a range in the order of allowedVersions, ${show(allowed)}`, show(range))
}

function indexIn (allowed: readonly string[], version: unknown): number {
  must(typeof version === 'string', 'version', EXPECTED, version)
  const index = allowed.indexOf(version)
  if (index !== -1 || allowed.length === 0) return index
  throw new VersioningOptionError('version', `one of allowedVersions, ${show(allowed)}`, show(version))
}

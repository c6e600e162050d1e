import { expandOptional, hasParam } from '../paths/pattern.ts'
import { routeIn, slotOf } from '../routes.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** Tells whether a route serves a version under a method, because no other route with the same constraints does. */
export function isServedBy (route: Route, method: string, version: string | null): boolean {
  const slot = slotOf(route, method)
  return slot === null || routeIn(slot, version) === route
}

/** Returns the versions of a route, also those that another route claims. Null means requests without a version. */
export function ownVersionsOf (route: Route): readonly (string | null)[] {
  const { scheme } = route
  return scheme === null ? [null] : versionsIn(scheme, route, scheme.listedVersions)
}

/** Returns the versions of a route in which requests come to it: a member of a list may allow fewer than the list. */
export function servedVersionsOf (route: Route): readonly (string | null)[] {
  return ownVersionsOf(route).filter((version) => comesTo(route, version))
}

/** Tells whether a request for a version may come to a route if no other route claims the version. */
export function canServe (route: Route, version: string): boolean {
  const { scheme } = route
  if (scheme === null) return true
  const allowed = route.claim === null && scheme.allows(version) ? [version] : []
  return versionsIn(scheme, route, allowed).includes(version) && comesTo(route, version)
}

/** Tells whether the schemes that read the version of requests to a route allow one of its versions. */
export function comesTo (route: Route, version: string | null): boolean {
  const { namespace: { names }, scheme, url } = route
  if (!scheme?.isList || version === null || (scheme.readsNamespaces && names.length > 0)) return true
  const { inPath, readers } = readersAt(url, scheme)
  if (inPath.length > 0) return inPath.some((reader) => reader.allows(version))
  const isDefault = scheme.clientDefault !== null || version === scheme.defaultVersion
  return isDefault || readers.some((reader) => reader.allows(version))
}

/** Returns the members that read the version of requests to a URL, and those of them that find it in every path. */
function readersAt (url: string, { members }: Scheme) {
  const readers = members.filter(({ param, readsNamespaces }) => (
    !readsNamespaces && (param === null || hasParam(url, param))
  ))
  const inPath = expandOptional(url).length > 1 ? [] : readers.filter(({ param }) => param !== null)
  return { readers, inPath }
}

/**
 * Returns the versions that a route claims, or the version of its namespace, or else the listed versions. A URL at
 * which no scheme reads a version has the default version, which NamespaceVersioning does not check.
 *
 * @param listed the versions to choose from; empty if any version is allowed
 */
function versionsIn (scheme: Scheme, route: Route, listed: readonly string[]): readonly (string | null)[] {
  const { claim, namespace: { names }, url } = route
  if (claim !== null) return claim.versions
  const { allowedVersions, defaultVersion, readsNamespaces } = scheme
  if (readsNamespaces && names.length > 0) return [scheme.versionIn(names)].filter((version) => version !== null)
  const { inPath, readers } = readersAt(url, scheme)
  if (readers.length === 0 && scheme.clientDefault === null) {
    return (readsNamespaces && !scheme.isList) || scheme.allows(defaultVersion) ? [defaultVersion] : []
  }
  const hasNull = inPath.length === 0 && defaultVersion === null && allowedVersions?.includes(null)
  return hasNull || listed.length === 0 ? [...listed, null] : listed
}

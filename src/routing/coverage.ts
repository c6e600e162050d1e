import { schemeOf } from '../context.ts'
import { expandOptional, namesOf } from '../paths/pattern.ts'
import { slotOf } from '../routes.ts'
import { routeIn } from './slots.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'

/** Whether a route serves a version under a method: no other route with the same other constraints takes it. */
export function isServedBy (route: Route, method: string, version: string | null): boolean {
  const slot = slotOf(route, method)
  return slot === null || routeIn(slot, version) === route
}

/** The versions that a route has, also those that another route claims; null in the list stands for none. */
export function ownVersionsOf (route: Route): readonly (string | null)[] {
  const scheme = schemeOf(route)
  return scheme === null ? [null] : versionsIn(scheme, route, scheme.listedVersions)
}

/** Whether a request for a version may come to a route if no other route claims the version. */
export function canServe (route: Route, version: string): boolean {
  const scheme = schemeOf(route)
  if (scheme === null) return true
  const allowed = route.claim === null && scheme.allows(version) ? [version] : []
  return versionsIn(scheme, route, allowed).includes(version)
}

/**
 * The versions that a route claims, or the version of its namespace, or else the listed ones. A path without a place
 * for the version has the default one, which NamespaceVersioning does not check.
 *
 * @param listed the versions to choose from; empty if any version is allowed
 */
function versionsIn (scheme: Scheme, route: Route, listed: readonly string[]): readonly (string | null)[] {
  const { claim, namespace: { names }, url } = route
  if (claim !== null) return claim.versions
  const { allowedVersions, defaultVersion, members, readsNamespaces } = scheme
  if (readsNamespaces && names.length > 0) return [scheme.versionIn(names)].filter((version) => version !== null)
  const readers = members.filter(({ impliedParam, readsNamespaces }) => (
    !readsNamespaces && (impliedParam === null || namesOf(url).includes(impliedParam))
  ))
  if (readers.length === 0 && scheme.clientDefault === null) {
    return (readsNamespaces && !scheme.isList) || scheme.allows(defaultVersion) ? [defaultVersion] : []
  }
  const inPath = readers.filter(({ impliedParam }) => impliedParam !== null)
  const isInPath = inPath.length > 0 && expandOptional(url).length === 1
  const hasNull = !isInPath && defaultVersion === null && allowedVersions?.includes(null)
  // A member of a list may allow fewer versions.
  const isReached = (version: string) => (
    (isInPath ? inPath : readers).some((one) => one.allows(version)) ||
    (!isInPath && (scheme.clientDefault !== null || version === defaultVersion))
  )
  const own = scheme.isList ? listed.filter(isReached) : listed
  return hasNull || listed.length === 0 ? [...own, null] : own
}

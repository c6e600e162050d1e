import { schemeOf } from '../context.ts'
import { expandOptional, parsePath } from '../paths/pattern.ts'
import { routeIn, slotsOf } from './slots.ts'

import type { ParsedPath, RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

/**
 * Which versions come to the routes of an app.
 *
 * @returns whether a route serves a version under a method: no other route with the same other constraints takes it
 */
export function coverageOf (
  routes: readonly Route[], options: RouterOptions
): (route: Route, method: string, version: string | null) => boolean {
  const { entries } = slotsOf(routes, options)
  return (route, method, version) => {
    const own = entries.get(route)
    return own === undefined || own.some((entry) => (
      entry.method === method && (entry.group === null || routeIn(entry.group, version) === route)
    ))
  }
}

/**
 * The versions that a route has, including versions that another route claims. Null if it has none, or its scheme lists
 * none.
 */
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
 * The versions that a route claims, or the version of its namespace; or else, if the version is a parameter of the
 * path, the versions that its pattern matches.
 *
 * @param listed the versions to choose from; empty if any version is allowed
 */
function versionsIn (
  scheme: Scheme, { claim, namespace: { names }, url }: Route, listed: readonly string[]
): readonly (string | null)[] {
  if (claim !== null) return claim.versions
  if (scheme.readsNamespaces && names.length > 0) {
    const version = scheme.versionIn(names)
    return version === null ? [] : [version]
  }
  const params = scheme.inPath.map(({ impliedParam }) => impliedParam)
  const paths = expandOptional(url).map(parsePath)
  const places = paths.map((path) => path.params.findIndex(({ name }) => params.includes(name)))
  const inParam = listed.length === 0 && places.some((at) => at !== -1) ? [null] : []
  const taken = listed.filter((version) => paths.some((path, i) => places[i] !== -1 && takes(path, places[i], version)))
  const others = places.includes(-1) ? withoutParam(scheme, listed) : []
  return [...new Set([...inParam, ...taken, ...others])]
}

/**
 * The versions of a path without one: the default, which NamespaceVersioning does not check, unless clients can specify
 * them elsewhere.
 */
function withoutParam (scheme: Scheme, listed: readonly string[]): readonly (string | null)[] {
  // The default version of a client may be any.
  const isElsewhere = scheme.clientDefault !== null ||
    scheme.members.some((one) => one.impliedParam === null && !one.readsNamespaces)
  const { allowedVersions, defaultVersion } = scheme
  const isNull = listed.length === 0 || (defaultVersion === null && allowedVersions?.includes(null))
  if (isElsewhere) return isNull ? [...listed, null] : listed
  const isAllowed = (scheme.readsNamespaces && !scheme.isList) || scheme.allows(defaultVersion)
  return isAllowed ? [defaultVersion] : []
}

/** A parameter that shares its segment with others is not looked at. */
function takes ({ texts, params }: ParsedPath, at: number, version: string): boolean {
  const { pattern } = params[at]
  const isShared = !texts[at].endsWith('/') || (at + 1 < params.length && !texts[at + 1].includes('/'))
  return pattern === null || isShared || pattern.test(version)
}

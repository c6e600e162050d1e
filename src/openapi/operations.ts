import { schemeOf } from '../context.ts'
import { expandOptional } from '../paths/pattern.ts'
import { canServe } from '../routing/coverage.ts'
import { isPreferred, paramsOf, pathIn, shapeIn } from './paths.ts'

import type { Registry } from '../links/registry.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

/** A route at one of its paths: an optional parameter makes two of them. */
export interface Endpoint {
  /** Undefined for a route outside of the context of the documents, which may answer instead of one in it. */
  readonly declared: DeclaredOptions | undefined
  /** The record of the route, whose URL is this path alone. */
  readonly route: Route
  /** How the router sees the path. */
  readonly shape: string
  /** The parameter of the path that is the version, or null. */
  readonly versionParam: string | null
  /** The parameters of the route that are not in this path. */
  readonly omitted: readonly string[]
}

/** An endpoint in one method, as a document shows it. */
export interface Operation extends Endpoint {
  readonly declared: DeclaredOptions
  readonly method: string
}

/**
 * The endpoints of an app, in the order of their declaration.
 *
 * @param declared the routes of the context of the documents
 */
export function endpointsOf (declared: readonly DeclaredOptions[], { routes, options }: Registry): Endpoint[] {
  const byRecord = new Map(declared.map((one) => [routes.declaredBy(one), one]))
  return routes.list.flatMap((record) => {
    const one = byRecord.get(record)
    const implied = schemeOf(record)?.inPath.map(({ impliedParam }) => impliedParam) ?? []
    const paths = expandOptional(one?.url ?? record.url)
    const all = [...paramsOf(paths[0]).keys()]
    return paths.map((url) => {
      const params = [...paramsOf(url).keys()]
      return {
        declared: one,
        route: { ...record, url },
        shape: shapeIn(url, options),
        versionParam: params.find((name) => implied.includes(name)) ?? null,
        omitted: all.filter((name) => !params.includes(name))
      }
    })
  })
}

/** The operations of a version: one for each method and path, the one that answers there. */
export function operationsOf (version: string, endpoints: readonly Endpoint[], options: RouterOptions): Operation[] {
  const byPlace = new Map<string, Endpoint & { readonly method: string }>()
  for (const endpoint of endpoints) {
    const { route, shape, versionParam } = endpoint
    if (!canServe(route, version) || isAtOtherHost(route, version)) continue
    const path = versionParam === null ? shape : shapeIn(pathIn(version, route.url, versionParam), options)
    for (const method of route.methods) {
      const operation = { ...endpoint, method }
      const place = `${method} ${path}`
      const known = byPlace.get(place)
      if (known === undefined || precedes(operation, known)) byPlace.set(place, operation)
    }
  }
  return [...byPlace.values()].filter((one): one is Operation => one.declared !== undefined)
}

/** Whether a route is for a host that has another version. */
function isAtOtherHost (route: Route, version: string): boolean {
  const { host } = route.constraints
  const scheme = schemeOf(route)
  if (typeof host !== 'string' || scheme === null) return false
  const hosts = scheme.members.map((one) => one.hostFor(version, host)).filter((one) => one !== null)
  if (hosts.length > 0) return !hosts.includes(host)
  // A host without a version has the default one, unless the version may be in another place.
  return version !== scheme.defaultVersion && scheme.members.every(({ documentation }) => documentation === 'host')
}

/**
 * Which of two routes is shown, because OpenAPI has one operation for each method and path. What counts is, in this
 * order: fewer constraints, the path that the router prefers, the app's own HEAD, the claim.
 */
function precedes (one: Endpoint, other: Endpoint): boolean {
  const [a, b] = [one.route, other.route]
  const constraints = Object.keys(a.constraints).length - Object.keys(b.constraints).length
  if (constraints !== 0) return constraints < 0
  if (one.shape !== other.shape) return isPreferred(one.shape, other.shape)
  if (a.isAdded !== b.isAdded) return b.isAdded
  return rankOf(a) > rankOf(b)
}

/** A list goes before a range, a range before one that begins earlier, and a claim before an open route. */
function rankOf ({ claim }: Route): number {
  return claim === null ? -1 : claim.from ?? Infinity
}

/** Whether the path of an operation has the version, as a parameter or by its namespace. */
export function isInUrl ({ route, versionParam }: Operation): boolean {
  return versionParam !== null || (schemeOf(route)?.versionIn(route.namespace.names) ?? null) !== null
}

import type { RouteOptions } from 'fastify'
import type { Claimed } from '../routing/candidates.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

const kScheme: unique symbol = Symbol('fastify-versioning.routeScheme')
const kChoice: unique symbol = Symbol('fastify-versioning.choice')
const kName: unique symbol = Symbol('fastify-versioning.routeName')
const kEnding: unique symbol = Symbol('fastify-versioning.routeEnding')

/** What the plugin keeps of a route, in the `config` that Fastify hands to every request of it. */
interface RouteConfig {
  [kScheme]?: VersioningScheme | null
  [kName]?: string
  [kChoice]?: Claimed
  [kEnding]?: Ending
  readonly versions?: readonly string[]
}

interface Configured { readonly routeOptions?: { readonly config: object } }

export function setRouteScheme (route: RouteOptions, scheme: VersioningScheme | null): void {
  extend(route, { [kScheme]: scheme })
}

/** The scheme of the route's own; null: the route is version-neutral; undefined: it is as its context. */
export function routeSchemeOf (request: Configured): VersioningScheme | null | undefined {
  return (request.routeOptions?.config as RouteConfig | undefined)?.[kScheme]
}

export function setRouteName (route: RouteOptions, name: string): void {
  extend(route, { [kName]: name })
}

/** The name of the route without its namespaces; undefined where it has none. */
export function routeNameOf (request: Configured): string | undefined {
  return (request.routeOptions?.config as RouteConfig | undefined)?.[kName]
}

/** The versions are in the config for everybody to read, and once more where nobody writes. */
export function setChoice (route: RouteOptions, claimed: Claimed): void {
  extend(route, { [kChoice]: claimed, versions: Object.freeze([...claimed.claim.versions]) })
}

/** What the route takes; undefined: it claims no version. */
export function choiceOf (request: Configured): Claimed | undefined {
  return (request.routeOptions?.config as RouteConfig | undefined)?.[kChoice]
}

export function setRouteEnding (route: RouteOptions, ending: Ending): void {
  extend(route, { [kEnding]: ending })
}

/** How the route ends, whichever version it is asked for; undefined: as its version. */
export function endingOfRoute (request: Configured): Ending | undefined {
  return (request.routeOptions?.config as RouteConfig | undefined)?.[kEnding]
}

/** The config may be shared by the routes of an app, so each gets one of its own. */
function extend (route: RouteOptions, config: RouteConfig): void {
  route.config = { ...route.config, ...config }
}

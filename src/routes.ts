import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Ending } from './options/lifecycle.ts'
import type { VersioningScheme } from '../types/index.d.ts'

/** The names of a namespace, outermost first, and the prefix of the context that it was given to. */
export interface Namespace {
  readonly names: readonly string[]
  readonly prefix: string
}

/** The options of a route as Fastify hands them to `onRoute`. It reads hooks from them until the app is ready. */
export type DeclaredOptions = RouteOptions & { readonly routePath: string, readonly prefix: string }

/** A route as it was declared, read once in `onRoute`. */
export interface Route {
  /** The encapsulation context of the route. */
  readonly server: FastifyInstance
  readonly methods: readonly string[]
  /** The path as Fastify registers it, prefix included. */
  readonly url: string
  /** The name without its namespaces; null: none. */
  readonly name: string | null
  readonly namespace: Namespace
  /** The scheme of the route's own; null: the route is version-neutral; undefined: that of its context. */
  readonly ownScheme: VersioningScheme | null | undefined
  /** How the route itself ends; undefined: as its versions do. */
  readonly ending: Ending | undefined
  /** Its other path, known when the app is ready: the root of a prefix may have one with a slash at its end. */
  alias: string | null
  /** Null once the app is ready. */
  options: DeclaredOptions | null
}

const kRoute: unique symbol = Symbol('fastify-versioning.route')

interface RouteConfig { [kRoute]?: Route }
interface Configured { readonly routeOptions?: { readonly config?: object } }

/** The routes of an app in the order of their declaration. */
export class Routes {
  /** Whether the app has routes that were declared before the plugin was loaded. */
  isIncomplete = false
  readonly #list: Route[] = []

  get list (): readonly Route[] {
    return this.#list
  }

  /** Changes with every route: an index over the list is current while this stays the same. */
  get revision (): number {
    return this.#list.length
  }

  add (route: Route): void {
    this.#list.push(route)
  }
}

/**
 * The config of a route with its record, which Fastify hands to every request of it.
 *
 * @param versions those that the route claims, for everybody to read; undefined: it claims none
 */
export function configWith (route: Route, config: object | undefined, versions: readonly string[] | undefined): object {
  if (versions === undefined) return { ...config, [kRoute]: route }
  return { ...config, versions: Object.freeze([...versions]), [kRoute]: route }
}

/** The route that a request came to; undefined where the plugin has not seen its declaration. */
export function routeOf (request: Configured): Route | undefined {
  return (request.routeOptions?.config as RouteConfig | undefined)?.[kRoute]
}

/** The paths that the router has for a route. */
export function pathsOf (route: Route): readonly string[] {
  const alias = route.options === null ? route.alias : aliasIn(route.options, route.url)
  return alias === null ? [route.url] : [route.url, alias]
}

/**
 * To be called when the app is ready and no route can come any more: lets go of Fastify's options.
 */
export function settle (route: Route): void {
  if (route.options !== null) route.alias = aliasIn(route.options, route.url)
  route.options = null
}

/** Fastify shows us `/prefix`, and then writes `/prefix/` into the same options when it adds that path as well. */
function aliasIn ({ url, routePath }: DeclaredOptions, shown: string): string | null {
  return url === `${shown}/` && routePath === '/' ? url : null
}

/** A route as a message names it: `GET, HEAD /bookings`. */
export function labelOf ({ methods, url }: Pick<Route, 'methods' | 'url'>): string {
  return `${methods.join(', ')} ${url}`
}

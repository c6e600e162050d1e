import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Ending } from './options/lifecycle.ts'
import type { VersioningScheme } from '../types/index.d.ts'

/** The names of a namespace, outermost first, and the prefix of the context that it was given to. */
export interface Namespace {
  readonly names: readonly string[]
  readonly prefix: string
}

/** A route as it was declared, read once in `onRoute`. */
export interface Route {
  /** The encapsulation context of the route. */
  readonly server: FastifyInstance
  readonly methods: readonly string[]
  /** The path as Fastify registers it, prefix included. */
  readonly url: string
  /** Another path of the same route: the root of a prefix is served with and without a slash at its end. */
  readonly alias: string | null
  /** The name without its namespaces; null: none. */
  readonly name: string | null
  readonly namespace: Namespace
  /** The scheme of the route's own; null: the route is version-neutral; undefined: that of its context. */
  readonly ownScheme: VersioningScheme | null | undefined
  /** How the route itself ends; undefined: as its versions do. */
  readonly ending: Ending | undefined
  /** Fastify's options of the route, to which hooks may be added until the app is ready; then null. */
  options: RouteOptions | null
}

/** The routes of an app in the order of their declaration. */
export class Routes {
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

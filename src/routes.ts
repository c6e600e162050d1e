import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { OlderVersions } from './changes/route-forms.ts'
import type { VersioningContext } from './context.ts'
import type { Namespace } from './instances.ts'
import type { Retirement } from './options/lifecycle.ts'
import type { Scheme } from './schemes/scheme.ts'
import type { VersionUsage } from '../types/index.d.ts'

/** The options of a route as Fastify hands them to `onRoute`. Fastify reads hooks from them until the app is ready. */
export type DeclaredOptions = RouteOptions & { readonly routePath: string, readonly prefix: string }

export type Constraints = Readonly<Record<string, unknown>>

/**
 * The versions that a route claims: no other route of its URL serves them unless its claim ranks higher. A claim is the
 * value of our constraint: the router refuses a second claim whose own fields are equal, and prints a claim as JSON.
 */
export class Claim {
  /** The versions in release order. Null comes last, and stands for requests without a version and a default. */
  readonly versions: readonly (string | null)[]
  /** Infinity for a list, and for a range the index of its beginning in the allowed versions: the highest rank wins. */
  readonly rank: number
  #route: Claimant | null = null

  constructor (versions: readonly (string | null)[], rank: number) {
    this.versions = Object.freeze(versions)
    this.rank = rank
  }

  /** The route that claims the versions. Its field is private, so that the router does not compare it. */
  get route (): Claimant {
    return this.#route as Claimant
  }

  set route (route: Claimant) {
    this.#route = route
  }

  toJSON (): unknown {
    const { versions } = this
    return this.rank === Infinity ? versions : { from: versions[0], to: versions.at(-1) }
  }
}

export type Versioned = Route & { readonly scheme: Scheme }
export type Claimant = Versioned & { readonly claim: Claim }

/** The routes of one method, URL and set of other constraints, among which versions choose. */
export interface Slot {
  readonly method: string
  /** The scheme that reads the version. */
  readonly scheme: Scheme
  readonly constraints: Constraints
  /** The routes that claim versions, by rank: the first route that claims a version serves it. */
  readonly claimants: readonly Claimant[]
  /** The open route, which serves every version that no other route claims, or null. */
  readonly open: Route | null
  /** All routes of the method and URL, whatever their constraints. */
  readonly routes: readonly Route[]
}

/** The observer of a route, with which the sub-package usage counts requests. */
export interface Observer {
  /** Whether something has read the version of a request before it was answered. */
  readonly isRead: boolean
  arrived (
    request: FastifyRequest, reply: FastifyReply, visit: Pick<VersionUsage, 'version' | 'outcome' | 'isDefault'>
  ): void
  /** @param before the handler's answer, of which a client of the version gets `after` */
  downgraded (version: string | null, before: unknown, after: unknown): void
}

/** A route as it was declared, read once in `onRoute`. */
export interface Route {
  /** The encapsulation context of the route. */
  readonly server: FastifyInstance
  readonly methods: readonly string[]
  /** The path that Fastify registers, prefix included. */
  readonly url: string
  /** The name without its namespaces, or null. */
  readonly name: string | null
  readonly namespace: Namespace
  /** The route option `versioning`: a scheme, null for `false`, undefined for the context's scheme. */
  ownScheme: Scheme | null | undefined
  /** The context of the route. A later registration of the plugin replaces it, and the fields that follow from it. */
  context: VersioningContext
  /** The scheme that determines the version, the route's own or that of the context; null if it has no version. */
  scheme: Scheme | null
  /** The request headers that its version depends on, or null. */
  varies: string | null
  /** The route option `deprecated`, or undefined if the route is retired with its versions. */
  readonly retirement: Retirement | undefined
  /** The versions that the route claims; null for an open route, and for a neutral route. */
  readonly claim: Claim | null
  /** Whether Fastify added it, as the HEAD route of a GET route. */
  readonly isAdded: boolean
  /** The constraints besides the version, such as a host. */
  readonly constraints: Constraints
  /** Its other path, known when the app is ready: the root of a prefix may have one with a slash at its end. */
  alias: string | null
  /** The options of the route. Later onRoute hooks may replace the handler and others, until the app is ready. */
  readonly options: DeclaredOptions
  /** The version that the handler is written for, as the route or its context says; null if neither does. */
  readonly writtenFor: string | null
  observer: Observer | null
  /** The slots in which versions choose the route, by method; null if they do not. Known when the app is ready. */
  slots: ReadonlyMap<string, Slot> | null
  /** How changes let the route answer in older versions. */
  older: OlderVersions
}

/**
 * The property of a route's config with its index among the routes of the app: Fastify copies the config with its
 * symbols. With an index, code that prints or compares configs does not walk into the app.
 */
export const kRoute: unique symbol = Symbol('fastify-versioning.route')

/** Returns the route that a config belongs to; undefined if the plugin has not seen its declaration. */
export function routeOf (config: object | undefined, { list }: Pick<Routes, 'list'>): Route | undefined {
  const index = (config as { readonly [kRoute]?: number } | undefined)?.[kRoute]
  return index === undefined ? undefined : list[index]
}

export interface Routes {
  /** The routes, in the order of their declaration. */
  readonly list: Route[]
  /** Whether the app had routes before the plugin was loaded. */
  isIncomplete: boolean
  /** Whether the app is ready. */
  isSettled: boolean
}

/** Returns the slot in which versions choose a route under a method, or null if they do not. */
export function slotOf (route: Route | undefined, method: string): Slot | null {
  return route?.slots?.get(method) ?? null
}

/** Returns the route of a slot that serves a version; null means a request without a version. */
export function routeIn ({ claimants, open }: Slot, version: string | null): Route | null {
  for (const route of claimants) {
    if (route.claim.versions.includes(version)) return route
  }
  return open
}

/** Tells whether requests for a version at the URL of a route are served, by this route or by another route. */
export function isServedAtUrl (route: Route, version: string): boolean {
  const sharing = [...route.slots?.values() ?? []].flatMap(({ routes }) => routes)
  return [route, ...sharing].some(({ claim }) => claim === null || claim.versions.includes(version))
}

/** Returns a route as a message shows it: `GET, HEAD /bookings`. */
export function labelOf ({ methods, url }: Pick<Route, 'methods' | 'url'>): string {
  return `${methods.join(', ')} ${url}`
}

/** Returns a name without the version in it, under which links in this version find the route; null for no version. */
export function shortNameOf (name: string, scheme: Scheme): string | null {
  const names = name.split(':')
  const version = scheme.versionIn(names.slice(0, -1))
  return version === null ? null : names.toSpliced(names.indexOf(version), 1).join(':')
}

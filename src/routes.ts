import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Variant } from './changes/variant.ts'
import type { Ending } from './options/lifecycle.ts'
import type { Scheme } from './scheme.ts'

/** The names of a namespace, outermost first, and the prefix of the context that it was given to. */
export interface Namespace {
  readonly names: readonly string[]
  readonly prefix: string
}

/** The options of a route as Fastify hands them to `onRoute`. It reads hooks from them until the app is ready. */
export type DeclaredOptions = RouteOptions & { readonly routePath: string, readonly prefix: string }

/** The versions that a route claims: no other route of its URL serves them unless it claims them more precisely. */
export interface Claim {
  /** The scheme that reads the version. */
  readonly scheme: Scheme
  /** In release order; null last, which stands for requests that specify no version and have no default. */
  readonly versions: readonly (string | null)[]
  /** Where a range begins, as an index of the allowed versions, or null if the versions are listed. */
  readonly from: number | null
}

/** A route that claims versions. */
export type Claimant = Route & { readonly claim: Claim }

/** A route as it was declared, read once in `onRoute`. */
export interface Route {
  /** The encapsulation context of the route. */
  readonly server: FastifyInstance
  readonly methods: readonly string[]
  /** The path that Fastify registers, prefix included. */
  readonly url: string
  /** The path that Fastify writes into the config of the route: an earlier `onRoute` hook may have moved the route. */
  readonly configUrl: string
  /** The name without its namespaces, or null. */
  readonly name: string | null
  readonly namespace: Namespace
  /** The route option `versioning`: a scheme, null for a version-neutral route, undefined for the context's scheme. */
  readonly ownScheme: Scheme | null | undefined
  /** The route option `deprecated`, or undefined if the route ends with its versions. */
  readonly ending: Ending | undefined
  /** Null if the route serves every version that no other route of its URL claims. Changes leave it fewer versions. */
  claim: Claim | null
  /** Whether Fastify added it, as the HEAD route of a GET route. */
  readonly isAdded: boolean
  /** The constraints besides the version, such as a host; undefined where Fastify refuses them. */
  readonly constraints: Constraints
  /** Its other path, known when the app is ready: the root of a prefix may have one with a slash at its end. */
  alias: string | null
  /** Null once the app is ready. */
  options: DeclaredOptions | null
  /** The groups in which versions choose it, or null if they do not. Known when the app is ready. */
  groups: readonly Group[] | null
  /** The variant that changes make of the route, or null if it is as it was declared. */
  variant: RouteVariant | null
  /** The list of its versions that its config shows. Fastify copies the config, so that changes change the list. */
  shownVersions: (string | null)[] | null
  /** Whether Fastify's router has taken the route, or null if that is not known yet. */
  isTaken: boolean | null
}

/** The record of a variant. */
export type RouteVariant = Pick<Variant, 'link'>

export type Constraints = Readonly<Record<string, unknown>>

/** The routes of one method and path among which versions choose. */
export interface Slot {
  readonly method: string
  /** The scheme that reads the version. */
  readonly scheme: Scheme
  /** The parameters of the path that hold the version, or null if the scheme reads no parameters. */
  readonly versionParams: readonly VersionParam[] | null
  /** One for each set of other constraints. */
  readonly groups: readonly Group[]
  /** The group without other constraints, or null: each request may come to its routes. */
  readonly plain: Group | null
}

/** A parameter of a path that holds the version. */
export interface VersionParam {
  readonly name: string
  /** The index of its segment: 0 in `/:version/bookings`. */
  readonly segment: number
  /** What the router matches the segment against, or null if it takes any. */
  readonly pattern: RegExp | null
}

/** The routes of a slot that have the same other constraints. */
export interface Group {
  readonly slot: Slot
  readonly constraints: Constraints
  /** The routes that claim versions: the first one that claims a version serves it. */
  readonly claimants: readonly Claimant[]
  /** The route that serves every other version, or null. */
  readonly open: Route | null
}

const NONE: readonly Route[] = Object.freeze([])

const kRoute: unique symbol = Symbol('fastify-versioning.route')

/** The config of a route, as Fastify completes it. */
interface RouteConfig {
  readonly [kRoute]?: Route
  readonly url?: string
  readonly method?: string | readonly string[]
}

/** What is read of a request to find its route. */
interface Routed {
  readonly server: object
  readonly routeOptions?: { readonly config?: object } | undefined
}

/** The routes of an app in the order of their declaration. */
export class Routes {
  /** Whether the app has routes that were declared before the plugin was loaded. */
  isIncomplete = false
  /** Whether changes make variants of a route. */
  hasVariants = false
  /** Whether requests have to look up their route: one has its own scheme, an ending, or versions. */
  areLookedUp = false
  /** Whether a route has a constraint besides the host, by which the router may also leave a path that it has found. */
  #hasConstraints = false
  #list: Route[] = []
  readonly #byUrl = new Map<string, Route[]>()
  readonly #byConfig = new WeakMap<object, Route>()
  readonly #byOptions = new WeakMap<object, Route>()
  #revision = 0
  #collected: Route[] | null = null
  /** The request that was routed last, and its route. */
  #raw: object | null = null
  #routed: Route | null = null

  get list (): readonly Route[] {
    return this.#list
  }

  /** Changes with the list: an index over the list is current while this stays the same. */
  get revision (): number {
    return this.#revision
  }

  /**
   * Records a route. Fastify's config identifies the route of a request by its URL and methods. A route with the same
   * URL and methods, or one that claims versions, gets a config that identifies it.
   */
  add (route: Route, options: DeclaredOptions): void {
    const siblings = this.#byUrl.get(route.configUrl)
    const isAmbiguous = route.claim !== null || isCopied(options.config) ||
      siblings?.some((other) => isAlike(other, route.server, route.methods))
    if (isAmbiguous) options.config = configWith(route, options.config)
    if (siblings === undefined) this.#byUrl.set(route.configUrl, [route])
    else siblings.push(route)
    this.areLookedUp ||= route.ownScheme !== undefined || route.ending !== undefined || route.claim !== null
    this.#hasConstraints ||= Object.keys(route.constraints).some((name) => name !== 'host')
    this.#byOptions.set(options, route)
    this.#list.push(route)
    this.#collected?.push(route)
    this.#revision++
  }

  /** The routes that a call declares, without routes that hooks declare by other collected calls in the meantime. */
  collect (declare: () => void): readonly Route[] {
    const outer = this.#collected
    const own: Route[] = []
    this.#collected = own
    try {
      declare()
    } finally {
      this.#collected = outer
    }
    return own
  }

  /** Removes routes, and says whether there were any. */
  remove (isGone: (route: Route) => boolean): boolean {
    const gone = new Set(this.#list.filter(isGone))
    if (gone.size === 0) return false
    this.#list = this.#list.filter((route) => !gone.has(route))
    this.#revision++
    for (const { configUrl } of gone) {
      this.#byUrl.set(configUrl, this.at(configUrl).filter((route) => !gone.has(route)))
    }
    return true
  }

  /** The routes whose config says this URL. */
  at (configUrl: string): readonly Route[] {
    return this.#byUrl.get(configUrl) ?? NONE
  }

  /** The routes that share a method with a route, and whose config says the same URL. */
  sharing ({ configUrl, methods }: Route): readonly Route[] {
    return this.at(configUrl).filter((other) => other.methods.some((method) => methods.includes(method)))
  }

  /** The route that was declared with these options, as `onRoute` hands them out. */
  declaredBy (options: object): Route | undefined {
    return this.#byOptions.get(options)
  }

  /** Whether the router takes the handler that our constraint leaves, whatever else a request has. */
  get isForeseeable (): boolean {
    return !this.isIncomplete && !this.#hasConstraints
  }

  /**
   * Call it when the router is about to take a route.
   *
   * @param raw Node's request
   * @param route null if it is not certain yet
   */
  noteRouted (raw: object, route: Route | null): void {
    this.#raw = route === null ? null : raw
    this.#routed = route
  }

  /** As `of`. Usually the router has just taken the route, so that Fastify need not be asked, which takes longer. */
  routed (request: FastifyRequest): Route | undefined {
    if (request.raw !== this.#raw) return this.of(request)
    const route = this.#routed as Route
    this.#raw = this.#routed = null
    return route
  }

  /** The route that a request came to; undefined where the plugin has not seen its declaration. */
  of ({ server, routeOptions }: Routed): Route | undefined {
    const config: RouteConfig | undefined = routeOptions?.config
    if (config === undefined) return undefined
    return config[kRoute] ?? this.#byConfig.get(config) ?? this.#identify(server, config)
  }

  #identify (server: object, config: RouteConfig): Route | undefined {
    const { url = '', method = '' } = config
    const methods = [method].flat()
    const route = this.at(url).find((one) => isAlike(one, server, methods))
    if (route !== undefined) this.#byConfig.set(config, route)
    return route
  }
}

/** Whether the config of a route without versions says this context and these methods. */
function isAlike (route: Route, server: object, methods: readonly string[]): boolean {
  return route.server === server && route.claim === null && route.methods.join() === methods.join()
}

/** Whether a config was copied with the options of another route, which it identifies. */
function isCopied (config: object | undefined): boolean {
  return config !== undefined && kRoute in config
}

/** A copy of a config, of the same class, with its route and the versions that the route claims. */
function configWith (route: Route, config: object | undefined): object {
  if (route.claim !== null) route.shownVersions = [...route.claim.versions]
  const versions = route.shownVersions
  if (config === undefined) return versions === null ? { [kRoute]: route } : { versions, [kRoute]: route }
  const copy = Object.assign(Object.create(Object.getPrototypeOf(config)), config, { [kRoute]: route })
  if (versions !== null) copy.versions = versions
  else if (isCopied(config)) delete copy.versions
  return copy
}

/** Reduces the versions that a route claims. Call it before the app is ready. */
export function narrow (route: Route, versions: readonly string[]): void {
  const { claim, shownVersions } = route
  if (claim === null || shownVersions === null) return
  const from = claim.from === null ? null : claim.scheme.listedVersions.indexOf(versions[0])
  const left = claim.versions.includes(null) ? [...versions, null] : versions
  route.claim = { ...claim, versions: left, from }
  shownVersions.splice(0, shownVersions.length, ...left)
}

/** The routes among which versions choose a route under a method, or undefined if they do not choose it. */
export function groupOf (route: Route | undefined, method: string): Group | undefined {
  if (route === undefined || route.groups === null) return undefined
  const { groups } = route
  for (let i = 0; i < groups.length; i++) {
    if (groups[i].slot.method === method) return groups[i]
  }
  return undefined
}

/** Whether requests for a version at the URL of a route are served, by this route or by another one. */
export function isServedAtUrl ({ claim, groups }: Route, version: string): boolean {
  if (groups === null) return claim === null || claim.versions.includes(version)
  return groups.flatMap(({ slot }) => slot.groups).some(({ claimants, open }) => (
    open !== null || claimants.some((route) => route.claim.versions.includes(version))
  ))
}

/** The paths that the router has for a route. */
export function pathsOf (route: Route): readonly string[] {
  const alias = route.options === null ? route.alias : aliasIn(route.options, route.url)
  return alias === null ? [route.url] : [route.url, alias]
}

/** Frees Fastify's options. Call it when the app is ready and no more routes can be declared. */
export function settle (route: Route): void {
  if (route.options !== null) route.alias = aliasIn(route.options, route.url)
  route.options = null
  if (route.shownVersions !== null) Object.freeze(route.shownVersions)
}

/** Fastify shows `/prefix` to hooks, and then writes `/prefix/` into the same options when it adds that path too. */
function aliasIn ({ url, routePath }: DeclaredOptions, shown: string): string | null {
  return routePath === '/' && url === `${shown}/` ? url : null
}

/** A route as a message shows it: `GET, HEAD /bookings`. */
export function labelOf ({ methods, url }: Pick<Route, 'methods' | 'url'>): string {
  return `${methods.join(', ')} ${url}`
}

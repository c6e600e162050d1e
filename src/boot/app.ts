import { isDeepStrictEqual } from 'node:util'

import { inherited, rootOf } from '../context.ts'
import { Registry } from '../links/registry.ts'
import { setRegistry } from '../links/scope.ts'
import { Routes } from '../routes.ts'
import { versionConstraint } from '../routing/store.ts'
import { OlderRoutes } from '../variants/older-routes.ts'
import { Warnings } from './warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { Settings } from '../options/options.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

/** What the plugin keeps of one app, for all its contexts. */
export interface App {
  readonly routes: Routes
  /** Whether Fastify trusts proxies. */
  readonly trustsProxy: boolean
  readonly routerOptions: RouterOptions
  readonly schemes: Schemes
  readonly warnings: Warnings
  /** What `outlineOf` makes of the URLs that the router has. */
  readonly outlines: Set<string>
  isReady: boolean
  /** The HEAD routes that Fastify adds next, to the GET route declared last. */
  expected: ExpectedHeads | null
  /** How many routes have our constraint. */
  constrained: number
  /** The older routes that changes make. */
  readonly olderRoutes: OlderRoutes
}

/** The HEAD routes that Fastify adds to a GET route: one for each of its paths, right after it. */
export interface ExpectedHeads {
  readonly route: Route
  readonly handler: unknown
  readonly urls: Set<string>
}

const apps = inherited<App>('app')

const ROUTER_DEFAULTS: RouterOptions = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 100,
  useSemicolonDelimiter: false
}

/** The record of the app of an instance. It is made at the first registration, in any context. */
export function appOf (server: FastifyInstance): App {
  return apps.of(server) ?? prepare(server)
}

function prepare (server: FastifyInstance): App {
  const options = routerOptionsOf(server)
  const routes = new Routes()
  server.addConstraintStrategy(versionConstraint(options, routes) as never)
  setRegistry(server, new Registry(routes, options))
  return apps.set(rootOf(server), {
    routes,
    // Fastify gives a request its `ips` under that option alone.
    trustsProxy: server.hasRequestDecorator('ips'),
    routerOptions: options,
    schemes: new Schemes(),
    warnings: new Warnings(),
    outlines: new Set(),
    isReady: false,
    expected: null,
    constrained: 0,
    olderRoutes: new OlderRoutes(routes, options)
  })
}

/** The schemes that the plugin has made of classes and lists: contexts that want the same one share it. */
export class Schemes {
  readonly #made: { scheme: Scheme, source: unknown, settings: Settings }[] = []

  /** The scheme that was made of a class or of an equal list, with equal settings; or else a new one. */
  of (source: unknown, settings: Settings, make: () => Scheme): Scheme {
    const known = this.#made.find((made) => (
      (made.source === source || areSameMembers(made.source, source)) && isDeepStrictEqual(made.settings, settings)
    ))
    if (known !== undefined) return known.scheme
    const scheme = make()
    this.#made.push({ scheme, source, settings })
    return scheme
  }
}

function areSameMembers (a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, i) => one === b[i])
}

/**
 * How the app's router is configured. Fastify accepts these options at the top or in `routerOptions`, where it fills in
 * the defaults: what differs from the default is what the user set.
 */
function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
  const { routerOptions = {}, ...top } = initialConfig
  const { ...options } = ROUTER_DEFAULTS
  for (const given of [top, routerOptions] as Partial<RouterOptions>[]) {
    for (const name of Object.keys(ROUTER_DEFAULTS) as (keyof RouterOptions)[]) {
      // The router treats a limit of 0 as absent.
      const value = (given[name] === 0 ? undefined : given[name]) ?? ROUTER_DEFAULTS[name]
      if (value !== ROUTER_DEFAULTS[name]) Object.assign(options, { [name]: value })
    }
  }
  return options
}

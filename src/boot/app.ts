import { OlderRoutes } from '../changes/older-routes.ts'
import { inherited, rootOf } from '../context.ts'
import { Registry } from '../links/registry.ts'
import { schemeReverse } from '../links/reverse.ts'
import { setRegistry } from '../links/scope.ts'
import { Routes } from '../routes.ts'
import { versionConstraint } from '../routing/store.ts'
import { kReverse } from '../schemes/base.ts'

import type { FastifyInstance } from 'fastify'
import type { Warned } from '../context.ts'
import type { RouterOptions } from '../paths/pattern.ts'

/** What the plugin keeps of one app, for all its contexts. */
export interface App {
  readonly routes: Routes
  /** Whether Fastify trusts proxies. */
  readonly trustsProxy: boolean
  readonly routerOptions: RouterOptions
  readonly warned: Warned
  isReady: boolean
  /** The names of route options that are not nearly ours. */
  readonly knownOptions: Set<string>
  /** The routes that changes apply to. */
  readonly olderRoutes: OlderRoutes
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
  const routerOptions = routerOptionsOf(server)
  const routes = new Routes()
  server.addConstraintStrategy(versionConstraint() as never)
  setRegistry(server, new Registry(routes, routerOptions))
  Object.defineProperty(rootOf(server), kReverse, { value: schemeReverse })
  return apps.set(rootOf(server), {
    routes,
    // Fastify gives a request its `ips` under that option alone.
    trustsProxy: server.hasRequestDecorator('ips'),
    routerOptions,
    warned: { routes: new Set(), others: new Set() },
    isReady: false,
    knownOptions: new Set(),
    olderRoutes: new OlderRoutes()
  })
}

/**
 * How the app's router is configured. Fastify accepts these options at the top or in `routerOptions`, where it fills in
 * the defaults: what differs from the default is what the user set.
 */
function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
  const { routerOptions = {}, ...top } = initialConfig
  const options = { ...ROUTER_DEFAULTS }
  for (const given of [top, routerOptions] as Partial<RouterOptions>[]) {
    for (const name of Object.keys(ROUTER_DEFAULTS) as (keyof RouterOptions)[]) {
      // The router treats a limit of 0 as absent.
      const value = (given[name] === 0 ? undefined : given[name]) ?? ROUTER_DEFAULTS[name]
      if (value !== ROUTER_DEFAULTS[name]) Object.assign(options, { [name]: value })
    }
  }
  return options
}

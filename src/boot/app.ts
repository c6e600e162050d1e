import { OlderRoutes } from '../changes/older-routes.ts'
import { VersioningConflictError } from '../errors.ts'
import { trustsProxy } from '../fastify/trusted-proxy.ts'
import { inherited, rootOf } from '../instances.ts'
import { Registry } from '../links/registry.ts'
import { schemeReverse } from '../links/reverse.ts'
import { setRegistry } from '../links/scope.ts'
import { versionConstraint } from '../routing/store.ts'
import { kReverse } from '../schemes/base.ts'

import type { FastifyInstance } from 'fastify'
import type { Warned } from '../context.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { Registration } from './unused-settings.ts'

/** What the plugin keeps of one app, for all its contexts. */
export interface App {
  readonly registry: Registry
  /** Routes whose onRoute hooks may not all have run. */
  readonly unprepared: Route[]
  readonly trustsProxy: boolean
  readonly warned: Warned
  /** The routes that changes apply to. */
  readonly olderRoutes: OlderRoutes
  /** In the order in which they were made. */
  readonly registrations: Registration[]
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
  if (server.hasConstraintStrategy(versionConstraint.name)) {
    throw new VersioningConflictError(
      'Another copy of fastify-versioning is registered in this app. Install the package once.'
    )
  }
  const registry = new Registry({ list: [], isIncomplete: false, isSettled: false }, routerOptionsOf(server))
  server.addConstraintStrategy(versionConstraint as never)
  setRegistry(rootOf(server), registry)
  Object.defineProperty(rootOf(server), kReverse, { value: schemeReverse })
  return apps.set(rootOf(server), {
    registry,
    unprepared: [],
    trustsProxy: trustsProxy(server),
    warned: { routes: new Set(), others: new Set() },
    olderRoutes: new OlderRoutes(),
    registrations: []
  })
}

/** Fastify fills in defaults: what differs from them, in `routerOptions` or at the top, is what the user has set. */
function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
  const all = [initialConfig.routerOptions ?? {}, initialConfig]
  return Object.fromEntries(Object.entries(ROUTER_DEFAULTS).map(([name, byDefault]) => {
    const given = all.map((one): unknown => Reflect.get(one, name))
    // The router treats a limit of 0 as absent.
    return [name, given.find((value) => value !== undefined && value !== 0 && value !== byDefault) ?? byDefault]
  })) as unknown as RouterOptions
}

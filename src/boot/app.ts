import { OlderRoutes } from '../older-routes/older-routes.ts'
import { VersioningOptionError } from '../errors.ts'
import { routerOptionsOf } from '../fastify/router-options.ts'
import { trustsProxy } from '../fastify/trusted-proxy.ts'
import { inherited, rootOf } from '../instances.ts'
import { Registry, setRegistry } from '../links/registry.ts'
import { schemeReverse } from '../links/reverse.ts'
import { CONSTRAINT, versionConstraint } from '../routing/store.ts'
import { kReverse } from '../schemes/base.ts'

import type { FastifyInstance } from 'fastify'
import type { Warned } from '../context.ts'
import type { AppEvent } from '../events/events.ts'
import type { Route } from '../routes.ts'
import type { Registration } from './unused-settings.ts'

/** What the plugin keeps of one app, for all its contexts. */
export interface App {
  readonly registry: Registry
  /** Routes whose onRoute hooks may not all have run. */
  readonly unprepared: Route[]
  readonly trustsProxy: boolean
  readonly warned: Warned
  /** The events of all registrations. */
  readonly events: AppEvent[]
  /** The routes that changes apply to. */
  readonly olderRoutes: OlderRoutes
  /** The number of routes with constraints at each method and URL, until the app is ready. */
  readonly handlers: Map<string, number>
  /** The registrations of the plugin, in the order in which they were made. */
  readonly registrations: Registration[]
  /** The contexts with the options of their `register()`, until the app is ready. */
  readonly registers: { readonly server: FastifyInstance, readonly options: object }[]
}

const apps = inherited<App>('app')

/** Returns the record of an instance's app. The first registration, in any context, makes the record. */
export function appOf (server: FastifyInstance): App {
  return apps.of(server) ?? prepare(server)
}

function prepare (server: FastifyInstance): App {
  if (server.hasConstraintStrategy(CONSTRAINT)) {
    throw new VersioningOptionError(
      'Another copy of fastify-versioning is registered in this app. Install the package once.'
    )
  }
  const routerOptions = routerOptionsOf(server)
  const registry = new Registry({ list: [], isIncomplete: false, isSettled: false }, routerOptions)
  server.addConstraintStrategy(versionConstraint(routerOptions) as never)
  setRegistry(rootOf(server), registry)
  Object.defineProperty(rootOf(server), kReverse, { value: schemeReverse })
  return apps.set(rootOf(server), {
    registry,
    unprepared: [],
    trustsProxy: trustsProxy(server),
    warned: { routes: new Set(), others: new Set() },
    events: [],
    olderRoutes: new OlderRoutes(),
    handlers: new Map(),
    registrations: [],
    registers: []
  })
}

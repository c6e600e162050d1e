import { contextOf } from '../context.ts'
import { VersioningOptionError, labelOf, nameOf } from '../errors.ts'
import { applyHooks } from './hooks.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { RouteHooks } from './hooks.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** A route as Fastify showed it to the plugin. */
interface DeclaredRoute {
  readonly server: FastifyInstance
  /** Fastify reads them when the app becomes ready, so that hooks may still be added. */
  readonly options: RouteOptions
  /** The scheme of the route's own; null: it is version-neutral; undefined: it is as its context. */
  readonly own: VersioningScheme | null | undefined
  /** The scheme by which the router chooses it among others; undefined: it has no version. */
  readonly chosenBy: VersioningScheme | undefined
  /** The hooks that we have given it. */
  hooks: readonly RouteHooks[]
  /** Whether requests come to it by a header that the scheme of another route reads. */
  isVaried: boolean
}

const NONE: readonly RouteHooks[] = Object.freeze([])

/** The routes that an app has declared so far; of use until it is ready. */
export class DeclaredRoutes {
  readonly #byServer = new Map<FastifyInstance, DeclaredRoute[]>()
  /** null: nobody has asked for one of them yet. */
  #byOptions: Map<RouteOptions, DeclaredRoute> | null = null

  add (
    server: FastifyInstance, options: RouteOptions, own: VersioningScheme | null | undefined,
    chosenBy: VersioningScheme | undefined
  ): void {
    const route = { server, options, own, chosenBy, hooks: NONE, isVaried: false }
    append(this.#byServer, server, route)
    this.#byOptions?.set(options, route)
    setHooks(route)
  }

  /** To be called when requests come to a route by a header that the scheme of another route reads. */
  setVaried (options: RouteOptions): void {
    this.#byOptions ??= new Map([...this.#byServer.values()].flat().map((one) => [one.options, one]))
    const route = this.#byOptions.get(options) as DeclaredRoute
    route.isVaried = true
    setHooks(route)
  }

  /**
   * To be called when a context has got another scheme, for it may have routes already.
   *
   * @throws FST_ERR_VERSIONING_OPTION where one of them has a version that the former scheme is to choose it by
   */
  refresh (context: FastifyInstance): void {
    for (const [server, routes] of this.#byServer) {
      if (server === context || Object.prototype.isPrototypeOf.call(context, server)) routes.forEach(refresh)
    }
  }

  /** The routes by the scheme that judges them; version-neutral ones are left out. */
  byScheme (): Map<VersioningScheme, DeclaredRoute[]> {
    const all = new Map<VersioningScheme, DeclaredRoute[]>()
    for (const route of [...this.#byServer.values()].flat()) {
      const scheme = schemeOf(route)
      if (scheme !== null) append(all, scheme, route)
    }
    return all
  }

  clear (): void {
    this.#byServer.clear()
    this.#byOptions = null
  }
}

function append<Key> (lists: Map<Key, DeclaredRoute[]>, key: Key, route: DeclaredRoute): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [route])
  else list.push(route)
}

function refresh (route: DeclaredRoute): void {
  const scheme = schemeOf(route)
  if (route.chosenBy !== undefined && route.chosenBy !== scheme) throw tooLate(route, scheme)
  setHooks(route)
}

function tooLate ({ options }: DeclaredRoute, scheme: VersioningScheme | null): Error {
  const expected = `the registration before ${labelOf(options)}, which has a version`
  return new VersioningOptionError('scheme', expected, nameOf(scheme))
}

function schemeOf ({ server, own }: DeclaredRoute): VersioningScheme | null {
  return own === undefined ? contextOf(server)?.scheme ?? null : own
}

function setHooks (route: DeclaredRoute): void {
  const { server, options, hooks, isVaried } = route
  const context = contextOf(server) as VersioningContext
  route.hooks = applyHooks({ scheme: schemeOf(route), context, options, isVaried }, hooks)
}

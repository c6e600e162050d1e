import { contextOf } from './context.ts'
import { completeVary } from './judge.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { VersioningScheme } from '../types/index.d.ts'

/** A route as Fastify showed it to the plugin. */
interface DeclaredRoute {
  readonly server: FastifyInstance
  /** Fastify reads them when the app becomes ready, so that hooks may still be added. */
  readonly options: RouteOptions
  /** The scheme of the route's own; null: it is version-neutral; undefined: it is as its context. */
  readonly own: VersioningScheme | null | undefined
}

/** The routes that an app has declared so far; of use until it is ready. */
export class DeclaredRoutes {
  readonly #routes: DeclaredRoute[] = []

  add (server: FastifyInstance, options: RouteOptions, own: VersioningScheme | null | undefined): void {
    const route = { server, options, own }
    this.#routes.push(route)
    completeVaryOf(route)
  }

  /** To be called when a context has got another scheme, for its routes may have been declared before. */
  refresh (): void {
    this.#routes.forEach(completeVaryOf)
  }

  /** The routes by the scheme that judges them; version-neutral ones are left out. */
  byScheme (): Map<VersioningScheme, DeclaredRoute[]> {
    const all = new Map<VersioningScheme, DeclaredRoute[]>()
    for (const route of this.#routes) {
      const scheme = schemeOf(route)
      if (scheme === null) continue
      const routes = all.get(scheme)
      if (routes === undefined) all.set(scheme, [route])
      else routes.push(route)
    }
    return all
  }

  clear (): void {
    this.#routes.length = 0
  }
}

function schemeOf ({ server, own }: DeclaredRoute): VersioningScheme | null {
  return own === undefined ? contextOf(server)?.scheme ?? null : own
}

/** Where the answer depends on a header the route gets a hook to say so; all others pay nothing. */
function completeVaryOf (route: DeclaredRoute): void {
  if (typeof schemeOf(route)?.vary !== 'string') return
  const hooks = [route.options.onSend ?? []].flat()
  if (!hooks.includes(completeVary)) route.options.onSend = [...hooks, completeVary]
}

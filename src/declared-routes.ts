import { contextOf } from './context.ts'
import { VersioningOptionError } from './errors.ts'
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
  /** The scheme by which the router chooses it among others; undefined: it has no version. */
  readonly chosenBy: VersioningScheme | undefined
}

/** The routes that an app has declared so far; of use until it is ready. */
export class DeclaredRoutes {
  readonly #routes: DeclaredRoute[] = []

  add (
    server: FastifyInstance, options: RouteOptions, own: VersioningScheme | null | undefined,
    chosenBy: VersioningScheme | undefined
  ): void {
    const route = { server, options, own, chosenBy }
    this.#routes.push(route)
    completeVaryOf(route)
  }

  /**
   * To be called when a context has got another scheme, for its routes may have been declared before.
   *
   * @throws FST_ERR_VERSIONING_OPTION where one of them has a version that the former scheme is to choose it by
   */
  refresh (): void {
    for (const route of this.#routes) {
      const scheme = schemeOf(route)
      if (route.chosenBy !== undefined && route.chosenBy !== scheme) throw tooLate(route, scheme)
      completeVaryOf(route)
    }
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

function tooLate ({ options: { method, url } }: DeclaredRoute, scheme: VersioningScheme | null): Error {
  const route = `${[method].flat().join(', ')} ${url}`
  const expected = `the registration before ${route}, which has a version`
  return new VersioningOptionError('scheme', expected, scheme === null ? 'null' : scheme.constructor.name)
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

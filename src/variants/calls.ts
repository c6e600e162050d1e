import type { FastifyInstance, RouteHandlerMethod, RouteOptions } from 'fastify'
import type { Route, Routes } from '../routes.ts'

/** A call that declared a route: `app.get()`, `app.route()` and the like. */
export interface Call {
  readonly server: FastifyInstance
  /** As they were given, before any onRoute hook changed them. */
  readonly options: RouteOptions
  /** The route, and the HEAD routes that Fastify added to it. */
  readonly routes: readonly Route[]
  /** Declares another route in the context, without showing the call. */
  readonly declare: (options: RouteOptions) => readonly Route[]
}

type Given = Partial<RouteOptions> | RouteHandlerMethod | undefined
type Declare = (this: FastifyInstance, url: string, options: Given, handler?: RouteHandlerMethod) => FastifyInstance

type RouteMethod = (this: FastifyInstance, options: RouteOptions) => FastifyInstance

/**
 * Shows the calls that declare routes in a context and below. `onRoute` sees options that earlier hooks have changed:
 * declared again with these, a route would have the hooks of other plugins twice.
 *
 * @param onCall is called when all onRoute hooks have run
 */
export function watchCalls (fastify: FastifyInstance, list: Routes, onCall: (call: Call) => void): void {
  const route = fastify.route as unknown as RouteMethod

  function collect (server: FastifyInstance, options: RouteOptions, declare: () => FastifyInstance): FastifyInstance {
    const routes = list.collect(declare)
    const declareOther = (other: RouteOptions) => list.collect(() => { route.call(server, other) })
    if (routes.length > 0) onCall({ server, options, routes, declare: declareOther })
    return server
  }

  function watchedRoute (this: FastifyInstance, options: RouteOptions): FastifyInstance {
    return collect(this, { ...options }, () => route.call(this, options))
  }

  /** @param method what the function declares, or null for all of them */
  function watchMethod (method: string | null, declare: Declare): Declare {
    return function watchedMethod (this: FastifyInstance, url, given, handler) {
      const options = typeof given === 'function' ? { handler: given } : { ...given, ...handler && { handler } }
      const call = () => declare.call(this, url, given, handler)
      return collect(this, { ...options, method: method ?? this.supportedMethods, url } as RouteOptions, call)
    }
  }

  const methods = fastify.supportedMethods.map((method) => [method.toLowerCase(), method] as const)
  for (const [name, method] of [...methods, ['all', null] as const]) {
    const declare: unknown = Reflect.get(fastify, name)
    if (typeof declare === 'function') Object.assign(fastify, { [name]: watchMethod(method, declare as Declare) })
  }
  Object.assign(fastify, { route: watchedRoute })
}

import { inherited, schemeOf, contextOf } from '../context.ts'
import { exemptRefusals } from '../requests/refusal-body.ts'
import { completeHeaders, completeLast } from '../requests/vary.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'

/** The outermost context of a registration: hooks that are added there apply to all contexts in it. */
export const installed = inherited<FastifyInstance>('installed')
const hooked = inherited<true>('hooked')
/** Routes that wait for their last hooks, by the outermost context. */
const waiting = new WeakMap<FastifyInstance, Route[]>()

/** Adds the hooks of a context that not every app needs, unless a context around it has them. */
export function addHooks (server: FastifyInstance, { scheme, lifecycle }: VersioningContext): void {
  if (scheme !== null && (scheme.varies !== null || lifecycle !== null)) hookHeaders(server)
}

/** Prepares a route for its responses. onRoute hooks after ours may still change its options, so it waits for them. */
export function prepareLater (route: Route): void {
  if (hasHeaders(route)) hookHeaders(route.server)
  const outermost = installed.of(route.server) as FastifyInstance
  const routes = waiting.get(outermost)
  if (routes !== undefined) {
    routes.push(route)
    return
  }
  const queue = [route]
  waiting.set(outermost, queue)
  // One callback for many routes: it costs Fastify as much as a route.
  route.server.after(function prepareRoutes () {
    waiting.delete(outermost)
    for (const one of queue) {
      hookLast(one)
      if (one.options !== null) exemptRefusals(one.server, one.options)
    }
  })
}

/** Makes the responses of a route keep Vary and Link. Fastify runs hooks of a route after all others. */
export function hookLast (route: Route): void {
  const { options } = route
  if (options === null || !hasHeaders(route)) return
  const own = [options.onSend ?? []].flat()
  if (!own.includes(completeLast)) options.onSend = [...own, completeLast]
}

function hasHeaders (route: Route): boolean {
  const scheme = schemeOf(route)
  if (scheme === null) return false
  return scheme.varies !== null || route.retirement !== undefined || contextOf(route.server).lifecycle !== null
}

function hookHeaders (server: FastifyInstance): void {
  const outermost = installed.of(server) as FastifyInstance
  if (hooked.of(outermost)) return
  hooked.set(outermost, true)
  outermost.addHook('onSend', completeHeaders)
  outermost.addHook('onError', completeHeaders)
}

import type { RouteOptions } from 'fastify'

/**
 * Tells whether Fastify, and not the app, has added a route, as the HEAD route of a GET route.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/head-route.js): only such a route has an onSend hook of this name. Fastify
 * calls onRoute for it as for any other route.
 */
export function isAddedHead (methods: readonly string[], { onSend }: Pick<RouteOptions, 'onSend'>): boolean {
  if (methods[0] !== 'HEAD') return false
  return Array.isArray(onSend) ? onSend.some(isOfFastify) : isOfFastify(onSend)
}

function isOfFastify (hook: { readonly name: string } | undefined): boolean {
  return hook?.name === 'headRouteOnSendHandler'
}

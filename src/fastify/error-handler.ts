import { contextSymbolOf, symbolIn } from './symbols.ts'

import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'

/**
 * Tells whether Fastify itself writes the errors of a route, so that their body is known.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/error-handler.js): its own error handler has this name.
 */
export function hasDefaultErrorHandler (server: FastifyInstance, options: Pick<RouteOptions, 'errorHandler'>): boolean {
  return options.errorHandler === undefined && server.errorHandler.name === 'defaultErrorHandler'
}

/**
 * Returns a function that tells whether `callNotFound()` of a reply answers as Fastify itself does.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/four-oh-four.js): the context of a route has, under a symbol, the context
 * of the handler that is called, and Fastify's own handler has this name.
 */
export function notFoundReader (server: FastifyInstance): (reply: FastifyReply) => boolean {
  const contextSymbol = contextSymbolOf(server)
  const notFound = symbolIn(server, server, 'fastify.404ContextKey')
  return (reply) => {
    const context = reply as unknown as Record<symbol, Record<symbol, { readonly handler: Function } | null>>
    return context[contextSymbol][notFound]?.handler.name === 'basic404'
  }
}

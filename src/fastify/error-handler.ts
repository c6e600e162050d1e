import type { FastifyInstance, RouteOptions } from 'fastify'

/**
 * Whether Fastify itself writes the errors of a route, so that their body is known.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/error-handler.js): its own error handler has this name.
 */
export function hasDefaultErrorHandler (server: FastifyInstance, options: Pick<RouteOptions, 'errorHandler'>): boolean {
  return options.errorHandler === undefined && server.errorHandler.name === 'defaultErrorHandler'
}

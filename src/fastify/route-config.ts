import { contextSymbolOf } from './symbols.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

interface WithConfig { readonly config: object | undefined }

/**
 * Returns a function that reads the config of the route of a request. `request.routeOptions` would make an object of
 * twelve fields for each request.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/reply.js): requests and replies have the context of the route under one
 * symbol, and the context has the config.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have the symbol
 */
export function configReader (server: FastifyInstance): (request: FastifyRequest) => object | undefined {
  const context = contextSymbolOf(server)
  return (request) => (request as unknown as Record<symbol, WithConfig>)[context].config
}

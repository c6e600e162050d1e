import { rootOf } from '../instances.ts'

import type { FastifyInstance } from 'fastify'

/** A list of methods in what Fastify prints, other than the route of @fastify/cors, which is best registered first. */
const PRINTED_METHODS = /\((?!OPTIONS\))[A-Z-]+(?:, [A-Z-]+)*\)/g

/**
 * Returns the routes that an app has already, as Fastify draws them; null if there are only preflights, or if `server`
 * is a context, whose drawing also has the routes of other contexts.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, find-my-way 9): `printRoutes()` writes the methods of a route in parentheses
 * behind its path. Nothing else shows a route that was declared before the onRoute hook was added.
 */
export function declaredBefore (server: FastifyInstance): string | null {
  const drawing = rootOf(server) === server ? server.printRoutes() : ''
  return drawing.search(PRINTED_METHODS) === -1 ? null : drawing
}

/** Returns how many routes such a drawing has at least: several routes of one path may be drawn as one. */
export function countDeclared (root: FastifyInstance): number {
  return root.printRoutes().match(PRINTED_METHODS)?.length ?? 0
}

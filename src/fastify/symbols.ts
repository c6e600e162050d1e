import { VersioningOptionError } from '../errors.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Finds a symbol that Fastify keeps for itself, by its description: each copy of Fastify has its own symbols.
 *
 * @param holder what has the symbol as a key, itself or by its prototypes
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have it
 */
export function symbolIn (server: FastifyInstance, holder: object, description: string): symbol {
  for (let owner: object | null = holder; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const symbol = Object.getOwnPropertySymbols(owner).find((key) => key.description === description)
    if (symbol !== undefined) return symbol
  }
  throw new VersioningOptionError(
    `fastify-versioning needs Fastify's symbol "${description}", which Fastify ${server.version} does not have. ` +
    'Update fastify-versioning, or use Fastify 5.'
  )
}

/** Returns the prototype of the replies of an app. */
export function replyPrototypeOf (server: FastifyInstance): FastifyReply {
  return (valueOf(server, symbolIn(server, server, 'fastify.Reply')) as { readonly prototype: FastifyReply }).prototype
}

/** Returns the symbol under which a request has the context of its route: the prototype of replies has a getter. */
export function contextSymbolOf (server: FastifyInstance): symbol {
  return symbolIn(server, replyPrototypeOf(server), 'fastify.context')
}

/** Returns the value under a symbol, or null. */
export function valueOf (holder: object, symbol: symbol): unknown {
  return (holder as Record<symbol, unknown>)[symbol] ?? null
}

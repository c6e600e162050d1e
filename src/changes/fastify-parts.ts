import { VersionChangeOptionError } from '../errors.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'

/** Makes the error of a part of a request that is not valid. */
export type Formatter = (errors: readonly Failure[], part: string) => Error

/** What a validator says is wrong. */
export interface Failure { readonly instancePath?: string, readonly message?: string }

/** What Fastify 5 keeps under its own symbols, and has no other name for. */
export interface FastifyParts {
  /** The `schemaErrorFormatter` of a context, or null. */
  readonly formatterOf: (server: FastifyInstance) => Formatter | null
  /** The serializer that `setReplySerializer` gave to a context, or null. */
  readonly contextSerializerOf: (server: FastifyInstance) => unknown
  /** The serializer that `reply.serializer` gave to a reply, or null. */
  readonly serializerOf: (reply: FastifyReply) => unknown
}

/**
 * Finds the symbols, which each copy of Fastify has for itself.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION if this version of Fastify does not have them
 */
export function fastifyPartsOf (server: FastifyInstance): FastifyParts {
  const symbolIn = (holder: object, name: string): symbol => {
    for (let one: object | null = holder; one !== null; one = Object.getPrototypeOf(one)) {
      const symbol = Object.getOwnPropertySymbols(one).find(({ description }) => description === name)
      if (symbol !== undefined) return symbol
    }
    throw new VersionChangeOptionError(
      `The option "changes" needs Fastify 5.0 or later with its symbol "${name}", which Fastify ${server.version} ` +
      'does not have.'
    )
  }
  const formatter = symbolIn(server, 'fastify.schemaErrorFormatter')
  const contextSerializer = symbolIn(server, 'fastify.replySerializerDefault')
  const Reply = valueOf(server, symbolIn(server, 'fastify.Reply')) as { prototype: FastifyReply }
  const reply = { serializer: Reply.prototype.serializer } as FastifyReply
  reply.serializer(String)
  const serializer = symbolIn(reply, 'fastify.reply.serializer')
  return {
    formatterOf: (server) => valueOf(server, formatter) as Formatter | null,
    contextSerializerOf: (server) => valueOf(server, contextSerializer),
    serializerOf: (reply) => valueOf(reply, serializer)
  }
}

function valueOf (holder: object, symbol: symbol): unknown {
  return (holder as Record<symbol, unknown>)[symbol] ?? null
}

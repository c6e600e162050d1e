import { symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance } from 'fastify'

/** What runs before the response has been sent. */
const NAMES = [
  'onRequest', 'preParsing', 'preValidation', 'preHandler', 'handler', 'preSerialization', 'onSend', 'onError',
  'errorHandler'
] as const

/** The handler and the hooks that a route itself has, or those of a context. */
export function functionsIn (holder: object): unknown[] {
  return NAMES.flatMap((name) => (holder as Record<string, unknown>)[name] ?? [])
}

/** The hooks of a context. Its error handler is bound by Fastify, so that its source cannot be read. */
export function hooksOf (server: FastifyInstance): unknown[] {
  return functionsIn(valueOf(server, symbolIn(server, server, 'fastify.hooks')) as object)
}

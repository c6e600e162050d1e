import { symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance } from 'fastify'

const FUNCTION_NAMES = [
  'onRequest', 'preParsing', 'preValidation', 'preHandler', 'handler', 'preSerialization', 'onSend', 'onError',
  'errorHandler'
] as const

/** Returns the handler and the hooks in an object, by their names. */
function functionsIn (holder: object, names: readonly string[]): unknown[] {
  const functions: unknown[] = []
  for (const name of names) {
    const value = (holder as Record<string, unknown>)[name] ?? null
    if (Array.isArray(value)) functions.push(...value)
    else if (value !== null) functions.push(value)
  }
  return functions
}

/**
 * Returns the hooks of the context of a route, in their order, and the handler and the hooks of the route. Fastify
 * binds the error handler of a context, so that its source cannot be read.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/hooks.js): an instance has its hooks under this symbol, by their names,
 * and those of the contexts around it.
 */
export function functionsOf (
  { options, server }: { readonly options: object, readonly server: FastifyInstance },
  names: readonly string[] = FUNCTION_NAMES
): unknown[] {
  return [...functionsIn(hooksByName(server), names), ...functionsIn(options, names)]
}

/** Tells whether a context has onRequest hooks already, which run before hooks that are added now. */
export function hasOnRequestHooks (server: FastifyInstance): boolean {
  return hooksByName(server).onRequest.length > 0
}

function hooksByName (server: FastifyInstance): { readonly onRequest: readonly unknown[] } {
  return valueOf(server, symbolIn(server, server, 'fastify.hooks')) as { readonly onRequest: readonly unknown[] }
}

import { symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Compiled } from './compilers.ts'

export type SerializerCompiler = NonNullable<RouteOptions['serializerCompiler']>

interface SchemaController {
  readonly serializerCompiler: SerializerCompiler
  readonly setupSerializer: (options: unknown) => void
}

/**
 * Returns the compiler of a context for response schemas, with all schemas that the context has now.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/schema-controller.js): Fastify makes this compiler by `setupSerializer`,
 * with the options of the server, for the first route that needs one. Until then `server.serializerCompiler` is
 * undefined, or the compiler of the parent, which lacks schemas.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have the symbols
 */
export function serializerCompilerOf (server: FastifyInstance): SerializerCompiler {
  const [controller, options] = ['fastify.schemaController', 'fastify.options'].map((description) => (
    valueOf(server, symbolIn(server, server, description))
  )) as [SchemaController, unknown]
  controller.setupSerializer(options)
  return controller.serializerCompiler
}

/** Returns the serializer that a context has for a schema. */
export function serializerFor (server: FastifyInstance, schema: unknown, url: string): Compiled {
  return serializerCompilerOf(server)({ schema, method: 'POST', url, httpStatus: '200' } as never)
}

import { VersionError } from '../errors.ts'

import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'

type SerializerCompiler = NonNullable<RouteOptions['serializerCompiler']>
/** Fastify gives a serializer the error with the name of its status. */
type Sent = VersionError & { readonly error: string }

/** The keys of response schemas that apply to refusals. */
const OF_REFUSALS = /^(?:4|default$)/i

/**
 * Gives refusals of a route the body that Fastify gives errors. The response schemas of the route describe errors of
 * the app, and serializers made from them may fail or leave everything out. Call it before the app is ready.
 */
export function exemptRefusals (server: FastifyInstance, options: RouteOptions): void {
  const { serializerCompiler: own } = options
  const { response } = (options.schema ?? {}) as FastifySchema
  if (!Object.keys(Object(response)).some((status) => OF_REFUSALS.test(status))) return
  Object.defineProperty(options, 'serializerCompiler', {
    configurable: true,
    enumerable: true,
    // Fastify makes its own compiler only if it finds none, and then looks again.
    get: () => {
      const compile = own ?? server.serializerCompiler
      return compile === undefined ? undefined : exempting(compile)
    }
  })
}

/** One for each compiler, so that routes can share what it makes. */
const exempt = new WeakMap<SerializerCompiler, SerializerCompiler>()

function exempting (compile: SerializerCompiler): SerializerCompiler {
  const known = exempt.get(compile) ?? exemptingAnew(compile)
  exempt.set(compile, known)
  return known
}

function exemptingAnew (compile: SerializerCompiler): SerializerCompiler {
  return (route) => {
    const serialize = compile(route)
    if (!OF_REFUSALS.test(String(route.httpStatus))) return serialize
    return (payload: unknown) => payload instanceof VersionError ? bodyOf(payload as Sent) : serialize(payload)
  }
}

/** As Fastify writes it. */
function bodyOf ({ statusCode, code, error, message }: Sent): string {
  return JSON.stringify({ statusCode, code, error, message })
}

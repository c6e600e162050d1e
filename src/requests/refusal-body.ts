import { VersionError } from '../errors.ts'

import type { FastifySchema, RouteOptions } from 'fastify'

type SerializerCompiler = NonNullable<RouteOptions['serializerCompiler']>
/** Fastify gives a serializer the error with the name of its status. */
type Sent = VersionError & { readonly error: string }

/** The keys of response schemas that apply to refusals. */
const OF_REFUSALS = /^(?:4|default$)/i

/** One for each compiler, so that routes can share what it makes. */
const known = new WeakMap<SerializerCompiler, SerializerCompiler>()

/**
 * A compiler whose serializers give refusals the body that Fastify gives errors. The response schemas of a route
 * describe errors of the app, and serializers made from them may fail or leave everything out.
 *
 * @param compile the compiler of the route; undefined until Fastify has made its own
 */
export function exempting (
  compile: SerializerCompiler | undefined, { schema }: RouteOptions
): SerializerCompiler | undefined {
  const { response } = (schema ?? {}) as FastifySchema
  const isConcerned = Object.keys(Object(response)).some((status) => OF_REFUSALS.test(status))
  if (compile === undefined || !isConcerned) return compile
  let exempt = known.get(compile)
  if (exempt === undefined) known.set(compile, exempt = exemptingAnew(compile))
  return exempt
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

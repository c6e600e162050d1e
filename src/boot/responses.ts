import { isRefusal } from '../errors.ts'
import { serializerCompilerOf } from '../fastify/serializer-compiler.ts'

import type { FastifySchema } from 'fastify'
import type { SerializerCompiler } from '../fastify/serializer-compiler.ts'
import type { Route } from '../routes.ts'

/** An error as Fastify gives it to a serializer: with the name of its status. */
type Sent = Error & { readonly statusCode: number, readonly code?: string, readonly error: string }

/** The keys of response schemas that apply to refusals. */
const OF_REFUSALS = /^(?:4|default$)/i

/**
 * Lets refusals have the body of an error, whatever the response schemas of the route say. Call it when all onRoute
 * hooks have run. Fastify reads the options when the app is ready.
 */
export function exemptRefusals ({ options, server }: Route): void {
  const response = (options.schema as FastifySchema | undefined)?.response
  if (response === undefined || !Object.keys(Object(response)).some((status) => OF_REFUSALS.test(status))) return
  let compiler = options.serializerCompiler && exempting(options.serializerCompiler)
  // The context has all its schemas only when Fastify compiles those of its routes.
  options.serializerCompiler = (definition) => (compiler ??= exempting(serializerCompilerOf(server)))(definition)
}

/** The compilers that `exempting` has made, by the original: routes with one original share the compiler. */
const exempt = new WeakMap<SerializerCompiler, SerializerCompiler>()

/**
 * Returns a compiler whose serializers give refusals the body that Fastify gives errors. The response schemas of a
 * route describe errors of the app, so their serializers may fail for a refusal, or leave out all its properties.
 */
function exempting (compile: SerializerCompiler): SerializerCompiler {
  const made = exempt.get(compile)
  if (made !== undefined) return made
  const compiler: SerializerCompiler = (route) => {
    const serialize = compile(route)
    if (!OF_REFUSALS.test(String(route.httpStatus))) return serialize
    return (payload: unknown) => {
      if (!isRefusal(payload)) return serialize(payload)
      // Fastify writes these properties of an error, in this order.
      const { statusCode, code, error, message } = payload as Sent
      return JSON.stringify({ statusCode, code, error, message })
    }
  }
  exempt.set(compile, compiler)
  return compiler
}

import { contextOf, schemeOf } from '../context.ts'
import { isRefusal } from '../errors.ts'
import { completeLast } from '../requests/vary.ts'

import type { FastifySchema, RouteOptions } from 'fastify'
import type { DeclaredOptions, Route } from '../routes.ts'

type SerializerCompiler = NonNullable<RouteOptions['serializerCompiler']>
/** Fastify gives a serializer the error with the name of its status. */
type Sent = Error & { readonly statusCode: number, readonly code?: string, readonly error: string }

/** The keys of response schemas that apply to refusals. */
const OF_REFUSALS = /^(?:4|default$)/i

/**
 * Prepares a route for its responses: they keep Vary and Link, and refusals have the body of an error. Fastify reads
 * the options when the app is ready. Until then later onRoute hooks may set them, and the context may get a scheme.
 */
export function prepareResponses (route: Route, options: DeclaredOptions): void {
  let reads = 0
  complete(options, 'onSend', (given) => {
    reads = 0
    const scheme = schemeOf(route)
    const isRetired = Boolean(route.retirement ?? contextOf(route.server).lifecycle)
    const hasHeaders = scheme !== null && (scheme.varies !== null || isRetired)
    // Fastify runs hooks of a route after all others.
    return hasHeaders ? [...[given ?? []].flat().filter((hook) => hook !== completeLast), completeLast] : given
  })
  complete(options, 'serializerCompiler', (given) => {
    const { response } = (options.schema ?? {}) as FastifySchema
    if (!Object.keys(Object(response)).some((status) => OF_REFUSALS.test(status))) return given
    // Fastify reads the hooks of a route, makes the compiler of the context if it finds none here, and looks again.
    const compiler = given ?? (reads++ === 0 ? undefined : route.server.serializerCompiler)
    return compiler && exempting(compiler)
  })
}

/** Completes an option each time it is read. */
function complete<Name extends 'onSend' | 'serializerCompiler'> (
  options: DeclaredOptions, name: Name, completed: (given: DeclaredOptions[Name]) => DeclaredOptions[Name]
): void {
  let given = options[name]
  Object.defineProperty(options, name, {
    configurable: true,
    enumerable: true,
    get () {
      const value = completed(given)
      // A plugin pushes its hook into the list that it finds.
      if (Array.isArray(value)) given = value
      return value
    },
    set: (value: DeclaredOptions[Name]) => { given = value }
  })
}

/** One for each compiler, so that routes can share what it makes. */
const exempt = new WeakMap<SerializerCompiler, SerializerCompiler>()

/**
 * A compiler whose serializers give refusals the body that Fastify gives errors. The response schemas of a route
 * describe errors of the app, and serializers made from them may fail or leave everything out.
 */
function exempting (compile: SerializerCompiler): SerializerCompiler {
  const known = exempt.get(compile)
  if (known !== undefined) return known
  const compiler: SerializerCompiler = (route) => {
    const serialize = compile(route)
    if (!OF_REFUSALS.test(String(route.httpStatus))) return serialize
    return (payload: unknown) => {
      if (!isRefusal(payload)) return serialize(payload)
      // As Fastify writes it.
      const { statusCode, code, error, message } = payload as Sent
      return JSON.stringify({ statusCode, code, error, message })
    }
  }
  exempt.set(compile, compiler)
  return compiler
}

import { ignoreRejection, isThenable } from '../promises.ts'
import { replyPrototypeOf, symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** An error in a value, as a validator reports it: Ajv, or Zod. */
export interface Failure {
  readonly instancePath?: string
  readonly path?: readonly PropertyKey[]
  readonly message?: string
  /** `custom` for refinements of Zod, whose own issues have this word as `code`. */
  readonly keyword?: string
  readonly code?: string
}

/** A validator, or a serializer. */
export type Compiled = ((value: unknown, context?: object) => unknown) & {
  readonly errors?: readonly Failure[] | null
  readonly schemaEnv?: object
}

/** A function that compiles the schema of a part of a route, as an app sets it for validators and for serializers. */
export type Compiler = (definition: object) => Compiled

/** The result of a validator, which may also be false: then the validator itself has `errors`. */
interface Result { readonly error?: readonly Failure[] | Error | null, readonly value?: unknown }

/** A function that makes the error of a part of a request that is not valid. */
export type Formatter = (errors: readonly Failure[], part: string) => Error

/** The values that Fastify 5 has only under its own symbols. */
export type FastifyParts = ReturnType<typeof fastifyPartsOf>

/**
 * Finds these symbols, which each copy of Fastify has for itself, and returns functions that read the values.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have them
 */
export function fastifyPartsOf (server: FastifyInstance) {
  const formatter = symbolIn(server, server, 'fastify.schemaErrorFormatter')
  const contextSerializer = symbolIn(server, server, 'fastify.replySerializerDefault')
  const reply = { serializer: replyPrototypeOf(server).serializer } as FastifyReply
  reply.serializer(String)
  const serializer = symbolIn(server, reply, 'fastify.reply.serializer')
  return {
    /** The `schemaErrorFormatter` of a context. */
    formatterOf: (server: FastifyInstance) => (valueOf(server, formatter) ?? toError) as Formatter,
    /** The serializer that `setReplySerializer` gave to a context, or null. */
    contextSerializerOf: (server: FastifyInstance) => valueOf(server, contextSerializer),
    /** The serializer that `reply.serializer` gave to a reply, or null. */
    serializerOf: (reply: FastifyReply) => valueOf(reply, serializer)
  }
}

/** The judgement of a validator on a value. */
export interface Validated extends Required<Result> {
  /** Whether the validator returns another value, instead of changing the given one. */
  readonly isOther: boolean
}

/**
 * Validates a value as Fastify does: Ajv changes the type of a value if it knows what holds the value, and an
 * asynchronous validator rejects a value that is not valid.
 */
export function validate (validator: Compiled, input: unknown): Validated | PromiseLike<Validated> {
  const holder = { value: input === undefined ? null : input }
  const read = (result: unknown): Validated => {
    const { error = result === false ? validator.errors ?? [] : null, value = holder.value } = Object(result) as Result
    return { error, value, isOther: value !== input }
  }
  try {
    const result = validator(holder.value, validator.schemaEnv && { parentData: holder, parentDataProperty: 'value' })
    if (!isThenable(result)) return read(result)
    return result.then((isValid) => read(isValid !== false), (error: unknown) => read({ error }))
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 500 })
  }
}

/**
 * Returns a validator of a context; undefined if no route has needed the compiler yet, or it cannot compile the schema.
 *
 * @param url a URL that no route has, because StandaloneValidator keeps a validator under its URL
 */
export function validatorFor (server: FastifyInstance, schema: object, url: string): Compiled | undefined {
  try {
    return server.validatorCompiler?.({ schema, method: 'POST', url, httpPart: 'body' }) as Compiled | undefined
  } catch {}
}

/** Returns Fastify's validator for a part of a request, whose body may have a validator for each media type. */
export function validatorOf (request: FastifyRequest, part: string, type: string): Compiled | undefined {
  const validators: unknown = request.getValidationFunction(part as 'body')
  return (typeof validators === 'function' ? validators : Object(validators)[type]) as Compiled | undefined
}

/** Tells whether validators remove what open schemas do not describe, as Ajv does with `removeAdditional: 'all'`. */
export function removesAll (compile: Compiler): boolean {
  const value = { seen: 1, other: 1 }
  const schema = { type: 'object', properties: { seen: {} }, additionalProperties: true }
  try {
    const result = compile({ schema, method: 'POST', url: '/;removes-all', httpPart: 'body' })(value)
    // An asynchronous validator may reject the value, which nobody awaits.
    ignoreRejection(result)
    const { value: validated = value } = Object(result)
    return Object.hasOwn(validated, 'seen') && !Object.hasOwn(validated, 'other')
  } catch {
    // The compiler takes other schemas, such as those of Zod.
    return false
  }
}

/** Tells whether validators refuse what closed schemas do not describe, as Ajv does with `removeAdditional: false`. */
export function refusesUnknown (compile: Compiler): boolean {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  try {
    const result = compile({ schema, method: 'GET', url: '/;refuses', httpPart: 'params' })({ other: 1 })
    ignoreRejection(result)
    return result === false
  } catch {
    // The compiler takes other schemas.
    return false
  }
}

/**
 * Returns a validator, or a serializer, that takes values. A compiler for other schemas, such as those of Zod, may look
 * at a schema for the first value only.
 *
 * @throws the error that it throws or returns for every value, before it has looked at the value
 */
export function fitting (compiled: Compiled): Compiled {
  // Ajv looks at the whole schema when it compiles.
  if (compiled.schemaEnv !== undefined) return compiled
  // Fastify validates null where there is no body. Zod would drop the checks of a list that its first object lacks.
  if (!isMisfit(errorOf(compiled, null))) return compiled
  let isRead = false
  // Each operation on the value looks up a trap first.
  const note = () => { isRead = true }
  const error = errorOf(compiled, new Proxy({}, new Proxy({}, { get: note })))
  if (isMisfit(error) && !isRead) throw error
  return compiled
}

function errorOf (compiled: Compiled, value: unknown): unknown {
  try {
    const result = compiled(value)
    ignoreRejection(result)
    return Object(result).error
  } catch (error) {
    return error
  }
}

/** Tells whether a schema does not fit a compiler. fast-json-stringify has other TypeErrors, for values. */
function isMisfit (error: unknown): boolean {
  return Object(error).name === 'TypeError' && /undefined|is not a function/.test(Object(error).message)
}

/** Makes an error as Fastify's own formatter does. */
function toError (errors: readonly Failure[], part: string): Error {
  return new Error(errors.map(({ instancePath = '', message = '' }) => `${part}${instancePath} ${message}`).join(', '))
}

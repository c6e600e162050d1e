import { addHook, setLateCompiler } from './route-options.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Variant } from '../changes/variant.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

type Payload = unknown
/** What Fastify gives a compiler. */
interface Definition { readonly httpStatus?: string, readonly contentType?: string }
type Compile = (definition: Definition) => Serialize
type Serialize = (payload: unknown) => string

/** What a reply sends: `DOWNGRADED` if its payload has been downgraded, or an error. */
const kSends: unique symbol = Symbol('fastify-versioning.sends')
const DOWNGRADED: unique symbol = Symbol('downgraded')
type Reply = FastifyReply & { [kSends]?: unknown }

/** The statuses of errors, which Fastify serializes without preSerialization hooks. */
const OF_ERRORS = /^(?:[45]|default)/i
const JSON_TYPE = 'application/json; charset=utf-8'
/** How many texts of errors that have not been sent yet are remembered. */
const MAX_TEXTS = 100

const NOTHING: unique symbol = Symbol('nothing')
/** The payload that Fastify serializes next: it has been downgraded. */
let nextPayload: unknown = NOTHING

/** Errors that have been downgraded, and what they became, until they are sent. */
const downgradedErrors = new WeakSet<object>()
const downgradedTexts = new Set<string>()

/** Downgrades the responses of a route of older versions, after all preSerialization hooks. */
export function downgradeResponses (route: Route, variant: Variant): void {
  const options = route.options as DeclaredOptions
  const { server } = route
  const { downgrade: downgrades } = variant

  function downgradePayload (
    _request: FastifyRequest, reply: Reply, payload: Payload, done: DoneFuncWithErrOrRes
  ): void {
    reply[kSends] = DOWNGRADED
    const downgrade = downgrades.of(reply.statusCode, reply.getHeader('content-type') as string | undefined)
    nextPayload = downgrade === null ? payload : downgrade.convert(payload)
    done(null, nextPayload)
  }

  /** onSend: refuses what was sent around preSerialization. Other hooks may have compressed a payload since. */
  function checkDowngraded (
    request: FastifyRequest, reply: Reply, payload: Payload, done: DoneFuncWithErrOrRes
  ): void {
    if (reply[kSends] === DOWNGRADED) {
      reply[kSends] = undefined
      return done()
    }
    // `reply.callNotFound()` takes this hook of the route along, and none of its others.
    if (request.is404 || payload === undefined || payload === null || payload === '') return done()
    const isWeb = isResponse(payload)
    const status = isWeb ? payload.status : reply.statusCode
    const type = isWeb ? payload.headers.get('content-type') : reply.getHeader('content-type')
    const downgrade = downgrades.of(status, type as string | undefined)
    if (downgrade === null || isDowngradedError(reply[kSends], payload)) return done()
    discard(payload)
    // @fastify/etag may have made one of the payload.
    reply.removeHeader('etag')
    done(downgrade.cannotConvert(payload) as never)
  }

  function compiler (own: unknown): Compile {
    return (definition) => {
      const compile = (own ?? server.serializerCompiler) as Compile
      const serialize = compile(definition)
      const { httpStatus = '', contentType } = definition
      const isOfErrors = OF_ERRORS.test(httpStatus)
      const downgradeOwn = downgrades.of(Number.parseInt(httpStatus, 10) || 0, contentType ?? JSON_TYPE)
      return function serializeOlder (payload) {
        if (Object.is(payload, nextPayload) || payload === null) {
          nextPayload = NOTHING
          return serialize(payload)
        }
        // The app has it serialized, as by `reply.serializeInput()`.
        if (!isOfErrors || !(payload instanceof Error)) {
          return serialize(downgradeOwn === null ? payload : downgradeOwn.convert(payload))
        }
        const body = bodyOf(payload)
        const downgrade = downgrades.of(body.statusCode, contentType ?? JSON_TYPE)
        if (downgrade === null) return serialize(payload)
        const text = serialize(downgrade.convert(body))
        downgradedErrors.add(Object.getPrototypeOf(payload))
        if (downgradedTexts.size >= MAX_TEXTS) downgradedTexts.clear()
        downgradedTexts.add(text)
        return text
      }
    }
  }

  addHook(options, 'preSerialization', 'last', downgradePayload)
  addHook(options, 'onSend', 'first', checkDowngraded)
  addHook(options, 'onError', 'first', noteError)
  setLateCompiler(options, 'serializerCompiler', compiler)
}

/** onError */
function noteError (_request: FastifyRequest, reply: Reply, error: Error, done: () => void): void {
  reply[kSends] = error
  done()
}

interface ErrorBody { readonly statusCode: number }

/** An error as Fastify's own error handler has it serialized: an object that has the error as prototype. */
function bodyOf (payload: Error): ErrorBody {
  const { error, code, message, statusCode } = payload as Error & { error: string, code?: string, statusCode: number }
  return { ...Object.getPrototypeOf(payload), ...code !== undefined && { code }, statusCode, error, message }
}

/** Whether Fastify's own error handler has sent an error, whose text other hooks may have changed. */
function isDowngradedError (error: unknown, payload: unknown): boolean {
  const isText = downgradedTexts.delete(payload as string)
  return downgradedErrors.delete(error as object) || isText
}

/** Whether a payload is a web response, as Fastify recognizes one: it may be from another realm or package. */
function isResponse (payload: unknown): payload is Response {
  return typeof payload === 'object' && Object.prototype.toString.call(payload) === '[object Response]'
}

/** It is not going to be read. */
function discard (payload: unknown): void {
  const { body } = payload as { body?: unknown }
  const stream = (isResponse(payload) ? body : payload) as { destroy?: unknown, cancel?: unknown } | null
  if (typeof stream?.destroy === 'function') stream.destroy()
  else if (typeof stream?.cancel === 'function') Promise.resolve(stream.cancel()).catch(() => {})
}

import { ignoreRejection } from '../promises.ts'
import { addHook, setLateCompiler } from './route-options.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { Variant } from '../changes/variant.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Compile } from './route-options.ts'

type Payload = unknown
type Serialize = (payload: unknown) => string

/** What a reply sends: `DOWNGRADED` if its payload has been downgraded, or an error. */
const kSends: unique symbol = Symbol('fastify-versioning.sends')
const DOWNGRADED: unique symbol = Symbol('downgraded')
type Reply = FastifyReply & { [kSends]?: unknown }

const JSON_TYPE = 'application/json; charset=utf-8'
/** How many texts of errors are remembered: more than there are of errors that have not been sent yet. */
const MAX_TEXTS = 100

const NOTHING: unique symbol = Symbol('nothing')
/** The payload that Fastify serializes next: it has been downgraded. */
let nextPayload: unknown = NOTHING

/** Errors that have been downgraded, and how many responses with them have not been sent yet. */
const downgradedErrors = new WeakMap<object, number>()
/** The texts that they became, and the routes whose older version they are in: what was used last comes last. */
const downgradedTexts = new Map<unknown, WeakSet<object>>()

/** Downgrades the responses of a route of older versions, after all preSerialization hooks. */
export function downgradeResponses (route: Route, variant: Variant): void {
  const options = route.options as DeclaredOptions
  const { downgrade: downgrades } = variant

  function downgradePayload (
    _request: FastifyRequest, reply: Reply, payload: Payload, done: DoneFuncWithErrOrRes
  ): void {
    reply[kSends] = DOWNGRADED
    const downgrade = downgrades.of(reply.statusCode, reply.getHeader('content-type') as string | undefined)
    nextPayload = downgrade === null ? payload : downgrade.convert(payload)
    done(null, nextPayload)
    // Fastify has not used our serializer if the status has no schema.
    nextPayload = NOTHING
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
    if (downgrade === null) return done()
    // Other hooks may have changed the text of the error, or an error handler has sent another error.
    if (takeDowngradedError(reply[kSends]) || downgradedTexts.get(payload)?.has(downgrades)) return done()
    discard(payload)
    // @fastify/etag may have made one of the payload.
    reply.removeHeader('etag')
    done(downgrade.cannotConvert(payload) as never)
  }

  function downgrading (compilerOf: () => Compile<Serialize>): Compile<Serialize> {
    return (definition) => {
      const serialize = compilerOf()(definition)
      const { httpStatus = '', contentType } = definition
      const downgradeOwn = downgrades.of(Number.parseInt(httpStatus, 10) || 0, contentType ?? JSON_TYPE)
      return function serializeOlder (payload) {
        if (Object.is(payload, nextPayload) || payload === null) {
          nextPayload = NOTHING
          return serialize(payload)
        }
        if (!isSentError(payload)) {
          // The app itself serializes a value of the newest version, by `reply.serializeInput()`.
          return serialize(downgradeOwn === null ? payload : downgradeOwn.convert(withMessage(payload)))
        }
        const body = bodyOf(payload)
        const downgrade = downgrades.of(body.statusCode, contentType ?? JSON_TYPE)
        if (downgrade === null) return serialize(payload)
        const text = serialize(downgrade.convert(body))
        addDowngradedError(Object.getPrototypeOf(payload), text, downgrades)
        return text
      }
    }
  }

  addHook(options, 'preSerialization', 'last', downgradePayload)
  addHook(options, 'onSend', 'first', checkDowngraded)
  addHook(options, 'onError', 'first', noteError)
  setLateCompiler(route, 'serializerCompiler', downgrading)
}

/** onError */
function noteError (_request: FastifyRequest, reply: Reply, error: Error, done: () => void): void {
  reply[kSends] = error
  done()
}

/** What Fastify's own error handler has serialized without preSerialization hooks: its prototype is the error. */
interface SentError extends Error {
  readonly error: string
  readonly code?: string
  readonly statusCode: number
}

function isSentError (payload: unknown): payload is SentError {
  return payload instanceof Error && Object.getPrototypeOf(payload) instanceof Error && Object.hasOwn(payload, 'error')
}

/** The members of an error that a change gets. */
function bodyOf (payload: SentError): { readonly statusCode: number } {
  const { error, code, message, statusCode } = payload
  return { ...Object.getPrototypeOf(payload), ...code !== undefined && { code }, statusCode, error, message }
}

/** The message of an error is not among its properties in JSON, but serializers find it. */
function withMessage (payload: unknown): unknown {
  if (!(payload instanceof Error) || 'toJSON' in payload) return payload
  return { ...payload, message: payload.message }
}

/** @param route what stands for the older route */
function addDowngradedError (error: object, text: string, route: object): void {
  downgradedErrors.set(error, (downgradedErrors.get(error) ?? 0) + 1)
  const routes = downgradedTexts.get(text) ?? new WeakSet()
  downgradedTexts.delete(text)
  downgradedTexts.set(text, routes.add(route))
  if (downgradedTexts.size <= MAX_TEXTS) return
  const [[oldest]] = downgradedTexts
  downgradedTexts.delete(oldest)
}

/** Whether a response with an error that has been downgraded was about to be sent, which is no longer counted. */
function takeDowngradedError (error: unknown): boolean {
  const count = downgradedErrors.get(error as object) ?? 0
  if (count > 1) downgradedErrors.set(error as object, count - 1)
  else downgradedErrors.delete(error as object)
  return count > 0
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
  else if (typeof stream?.cancel === 'function') ignoreRejection(stream.cancel())
}

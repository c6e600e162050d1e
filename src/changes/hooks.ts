import { kVersion } from '../context.ts'
import { VersionChangeError, VersionError } from '../errors.ts'
import { validate, validatorOf } from '../fastify/compilers.ts'
import { ignoreRejection } from '../promises.ts'
import { BEYOND, isFaultOfClient } from './beyond.ts'
import { isOfClient } from './calls.ts'
import { labelsOf } from './convert.ts'
import { STREAMS, isOutside, isTouched } from './forms.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Compiled, Failure, FastifyParts, Formatter } from '../fastify/compilers.ts'
import type { Conversion, Form, Part } from './forms.ts'

type Done = (error?: Error | null, payload?: unknown) => void
type ValidationError = Error & { statusCode?: number, code?: string, validation?: unknown, validationContext?: string }

/** A request in an older version, and its reply. */
interface Older {
  readonly form: Form
  /** The parts of the request that have been upgraded, as they were before. */
  readonly upgraded: Map<string, unknown>
  /** What is wrong with a part of the request that its handler wants to see. */
  invalid: Error | null
  /** The error that the reply sends. */
  error: Error | null
  /** Whether the payload has been downgraded, or needs not be. */
  isConverted: boolean
  /** The serializer that the reply has got here. */
  serializer: Compiled | null
}

const kOlder: unique symbol = Symbol('fastify-versioning.older')

type Request = FastifyRequest & { [kOlder]?: Older }

/** What Fastify itself says of texts, Buffers and streams; and JSON. */
const UNSAID = /^(?:|text\/plain|application\/octet-stream)$/
const JSON_TYPE = /[/+]json$/

/** Gives a route the hooks that convert. Call it when all onRoute hooks have run. */
export function addRouteHooks (options: DeclaredOptions, route: Route, parts: FastifyParts): void {
  const { server } = route
  const formatter = (options.schemaErrorFormatter as Formatter | undefined) ?? parts.formatterOf(server)
  const hasSerializer = parts.contextSerializerOf(server) !== null
  const isAttached = options.attachValidation === true

  /** preValidation, after all others: what is valid in the older version is upgraded. Fastify validates the result. */
  function upgradeRequest (request: Request, _reply: FastifyReply, done: HookHandlerDoneFunction) {
    const older = olderOf(request, route)
    if (older === null || older.form.request.length === 0) return done()
    return upgradeParts(request, older)
  }

  /** @throws FST_ERR_VALIDATION (400), or FST_ERR_VERSION_CHANGE (500) */
  async function upgradeParts (request: Request, older: Older): Promise<void> {
    const { parts, request: names } = older.form
    for (const name of names) {
      const key = name === 'body' ? 'body' : 'query'
      const conversion = conversionOf(parts.get(name), key === 'body' ? request.headers['content-type'] : undefined)
      if (conversion === null || isUnread(request[key])) continue
      const { error, value } = await validate(conversion.compiled, request[key])
      if (error !== null) note(older, name, error)
      else if (request[key] !== undefined) {
        try {
          request[key] = conversion.convert(value)
          older.upgraded.set(name, value)
        } catch (error) {
          const { described, convert } = conversion
          if (isOfClient(error) || !await isFaultOfClient(value, described, convert, undefined)) throw error
          note(older, name, BEYOND)
        }
      }
    }
  }

  /** @throws FST_ERR_VALIDATION (400) unless the handler wants to see it */
  function note (older: Older, name: string, error: readonly Failure[] | Error): void {
    const invalid = (error instanceof Error ? error : formatter(error, name)) as ValidationError
    invalid.statusCode ??= 400
    invalid.code ??= 'FST_ERR_VALIDATION'
    invalid.validationContext ??= name
    if (invalid !== error) invalid.validation = error
    if (!isAttached) throw invalid
    older.invalid ??= invalid
  }

  /** preHandler, before all others: with `attachValidation` handlers see what is wrong with a request. */
  async function attachError (request: Request): Promise<void> {
    const older = olderOf(request, route)
    const error = request.validationError as ValidationError | undefined
    if (older !== null && error !== undefined && await blameChange(request, older, error)) throw error
    if (older !== null && older.invalid !== null) request.validationError = older.invalid as never
  }

  /** preSerialization, after all others. */
  function downgradePayload (request: Request, reply: FastifyReply, payload: unknown, done: Done): void {
    const older = olderOf(request, route)
    if (older === null) return done(null, payload)
    const given = parts.serializerOf(reply)
    const isGiven = hasSerializer || (given !== null && given !== older.serializer)
    // An error may follow a payload of another status.
    if (given !== null && !isGiven) reply.serializer(null as never)
    const conversion = conversionOf(partIn(older.form, reply.statusCode), reply.getHeader('content-type'))
    let value = payload
    if (conversion !== null) {
      try {
        value = conversion.convert(payload)
      } catch (error) {
        return fail(older, reply, error as Error, done)
      }
      if (!isGiven) reply.serializer((older.serializer = conversion.compiled) as never)
    }
    older.isConverted = true
    done(null, value)
  }

  /** onSend, before the other hooks of the route: a hook of the instance may have answered before ours. */
  function checkPayload (request: Request, reply: FastifyReply, payload: unknown, done: Done): void {
    olderOf(request, route)
    convertPayload(request, reply, payload, done)
  }

  /** onError: a request that is not valid after its upgrade is the fault of the app. */
  async function noteError (request: Request, _reply: FastifyReply, error: Error): Promise<void> {
    const older = olderOf(request, route)
    if (older === null) return
    older.error = error
    older.isConverted = false
    await blameChange(request, older, error)
  }

  options.preValidation = [options.preValidation ?? [], upgradeRequest].flat() as never
  if (isAttached) options.preHandler = [attachError, options.preHandler ?? []].flat() as never
  options.preSerialization = [options.preSerialization ?? [], downgradePayload].flat() as never
  options.onSend = [checkPayload, options.onSend ?? []].flat() as never
  options.onError = [noteError, options.onError ?? []].flat() as never
}

/** Null for a request in a version that the handler speaks. */
function olderOf (request: Request, { older: { byVersion } }: Route): Older | null {
  const form = byVersion?.get(request[kVersion])
  if (form === undefined) return null
  request[kOlder] ??= { form, upgraded: new Map(), invalid: null, error: null, isConverted: false, serializer: null }
  return request[kOlder]
}

/**
 * onSend of the instance, so that later hooks may compress what it returns: what has not been serialized by the route
 * is the text that Fastify's own error handler has made, which is downgraded, or it must not need a conversion.
 */
export function convertPayload (request: Request, reply: FastifyReply, payload: unknown, done: Done): void {
  const older = request[kOlder]
  if (older === undefined || older.isConverted || (payload ?? '') === '' || request.is404) return done()
  const isWeb = Object.prototype.toString.call(payload) === '[object Response]'
  const { status, headers } = isWeb ? payload as Response : { status: reply.statusCode, headers: null }
  const type = typeOf(headers?.get('content-type') ?? reply.getHeader('content-type'))
  const part = partIn(older.form, status)
  const conversion = JSON_TYPE.test(type) ? conversionOf(part, type) : null
  older.isConverted = true
  const listed = part?.get(type)
  const isSaid = !UNSAID.test(type) && !STREAMS.test(type)
  const isAsItIs = listed === undefined ? isSaid || !isTouched(part) || isOutside(part) : listed.isOutside
  if (conversion === null && isAsItIs) return done()
  const isRefusal = older.error instanceof VersionError
  if (conversion !== null && older.error !== null && typeof payload === 'string' && payload.startsWith('{')) {
    let text: unknown
    try {
      text = conversion.compiled(conversion.convert(JSON.parse(payload)))
    } catch (error) {
      return isRefusal ? done() : fail(older, reply, error as Error, done)
    }
    // Both describe the text before its conversion.
    reply.removeHeader('content-length').removeHeader('etag')
    return done(null, text)
  }
  if (isRefusal) return done()
  const { changes, label } = older.form
  discard(isWeb ? (payload as Response).body : payload)
  reply.removeHeader('etag')
  const reason = 'a text, a Buffer or a stream of JSON cannot be converted: send an object'
  fail(older, reply, new VersionChangeError(labelsOf(changes), `${label}, response ${status}`, reason), done)
}

/** A refusal keeps its status, whatever the response schemas of the route are. */
function fail ({ error }: Older, reply: FastifyReply, failure: Error, done: Done): void {
  if (error instanceof VersionError) Object.assign(failure, { statusCode: error.statusCode })
  else reply.code(500)
  done(failure)
}

/**
 * Turns the error of a part that was upgraded, and that the newest schema refuses, into the error of the change, unless
 * the newest schema only refuses what the client has sent beyond an open older one.
 */
async function blameChange (request: Request, { form, upgraded }: Older, error: ValidationError): Promise<boolean> {
  const { validationContext: name = '' } = error
  if (!upgraded.has(name)) return false
  const type = name === 'body' ? request.headers['content-type'] : undefined
  const { convert, described } = conversionOf(form.parts.get(name), type) as Conversion
  const newest = validatorOf(request, name, typeOf(type))
  if (await isFaultOfClient(upgraded.get(name), described, convert, newest)) return false
  const reason = `the newest schema refuses what it made: ${error.message}`
  const { code, message, cause } = new VersionChangeError(labelsOf(form.changes), `${form.label}, ${name}`, reason)
  Object.assign(error, { statusCode: 500, code, message, cause })
  delete error.validation
  delete error.validationContext
  return true
}

function partIn ({ parts, byStatus }: Form, status: number): Part | undefined {
  if (byStatus.has(status)) return byStatus.get(status)
  const part = parts.get(`response ${status}`) ?? parts.get(`response ${Math.trunc(status / 100)}xx`) ??
    parts.get('response default')
  byStatus.set(status, part)
  return part
}

/** @returns null if nothing of the part is converted */
function conversionOf (part: Part | undefined, contentType: unknown): Conversion | null {
  if (part === undefined) return null
  const one = part.get(null) ?? part.get(typeOf(contentType)) ?? part.get('*/*')
  return one?.conversion ?? null
}

/** A media type without parameters. */
function typeOf (contentType: unknown): string {
  return String(contentType ?? '').split(';', 1)[0].trim().toLowerCase()
}

/** Whether a parser left the body as a stream, or in bytes. */
function isUnread (body: unknown): boolean {
  const { pipe, getReader } = Object(body) as { pipe?: unknown, getReader?: unknown }
  return ArrayBuffer.isView(body) || typeof (pipe ?? getReader) === 'function'
}

/** It is not going to be read. */
function discard (payload: unknown): void {
  const { destroy, cancel } = Object(payload) as { destroy?: () => void, cancel?: () => unknown }
  if (typeof destroy === 'function') destroy.call(payload)
  else if (typeof cancel === 'function') ignoreRejection(cancel.call(payload))
}

import { VersionChangeError, VersionError } from '../errors.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { labelsOf } from './convert.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Failure, FastifyParts, Formatter } from './fastify-parts.ts'
import type { Compiled, Older, OlderPart, OlderSlice } from './older.ts'

type Done = (error?: Error | null, payload?: unknown) => void
type ValidationError = Error & { statusCode?: number, code?: string, validation?: unknown, validationContext?: string }

/** The parts of a request that have been upgraded. */
const kUpgraded: unique symbol = Symbol('fastify-versioning.upgraded')
/** What is wrong with a part of a request that its handler wants to see. */
const kInvalid: unique symbol = Symbol('fastify-versioning.invalid')
/** The error that a reply sends in an older version, and its route. */
const kSends: unique symbol = Symbol('fastify-versioning.sends')
/** What has been done to the payload of a reply. */
const kIsConverted: unique symbol = Symbol('fastify-versioning.isConverted')
/** The serializer that a reply has got here. */
const kSerializer: unique symbol = Symbol('fastify-versioning.serializer')

type Request = FastifyRequest & { [kUpgraded]?: string[], [kInvalid]?: Error }
interface Marks { [kSends]?: { error: Error, route: Route }, [kIsConverted]?: boolean, [kSerializer]?: Compiled }
type Reply = FastifyReply & Marks

/** What Fastify itself says of texts, Buffers and streams; and JSON. */
const UNSAID = /^(?:|text\/plain|application\/octet-stream)$/
const JSON_TYPE = /json/

/** Gives a route the hooks that convert. Call it when all onRoute hooks have run. */
export function addRouteHooks (options: DeclaredOptions, route: Route, parts: FastifyParts): void {
  const { older, server } = route
  const formatter = (options.schemaErrorFormatter as Formatter | undefined) ?? parts.formatterOf(server) ?? format
  const hasSerializer = parts.contextSerializerOf(server) !== null

  /** preValidation, after all others: what is valid in the older version is upgraded. Fastify validates the result. */
  function upgradeRequest (request: Request, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const one = older.byVersion?.get(request.version)
    if (one === undefined || one.request.length === 0) done()
    else upgradeParts(request, one, formatter, options.attachValidation === true).then(() => done(), done)
  }

  /** preSerialization, after all others. */
  function downgradePayload (request: FastifyRequest, reply: Reply, payload: unknown, done: Done): void {
    const one = older.byVersion?.get(request.version)
    if (one === undefined) done(null, payload)
    else downgrade(one, reply, payload, done)
  }

  function downgrade (one: Older, reply: Reply, payload: unknown, done: Done): void {
    const given = parts.serializerOf(reply)
    const isGiven = hasSerializer || (given !== null && given !== reply[kSerializer])
    const slice = sliceFor(partOf(one, reply.statusCode), typeOf(reply.getHeader('content-type')))
    // An error may follow a payload of another status.
    if (given !== null && !isGiven) reply.serializer(null as never)
    let value = payload
    if (slice !== null) {
      try {
        value = slice.convert(payload)
      } catch (error) {
        return done(error as Error)
      }
      if (!isGiven) reply.serializer((reply[kSerializer] = slice.compiled) as never)
    }
    reply[kIsConverted] = true
    done(null, value)
  }

  /** onSend, before the other hooks of the route: what has not been serialized by it must not need a conversion. */
  function checkPayload (request: FastifyRequest, reply: Reply, payload: unknown, done: Done): void {
    const one = older.byVersion?.get(request.version)
    if (one === undefined || reply[kIsConverted] === true || (payload ?? '') === '' || request.is404) return done()
    const isWeb = Object.prototype.toString.call(payload) === '[object Response]'
    const { status, headers } = isWeb ? payload as Response : { status: reply.statusCode, headers: null }
    const type = typeOf(headers === null ? reply.getHeader('content-type') : headers.get('content-type'))
    const part = partOf(one, status)
    if (part === null || !isTouched(part, type)) return done()
    discard(isWeb ? (payload as Response).body : payload)
    reply.removeHeader('etag')
    const reason = 'a text, a Buffer or a stream of JSON cannot be converted: send an object'
    done(new VersionChangeError(labelsOf(one.form.changes), part.subject, reason))
  }

  /** onError: a request that is not valid after its upgrade is the fault of the app. */
  function noteError (request: Request, reply: Reply, error: Error, done: () => void): void {
    const one = older.byVersion?.get(request.version)
    if (one !== undefined) {
      reply[kSends] = { error, route }
      reply[kIsConverted] = false
      blameChange(request, one, error)
    }
    done()
  }

  /** preHandler, before all others: with `attachValidation` handlers see what is wrong with a request. */
  function attachError (request: Request, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const one = older.byVersion?.get(request.version)
    const error = request.validationError as ValidationError | undefined
    if (one !== undefined && error !== undefined && blameChange(request, one, error)) return done(error)
    if (request[kInvalid] !== undefined) request.validationError = request[kInvalid] as never
    done()
  }

  options.preValidation = [options.preValidation ?? [], upgradeRequest].flat() as never
  options.preSerialization = [options.preSerialization ?? [], downgradePayload].flat() as never
  options.onSend = [checkPayload, options.onSend ?? []].flat() as never
  options.onError = [noteError, options.onError ?? []].flat() as never
  if (options.attachValidation) options.preHandler = [attachError, options.preHandler ?? []].flat() as never
}

/**
 * onSend of the instance, so that later hooks may compress what it returns: the text that Fastify's own error handler
 * has serialized is downgraded.
 */
export function downgradeError (request: FastifyRequest, reply: Reply, payload: unknown, done: Done): void {
  const sends = reply[kSends]
  if (sends === undefined || reply[kIsConverted] === true || typeof payload !== 'string') return done()
  const one = sends.route.older.byVersion?.get(request.version)
  const type = typeOf(reply.getHeader('content-type'))
  const slice = one === undefined || request.is404 ? null : sliceFor(partOf(one, reply.statusCode), type)
  if (slice === null || !JSON_TYPE.test(type) || !payload.startsWith('{')) return done()
  try {
    const text = slice.compiled(slice.convert(JSON.parse(payload)))
    // Both describe the text before its conversion.
    reply.removeHeader('content-length').removeHeader('etag')
    reply[kIsConverted] = true
    done(null, text)
  } catch (error) {
    // A refusal keeps its status, whatever the response schemas of the route are.
    if (sends.error instanceof VersionError) return done()
    reply.code(500)
    done(error as Error)
  }
}

/**
 * Validates the parts of a request by the older schemas, and upgrades them.
 *
 * @throws FST_ERR_VALIDATION (400), or FST_ERR_VERSION_CHANGE (500)
 */
async function upgradeParts (
  request: Request, { request: parts }: Older, formatter: Formatter, isAttached: boolean
): Promise<void> {
  const upgraded: string[] = request[kUpgraded] = []
  for (const part of parts) {
    const key = part.name === 'body' ? 'body' : 'query'
    const slice = sliceFor(part, key === 'body' ? typeOf(request.headers['content-type']) : '')
    const data: unknown = request[key]
    if (slice === null || isUnread(data)) continue
    const { value, errors } = await validate(slice.compiled, data)
    if (errors === null) {
      if (data === undefined) continue
      request[key] = slice.convert(value)
      upgraded.push(part.name)
      continue
    }
    const error = errors instanceof Error ? errors as ValidationError : formatter(errors, part.name) as ValidationError
    error.statusCode ??= 400
    error.code ??= 'FST_ERR_VALIDATION'
    error.validationContext ??= part.name
    if (error !== errors) error.validation = errors
    if (!isAttached) throw error
    request[kInvalid] ??= error
  }
}

/** As Fastify does it: an absent body is null, and Ajv changes the type of a value if it knows what holds it. */
async function validate (
  validator: Compiled, data: unknown
): Promise<{ value: unknown, errors: readonly Failure[] | Error | null }> {
  const holder = { value: data === undefined ? null : data }
  let result: unknown
  try {
    result = validator(holder.value, validator.schemaEnv && { parentData: holder, parentDataProperty: 'value' })
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 500 })
  }
  if (isThenable(result)) {
    try {
      result = await result === false ? false : null
    } catch (error) {
      return { value: null, errors: error as Error }
    }
  }
  if (result === false) return { value: null, errors: validator.errors ?? [] }
  const { error = null, value = holder.value } = Object(result) as { error?: Error | null, value?: unknown }
  return { value, errors: error }
}

/** Turns the error of a part that was upgraded, and that the newest schema refuses, into the error of the change. */
function blameChange (request: Request, { form, request: parts }: Older, error: ValidationError): boolean {
  const { validationContext = '', message } = error
  const part = parts.find(({ name }) => name === validationContext)
  if (part === undefined || request[kUpgraded]?.includes(validationContext) !== true) return false
  const reason = `the newest schema refuses what it made: ${message}`
  const { code, message: text, cause } = new VersionChangeError(labelsOf(form.changes), part.subject, reason)
  Object.assign(error, { statusCode: 500, code, message: text, cause })
  delete error.validation
  delete error.validationContext
  return true
}

/** The part that a status has, or null if nothing is undone in it. */
function partOf ({ responses }: Older, status: number): OlderPart | null {
  const own = responses.get(String(status))
  if (own !== undefined) return own
  const ofClass = responses.get(`${Math.trunc(status / 100)}xx`)
  return ofClass === undefined ? responses.get('default') ?? null : ofClass
}

function sliceFor (part: OlderPart | null, type: string): OlderSlice | null {
  if (part === null) return null
  const { slices } = part
  return slices.get(null) ?? slices.get(type) ?? slices.get('*/*') ?? null
}

/** Whether a payload that has not been serialized would need a conversion. */
function isTouched (part: OlderPart, type: string): boolean {
  if (UNSAID.test(type)) return [...part.slices.values()].some((slice) => slice !== null)
  return JSON_TYPE.test(type) && sliceFor(part, type) !== null
}

/** A media type without parameters. */
function typeOf (contentType: unknown): string {
  return String(contentType ?? '').split(';', 1)[0].trim().toLowerCase()
}

/** As Fastify's own formatter. */
function format (errors: readonly Failure[], part: string): Error {
  return new Error(errors.map(({ instancePath = '', message = '' }) => `${part}${instancePath} ${message}`).join(', '))
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

import { STATUS_CODES } from 'node:http'

import { labelsOf } from '../changes/convert.ts'
import { openTags } from '../changes/etags.ts'
import { isOutside } from '../changes/parts.ts'
import { STREAMS } from '../changes/route-forms.ts'
import { traceOf } from '../changes/trace.ts'
import { SentBeyondSchema, upgraded } from '../changes/upgrade.ts'
import { VersionChangeError, VersionError } from '../errors.ts'
import { validate, validatorOf } from '../fastify/compilers.ts'
import { skippableHook } from '../fastify/skipped-hooks.ts'
import { show, warn } from '../messages.ts'
import { kPassage, versionIn } from '../passage.ts'
import { ignoreRejection, isThenable } from '../promises.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Conversion, Media, Part } from '../changes/parts.ts'
import type { Answer, Form } from '../changes/route-forms.ts'
import type { Trace } from '../changes/trace.ts'
import type { Upgrade } from '../changes/upgrade.ts'
import type { Compiled, Failure, FastifyParts, Formatter } from '../fastify/compilers.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

type Done = (error?: Error | null, payload?: unknown) => void
type ValidationError = Error & { statusCode?: number, code?: string, validation?: unknown, validationContext?: string }

/** A request in an older version, and its reply. */
interface Older {
  readonly form: Form
  /** Null unless the level of the log is debug. */
  readonly trace: Trace | null
  /** Whether the handler gets the error of an invalid part of the request. */
  isAttached: boolean
  /** The error that the reply sends. */
  error: Error | null
  /** Whether the payload has been downgraded, or needs no downgrade. */
  isConverted: boolean
  /** The status in the version of the handler, if the older version has another one. */
  status: number | null
  /** The serializer that `downgradePayload` has set. */
  serializer: Compiled | null
}

const kOlder: unique symbol = Symbol('fastify-versioning.older')

type Request = FastifyRequest & { [kOlder]?: Older }

/** The media types that Fastify itself sets for texts, Buffers and streams. They do not say what is inside. */
const UNSAID = /^(?:|text\/plain|application\/octet-stream)$/
const IS_JSON = /[/+]json$/

/** Returns the state of a request in an older version; null in the version that the handler is written for. */
function olderOf (request: Request, reply: FastifyReply): Older | null {
  const { route = null, version = null } = request[kPassage] ?? {}
  const form = route?.older.byVersion?.get(version)
  if (form === undefined) return null
  return (request[kOlder] ??= {
    form,
    trace: traceOf(request, reply, form.label),
    isAttached: false,
    error: null,
    isConverted: false,
    status: null,
    serializer: null
  })
}

/** Lets a request skip the hooks that convert, if its version needs none of them. */
export function skipIdleHooks (request: FastifyRequest, { older: { byVersion, tags, skipper } }: Route): void {
  if (skipper === null) return
  const version = versionIn(request)
  if (byVersion?.has(version) !== true && tags?.has(version) !== true) skipper.skip(request)
}

/**
 * Gives a route the hooks that convert. Call it when all onRoute hooks have run. The order of a request:
 *
 * 1. onRequest: `skipIdleHooks`, once the version is determined.
 * 2. preValidation, after those of the app: `upgradeRequest`.
 * 3. onError, if something throws, and before those of the app: `noteError`.
 * 4. preSerialization, after those of the app: `downgradePayload`.
 * 5. onSend: `convertPayload`, for what preSerialization has not seen, such as a text.
 */
export function addRouteHooks (options: DeclaredOptions, route: Route, parts: FastifyParts): void {
  const { server } = route
  const formatter = (options.schemaErrorFormatter as Formatter | undefined) ?? parts.formatterOf(server)
  const hasContextSerializer = parts.contextSerializerOf(server) !== null
  const attachesErrors = options.attachValidation === true
  // The HEAD route that Fastify adds has the handler of its GET route, which warns.
  let hasWarned = route.isAdded
  let hasWarnedOfBody = false

  /** Upgrades what is valid in the older version, as the last preValidation hook. Fastify then validates the result. */
  function upgradeRequest (request: Request, reply: FastifyReply, done: HookHandlerDoneFunction) {
    const tags = route.older.tags?.get(versionIn(request))
    if (tags !== undefined) openTags(request, reply, tags)
    const older = olderOf(request, reply)
    if (older === null) return done()
    const { body } = request
    const mayHaveOldNames = older.form.oldNames.size > 0 && typeof body === 'object' && body !== null
    if (mayHaveOldNames && !hasWarnedOfBody) hasWarnedOfBody = warnUnconverted(body, older.form)
    return older.form.request.length === 0 ? done() : upgradeParts(request, older)
  }

  /** Upgrades the parts of a request. @throws FST_ERR_VALIDATION (400), or FST_ERR_VERSION_CHANGE (500) */
  async function upgradeParts (request: Request, older: Older): Promise<void> {
    const { parts, request: names } = older.form
    for (const name of names) {
      const key = name === 'body' ? 'body' : 'query'
      const type = key === 'body' ? request.headers['content-type'] : undefined
      const conversion = mediaIn(parts.get(name), type)?.conversion as Conversion & Upgrade | undefined
      if (conversion === undefined || isUnread(request[key])) continue
      const validated = validate(conversion.compiled, request[key])
      const { error, value } = isThenable(validated) ? await validated : validated
      if (error !== null) noteInvalid(request, older, name, error)
      else if (request[key] !== undefined) {
        try {
          const newest = validatorOf(request, name, bareTypeOf(type))
          const toText = (error: Error | readonly Failure[]) => toError(error, name).message
          const result = upgraded(value, conversion, { newest, trace: older.trace, toText })
          request[key] = isThenable(result) ? await result : result
        } catch (error) {
          if (!(error instanceof SentBeyondSchema)) throw error
          noteInvalid(request, older, name, error.failures)
        }
      }
    }
  }

  function toError (error: readonly Failure[] | Error, name: string): ValidationError {
    return error instanceof Error ? error : formatter(error, name)
  }

  /** Throws FST_ERR_VALIDATION (400), unless the route has `attachValidation`, so that the handler gets the error. */
  function noteInvalid (request: Request, older: Older, name: string, error: readonly Failure[] | Error): void {
    const invalid = toError(error, name)
    invalid.statusCode ??= 400
    invalid.code ??= 'FST_ERR_VALIDATION'
    invalid.validationContext ??= name
    if (invalid !== error) invalid.validation = error
    if (!attachesErrors) throw invalid
    if (!older.isAttached) attach(request, invalid)
    older.isAttached = true
  }

  /** Downgrades the payload of the handler, or of its error handler, as the last preSerialization hook. */
  function downgradePayload (request: Request, reply: FastifyReply, payload: unknown, done: Done): void {
    const older = olderOf(request, reply)
    if (older === null) return done(null, payload)
    const replySerializer = parts.serializerOf(reply)
    const hasOwnSerializer = hasContextSerializer || (replySerializer !== null && replySerializer !== older.serializer)
    // An error may follow a payload of another status, so the serializer of the payload is removed.
    if (replySerializer !== null && !hasOwnSerializer) reply.serializer(null as never)
    const { part, status } = answerOf(older.form, reply.statusCode)
    // Most parts are for any media type, so the header need not be read for them.
    const media = part?.get(null) ?? mediaIn(part, reply.getHeader('content-type'))
    const conversion = media?.conversion
    let value = payload
    if (media === undefined && !hasWarned) hasWarned = warnUndescribed(part, reply, older.form.label)
    setStatus(older, reply, reply.statusCode, status)
    if (conversion !== undefined) {
      try {
        value = conversion.convert(payload, older.trace)
        route.observer?.downgraded(versionIn(request), payload, value)
      } catch (error) {
        return fail(older, reply, error as Error, done)
      }
      if (!hasOwnSerializer) reply.serializer((older.serializer = conversion.compiled) as never)
    }
    older.isConverted = true
    route.older.skipper?.skipOnSend(request)
    done(null, value)
  }

  /** Notes as the first onError hook that the body of an error follows. */
  function noteError (request: Request, reply: FastifyReply, error: Error, done: HookHandlerDoneFunction): void {
    const older = olderOf(request, reply)
    if (older === null) return done()
    // The body of the error has to be converted, even if the hooks for it were skipped.
    route.older.skipper?.restore(request)
    // Fastify keeps a status that has been set, and sends the text of a second error without hooks.
    if (older.status !== null && (older.error === null || reply.statusCode < 400)) reply.code(older.status)
    older.error = error
    older.isConverted = false
    older.status = null
    done()
  }

  for (const hook of [upgradeRequest, downgradePayload, noteError]) skippableHook(hook)
  options.preValidation = [options.preValidation ?? [], upgradeRequest].flat() as never
  options.preSerialization = [options.preSerialization ?? [], downgradePayload].flat() as never
  options.onError = [noteError, options.onError ?? []].flat() as never
}

/** Keeps the error of the older version for hooks and the handler: Fastify validates later, and would replace it. */
function attach (request: Request, invalid: unknown): void {
  let attached = invalid
  Object.defineProperty(request, 'validationError', {
    get: () => attached,
    set: (error: unknown) => { if (Object(error).validationContext === undefined) attached = error },
    configurable: true,
    enumerable: true
  })
}

/**
 * Converts what preSerialization has not seen, as an onSend hook of the instance, so that later hooks may compress the
 * result. It downgrades the text that Fastify's own error handler has made. Other texts and streams of JSON are refused
 * if they need a conversion.
 */
export function convertPayload (request: Request, reply: FastifyReply, payload: unknown, done: Done): void {
  const older = olderOf(request, reply)
  if (older === null || older.isConverted || request.is404) return done()
  const web = Object.prototype.toString.call(payload) === '[object Response]' ? payload as Response : null
  const sent = web?.status ?? reply.statusCode
  const { part, status } = answerOf(older.form, sent)
  setStatus(older, reply, sent, status)
  if ((payload ?? '') === '') return fillPayload(older, reply, part, sent, done)
  older.isConverted = true
  const type = bareTypeOf(web?.headers.get('content-type') ?? reply.getHeader('content-type'))
  const media = IS_JSON.test(type) ? mediaIn(part, type) : undefined
  if (media?.conversion !== undefined && older.error !== null && typeof payload === 'string' && payload[0] === '{') {
    return convertErrorText(older, reply, media.conversion, payload, sent, done)
  }
  const isAsItIs = (media?.moves.length ?? 0) === 0 && isSentAsItIs(part, type)
  if (older.error instanceof VersionError || (isAsItIs && older.status === null)) return done()
  const body = web === null ? payload : web.body
  if (older.status !== null && status === 204) {
    discard(body)
    for (const [name, value] of web?.headers ?? []) if (name !== 'content-type') reply.header(name, value)
    return done(null, '')
  }
  if (isAsItIs) return done(null, web === null ? body : new Response(web.body, { status, headers: web.headers }))
  discard(body)
  reply.removeHeader('etag')
  const { changes, label } = older.form
  const reason = 'a text, a Buffer or a stream of JSON cannot be converted: send an object'
  fail(older, reply, new VersionChangeError(labelsOf(changes), `${label}, response ${sent}`, reason), done)
}

/** Converts the text of Fastify's own error handler. A refusal that cannot be converted is sent as it is. */
function convertErrorText (
  older: Older, reply: FastifyReply, { compiled, convert }: Conversion, payload: string, sent: number, done: Done
): void {
  let text: unknown
  try {
    text = compiled(convert(withStatus(JSON.parse(payload), sent, reply.statusCode), older.trace))
  } catch (error) {
    return older.error instanceof VersionError ? done() : fail(older, reply, error as Error, done)
  }
  // Both headers describe the text before its conversion.
  reply.removeHeader('content-length').removeHeader('etag')
  done(null, text)
}

/** Makes a body for the older version where the version of the handler has none, such as with a 204. */
function fillPayload (older: Older, reply: FastifyReply, part: Part | undefined, sent: number, done: Done): void {
  const isMoved = older.status !== null
  const media = isMoved ? mediaIn(part, 'application/json') : undefined
  older.isConverted = isMoved
  if (isMoved && reply.statusCode === 204) return done()
  if (media?.conversion === undefined || media.moves.length === 0) return done()
  let text: unknown
  try {
    const { compiled, convert } = media.conversion
    text = compiled(convert(null, older.trace))
  } catch (error) {
    // For a 204, functions must do without a body. For another status, they may expect a body, and an empty one stays.
    return sent === 204 ? fail(older, reply, error as Error, done) : done()
  }
  reply.type('application/json; charset=utf-8')
  done(null, text)
}

/** Tells whether a text, a Buffer or a stream of a media type is sent, although schemas of its status have changed. */
function isSentAsItIs (part: Part | undefined, type: string): boolean {
  const listed = part?.get(type) ?? part?.get('*/*')
  if (listed !== undefined) return isOutside(listed)
  return (!UNSAID.test(type) && !STREAMS.test(type)) || part === undefined || [...part.values()].every(isOutside)
}

/** Sets the status of the older version, if it differs. A refusal keeps its own status. */
function setStatus (older: Older, reply: FastifyReply, sent: number, status: number): void {
  if (status === sent || older.error instanceof VersionError) return
  older.status = sent
  older.trace?.ran.add(`status ${status} instead of ${sent}`)
  reply.code(status)
  // Fastify leaves the content type of a 204 whose payload is null, as for a HEAD request.
  if (status === 204) reply.removeHeader('content-type')
}

/** Returns the body of an error with another status, as far as the body has the status as Fastify writes it. */
function withStatus (body: Record<string, unknown>, sent: number, status: number): object {
  if (body.statusCode === sent) body.statusCode = status
  if (body.error === STATUS_CODES[sent]) body.error = STATUS_CODES[status]
  return body
}

/** Ends a response with an error (500). A refusal keeps its status, whatever the response schemas of the route are. */
function fail (older: Older, reply: FastifyReply, failure: Error, done: Done): void {
  const { error } = older
  older.status = null
  if (error instanceof VersionError) Object.assign(failure, { statusCode: error.statusCode })
  else reply.code(500)
  done(failure)
}

/** Warns if a response has a status or a media type without a schema, so that changes cannot convert it. */
function warnUndescribed (part: Part | undefined, reply: FastifyReply, label: string): boolean {
  const { statusCode } = reply
  const isFine = part === undefined ? statusCode < 200 || statusCode > 299 : [...part.values()].every(isOutside)
  if (isFine) return false
  const [what, kind] = part === undefined
    ? ['', 'status']
    : [`${show(bareTypeOf(reply.getHeader('content-type')))} in `, 'media type']
  warn('FST_WARN_VERSION_RESPONSE', `Write a schema for ${what}the response ${statusCode} of ${label}: without a ` +
    `schema for this ${kind}, changes do not convert what the handler answers.`)
  return true
}

/** Warns if a body without a schema has a member whose name only responses of older versions have. */
function warnUnconverted (body: object, { label, oldNames }: Form): boolean {
  for (const name of oldNames) {
    if (!Object.hasOwn(body, name)) continue
    warn('FST_WARN_VERSION_RESPONSE', `Write a schema for the body of ${label}: without a schema, changes do not ` +
      `convert what older clients send, such as ${show(name)}.`)
    return true
  }
  return false
}

/** Returns what a response with a status is in an older version. */
function answerOf ({ parts, renamed, byStatus }: Form, status: number): Answer {
  const cached = byStatus.get(status)
  if (cached !== undefined) return cached
  const names = [status, `${Math.trunc(status / 100)}xx`, 'default'].map((key) => `response ${key}`)
  const name = names.find((name) => parts.has(name)) ?? ''
  const answer = { part: parts.get(name), status: Number(renamed.get(name)?.slice('response '.length) ?? status) }
  byStatus.set(status, answer)
  return answer
}

function mediaIn (part: Part | undefined, contentType: unknown): Media | undefined {
  return part?.get(null) ?? part?.get(bareTypeOf(contentType)) ?? part?.get('*/*')
}

/** Returns a media type without parameters. */
function bareTypeOf (contentType: unknown): string {
  return String(contentType ?? '').split(';', 1)[0].trim().toLowerCase()
}

/** Tells whether a parser has left the body as a stream, or in bytes. */
function isUnread (body: unknown): boolean {
  const { pipe, getReader } = Object(body) as { pipe?: unknown, getReader?: unknown }
  return ArrayBuffer.isView(body) || typeof (pipe ?? getReader) === 'function'
}

/** Closes a stream that nobody is going to read. */
function discard (payload: unknown): void {
  const { destroy, cancel } = Object(payload) as { destroy?: () => void, cancel?: () => unknown }
  if (typeof destroy === 'function') destroy.call(payload)
  else if (typeof cancel === 'function') ignoreRejection(cancel.call(payload))
}

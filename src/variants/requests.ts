import { ByStatus } from '../changes/by-status.ts'
import { upgradeRequest } from '../changes/convert.ts'
import { onlyReferenceOf } from '../changes/documents.ts'
import { plainSchema } from '../changes/read.ts'
import { changeLabel } from '../changes/steps.ts'
import { VersionChangeError } from '../errors.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { labelOf } from '../routes.ts'
import { lowerCased } from './lower-case.ts'
import { addHook, setLateCompiler } from './route-options.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Upgraded } from '../changes/convert.ts'
import type { Convert, RouteSchema, Variant } from '../changes/variant.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Compile } from './route-options.ts'

/** The parts of a request, in the order in which Fastify validates them. */
const PARTS = ['params', 'body', 'querystring', 'headers'] as const
type Part = typeof PARTS[number]

type Validate = ((data: unknown, context?: object) => unknown) & {
  errors?: readonly Failure[] | null | undefined
  readonly schemaEnv?: object
}
interface Failure {
  readonly instancePath?: string
  readonly message?: string
}
/** By a reference, the first schema that consists of it. */
export type References = Map<string, unknown>
/** A valid part, as validated, or what is wrong with it. */
type Outcome = { readonly value: unknown } | { readonly error: unknown }

const UNDECIDED = [{ instancePath: '', message: 'has a value that is none of the alternatives of its schema' }]

/** What the parts are called in a request. */
const KEYS = { params: 'params', body: 'body', querystring: 'query', headers: 'headers' } as const
type Key = typeof KEYS[Part]

/** The request that Fastify is validating, which it does not pass to validators. */
let validating: FastifyRequest | null = null

/**
 * Upgrades the requests to a route of older versions as soon as they are valid, and has the result validated by the
 * newest schema. Validators do it, because nothing else comes before the preHandler hooks of the app.
 *
 * @param newest the schema of the route that the handler was written for
 * @param references the references of the app so far; more are added
 */
export function upgradeRequests (
  route: Route, variant: Variant, newest: RouteSchema | undefined, references: References
): void {
  const options = route.options as DeclaredOptions
  const { upgrade } = variant
  const upgraded = PARTS.filter((part) => upgrade[part] !== null)
  if (upgraded.length === 0) return
  const last = upgraded.at(-1) as Part
  const toError = errorsOf(route, variant.changes)
  // Fastify's own is prepared when the app is ready, so a compiler that is there now is the app's.
  const isCustomContext = route.server.validatorCompiler !== undefined

  function upgrading (compilerOf: () => Compile<Validate>, isOwn: boolean): Compile<Validate> {
    const isCustom = isOwn || isCustomContext
    return (definition) => {
      const compile = compilerOf()
      const part = definition.httpPart as Part
      const compilePart = (schema: unknown): Validate => (
        compile({ ...definition, schema: isCustom ? schema : toCompile(schema, part, references) })
      )
      const older = compilePart(definition.schema)
      if (!upgraded.includes(part)) {
        return PARTS.indexOf(part) < PARTS.indexOf(last) ? synchronous(older, part, toError) : older
      }
      const newer = schemasIn(newest, part, definition.contentType).map(({ mediaType, schema }) => (
        { status: 0, mediaType, value: compilePart(schema) }
      ))
      const newestOf = new ByStatus(newer)
      const one: PartUpgrade = { part, isLast: part === last, upgrades: upgrade, older, newestOf, toError }
      return upgradingValidator(one)
    }
  }

  setLateCompiler(route, 'validatorCompiler', upgrading)
  addHook(options, 'preValidation', 'last', awaitValidation)
  if (upgraded.includes('headers')) addHook(options, 'preValidation', 'last', ownHeaders)
  if (options.attachValidation || (last === 'body' && hasListedTypes(variant.schema))) {
    addHook(options, 'preHandler', 'first', endValidation)
  }
}

/** A schema as Fastify's own compiler should have it. */
function toCompile (schema: unknown, part: Part, references: References): unknown {
  if (part === 'headers') {
    // Fastify does it before it calls its own compiler.
    return Object.getPrototypeOf(Object(schema)) === Object.prototype ? lowerCased(schema) : schema
  }
  // Ajv compiles each object once, and many routes refer to the same schema.
  const reference = onlyReferenceOf(schema)
  if (reference === null) return schema
  if (!references.has(reference)) references.set(reference, schema)
  return references.get(reference)
}

/** Fastify does not validate a body whose media type is not listed. */
function hasListedTypes ({ body }: RouteSchema): boolean {
  return Object(body).content !== undefined
}

/** preValidation, after all others. */
function awaitValidation (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  validating = request
  done()
}

/** preHandler: with `attachValidation` the handler looks at errors itself, but a failed change is not the client's. */
function endValidation (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  if (validating === request) validating = null
  const error: unknown = request.validationError
  done(error instanceof VersionChangeError ? error : undefined)
}

/** The request whose part is validated, or null if the app validates a value, as by `request.validateInput()`. */
function requestOf (key: Key, data: unknown): FastifyRequest | null {
  return validating !== null && (validating[key] ?? null) === data ? validating : null
}

/**
 * preValidation: Fastify merges what is set as `request.headers` with Node's headers, but the handler must get only
 * what the upgrade returns.
 */
function ownHeaders (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { headers: value } = request
  Object.defineProperty(request, 'headers', { value, configurable: true, enumerable: true, writable: true })
  done()
}

/** How a part of the requests to a route is upgraded. */
interface PartUpgrade {
  readonly part: Part
  /** Whether no other part is upgraded after it. */
  readonly isLast: boolean
  readonly upgrades: Variant['upgrade']
  readonly older: Validate
  /** The validators of the newest version, by media type: none if no schema says what the part is. */
  readonly newestOf: ByStatus<Validate>
  readonly toError: ToError
}

/** A validator that also upgrades what is valid. Values from the app itself are already as the handler expects them. */
function upgradingValidator (one: PartUpgrade): Validate {
  const { part, isLast, upgrades, newestOf } = one
  const key = KEYS[part]
  const validateAndUpgrade: Validate = (data, context) => {
    const request = requestOf(key, data)
    if (request === null) {
      const newest = newestOf.forRequest(undefined)
      const result = newest === null || newest(data, context)
      validateAndUpgrade.errors = newest?.errors ?? null
      return result
    }
    // It stays null if the part is not valid, because Fastify then validates no other part.
    validating = null
    const outcome = part === 'body' ? upgradeBody(one, data, request) : upgradeIfValid(one, data, upgrades[part])
    if ('error' in outcome) return outcome
    if (!isLast) validating = request
    return outcome
  }
  return validateAndUpgrade
}

function upgradeBody (one: PartUpgrade, data: unknown, request: FastifyRequest): Outcome {
  const { body, headers: { 'content-type': contentType } } = request
  const upgrade = isUnread(body) ? null : one.upgrades.body?.forRequest(contentType) ?? null
  if (body !== undefined || upgrade === null) return upgradeIfValid(one, data, upgrade, contentType)
  // To schemas an absent body is null. It is not upgraded, but the handler may need a body.
  const outcome = upgradeIfValid(one, data, asItIs, contentType)
  return 'value' in outcome && outcome.value === null ? { value: undefined } : outcome
}

function upgradeIfValid (one: PartUpgrade, data: unknown, upgrade: Convert | null, contentType?: string): Outcome {
  const { part, older, newestOf, toError } = one
  const valid = run(older, data, part, toError)
  if ('error' in valid || upgrade === null) return valid
  let upgraded: Upgraded
  try {
    upgraded = upgradeRequest(upgrade, valid.value)
  } catch (error) {
    return { error }
  }
  const { value, isDecided } = upgraded
  if (value === undefined) return { error: UNDECIDED }
  const newest = newestOf.forRequest(contentType)
  if (newest === null) return { value }
  const outcome = run(newest, value, part, toError)
  return 'error' in outcome && isDecided ? refusedByNewest(one, outcome.error) : outcome
}

/** The app is to blame, not the client. */
function refusedByNewest ({ part, toError }: PartUpgrade, error: unknown): Outcome {
  if (error instanceof VersionChangeError) return { error }
  const [first] = [error].flat() as [Failure | undefined]
  const { instancePath = '', message = 'it is not valid' } = Object(first) as Failure
  return { error: toError(part, instancePath, `the newest schema refuses the result: ${message}`, error) }
}

/**
 * A validator of a part that does not change, before one that does: between asynchronous validators another request
 * would be validated.
 */
function synchronous (validate: Validate, part: Part, toError: ToError): Validate {
  const key = KEYS[part]
  const validateNow: Validate = (data, context) => {
    const request = requestOf(key, data)
    if (request !== null) validating = null
    const result = validate(data, context)
    validateNow.errors = validate.errors ?? null
    if (request === null || result === false) return result
    if (isThenable(result)) return refusePromise(result, part, toError)
    if (result === true || !Object(result).error) validating = request
    return result
  }
  // Fastify passes the outermost object only to validators that have `schemaEnv`.
  return Object.assign(validateNow, validate)
}

/** The error of a request to a route, other than a failure of its changes. */
type ToError = (part: Part, path: string, reason: string, cause?: unknown) => Error

function errorsOf (route: Route, changes: Variant['changes']): ToError {
  return (part, path, reason, cause) => {
    const change = changes.map(changeLabel).join(', ')
    return new VersionChangeError({ change, subject: labelOf(route), part, path }, reason, cause)
  }
}

function run (validate: Validate, data: unknown, part: Part, toError: ToError): Outcome {
  const isRoot = validate.schemaEnv !== undefined && (typeof data !== 'object' || data === null)
  const holder = { value: data }
  // Ajv changes the type of an outermost value only if it knows the object that has it.
  const result = isRoot ? validate(data, { parentData: holder, parentDataProperty: 'value' }) : validate(data)
  if (result === false) return { error: validate.errors }
  if (typeof result !== 'object' || result === null) return holder
  if (isThenable(result)) return refusePromise(result, part, toError)
  const { error, value } = result as { error?: unknown, value?: unknown }
  if (error) return { error }
  return 'value' in result ? { value } : holder
}

/** The error of a validator that returns a promise: another request may be validated before it is settled. */
function refusePromise (promise: PromiseLike<unknown>, part: Part, toError: ToError): Outcome {
  ignoreRejection(promise)
  return { error: toError(part, '', 'the validator is asynchronous') }
}

/**
 * The schema of a part, or the schemas of a body by media type.
 *
 * @param contentType the only media type, if the older schema is for one
 */
function schemasIn (
  schema: RouteSchema | undefined, part: Part, contentType: string | undefined
): { readonly mediaType: string | null, readonly schema: unknown }[] {
  const given = part === 'querystring' ? schema?.querystring ?? schema?.query : schema?.[part]
  const { content } = Object(given) as { content?: Record<string, { schema?: unknown }> }
  const all = content === undefined
    ? [{ mediaType: null, schema: plainSchema(given) }]
    : Object.entries(content).map(([mediaType, one]) => ({ mediaType, schema: plainSchema(one.schema) }))
  return all.filter((one) => (
    one.schema !== undefined && (contentType === undefined || one.mediaType === null || one.mediaType === contentType)
  ))
}

function asItIs (value: unknown): unknown {
  return value
}

/** Whether a parser left the body as a stream, or in bytes. */
function isUnread (body: unknown): boolean {
  if (ArrayBuffer.isView(body)) return true
  const { pipe, getReader } = Object(body) as { pipe?: unknown, getReader?: unknown }
  return typeof pipe === 'function' || typeof getReader === 'function'
}

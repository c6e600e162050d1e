import { createError } from '@fastify/error'

import { show, suggestionFor } from './messages.ts'
import { ignoreRejection } from './promises.ts'

import type { AllowedVersions, RefusalKind, RefusalReason, VersionErrorCode } from '../types/index.d.ts'

// Refusals

/** @internal */
export const KINDS = {
  notFound: { code: 'FST_ERR_VERSION_NOT_FOUND', statusCode: 404, reason: null },
  notAcceptable: { code: 'FST_ERR_VERSION_NOT_ACCEPTABLE', statusCode: 406, reason: null },
  notSupported: { code: 'FST_ERR_VERSION_NOT_SUPPORTED', statusCode: 400, reason: null },
  unsupportedMediaType: { code: 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE', statusCode: 415, reason: null },
  ambiguous: { code: 'FST_ERR_VERSION_AMBIGUOUS', statusCode: 400, reason: 'ambiguous' },
  gone: { code: 'FST_ERR_VERSION_GONE', statusCode: 410, reason: 'gone' }
} as const satisfies Record<RefusalKind, object>

/** @internal The member of a refusal that says which text of the plugin its message is; unset for an author's text. */
export const TEXT: unique symbol = Symbol('fastify-versioning.text')
/**
 * @internal The text of a refusal: the message of the scheme for a version that is not allowed, or a message that names
 * the places of different versions.
 */
export type RefusalText = 'invalid' | 'ambiguous'

/**
 * The request is refused because of its version. The error has no stack: a refusal is the client's mistake, and must
 * not cost more than an answer.
 *
 * Its kind decides the code and the status: 404 and 406 (SPEC.md, Errors), 400, 415 (RFC 9110, section 15.5.16) or 410
 * (RFC 8594).
 */
export class VersionError extends createError<[string]>('FST_ERR_VERSION', '%s', 500, Error, false) {
  readonly kind: RefusalKind
  declare readonly code: VersionErrorCode
  declare readonly statusCode: number
  /** The versions that the URL answers now, in release order; null if every version is allowed. */
  allowedVersions: AllowedVersions | null
  /** Null until the error is thrown, if a scheme makes the error. */
  reason: RefusalReason | null
  /** @internal */
  declare [TEXT]?: RefusalText | undefined

  /** @throws TypeError for another kind */
  constructor (
    kind: RefusalKind, message = kind === 'gone' ? 'This version was retired.' : 'Invalid version.',
    allowedVersions: AllowedVersions | null = null, reason: RefusalReason | null = null
  ) {
    super(message)
    if (!Object.hasOwn(KINDS, kind)) {
      throw new TypeError(`Invalid kind of VersionError: expected ${Object.keys(KINDS).join(', ')}, got ${show(kind)}.`)
    }
    const { code, statusCode, reason: ofKind } = KINDS[kind]
    this.kind = kind
    this.code = code
    this.statusCode = statusCode
    this.allowedVersions = allowedVersions
    this.reason = reason ?? ofKind
    // Fastify sends these headers where an error handler of the app throws the error.
    Object.assign(this, { headers: { 'cache-control': 'no-store' } })
  }
}

/**
 * @internal Returns a copy that can be completed for one request: an author may keep the original, and throw it for
 * each request.
 */
export function copyOfRefusal (refusal: VersionError): VersionError {
  const copy = Object.assign(new VersionError(refusal.kind, refusal.message), refusal)
  return Object.setPrototypeOf(copy, refusal)
}

const refusals = new WeakSet<object>()

/** @internal Notes that a scheme of the app refuses a request by an error that is no VersionError. */
export function noteRefusal (error: object): void {
  refusals.add(error)
}

/** @internal Tells whether an error is a refusal. Fastify gives serializers an object with the error as prototype. */
export function isRefusal (error: unknown): error is Error {
  const isNoted = (thrown: unknown) => refusals.has(thrown as object)
  return error instanceof VersionError || isNoted(error) || isNoted(Object.getPrototypeOf(Object(error)))
}

// Links

/**
 * @internal No URL can be made of the name and the parameters given to `reverse`. The status is 400 where a value of
 * the client does not fit.
 */
export const NoReverseMatchError = createError<[message: string]>('FST_ERR_NO_REVERSE_MATCH', '%s', 500)

/** @internal A link option is not known, is not valid, or cannot be fulfilled. */
export const ReverseOptionError = createError<[message: string]>('FST_ERR_REVERSE_OPTION', '%s', 500)

/** @internal Returns the error of a link option with a wrong value; `expected` is a noun phrase. */
export function invalidLinkOption (option: string, expected: string, value: unknown): Error {
  return new ReverseOptionError(`Invalid link option "${option}": expected ${expected}, got ${show(value)}.`)
}

/**
 * @internal A link needs the host of the request, of which no link can be made (RFC 9110, section 7.2). The status is
 * 400, because the client controls the host.
 */
export const ReverseHostError = createError<[expected: string, host: string]>(
  'FST_ERR_REVERSE_HOST', 'The link needs %s, got %s.', 400
)

// The code of an app, at run time

/** @internal A scheme has neither `readVersion` nor `determineVersion` (SPEC.md, Base contract 2). */
export const VersionNotImplementedError = createError<[label: string]>(
  'FST_ERR_VERSION_NOT_IMPLEMENTED', '%s.determine_version() must be implemented.', 501
)

/**
 * @internal A custom scheme determined something that is not a version, or a function among the options returned a
 * wrong value. The log has the value; the client does not get it.
 */
export class VersionInvalidError extends createError<[message: string]>('FST_ERR_VERSION_INVALID', '%s', 500) {
  /** The returned value, as the log shows it. The property is not enumerable, so that responses do not have it. */
  declare readonly shownValue: string

  /** @param value the wrong value. Nobody awaits a promise, whose rejection must not end the process */
  constructor (message: string, value: unknown, options?: ErrorOptions) {
    super(message)
    ignoreRejection(value)
    Object.assign(Object.defineProperty(this, 'shownValue', { value: show(value) }), options)
  }
}

/**
 * @internal `request.isVersion` is called with something that is not a version of the app, nor a list or a range of
 * versions.
 */
export const VersionRangeError = createError<[message: string]>('FST_ERR_VERSION_RANGE', '%s', 500)

/**
 * @internal A change between versions failed. The client does not learn why. The `cause`, which is logged, says
 * where and why.
 */
export class VersionChangeError extends createError<[]>(
  'FST_ERR_VERSION_CHANGE', 'A change between versions failed.', 500
) {
  /**
   * @param change as messages show it
   * @param subject the route and its part, or the schema
   * @param reason a clause: `the function "upgrade" threw`
   */
  constructor (change: string, subject: string, reason: string, cause?: unknown) {
    super()
    const text = `Change ${change}, ${subject}: ${reason}.`.replace(/\?\.$/, '?')
    const value = new Error(text, { cause })
    Object.defineProperty(this, 'cause', { value, configurable: true, writable: true })
  }
}

/** @internal `app.event` gets an unknown event or version, or a value that cannot be written. */
export const VersionEventError = createError<[message: string, options?: ErrorOptions]>(
  'FST_ERR_VERSION_EVENT', '%s', 500
)

/**
 * @internal There is no document of a version, or not yet, or it cannot be made. The `cause` is what
 * @fastify/swagger throws.
 */
export const DocumentError = createError<[message: string, options?: ErrorOptions]>(
  'FST_ERR_VERSION_DOCUMENT', '%s', 500
)

// At boot

const DOCS = 'https://github.com/fastify-versioning/fastify-versioning/blob/main/docs'
const LAST_WORDS = / See https:\S+$/

/** The headings that explain an option in a section of its own. */
const HEADINGS: Readonly<Record<string, string>> = {
  version: 'handlers.md',
  constraints: 'handlers.md#rules',
  lifecycle: 'retiring.md#dates',
  deprecated: 'retiring.md#dates',
  scheme: 'schemes.md',
  mediaTypes: 'schemes.md#vendor-media-types',
  resolveVersion: 'which-version.md#aliases-and-dates',
  baseUrl: 'links.md#behind-a-gateway',
  events: 'events.md',
  versioning: 'schemes.md#another-scheme-for-a-part-of-an-app',
  namespace: 'schemes.md#namespaceversioning',
  from: 'changelog.md#functions',
  to: 'changelog.md#functions',
  endpoints: 'changelog.md#functions',
  defaultVersion: 'which-version.md',
  writtenFor: 'changes.md#which-version-a-handler-is-written-for',
  client: 'options.md#usage',
  store: 'options.md#usage',
  days: 'options.md#usage',
  onRequest: 'options.md#usage',
  document: 'options.md#documents',
  versions: 'options.md#documents',
  ui: 'options.md#documents',
  openapi: 'options.md#documents'
}

/**
 * @internal An option of the plugin, of a scheme, of a route or of a context is not valid, or contradicts another
 * one, or comes in the wrong order. Thrown at boot.
 */
export class VersioningOptionError extends createError<[message: string, page: string]>(
  'FST_ERR_VERSIONING_OPTION', `%s See ${DOCS}/%s`, 500
) {
  /** @param page the page of docs/ that explains the error, with its heading */
  constructor (message: string, page = 'errors.md#conflicts-at-boot') {
    super(message, page)
  }
}

function headingOf (option: string): string {
  const [name] = option.split(/[.(]/, 1)
  return Object.hasOwn(HEADINGS, name) ? HEADINGS[name] : 'options.md'
}

/** @internal Returns the error of an option with a wrong value; `expected` is a noun phrase, with an example. */
export function invalidOption (
  option: string, expected: string, value: unknown, page = headingOf(option)
): VersioningOptionError {
  return new VersioningOptionError(`Invalid "${option}": expected ${expected}, got ${show(value)}.`, page)
}

/**
 * @internal Refuses the value of an option, if another value may stand there.
 *
 * @param expected a noun phrase, with an example
 * @throws FST_ERR_VERSIONING_OPTION unless the value is right
 */
export function must (
  isRight: boolean, option: string, expected: string, value: unknown, page?: string
): asserts isRight {
  if (isRight) return
  ignoreRejection(value)
  throw invalidOption(option, expected, value, page)
}

/**
 * @internal Refuses a value that is not among some names, and says which name was probably meant.
 *
 * @param expected a noun phrase
 * @throws FST_ERR_VERSIONING_OPTION unless the value is one of the names
 */
export function mustBeIn (
  names: readonly unknown[], option: string, expected: string, value: unknown, page?: string
): void {
  if (names.includes(value)) return
  const texts = names.filter((name) => typeof name === 'string')
  throw addSentence(invalidOption(option, expected, value, page), suggestionFor(String(value), texts))
}

/**
 * @internal Refuses an option where it stands, or beside another option.
 *
 * @param advice what to do, and then why
 * @throws FST_ERR_VERSIONING_OPTION
 */
export function forbid (option: string, advice: string): never {
  throw new VersioningOptionError(advice, headingOf(option))
}

/**
 * @internal A change between versions is not valid, or does not fit the routes and schemas of the app. Thrown at
 * boot.
 */
export const VersionChangeOptionError = createError<[message: string]>(
  'FST_ERR_VERSION_CHANGE_OPTION', `%s See ${DOCS}/errors.md#fst_err_version_change_option`, 500
)

/** @internal Tells whether an error is one of our errors at boot. */
export function isOfBoot (error: unknown): error is Error {
  return /^FST_ERR_VERSION(?:ING|_CHANGE)_OPTION$/.test(Object(error).code)
}

/**
 * @internal Adds a sentence to the message of an error at boot, in front of the page that it refers to, and to its
 * stack.
 *
 * @param sentence with a space in front, or `''` to add nothing
 */
export function addSentence (error: Error, sentence: string): Error {
  const { message } = error
  error.message = message.replace(LAST_WORDS, (page) => sentence + page)
  error.stack = String(error.stack).replace(message, () => error.message)
  return error
}

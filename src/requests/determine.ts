import { contextOf } from '../context.ts'
import { VersionInvalidError, VersionNotFoundError, nameOf, show } from '../errors.ts'
import { answeredOf } from '../lifecycle/served.ts'
import { isPreflight } from '../http/preflight.ts'
import { readingOf, readingsOf } from '../routing/reading.ts'
import { choiceOf, routeSchemeOf } from '../boot/route-config.ts'
import { addVary, mergeVary } from '../http/vary.ts'
import { admit, refuse } from './outcome.ts'
import { isResponse, withHeader } from '../http/web-response.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** onRequest: asks the scheme of the route for the version. Calls `done`, or returns a promise if the scheme does. */
export function judgeRequest (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, hangs its hook in here as well: whoever is first judges.
  if (request.is404 || request.versioningScheme !== null) return done()
  const context = contextOf(request.server) as VersioningContext
  const scheme = schemeOf(request, context)
  if (isPreflight(request)) return done()
  vary(request, reply, scheme, context)
  if (scheme === null) return done()
  request.versioningScheme = scheme
  try {
    const version = ask(scheme, request)
    if (isThenable(version)) return settle(request, reply, version, context)
    setVersion(request, reply, version, context)
  } catch (error) {
    throw refuse(request, reply, error, context)
  }
  admit(request, reply, context)
  done()
}

/** Whichever route it came to, the answer depends on what other schemes read to choose it as well. */
function vary (
  { raw }: FastifyRequest, reply: FastifyReply, scheme: VersioningScheme | null, { uses }: VersioningContext
): void {
  let reading = uses.routeVersions ? readingsOf(raw) : undefined
  for (; reading !== undefined; reading = reading.next) {
    const { scheme: { vary: names } } = reading
    if (reading.scheme !== scheme && typeof names === 'string') addVary(reply, names)
  }
  if (typeof scheme?.vary === 'string') addVary(reply, scheme.vary)
}

/** onSend of the routes whose answer depends on a header: whatever has been done to Vary since, the header is in it. */
export function completeVary (
  request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  if (isPreflight(request)) return done()
  varyAgain(request, reply)
  // Fastify copies the headers of a web response over those of the reply, once all hooks have run.
  const own = isResponse(payload) ? payload.headers.get('vary') : null
  const names = reply.getHeader('vary')
  // Not every URL of a route has to be one where versions choose.
  if (own === null || names === undefined) return done()
  done(null, withHeader(payload as Response, 'vary', mergeVary(own, String(names))))
}

/** onError of the same routes: where an onSend hook fails there is no other that could complete the header. */
export function completeVaryOnError (
  request: FastifyRequest, reply: FastifyReply, _error: Error, done: () => void
): void {
  if (!isPreflight(request)) varyAgain(request, reply)
  done()
}

function varyAgain (request: FastifyRequest, reply: FastifyReply): void {
  const context = contextOf(request.server) as VersioningContext
  // A hook before ours may have answered, so that nobody has judged the request.
  vary(request, reply, request.versioningScheme ?? schemeOf(request, context), context)
}

function schemeOf (request: FastifyRequest, { scheme, uses }: VersioningContext): VersioningScheme | null {
  const own = uses.routeSchemes ? routeSchemeOf(request) : undefined
  return own === undefined ? scheme : own
}

function ask (scheme: VersioningScheme, request: FastifyRequest): unknown {
  try {
    return scheme.determineVersion(request)
  } catch (error) {
    // Fastify takes an error that is nothing for no error, and would go on without the hooks that follow.
    throw error ?? new VersionInvalidError(nameOf(scheme), `a thrown ${show(error)}`)
  }
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function settle (
  request: FastifyRequest, reply: FastifyReply, version: PromiseLike<unknown>, context: VersioningContext
): Promise<void> {
  try {
    setVersion(request, reply, await version, context)
  } catch (error) {
    throw refuse(request, reply, error, context)
  }
  admit(request, reply, context)
}

function setVersion (
  request: FastifyRequest, reply: FastifyReply, version: unknown, context: VersioningContext
): void {
  if (version !== null && typeof version !== 'string') {
    throw new VersionInvalidError(nameOf(request.versioningScheme), show(version))
  }
  if (context.uses.routeVersions) checkServed(request, version, context)
  request.version = version
  if (context.logVersion) {
    request.log = reply.log = request.log.child({ version })
  }
}

/**
 * Refuses a version that the router did not choose the route by, as with a host that a proxy forwards, and one that the
 * URL does not serve.
 */
function checkServed (request: FastifyRequest, version: string | null, context: VersioningContext): void {
  const scheme = request.versioningScheme as VersioningScheme
  const reading = readingOf(request.raw, scheme)
  if (reading === undefined) return
  if (reading.version !== version) throw refusalOf(scheme)
  if (!reading.isRefused) return
  const choice = choiceOf(request)
  if (choice === undefined || (version !== null && choice.claim.versions.includes(version))) return
  const answered = answeredOf(reading.store.servedBeside(choice), context)
  throw refusalOf(scheme, `This URL is served in ${answered.map((one) => one.version).join(', ')}.`)
}

function refusalOf (scheme: VersioningScheme, message: string = scheme.invalidVersionMessage): Error {
  return scheme.refusal?.(message) ?? new VersionNotFoundError(message, scheme.allowedVersions)
}

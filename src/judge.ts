import { contextOf, hasRouteSchemes } from './context.ts'
import { VersionInvalidError, VersionNotFoundError, show } from './errors.ts'
import { isPreflight } from './preflight.ts'
import { routeSchemeOf, routeVersionsOf } from './route-config.ts'
import { addVary } from './vary.ts'
import { readingOf } from './version-constraint.ts'
import { versionsOf } from './versioned-routes.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { VersioningScheme } from '../types/index.d.ts'

/** onRequest: asks the scheme of the route for the version. */
export function judgeRequest (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, hangs its hook in here as well: whoever is first judges.
  if (request.is404 || request.versioningScheme !== null) return done()
  const scheme = schemeOf(request)
  if (scheme === null || isPreflight(request)) return done()
  request.versioningScheme = scheme
  if (typeof scheme.vary === 'string') addVary(reply, scheme.vary)
  const version = ask(scheme, request)
  if (isThenable(version)) return settle(request, reply, version)
  setVersion(request, reply, version)
  done()
}

/** onSend of the routes whose scheme depends on a header: whatever has been done to Vary since, the header is in it. */
export function completeVary (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  const vary = schemeOf(request)?.vary
  if (typeof vary === 'string' && !isPreflight(request)) addVary(reply, vary)
  done()
}

function schemeOf (request: FastifyRequest): VersioningScheme | null {
  const { server } = request
  if (hasRouteSchemes(server)) {
    const scheme = routeSchemeOf(request)
    if (scheme !== undefined) return scheme
  }
  return (contextOf(server) as VersioningContext).scheme
}

function ask (scheme: VersioningScheme, request: FastifyRequest): unknown {
  try {
    return scheme.determineVersion(request)
  } catch (error) {
    // Fastify takes an error that is nothing for no error, and would go on without the hooks that follow.
    throw error ?? new VersionInvalidError(scheme.constructor.name, `a thrown ${show(error)}`)
  }
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function settle (request: FastifyRequest, reply: FastifyReply, version: PromiseLike<unknown>): Promise<void> {
  setVersion(request, reply, await version)
}

function setVersion (request: FastifyRequest, reply: FastifyReply, version: unknown): void {
  if (version !== null && typeof version !== 'string') {
    throw new VersionInvalidError((request.versioningScheme as VersioningScheme).constructor.name, show(version))
  }
  checkServed(request, version)
  request.version = version
  if ((contextOf(request.server) as VersioningContext).logVersion) {
    request.log = reply.log = request.log.child({ version })
  }
}

/**
 * Refuses a version that the router did not choose the route by, as with a host that a proxy forwards, and one that the
 * URL does not serve.
 */
function checkServed (request: FastifyRequest, version: string | null): void {
  const scheme = request.versioningScheme as VersioningScheme
  const reading = readingOf(request.raw, scheme)
  if (reading === undefined) return
  if (reading.version !== version) throw refusalOf(scheme)
  const served = reading.isSure ? undefined : routeVersionsOf(request)
  if (served === undefined || (version !== null && served.versions.includes(version))) return
  throw refusalOf(scheme, `This URL is served in ${versionsOf(served.site, request.method, scheme).join(', ')}.`)
}

function refusalOf (scheme: VersioningScheme, message: string = scheme.invalidVersionMessage): Error {
  return scheme.refusal?.(message) ?? new VersionNotFoundError(message, scheme.allowedVersions)
}

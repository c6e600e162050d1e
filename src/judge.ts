import { contextOf, hasRouteSchemes } from './context.ts'
import { VersionInvalidError, show } from './errors.ts'
import { routeSchemeOf } from './route-config.ts'
import { addVary } from './vary.ts'

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

/** The question of a browser whether it may ask (Fetch, section 4.8); it cannot name a version. */
function isPreflight ({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
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
  request.version = version
  if ((contextOf(request.server) as VersioningContext).logVersion) {
    request.log = reply.log = request.log.child({ version })
  }
}

import { contextOf } from '../context.ts'
import { isPreflight } from '../http/preflight.ts'
import { invalid } from '../routing/reading.ts'
import { addVary } from './complete.ts'
import { accept, refuse } from './outcome.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** onRequest: asks the scheme of the route for the version. Calls `done`, or returns a promise if the scheme does. */
export function determineVersion (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, hangs its hook in here as well: the first one determines the version.
  if (request.is404 || request.versioningScheme !== null || isPreflight(request)) return done()
  const context = contextOf(request.server) as VersioningContext
  const { routes, uses } = context
  const route = uses.ownOptions || uses.choice ? routes.of(request) : undefined
  const scheme = route?.ownScheme === undefined ? context.scheme : route.ownScheme
  addVary(request, reply, scheme, route)
  if (scheme === null) return done()
  request.versioningScheme = scheme
  try {
    const version: unknown = ask(scheme, request)
    if (isThenable(version)) return settle(request, reply, version, context, route)
    accept(request, reply, version, context, route)
  } catch (error) {
    throw refuse(request, reply, error, context, route)
  }
  done()
}

function ask (scheme: VersioningScheme, request: FastifyRequest): unknown {
  try {
    return scheme.determineVersion(request)
  } catch (error) {
    // Fastify takes an error that is nothing for no error, and would go on without the hooks that follow.
    if (error === undefined || error === null || isThenable(error)) throw invalid(scheme, error)
    throw error
  }
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function settle (
  request: FastifyRequest, reply: FastifyReply, version: PromiseLike<unknown>, context: VersioningContext,
  route: Route | undefined
): Promise<void> {
  try {
    accept(request, reply, await version, context, route)
  } catch (error) {
    throw refuse(request, reply, error, context, route)
  }
}

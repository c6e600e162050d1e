import { contextOf } from '../context.ts'
import { isPreflight } from '../http/preflight.ts'
import { invalid, toVersion } from '../routing/reading.ts'
import { isDetermined } from '../schemes/base.ts'
import { accept, refuse } from './outcome.ts'
import { addVary } from './vary.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { BaseVersioning } from '../schemes/base.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

type ReadingScheme = Required<Pick<BaseVersioning, 'readVersion'>>

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
  let read: unknown
  try {
    let version: unknown
    if (isReadAlone(scheme)) {
      read = scheme.readVersion(request)
      version = scheme.permit(toVersion(scheme, read))
    } else {
      version = scheme.determineVersion(request)
    }
    if (isThenable(version)) return settle(request, reply, version, context, route)
    accept(request, reply, version, read, context, route)
  } catch (error) {
    throw refuse(request, reply, toError(error, scheme), read, context, route)
  }
  done()
}

/** Whether a scheme determines the version as BaseVersioning does, so that it is read once for all purposes. */
function isReadAlone (scheme: VersioningScheme): scheme is BaseVersioning & ReadingScheme {
  return isDetermined(scheme) && scheme.readVersion !== undefined
}

/** Fastify takes an error that is nothing for no error, and would go on without the hooks that follow. */
function toError (error: unknown, scheme: VersioningScheme): unknown {
  return error === undefined || error === null || isThenable(error) ? invalid(scheme, error) : error
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function settle (
  request: FastifyRequest, reply: FastifyReply, version: PromiseLike<unknown>, context: VersioningContext,
  route: Route | undefined
): Promise<void> {
  try {
    accept(request, reply, await version, undefined, context, route)
  } catch (error) {
    throw refuse(request, reply, error, undefined, context, route)
  }
}

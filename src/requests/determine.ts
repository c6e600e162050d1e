import { contextOf } from '../context.ts'
import { isPreflight } from '../http/preflight.ts'
import { invalid, isAmbiguous, namedBy } from '../scheme.ts'
import { ambiguityFor, refusalFor } from './asking.ts'
import { accept, refuse } from './outcome.ts'
import { addVary } from './vary.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Named, Scheme } from '../scheme.ts'
import type { Asking } from './asking.ts'

const NONE: readonly Named[] = Object.freeze([])

/** onRequest: asks the scheme of the route for the version. Calls `done`, or returns a promise if the scheme does. */
export function determineVersion (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, hangs its hook in here as well: the first one determines the version.
  if (request.is404 || request.versioningScheme !== null || isPreflight(request)) return done()
  const context = contextOf(request.server)
  const { routes, uses } = context
  const route = uses.ownOptions || uses.choice ? routes.of(request) : undefined
  const scheme = route?.ownScheme === undefined ? context.scheme : route.ownScheme
  addVary(request, reply, scheme, route)
  if (scheme === null) return done()
  request.versioningScheme = scheme.source
  const asking: Asking = { request, reply, context, route, scheme, by: scheme, read: undefined }
  try {
    const version = versionFor(asking)
    if (isThenable(version)) return settle(asking, version)
    accept(asking, version)
  } catch (error) {
    throw refuse(asking, toError(error, scheme))
  }
  done()
}

/** What the scheme determines. The version is read once: `asking` keeps it for all other purposes. */
function versionFor (asking: Asking): unknown {
  const { request, scheme } = asking
  if (!scheme.isList && !scheme.isReadAlone) return scheme.source.determineVersion(request)
  asking.read = null
  let named = NONE
  let version: string | null
  if (scheme.isList) {
    named = scheme.readList(request)
    if (named.length > 0) asking.by = named[0].scheme
    version = named.length > 0 ? named[0].version : null
    if (!isAmbiguous(named)) asking.read = version
  } else {
    const read: unknown = scheme.source.readVersion?.(request) ?? null
    asking.read = read
    if (read !== null && typeof read !== 'string') named = namedBy(scheme, read)
    version = typeof read === 'string' ? read : named[0]?.version ?? null
  }
  if (isAmbiguous(named)) throw ambiguityFor(asking, named)
  const { by } = asking
  if (by !== scheme && !by.isReadAlone) return by.source.determineVersion(request)
  const determined = version ?? by.defaultVersion
  if (by.permits(determined) || (version === null && !by.isDefaultChecked)) return determined
  throw refusalFor(asking)
}

/** Fastify takes an error that is nothing for no error, and would go on without the hooks that follow. */
function toError (error: unknown, scheme: Scheme): unknown {
  return error === undefined || error === null || isThenable(error) ? invalid(scheme, error) : error
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function settle (asking: Asking, version: PromiseLike<unknown>): Promise<void> {
  try {
    accept(asking, await version)
  } catch (error) {
    throw refuse(asking, error)
  }
}

import { contextOf } from '../context.ts'
import { isPreflight } from '../http/preflight.ts'
import { invalid, isAmbiguous, namedBy } from '../scheme.ts'
import { ambiguityFor, refusalFor } from './asking.ts'
import { accept, refuse } from './outcome.ts'
import { addVary } from './vary.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Scheme } from '../scheme.ts'
import type { Asking } from './asking.ts'

type Reading = Required<Pick<Scheme['source'], 'readVersion'>>

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
  if (scheme.isList) return versionOfList(asking)
  if (!scheme.isReadAlone) return scheme.source.determineVersion(request)
  asking.read = null
  const read: unknown = (scheme.source as Reading).readVersion(request) ?? null
  asking.read = read
  if (read === null || typeof read === 'string') return permitted(asking, read)
  const named = namedBy(scheme, read)
  if (isAmbiguous(named)) throw ambiguityFor(asking, named)
  return permitted(asking, named.length === 0 ? null : named[0].version)
}

/** As the first member determines it whose version the request names. */
function versionOfList (asking: Asking): unknown {
  const { request, scheme } = asking
  asking.read = null
  const named = scheme.readList(request)
  if (named.length === 0) return permitted(asking, null)
  if (isAmbiguous(named)) throw ambiguityFor(asking, named)
  const [{ scheme: member, version }] = named
  asking.by = member
  asking.read = version
  return member.isReadAlone ? permitted(asking, version) : member.source.determineVersion(request)
}

function permitted (asking: Asking, requested: string | null): string | null {
  const { by } = asking
  const version = requested ?? by.defaultVersion
  if (by.permits(version) || (requested === null && !by.isDefaultChecked)) return version
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

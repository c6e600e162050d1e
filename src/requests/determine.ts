import { contextOf } from '../context.ts'
import { isPreflight } from '../http/preflight.ts'
import { groupOf } from '../routes.ts'
import { isThenable } from '../promises.ts'
import { invalid, invalidResult } from '../scheme-errors.ts'
import { isAmbiguous, namedBy } from '../scheme.ts'
import { ambiguityFor, refusalFor } from './asking.ts'
import { accept, refuse } from './outcome.ts'
import { addVary } from './vary.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Named } from '../scheme.ts'
import type { Asking } from './asking.ts'

const NONE: readonly Named[] = Object.freeze([])

/** onRequest: asks the scheme of the route for the version. Calls `done`, or returns a promise if the scheme does. */
export function determineVersion (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, also adds its hook here: the first one determines the version.
  if (request.is404 || request.versioningScheme !== null || isPreflight(request)) return done()
  const context = contextOf(request.server)
  const { routes } = context
  const route = routes.areLookedUp ? routes.routed(request) : undefined
  const scheme = route?.ownScheme === undefined ? context.scheme : route.ownScheme
  const group = groupOf(route, request.method)
  if (scheme === null) return done()
  addVary(reply, scheme)
  request.versioningScheme = scheme.source
  const asking: Asking = {
    request,
    reply,
    context,
    route,
    group,
    scheme,
    by: scheme,
    read: undefined,
    version: null,
    reason: null,
    refusal: null
  }
  try {
    const version = versionFor(asking)
    if (isThenable(version)) return settle(asking, version)
    accept(asking, version)
  } catch (error) {
    // Fastify takes an error that is nothing for no error, and would go on without the hooks that follow.
    const isError = error !== undefined && error !== null && !isThenable(error)
    throw refuse(asking, isError ? error : invalid(scheme, error))
  }
  done()
}

/** What the scheme determines. The version is read once: `asking` keeps it for all other purposes. */
function versionFor (asking: Asking): unknown {
  const { request, scheme } = asking
  if (!scheme.isList && !scheme.isReadAlone) return scheme.source.determineVersion(request)
  asking.read = null
  let named = NONE
  let resolved: string | null | undefined
  if (scheme.isList) {
    named = scheme.readList(request)
    if (named.length > 0) asking.by = named[0].scheme
    if (!isAmbiguous(named)) asking.read = named[0]?.version ?? null
  } else {
    const read: unknown = scheme.source.readVersion?.(request) ?? null
    asking.read = read
    if (typeof read === 'string') resolved = scheme.resolve(read)
    else if (read !== null) named = namedBy(scheme, read)
  }
  if (named.length > 0) {
    if (isAmbiguous(named)) throw ambiguityFor(asking, named)
    resolved = named[0].resolved
  }
  const { by } = asking
  if (by !== scheme && !by.isReadAlone) return by.source.determineVersion(request)
  if (resolved === undefined) return defaultFor(asking)
  if (resolved !== null && by.allows(resolved)) return resolved
  throw refusalFor(asking, 'unsupported')
}

/** The version of a request that specifies none. */
function defaultFor (asking: Asking): unknown {
  const { request, scheme } = asking
  const version = scheme.defaultFor(request)
  if (!isThenable(version)) return allowDefault(asking, version)
  return version.then((one) => allowDefault(asking, one))
}

function allowDefault (asking: Asking, version: string | null): string | null {
  if (asking.scheme.allows(version)) return version
  throw refusalFor(asking, asking.scheme.clientDefault === null || version === null ? 'missing' : 'unsupported')
}

/** Accepts or refuses what a scheme promises, but no default version that the router could not wait for. */
async function settle (asking: Asking, version: PromiseLike<unknown>): Promise<void> {
  const { group, scheme } = asking
  try {
    if (scheme.clientDefault !== null && group?.slot.scheme === scheme) {
      throw invalidResult('defaultVersion', 'no promise where versions choose handlers', version)
    }
    accept(asking, await version)
  } catch (error) {
    throw refuse(asking, error)
  }
}

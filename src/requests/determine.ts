import { contextOf } from '../context.ts'
import { VersionInvalidError } from '../errors.ts'
import { isPreflight } from '../http/preflight.ts'
import { skipIdleHooks } from '../older-routes/hooks.ts'
import { arrive, schemeIn } from '../passage.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { routeOf } from '../routes.ts'
import { headOf, keepVary } from './head.ts'
import { accept, refuse, retire } from './outcome.ts'
import { warnHost, warnUnseen } from './warnings.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Arrival } from '../passage.ts'
import type { Routes } from '../routes.ts'

/**
 * Returns the onRequest hook of an app, which determines the version of each request.
 *
 * @param routes the routes of the app: to look them up would cost each request 0.2 µs
 * @param configOf reads the config of the route of a request
 * @param trustsProxy whether a response with a link varies by what a proxy has forwarded
 * @param isFirst whether no other hook has run, which could have set headers of the reply
 */
export function determineIn (
  routes: Routes, configOf: (request: FastifyRequest) => object | undefined, trustsProxy: boolean, isFirst: boolean
) {
  return function determineVersion (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
    // If the plugin is later registered further up, requests here get that hook, too. The first hook determines.
    if (schemeIn(request) !== null) return done()
    // `isPreflight` asks for the method as well. This test saves most requests the call.
    if (request.method === 'OPTIONS' && isPreflight(request)) return done()
    if (trustsProxy) headOf(reply)
    const route = routeOf(configOf(request), routes)
    if (route === undefined) {
      if (!request.is404) warnUnseen(contextOf(request.server), request)
      return done()
    }
    const { context, scheme } = route
    if (scheme === null) {
      if (route.retirement !== undefined) retire(reply, context, route.retirement)
      return done()
    }
    const arrival = arrive(request, reply, route, scheme)
    if (route.varies !== null) keepVary(reply, route.varies, isFirst)
    if (scheme.inHost.length > 0) warnHost(arrival)
    try {
      const version: unknown = scheme.determine(request)
      if (typeof version !== 'string' && isThenable(version)) return settle(arrival, version)
      accept(arrival, version)
    } catch (error) {
      return done(refuse(arrival, error) as Error)
    }
    skipIdleHooks(request, route)
    done()
  }
}

/** Throws if a client's default version is a promise: the router cannot wait for it. A scheme may be asynchronous. */
function checkDefault ({ request, scheme, slot }: Arrival): void {
  if (scheme.clientDefault === null || slot === null || scheme.find(request) !== null) return
  const version = scheme.clientDefault.of(request)
  if (!isThenable(version)) return
  const message = 'The option "defaultVersion" must return no promise where versions choose handlers.'
  throw new VersionInvalidError(message, version)
}

async function settle (arrival: Arrival, version: PromiseLike<unknown>): Promise<void> {
  try {
    // If `checkDefault` throws, nobody awaits the version.
    ignoreRejection(version)
    checkDefault(arrival)
    accept(arrival, await version)
  } catch (error) {
    throw refuse(arrival, error)
  }
  skipIdleHooks(arrival.request, arrival.route)
}

import { contextOf, schemeOf } from '../context.ts'
import { completeHeaders, completeHeadersOnError } from '../requests/complete.ts'
import { sendProblem, withdrawProblem } from '../requests/problem.ts'
import { tellInContentType } from '../requests/served-version.ts'

import type { RouteOptions } from 'fastify'
import type { DeclaredOptions, Route } from '../routes.ts'

/**
 * Gives a route the hooks that it needs, and takes from it those that it needs no more, as its context may have got
 * another scheme; all other routes pay nothing. To be called before the app is ready.
 */
export function setHooks (route: Route): void {
  const { server, ending } = route
  const options = route.options as DeclaredOptions
  const { lifecycle, problemDetails, servedVersion, uses } = contextOf(server)
  const scheme = schemeOf(route)
  const isVaried = uses.variedChoice || (scheme !== null && scheme.vary !== null)
  const isCompleted = isVaried || (scheme !== null && (ending !== undefined || lifecycle !== null))
  // Of a HEAD request, and of what compresses, the hooks that follow leave no text.
  setHook(options, 'onSend', sendProblem, scheme !== null && problemDetails !== null, true)
  setHook(options, 'onSend', completeHeaders, isCompleted, false)
  setHook(options, 'onSend', tellInContentType, scheme !== null && servedVersion === 'content-type', false)
  setHook(options, 'onError', completeHeadersOnError, isCompleted, false)
  setHook(options, 'onError', withdrawProblem, scheme !== null && problemDetails !== null, false)
}

/** @param isFirst whether it comes before the other hooks of the route, or after them */
function setHook<Name extends 'onSend' | 'onError'> (
  options: RouteOptions, name: Name, hook: NonNullable<RouteOptions[Name]>, isWanted: boolean, isFirst: boolean
): void {
  if (options[name] === undefined && !isWanted) return
  const hooks: unknown[] = [options[name] ?? []].flat()
  if (hooks.includes(hook) === isWanted) return
  const others = hooks.filter((one) => one !== hook)
  const wanted = isFirst ? [hook, ...others] : [...others, hook]
  Object.assign(options, { [name]: isWanted ? wanted : others })
}

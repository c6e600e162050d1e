import { registryOf } from './context.ts'
import { NoReverseMatchError, show } from './errors.ts'

import type { ReverseOptions } from '../types/index.d.ts'

const NO_ARGS = Object.freeze([])
const NO_KWARGS = Object.freeze({})

/**
 * The ordinary reversal, which knows nothing of versions: the URL of a named route.
 *
 * @param server any Fastify instance of the app whose names are meant
 * @param viewName the route's name, with its namespaces
 * @throws FST_ERR_NO_REVERSE_MATCH
 */
export function reverseByName (server: object | undefined, viewName: string, options: ReverseOptions): string {
  const registry = server === undefined ? undefined : registryOf(server)
  if (registry === undefined) {
    throw new NoReverseMatchError(`Cannot reverse ${show(viewName)} with a scheme that no app has registered.`, true)
  }
  if (typeof viewName !== 'string') {
    throw new NoReverseMatchError(`The name of a route must be a string, got ${show(viewName)}.`, true)
  }
  const { format } = options
  const args = options.args ?? NO_ARGS
  const given = options.kwargs ?? NO_KWARGS
  const kwargs = format === undefined || format === null ? given : { ...given, format }
  const url = registry.find(viewName, args, kwargs)
  if (url === null) throw registry.explain(viewName, args, kwargs)
  return url
}

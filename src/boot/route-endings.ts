import { bootOf } from './boot.ts'
import { VersioningOptionError, labelOf, show } from '../errors.ts'
import { toEnding } from '../options/lifecycle.ts'
import { setRouteEnding } from './route-config.ts'

import type { RouteOptions } from 'fastify'
import type { Ending } from '../options/lifecycle.ts'

/**
 * Takes in the route option `deprecated`.
 *
 * @throws FST_ERR_VERSIONING_OPTION where it is not valid, or the route has no version
 */
export function declareEnding (server: object, route: RouteOptions): void {
  const { deprecated, versioning } = route
  if (deprecated === undefined) return
  if (versioning === false) {
    throw new VersioningOptionError('deprecated', `a version on ${labelOf(route)}, which has none`, show(deprecated))
  }
  setRouteEnding(route, endingOf(route, deprecated))
  bootOf(server).uses.routeEndings = true
}

/** Of options that many routes have a message says which route it is. */
function endingOf (route: RouteOptions, deprecated: unknown): Ending {
  try {
    return toEnding('deprecated', deprecated, 'This URL')
  } catch (error) {
    (error as Error).message += ` The route is ${labelOf(route)}.`
    throw error
  }
}

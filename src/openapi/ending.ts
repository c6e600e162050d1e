import { contextOf, schemeOf } from '../context.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'

/** How a route ends in a version; undefined: it does not. */
export function endingOf (route: Route, version: string): Ending | undefined {
  if (schemeOf(route) === null) return undefined
  return route.ending ?? contextOf(route.server).lifecycle?.get(version)
}

import { routesOf } from './apps.ts'

import type { AppSpec } from './apps.ts'

/** A request to a route, whose handler makes a link. */
export interface Asked {
  /** Which of the routes, counted round. */
  readonly route: number
  /** The version that the request names, and for a list the scheme by which it does. */
  readonly version: string | null
  readonly place: number
  /** Whether it writes the version in capitals, if versions need not be exact. */
  readonly isUpper: boolean
  /** Values for the path of the request. */
  readonly own: readonly string[]
  /** The link: a name, or null for the current route. */
  readonly name: string | null
  /** Values for the link, and which of the routes has the names for them, counted round. */
  readonly values: readonly string[]
  readonly like: number
  readonly isList: boolean
  readonly into: string | null | undefined
  readonly query: Record<string, string> | undefined
  readonly hash: string | undefined
  readonly absolute: boolean | undefined
}

/** Values under the names of a route that may be the one that is meant. */
export function valuesFor ({ values, like, isList }: Asked, spec: AppSpec): Record<string, string> | string[] {
  const routes = routesOf(spec)
  const names = routes[like % routes.length]!.parameters.filter((name) => name !== 'version')
  if (isList && !spec.scheme.startsWith('path')) return names.map((_, i) => values[i]!)
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]))
}

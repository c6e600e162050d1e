import { isRequest, partsOf } from '../changes/parts.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf, routeIn, shortNameOf, slotOf } from '../routes.ts'
import { ownVersionsOf } from '../routing/coverage.ts'

import type { Changes } from '../changes/changes.ts'
import type { RouteSchema } from '../changes/parts.ts'
import type { ReadChange } from '../changes/read-changes.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

/** A route in a context that has changes. */
export interface Entry {
  readonly route: Route
  /** The route that the user declared: a HEAD route that Fastify has added has the handler of its GET route. */
  readonly declared: Route
  readonly options: DeclaredOptions
  readonly changes: Changes
  /** The schema of the route as the user declared it. */
  schema: RouteSchema
  /** The changes that are undone for older versions. */
  undone: ReadonlySet<ReadChange>
  /** The changes that apply to the route: the undone changes, and changes that its handler does not know. */
  used: ReadonlySet<ReadChange>
}

/** Returns the schemas of the parts that changes can convert. */
export function partSchemasOf (schema: RouteSchema): unknown[] {
  return [...partsOf(schema).values()].flatMap((part) => [...part.values()].map(({ schema }) => schema))
}

/** Tells whether a change upgrades a part of a route, even a part that only older versions have. */
export function hasRequestChange ({ route, changes }: Entry): boolean {
  const name = nameIn(route) ?? ''
  return changes.steps.some(({ routes }) => [...routes.get(name)?.keys() ?? []].some(isRequest))
}

/**
 * Returns the indexes of the versions whose requests come to a route.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a version that the changes do not know
 */
export function servedBy (route: Route, { versions }: Changes): number[] {
  const ownVersions = ownVersionsOf(route)
  const unknown = ownVersions.find((version) => version !== null && !versions.includes(version))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(
      `${labelOf(route)} serves ${show(unknown)}, but its changes are for the versions ${show(versions)}. Give its ` +
      'context the option "changes" for its own versions, or null for none.'
    )
  }
  const slots = route.methods.map((method) => slotOf(route, method))
  return [...versions.keys()].filter((index) => ownVersions.includes(versions[index]) && (
    slots.some((slot) => slot === null || routeIn(slot, versions[index]) === route)
  ))
}

/** Returns the name of a route in changes: the name without the namespace that is the version. */
export function nameIn (route: Route): string | null {
  const { name, namespace: { names }, scheme } = route
  if (name === null) return null
  const full = [...names, name].join(':')
  return (scheme && shortNameOf(full, scheme)) ?? full
}

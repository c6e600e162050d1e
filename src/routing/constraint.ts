import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

import type { RouteOptions } from 'fastify'
import type { Constraints, Route } from '../routes.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

/** The router takes at most this many handlers with constraints for one method and path. */
export const MAX_HANDLERS = 31

/** One object, so that they are compared at once. */
const NO_CONSTRAINTS: Constraints = Object.freeze({})

/**
 * The value of our constraint. The router compares values by their fields and prints them as JSON. No two routes of a
 * method have the same `id`, so that none of them is a duplicate to it.
 */
export class VersionConstraint {
  readonly id: number
  readonly #route: Route

  constructor (route: Route, id: number) {
    this.#route = route
    this.id = id
  }

  get route (): Route {
    return this.#route
  }

  toJSON (): object {
    const { claim } = this.#route
    if (claim === null) return ['any other']
    return claim.from === null ? claim.versions : { from: claim.versions[0], to: claim.versions.at(-1) }
  }
}

/** Whether a route has our constraint, which `version` and `version: null` give it; until the app is ready. */
export function hasConstraint ({ options }: Route): boolean {
  return CONSTRAINT in { ...options?.constraints }
}

/**
 * The constraints of a route besides ours, which options copied from another route may hold.
 *
 * @throws FST_ERR_VERSIONING_OPTION if the user has written a value for ours
 */
export function otherConstraints (constraints: RouteOptions['constraints']): Constraints {
  if (typeof constraints !== 'object') return NO_CONSTRAINTS
  const { [CONSTRAINT]: ours, ...others } = constraints as Constraints
  if (ours === undefined || ours instanceof VersionConstraint) {
    return Object.keys(others).length === 0 ? NO_CONSTRAINTS : others
  }
  throw new VersioningOptionError(`constraints.${CONSTRAINT}`, 'the route option "version" instead', show(ours))
}

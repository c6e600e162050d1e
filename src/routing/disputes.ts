import { VersioningOptionError, show } from '../errors.ts'
import { isPreferred } from './serving.ts'
import { areAlike } from '../boot/scheme-instances.ts'

import type { RouteOptions } from 'fastify'
import type { Choice, Claim, Claimed } from './candidates.ts'

/** What is to be known of a route. */
export interface Shown {
  readonly route: RouteOptions
  readonly methods: readonly string[]
  /** As the router knows it: the root of a prefix has two. */
  readonly paths: readonly string[]
  /** As a message names it: `GET /bookings`. */
  readonly label: string
}

/** As shown, with what it takes. */
export interface Declared extends Shown, Choice {}

/** Versions that another route claims by the same right. */
export interface Dispute { readonly other: Declared, readonly versions: readonly string[] }

/** What a route that is to be declared claims equally with others, in the order of those. */
export function disputesOf ({ claim, others }: Claimed, routes: Iterable<Declared>): Dispute[] {
  return [...new Set(routes)].map((other) => {
    const isEqual = other.claim !== null && other.others.join() === others.join() && areEqual(claim, other.claim)
    const versions = isEqual ? claim.versions.filter((version) => other.claim?.versions.includes(version)) : []
    return { other, versions }
  }).filter(({ versions }) => versions.length > 0)
}

/** Whether neither goes before the other where both claim a version. */
function areEqual (a: Claim, b: Claim): boolean {
  if (a.scheme !== b.scheme) return areAlike(a.scheme, b.scheme)
  return !isPreferred(a, b) && !isPreferred(b, a)
}

export function conflict ({ label }: Shown, { other, versions }: Dispute): Error {
  const expected = `a version of ${label} that ${describe(other)} does not claim`
  return new VersioningOptionError('version', expected, show(versions.length === 1 ? versions[0] : versions))
}

function describe ({ label, route: { name } }: Shown): string {
  return name === undefined ? label : `${label}, named ${show(name)},`
}

import { pathsOf } from '../routes.ts'

import type { Route } from '../routes.ts'

/**
 * What a route is in another namespace, by its path: what follows the prefixes of the two contexts is the same, and the
 * prefixes differ in one segment, as `/v1` and `/v2`, or `/v1` and none.
 *
 * @param others the routes of the other namespace
 * @returns the first of them; undefined where there is none
 */
export function findCounterpart (route: Route, method: string, others: readonly Route[]): Route | undefined {
  const rests = restsOf(route)
  return others.find((other) => (
    other.methods.includes(method) &&
    restsOf(other).some((rest) => rests.includes(rest)) &&
    areOneSegmentApart(prefixOf(route).split('/'), prefixOf(other).split('/'))
  ))
}

/** The paths of a route without the prefix of the context that has its namespace. */
function restsOf (route: Route): string[] {
  return pathsOf(route).map((path) => path.slice(prefixOf(route).length))
}

/** Fastify puts no second slash after a prefix that ends with one. */
function prefixOf ({ namespace: { prefix } }: Route): string {
  return prefix.replace(/\/$/, '')
}

/** Whether one of the segments is replaced, added or left out. */
function areOneSegmentApart (a: readonly string[], b: readonly string[]): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return a.length - start - end <= 1 && b.length - start - end <= 1
}

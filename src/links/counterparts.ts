import { pathsOf } from '../routes.ts'

import type { Route } from '../routes.ts'

/**
 * Finds what a route is in another namespace, by its path. What follows the prefixes of the two contexts is the same,
 * and the prefixes differ in one segment, as `/v1` and `/v2`. A route in no namespace may have the other prefix without
 * some segments: none or `/api` instead of `/api/v2`. If there are several, the last one is the namespace.
 *
 * @param others the routes of the other namespace
 * @returns the first of those whose prefixes differ least, or undefined if there is none
 */
export function findCounterpart (route: Route, method: string, others: readonly Route[]): Route | undefined {
  let found: Route | undefined
  let least = Infinity
  for (const other of others) {
    const distance = other.methods.includes(method) ? distanceOf(route, other) : Infinity
    if (distance >= least) continue
    found = other
    least = distance
  }
  return found
}

/** In how many segments the prefixes of two routes differ; Infinity: they are not one resource. */
function distanceOf (a: Route, b: Route): number {
  if (a.namespace.names.length === 0 && b.namespace.names.length > 0) return distanceOf(b, a)
  const prefix = prefixOf(a)
  const isOutside = b.namespace.names.length === 0
  const distances = pathsOf(a).map((path) => path.slice(prefix.length)).flatMap((rest) => pathsOf(b).map((path) => {
    const other = isOutside ? path.slice(0, Math.max(path.length - rest.length, 0)) : prefixOf(b)
    if (path !== other + rest) return Infinity
    const [more, less] = difference(prefix.split('/'), other.split('/'))
    if (!isOutside) return more.length > 1 || less.length > 1 ? Infinity : 1
    const isVersion = more.length < 2 || more.at(-1) === a.namespace.names.at(-1)
    return less.length > 0 || !isVersion ? Infinity : more.length
  }))
  return Math.min(...distances)
}

/** Fastify puts no second slash after a prefix that ends with one. */
function prefixOf ({ namespace: { prefix } }: Route): string {
  return prefix.replace(/\/$/, '')
}

/** The segments of each that remain between an equal start and an equal end. */
function difference (a: readonly string[], b: readonly string[]): [readonly string[], readonly string[]] {
  const length = Math.min(a.length, b.length)
  let start = 0
  while (start < length && a[start] === b[start]) start++
  let end = 0
  while (end < length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}

import { toPercent } from '../http/uri.ts'
import { expandOptional } from '../paths/pattern.ts'

/** The ranks of what is not text. A pattern begins with `^`, after the colon that stands for a parameter. */
const RANKS: Readonly<Record<string, number>> = { '^': 0, ':': 2, '*': 3 }

/**
 * Whether the router prefers the path of one shape where the other matches, too. It prefers text to a parameter, a
 * pattern to any value, and a parameter to a wildcard.
 */
export function isPreferred (shape: string, other: string): boolean {
  const at = [...shape].findIndex((character, i) => character !== other[i])
  return (RANKS[shape[at]] ?? 1) < (RANKS[other[at]] ?? 1)
}

/**
 * A path of a route with the version in it.
 *
 * @param path the path of the route, or the path that a transform has returned
 * @param versionParam the parameter that is the version, or null
 */
export function pathIn (version: string, path: string, versionParam: string | null): string {
  // OpenAPI has no optional parameter of a path, nor a path without a slash, as Fastify has in `*`.
  const [whole] = expandOptional(path.startsWith('/') ? path : `/${path}`)
  return versionParam === null ? whole : fill(whole, versionParam, toPathText(version))
}

/** A path with a text in place of a parameter and its pattern. */
function fill (path: string, param: string, text: string): string {
  const start = [...path.matchAll(/(?<!:):([^:(./-]*)/g)].find(([, name]) => name === param)?.index
  if (start === undefined) return path
  let end = start + 1 + param.length
  for (let depth = 0; path[end] === '(' || depth > 0; end++) {
    if (path[end] === '\\') end++
    else if (path[end] === '(') depth++
    else if (path[end] === ')') depth--
  }
  return path.slice(0, start) + text + path.slice(end)
}

/** What has a meaning in a path of Fastify or OpenAPI is escaped. */
function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}

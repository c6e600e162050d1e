import { VersioningConflictError, VersioningOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'

import type { PathNode } from '../paths/pattern.ts'
import type { Claim, Route, VersionParam } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

/**
 * The parameters of a path that hold the version.
 *
 * @param path with optional parameters expanded, as the router keeps it
 * @returns null if the scheme reads no parameters
 */
export function versionParamsOf (scheme: Scheme, path: string): VersionParam[] | null {
  const names = paramNamesOf(scheme)
  if (names.length === 0) return null
  if (isFirstSegment(path, names)) return [{ name: names[0], segment: 0, pattern: null }]
  const params: VersionParam[] = []
  let segment = -1
  for (const node of parsePath(path)) {
    if (node.kind === 'static') segment += node.text.split('/').length - 1
    const name = namesOf(node).find((one) => names.includes(one))
    if (name !== undefined && node.kind === 'parametric') params.push({ name, segment, pattern: node.pattern })
  }
  return params
}

/**
 * Checks that the router can choose a route by the version in its path.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the parameter, where it is not a segment by itself, or missing
 */
export function checkVersionParams (
  { scheme, versions }: Claim, route: Pick<Route, 'methods' | 'url'>
): void {
  const names = paramNamesOf(scheme)
  const withNull = versions.includes(null)
  if (names.length === 0 || (isFirstSegment(route.url, names) && !withNull)) return
  const paths = expandOptional(route.url).map(parsePath)
  const found = names.filter((name) => paths.some((path) => hasParam(path, name)))
  for (const name of found) checkParam(name, paths, route)
  if (found.length === 0) {
    if (scheme.members.every(({ readsParams }) => readsParams)) throw missing(scheme, names[0], paths.flat(), route)
    return
  }
  if (withNull) {
    const why = `no null, because the path always has a version: declare the path without ${show(`:${found[0]}`)}`
    throw new VersioningOptionError('version', why, show(versions))
  }
  for (const { name, pattern } of versionParamsOf(scheme, expandOptional(route.url)[0]) as VersionParam[]) {
    const never = versions.find((version) => pattern !== null && !pattern.test(version as string))
    if (never === undefined) continue
    throw new VersioningOptionError('version', `versions that the pattern of ":${name}" matches`, show(never))
  }
}

/** Whether a path plainly shows where its version is, as most paths do: parsing it takes longer. */
function isFirstSegment (path: string, [name, ...others]: readonly string[]): boolean {
  return others.length === 0 && path.startsWith(`/:${name}/`) && !path.includes(`:${name}`, 2)
}

/** The parameters in which a scheme, or a member of a list, reads the version. */
function paramNamesOf ({ members }: Scheme): string[] {
  const reading = members.filter(({ readsParams }) => readsParams)
  return reading.map(({ impliedParam, versionParam }) => impliedParam ?? versionParam)
}

function checkParam (
  name: string, paths: readonly (readonly PathNode[])[], route: Pick<Route, 'methods' | 'url'>
): void {
  const label = labelOf(route)
  const [path] = paths
  const at = path.findIndex((node) => namesOf(node).includes(name))
  const node = path[at]
  const before = path[at - 1]
  if (node.kind === 'wildcard') throw notChosen(label, name, 'is a wildcard')
  if (path.slice(0, at).some(({ kind }) => kind === 'wildcard')) throw notChosen(label, name, 'is behind a wildcard')
  if (!paths.every((one) => hasParam(one, name))) throw notChosen(label, name, 'is optional')
  const isWhole = before.kind === 'static' && before.text.endsWith('/') && node.kind === 'parametric' &&
    node.names.length === 1 && node.texts[0] === ''
  if (!isWhole) throw notChosen(label, name, 'shares its segment with something else')
  const isRepeated = path.slice(at + 1).some((other) => namesOf(other).includes(name))
  if (isRepeated) throw notChosen(label, name, 'is there twice')
}

function hasParam (path: readonly PathNode[], name: string): boolean {
  return path.some((node) => namesOf(node).includes(name))
}

function notChosen (label: string, name: string, why: string): Error {
  return new VersioningConflictError(
    `The version of ${label} cannot choose the route: the parameter ":${name}" ${why}. ` +
    `Write it as a segment by itself, as in /:${name}/bookings.`
  )
}

function missing (
  scheme: Scheme, name: string, nodes: readonly PathNode[], route: Pick<Route, 'methods' | 'url'>
): Error {
  const near = suggestionFor(name, nodes.flatMap(namesOf))
  return new VersioningConflictError(
    `${labelOf(route)} has the option "version", but its path does not have the parameter ":${name}", in which ` +
    `${scheme.label} reads the version.${near} Write the path as /:${name}/bookings, or remove the option.`
  )
}

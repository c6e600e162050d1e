import { VersioningConflictError, VersioningOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { endsSegment, expandOptional, hasParameter, namesOf, parsePath } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'

import type { ParsedPath } from '../paths/pattern.ts'
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
  const parsed = parsePath(path)
  for (const [i, { name, pattern }] of parsed.params.entries()) {
    segment += parsed.texts[i].split('/').length - 1
    if (names.includes(name) && name !== '*') params.push({ name, segment, pattern })
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
  const paths = expandOptional(route.url)
  const found = names.filter((name) => hasParameter(route.url, name))
  for (const name of found) checkParam(name, paths, route)
  if (found.length === 0) {
    if (scheme.members.every(({ readsParams }) => readsParams)) throw missing(scheme, names[0], route)
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

function checkParam (name: string, paths: readonly string[], route: Pick<Route, 'methods' | 'url'>): void {
  const label = labelOf(route)
  const parsed: ParsedPath = parsePath(paths[0])
  const { texts, params } = parsed
  const at = params.findIndex((param) => param.name === name)
  if (name === '*') throw notChosen(label, name, 'is a wildcard')
  if (params.slice(0, at).some((param) => param.name === '*')) throw notChosen(label, name, 'is behind a wildcard')
  if (!paths.every((path) => hasParameter(path, name))) throw notChosen(label, name, 'is optional')
  if (!texts[at].endsWith('/') || !endsSegment(parsed, at)) {
    throw notChosen(label, name, 'shares its segment with something else')
  }
  if (params.slice(at + 1).some((param) => param.name === name)) throw notChosen(label, name, 'is there twice')
}

function notChosen (label: string, name: string, why: string): Error {
  return new VersioningConflictError(
    `The version of ${label} cannot choose the route: the parameter ":${name}" ${why}. ` +
    `Write it as a segment by itself, as in /:${name}/bookings.`
  )
}

function missing (scheme: Scheme, name: string, route: Pick<Route, 'methods' | 'url'>): Error {
  const near = suggestionFor(name, namesOf(route.url))
  return new VersioningConflictError(
    `${labelOf(route)} has the option "version", but its path does not have the parameter ":${name}", in which ` +
    `${scheme.label} reads the version.${near} Write the path as /:${name}/bookings, or remove the option.`
  )
}

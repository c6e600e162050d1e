import { schemeOf } from '../context.ts'
import { CheckedOptions, kwargsOf } from './link-options.ts'
import { versionInParams } from './version.ts'

import type { LinkTarget } from './target.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'

/**
 * Whether the scheme of a route makes the link before the active scheme, which would write the version where that route
 * does not read it. A scheme with its own `reverse` makes its links itself, and so does the `reverse` of SPEC.md.
 *
 * @param active the active scheme, or null
 */
export function comesFirst (own: Scheme, active: Scheme | null, options: ReverseOptions): boolean {
  if (active === null || active.hasOwnReverse || !(options instanceof CheckedOptions)) return false
  if (!isElsewhere(active) || own.members.every(({ linkPlace }) => linkPlace === 'nowhere')) return false
  const version = options.version === undefined ? options.request?.version ?? null : options.version
  const meant = version === null ? null : own.resolve(version)
  return meant !== null && own.allows(meant)
}

/** Whether a link leads to routes of another scheme that can only refuse it. */
export function canOnlyRefuse (from: Scheme | null, target: LinkTarget, options: ReverseOptions): boolean {
  if (from === null || options.version === null) return false
  const other = schemeOf(target.route)
  return other !== from && other !== null && isRequired(from, other, target, options) && !isShared(from, other)
}

/** Whether a link into a version of one scheme needs a version that another scheme allows. */
function isRequired (from: Scheme, scheme: Scheme, { names }: LinkTarget, options: ReverseOptions): boolean {
  const params = scheme.inPath.map(({ impliedParam }) => impliedParam as string).filter((name) => names.includes(name))
  // The parameter of the path gets the version that the other scheme allows, unless the caller writes it.
  if (from.inPath.some(({ impliedParam }) => params.includes(impliedParam as string))) {
    return versionInParams(scheme, kwargsOf(options)) === null
  }
  return isElsewhere(scheme) && scheme.clientDefault === null && !scheme.allows(scheme.defaultVersion)
}

/** Whether links have the version in the query or nowhere. */
function isElsewhere ({ members }: Scheme): boolean {
  return members.every(({ linkPlace }) => linkPlace === 'query' || linkPlace === 'nowhere')
}

/** Whether there is a version that clients may specify to both schemes. */
function isShared (a: Scheme, b: Scheme): boolean {
  const listed = [a, b].flatMap(({ allowedVersions, defaultVersion }) => [...allowedVersions ?? [], defaultVersion])
  return !a.allowedVersions?.length || listed.some((version) => (
    version !== null && [a, b].every((scheme) => {
      const meant = scheme.resolve(version)
      return meant !== null && scheme.allows(meant)
    })
  ))
}

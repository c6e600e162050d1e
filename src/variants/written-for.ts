import { inherited, schemeOf } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'

import type { RouteOptions } from 'fastify'
import type { Route } from '../routes.ts'

/** The version that the handlers of a context speak, unless their routes say otherwise or are version-neutral. */
export const contextWrittenFor = inherited<string>('writtenFor')

/**
 * The version that the handler of a route speaks.
 *
 * @param served the versions that the route serves
 * @returns null for the newest version that it serves
 * @throws FST_ERR_VERSIONING_OPTION unless it is an allowed version, not older than the versions that the route serves
 */
export function writtenForOf (
  route: Pick<Route, 'methods' | 'ownScheme' | 'server' | 'url'>,
  options: Pick<RouteOptions, 'writtenFor'>,
  served: readonly string[] = []
): string | null {
  const ofContext = route.ownScheme === null ? null : contextWrittenFor.of(route.server)
  const version: unknown = options.writtenFor ?? ofContext ?? null
  if (version === null) return null
  const allowed = schemeOf(route)?.allowedVersions ?? []
  if (typeof version !== 'string' || !allowed.includes(version)) {
    throw new VersioningOptionError('writtenFor', `one of allowedVersions, ${show(allowed)}`, show(version))
  }
  const newest = served.at(-1)
  if (newest === undefined || allowed.indexOf(newest) <= allowed.indexOf(version)) return version
  const expected = `no version before ${show(newest)}, which ${labelOf(route)} serves`
  throw new VersioningOptionError('writtenFor', expected, show(version))
}

import { readClock } from './clock.ts'
import { isGone } from '../options/lifecycle.ts'
import { readingOf } from '../routing/reading.ts'
import { choiceOf, endingOfRoute } from '../boot/route-config.ts'
import { NamespaceVersioning } from '../schemes/namespace.ts'

import type { FastifyRequest } from 'fastify'
import type { Served } from '../routing/candidates.ts'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

const NONE: readonly Served[] = Object.freeze([])

/** Where versions do not choose among routes: by how a route ends, or else by the versions there are. */
const plain = new WeakMap<object, readonly Served[]>()
/** By context, and then by the very list: as many as an app has of both. */
const existing = new WeakMap<VersioningContext, WeakMap<readonly Served[], readonly Served[]>>()

/**
 * The versions listed by the scheme of a request that the URL of its route is served in, in release order, and how each
 * of them ends there: the very same list for the same route, method and context.
 */
export function existingVersions (request: FastifyRequest, context: VersioningContext): readonly Served[] {
  return withEndings(servedAt(request, context), context)
}

/** What is still answered of the versions that routes serve; all of it if nothing is. */
export function answeredOf (served: readonly Served[], context: VersioningContext): readonly Served[] {
  if (!context.enforceSunset) return served
  const now = readClock(context)
  const answered = withEndings(served, context).filter(({ ending }) => !isGone(ending, now))
  return answered.length === 0 ? served : answered
}

/** With what the context says of those that say nothing themselves. */
function withEndings (served: readonly Served[], context: VersioningContext): readonly Served[] {
  let byList = existing.get(context)
  if (byList === undefined) existing.set(context, byList = new WeakMap())
  let versions = byList.get(served)
  if (versions === undefined) {
    versions = served.map(({ version, ending }) => ({ version, ending: ending ?? endingIn(context, version) }))
    byList.set(served, versions)
  }
  return versions
}

function endingIn ({ lifecycle }: VersioningContext, version: string | null): Ending | undefined {
  return version === null ? undefined : lifecycle?.get(version)
}

/** As the routes say it themselves. */
function servedAt (request: FastifyRequest, { uses }: VersioningContext): readonly Served[] {
  const scheme = request.versioningScheme as VersioningScheme
  const { allowedVersions } = scheme
  if (!allowedVersions?.length) return NONE
  const reading = uses.routeVersions ? readingOf(request.raw, scheme) : undefined
  const claimed = reading === undefined ? undefined : choiceOf(request)
  if (reading !== undefined && claimed !== undefined) return reading.store.servedBeside(claimed)
  const ending = uses.routeEndings ? endingOfRoute(request) : undefined
  let served = plain.get(ending ?? allowedVersions)
  if (served === undefined) {
    const isElsewhere = (version: unknown) => scheme instanceof NamespaceVersioning && version !== request.version
    served = allowedVersions.map((version) => ({ version, ending: isElsewhere(version) ? undefined : ending }))
    plain.set(ending ?? allowedVersions, served)
  }
  return served
}

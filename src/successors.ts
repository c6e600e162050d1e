import { readClock } from './clock.ts'
import { NoReverseMatchError } from './errors.ts'
import { existingVersions } from './existing-versions.ts'
import { linkValue } from './link-header.ts'
import { kQuiet } from './reverse.ts'
import { choiceOf, endingOfRoute } from './route-config.ts'
import { NamespaceVersioning } from './schemes/namespace.ts'
import { toUriText } from './uri-text.ts'

import type { FastifyRequest } from 'fastify'
import type { Ending } from './lifecycle.ts'
import type { Policy } from './policy.ts'
import type { Explicable } from './reverse.ts'
import type { AllowedVersions, ReverseOptions, VersioningScheme } from '../types/index.d.ts'

const NONE: readonly string[] = Object.freeze([])

/** By route, methods and versions in which it is not: to find that out means to look at all routes of the version. */
const missing = new WeakMap<object, Set<string>>()

/** Whether a version or a route is gone, by the clock of its context. */
export function isGone ({ sunsetAt }: Ending, policy: Policy): boolean {
  return policy.enforceSunset && sunsetAt !== null && readClock(policy) >= sunsetAt
}

/**
 * Links from the route of a request to itself in the next version, and in the latest (RFC 5829, section 3), as far as
 * it is there and not gone. None where a URL does not say the version.
 *
 * @returns link-values
 */
export function successorLinks (request: FastifyRequest, policy: Policy): readonly string[] {
  const scheme = request.versioningScheme as VersioningScheme
  if (typeof scheme.vary === 'string') return NONE
  const versions = existingVersions(request)
  const current = versions.indexOf(request.version)
  if (current === -1) return NONE
  const own = linkInto(request, request.version)
  const later = versions.slice(current + 1)
  const successor = findLink(request, later, own, policy)
  if (successor === null) return NONE
  const latest = findLink(request, later.toReversed(), own, policy) ?? successor
  return [linkValue(successor, 'successor-version'), linkValue(latest, 'latest-version')]
}

/** The link into the first of the versions that has one of its own. */
function findLink (
  request: FastifyRequest, versions: AllowedVersions, own: string | null, policy: Policy
): string | null {
  for (const version of versions) {
    const href = isLive(request, version, policy) ? linkInto(request, version) : null
    if (href !== null && href !== own) return href
  }
  return null
}

/** In ASCII; null where there is no such route, or none can be linked to. */
function linkInto (request: FastifyRequest, version: string | null): string | null {
  const { config } = request.routeOptions
  const key = `${request.method} ${version}`
  if (missing.get(config)?.has(key)) return null
  const options: Explicable<ReverseOptions> = { request, version, [kQuiet]: true }
  try {
    return toUriText((request.versioningScheme as VersioningScheme).reverse(null, options))
  } catch (error) {
    // Whether parameters fit depends on the request; whether there is a route does not.
    if (error instanceof NoReverseMatchError && error.isNameUnknown) {
      missing.set(config, (missing.get(config) ?? new Set()).add(key))
    }
    return null
  }
}

function isLive (request: FastifyRequest, version: string | null, policy: Policy): boolean {
  if (version === null) return false
  const ending = endingOf(request, version) ?? policy.lifecycle?.get(version)
  return ending === undefined || !isGone(ending, policy)
}

/** That of the route's own, where it is the one that serves the version. */
function endingOf (request: FastifyRequest, version: string): Ending | undefined {
  const choice = choiceOf(request)
  const isElsewhere = request.versioningScheme instanceof NamespaceVersioning ||
    (choice !== undefined && !choice.claim.versions.includes(version))
  return isElsewhere ? undefined : endingOfRoute(request)
}

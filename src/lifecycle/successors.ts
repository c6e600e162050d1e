import { existingVersions } from './served.ts'
import { isGone } from '../options/lifecycle.ts'
import { linkValue } from '../http/headers.ts'
import { kQuiet } from '../links/reverse.ts'
import { ignoreRejection } from '../stray-promise.ts'
import { toUriText } from '../http/uri.ts'

import type { FastifyRequest } from 'fastify'
import type { Served } from '../routing/candidates.ts'
import type { VersioningContext } from '../context.ts'
import type { Explicable } from '../links/reverse.ts'
import type { ReverseOptions, VersioningScheme } from '../../types/index.d.ts'

const NONE: readonly string[] = Object.freeze([])

/**
 * Links from the route of a request to itself in the next version, and in the latest (RFC 5829, section 3), as far as
 * it is there and not gone. None where a URL does not say the version.
 *
 * @param now milliseconds since the epoch
 * @returns link-values
 */
export function successorLinks (request: FastifyRequest, context: VersioningContext, now: number): readonly string[] {
  if (typeof request.versioningScheme?.vary === 'string') return NONE
  const versions = existingVersions(request, context)
  const current = versions.findIndex(({ version }) => version === request.version)
  if (current === -1) return NONE
  const later = versions.slice(current + 1).filter(({ ending }) => !context.enforceSunset || !isGone(ending, now))
  const own = linkInto(request, request.version)
  const successor = findLink(request, later, own)
  if (successor === null) return NONE
  const latest = findLink(request, later.toReversed(), own) as string
  return [linkValue(successor, 'successor-version'), linkValue(latest, 'latest-version')]
}

/** The link into the first of the versions that has one of its own. */
function findLink (request: FastifyRequest, versions: readonly Served[], own: string | null): string | null {
  for (const { version } of versions) {
    const href = version === null ? null : linkInto(request, version)
    if (href !== null && href !== own) return href
  }
  return null
}

/** In ASCII; null where there is no such route, or none can be linked to. */
function linkInto (request: FastifyRequest, version: string | null): string | null {
  const options: Explicable<ReverseOptions> = { request, version, [kQuiet]: true }
  try {
    const url: unknown = (request.versioningScheme as VersioningScheme).reverse(null, options)
    if (typeof url === 'string') return toUriText(url)
    ignoreRejection(url)
  } catch {}
  return null
}

import diagnosticsChannel from 'node:diagnostics_channel'

import { ignoreRejection } from '../promises.ts'

import type { Arrival } from '../passage.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { RefusalReason, VersionUsage } from '../../types/index.d.ts'

const MAX_VERSION_LENGTH = 64

export const usageChannel = diagnosticsChannel.channel('fastify-versioning:version')

/** Returns what the client specifies, shortened, or null. The scheme reads again: call it for refusals and usage. */
export function requestedVersion ({ request, scheme: { author }, version }: Arrival): string | null {
  let read: unknown = null
  try {
    // A scheme without `readVersion` knows only the version that it has determined.
    read = author.readVersion === undefined ? version : author.readVersion(request)
  } catch {}
  ignoreRejection(read)
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_VERSION_LENGTH).toWellFormed() : null
}

/**
 * Reports the outcome of a request to subscribers, and to the observer of its route. From now on the observer notes
 * what reads the version, so call this function last.
 *
 * @param requestedBefore what `requestedVersion` has returned, if it has been called
 */
export function reportUsage (
  arrival: Arrival, outcome: VersionUsage['outcome'], reason: RefusalReason | null, requestedBefore?: string | null
): void {
  const { request, reply, route: { observer }, scheme, version: determined } = arrival
  if (observer === null && !usageChannel.hasSubscribers) return
  const requested = requestedBefore === undefined ? requestedVersion(arrival) : requestedBefore
  // If every version is allowed, the version may be any text of a client.
  const isListed = determined === scheme.defaultVersion || isListedBy(scheme, determined)
  const version = isListed ? determined : null
  const isDefault = requested === null && (determined !== null || reason === 'unserved')
  if (usageChannel.hasSubscribers) {
    usageChannel.publish({
      request,
      version,
      requested,
      isDefault,
      outcome,
      reason,
      place: requested === null ? null : scheme.readerFor(request).place,
      scheme: scheme.label,
      route: request.routeOptions.url as string
    } satisfies VersionUsage)
  }
  observer?.arrived(request, reply, { version, outcome, isDefault })
}

/** Tells whether a scheme lists a version. A member of a list may list versions of its own. */
function isListedBy ({ allowedVersions, members }: Scheme, version: string | null): boolean {
  return allowedVersions?.includes(version) === true ||
    members.some((member) => member.allowedVersions?.includes(version))
}

import diagnosticsChannel from 'node:diagnostics_channel'

import { ignoreRejection } from '../promises.ts'

import type { Arrival } from '../lifecycle/served.ts'
import type { RefusalReason, VersionUsage } from '../../types/index.d.ts'

/** How many characters of what the client specifies are reported. */
const MAX_LENGTH = 64

export const usage = diagnosticsChannel.channel('fastify-versioning:version')

/** What the client specifies, shortened, or null. It is read again: call it for refusals and usage events alone. */
export function requestedVersion ({ request, scheme: { author } }: Arrival): string | null {
  let read: unknown = null
  try {
    // Without the method the scheme only knows the version that it has determined.
    read = author.readVersion === undefined ? request.version : author.readVersion(request)
  } catch {}
  ignoreRejection(read)
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_LENGTH).toWellFormed() : null
}

/** Publishes the usage event of a request. Call it if there are subscribers. */
export function publishUsage (
  arrival: Arrival, outcome: VersionUsage['outcome'], reason: RefusalReason | null,
  requested = requestedVersion(arrival)
): void {
  const { request, scheme } = arrival
  const { version } = request
  // If every version is allowed, a client may send anything.
  const isListed = version === scheme.defaultVersion || scheme.allowedVersions?.includes(version)
  usage.publish({
    request,
    version: isListed ? version : null,
    requested,
    isDefault: requested === null && (version !== null || reason === 'unserved'),
    outcome,
    reason,
    place: requested === null ? null : scheme.readerFor(request).place,
    scheme: scheme.label,
    route: request.routeOptions.url as string
  } satisfies VersionUsage)
}

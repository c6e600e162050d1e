import diagnosticsChannel from 'node:diagnostics_channel'

import { ignoreRejection, keptRead } from '../scheme.ts'

import type { Scheme } from '../scheme.ts'
import type { VersionUsage } from '../../types/index.d.ts'
import type { Asking } from './asking.ts'

/** How much is told of what a client has written. */
const MAX_REQUESTED_LENGTH = 64

const usage = diagnosticsChannel.channel('fastify-versioning:version')

/** Publishes which version a request asked for, and what became of it. */
export function publishUsage (asking: Asking, outcome: VersionUsage['outcome']): void {
  if (!usage.hasSubscribers) return
  const { request, scheme, by } = asking
  const requested = requestedVersion(asking)
  const event: VersionUsage = {
    request,
    version: boundedVersion(request.version, scheme),
    requested,
    isDefault: requested === null && request.version !== null,
    outcome,
    reason: null,
    place: requested === null ? null : by.place,
    scheme: scheme.label,
    route: request.routeOptions.url as string
  }
  usage.publish(event)
}

/** One of those that the owner has written; what is permitted because all is may be anything. */
function boundedVersion (version: string | null, { allowedVersions, defaultVersion }: Scheme): string | null {
  return version === defaultVersion || allowedVersions?.includes(version) ? version : null
}

/** What the client asked for, shortened. A scheme without `readVersion` only knows the version that it determined. */
export function requestedVersion (asking: Asking): string | null {
  if (asking.read === undefined) asking.read = readFor(asking)
  const { read } = asking
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_REQUESTED_LENGTH).toWellFormed() : null
}

function readFor ({ request, scheme: { source } }: Asking): unknown {
  const kept = keptRead(request)
  if (kept !== undefined) return kept
  if (source.readVersion === undefined) return request.version
  try {
    const read: unknown = source.readVersion(request) ?? null
    ignoreRejection(read)
    return read
  } catch {
    return null
  }
}

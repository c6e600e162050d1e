import diagnosticsChannel from 'node:diagnostics_channel'

import { nameOf } from '../errors.ts'
import { ignoreRejection } from '../routing/reading.ts'

import type { FastifyRequest } from 'fastify'
import type { VersionUsage, VersioningScheme } from '../../types/index.d.ts'

/** How much is told of what a client has written. */
const MAX_REQUESTED_LENGTH = 64

const usage = diagnosticsChannel.channel('fastify-versioning:version')

/**
 * Publishes which version a request asked for, and what became of it.
 *
 * @param read what the scheme's `readVersion` returned; undefined: it is called now
 */
export function publishUsage (request: FastifyRequest, outcome: VersionUsage['outcome'], read: unknown): void {
  if (!usage.hasSubscribers) return
  const scheme = request.versioningScheme as VersioningScheme
  const requested = requestedVersion(request, scheme, read)
  const event: VersionUsage = {
    request,
    version: boundedVersion(request.version, scheme),
    requested,
    isDefault: requested === null && request.version !== null,
    outcome,
    reason: null,
    place: requested === null ? null : placeOf(request, scheme),
    scheme: nameOf(scheme),
    route: request.routeOptions.url as string
  }
  usage.publish(event)
}

/** One of those that the owner has written; what is permitted because all is may be anything. */
function boundedVersion (version: string | null, { allowedVersions, defaultVersion }: VersioningScheme): string | null {
  return version === defaultVersion || allowedVersions?.includes(version) ? version : null
}

function placeOf (request: FastifyRequest, scheme: VersioningScheme): string {
  const naming = scheme.schemesFor?.(request)[0] ?? scheme
  return naming.place ?? 'custom'
}

/**
 * What the client asked for, shortened. A scheme without `readVersion` only knows the version that it determined.
 *
 * @param read as for `publishUsage`
 */
export function requestedVersion (request: FastifyRequest, scheme: VersioningScheme, read: unknown): string | null {
  const named = read === undefined ? readFor(request, scheme) : read
  ignoreRejection(named)
  const requested = Array.isArray(named) && named.length > 0 ? named.join(', ') : named
  return typeof requested === 'string' ? requested.slice(0, MAX_REQUESTED_LENGTH).toWellFormed() : null
}

function readFor (request: FastifyRequest, scheme: VersioningScheme): unknown {
  try {
    return scheme.readVersion === undefined ? request.version : scheme.readVersion(request)
  } catch {
    return null
  }
}

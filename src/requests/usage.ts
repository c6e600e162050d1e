import diagnosticsChannel from 'node:diagnostics_channel'

import { nameOf } from '../errors.ts'
import { ignoreRejection } from '../routing/reading.ts'

import type { FastifyRequest } from 'fastify'
import type { VersionUsage, VersioningScheme } from '../../types/index.d.ts'

/** How much is told of what a client has written. */
const MAX_REQUESTED_LENGTH = 64

const usage = diagnosticsChannel.channel('fastify-versioning:version')

/** Tells those who listen which version a request has asked for, and what became of it. */
export function publishUsage (request: FastifyRequest, outcome: VersionUsage['outcome']): void {
  if (!usage.hasSubscribers) return
  const scheme = request.versioningScheme as VersioningScheme
  const requested = requestedVersion(request, scheme)
  const event: VersionUsage = {
    request,
    version: boundedVersion(request.version, scheme),
    requested,
    outcome,
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

/** What the client has named, shortened; a scheme that has no `readVersion` knows only the version it determined. */
export function requestedVersion (request: FastifyRequest, scheme: VersioningScheme): string | null {
  const read = readFor(request, scheme)
  ignoreRejection(read)
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_REQUESTED_LENGTH).toWellFormed() : null
}

function readFor (request: FastifyRequest, scheme: VersioningScheme): unknown {
  try {
    return scheme.readVersion === undefined ? request.version : scheme.readVersion(request)
  } catch {
    return null
  }
}

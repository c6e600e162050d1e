import diagnosticsChannel from 'node:diagnostics_channel'

import { nameOf } from '../errors.ts'
import { ignoreRejection } from '../stray-promise.ts'

import type { FastifyRequest } from 'fastify'
import type { VersionUsage, VersioningScheme } from '../../types/index.d.ts'

/** As much as is told of what a client has written. */
const MAX_REQUESTED_LENGTH = 64

const usage = diagnosticsChannel.channel('fastify-versioning:version')

/** Tells those who listen which version a request has asked for, and what became of it. */
export function publishUsage (request: FastifyRequest, outcome: VersionUsage['outcome']): void {
  if (!usage.hasSubscribers) return
  const scheme = request.versioningScheme as VersioningScheme
  const event: VersionUsage = {
    request,
    version: boundedVersion(request.version, scheme),
    requested: shortened(requestedVersion(request, scheme)),
    outcome,
    scheme: nameOf(scheme),
    route: request.routeOptions.url as string
  }
  usage.publish(event)
}

/** One of those that the owner has written; what is permitted because all is may be anything. */
function boundedVersion (version: string | null, { allowedVersions, defaultVersion }: VersioningScheme): string | null {
  return version === defaultVersion || allowedVersions?.includes(version) ? version : null
}

function requestedVersion (request: FastifyRequest, scheme: VersioningScheme): unknown {
  try {
    if (scheme.requestedVersion !== undefined) return scheme.requestedVersion(request)
    return scheme.readVersion === undefined ? request.version : scheme.readVersion(request.raw)
  } catch {
    return null
  }
}

function shortened (requested: unknown): string | null {
  ignoreRejection(requested)
  return typeof requested === 'string' ? requested.slice(0, MAX_REQUESTED_LENGTH).toWellFormed() : null
}

import diagnosticsChannel from 'node:diagnostics_channel'

import { requestedVersion } from './asking.ts'

import type { VersionUsage } from '../../types/index.d.ts'
import type { Asking } from './asking.ts'

/** The channel of usage events. */
export const usage = diagnosticsChannel.channel('fastify-versioning:version')

/** Publishes the usage event of a request. Call it if there are subscribers. */
export function publishUsage (asking: Asking, outcome: VersionUsage['outcome']): void {
  const { request, scheme, by } = asking
  const { version } = request
  const requested = requestedVersion(asking)
  // If every version is allowed, a client may send anything.
  const isListed = version === scheme.defaultVersion || scheme.allowedVersions?.includes(version)
  const event: VersionUsage = {
    request,
    version: isListed ? version : null,
    requested,
    isDefault: requested === null && asking.version !== null,
    outcome,
    reason: asking.reason,
    place: requested === null ? null : by.place,
    scheme: scheme.label,
    route: request.routeOptions.url as string
  }
  usage.publish(event)
}

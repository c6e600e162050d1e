import { servedAt } from './served-versions.ts'
import { successorLinks } from './successors.ts'

import type { FastifyReply } from 'fastify'
import type { Retirement } from '../options/lifecycle.ts'
import type { Arrival } from '../passage.ts'
import type { Served, ServedUrl, VersionReport } from './served-versions.ts'

/** Says in the headers of a response how its version or its URL is retired (RFC 9745, RFC 8594). */
export function addDates (reply: FastifyReply, { deprecation, sunset }: Retirement): void {
  if (deprecation !== null) reply.header('deprecation', deprecation)
  if (sunset !== null) reply.header('sunset', sunset)
}

/**
 * Returns links to the page about a retirement, and to the versions that follow (RFC 5829): link-values, as in a
 * header, or `''`.
 *
 * @param now milliseconds since the epoch
 */
export function linksOf (arrival: Arrival, { deprecation, sunset, links }: Retirement, now: number): string {
  // A preview without dates is not retired.
  const successors = deprecation === null && sunset === null ? '' : successorLinks(arrival, now)
  return links === '' || successors === '' ? links + successors : `${links}, ${successors}`
}

/** Lists the versions in which a URL is served, and the deprecated ones among them, if the app reports them. */
export function addReport (arrival: Arrival, now: number): void {
  const { context, reply, scheme } = arrival
  if (!context.reportVersions || scheme.listedVersions.length === 0) return
  const served = servedAt(arrival)
  let { report } = served
  if (report === null || !(now >= report.from && now < report.until)) served.report = report = reportAt(served, now)
  const { supported, deprecated } = report
  if (supported !== '') reply.header('api-supported-versions', supported)
  if (deprecated !== '') reply.header('api-deprecated-versions', deprecated)
}

function reportAt ({ versions }: ServedUrl, now: number): VersionReport {
  const supported = versions.filter(({ goneAt, isListed, isPreview }) => now < goneAt && isListed && !isPreview)
  const deprecated = supported.filter(({ retirement }) => retirement !== undefined && now >= retirement.deprecatedAt)
  const instants = versions.flatMap(({ goneAt, retirement }) => [goneAt, retirement?.deprecatedAt ?? Infinity])
  return {
    from: now,
    until: Math.min(...instants.filter((instant) => instant > now), Infinity),
    supported: versionList(supported),
    deprecated: versionList(deprecated)
  }
}

function versionList (served: readonly Served[]): string {
  return served.map(({ version }) => version).filter((version) => version !== null).join(', ')
}

import { VersionError } from '../errors.ts'
import { keepLinks } from '../http/kept.ts'
import { successorLinks } from './successors.ts'

import type { FastifyReply } from 'fastify'
import type { Retirement } from '../options/lifecycle.ts'
import type { Arrival, Served } from './served.ts'

/**
 * Says in the headers of a response how its version is retired (RFC 9745, RFC 8594), and which ones follow (RFC 5829).
 *
 * @param served the versions of the URL
 * @param now milliseconds since the epoch
 */
export function addRetirement (arrival: Arrival, retirement: Retirement, served: readonly Served[], now: number): void {
  const { reply } = arrival
  const { deprecation, sunset } = retirement
  if (deprecation !== null) reply.header('deprecation', deprecation)
  if (sunset !== null) reply.header('sunset', sunset)
  // A preview may have no date.
  const isRetired = deprecation !== null || sunset !== null
  const successors = isRetired ? successorLinks(arrival, served, now) : null
  const links = successors === null ? retirement.links : [...retirement.links, ...successors]
  if (links.length > 0) keepLinks(reply, links)
}

/**
 * A cache must not keep a 410 of a version, because a retirement can be taken back. It does not matter who throws it.
 * An error handler that answers it finds the header on the reply.
 */
export function forbidStoring (reply: FastifyReply, error: unknown): void {
  if (error instanceof VersionError && error.kind === 'gone') reply.header('cache-control', 'no-store')
}

/** What the lists of versions say between two instants, in milliseconds since the epoch. */
interface Report {
  readonly from: number
  readonly until: number
  readonly supported: string
  readonly deprecated: string
}

/** By the versions of a URL. They change at few instants, and every response says them. */
const reports = new WeakMap<readonly Served[], Report>()

/** Lists the versions in which a URL is served, and the ones among them that are deprecated. */
export function addReport (reply: FastifyReply, served: readonly Served[], now: number): void {
  let report = reports.get(served)
  if (report === undefined || !(now >= report.from && now < report.until)) {
    report = reportAt(served, now)
    reports.set(served, report)
  }
  const { supported, deprecated } = report
  if (supported !== '') reply.header('api-supported-versions', supported)
  if (deprecated !== '') reply.header('api-deprecated-versions', deprecated)
}

function reportAt (served: readonly Served[], now: number): Report {
  const supported = served.filter(({ goneAt, isPreview }) => now < goneAt && !isPreview)
  const deprecated = supported.filter(({ retirement }) => retirement !== undefined && now >= retirement.deprecatedAt)
  const instants = served.flatMap(({ goneAt, retirement }) => [goneAt, retirement?.deprecatedAt ?? Infinity])
  return {
    from: now,
    until: Math.min(Infinity, ...instants.filter((instant) => instant > now)),
    supported: listOf(supported),
    deprecated: listOf(deprecated)
  }
}

function listOf (served: readonly Served[]): string {
  return served.map(({ version }) => version).filter((version) => version !== null).join(', ')
}

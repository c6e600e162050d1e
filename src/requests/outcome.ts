import { readClock } from '../lifecycle/clock.ts'
import { addEnding } from '../lifecycle/headers.ts'
import { VersionGoneError } from '../errors.ts'
import { existingVersions } from '../lifecycle/served.ts'
import { isGone } from '../options/lifecycle.ts'
import { setProblem } from './problem.ts'
import { endingOfRoute } from '../boot/route-config.ts'
import { isVersionError, withStatus } from '../options/status-codes.ts'
import { publishUsage } from './usage.ts'
import { reportOf } from '../lifecycle/report.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/**
 * To be called once the version of a request is known: says how it ends.
 *
 * @throws FST_ERR_VERSION_GONE (410) where that is enforced
 */
export function admit (request: FastifyRequest, reply: FastifyReply, context: VersioningContext): void {
  const ending = endingOf(request, context)
  const isTimed = (ending !== undefined && context.enforceSunset) || isReportTimed(context)
  const now = isTimed ? readClock(context) : 0
  if (context.reportVersions) report(request, reply, context, now)
  if (ending !== undefined) {
    addEnding(request, reply, ending, context, now)
    if (context.enforceSunset && isGone(ending, now)) throw gone(request, ending, context)
  }
  publishUsage(request, 'ok')
}

/**
 * To be called where no version is permitted.
 *
 * @param error as the scheme has thrown it; what is not the client's mistake stays as it is
 * @returns the error to be thrown
 */
export function refuse (
  request: FastifyRequest, reply: FastifyReply, error: unknown, context: VersioningContext
): unknown {
  if (!isOfClient(error)) return error
  if (context.reportVersions) report(request, reply, context, isReportTimed(context) ? readClock(context) : 0)
  publishUsage(request, 'refused')
  return asConfigured(request, error, context)
}

/** Whether the clock has a say in what is reported. */
function isReportTimed ({ reportVersions, lifecycle, uses }: VersioningContext): boolean {
  return reportVersions && (lifecycle !== null || uses.routeEndings)
}

function report (request: FastifyRequest, reply: FastifyReply, context: VersioningContext, now: number): void {
  reportOf(existingVersions(request, context), context).addTo(reply, now)
}

/** Of the route, or else of the version. */
function endingOf (request: FastifyRequest, { lifecycle, uses }: VersioningContext): Ending | undefined {
  const own = uses.routeEndings ? endingOfRoute(request) : undefined
  if (own !== undefined || lifecycle === null || request.version === null) return own
  return lifecycle.get(request.version)
}

function gone (request: FastifyRequest, { message }: Ending, context: VersioningContext): unknown {
  const { allowedVersions } = request.versioningScheme as VersioningScheme
  publishUsage(request, 'gone')
  return asConfigured(request, new VersionGoneError(message as string, allowedVersions), context)
}

function asConfigured (
  request: FastifyRequest, error: unknown, { problemBase, statusCodes }: VersioningContext
): unknown {
  if (!isVersionError(error)) return error
  const configured = withStatus(error, statusCodes)
  if (problemBase !== null) setProblem(request, configured, problemBase)
  return configured
}

/** By the status that Fastify would answer. */
function isOfClient (error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { statusCode, status = 500 } = error as { readonly statusCode?: unknown, readonly status?: unknown }
  const code = Number(statusCode ?? status)
  return code >= 400 && code < 500
}

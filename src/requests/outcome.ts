import { VersionGoneError, VersionInvalidError, refusalKindOf } from '../errors.ts'
import { keep } from '../http/head.ts'
import { readClock } from '../lifecycle/clock.ts'
import { addEnding } from '../lifecycle/headers.ts'
import { serverIn } from '../routing/slots.ts'
import { invalid } from '../scheme.ts'
import { answeredNow, refusalFor, servedFor, versionsOr } from './asking.ts'
import { setProblem } from './problem.ts'
import { tellServedVersion } from './served-version.ts'
import { publishUsage, requestedVersion } from './usage.ts'

import type { Refusal, RefusalKind } from '../errors.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Group } from '../routes.ts'
import type { Asking } from './asking.ts'

/**
 * Gives a request its version, and says in the response how the version ends.
 *
 * @param version as the scheme has determined it
 * @throws FST_ERR_VERSION_INVALID (500) where it is not a version
 * @throws the error of a refusal, where the URL does not serve it
 * @throws FST_ERR_VERSION_GONE (410) where it is gone and that is enforced
 */
export function accept (asking: Asking, version: unknown): void {
  const { request, reply, context, route, scheme } = asking
  if (version !== null && typeof version !== 'string') throw invalid(scheme, version)
  const group = route?.groups?.get(request.method)
  if (group?.slot.scheme === scheme) checkServed(asking, group, version)
  request.version = version
  if (context.logVersion) request.log = reply.log = request.log.child({ version })
  const ending = route?.ending ?? context.lifecycle?.get(version as string)
  if (ending !== undefined || isReporting(asking)) announce(asking, ending)
  const { servedVersion } = context
  if (version !== null && servedVersion !== null) tellServedVersion(request, reply, version, servedVersion)
  publishUsage(asking, 'ok')
}

/**
 * To be called where no version is accepted.
 *
 * @param error what was thrown; what is not the client's mistake stays as it is
 * @returns the error to be thrown
 */
export function refuse (asking: Asking, error: unknown): unknown {
  const { request, reply, context } = asking
  if (error instanceof VersionInvalidError) request.log.error({ value: error.shownValue }, error.message)
  if (!isOfClient(error)) return error
  const requested = requestedVersion(asking)
  // What Fastify logs of the error does not say what the client asked for.
  if (requested !== null) request.log = reply.log = request.log.child({ requestedVersion: requested })
  if (isReporting(asking)) {
    const { report } = servedFor(asking)
    report.addTo(reply, report.isTimed ? readClock(context) : 0)
  }
  publishUsage(asking, error instanceof VersionGoneError ? 'gone' : 'refused')
  const kind = refusalKindOf(error)
  if (kind === undefined) return error
  const refusal = asConfigured(asking, kind, error as Refusal)
  if (context.problemDetails !== null) setProblem(request, refusal, context.problemDetails)
  return refusal
}

/**
 * Refuses a version that the URL does not serve, and one by which the router would have chosen another route: a proxy
 * may forward another host than the router saw.
 */
function checkServed (asking: Asking, group: Group, version: string | null): void {
  const server = serverIn(group, version)
  if (server === asking.route) return
  const { plain } = group.slot
  const isServed = server !== null || (plain !== null && serverIn(plain, version) !== null)
  if (isServed) throw refusalFor(asking)
  const answered = answeredNow(asking)
  const how = answered.length === 0 ? 'without a version' : `in ${answered.join(', ')}`
  throw refusalFor(asking, `This URL is served ${how}.`)
}

/** Says which versions there are, and how the version of the request ends. */
function announce (asking: Asking, ending: Ending | undefined): void {
  const { request, reply, context, scheme } = asking
  const { enforceSunset } = context
  const isReported = isReporting(asking)
  const served = servedFor(asking)
  const isTimed = served.isTimed || (enforceSunset && ending !== undefined)
  const now = isTimed || (isReported && served.report.isTimed) ? readClock(context) : 0
  if (ending !== undefined) {
    const links = addEnding(request, reply, scheme, ending, served, now)
    if (links !== null) keep(reply, links)
    if (enforceSunset && ending.sunsetAt !== null && now >= ending.sunsetAt) {
      const answered = served.answeredAt(now)
      const versions = answered.length === 0 ? scheme.allowedVersions : answered
      throw new VersionGoneError(ending.message as string, versions, context.statusCodes.gone)
    }
  }
  if (isReported) served.report.addTo(reply, now)
}

/** Where every version is permitted there is no list of versions. */
function isReporting ({ scheme: { allowedVersions }, context }: Asking): boolean {
  return context.reportVersions && allowedVersions !== null && allowedVersions.length > 0
}

/** By the status that Fastify would answer. */
function isOfClient (error: unknown): boolean {
  const { statusCode, status } = Object(error) as { readonly statusCode?: unknown, readonly status?: unknown }
  const code = Number(statusCode ?? status)
  return code >= 400 && code < 500
}

/**
 * A refusal with the status that is configured for its kind, and with the versions that the URL answers now. One that a
 * scheme has made itself, and may throw again elsewhere, is not changed: another error takes it as its prototype.
 */
function asConfigured (asking: Asking, kind: RefusalKind, error: Refusal): Refusal {
  const { scheme, context } = asking
  const { allowedVersions: given, statusCode: own } = error
  const statusCode = context.statusCodes[kind] ?? own
  const isOfScheme = [scheme, ...scheme.members].some(({ allowedVersions }) => given === allowedVersions)
  const versions = isOfScheme ? versionsOr(given, asking) : given
  if (statusCode === own && versions?.join() === given?.join()) return error
  const property = { configurable: true, enumerable: true, writable: true }
  return Object.create(error, {
    statusCode: { ...property, value: statusCode },
    allowedVersions: { ...property, value: versions }
  })
}

import { VersionGoneError, VersionInvalidError, refusalKindOf } from '../errors.ts'
import { keep } from '../http/head.ts'
import { readClock } from '../lifecycle/clock.ts'
import { addEnding } from '../lifecycle/headers.ts'
import { servedVersions } from '../lifecycle/served.ts'
import { invalid, refusalOf } from '../routing/reading.ts'
import { serverIn } from '../routing/slots.ts'
import { setProblem } from './problem.ts'
import { tellServedVersion } from './served-version.ts'
import { publishUsage, requestedVersion } from './usage.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Refusal } from '../errors.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Group, Route } from '../routes.ts'
import type { AllowedVersions, VersioningScheme } from '../../types/index.d.ts'

/**
 * Gives a request its version, and says in the response how the version ends.
 *
 * @param version as the scheme has determined it
 * @param read what its `readVersion` returned; undefined where that was not called
 * @param route undefined where no route of the app has a scheme, an ending or versions of its own
 * @throws FST_ERR_VERSION_INVALID (500) where it is not a version
 * @throws what the scheme's `refusal` returns, where the URL does not serve it
 * @throws FST_ERR_VERSION_GONE (410) where it is gone and that is enforced
 */
export function accept (
  request: FastifyRequest, reply: FastifyReply, version: unknown, read: unknown, context: VersioningContext,
  route: Route | undefined
): void {
  const scheme = request.versioningScheme as VersioningScheme
  if (version !== null && typeof version !== 'string') throw invalid(scheme, version)
  const group = route?.groups?.get(request.method)
  if (group?.slot.scheme === scheme) checkServed(request, route as Route, group, version, context)
  request.version = version
  if (context.logVersion) request.log = reply.log = request.log.child({ version })
  const ending = route?.ending ?? context.lifecycle?.get(version as string)
  if (ending !== undefined || isReporting(scheme, context)) announce(request, reply, ending, context, route)
  const { servedVersion } = context
  if (version !== null && servedVersion !== null) tellServedVersion(request, reply, version, servedVersion)
  publishUsage(request, 'ok', read)
}

/**
 * To be called where no version is accepted.
 *
 * @param error what was thrown; what is not the client's mistake stays as it is
 * @param read as for `accept`
 * @returns the error to be thrown
 */
export function refuse (
  request: FastifyRequest, reply: FastifyReply, error: unknown, read: unknown, context: VersioningContext,
  route: Route | undefined
): unknown {
  if (error instanceof VersionInvalidError) request.log.error({ value: error.shownValue }, error.message)
  if (!isOfClient(error)) return error
  const scheme = request.versioningScheme as VersioningScheme
  const requested = requestedVersion(request, scheme, read)
  // What Fastify logs of the error does not say what the client asked for.
  if (requested !== null) request.log = reply.log = request.log.child({ requestedVersion: requested })
  const served = servedVersions(route, request.method, scheme, request.version, context)
  const isReported = isReporting(scheme, context)
  const now = served.isTimed || (isReported && served.report.isTimed) ? readClock(context) : 0
  if (isReported) served.report.addTo(reply, now)
  publishUsage(request, error instanceof VersionGoneError ? 'gone' : 'refused', read)
  const kind = refusalKindOf(error)
  if (kind === undefined) return error
  const refusal = asConfigured(error as Refusal, scheme, served.answeredAt(now), context.statusCodes[kind])
  if (context.problemDetails !== null) setProblem(request, refusal, context.problemDetails)
  return refusal
}

/**
 * Refuses a version that the URL does not serve, and one by which the router would have chosen another route: a proxy
 * may forward another host than the router saw.
 */
function checkServed (
  request: FastifyRequest, route: Route, group: Group, version: string | null, context: VersioningContext
): void {
  const server = serverIn(group, version)
  if (server === route) return
  const scheme = request.versioningScheme as VersioningScheme
  const { plain } = group.slot
  const isServed = server !== null || (plain !== null && serverIn(plain, version) !== null)
  if (isServed) throw refusalOf(scheme, request)
  const served = servedVersions(route, request.method, scheme, version, context)
  const answered = served.answeredAt(served.isTimed ? readClock(context) : 0).filter((one) => one !== null)
  const how = answered.length === 0 ? 'without a version' : `in ${answered.join(', ')}`
  throw refusalOf(scheme, request, `This URL is served ${how}.`)
}

/** Says which versions there are, and how the version of the request ends. */
function announce (
  request: FastifyRequest, reply: FastifyReply, ending: Ending | undefined, context: VersioningContext,
  route: Route | undefined
): void {
  const { enforceSunset } = context
  const scheme = request.versioningScheme as VersioningScheme
  const isReported = isReporting(scheme, context)
  const served = servedVersions(route, request.method, scheme, request.version, context)
  const isTimed = served.isTimed || (enforceSunset && ending !== undefined)
  const now = isTimed || (isReported && served.report.isTimed) ? readClock(context) : 0
  if (ending !== undefined) {
    const links = addEnding(request, reply, ending, served, now)
    if (links !== null) keep(reply, links)
    if (enforceSunset && ending.sunsetAt !== null && now >= ending.sunsetAt) {
      throw new VersionGoneError(ending.message as string, scheme.allowedVersions)
    }
  }
  if (isReported) served.report.addTo(reply, now)
}

/** Where every version is permitted there is no list of versions. */
function isReporting ({ allowedVersions }: VersioningScheme, { reportVersions }: VersioningContext): boolean {
  return reportVersions && (allowedVersions?.length ?? 0) > 0
}

/** By the status that Fastify would answer. */
function isOfClient (error: unknown): boolean {
  const { statusCode, status } = Object(error) as { readonly statusCode?: unknown, readonly status?: unknown }
  const code = Number(statusCode ?? status)
  return code >= 400 && code < 500
}

/**
 * The refusal with the status configured for its kind, and with the versions that the URL answers now.
 *
 * @param answered none: no list says which they are
 */
function asConfigured (
  error: Refusal, scheme: VersioningScheme, answered: AllowedVersions, statusCode = error.statusCode
): Refusal {
  const given = error.allowedVersions
  const isOfScheme = given === scheme.allowedVersions ||
    scheme.schemes?.some(({ allowedVersions }) => given === allowedVersions)
  const versions = !isOfScheme || answered.length === 0 || answered.join() === given?.join() ? given : answered
  if (statusCode === error.statusCode && versions === error.allowedVersions) return error
  return copyOf(error, statusCode, versions)
}

/** A scheme may throw one error again and again, at URLs that want it different. */
function copyOf (error: Refusal, statusCode: number, allowedVersions: AllowedVersions | null): Refusal {
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  const { stack: _own, ...descriptors } = Object.getOwnPropertyDescriptors(error)
  const property = { configurable: true, enumerable: true, writable: true }
  return Object.defineProperties(copy, {
    ...descriptors,
    // An accessor in newer versions of Node, which works for its own error alone.
    stack: { configurable: true, get: () => error.stack },
    statusCode: { ...property, value: statusCode },
    allowedVersions: { ...property, value: allowedVersions }
  })
}

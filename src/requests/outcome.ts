import { VersionError, VersionInvalidError } from '../errors.ts'
import { addEnding, addReport } from '../lifecycle/headers.ts'
import { servedVersions } from '../lifecycle/served.ts'
import { routeIn } from '../routing/slots.ts'
import { disagreement, explanation, invalid } from '../scheme-errors.ts'
import { keptRead } from '../scheme.ts'
import { answeredOr, refusalFor, requestedVersion } from './asking.ts'
import { checkGone } from './gone.ts'
import { addServedVersion } from './served-version.ts'
import { publishUsage, usage } from './usage.ts'

import type { Group, Route } from '../routes.ts'
import type { Asking } from './asking.ts'

/**
 * Gives a request its version, and adds to the response how the version ends.
 *
 * @param version as the scheme has determined it
 * @throws FST_ERR_VERSION_INVALID (500) where it is not a version
 * @throws the error of a refusal, where the URL does not serve it
 * @throws FST_ERR_VERSION_GONE (410) where it is gone and that is enforced
 */
export function accept (asking: Asking, version: unknown): void {
  const { request, reply, context, route, group, scheme } = asking
  if (version !== null && typeof version !== 'string') throw invalid(scheme, version)
  asking.version = version
  if (group?.slot.scheme === scheme) {
    if (!asking.by.isTrusted) checkAgreement(asking, version)
    const server = routeIn(group, version)
    if (server !== route) throw unserved(asking, group, server, version)
  }
  request.version = version
  if (context.logVersion) request.log = reply.log = request.log.child({ version })
  const ending = route?.ending ?? context.lifecycle?.get(version as string)
  const isReported = context.reportVersions && Boolean(scheme.allowedVersions?.length)
  if (ending !== undefined || isReported) {
    const served = servedVersions(asking)
    const now = context.now()
    if (ending !== undefined) {
      addEnding(asking, ending, served, now)
      checkGone(asking, ending, now)
    }
    if (isReported) addReport(reply, served, now)
  }
  const { servedVersion } = context
  if (version !== null && servedVersion !== null) addServedVersion(reply, version, servedVersion)
  if (usage.hasSubscribers) publishUsage(asking, 'ok')
}

/**
 * Call it if no version is accepted.
 *
 * @param error what was thrown; what is not the client's mistake stays as it is
 * @returns the error to be thrown
 */
export function refuse (asking: Asking, error: unknown): unknown {
  const { request, reply, context } = asking
  if (error instanceof VersionInvalidError) request.log.error({ value: error.shownValue }, error.message)
  if (!isOfClient(error)) return error
  const requested = requestedVersion(asking)
  // Fastify's log line of the error does not show what the client specified.
  if (requested !== null) request.log = reply.log = request.log.child({ requestedVersion: requested })
  if (context.reportVersions && asking.scheme.allowedVersions?.length) {
    addReport(reply, servedVersions(asking), context.now())
  }
  const isRefusal = error instanceof VersionError
  const ofError = isRefusal ? error.reason : null
  asking.reason ??= ofError ?? (requested === null ? 'missing' : 'unsupported')
  if (usage.hasSubscribers) publishUsage(asking, isRefusal && error.kind === 'gone' ? 'gone' : 'refused')
  return isRefusal && error !== asking.refusal ? completed(asking, error) : error
}

/**
 * The refusal of a version that the URL does not serve, or by which the router would have chosen another route. A proxy
 * may forward another host than the router saw.
 *
 * @param server who serves it among the routes with the same other constraints, or null
 */
function unserved (asking: Asking, { slot: { plain } }: Group, server: Route | null, version: string | null): Error {
  const isServed = server !== null || (plain !== null && routeIn(plain, version) !== null)
  if (isServed) return refusalFor(asking, 'unserved')
  const answered = answeredOr([], asking).filter((one) => one !== null)
  const message = `This URL is served ${answered.length === 0 ? 'without a version' : `in ${answered.join(', ')}`}.`
  if (version !== null) return refusalFor(asking, 'unserved', message)
  return refusalFor(asking, 'missing', asking.scheme.members[0].isExplaining ? undefined : message)
}

/**
 * If versions choose handlers, the router has only called `readVersion`.
 *
 * @throws FST_ERR_VERSION_INVALID (500) where the scheme has determined another version
 */
function checkAgreement ({ request, scheme, by, read: readOfList }: Asking, version: string | null): void {
  const kept = scheme.isList ? readOfList : keptRead(request)
  const found = kept === undefined ? scheme.find(request) : by.meantBy(kept)
  const read = found === null ? scheme.defaultFor(request) : found
  if (read !== version) throw disagreement(by, version)
}

/** By the status that Fastify would answer. */
function isOfClient (error: unknown): boolean {
  const { statusCode, status } = Object(error) as { readonly statusCode?: unknown, readonly status?: unknown }
  const code = Number(statusCode ?? status)
  return code >= 400 && code < 500
}

/**
 * A refusal with the versions that the URL answers now. One that a scheme has made itself, and may throw again
 * elsewhere, is not changed: another error takes it as its prototype.
 */
function completed (asking: Asking, error: VersionError): VersionError {
  const { scheme } = asking
  const { allowedVersions: given } = error
  const [refusing] = asking.by.members
  const isOfScheme = [scheme, ...scheme.members].some(({ allowedVersions }) => given === allowedVersions)
  const versions = isOfScheme ? answeredOr(given, asking) : given
  const isExplained = refusing.isExplaining && error.message === refusing.source.invalidVersionMessage
  const message = isExplained ? explanation(refusing, requestedVersion(asking), versions) : error.message
  const isSame = message === error.message && asking.reason === error.reason
  if (isSame && versions?.join() === given?.join()) return error
  const property = { configurable: true, enumerable: true, writable: true }
  return Object.create(error, {
    message: { ...property, value: message, enumerable: false },
    reason: { ...property, value: asking.reason },
    allowedVersions: { ...property, value: versions }
  })
}

import { TEXT, VersionError, VersionInvalidError, copyOfRefusal, noteRefusal } from '../errors.ts'
import { addDates, addReport, linksOf } from '../lifecycle/headers.ts'
import { goneFrom, servedAt } from '../lifecycle/served-versions.ts'
import { isThenable } from '../promises.ts'
import { routeIn } from '../routes.ts'
import { invalidReturn, refusalBy, ownRefusalOf } from '../schemes/reading.ts'
import { keepLinks } from './head.ts'
import { answeredTo, completeText, sentenceOf, unservedText } from './refusal-text.ts'
import { reportUsage, requestedVersion } from './usage.ts'
import { hostsOf, warnRouted, warnUnpermitted, warnUnresolved } from './warnings.ts'

import type { FastifyReply } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Arrival } from '../passage.ts'
import type { Retirement } from '../options/lifecycle.ts'
import type { AllowedVersions, RefusalReason } from '../../types/index.d.ts'

/** The versions that fit into a header (RFC 9110, section 5.5). If all are allowed, a version is the client's text. */
const FIELD_VALUE = /^[!-~](?:[ !-~]{0,254}[!-~])?$/

/**
 * Gives a request its version, and adds to the response how the version is retired.
 *
 * @param version as the scheme has determined it
 * @throws FST_ERR_VERSION_INVALID (500) where it is not a version
 * @throws the error of a refusal, where the URL does not serve the version
 * @throws FST_ERR_VERSION_GONE (410) where the version is retired and `enforceSunset` is set
 */
export function accept (arrival: Arrival, version: unknown): void {
  const { request, reply, context, route, slot, scheme } = arrival
  if (version !== null && typeof version !== 'string') throw invalidReturn(scheme, version)
  if (scheme.isDetermined) warnUnpermitted(context, scheme, version)
  // Whatever the router has read, no route answers a version that it does not serve.
  if (slot !== null && routeIn(slot, version) !== route) throw unserved(arrival, version)
  arrival.version = version
  if (context.logVersion) request.log = reply.log = request.log.child({ version })
  const retirement = route.retirement ?? context.lifecycle?.get(version as string)
  if (retirement !== undefined || context.reportVersions) {
    const now = context.now()
    if (retirement !== undefined) {
      addDates(reply, retirement)
      keepLinks(reply, linksOf(arrival, retirement, now))
      if (now >= goneFrom(context, retirement)) throw goneBy(retirement, sentenceOf(answeredTo(arrival, now)))
    }
    addReport(arrival, now)
  }
  const { servedVersion } = context
  if (version !== null && servedVersion !== null && FIELD_VALUE.test(version)) reply.header(servedVersion, version)
  reportUsage(arrival, 'ok', null)
}

/** Returns a 410. Its text leads to the page of the retirement: authors of clients read bodies rather than headers. */
function goneBy ({ subject, sunset, info }: Retirement, versions: string): Error {
  const more = info === null ? '' : ` More: ${info}`
  return new VersionError('gone', `${subject} was retired on ${sunset}.${versions}${more}`)
}

/**
 * Adds to the response of a route without versions how its URL is retired.
 *
 * @throws FST_ERR_VERSION_GONE (410) where the route is retired and `enforceSunset` is set
 */
export function retire (reply: FastifyReply, context: VersioningContext, retirement: Retirement): void {
  addDates(reply, retirement)
  keepLinks(reply, retirement.links)
  if (context.now() < goneFrom(context, retirement)) return
  throw goneBy(retirement, '')
}

/**
 * Completes the refusal of a request, and reports it.
 *
 * @param error what was thrown: an error that is not the client's mistake stays as it is
 * @returns the error to be thrown
 */
export function refuse (arrival: Arrival, error: unknown): unknown {
  const { request, context, scheme } = arrival
  // Fastify takes null and undefined for no error, and would serve the request.
  if (error === undefined || error === null || isThenable(error)) return refuse(arrival, invalidReturn(scheme, error))
  if (error instanceof VersionInvalidError) request.log.error({ value: error.shownValue }, error.message)
  const isOurs = error instanceof VersionError
  if (!isOurs && !isAnswered4xx(error)) return error
  const now = context.now()
  addReport(arrival, now)
  const requested = requestedVersion(arrival)
  // Without `readVersion`, the plugin does not know what the request specifies.
  const isMissing = requested === null && scheme.clientDefault === null && scheme.author.readVersion !== undefined
  const reason = (isOurs ? error.reason : null) ?? (isMissing ? 'missing' : 'unsupported')
  const refusal = isOurs ? completed(error, arrival, requested, reason, now) : error as object
  if (!isOurs) noteRefusal(refusal)
  if (reason === 'unsupported') warnUnresolved(context, scheme, requested)
  reportUsage(arrival, isOurs && error.kind === 'gone' ? 'gone' : 'refused', reason, requested)
  return refusal
}

/** Returns a copy of an error, with the versions of this URL: a scheme may throw one error for many requests. */
function completed (
  error: VersionError, arrival: Arrival, requested: string | null, reason: RefusalReason, now: number
): VersionError {
  const { scheme } = arrival
  const refusal = copyOfRefusal(error)
  const { allowedVersions: ofRefusal } = refusal
  const authors = [scheme, ...scheme.members].map(({ author }) => author)
  const isOfScheme = ofRefusal === null || authors.some(({ allowedVersions }) => allowedVersions === ofRefusal)
  if (isOfScheme) refusal.allowedVersions = versionsFor(arrival, now)
  refusal.reason = reason
  refusal.message = completeText(arrival, refusal, requested)
  // If the app throws the error again, it is not completed again. Its printed form does not show this property.
  return Object.defineProperty(refusal, TEXT, { value: undefined, enumerable: false })
}

/** Returns the versions that a refusal lists, or null if every version is allowed. */
function versionsFor (arrival: Arrival, now: number): AllowedVersions | null {
  const { versions, linked } = servedAt(arrival)
  // A namespace that is not allowed serves no versions. Its counterparts do.
  const served = versions.length > 0 ? versions : linked
  return served.length > 0 || arrival.scheme.allowedVersions?.length ? answeredTo(arrival, now, served) : null
}

/** Returns the refusal of a version that the URL does not serve, or by which the router has chosen another route. */
function unserved (arrival: Arrival, version: string | null): Error {
  const { context, request, reply } = arrival
  const hosts = hostsOf(arrival)
  if (hosts !== null) request.log = reply.log = request.log.child({ hosts })
  const answered = answeredTo(arrival, context.now())
  if (hosts === null && version !== null && answered.includes(version)) warnRouted(arrival, version)
  const scheme = arrival.scheme.readerFor(request)
  // In the places of other members of a list, clients may find versions that the URL serves.
  const isElsewhere = answered.length === 0 && arrival.scheme.isList
  const hasOwnText = isElsewhere || answered.includes(version) || (version === null && scheme.mayNameVersions)
  const refusal = hasOwnText
    ? refusalBy(scheme.author, request)
    : ownRefusalOf(scheme.author, unservedText(arrival, answered), request)
  if (refusal instanceof VersionError) refusal.reason = version === null ? 'missing' : 'unserved'
  return refusal
}

/** Tells whether Fastify answers an error with a 4xx. */
function isAnswered4xx (error: unknown): boolean {
  const { statusCode, status } = Object(error) as { readonly statusCode?: unknown, readonly status?: unknown }
  const code = [statusCode, status].map(Number).find((number) => number >= 400 && number <= 599) ?? 500
  return code < 500
}

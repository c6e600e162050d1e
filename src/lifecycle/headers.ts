import { linkMembers, linkValue } from '../http/headers.ts'
import { toUriText } from '../http/uri.ts'
import { CheckedOptions } from '../links/link-options.ts'
import { tryLink } from '../links/reverse.ts'
import { ignoreRejection } from '../routing/reading.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Served } from './report.ts'
import type { ServedVersions } from './served.ts'
import type { Members } from '../http/headers.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

const NONE: readonly string[] = Object.freeze([])

/**
 * Says in the headers of a response how its version ends (RFC 9745, RFC 8594).
 *
 * @param now milliseconds since the epoch
 * @returns the links that the response is to hold (RFC 5829); null: none
 */
export function addEnding (
  request: FastifyRequest, reply: FastifyReply, ending: Ending, served: ServedVersions, now: number
): Members | null {
  if (ending.deprecation !== null) reply.header('deprecation', ending.deprecation)
  if (ending.sunset !== null) reply.header('sunset', ending.sunset)
  const links = [...ownLinks(ending, now), ...successorLinks(request, served, now)]
  return links.length === 0 ? null : linkMembers(links)
}

/** The links of its `info`; the last of them announce the brownouts. */
function ownLinks ({ links, infos, brownouts }: Ending, now: number): readonly string[] {
  const attribute = brownouts?.attributeAt(now) ?? ''
  if (attribute === '') return links
  return links.map((link, i) => i < links.length - infos.length ? link : link + attribute)
}

/**
 * Links from the route of a request to itself in the next version, and in the latest (RFC 5829, section 3), as far as
 * it is there and not gone. None where a URL does not say the version.
 */
function successorLinks (
  request: FastifyRequest, { list }: ServedVersions, now: number
): readonly string[] {
  const { isInLinks = false, vary, allowedVersions, schemes } = request.versioningScheme as VersioningScheme
  if (!isInLinks && typeof vary === 'string') return NONE
  // Without a list the versions of a URL have no release order.
  if ((allowedVersions?.length ?? 0) === 0) return NONE
  const current = list.findIndex(({ version }) => version === request.version)
  if (current === -1) return NONE
  const later = list.slice(current + 1).filter(({ goneAt, isPreview }) => now < goneAt && !isPreview)
  const own = [linkInto(request, request.version)]
  // After a header the URL of the response itself may be without a version.
  if (schemes !== undefined) own.push(linkInto(request, undefined))
  const successor = findLink(request, later, own)
  if (successor === null) return NONE
  const latest = findLink(request, later.toReversed(), own) as string
  return [linkValue(successor, 'successor-version'), linkValue(latest, 'latest-version')]
}

/** The link into the first of the versions that has one which is not that of the response. */
function findLink (
  request: FastifyRequest, versions: readonly Served[], own: readonly (string | null)[]
): string | null {
  for (const { version } of versions) {
    const href = version === null ? null : linkInto(request, version)
    if (href !== null && !own.includes(href)) return href
  }
  return null
}

/** In ASCII; null where there is no such route, or none can be linked to. */
function linkInto (request: FastifyRequest, version: string | null | undefined): string | null {
  const scheme = request.versioningScheme as VersioningScheme
  try {
    const url: unknown = tryLink(scheme, null, new CheckedOptions(null, { version }, request, undefined, scheme))
    if (typeof url === 'string') return toUriText(url)
    ignoreRejection(url)
  } catch {}
  return null
}

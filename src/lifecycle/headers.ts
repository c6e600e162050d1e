import { keep } from '../http/head.ts'
import { linkMembers } from '../http/headers.ts'
import { successorLinks } from './successors.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServedVersions } from './served.ts'
import type { Members } from '../http/headers.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** The links of an ending, ready for a header. */
const ready = new WeakMap<readonly string[], Members>()

/**
 * Says in the headers of a response how its version ends (RFC 9745, RFC 8594), and which ones follow (RFC 5829).
 *
 * @param now milliseconds since the epoch
 */
export function addEnding (
  request: FastifyRequest, reply: FastifyReply, ending: Ending, served: ServedVersions, now: number
): void {
  const { deprecation, links, sunset } = ending
  if (deprecation !== null) reply.header('deprecation', deprecation)
  if (sunset !== null) reply.header('sunset', sunset)
  const { allowedVersions, isInLinks = false, vary } = request.versioningScheme as VersioningScheme
  // Without a list the versions of a URL have no release order.
  const isLinked = (isInLinks || typeof vary !== 'string') && (allowedVersions?.length ?? 0) > 0
  const successors = isLinked ? successorLinks(request, served, now) : null
  if (links.length === 0) {
    if (successors !== null) keep(reply, linkMembers(successors))
    return
  }
  const members = readyMembers(links)
  if (successors === null) return keep(reply, members)
  const [successor, latest] = successors
  keep(reply, linkMembers([...links, successor, latest], `${members.text}, ${successor}, ${latest}`))
}

function readyMembers (links: readonly string[]): Members {
  let members = ready.get(links)
  if (members === undefined) ready.set(links, members = linkMembers(links))
  return members
}

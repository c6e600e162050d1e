import { keep } from '../http/head.ts'
import { linkMembers } from '../http/members.ts'
import { successorLinks } from './successors.ts'

import type { Arrival, ServedVersions } from './served.ts'
import type { Members } from '../http/members.ts'
import type { Ending } from '../options/lifecycle.ts'

/** The links of endings, ready for a header. */
const ready = new WeakMap<Ending, Members>()

/**
 * Says in the headers of a response how its version ends (RFC 9745, RFC 8594), and which ones follow (RFC 5829).
 *
 * @param now milliseconds since the epoch
 */
export function addEnding (arrival: Arrival, ending: Ending, served: ServedVersions, now: number): void {
  const { reply } = arrival
  const { deprecation, sunset } = ending
  if (deprecation !== null) reply.header('deprecation', deprecation)
  if (sunset !== null) reply.header('sunset', sunset)
  const own = ownLinks(ending, now)
  const successors = successorLinks(arrival, served, now)
  if (successors === null) {
    if (own !== null) keep(reply, own)
    return
  }
  const [successor, latest] = successors
  const links = own === null ? successors : [...own.members, successor, latest]
  keep(reply, linkMembers(links, `${own === null ? '' : `${own.text}, `}${successor}, ${latest}`))
}

/** The links of its `info`, or null if there are none; the last of them announce the brownouts. */
function ownLinks (ending: Ending, now: number): Members | null {
  const { links, infos, brownouts } = ending
  if (links.length === 0) return null
  const attribute = brownouts === null ? '' : brownouts.at(now).attribute
  if (attribute !== '') {
    return linkMembers(links.map((link, i) => i < links.length - infos.length ? link : link + attribute))
  }
  let members = ready.get(ending)
  if (members === undefined) ready.set(ending, members = linkMembers(links))
  return members
}

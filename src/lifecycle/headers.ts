import { keepLinks } from '../http/kept.ts'
import { successorLinks } from './successors.ts'

import type { Arrival, ServedVersions } from './served.ts'
import type { Ending } from '../options/lifecycle.ts'

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
  const links = [...ownLinks(ending, now), ...successorLinks(arrival, served, now) ?? []]
  if (links.length > 0) keepLinks(reply, links)
}

/** The links of its `info`; the last of them announce the brownouts. */
function ownLinks ({ links, infos, brownouts }: Ending, now: number): readonly string[] {
  const attribute = brownouts === null ? '' : brownouts.at(now).attribute
  return attribute === '' ? links : links.map((link, i) => i < links.length - infos.length ? link : link + attribute)
}

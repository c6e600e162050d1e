import { addLinks, mergeLinks } from '../http/headers.ts'
import { successorLinks } from './successors.ts'
import { isResponse, withHeader } from '../http/web-response.ts'

import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'

const kLinks: unique symbol = Symbol('fastify-versioning.links')
type Marked = FastifyRequest & { [kLinks]?: readonly string[] }

/** Says in the headers of a response how its version ends (RFC 9745, RFC 8594, RFC 5829). */
export function addEnding (
  request: Marked, reply: FastifyReply, ending: Ending, context: VersioningContext, now: number
): void {
  if (ending.deprecation !== null) reply.header('deprecation', ending.deprecation)
  if (ending.sunset !== null) reply.header('sunset', ending.sunset)
  const successors = successorLinks(request, context, now)
  const links = successors.length === 0 ? ending.links : [...ending.links, ...successors]
  if (links.length === 0) return
  request[kLinks] = links
  addLinks(reply, links)
}

/** onSend of the routes that have such links: whatever has been done to Link since, they are in it. */
export function completeLinks (
  request: Marked, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes
): void {
  const links = request[kLinks]
  if (links === undefined) return done()
  addLinks(reply, links)
  const own = isResponse(payload) ? payload.headers.get('link') : null
  // Fastify copies the headers of a web response over those of the reply, once all hooks have run.
  if (own !== null) return done(null, withHeader(payload as Response, 'link', mergeLinks(own, links)))
  done()
}

/** onError of the same routes: where an onSend hook fails there is no other that could complete the header. */
export function completeLinksOnError (
  request: Marked, reply: FastifyReply, _error: Error, done: () => void
): void {
  const links = request[kLinks]
  if (links !== undefined) addLinks(reply, links)
  done()
}

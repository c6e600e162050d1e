import { contextOf, findContext } from '../context.ts'
import { isRefusal } from '../errors.ts'
import { putField, textIn, watchHead } from '../fastify/response-head.ts'
import { namesIn } from '../http/headers.ts'
import { isPreflight } from '../http/preflight.ts'
import { withLinks, withNames } from '../http/response-headers.ts'
import { routeFor } from '../links/registry.ts'
import { addNames, kPassage, passageOf, schemeIn, unwatched } from '../passage.ts'
import { RESPONSE_TYPE } from '../schemes/media-type.ts'
import { warnCache, watchRefusal } from './warnings.ts'

import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { HeadFields } from '../fastify/response-head.ts'
import type { Passage } from '../passage.ts'
import type { MediaTypeVersioning } from '../schemes/media-type.ts'

/** The Content-Type that Fastify sets where it serializes an object. */
const DEFAULT_TYPE = 'application/json; charset=utf-8'

/** Returns the passage of a reply, whose headers the head will have, whatever the app sets there. */
export function headOf (reply: FastifyReply): Passage {
  const passage = passageOf(reply.request)
  if (passage.complete === null) watchHead(passage, reply, complete)
  return passage
}

/**
 * Adds names of request headers to Vary. Handlers see the names unless the app has set Vary before.
 *
 * @param isFirst whether no hook can have set Vary on the reply, where to look would cost each request some time
 */
export function keepVary (reply: FastifyReply, names: string, isFirst = false): void {
  addNames(headOf(reply), names)
  const present = isFirst ? reply.raw.getHeader('vary') : reply.getHeader('vary')
  if (present === undefined) reply.header('vary', names)
}

/** Adds link-values to Link, or nothing for `''`. Handlers see the links unless the app has set Link before. */
export function keepLinks (reply: FastifyReply, links: string): void {
  if (links === '') return
  headOf(reply).links = links
  if (reply.getHeader('link') === undefined) reply.header('link', links)
}

/** Keeps Vary for a response of a hook before ours: it varies by what the scheme of its route would have read. */
function keepEarly (request: FastifyRequest, reply: FastifyReply): void {
  if (findContext(request.server)?.trustsProxy) headOf(reply)
  const names = schemeIn(request) === null && !isPreflight(request) ? routeFor(request)?.varies ?? null : null
  if (names !== null) keepVary(reply, names)
}

/** onSend: keeps Vary where a hook before ours has answered. */
export function completeEarly (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction
): void {
  keepEarly(request, reply)
  done()
}

/**
 * onError: keeps caches from storing a refusal (RFC 9111, section 5.2.2.5), because the version may be released, or its
 * retirement taken back.
 */
export function keepRefusal (
  request: FastifyRequest, reply: FastifyReply, error: unknown, done: HookHandlerDoneFunction
): void {
  // If an onSend hook of the app fails, that of the plugin does not run after it.
  keepEarly(request, reply)
  if (isRefusal(error)) {
    const context = headOf(reply).refusedIn = contextOf(request.server)
    watchRefusal(request, reply, context, error)
    reply.header('cache-control', 'no-store')
  }
  done()
}

/** Completes the headers of a head. The app, or a middleware, may have set the same headers. */
function complete (reply: FastifyReply, status: number, fields: HeadFields): HeadFields {
  const { raw, request } = reply
  const { names, links, refusedIn, scheme } = request[kPassage] as Passage
  let rest = fields
  // Most responses still have the Vary that `keepVary` has set before the handler.
  const isKept = (fields as Record<string, unknown> | undefined)?.vary === names && raw.getHeader('vary') === undefined
  if (names !== null && !isKept) rest = putField(reply, rest, 'vary', withNames(textIn(reply, rest, 'vary'), names))
  if (links !== null) rest = putField(reply, rest, 'link', withLinks(textIn(reply, rest, 'link'), links))
  if (status < 400) return scheme?.byAccept ? withType(reply, rest, scheme.byAccept) : rest
  return refusedIn === null ? rest : unstored(reply, rest, refusedIn)
}

/** Gives a response in JSON the media type that the client has accepted, if this type names the version. */
function withType (reply: FastifyReply, fields: HeadFields, author: MediaTypeVersioning): HeadFields {
  const { request } = reply
  const { version } = request[kPassage] as Passage
  if (version === null || textIn(reply, fields, 'content-type') !== DEFAULT_TYPE) return fields
  // The plugin itself reads the request's headers here. A stream of the app may still read them later.
  const type = unwatched(request, () => author[RESPONSE_TYPE](request, version))
  return type === null ? fields : putField(reply, fields, 'content-type', type)
}

function unstored (reply: FastifyReply, fields: HeadFields, context: VersioningContext): HeadFields {
  const present = textIn(reply, fields, 'cache-control')
  if (namesIn(present.toLowerCase()).includes('no-store')) return fields
  if (present !== '') warnCache(context, reply.request, present)
  return putField(reply, fields, 'cache-control', 'no-store')
}

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

/** What Fastify sets where it serializes an object. */
const DEFAULT_TYPE = 'application/json; charset=utf-8'

/** What the head of a reply will have, whatever the app sets there. */
export function headOf (reply: FastifyReply): Passage {
  const passage = passageOf(reply.request)
  if (passage.complete === null) watchHead(passage, reply, complete)
  return passage
}

/**
 * Adds names of request headers to Vary. Handlers see them unless somebody has set others before.
 *
 * @param isFirst whether nobody can have set them on the reply itself, which would cost each request a look
 */
export function keepVary (reply: FastifyReply, names: string, isFirst = false): void {
  addNames(headOf(reply), names)
  const present = isFirst ? reply.raw.getHeader('vary') : reply.getHeader('vary')
  if (present === undefined) reply.header('vary', names)
}

/** Adds link-values to Link, or nothing for `''`. Handlers see them in the same way. */
export function keepLinks (reply: FastifyReply, links: string): void {
  if (links === '') return
  headOf(reply).links = links
  if (reply.getHeader('link') === undefined) reply.header('link', links)
}

/** Where hooks before ours may answer: such a response varies by what the scheme of its route would have read. */
function keepEarly (request: FastifyRequest, reply: FastifyReply): void {
  if (findContext(request.server)?.trustsProxy) headOf(reply)
  const names = schemeIn(request) === null && !isPreflight(request) ? routeFor(request)?.varies ?? null : null
  if (names !== null) keepVary(reply, names)
}

/** onSend: a hook before ours may have answered. */
export function completeEarly (
  request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction
): void {
  keepEarly(request, reply)
  done()
}

/**
 * onError: a cache must not store a refusal (RFC 9111, section 5.2.2.5), because the version may be released, or its
 * retirement taken back.
 */
export function keepRefusal (
  request: FastifyRequest, reply: FastifyReply, error: unknown, done: HookHandlerDoneFunction
): void {
  // The onSend hook of the plugin does not run after another one that fails.
  keepEarly(request, reply)
  if (isRefusal(error)) {
    const context = headOf(reply).refusedIn = contextOf(request.server)
    watchRefusal(request, reply, context, error)
    reply.header('cache-control', 'no-store')
  }
  done()
}

/** Completes a head. The app, or a middleware, may have set the same headers. */
function complete (reply: FastifyReply, status: number, fields: HeadFields): HeadFields {
  const { raw, request } = reply
  const { names, links, refusedIn, scheme } = request[kPassage] as Passage
  let rest = fields
  // Most responses still have what was set before the handler.
  const isKept = (fields as Record<string, unknown> | undefined)?.vary === names && raw.getHeader('vary') === undefined
  if (names !== null && !isKept) rest = putField(reply, rest, 'vary', withNames(textIn(reply, rest, 'vary'), names))
  if (links !== null) rest = putField(reply, rest, 'link', withLinks(textIn(reply, rest, 'link'), links))
  if (status < 400) return scheme?.byAccept ? withType(reply, rest, scheme.byAccept) : rest
  return refusedIn === null ? rest : unstored(reply, rest, refusedIn)
}

/** A response in JSON gets the media type that the client has accepted, if that names the version. */
function withType (reply: FastifyReply, fields: HeadFields, author: MediaTypeVersioning): HeadFields {
  const { request } = reply
  const { version } = request[kPassage] as Passage
  if (version === null || textIn(reply, fields, 'content-type') !== DEFAULT_TYPE) return fields
  // The plugin itself reads headers here. A stream of the app may read them later.
  const type = unwatched(request, () => author[RESPONSE_TYPE](request, version))
  return type === null ? fields : putField(reply, fields, 'content-type', type)
}

function unstored (reply: FastifyReply, fields: HeadFields, context: VersioningContext): HeadFields {
  const present = textIn(reply, fields, 'cache-control')
  if (namesIn(present.toLowerCase()).includes('no-store')) return fields
  if (present !== '') warnCache(context, reply.request, present)
  return putField(reply, fields, 'cache-control', 'no-store')
}

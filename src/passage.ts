import { findContext } from './context.ts'
import { VersionInvalidError } from './errors.ts'
import { withNames } from './http/response-headers.ts'
import { slotOf } from './routes.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { WatchedHead } from './fastify/response-head.ts'
import type { Route, Slot } from './routes.ts'
import type { Scheme } from './schemes/scheme.ts'
import type { ReversingRequest } from '../types/index.d.ts'

/** A request that the sub-package usage watches until it has been answered. */
export interface Visit {
  /** Something has read the version. */
  noteRead (): void
  /** A link has been made, to a name or to the route of the request itself. */
  noteLink (name: string | null): void
}

/** What the plugin keeps of a request: one object, because each further property makes every request slower. */
export interface Passage extends WatchedHead {
  readonly request: FastifyRequest
  /** The context, the route and the scheme that determine the version: null until it is asked for. */
  context: VersioningContext | null
  route: Route | null
  scheme: Scheme | null
  /** Null where versions do not choose the route. */
  slot: Slot | null
  /** The plugin reads it here, because the sub-package usage notes what reads `request.version`. */
  version: string | null
  /** Null without usage, and while the plugin itself reads the version. */
  visit: Visit | null
  /** The names of the request headers by which the response varies. */
  names: string | null
  /** The link-values that say how the version is retired. */
  links: string | null
  /** The context that has refused the request: no cache may store that. */
  refusedIn: VersioningContext | null
}

/** A request that has come to a route with versions. */
export interface Arrival extends Passage {
  readonly reply: FastifyReply
  readonly context: VersioningContext
  readonly route: Route
  readonly scheme: Scheme
}

/** Notes where a request has come. */
export function arrive (request: FastifyRequest, reply: FastifyReply, route: Route, scheme: Scheme): Arrival {
  const passage = passageOf(request)
  passage.reply = reply
  passage.context = route.context
  passage.route = route
  passage.scheme = scheme
  passage.slot = route.slots === null ? null : slotOf(route, request.method)
  return passage as Arrival
}

/** Where a request keeps its passage; null if there is nothing to keep so far. */
export const kPassage: unique symbol = Symbol('fastify-versioning.passage')

export function passageOf (request: FastifyRequest): Passage {
  return (request[kPassage] ??= {
    request,
    context: null,
    route: null,
    scheme: null,
    slot: null,
    version: null,
    visit: null,
    names: null,
    links: null,
    refusedIn: null,
    reply: null,
    complete: null,
    writeHead: null,
    setHeader: null,
    outer: null,
    isComplete: false
  })
}

/** Calls what reads the version of a request without deciding an answer by it. */
export function unwatched<Result> (request: object, read: () => Result): Result {
  const passage = (Object(request)[kPassage] ?? {}) as Partial<Passage>
  const { visit = null } = passage
  passage.visit = null
  try {
    return read()
  } finally {
    passage.visit = visit
  }
}

/** The scheme of the route of a request, once that has been asked for the version; or null. */
export function schemeIn (request: { readonly [kPassage]?: Passage | null }): Scheme | null {
  return request[kPassage]?.scheme ?? null
}

/** The version of a request, or null. */
export function versionIn (request: FastifyRequest): string | null {
  return request[kPassage]?.version ?? null
}

/** `request.version`. */
export function getVersion (this: FastifyRequest): string | null {
  const passage = this[kPassage]
  if (!passage) return null
  passage.visit?.noteRead()
  return passage.version
}

/** A hook or a handler of the app may give its request another version: links, `isVersion` and changes take it. */
export function setVersion (this: FastifyRequest, version: string | null): void {
  if (typeof version !== 'string' && version !== null) {
    throw new VersionInvalidError('Set request.version to a string or null.', version)
  }
  const passage = passageOf(this)
  passage.version = version
  passage.route?.older.skipper?.restore(this)
}

/** Adds names to those by which a response varies. */
export function addNames (passage: Passage, names: string): void {
  passage.names = passage.names === null ? names : withNames(passage.names, names)
}

/** Notes that a link depends on a header of a trusted proxy. The response varies by it even if it is absent. */
export function noteForwarded (server: object, request: ReversingRequest | null | undefined, names: string): void {
  const { baseUrl = null, trustsProxy = false } = findContext(server) ?? {}
  if (!trustsProxy || baseUrl !== null || !request || !(kPassage in request)) return
  addNames(passageOf(request as FastifyRequest), names)
}

declare module 'fastify' {
  interface FastifyRequest {
    [kPassage]: Passage | null
  }
}

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
  /** Notes that something has read the version. */
  noteRead (): void
  /** Notes that a link has been made, to a name or to the route of the request itself. */
  noteLink (name: string | null): void
}

/** What the plugin keeps of a request: one object, because each further property makes every request slower. */
export interface Passage extends WatchedHead {
  readonly request: FastifyRequest
  /** The context, the route and the scheme that determine the version: null until the version is asked for. */
  context: VersioningContext | null
  route: Route | null
  scheme: Scheme | null
  /** The slot of the route; null where versions do not choose the route. */
  slot: Slot | null
  /** The version. The plugin reads it here, because the sub-package usage notes what reads `request.version`. */
  version: string | null
  /** The visit; null without the sub-package usage, and while the plugin itself reads the version. */
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

/** Notes the route to which a request has come. */
export function arrive (request: FastifyRequest, reply: FastifyReply, route: Route, scheme: Scheme): Arrival {
  const passage = passageOf(request)
  passage.reply = reply
  passage.context = route.context
  passage.route = route
  passage.scheme = scheme
  passage.slot = route.slots === null ? null : slotOf(route, request.method)
  return passage as Arrival
}

/** The property of a request that has its passage; null if there is nothing to keep so far. */
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

/** Calls a function that reads the version of a request without deciding the response by it. */
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

/** Returns the scheme of the route of a request; null until the scheme has been asked for the version. */
export function schemeIn (request: { readonly [kPassage]?: Passage | null }): Scheme | null {
  return request[kPassage]?.scheme ?? null
}

/** Returns the version of a request, or null. */
export function versionIn (request: FastifyRequest): string | null {
  return request[kPassage]?.version ?? null
}

/** Returns `request.version`, which the sub-package usage notes. */
export function getVersion (this: FastifyRequest): string | null {
  const passage = this[kPassage]
  if (!passage) return null
  passage.visit?.noteRead()
  return passage.version
}

/** Sets `request.version`: a hook or a handler may give its request another version for links and changes. */
export function setVersion (this: FastifyRequest, version: string | null): void {
  if (typeof version !== 'string' && version !== null) {
    throw new VersionInvalidError('Set request.version to a string or null.', version)
  }
  const passage = passageOf(this)
  passage.version = version
  // The request may have skipped the hooks that convert, because its first version needed none.
  passage.route?.older.skipper?.restore(this)
}

/** Adds names to those by which a response varies. */
export function addNames (passage: Passage, names: string): void {
  passage.names = passage.names === null ? names : withNames(passage.names, names)
}

/** Notes that a link depends on headers of a trusted proxy. The response varies by them even if they are absent. */
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

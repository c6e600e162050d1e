import { forwardedPrefixOf } from './http/forwarded.ts'
import { withNames } from './http/response-headers.ts'
import { inherited } from './instances.ts'

import type { FastifyRequest } from 'fastify'
import type { Changes } from './changes/changes.ts'
import type { ContextOptions, Settings } from './options/options.ts'
import type { Scheme } from './schemes/scheme.ts'
import type { ReversingRequest, RouteVersions } from '../types/index.d.ts'

/** What an app has been warned of. */
export interface Warned {
  /** The routes that were declared before the plugin. */
  readonly routes: Set<string>
  /** Texts, and contexts whose hosts do not match. */
  readonly others: Set<unknown>
}

/** What the plugin decided for one encapsulation context. */
export interface VersioningContext extends ContextOptions {
  /** The active scheme, or null if versioning is off. */
  readonly scheme: Scheme | null
  /** The option `scheme`, perhaps of a context above: a class, an instance, a list, or null. */
  readonly schemeSource: unknown
  /** The settings that contexts below inherit. */
  readonly settings: Settings
  readonly warned: Warned
  /** Whether Fastify trusts proxies, as its option `trustProxy` says. */
  readonly trustsProxy: boolean
}

const contexts = inherited<VersioningContext>('context')

/** The default of the route option `version` in a context, or null for all versions that no other route claims. */
export const contextVersions = inherited<RouteVersions | null>('versions')

/** The context of the nearest registration at or above an instance, or undefined outside of all registrations. */
export function findContext (server: object): VersioningContext | undefined {
  return (server as Record<symbol, VersioningContext | undefined>)[contexts.key]
}

/** As `findContext`, for an instance that has one. */
export const contextOf = findContext as (server: object) => VersioningContext
export const hasOwnContext = contexts.isOwn
export const setContext = contexts.set

/** The changes of a context, or null if it has none. */
export function changesIn (server: object): Changes | null {
  return findContext(server)?.changes ?? null
}

/**
 * The start of the path of every link: the path of `baseUrl`, or else the prefix that a trusted proxy has removed from
 * the path of the request.
 */
export function basePathOf (server: object, request: ReversingRequest | null | undefined): string {
  const context = findContext(server)
  if (context === undefined) return ''
  if (context.baseUrl !== null) return context.baseUrl.path
  return context.trustsProxy && request ? forwardedPrefixOf(request) : ''
}

/** Notes that a link depends on what a trusted proxy has forwarded: the response varies by it, whether it is there. */
export function noteForwarded (server: object, request: ReversingRequest | null | undefined, names: string): void {
  const { baseUrl = null, trustsProxy = false } = findContext(server) ?? {}
  if (!trustsProxy || baseUrl !== null || !request || !(kHead in request)) return
  addNames(headIn(request as FastifyRequest), names)
}

/** The scheme of a route: its own, or else the scheme of its context; null if it has no version. */
export function schemeOf (
  { ownScheme, server }: { readonly ownScheme: Scheme | null | undefined, readonly server: object }
): Scheme | null {
  return ownScheme === undefined ? contextOf(server).scheme : ownScheme
}

/**
 * Where a request keeps its version. The plugin reads it here, because the sub-package usage notes what reads
 * `request.version`.
 */
export const kVersion: unique symbol = Symbol('fastify-versioning.version')

/** A request that the sub-package usage watches until it has been answered. */
export interface Visit {
  /** Whether it is over: what reads the version then changes nothing. */
  readonly isOver: boolean
  /** Something has read the version. */
  noteRead (): void
  /** A link has been made, to a name or to the route of the request itself. */
  noteLink (name: string | null): void
}

/** Where a request keeps its visit; null while the plugin itself reads the version. */
export const kVisit: unique symbol = Symbol('fastify-versioning.visit')

/** Where a request keeps the scheme of its route, once that is asked for the version. */
export const kScheme: unique symbol = Symbol('fastify-versioning.scheme')

/** What the head of a response has to have when it is written. */
export interface Head {
  /** The names of the request headers by which it varies. */
  names: string | null
  /** The link-values that say how the version is retired. */
  links: string | null
  /** The context that has refused the request: no cache may store that. */
  refusedIn: VersioningContext | null
  /** Whether the head will be completed. */
  isWatched: boolean
}

/** Where a request keeps the head of its response; null if that needs nothing so far. */
export const kHead: unique symbol = Symbol('fastify-versioning.head')

export function headIn (request: FastifyRequest): Head {
  request[kHead] ??= { names: null, links: null, refusedIn: null, isWatched: false }
  return request[kHead]
}

/** Adds names to those by which a response varies. */
export function addNames (head: Head, names: string): void {
  head.names = head.names === null ? names : withNames(head.names, names)
}

declare module 'fastify' {
  interface FastifyRequest {
    [kHead]: Head | null
    [kScheme]: Scheme | null
    [kVersion]: string | null
    /** Absent without usage. */
    [kVisit]?: Visit | null
  }
}

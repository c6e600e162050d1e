import { forwardedPrefixOf } from './http/forwarded.ts'
import { inherited } from './instances.ts'

import type { Changes } from './changes/changes.ts'
import type { ContextOptions, Settings } from './options/options.ts'
import type { Scheme } from './schemes/scheme.ts'
import type { ReversingRequest, RouteVersions } from '../types/index.d.ts'

/** The warnings that an app has had. */
export interface Warned {
  /** The routes that were declared before the plugin. */
  readonly routes: Set<string>
  /** The things for which each other warning is given once: a text, a context, an error handler. */
  readonly others: Set<unknown>
}

/** The decisions of the plugin for one encapsulation context. */
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

/** Returns the context of the nearest registration at or above an instance; undefined outside of all registrations. */
export function findContext (server: object): VersioningContext | undefined {
  return (server as Record<symbol, VersioningContext | undefined>)[contexts.key]
}

/** Does the same as `findContext`, for an instance within a registration. */
export const contextOf = findContext as (server: object) => VersioningContext
export const hasOwnContext = contexts.isOwn
export const setContext = contexts.set

/** Returns the changes of a context, or null if it has none. */
export function changesIn (server: object): Changes | null {
  return findContext(server)?.changes ?? null
}

/**
 * Returns the start of the path of every link: the path of `baseUrl`, or else the prefix that a trusted proxy has
 * removed from the path of the request.
 */
export function basePathOf (server: object, request: ReversingRequest | null | undefined): string {
  const context = findContext(server)
  if (context === undefined) return ''
  if (context.baseUrl !== null) return context.baseUrl.path
  return context.trustsProxy && request ? forwardedPrefixOf(request) : ''
}

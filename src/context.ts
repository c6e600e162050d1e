import type { BaseUrl } from './options/base-url.ts'
import type { Policy } from './options/policy.ts'
import type { Settings } from './options/settings.ts'
import type { VersioningScheme, VersioningSchemeClass } from '../types/index.d.ts'

/** What the plugin decided for one encapsulation context. */
export interface VersioningContext extends Policy {
  /** The active scheme; null: versioning is off. */
  readonly scheme: VersioningScheme | null
  /** The scheme that links into a version: the active one, else the nearest above. */
  readonly linkScheme: VersioningScheme | null
  /** The class that `scheme` was made of; null for an instance that the user made. */
  readonly schemeClass: VersioningSchemeClass | null
  /** The settings that contexts below inherit. */
  readonly settings: Settings
  /** The options `baseUrl` and `logVersion`, which contexts below inherit as well. */
  readonly baseUrl: BaseUrl | null
  readonly logVersion: boolean
  readonly uses: Uses
}

/** What routes of the app make use of: a request looks for nothing else. */
export interface Uses {
  /** Schemes of their own. */
  routeSchemes: boolean
  /** Endings of their own. */
  routeEndings: boolean
  /** Versions that they are chosen by. */
  routeVersions: boolean
}

const kContext: unique symbol = Symbol('fastify-versioning.context')

/**
 * A Fastify instance as it carries the context. Child instances have their parent as prototype, so the nearest context
 * answers, as with Fastify's own decorators.
 */
interface Carrier {
  [kContext]?: VersioningContext
}

/** The context of the nearest registration at or above `server`; undefined where there is none. */
export function contextOf (server: object): VersioningContext | undefined {
  return (server as Carrier)[kContext]
}

export function setContext (server: object, context: VersioningContext): void {
  (server as Carrier)[kContext] = context
}

/** Whether the plugin has been registered in this very context. */
export function hasOwnContext (server: object): boolean {
  return Object.hasOwn(server, kContext)
}

/** Whether this is the app itself, not a context in it. */
export function isRoot (server: object): boolean {
  return rootOf(server) === server
}

/** The outermost instance: the one whose prototype is that of a plain object. */
export function rootOf (server: object): object {
  const parent = Object.getPrototypeOf(server)
  return Object.getPrototypeOf(parent) === null ? server : rootOf(parent)
}

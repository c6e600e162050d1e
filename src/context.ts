import type { BaseUrl } from './options/base-url.ts'
import type { Namespace } from './links/counterparts.ts'
import type { DeclaredRoutes } from './boot/declared-routes.ts'
import type { Unread } from './boot/diagnose-registrations.ts'
import type { Policy } from './options/policy.ts'
import type { Registry } from './links/registry.ts'
import type { SchemeInstances } from './boot/scheme-instances.ts'
import type { Settings } from './options/settings.ts'
import type { VersionedRoutes } from './routing/claims.ts'
import type { Warnings } from './boot/warnings.ts'
import type { RouteVersions, VersioningScheme, VersioningSchemeClass } from '../types/index.d.ts'

/** What the plugin decided for one encapsulation context. */
export interface VersioningContext extends Policy {
  /** The active scheme; null: versioning is off. */
  readonly scheme: VersioningScheme | null
  /** The scheme that knows how to link into a version: the active one, else the nearest above. */
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

/** What the routes of an app make use of, lest every request look for what is not there. */
export interface Uses {
  /** Schemes of their own. */
  routeSchemes: boolean
  /** Endings of their own. */
  routeEndings: boolean
  /** Versions that they are chosen by. */
  routeVersions: boolean
}

/** What there is to know of an app while it boots. */
export interface Boot {
  readonly uses: Uses
  readonly instances: SchemeInstances
  readonly routes: DeclaredRoutes
  readonly unread: Unread[]
  readonly warnings: Warnings
  readonly versions: VersionedRoutes
}

const kContext: unique symbol = Symbol('fastify-versioning.context')
const kNamespace: unique symbol = Symbol('fastify-versioning.namespace')
const kRegistry: unique symbol = Symbol('fastify-versioning.registry')
const kVersions: unique symbol = Symbol('fastify-versioning.versions')
const kBoot: unique symbol = Symbol('fastify-versioning.boot')

/**
 * A Fastify instance as it carries our state. Child instances have their parent as prototype, so that the nearest
 * context answers, as with Fastify's own decorators.
 */
interface Carrier {
  [kContext]?: VersioningContext
  [kNamespace]?: Namespace
  [kRegistry]?: Registry
  [kVersions]?: RouteVersions | null
  [kBoot]?: Boot
}

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })
const homes = new WeakMap<VersioningScheme, object>()

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

/** The namespace that a context is in. */
export function namespaceOf (server: object): Namespace {
  return (server as Carrier)[kNamespace] ?? NO_NAMESPACE
}

export function setNamespace (server: object, namespace: Namespace): void {
  (server as Carrier)[kNamespace] = namespace
}

/** The versions that the routes of a context serve unless they say otherwise; undefined: every one. */
export function defaultVersionsOf (server: object): RouteVersions | null | undefined {
  return (server as Carrier)[kVersions]
}

export function setDefaultVersions (server: object, versions: RouteVersions | null): void {
  (server as Carrier)[kVersions] = versions
}

/** The names of an app: one registry for all its contexts, kept at its root. */
export function registryOf (server: object): Registry | undefined {
  return (server as Carrier)[kRegistry]
}

export function setRegistry (server: object, registry: Registry): void {
  (rootOf(server) as Carrier)[kRegistry] = registry
}

/** What is of use until the app is ready: one for all contexts of an app. */
export function bootOf (server: object): Boot {
  return (server as Carrier)[kBoot] as Boot
}

export function setBoot (server: object, boot: Boot): void {
  (rootOf(server) as Carrier)[kBoot] = boot
}

/** The app, or the context in it, that a scheme speaks for outside a request: of several apps the last one. */
export function homeOf (scheme: VersioningScheme): object | undefined {
  return homes.get(scheme)
}

export function setHome (scheme: VersioningScheme, server: object): void {
  const home = homes.get(scheme)
  const isHere = home !== undefined && registryOf(home) === registryOf(server)
  if (!isHere) homes.set(scheme, server)
}

/** Whether this is the app itself, not a context in it. */
export function isRoot (server: object): boolean {
  return rootOf(server) === server
}

/** The outermost instance: the one whose prototype is that of a plain object. */
function rootOf (server: object): object {
  const parent = Object.getPrototypeOf(server)
  return Object.getPrototypeOf(parent) === null ? server : rootOf(parent)
}

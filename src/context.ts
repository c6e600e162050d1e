import type { BaseUrl } from './base-url.ts'
import type { Namespace } from './counterparts.ts'
import type { Registry } from './registry.ts'
import type { Settings } from './settings.ts'
import type { VersioningScheme, VersioningSchemeClass } from '../types/index.d.ts'

/** What the plugin decided for one encapsulation context. */
export interface VersioningContext {
  /** The active scheme; null: versioning is off. */
  readonly scheme: VersioningScheme | null
  /** The class that `scheme` was made of; null for an instance that the user made. */
  readonly schemeClass: VersioningSchemeClass | null
  /** The settings that contexts below inherit. */
  readonly settings: Settings
  /** The option `baseUrl`, which contexts below inherit as well. */
  readonly baseUrl: BaseUrl | null
}

const kContext: unique symbol = Symbol('fastify-versioning.context')
const kNamespace: unique symbol = Symbol('fastify-versioning.namespace')
const kRegistry: unique symbol = Symbol('fastify-versioning.registry')
const kHasRouteSchemes: unique symbol = Symbol('fastify-versioning.hasRouteSchemes')

/**
 * A Fastify instance as it carries our state. Child instances have their parent as prototype, so that the nearest
 * context answers, as with Fastify's own decorators.
 */
interface Carrier {
  [kContext]?: VersioningContext
  [kNamespace]?: Namespace
  [kRegistry]?: Registry
  [kHasRouteSchemes]?: boolean
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

/** The namespace that a context is in. */
export function namespaceOf (server: object): Namespace {
  return (server as Carrier)[kNamespace] ?? NO_NAMESPACE
}

export function setNamespace (server: object, namespace: Namespace): void {
  (server as Carrier)[kNamespace] = namespace
}

/** The names of an app: one registry for all its contexts, kept at its root. */
export function registryOf (server: object): Registry | undefined {
  return (server as Carrier)[kRegistry]
}

export function setRegistry (server: object, registry: Registry): void {
  (rootOf(server) as Carrier)[kRegistry] = registry
}

/** Whether any route of the app has a scheme of its own, so that requests have to look for one. */
export function hasRouteSchemes (server: object): boolean {
  return (server as Carrier)[kHasRouteSchemes] === true
}

export function noteRouteScheme (server: object): void {
  (rootOf(server) as Carrier)[kHasRouteSchemes] = true
}

/** The app that a scheme outside a request speaks for: the one it was registered with last. */
export function homeOf (scheme: VersioningScheme): object | undefined {
  return homes.get(scheme)
}

export function setHome (scheme: VersioningScheme, server: object): void {
  homes.set(scheme, server)
}

/** The outermost instance: the one whose prototype is that of a plain object. */
function rootOf (server: object): object {
  const parent = Object.getPrototypeOf(server)
  return Object.getPrototypeOf(parent) === null ? server : rootOf(parent)
}

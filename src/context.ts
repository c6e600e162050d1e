import { forwardedPrefixOf } from './http/forwarded.ts'

import type { Changes } from './changes/changes.ts'
import type { ContextOptions, Settings } from './options/options.ts'
import type { Route, Routes } from './routes.ts'
import type { Scheme } from './schemes/base.ts'
import type { ReversingRequest } from '../types/index.d.ts'

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
  readonly routes: Routes
  readonly warned: Warned
  /** Whether Fastify trusts proxies, as its option `trustProxy` says. */
  readonly trustsProxy: boolean
}

const kContext: unique symbol = Symbol('fastify-versioning.context')

/**
 * A Fastify instance as it carries the context. Child instances have their parent as prototype, so the nearest context
 * answers, as with Fastify's own decorators.
 */
interface Carrier {
  [kContext]?: VersioningContext
}

/** The context of the nearest registration at or above `server`. */
export function contextOf (server: object): VersioningContext {
  return (server as Required<Carrier>)[kContext]
}

/** As `contextOf`, or undefined for an instance outside of all registrations. */
export function findContext (server: object): VersioningContext | undefined {
  return (server as Carrier)[kContext]
}

/** The changes of a context, or null if it has none. */
export function changesIn (server: object): Changes | null {
  return findContext(server)?.changes ?? null
}

export function setContext (server: object, context: VersioningContext): void {
  (server as Carrier)[kContext] = context
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

/** Whether the plugin has been registered in this context itself. */
export function hasOwnContext (server: object): boolean {
  return Object.hasOwn(server, kContext)
}

/** The scheme of a route: its own, or else the scheme of its context; null if it has no version. */
export function schemeOf ({ ownScheme, server }: Pick<Route, 'ownScheme' | 'server'>): Scheme | null {
  return ownScheme === undefined ? contextOf(server).scheme : ownScheme
}

/** A value that is kept with an instance, and that the instances below inherit; undefined if none has one. */
export function inherited<Value> (name: string) {
  const key = Symbol(`fastify-versioning.${name}`)
  return {
    of: (holder: object) => (holder as Record<symbol, Value | undefined>)[key],
    set: (holder: object, value: Value) => {
      (holder as Record<symbol, Value>)[key] = value
      return value
    }
  }
}

/** The outermost instance: its prototype is the prototype of a plain object. */
export function rootOf (server: object): object {
  const parent = Object.getPrototypeOf(server)
  return Object.getPrototypeOf(parent) === null ? server : rootOf(parent)
}

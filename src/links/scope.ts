import { inherited } from '../instances.ts'
import { routeOf } from '../routes.ts'
import { homes } from '../schemes/base.ts'

import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'
import type { Registry } from './registry.ts'

/** A link before it is made. */
export interface Link {
  /** The scheme or the list that makes it, or null for a link without a version. */
  readonly scheme: Scheme | null
  readonly server: object
  readonly registry: Registry
  /** The route's name with its namespaces, or null for the route of the request. */
  readonly name: string | null
  readonly options: ReverseOptions
  readonly asked: string | null
  /** Whether a name is looked up as SPEC.md says, and not in the namespaces around it as well. */
  readonly isExact: boolean
}

/** Whether a link carries a text of the client, because every version is allowed. */
export function isFreeText ({ scheme, asked, options: { version } }: Link): boolean {
  return version === undefined && asked !== null && scheme?.listedVersions.length === 0
}

/** The version that a link without one leads to, for the client of a request, or null. */
export function defaultIn (scheme: Scheme, request: ReverseOptions['request']): string | null {
  if (scheme.clientDefault === null) return scheme.defaultVersion
  const { raw, version = null } = (request ?? {}) as Partial<FastifyRequest>
  return raw !== undefined && version !== null && scheme.find(request as FastifyRequest) === null ? version : null
}

/**
 * The version that a link without one leads to, for the client of a request, where the route is in these namespaces:
 * under NamespaceVersioning they are the version, or refuse the request. Null for none.
 */
export function versionAt (
  scheme: Scheme, namespaces: readonly string[], request: ReverseOptions['request']
): string | null {
  const isNamespace = scheme.readsNamespaces && namespaces.length > 0
  return isNamespace ? scheme.versionIn(namespaces) : defaultIn(scheme, request)
}

const registries = inherited<Registry>('registry')

/** The names of an app with the plugin, one registry for all its contexts. */
export function registryOf (server: object): Registry {
  return (server as Record<symbol, Registry>)[registries.key]
}

/** The route that a request came to; undefined if the plugin has not seen its declaration. */
export function routeFor ({ routeOptions, server }: FastifyRequest): Route | undefined {
  return routeOf(routeOptions.config, registryOf(server).routes)
}

export const setRegistry = registries.set

/** Makes a scheme look up names here outside a request: in the first context of an app, and in the last app. */
export function setHome (scheme: Scheme, server: object): void {
  for (const { author } of new Set([scheme, ...scheme.members])) {
    const home = homes.get(author)
    if (home === undefined || registryOf(home) !== registryOf(server)) homes.set(author, server)
  }
}

import { inherited } from '../context.ts'
import { routeOf } from '../routes.ts'

import type { FastifyRequest } from 'fastify'
import type { Namespace, Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'
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
}

/** Whether a link carries a text of the client, because every version is allowed. */
export function isFreeText ({ scheme, asked, options: { version } }: Link): boolean {
  return version === undefined && asked !== null && scheme?.listedVersions.length === 0
}

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })

const namespaces = inherited<Namespace>('namespace')
const registries = inherited<Registry>('registry')

export function namespaceOf (server: object): Namespace {
  return (server as Record<symbol, Namespace | undefined>)[namespaces.key] ?? NO_NAMESPACE
}

export const setNamespace = namespaces.set

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
export function setDefaultServer (scheme: Scheme, server: object): void {
  const { defaultServer, isList, members } = scheme
  if (defaultServer === undefined || registryOf(defaultServer) !== registryOf(server)) scheme.defaultServer = server
  for (const member of isList ? members : []) setDefaultServer(member, server)
}

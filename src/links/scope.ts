import { inherited, rootOf } from '../context.ts'

import type { Namespace } from '../routes.ts'
import type { Registry } from './registry.ts'
import type { Scheme } from '../scheme.ts'

const namespaces = inherited<Namespace>('namespace')
const registries = inherited<Registry>('registry')

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })

/** The namespace that a context is in. */
export function namespaceOf (server: object): Namespace {
  return namespaces.of(server) ?? NO_NAMESPACE
}

export const setNamespace = namespaces.set

/** The names of an app, one registry for all its contexts; undefined for an app without the plugin. */
export const findRegistry = registries.of

/** As `findRegistry`, for an app with the plugin. */
export function registryOf (server: object): Registry {
  return registries.of(server) as Registry
}

export function setRegistry (server: object, registry: Registry): void {
  registries.set(rootOf(server), registry)
}

/** Makes a scheme look up names here outside a request: in the first context of an app, and in the last app. */
export function setDefaultServer (scheme: Scheme, server: object): void {
  const { defaultServer, isList, members } = scheme
  if (defaultServer === undefined || registryOf(defaultServer) !== registryOf(server)) scheme.defaultServer = server
  for (const member of isList ? members : []) setDefaultServer(member, server)
}

import { rootOf } from '../context.ts'

import type { Namespace } from '../routes.ts'
import type { Registry } from './registry.ts'
import type { Scheme } from '../scheme.ts'

const kNamespace: unique symbol = Symbol('fastify-versioning.namespace')
const kRegistry: unique symbol = Symbol('fastify-versioning.registry')

/** A Fastify instance, which inherits from its parents. */
interface Carrier {
  [kNamespace]?: Namespace
  [kRegistry]?: Registry
}

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })

/** The namespace that a context is in. */
export function namespaceOf (server: object): Namespace {
  return (server as Carrier)[kNamespace] ?? NO_NAMESPACE
}

export function setNamespace (server: object, namespace: Namespace): void {
  (server as Carrier)[kNamespace] = namespace
}

/** The names of an app: one registry for all its contexts, kept at its root. */
export function registryOf (server: object): Registry {
  return (server as Required<Carrier>)[kRegistry]
}

/** As `registryOf`, or undefined for an app without the plugin. */
export function findRegistry (server: object): Registry | undefined {
  return (server as Carrier)[kRegistry]
}

export function setRegistry (server: object, registry: Registry): void {
  (rootOf(server) as Carrier)[kRegistry] = registry
}

/** Makes a scheme look up names here outside a request. */
export function setDefaultServer (scheme: Scheme, server: object): void {
  const { defaultServer, isList, members } = scheme
  if (defaultServer === undefined || registryOf(defaultServer) !== registryOf(server)) scheme.defaultServer = server
  for (const member of isList ? members : []) setDefaultServer(member, server)
}

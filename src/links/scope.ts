import { rootOf } from '../context.ts'

import type { Namespace } from '../routes.ts'
import type { Registry } from './registry.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

const kNamespace: unique symbol = Symbol('fastify-versioning.namespace')
const kRegistry: unique symbol = Symbol('fastify-versioning.registry')

/** A Fastify instance: what it does not have itself its parents have. */
interface Carrier {
  [kNamespace]?: Namespace
  [kRegistry]?: Registry
}

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })
const homes = new WeakMap<VersioningScheme, object>()

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

/** The app, or the context in it, whose names a scheme looks up outside a request: of several apps the last one. */
export function homeOf (scheme: VersioningScheme): object | undefined {
  return homes.get(scheme)
}

export function setHome (scheme: VersioningScheme, server: object): void {
  const home = homes.get(scheme)
  const isHere = home !== undefined && registryOf(home) === registryOf(server)
  if (!isHere) homes.set(scheme, server)
  for (const one of scheme.schemes ?? []) setHome(one, server)
}

/**
 * Returns functions for a value of instances, which the instances below inherit, because their parent is their
 * prototype. Requests and links use `key`, because V8 is fast where a function reads one property.
 */
export function inherited<Value> (name: string) {
  const key = Symbol(`fastify-versioning.${name}`)
  return {
    key,
    of: (holder: object) => (holder as Record<symbol, Value | undefined>)[key],
    isOwn: (holder: object) => Object.hasOwn(holder, key),
    set: (holder: object, value: Value) => {
      (holder as Record<symbol, Value>)[key] = value
      return value
    }
  }
}

/** The names of a namespace, outermost first, and the prefix of the context that it was given to. */
export interface Namespace {
  readonly names: readonly string[]
  readonly prefix: string
}

const NO_NAMESPACE: Namespace = Object.freeze({ names: [], prefix: '' })
const namespaces = inherited<Namespace>('namespace')

export function namespaceOf (server: object): Namespace {
  return (server as Record<symbol, Namespace | undefined>)[namespaces.key] ?? NO_NAMESPACE
}

export const setNamespace = namespaces.set

/** Returns the outermost instance, whose prototype is that of a plain object. */
export function rootOf (server: object): object {
  const parent = Object.getPrototypeOf(server)
  return Object.getPrototypeOf(parent) === null ? server : rootOf(parent)
}

/** Tells whether an instance is a context, or a context below it. */
export function isWithin (server: object, context: object): boolean {
  return server === context || Object.prototype.isPrototypeOf.call(context, server)
}

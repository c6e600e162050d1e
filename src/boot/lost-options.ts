import { contextOf } from '../context.ts'
import { namespaceOf } from '../links/scope.ts'
import { toClaim } from '../routing/claim.ts'
import { contextWrittenFor } from '../changes/written-for.ts'
import { appOf } from './app.ts'
import { contextVersions } from './route.ts'

import type { FastifyInstance, RegisterOptions, RouteOptions } from 'fastify'
import type { Scheme } from '../scheme.ts'

type Options = Pick<RegisterOptions, 'namespace' | 'version' | 'writtenFor'>
type Register = (this: FastifyInstance, plugin: unknown, options?: unknown) => FastifyInstance

/** A plugin that is being loaded. Fastify calls no hook with its options. */
interface Loading {
  readonly plugin: string
  readonly server: FastifyInstance
  readonly given: Options
  /** Why the options are lost, and what to do. */
  readonly why: string
}

const NO_CONTEXT = 'a plugin that is wrapped in fastify-plugin, or autoloaded with "encapsulate: false", has no ' +
  'context. Register it as a plain function, or write the option on its routes.'
const FUNCTION = 'Fastify calls a function that returns options too late. Give the options as an object.'

/**
 * Warns of the options `namespace`, `version` and `writtenFor` of `register` where they are lost: if the plugin shares
 * the context around it, or if a function returns them. Fastify calls no hook with either, so `register` is wrapped. A
 * plugin may have such an option for its own use: only one that would have changed a route of the plugin is warned of.
 */
export function watchOptions (fastify: FastifyInstance): void {
  const register = fastify.register as unknown as Register
  const loading = new Map<object, Loading>()

  function watchedRegister (this: FastifyInstance, plugin: unknown, options?: unknown): FastifyInstance {
    const isShared = sharesContext(plugin)
    const isFunction = typeof options === 'function'
    if (!isFunction && !(isShared && hasOurs(options))) return register.call(this, plugin, options)
    // Fastify calls it when the plugin begins to load.
    function begin (server: FastifyInstance): unknown {
      const given: unknown = isFunction ? options(server) : options
      const why = isShared ? NO_CONTEXT : FUNCTION
      if (hasOurs(given)) loading.set(begin, { plugin: nameOf(plugin), server, given, why })
      return given
    }
    register.call(this, plugin, isFunction ? Object.assign(begin, options) : begin)
    return this.after(() => { loading.delete(begin) })
  }

  function checkRoute (this: FastifyInstance, route: RouteOptions): void {
    for (const { plugin, server, given, why } of loading.values()) {
      const { warnings } = appOf(this)
      const { scheme, changes } = contextOf(this)
      const isVersionLost = contextVersions.of(this) === contextVersions.of(server) && isClaim(given.version, scheme) &&
        route.version === undefined && route.versioning === undefined
      const isNamespaceLost = namespaceOf(this) === namespaceOf(server) && typeof given.namespace === 'string' &&
        (route.name !== undefined || scheme?.readsNamespaces)
      const writtenFor = contextWrittenFor.of(this)
      const isWrittenForLost = writtenFor === contextWrittenFor.of(server) && writtenFor !== given.writtenFor &&
        changes !== null && isAllowed(given.writtenFor, scheme) && route.writtenFor === undefined
      if (isVersionLost) warnings.warnLostOption('version', plugin, why)
      if (isNamespaceLost) warnings.warnLostOption('namespace', plugin, why)
      if (isWrittenForLost) warnings.warnLostOption('writtenFor', plugin, why)
    }
  }

  Object.assign(fastify, { register: watchedRegister })
  fastify.addHook('onRoute', checkRoute)
}

/** Whether Fastify does not give a plugin its own context. */
function sharesContext (plugin: unknown): boolean {
  return Reflect.get(functionOf(plugin), Symbol.for('skip-override')) === true
}

/** The name that fastify-plugin gives a plugin, or else the name of its function. */
function nameOf (plugin: unknown): string {
  const own = functionOf(plugin)
  return String(Reflect.get(own, Symbol.for('fastify.display-name')) ?? Reflect.get(own, 'name'))
}

/** A module with a default export is a plugin as well. */
function functionOf (plugin: unknown): object {
  const { default: own } = Object(plugin) as { default?: unknown }
  return Object(own ?? plugin)
}

function hasOurs (options: unknown): options is Options {
  const { namespace, version, writtenFor } = Object(options) as Options
  return namespace !== undefined || version !== undefined || writtenFor !== undefined
}

/** Whether a value must mean versions of the app: all of it is in `allowedVersions`. */
function isClaim (version: Options['version'], scheme: Scheme | null): boolean {
  if (version === undefined || version === null || !scheme?.allowedVersions?.length) return false
  try {
    return toClaim(version, scheme).versions.length > 0
  } catch {
    return false
  }
}

function isAllowed (version: Options['writtenFor'], scheme: Scheme | null): boolean {
  return version !== undefined && scheme?.allowedVersions?.includes(version) === true
}

import accepts from '@fastify/accepts'
import fp from 'fastify-plugin'

import {
  contextOf, hasRouteSchemes, namespaceOf, noteRouteScheme, registryOf, setContext, setHome, setNamespace, setRegistry
} from './context.ts'
import { VersionInvalidError, show } from './errors.ts'
import { appReverse, namedRoutes, replyReverse } from './links.ts'
import { checkName, routerOptionsOf, toContext, toSchemeAndSettings } from './options.ts'
import { Registry } from './registry.ts'
import { routeSchemeOf, setRouteName, setRouteScheme } from './route-config.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { VersioningOptions, VersioningScheme } from '../types/index.d.ts'

async function fastifyVersioning (fastify: FastifyInstance, options: VersioningOptions): Promise<void> {
  const parent = contextOf(fastify)
  const context = toContext(options, parent)
  setContext(fastify, context)
  if (context.scheme !== null) setHome(context.scheme, fastify)
  if (parent === undefined) await install(fastify)
}

/** Done once, where the plugin is first registered; a registration further down only changes the context. */
async function install (fastify: FastifyInstance): Promise<void> {
  if (registryOf(fastify) === undefined) setRegistry(fastify, new Registry(routerOptionsOf(fastify)))
  if (!fastify.hasRequestDecorator('accepts')) await fastify.register(accepts)

  fastify.decorateRequest('version', null)
  fastify.decorateRequest('versioningScheme', null)
  fastify.decorateReply('reverse', replyReverse)
  fastify.decorate('reverse', appReverse)
  fastify.decorate('namedRoutes', { getter: namedRoutes })
  fastify.addHook('onRegister', joinNamespace)
  fastify.addHook('onRoute', registerRoute)
  fastify.addHook('onRequest', determineVersion)
}

function joinNamespace (this: FastifyInstance, instance: FastifyInstance, options: { namespace?: unknown }): void {
  const { namespace } = options
  if (namespace === undefined) return
  checkName('namespace', namespace)
  setNamespace(instance, { names: [...namespaceOf(this).names, namespace], prefix: instance.prefix })
}

function registerRoute (this: FastifyInstance, route: RouteOptions): void {
  let { scheme } = contextOf(this) as VersioningContext
  if (route.versioning !== undefined) {
    scheme = toRouteScheme(this, route.versioning)
    setRouteScheme(route, scheme)
    noteRouteScheme(this)
  }
  const methods = [route.method].flat()
  const registry = registryOf(this) as Registry
  const namespace = namespaceOf(this)
  registry.addRoute(methods, route.url, namespace)
  if (route.name === undefined) return
  checkName('name', route.name)
  setRouteName(route, route.name)
  const name = [...namespace.names, route.name].join(':')
  // Of a GET at the root of a prefix, Fastify shows us `/prefix` but for the HEAD twin `/prefix/` as well.
  const isTwin = route.method === 'HEAD' && route.url.endsWith('/') && registry.has(name, route.url.slice(0, -1))
  if (!isTwin) registry.addName(name, methods, route.url, scheme)
}

function toRouteScheme (server: FastifyInstance, given: unknown): VersioningScheme | null {
  const { settings } = contextOf(server) as VersioningContext
  const { scheme } = toSchemeAndSettings('versioning', given, false, settings)
  if (scheme !== null) setHome(scheme, server)
  return scheme
}

function determineVersion (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
  // A plugin registered further up, but later, hangs its hook in here as well: whoever is first judges.
  if (request.is404 || request.versioningScheme !== null) return done()
  const scheme = schemeOf(request)
  if (scheme === null) return done()
  request.versioningScheme = scheme
  const version = ask(scheme, request)
  if (isThenable(version)) return settle(request, version)
  setVersion(request, version)
  done()
}

function ask (scheme: VersioningScheme, request: FastifyRequest): unknown {
  try {
    return scheme.determineVersion(request)
  } catch (error) {
    // Fastify takes an error that is nothing for no error, and would go on without the hooks that follow.
    throw error ?? new VersionInvalidError(scheme.constructor.name, `a thrown ${show(error)}`)
  }
}

async function settle (request: FastifyRequest, version: PromiseLike<unknown>): Promise<void> {
  setVersion(request, await version)
}

function schemeOf (request: FastifyRequest): VersioningScheme | null {
  const { server } = request
  if (hasRouteSchemes(server)) {
    const scheme = routeSchemeOf(request)
    if (scheme !== undefined) return scheme
  }
  return (contextOf(server) as VersioningContext).scheme
}

function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function setVersion (request: FastifyRequest, version: unknown): void {
  if (typeof version === 'string') request.version = version
  else if (version !== null) {
    throw new VersionInvalidError((request.versioningScheme as VersioningScheme).constructor.name, show(version))
  }
}

export default fp(fastifyVersioning, { name: 'fastify-versioning', fastify: '5.x' })

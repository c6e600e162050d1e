import accepts from '@fastify/accepts'
import fp from 'fastify-plugin'

import {
  bootOf, contextOf, hasOwnContext, isRoot, namespaceOf, noteRouteScheme, registryOf, setBoot, setContext, setHome,
  setNamespace, setRegistry
} from './context.ts'
import { DeclaredRoutes } from './declared-routes.ts'
import { checkAgain, checkDefault, checkRegistration, checkRoutes, checkUnseen } from './diagnostics.ts'
import { judgeRequest } from './judge.ts'
import { appReverse, namedRoutes, replyReverse } from './links.ts'
import { checkName, routerOptionsOf, toContext, toSchemeAndSettings } from './options.ts'
import { Registry } from './registry.ts'
import { setRouteName, setRouteScheme } from './route-config.ts'
import { Warnings } from './warnings.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { Settings } from './settings.ts'
import type { VersioningOptions, VersioningScheme } from '../types/index.d.ts'

/** A route as onRoute shows it. */
type ShownRoute = RouteOptions & { readonly routePath: string, readonly prefix: string }

async function fastifyVersioning (fastify: FastifyInstance, options: VersioningOptions): Promise<void> {
  const parent = contextOf(fastify)
  const isAgain = hasOwnContext(fastify)
  const context = toContext(options, parent)
  setContext(fastify, context)
  if (context.scheme !== null) setHome(context.scheme, fastify)
  if (parent === undefined) await install(fastify)

  const { routes, warnings } = bootOf(fastify)
  if (isAgain) checkAgain(warnings, parent as VersioningContext, context)
  checkRegistration(warnings, options, context)
  routes.refresh()
}

/** Done once, where the plugin is first registered; a registration further down only changes the context. */
async function install (fastify: FastifyInstance): Promise<void> {
  if (registryOf(fastify) === undefined) {
    setRegistry(fastify, new Registry(routerOptionsOf(fastify)))
    setBoot(fastify, { routes: new DeclaredRoutes(), warnings: new Warnings() })
  }
  if (isRoot(fastify)) checkUnseen(bootOf(fastify).warnings, fastify)
  if (!fastify.hasRequestDecorator('accepts')) await fastify.register(accepts)

  fastify.decorateRequest('version', null)
  fastify.decorateRequest('versioningScheme', null)
  fastify.decorateReply('reverse', replyReverse)
  fastify.decorate('reverse', appReverse)
  fastify.decorate('namedRoutes', { getter: namedRoutes })
  fastify.addHook('onRegister', joinNamespace)
  fastify.addHook('onRoute', registerRoute)
  fastify.addHook('onRequest', judgeRequest)
  fastify.addHook('onReady', endBoot)
}

function joinNamespace (this: FastifyInstance, instance: FastifyInstance, options: { namespace?: unknown }): void {
  const { namespace } = options
  if (namespace === undefined) return
  checkName('namespace', namespace)
  setNamespace(instance, { names: [...namespaceOf(this).names, namespace], prefix: instance.prefix })
}

function registerRoute (this: FastifyInstance, route: ShownRoute): void {
  const { scheme, settings } = contextOf(this) as VersioningContext
  const own = route.versioning === undefined ? undefined : toRouteScheme(this, route.versioning, settings)
  if (own !== undefined) {
    setRouteScheme(route, own)
    noteRouteScheme(this)
  }
  const methods = Array.isArray(route.method) ? route.method : [route.method]
  const registry = registryOf(this) as Registry
  const namespace = namespaceOf(this)
  bootOf(this).routes.add(this, route, own)
  registry.addRoute(methods, route.url, namespace)
  if (hasAlias(route)) registry.addAlias(methods, `${route.prefix}/`)
  if (route.name === undefined) return
  checkName('name', route.name)
  setRouteName(route, route.name)
  const name = namespace.names.length === 0 ? route.name : [...namespace.names, route.name].join(':')
  // Of a GET at the root of a prefix, Fastify shows us `/prefix` but for the HEAD twin `/prefix/` as well.
  const isTwin = route.method === 'HEAD' && route.url.endsWith('/') && registry.has(name, route.url.slice(0, -1))
  if (!isTwin) registry.addName(name, methods, route.url, own === undefined ? scheme : own)
}

/** Fastify answers the root of a prefix with and without a slash, but shows only one of the two. */
function hasAlias ({ routePath, prefix, prefixTrailingSlash }: ShownRoute): boolean {
  return routePath === '' && prefix !== '' && prefixTrailingSlash !== 'slash' && prefixTrailingSlash !== 'no-slash'
}

function toRouteScheme (server: FastifyInstance, given: unknown, settings: Settings): VersioningScheme | null {
  const { scheme } = toSchemeAndSettings('versioning', given, false, settings)
  if (scheme === null) return null
  setHome(scheme, server)
  checkDefault(bootOf(server).warnings, scheme)
  return scheme
}

async function endBoot (this: FastifyInstance): Promise<void> {
  const { routes, warnings } = bootOf(this)
  checkRoutes(warnings, routes)
  routes.clear()
}

export default fp(fastifyVersioning, { name: 'fastify-versioning', fastify: '5.x' })

import accepts from '@fastify/accepts'
import fp from 'fastify-plugin'

import {
  bootOf, contextOf, defaultVersionsOf, hasOwnContext, isRoot, namespaceOf, noteRouteScheme, registryOf, setBoot,
  setContext, setDefaultVersions, setHome, setNamespace, setRegistry
} from './context.ts'
import { DeclaredRoutes } from './declared-routes.ts'
import { unreadIn, warnOfDefault, warnOfSecond, warnOfUnread, warnOfUnseen } from './diagnose-registrations.ts'
import { warnOfUnversioned } from './diagnose-routes.ts'
import { judgeRequest } from './judge.ts'
import { appReverse, namedRoutes, replyReverse } from './links.ts'
import { checkName, routerOptionsOf, toContext, toSchemeAndSettings } from './options.ts'
import { Registry } from './registry.ts'
import { setRouteName, setRouteScheme } from './route-config.ts'
import { VersionConstraint } from './version-constraint.ts'
import { VersionedRoutes } from './versioned-routes.ts'
import { Warnings } from './warnings.ts'

import type { FastifyInstance, RegisterOptions, RouteOptions } from 'fastify'
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

  const { routes, unread, warnings } = bootOf(fastify)
  if (isAgain) warnOfSecond(warnings, parent as VersioningContext, context)
  if (context.scheme !== null) warnOfDefault(warnings, context.scheme)
  unread.push(...unreadIn(options, context))
  routes.refresh(fastify)
}

/** Done once, where the plugin is first registered; a registration further down only changes the context. */
async function install (fastify: FastifyInstance): Promise<void> {
  if (registryOf(fastify) === undefined) {
    const options = routerOptionsOf(fastify)
    const constraint = new VersionConstraint()
    fastify.addConstraintStrategy(constraint as never)
    setRegistry(fastify, new Registry(options))
    setBoot(fastify, {
      routes: new DeclaredRoutes(),
      unread: [],
      versions: new VersionedRoutes(constraint, options),
      warnings: new Warnings()
    })
    if (isRoot(fastify)) warnOfUnseen(bootOf(fastify).warnings, fastify)
  }
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

function joinNamespace (this: FastifyInstance, instance: FastifyInstance, options: RegisterOptions): void {
  const { namespace, version } = options
  if (version !== undefined) setDefaultVersions(instance, version)
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
  const { routes, versions } = bootOf(this)
  const effective = own === undefined ? scheme : own
  const version = route.version === undefined && own !== null ? defaultVersionsOf(this) : route.version
  const isVersioned = version !== undefined && version !== null
  if (isVersioned) versions.add(route, methods, version, effective)
  else versions.addOpen(route, methods)
  routes.add(this, route, own, isVersioned ? effective as VersioningScheme : undefined)
  registry.addRoute(methods, route.url, namespace)
  if (hasAlias(route)) registry.addAlias(methods, `${route.prefix}/`)
  if (route.name === undefined) return
  checkName('name', route.name)
  setRouteName(route, route.name)
  const name = namespace.names.length === 0 ? route.name : [...namespace.names, route.name].join(':')
  // Of a GET at the root of a prefix, Fastify shows us `/prefix` but for the HEAD twin `/prefix/` as well.
  const isTwin = route.method === 'HEAD' && route.url.endsWith('/') && registry.has(name, route.url.slice(0, -1))
  if (!isTwin) registry.addName(name, methods, route.url, effective)
}

/** Fastify answers the root of a prefix with and without a slash, but shows only one of the two. */
function hasAlias ({ routePath, prefix, prefixTrailingSlash }: ShownRoute): boolean {
  return routePath === '' && prefix !== '' && prefixTrailingSlash !== 'slash' && prefixTrailingSlash !== 'no-slash'
}

/** Schemes made of a class, by the settings of their context: routes with the same class have the same scheme. */
const routeSchemes = new WeakMap<Settings, Map<unknown, VersioningScheme>>()

function toRouteScheme (server: FastifyInstance, given: unknown, settings: Settings): VersioningScheme | null {
  const known = routeSchemes.get(settings)?.get(given)
  if (known !== undefined) return known
  const { scheme, schemeClass } = toSchemeAndSettings('versioning', given, false, settings)
  if (scheme === null) return null
  if (schemeClass !== null) {
    routeSchemes.set(settings, (routeSchemes.get(settings) ?? new Map()).set(schemeClass, scheme))
  }
  setHome(scheme, server)
  warnOfDefault(bootOf(server).warnings, scheme)
  return scheme
}

async function endBoot (this: FastifyInstance): Promise<void> {
  const { routes, unread, versions, warnings } = bootOf(this)
  const byScheme = routes.byScheme()
  warnOfUnread(warnings, unread, [...byScheme.keys()])
  warnOfUnversioned(warnings, byScheme)
  routes.clear()
  versions.clear()
  unread.length = 0
}

export default fp(fastifyVersioning, { name: 'fastify-versioning', fastify: '5.x' })

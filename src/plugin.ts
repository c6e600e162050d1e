import accepts from '@fastify/accepts'
import fp from 'fastify-plugin'

import { bootOf, defaultVersionsOf, setBoot, setDefaultVersions } from './boot/boot.ts'
import { contextOf, hasOwnContext, isRoot, setContext } from './context.ts'
import { namespaceOf, registryOf, setHome, setNamespace, setRegistry } from './links/scope.ts'
import { DeclaredRoutes } from './boot/declared-routes.ts'
import { unreadIn, warnOfDefault, warnOfSecond, warnOfUnread, warnOfUnseen } from './boot/diagnose-registrations.ts'
import { warnOfUnversioned } from './boot/diagnose-routes.ts'
import { labelOf } from './errors.ts'
import { judgeRequest } from './requests/determine.ts'
import { appReverse, namedRoutes, replyReverse } from './links/decorators.ts'
import { checkName, routerOptionsOf, toContext, toSchemeAndSettings } from './boot/registration.ts'
import { Registry } from './links/registry.ts'
import { declareEnding } from './boot/route-endings.ts'
import { setRouteName, setRouteScheme } from './boot/route-config.ts'
import { SchemeInstances } from './boot/scheme-instances.ts'
import { VersionConstraint } from './routing/constraint.ts'
import { VersionedRoutes } from './routing/claims.ts'
import { checkReportable } from './lifecycle/report.ts'
import { Warnings } from './boot/warnings.ts'

import type { FastifyInstance, RegisterOptions, RouteOptions } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { Shown } from './routing/disputes.ts'
import type { VersioningOptions, VersioningScheme } from '../types/index.d.ts'

/** A route as onRoute shows it. */
type ShownRoute = RouteOptions & { readonly routePath: string, readonly prefix: string }

async function fastifyVersioning (fastify: FastifyInstance, options: VersioningOptions): Promise<void> {
  if (registryOf(fastify) === undefined) prepare(fastify)
  const boot = bootOf(fastify)
  const { routes, unread, warnings } = boot
  const parent = contextOf(fastify)
  const isAgain = hasOwnContext(fastify)
  const context = toContext(options, parent, boot)
  setContext(fastify, context)
  if (context.scheme !== null) setHome(context.scheme, fastify)
  if (parent === undefined) await install(fastify)

  if (isAgain) warnOfSecond(warnings, parent as VersioningContext, context)
  if (context.scheme !== null) warnOfDefault(warnings, context.scheme)
  unread.push(...unreadIn(options, context))
  routes.refresh(fastify)
}

/** Done once for an app, whichever of its contexts come to have the plugin. */
function prepare (fastify: FastifyInstance): void {
  const options = routerOptionsOf(fastify)
  const constraint = new VersionConstraint()
  fastify.addConstraintStrategy(constraint as never)
  setRegistry(fastify, new Registry(options))
  setBoot(fastify, {
    instances: new SchemeInstances(),
    routes: new DeclaredRoutes(),
    unread: [],
    uses: { routeSchemes: false, routeEndings: false, routeVersions: false },
    versions: new VersionedRoutes(constraint, options),
    warnings: new Warnings()
  })
  if (isRoot(fastify)) warnOfUnseen(bootOf(fastify).warnings, fastify)
}

/** Done where the plugin is first registered; a registration further down only changes the context. */
async function install (fastify: FastifyInstance): Promise<void> {
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
  const methods = [route.method].flat()
  const [path, ...aliases] = pathsOf(route)
  const own = registerScheme(this, route)
  declareEnding(this, route)
  const scheme = own === undefined ? (contextOf(this) as VersioningContext).scheme : own
  const chosenBy = registerVersion(this, { route, methods, paths: [path, ...aliases], label: labelOf(route) }, scheme)
  const { routes, versions } = bootOf(this)
  routes.add(this, route, own, chosenBy)
  for (const varied of versions.takeVaried()) routes.setVaried(varied)
  const registry = registryOf(this) as Registry
  registry.addRoute(methods, path, namespaceOf(this))
  for (const alias of aliases) registry.addAlias(methods, alias)
  if (route.name !== undefined) registerName(this, route, methods, scheme)
}

/** Fastify answers the root of a prefix with a slash and without, but shows one of the two; of HEAD it shows both. */
function pathsOf ({ url, method, routePath, prefix, prefixTrailingSlash }: ShownRoute): string[] {
  const isBoth = prefixTrailingSlash !== 'slash' && prefixTrailingSlash !== 'no-slash' && method !== 'HEAD'
  return routePath === '' && prefix !== '' && isBoth ? [url, `${prefix}/`] : [url]
}

/** The scheme of the route's own; undefined: it is as its context. */
function registerScheme (server: FastifyInstance, route: ShownRoute): VersioningScheme | null | undefined {
  if (route.versioning === undefined) return undefined
  const { instances, uses, warnings } = bootOf(server)
  const { settings } = contextOf(server) as VersioningContext
  const { scheme } = toSchemeAndSettings('versioning', route.versioning, false, settings, instances)
  setRouteScheme(route, scheme)
  uses.routeSchemes = true
  if (scheme === null) return null
  setHome(scheme, server)
  warnOfDefault(warnings, scheme)
  return scheme
}

/** The scheme by which the router chooses the route among others; undefined: it has no version. */
function registerVersion (
  server: FastifyInstance, shown: Shown, scheme: VersioningScheme | null
): VersioningScheme | undefined {
  const { uses, versions } = bootOf(server)
  const { version: own } = shown.route
  // A default is not for routes that have no versions at all.
  const version = own === undefined && scheme !== null ? defaultVersionsOf(server) : own
  if (version === undefined || version === null) {
    versions.addOpen(shown)
    return undefined
  }
  versions.add(shown, version, scheme)
  uses.routeVersions = true
  return scheme as VersioningScheme
}

function registerName (
  server: FastifyInstance, route: ShownRoute, methods: string[], scheme: VersioningScheme | null
): void {
  checkName('name', route.name)
  setRouteName(route, route.name)
  const registry = registryOf(server) as Registry
  const name = [...namespaceOf(server).names, route.name].join(':')
  // Of a GET at the root of a prefix, Fastify shows us `/prefix` but for the HEAD twin `/prefix/` as well.
  const isTwin = route.method === 'HEAD' && route.url.endsWith('/') && registry.has(name, route.url.slice(0, -1))
  if (!isTwin) registry.addName(name, methods, route.url, scheme)
}

async function endBoot (this: FastifyInstance): Promise<void> {
  const { routes, unread, versions, warnings } = bootOf(this)
  const byScheme = routes.byScheme()
  for (const [{ allowedVersions }, declared] of byScheme) {
    const isReported = declared.some(({ server }) => (contextOf(server) as VersioningContext).reportVersions)
    if (isReported) checkReportable(allowedVersions)
  }
  warnOfUnread(warnings, unread, [...byScheme.keys()])
  warnOfUnversioned(warnings, byScheme)
  routes.clear()
  versions.clear()
  unread.length = 0
}

export default fp(fastifyVersioning, { name: 'fastify-versioning', fastify: '5.x' })

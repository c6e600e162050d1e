import fp from 'fastify-plugin'

import { addAccepts } from './boot/accepts.ts'
import { appOf } from './boot/app.ts'
import { routeDeclarer } from './boot/declare-route.ts'
import { checkRegisterOptions } from './boot/near-options.ts'
import { toContext } from './boot/registration.ts'
import { updateRoutes } from './boot/route-versions.ts'
import { settleRoutes } from './boot/settle-routes.ts'
import { lateWarner, warnFunction, warnMisnamed, warnScheme, warnUnseenRoutes } from './boot/warnings.ts'
import { contextVersions, findContext, hasOwnContext, setContext } from './context.ts'
import { VersioningOptionError } from './errors.ts'
import { declareEvents, eventWriter } from './events/events.ts'
import { configReader } from './fastify/route-config.ts'
import { hasOnRequestHooks } from './fastify/route-functions.ts'
import { namespaceOf, setNamespace } from './instances.ts'
import { appVersions } from './lifecycle/versions.ts'
import { setHome } from './links/registry.ts'
import { appReverse, namedRoutes, replyReverseWith } from './links/reverse.ts'
import { versionedRoute } from './links/versioned-route.ts'
import { changesGetter, converterOf, mergeValue } from './older-routes/decorators.ts'
import { contextWrittenFor } from './older-routes/written-for.ts'
import { checkName } from './options/read.ts'
import { getVersion, kPassage, schemeIn, setVersion } from './passage.ts'
import { determineIn } from './requests/determine.ts'
import { completeEarly, keepRefusal, keepVary } from './requests/head.ts'
import { isVersion } from './requests/is-version.ts'

import type { FastifyInstance, FastifyPluginAsync, RegisterOptions } from 'fastify'
import type { App } from './boot/app.ts'
import type { VersioningOptions } from '../types/index.d.ts'

/** Refuses `app.register(versioning(app, options))`: avvio takes what the call returns for the module of a plugin. */
const CALLED = {
  async default () {
    throw new VersioningOptionError(
      'Write "app.register(versioning, options)", not "app.register(versioning(options))".'
    )
  }
}

async function fastifyVersioning (fastify: FastifyInstance, options: VersioningOptions): Promise<never> {
  if (fastify?.register === undefined) await CALLED.default()
  if (hasOwnContext(fastify)) {
    throw new VersioningOptionError(
      'fastify-versioning is registered twice in one context. Register it once, or the second time in a child context.'
    )
  }
  const app = appOf(fastify)
  const parent = findContext(fastify)
  const context = toContext(options, parent, app)
  const { changes, scheme } = context
  setContext(fastify, context)
  updateRoutes(app.registry.routes.list, fastify, app.warned)
  app.registrations.push({ server: fastify, context, options })
  if (scheme !== null) {
    setHome(scheme, fastify)
    warnScheme(scheme, app.warned)
  }
  if (parent === undefined) install(fastify, app)
  if (changes !== null) app.olderRoutes.addContext(fastify)
  if (changes !== null && changes !== parent?.changes) fastify.decorate('merge', mergeValue)
  // Inherited events have the versions of the context that inherits them.
  const hasSameVersions = scheme === null || (scheme === parent?.scheme && changes === parent?.changes)
  if (context.events !== null && !(context.events === parent?.events && hasSameVersions)) {
    const events = declareEvents(fastify, context.events)
    app.events.push(...events)
    fastify.decorate('event', eventWriter(events))
  }
  return CALLED as never
}

/** Installs the plugin where it is first registered. A registration further down only changes the context. */
function install (fastify: FastifyInstance, app: App): void {
  const { olderRoutes, registrations, registry: { routes }, trustsProxy } = app
  // If a context registered the plugin before, its routes are seen.
  if (routes.list.length === 0) routes.isIncomplete = warnUnseenRoutes(fastify)
  if (fastify.hasRequestDecorator('version')) {
    throw new VersioningOptionError('Remove or rename your request decorator "version": fastify-versioning adds one.')
  }
  fastify.decorateRequest(kPassage, null)
  fastify.decorateRequest('version', { getter: getVersion, setter: setVersion })
  fastify.decorateRequest('versioningScheme', { getter () { return schemeIn(this)?.author ?? null } })
  fastify.decorateRequest('versionedRoute', { getter: versionedRoute })
  fastify.decorateRequest('isVersion', isVersion)
  fastify.decorateReply('reverse', replyReverseWith(keepVary))
  fastify.decorate('reverse', appReverse)
  fastify.decorate('namedRoutes', { getter: namedRoutes })
  fastify.decorate('versions', { getter: appVersions })
  fastify.decorate('changes', { getter: changesGetter(olderRoutes) })
  fastify.decorate('downgrade', converterOf('downgrade') as FastifyInstance['downgrade'])
  fastify.decorate('upgrade', converterOf('upgrade') as FastifyInstance['upgrade'])
  fastify.addHook('onRegister', enterContext)
  fastify.addHook('onRoute', routeDeclarer(app))
  // This hook costs each request 2 %. Most apps do not need it, because no hook before ours can answer.
  const isFirst = !hasOnRequestHooks(fastify)
  if (!isFirst) fastify.addHook('onSend', completeEarly)
  fastify.addHook('onRequest', determineIn(routes, configReader(fastify), trustsProxy, isFirst))
  fastify.addHook('onError', keepRefusal)
  fastify.addHook('onReady', addAccepts)
  fastify.addHook('onReady', settleRoutes)
  fastify.addHook('onReady', lateWarner(fastify, registrations))
}

/** onRegister: reads the options `namespace` and `version` of a context. */
function enterContext (this: FastifyInstance, instance: FastifyInstance, options: RegisterOptions): void {
  const { namespace, version, writtenFor } = options
  checkRegisterOptions(options)
  appOf(instance).registers.push({ server: instance, options })
  warnFunction(options)
  warnMisnamed(options, findContext(this)?.scheme?.listedVersions ?? [])
  if (version !== undefined) contextVersions.set(instance, version)
  if (writtenFor !== undefined) contextWrittenFor.set(instance, writtenFor)
  if (namespace === undefined) return
  checkName('namespace', namespace)
  setNamespace(instance, { names: [...namespaceOf(this).names, namespace], prefix: instance.prefix })
}

/**
 * Determines the API version of every request, and keeps generated links in that version. Registered in a child
 * context, it changes the scheme there; options that are left out are inherited.
 *
 * @throws FST_ERR_VERSIONING_OPTION at boot, naming the option and the value
 */
const plugin: FastifyPluginAsync<VersioningOptions> = fp(fastifyVersioning, {
  name: 'fastify-versioning', fastify: '5.x || 6.x'
})
export default plugin

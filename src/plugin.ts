import fp from 'fastify-plugin'

import { addAccepts } from './boot/accepts.ts'
import { appOf } from './boot/app.ts'
import { addHooks, installed } from './boot/hooks.ts'
import { watchOptions } from './boot/lost-options.ts'
import { inContext } from './boot/error-context.ts'
import { toContext } from './boot/registration.ts'
import { contextVersions, declareRoute, outlineOf, refreshRoutes, settleRoutes } from './boot/route.ts'
import { labelsWithHook, unseenRoutes } from './boot/unseen.ts'
import { findContext, hasOwnContext, setContext } from './context.ts'
import { VersioningConflictError } from './errors.ts'
import { forbidStoring } from './lifecycle/gone.ts'
import { appVersions } from './lifecycle/versions.ts'
import { appReverse, namedRoutes, replyReverse } from './links/reverse.ts'
import { namespaceOf, setDefaultServer, setNamespace } from './links/scope.ts'
import { versionedRoute } from './links/versioned-route.ts'
import { checkName } from './options/read.ts'
import { determineVersion } from './requests/determine.ts'
import { isVersion } from './requests/is-version.ts'
import { changesGetter, converterOf } from './variants/decorators.ts'
import { contextWrittenFor } from './variants/written-for.ts'

import type { FastifyInstance, FastifyPluginAsync, RegisterOptions } from 'fastify'
import type { App } from './boot/app.ts'
import type { VersioningContext } from './context.ts'
import type { VersioningOptions } from '../types/index.d.ts'

async function fastifyVersioning (fastify: FastifyInstance, options: VersioningOptions): Promise<void> {
  const app = appOf(fastify)
  const parent = findContext(fastify)
  const context = contextWith(fastify, options, parent, app)
  setContext(fastify, context)
  if (context.scheme !== null) {
    setDefaultServer(context.scheme, fastify)
    app.warnings.warnDefaultNotListed(context.scheme)
    app.warnings.noteUnreadSettings(options, context.scheme, context.scheme.source === context.schemeSource)
  }
  if (parent === undefined) install(fastify, app)
  addHooks(fastify, context)
  if (context.changes !== null) app.olderRoutes.watch(fastify, context.changes)
  refreshRoutes(fastify)
}

/** @throws FST_ERR_VERSIONING_OPTION naming the context */
function contextWith (
  fastify: FastifyInstance, options: VersioningOptions, parent: VersioningContext | undefined, app: App
): VersioningContext {
  try {
    if (!hasOwnContext(fastify)) return toContext(options, parent, app)
    throw new VersioningConflictError(
      'fastify-versioning is registered twice in one context. Register it once, or the second time in a child context.'
    )
  } catch (error) {
    throw inContext(error, fastify)
  }
}

/** Runs where the plugin is first registered. A registration further down only changes the context. */
function install (fastify: FastifyInstance, app: App): void {
  installed.set(fastify, fastify)
  watchUnseen(fastify, app)
  watchOptions(fastify)
  fastify.decorateRequest('version', null)
  fastify.decorateRequest('versioningScheme', null)
  fastify.decorateRequest('versionedRoute', { getter: versionedRoute })
  fastify.decorateRequest('isVersion', isVersion)
  fastify.decorateReply('reverse', replyReverse)
  fastify.decorate('reverse', appReverse)
  fastify.decorate('namedRoutes', { getter: namedRoutes })
  fastify.decorate('versions', { getter: appVersions })
  const { olderRoutes } = app
  fastify.decorate('changes', { getter: changesGetter(olderRoutes) })
  fastify.decorate('downgrade', converterOf(olderRoutes, 'downgrade') as FastifyInstance['downgrade'])
  fastify.decorate('upgrade', converterOf(olderRoutes, 'upgrade') as FastifyInstance['upgrade'])
  fastify.addHook('onRegister', enterContext)
  fastify.addHook('onRoute', declareRoute)
  fastify.addHook('onRequest', determineVersion)
  fastify.addHook('onError', forbidStoring)
  fastify.addHook('onReady', addAccepts)
  fastify.addHook('onReady', settleRoutes)
}

/** Fastify does not show a plugin the routes that are declared before it, though its hooks apply to them. */
function watchUnseen (fastify: FastifyInstance, { outlines, routes, warnings }: App): void {
  const unseen = unseenRoutes(fastify, routes.list)
  if (unseen.length === 0) return
  for (const { endpoint } of unseen) outlines.add(outlineOf(endpoint.slice(endpoint.indexOf('/'))))
  fastify.addHook('onReady', async function warnOfUnseen () {
    const labels = labelsWithHook(fastify, unseen, determineVersion.name)
    if (labels.length === 0) return
    routes.isIncomplete = true
    warnings.warnUnseenRoutes(labels)
  })
}

/** onRegister: reads the options `namespace` and `version` of a context. */
function enterContext (this: FastifyInstance, instance: FastifyInstance, options: RegisterOptions): void {
  const { namespace, version, writtenFor } = options
  if (version !== undefined) contextVersions.set(instance, version)
  if (writtenFor !== undefined) contextWrittenFor.set(instance, writtenFor)
  if (namespace === undefined) return
  try {
    checkName('namespace', namespace)
  } catch (error) {
    throw inContext(error, instance)
  }
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

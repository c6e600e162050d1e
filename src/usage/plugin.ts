import fp from 'fastify-plugin'
import { types } from 'node:util'

import { appOf } from '../boot/app.ts'
import { Comparisons, checkOrders } from '../between-versions/comparison.ts'
import { checkOptions } from '../between-versions/options.ts'
import { contextOf } from '../context.ts'
import { VersioningOptionError, forbid, must } from '../errors.ts'
import { isWithin } from '../instances.ts'
import { warn, warnOfSome } from '../messages.ts'
import { checkRoutePrefix } from '../options/read.ts'
import { labelOf } from '../routes.ts'
import { Counter } from './counter.ts'
import { servePage } from './page.ts'
import { questionsOf } from './questions.ts'
import { memoryStore } from './tally.ts'
import { watchMembers } from './visit.ts'
import { RouteWatch } from './watch.ts'

import type { FastifyInstance, RegisterOptions } from 'fastify'
import type { Route } from '../routes.ts'
import type { Questions } from './questions.ts'
import type { UsageOptions } from '../../types/usage.d.ts'

/** The time between two hand-overs to the store, in milliseconds. */
const INTERVAL = 10_000
const USAGE_PAGE = 'usage.md#the-three-questions'
const OPTIONS = ['client', 'store', 'days', 'routePrefix', 'onRequest', 'prefix', 'logLevel', 'logSerializers']

async function usage (server: FastifyInstance, options: UsageOptions): Promise<void> {
  const { client = () => null, days = 30, routePrefix, onRequest } = options
  checkOptions(options, OPTIONS, '{ client, store, days }', 'options.md#usage')
  const isSync = typeof client === 'function' && !types.isAsyncFunction(client)
  must(isSync, 'client', 'a function of the request that returns a name, and no promise', client)
  must(Number.isInteger(days) && days > 0 && days <= 366, 'days', 'a number of days from 1 to 366', days)
  const { store = memoryStore(days) } = options
  const isStore = typeof Object(store).add === 'function' && typeof Object(store).read === 'function'
  must(isStore, 'store', 'an object { add, read }', store)
  checkRoutePrefix(routePrefix, (options as RegisterOptions).prefix)
  const hooks = [onRequest ?? []].flat()
  const isGuarded = hooks.length > 0 && hooks.every((hook) => typeof hook === 'function')
  must(routePrefix === undefined || isGuarded, 'onRequest', 'a hook that decides who may see the page', onRequest)
  if (routePrefix === undefined && onRequest !== undefined) {
    forbid('routePrefix', 'Set "routePrefix", such as \'/versions-in-use\', or remove "onRequest": without a path, ' +
      'there is no page.')
  }
  if (server.hasDecorator('versionUsage')) throw new VersioningOptionError('Register fastify-versioning/usage once.')

  const { routes } = appOf(server).registry
  const counter = new Counter(store, client, contextOf(server).now, server.log)
  const countedIn = (list: readonly Route[]) => (
    list.filter((route) => isWithin(route.server, server) && route.scheme !== null)
  )
  const labelsOf = (list: readonly Route[]) => countedIn(list).filter(({ isAdded }) => !isAdded).map(labelOf)
  warnOfSome('FST_WARN_VERSION_UNSEEN', labelsOf(routes.list), 'Write "await app.register(usage, …)" before the ' +
    'routes. Calls are not counted of routes that were declared before fastify-versioning/usage: %s.')
  const early = routes.list.length
  let questions: Questions | null = null
  const ask = () => (questions ??= questionsOf(counter, new Comparisons(server, USAGE_PAGE), days))

  watchMembers(server)
  server.addHook('onReady', async function watchRoutes () {
    checkOrders(server)
    const known = new Map<string, boolean>()
    for (const route of countedIn(routes.list.slice(early))) {
      route.observer = new RouteWatch(route, counter, routes.list, known)
    }
    if (countedIn(routes.list).length === 0 && routes.list.some(({ scheme }) => scheme !== null)) {
      warn('FST_WARN_VERSION_UNSEEN', 'Register fastify-versioning/usage in the context of the routes, or wrap the ' +
        'plugin that registers it in fastify-plugin: its own context has no routes, so no calls are counted.')
    }
    const unlisted = routes.list.filter((route) => (
      route.scheme?.members.every(({ listedVersions }) => listedVersions.length === 0)
    ))
    warnOfSome('FST_WARN_VERSION_UNSEEN', labelsOf(unlisted), 'Set "allowedVersions": without a list, ' +
      'fastify-versioning/usage does not count the versions of calls, because clients choose them: %s.')
  })
  const timer = setInterval(() => counter.flush(), INTERVAL).unref()
  server.addHook('onClose', async function flushLast () {
    clearInterval(timer)
    await counter.close()
  })
  server.decorate('versionUsage', {
    of: async (client, options) => await ask().of(client, options),
    movable: async (from, to) => await ask().movable(from, to),
    summary: async (options) => await ask().summary(options)
  })
  if (routePrefix !== undefined) servePage(server, routePrefix, hooks, counter, ask)
}

export default fp(usage, {
  name: 'fastify-versioning/usage', fastify: '5.x || 6.x', dependencies: ['fastify-versioning']
})

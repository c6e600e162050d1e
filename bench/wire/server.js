import Fastify from 'fastify'

import { pluginOf, sides } from '../settings.js'
import { apps } from './apps.js'

/**
 * An app that is ready. Without the plugin it has a hook that does nothing: some hook there is in any app.
 *
 * @param name of one of the apps
 * @param side `without`, `byHand`, or whose plugin it has
 * @param directory of a checkout, if it has the plugin
 */
export async function appOf (name, side, directory) {
  const app = Fastify()
  if (side === 'without') app.addHook('onRequest', function doNothing (_request, _reply, done) { done() })
  const add = apps[name][side === 'without' || side === 'byHand' ? side : 'ours']
  const from = directory === '' ? sides.ours : directory
  // What an app does not need is not loaded.
  const loaded = ['index', 'usage'].slice(0, add.length - 1).map((entry) => pluginOf(from, entry))
  await add(app, ...await Promise.all(loaded))
  await app.ready()
  return app
}

/** The same app, listening on any free port. */
export async function listen (name, side, directory) {
  const app = await appOf(name, side, directory)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

import Fastify from 'fastify'

import { pluginOf } from '../settings.js'
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
  if (side === 'without' || side === 'byHand') apps[name][side](app)
  else await apps[name].ours(app, await pluginOf(directory))
  await app.ready()
  return app
}

/** The same app, listening on any free port. */
export async function listen (name, side, directory) {
  const app = await appOf(name, side, directory)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

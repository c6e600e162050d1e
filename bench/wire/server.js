import Fastify from 'fastify'

import { pluginOf } from '../settings.js'
import { apps } from './apps.js'

/**
 * An app that listens, on any free port. Without the plugin it has a hook that does nothing: some hook there is in any
 * app.
 *
 * @param name of one of the apps
 * @param side the directory of a checkout, or '' for none
 */
export async function listen (name, side) {
  const app = Fastify()
  const plugin = await pluginOf(side)
  if (plugin === null) {
    app.addHook('onRequest', function doNothing (_request, _reply, done) { done() })
    apps[name].without(app)
  } else await apps[name].ours(app, plugin)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

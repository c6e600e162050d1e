import Fastify from 'fastify'

/** @param route each scheme is compared with a hook on the same path */
export default async function listen (address, route) {
  const app = Fastify()
  app.addHook('onRequest', function doNothing (_request, _reply, done) { done() })
  app.get(route, async (request) => ({ id: request.params.id, version: 'v1' }))
  await app.listen(address)
  return app.server
}

import Fastify from 'fastify'

export default async function listen (address) {
  const app = Fastify()
  const [first, second] = ['1.0.0', '2.0.0'].map((version) => ({ constraints: { version } }))
  app.get('/rooms/:id', first, async (request) => ({ id: request.params.id, version: 'v1' }))
  app.get('/rooms/:id', second, async (request) => ({ id: request.params.id, version: 'v2' }))
  await app.listen(address)
  return app.server
}

import Fastify from 'fastify'

export default async function listen (address) {
  const app = Fastify()
  app.get('/rooms/:id', async (request) => ({ id: request.params.id, version: 'v1' }))
  await app.listen(address)
  return app.server
}

import Fastify from 'fastify'

import versioning, { NamespaceVersioning } from '../../dist/index.js'

export default async function listen (address) {
  const app = Fastify()
  await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  app.register(rooms, { prefix: '/v1', namespace: 'v1' })
  app.register(rooms, { prefix: '/v2', namespace: 'v2' })
  await app.listen(address)
  return app.server
}

async function rooms (api) {
  api.get('/rooms/:id', async (request) => ({ id: request.params.id, version: request.version }))
}

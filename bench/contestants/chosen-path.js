import Fastify from 'fastify'

import versioning, { URLPathVersioning } from '../../dist/index.js'

export default async function listen (address) {
  const app = Fastify()
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/:version/rooms/:id', { version: 'v1' }, async (request) => ({ id: request.params.id, version: 'v1' }))
  app.get('/:version/rooms/:id', { version: 'v2' }, async (request) => ({ id: request.params.id, version: 'v2' }))
  await app.listen(address)
  return app.server
}

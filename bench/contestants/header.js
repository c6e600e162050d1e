import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'

export default async function listen (address) {
  const app = Fastify()
  await app.register(versioning, {
    scheme: HeaderVersioning, versionHeader: 'X-API-Version', allowedVersions: ['v1', 'v2']
  })
  app.get('/rooms/:id', async (request) => ({ id: request.params.id, version: request.version }))
  await app.listen(address)
  return app.server
}

import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'

/** @param ending the version that ends: the one that is requested, or another one */
export default async function listen (address, ending) {
  const app = Fastify()
  await app.register(versioning, {
    scheme: HeaderVersioning,
    versionHeader: 'X-API-Version',
    allowedVersions: ['v1', 'v2', 'v3'],
    reportVersions: true,
    lifecycle: { [ending]: { deprecated: '2025-01-01', sunset: '2036-01-01', info: 'https://docs.example.com/end' } }
  })
  app.get('/rooms/:id', async (request) => ({ id: request.params.id, version: request.version }))
  await app.listen(address)
  return app.server
}

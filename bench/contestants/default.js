import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'

const pins = new Map([['1', 'v1']])

/** @param kind whether the default version is `fixed`, or `pinned` by the client that a header names */
export default async function listen (address, kind) {
  const app = Fastify()
  const pinned = { header: 'Api-Version', version: (client) => pins.get(client) }
  await app.register(versioning, {
    scheme: HeaderVersioning,
    versionHeader: 'X-Not-Sent',
    allowedVersions: ['v1', 'v2'],
    defaultVersion: kind === 'pinned' ? pinned : 'v1'
  })
  app.get('/rooms/:id', async (request) => ({ id: request.params.id, version: request.version }))
  await app.listen(address)
  return app.server
}

import Hapi from '@hapi/hapi'
import versioning from 'hapi-api-version'

export default async function listen ({ host, port }) {
  const server = Hapi.server({ host, port })
  await server.register({
    plugin: versioning,
    options: { validVersions: [1, 2], defaultVersion: 1, vendorName: 'example' }
  })
  server.route({
    method: 'GET',
    path: '/rooms/{id}',
    handler: async (request) => ({ id: request.params.id, version: `v${request.pre.apiVersion}` })
  })
  await server.start()
  return server.listener
}

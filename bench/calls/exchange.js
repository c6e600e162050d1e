import Fastify from 'fastify'

import versioning from '../../dist/index.js'

/**
 * The request and the reply of an exchange in version v1 with an app that has one route, named `room`.
 *
 * @param scheme the class, or a list of classes
 * @param path of the route
 * @param request as for `inject`
 * @param options of the context that the route is in
 */
export async function exchangeUnder (scheme, path, request, options = {}) {
  const app = Fastify()
  await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'] })
  const seen = []
  app.register(async (context) => {
    context.get(path, { name: 'room' }, async (request, reply) => {
      seen.push({ request, reply })
      return ''
    })
  }, options)
  await app.inject(request)
  return seen[0]
}

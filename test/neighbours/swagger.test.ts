import swagger from '@fastify/swagger'
import t from 'tap'

import { AcceptHeaderVersioning, NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { appInOrder, orders } from './orders.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const options: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }

const documented = (more: object = {}) => (app: FastifyInstance) => (
  app.register(swagger, { openapi: { info: { title: 'Bookings', version: '1.0.0' } }, ...more })
)

async function routes (api: FastifyInstance) {
  const params = { type: 'object', properties: { id: { type: 'integer' } } }
  const schema = { operationId: 'booking', params }
  api.get('/bookings', { name: 'bookings', versioning: AcceptHeaderVersioning }, async () => '')
  api.get('/bookings/:id', { name: 'booking', schema, config: { mine: true } as object }, async () => '')
  api.put('/bookings/:id', { name: 'booking' }, async () => '')
  api.get('/health', { versioning: false, schema: { tags: ['ops'] } }, async () => '')
}

async function documentOf (app: FastifyInstance) {
  await app.ready()
  return app.swagger()
}

for (const order of orders) {
  t.test(`a document is the same as without the plugin, with swagger ${order}`, async (t) => {
    const without = bareApp(t)
    await documented()(without)
    without.register(routes)
    const app = await appInOrder(t, order, options, documented())
    app.register(routes)
    t.strictSame(await documentOf(app), await documentOf(without))
  })

  t.test(`a document with HEAD routes is the same as without the plugin, with swagger ${order}`, async (t) => {
    const register = documented({ exposeHeadRoutes: true })
    const without = bareApp(t)
    await register(without)
    without.register(routes)
    const app = await appInOrder(t, order, options, register)
    app.register(routes)
    t.strictSame(await documentOf(app), await documentOf(without))
  })

  t.test(`every route is in the document once, with swagger ${order}`, async (t) => {
    const seen: string[] = []
    const app = await appInOrder(t, order, options, documented({
      transform ({ schema, url, route }: { schema: object, url: string, route: { method: string } }) {
        seen.push(`${route.method} ${url}`)
        return { schema, url }
      }
    }))
    app.register(routes)
    await documentOf(app)
    t.same(seen, ['GET /bookings', 'GET /bookings/:id', 'PUT /bookings/:id', 'GET /health'])
  })

  t.test(`every version has its paths in the document, with swagger ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...options, scheme: NamespaceVersioning }, documented())
    for (const namespace of ['v1', 'v2']) app.register(routes, { prefix: `/${namespace}`, namespace })
    t.same(Object.keys((await documentOf(app)).paths ?? {}), [
      '/v1/bookings', '/v1/bookings/{id}', '/v1/health', '/v2/bookings', '/v2/bookings/{id}', '/v2/health'
    ])
  })

  t.test(`a route has its version and its links, with swagger ${order}`, async (t) => {
    const app = await appInOrder(t, order, options, documented())
    app.get('/bookings', { name: 'bookings' }, async (request, reply) => [request.version, reply.reverse('bookings')])
    t.same((await app.inject('/bookings?version=v2')).json(), ['v2', '/bookings?version=v2'])
  })
}

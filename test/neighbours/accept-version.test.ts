import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const byAccept = { ...byQuery, scheme: AcceptHeaderVersioning }

/** Two routes of one URL, which Fastify tells apart by the header Accept-Version. */
async function constrained (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  for (const version of ['1.2.0', '2.0.0']) {
    const [major] = version
    app.get('/bookings', { name: `bookings-${major}`, constraints: { version } }, async (request, reply) => ({
      constraint: major, version: request.version, link: reply.reverse(`bookings-${major}`), self: reply.reverse()
    }))
  }
  return app
}

async function version (request: FastifyRequest) {
  return { version: request.version }
}

for (const major of ['1', '2']) {
  const headers = { 'accept-version': `${major}.x` }

  t.test(`Accept-Version: ${major}.x chooses the route, and the query the version`, async (t) => {
    const app = await constrained(t, byQuery)
    t.same((await app.inject({ url: '/bookings?version=v2', headers })).json(), {
      constraint: major, version: 'v2', link: '/bookings?version=v2', self: '/bookings?version=v2'
    })
  })

  t.test(`Accept-Version: ${major}.x chooses the route of a HEAD request, whose version is determined`, async (t) => {
    const app = await constrained(t, byQuery)
    const request = { method: 'HEAD', headers } as const
    t.equal((await app.inject({ ...request, url: '/bookings?version=v2' })).statusCode, 200)
    t.equal((await app.inject({ ...request, url: '/bookings?version=v9' })).statusCode, 404)
  })
}

t.test('an Accept-Version that no route has is a plain 404, without a call of the scheme', async (t) => {
  const app = await constrained(t, byQuery)
  const response = await app.inject({ url: '/bookings?version=v9', headers: { 'accept-version': '3.x' } })
  t.match(response.json(), { statusCode: 404, message: 'Route GET:/bookings?version=v9 not found' })
})

t.test('the plugin does not read Accept-Version', async (t) => {
  const app = await constrained(t, byQuery)
  const response = await app.inject({ url: '/bookings', headers: { 'accept-version': '1.x' } })
  t.match(response.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('the constraint version of a route is Fastify\'s, and the version of a request is the plugin\'s', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/bookings', { constraints: { version: '1.2.0' } }, async (request) => [
    request.routeOptions.version, request.version
  ])
  const response = await app.inject({ url: '/bookings?version=v2', headers: { 'accept-version': '1.2.0' } })
  t.same(response.json(), ['1.2.0', 'v2'])
})

t.test('routes of one URL with different Accept-Version may have their own schemes', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/bookings', { constraints: { version: '1.0.0' }, versioning: AcceptHeaderVersioning }, version)
  app.get('/bookings', { constraints: { version: '2.0.0' }, versioning: false }, version)
  const accept = 'a/b; version=v2'
  const first = await app.inject({ url: '/bookings', headers: { 'accept-version': '1.x', accept } })
  t.same(first.json(), { version: 'v2' })
  const second = await app.inject({ url: '/bookings?version=v1', headers: { 'accept-version': '2.x', accept } })
  t.same(second.json(), { version: null })
})

for (const order of orders) {
  t.test(`an answer varies on Accept next to the Accept-Version of a hook ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, async (app) => {
      app.addHook('onSend', async (_request, reply) => {
        reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept-Version'].flat().join(', '))
      })
    })
    app.get('/bookings', { constraints: { version: '1.0.0' } }, version)
    const headers = { 'accept-version': '1.x', accept: 'a/b; version=v2' }
    t.same(varyOf(await app.inject({ url: '/bookings', headers })), ['accept', 'accept-version'])
  })
}

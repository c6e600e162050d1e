import underPressure from '@fastify/under-pressure'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const neutral = { url: '/status', routeOpts: { versioning: false } }

/** Under pressure from boot on, for its health check fails. */
const pressed = (app: FastifyInstance) => (
  app.register(underPressure, { healthCheck: async () => false, exposeStatusRoute: neutral })
)

async function version (request: FastifyRequest) {
  return { version: request.version }
}

for (const order of orders) {
  t.test(`an answer has its version, with under-pressure ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, (app) => app.register(underPressure, { maxRssBytes: Infinity }))
    app.get('/bookings', version)
    t.same((await app.inject('/bookings?version=v2')).json(), { version: 'v2' })
    t.equal((await app.inject('/bookings?version=v9')).statusCode, 404)
  })

  t.test(`a 503 varies on Accept, with under-pressure ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...byQuery, scheme: AcceptHeaderVersioning }, pressed)
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } })
    t.equal(response.statusCode, 503)
    t.same(varyOf(response), ['accept'])
  })
}

t.test('the status route may be version-neutral where under-pressure is registered after the plugin', async (t) => {
  const app = await appInOrder(t, 'registered after the plugin', byQuery, (app) => (
    app.register(underPressure, { exposeStatusRoute: neutral })
  ))
  t.same((await app.inject('/status')).json(), { status: 'ok' })
})

t.test('the status route needs a version like any other unless it is version-neutral', async (t) => {
  const app = await appInOrder(t, 'registered after the plugin', byQuery, (app) => (
    app.register(underPressure, { exposeStatusRoute: '/status' })
  ))
  t.equal((await app.inject('/status')).statusCode, 404)
  t.same((await app.inject('/status?version=v2')).json(), { status: 'ok' })
})

t.test('a 503 may depend on the version where under-pressure is registered after the plugin', async (t) => {
  const app = await appInOrder(t, 'registered after the plugin', byQuery, (app) => app.register(underPressure, {
    healthCheck: async () => false,
    exposeStatusRoute: neutral,
    pressureHandler (request, reply) {
      if (request.version === 'v1') reply.code(503).send({ message: 'v1 has to wait' })
    }
  }))
  app.get('/bookings', version)
  t.equal((await app.inject('/bookings?version=v1')).statusCode, 503)
  t.same((await app.inject('/bookings?version=v2')).json(), { version: 'v2' })
})

import helmet from '@fastify/helmet'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }

const register = (app: FastifyInstance) => app.register(helmet)

async function version (request: FastifyRequest) {
  return { version: request.version }
}

for (const order of orders) {
  t.test(`an answer has its version and the headers of helmet ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', version)
    const response = await app.inject('/bookings?version=v2')
    t.same(response.json(), { version: 'v2' })
    t.equal(response.headers['x-content-type-options'], 'nosniff')
  })

  t.test(`a route may turn helmet off and have its own scheme, with helmet ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', { helmet: false, versioning: AcceptHeaderVersioning, name: 'bookings' }, version)
    const response = await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } })
    t.same(response.json(), { version: 'v2' })
    t.equal(response.headers['x-content-type-options'], undefined)
  })

  t.test(`a config that routes share is not changed by the plugin or a route, with helmet ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    const config = {}
    app.get('/versioned', { config }, version)
    app.get('/neutral', { config, versioning: false }, version)
    t.same((await app.inject('/versioned?version=v2')).json(), { version: 'v2' })
    t.same((await app.inject('/neutral?version=v2')).json(), { version: null })
    t.same(Reflect.ownKeys(config), [])
  })

  t.test(`an answer varies on Accept next to the headers of helmet ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...byQuery, scheme: AcceptHeaderVersioning }, register)
    app.get('/bookings', version)
    t.same(varyOf(await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } })), ['accept'])
  })
}

t.test('a refusal has the headers of helmet where helmet is registered before the plugin', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, register)
  app.get('/bookings', version)
  const response = await app.inject('/bookings?version=v9')
  t.equal(response.statusCode, 404)
  t.equal(response.headers['x-content-type-options'], 'nosniff')
})

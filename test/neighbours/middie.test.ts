import middie from '@fastify/middie'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

const origin = 'https://client.example'
const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byAccept = { scheme: AcceptHeaderVersioning, ...versions }

/** What CORS and helmet do as middleware: headers, and an answer to preflights. */
const allowOrigin: Middleware = (request, response, next) => {
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
  if (request.method !== 'OPTIONS') return next()
  response.statusCode = 204
  response.end()
}

const answerAll: Middleware = (_request, response) => { response.end('from the middleware') }

const using = (middleware: Middleware) => async (app: FastifyInstance) => {
  await app.register(middie)
  app.use(middleware)
}

async function version (request: FastifyRequest) {
  return { version: request.version }
}

for (const order of orders) {
  t.test(`a response has its version and the header of a middleware, with middie ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, using(allowOrigin))
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings?version=v2', headers: { origin } })
    t.same(response.json(), { version: 'v2' })
    t.equal(response.headers['access-control-allow-origin'], origin)
  })

  t.test(`a response varies on Accept and on the Vary of a middleware, with middie ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, using(allowOrigin))
    app.get('/bookings', version)
    t.same(varyOf(await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } })), ['accept', 'origin'])
  })

  t.test(`a middleware answers a preflight, with middie ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, using(allowOrigin))
    app.options('/bookings', version)
    const headers = { origin, 'access-control-request-method': 'GET' }
    const response = await app.inject({ method: 'OPTIONS', url: '/bookings?version=v9', headers })
    t.equal(response.statusCode, 204)
    t.equal(response.headers['access-control-allow-origin'], origin)
  })

  const vary = order === 'registered after the plugin' ? ['accept'] : []
  t.test(`a response of a middleware varies on ${vary.join() || 'nothing'}, with middie ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, using(answerAll))
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } })
    t.equal(response.body, 'from the middleware')
    t.same(varyOf(response), vary)
  })
}

t.test('a refusal has the header of a middleware where middie is registered before the plugin', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byAccept, using(allowOrigin))
  app.get('/bookings', version)
  const response = await app.inject({ url: '/bookings', headers: { origin, accept: 'a/b; version=v9' } })
  t.equal(response.statusCode, 406)
  t.equal(response.headers['access-control-allow-origin'], origin)
  t.same(varyOf(response), ['accept', 'origin'])
})

t.test('a refusal has the header of a later middleware where middie is registered before the plugin', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, (app) => app.register(middie))
  app.use(allowOrigin)
  app.get('/bookings', version)
  const response = await app.inject({ url: '/bookings?version=v9', headers: { origin } })
  t.equal(response.statusCode, 404)
  t.equal(response.headers['access-control-allow-origin'], origin)
})

t.test('a refusal skips the middleware where middie is registered after the plugin', async (t) => {
  const app = await appInOrder(t, 'registered after the plugin', byQuery, using(allowOrigin))
  app.get('/bookings', version)
  const response = await app.inject({ url: '/bookings?version=v9', headers: { origin } })
  t.equal(response.statusCode, 404)
  t.equal(response.headers['access-control-allow-origin'], undefined)
})

import cors from '@fastify/cors'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const origin = 'https://client.example'
const preflight = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'accept' }
const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byAccept = { scheme: AcceptHeaderVersioning, ...versions }

const register = (app: FastifyInstance) => app.register(cors, { origin: true })

async function version (request: FastifyRequest) {
  return { version: request.version }
}

interface Preflight { under: string, options: VersioningOptions, url: string, accept?: string }

const preflights: Preflight[] = [
  { under: 'no default version', options: byQuery, url: '/bookings' },
  { under: 'a default version', options: { ...byQuery, defaultVersion: 'v1' }, url: '/bookings' },
  { under: 'a version that is refused', options: byQuery, url: '/bookings?version=v9' },
  { under: 'a scheme that reads Accept', options: byAccept, url: '/bookings' },
  { under: 'an Accept that is refused', options: byAccept, url: '/bookings', accept: 'a/b; version=v9' },
  { under: 'a URL that no route has', options: byQuery, url: '/nowhere' }
]

for (const order of orders) {
  for (const { under, options, url, accept = '*/*' } of preflights) {
    t.test(`a preflight with ${under} is answered as without the plugin, with cors ${order}`, async (t) => {
      const headers = { ...preflight, accept }
      const app = await appInOrder(t, order, options, register)
      app.get('/bookings', version)
      const without = bareApp(t)
      await register(without)
      without.get('/bookings', async () => '')
      const [given, expected] = await Promise.all(
        [app, without].map((one) => one.inject({ method: 'OPTIONS', url, headers }))
      )
      t.equal(given.statusCode, 204)
      t.same(withoutDate(given.headers), withoutDate(expected.headers))
    })
  }

  t.test(`a preflight that reaches a handler has no version there, with cors ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...byQuery, defaultVersion: 'v1' }, (app) => (
      app.register(cors, { preflightContinue: true })
    ))
    app.options('/bookings', async ({ version, versioningScheme }) => ({ version, versioningScheme }))
    const response = await app.inject({ method: 'OPTIONS', url: '/bookings?version=v2', headers: preflight })
    t.same(response.json(), { version: null, versioningScheme: null })
  })

  for (const header of ['origin', 'access-control-request-method'] as const) {
    t.test(`the version of OPTIONS with only ${header} is determined, with cors ${order}`, async (t) => {
      const app = await appInOrder(t, order, byQuery, (app) => app.register(cors, { preflight: false }))
      app.options('/bookings', version)
      const request = { method: 'OPTIONS', headers: { [header]: preflight[header] } } as const
      t.same((await app.inject({ ...request, url: '/bookings?version=v2' })).json(), { version: 'v2' })
      t.equal((await app.inject({ ...request, url: '/bookings?version=v9' })).statusCode, 404)
    })
  }

  t.test(`a request from another origin gets its version, with cors ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings?version=v2', headers: { origin } })
    t.same(response.json(), { version: 'v2' })
    t.equal(response.headers['access-control-allow-origin'], origin)
  })

  t.test(`an answer varies on Accept as well as on Origin, with cors ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings', headers: { origin, accept: 'a/b; version=v2' } })
    t.same(varyOf(response), ['accept', 'origin'])
  })

  t.test(`an answer varies on the header of a custom scheme, with cors ${order}`, async (t) => {
    class HeaderVersioning extends BaseVersioning {
      override determineVersion (request: FastifyRequest) {
        return this.permit(request.headers['x-api-version']?.toString())
      }
    }
    const scheme = Object.defineProperty(new HeaderVersioning(versions), 'vary', { value: 'X-API-Version' })
    const app = await appInOrder(t, order, { scheme }, register)
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings', headers: { origin, 'x-api-version': 'v2' } })
    t.same(varyOf(response), ['origin', 'x-api-version'])
  })

  t.test(`a refusal varies on Accept, with cors ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    const response = await app.inject({ url: '/bookings', headers: { origin, accept: 'a/b; version=v9' } })
    t.equal(response.statusCode, 406)
    t.equal(varyOf(response).filter((name) => name === 'accept').length, 1)
  })

  for (const [what, options, route] of [
    ['a route under a scheme in the URL', byQuery, {}],
    ['a version-neutral route', byAccept, { versioning: false }]
  ] as const) {
    t.test(`${what} varies only on what cors adds, with cors ${order}`, async (t) => {
      const app = await appInOrder(t, order, options, register)
      app.get('/bookings', route, version)
      t.same(varyOf(await app.inject({ url: '/bookings?version=v1', headers: { origin } })), ['origin'])
    })
  }

  t.test(`a link to a named OPTIONS route leads to it, with cors ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.options('/bookings/:id', { name: 'booking-options' }, version)
    t.equal(app.reverse('booking-options', { id: 7 }), '/bookings/7')
  })
}

t.test('a client of another origin may read a refusal where cors is registered before the plugin', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, register)
  app.get('/bookings', version)
  const response = await app.inject({ url: '/bookings?version=v9', headers: { origin } })
  t.equal(response.statusCode, 404)
  t.equal(response.headers['access-control-allow-origin'], origin)
})

t.test('the allowed origins may depend on the version where cors is registered after the plugin', async (t) => {
  const app = await appInOrder(t, 'registered after the plugin', byQuery, (app) => app.register(cors, {
    delegator: async (request: FastifyRequest) => ({ origin: request.version === 'v2' })
  }))
  app.get('/bookings', version)
  const allowed = await app.inject({ url: '/bookings?version=v2', headers: { origin } })
  t.equal(allowed.headers['access-control-allow-origin'], origin)
  const denied = await app.inject({ url: '/bookings?version=v1', headers: { origin } })
  t.equal(denied.headers['access-control-allow-origin'], undefined)
})

t.test('a context with cors and its own scheme answers preflights', async (t) => {
  const app = await appWith(t, byQuery)
  app.register(async (partners) => {
    await partners.register(versioning, { scheme: AcceptHeaderVersioning })
    await partners.register(cors, { origin: true })
    partners.get('/rates', version)
  }, { prefix: '/partners' })
  const response = await app.inject({ method: 'OPTIONS', url: '/partners/rates', headers: preflight })
  t.equal(response.statusCode, 204)
})

function withoutDate ({ date, ...headers }: Record<string, unknown>) {
  return headers
}

import etag from '@fastify/etag'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Change } from '../../types/index.d.ts'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byAccept = { scheme: AcceptHeaderVersioning, ...versions }

const register = (app: FastifyInstance) => app.register(etag)
const accept = (version: string) => `application/json; version=${version}`

async function version (request: FastifyRequest) {
  return { version: request.version }
}

/** The entity tag of a version of `/bookings`. */
async function tagOf (app: FastifyInstance, version: string): Promise<string> {
  const { headers } = await app.inject({ url: '/bookings', headers: { accept: accept(version) } })
  return String(headers.etag)
}

for (const order of orders) {
  t.test(`a request with the tag of another version is answered in full, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    const headers = { accept: accept('v2'), 'if-none-match': await tagOf(app, 'v1') }
    t.same((await app.inject({ url: '/bookings', headers })).json(), { version: 'v2' })
  })

  t.test(`a request with the tag of its version gets a 304 that varies on Accept, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    const headers = { accept: accept('v1'), 'if-none-match': await tagOf(app, 'v1') }
    const response = await app.inject({ url: '/bookings', headers })
    t.equal(response.statusCode, 304)
    t.same(varyOf(response), ['accept'])
  })

  t.test(`an answer with a tag varies on Accept, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    t.same(varyOf(await app.inject({ url: '/bookings', headers: { accept: accept('v1') } })), ['accept'])
  })

  t.test(`an answer with a tag from the handler varies on Accept, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', async (request, reply) => reply.header('ETag', `"${request.version}"`).send({}))
    const headers = { accept: accept('v2'), 'if-none-match': '"v2"' }
    const response = await app.inject({ url: '/bookings', headers })
    t.equal(response.statusCode, 304)
    t.same(varyOf(response), ['accept'])
  })

  t.test(`an error has no tag of the payload that no change converts, with etag ${order}`, async (t) => {
    const older = { type: 'object', properties: { guest: { type: 'string' } } }
    const change: Change = {
      version: 'v2',
      description: 'Several guests.',
      routes: { bookings: { response: { 200: { older, downgrade: ({ guests }) => ({ guest: guests[0] }) } } } }
    }
    const app = await appInOrder(t, order, { ...byAccept, changes: [change] }, register)
    const schema = { response: { 200: { type: 'object', properties: { guests: { type: 'array' } } } } }
    app.get('/bookings', { name: 'bookings', schema }, async (_request, reply) => (
      reply.type('application/json').send('{"guests":["Ada"]}')
    ))
    const { statusCode, headers } = await app.inject({ url: '/bookings', headers: { accept: accept('v1') } })
    t.equal(statusCode, 500)
    t.not(headers.etag, await tagOf(app, 'v2'))
  })

  for (const [what, options, route] of [
    ['a route under a scheme in the URL', byQuery, {}],
    ['a version-neutral route', byAccept, { versioning: false }]
  ] as const) {
    t.test(`a 304 of ${what} varies on nothing, with etag ${order}`, async (t) => {
      const app = await appInOrder(t, order, options, register)
      app.get('/bookings', route, version)
      const url = '/bookings?version=v1'
      const { headers } = await app.inject(url)
      const response = await app.inject({ url, headers: { 'if-none-match': headers.etag } })
      t.equal(response.statusCode, 304)
      t.same(varyOf(response), [])
    })
  }
}

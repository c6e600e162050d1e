import compress from '@fastify/compress'
import { Readable } from 'node:stream'
import t from 'tap'
import { gunzipSync } from 'node:zlib'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byAccept = { scheme: AcceptHeaderVersioning, ...versions }
const headers = { 'accept-encoding': 'gzip', accept: 'application/json; version=v2' }

const register = (app: FastifyInstance) => app.register(compress, { threshold: 0 })

async function version (request: FastifyRequest) {
  return { version: request.version }
}

interface Answer {
  what: string
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown
  method?: 'HEAD'
  vary: string[]
}

const answers: Answer[] = [
  { what: 'a compressed answer', handler: version, vary: ['accept', 'accept-encoding'] },
  {
    what: 'a compressed stream',
    handler: (_request, reply) => reply.type('text/plain').send(Readable.from(['text'])),
    vary: ['accept', 'accept-encoding']
  },
  {
    what: 'an answer compressed by hand',
    handler: (_request, reply) => reply.type('text/plain').compress(Readable.from(['text'])),
    vary: ['accept', 'accept-encoding']
  },
  {
    what: 'an answer whose handler says so itself',
    handler: (_request, reply) => reply.header('Vary', 'ACCEPT').send('text'),
    vary: ['accept', 'accept-encoding']
  },
  {
    what: 'an answer that varies on more',
    handler: (_request, reply) => reply.header('Vary', 'Accept-Language').send('text'),
    vary: ['accept', 'accept-encoding', 'accept-language']
  },
  {
    what: 'an answer that is not compressed',
    handler: (_request, reply) => reply.type('image/png').send(Buffer.from('image')),
    vary: ['accept']
  },
  { what: 'an answer without content', handler: (_request, reply) => reply.code(204).send(), vary: ['accept'] },
  { what: 'an answer to HEAD', handler: version, method: 'HEAD', vary: ['accept'] },
  {
    what: 'an error',
    handler: async () => { throw new Error('broken') },
    vary: ['accept', 'accept-encoding']
  }
]

for (const order of orders) {
  for (const { what, handler, method = 'GET', vary } of answers) {
    t.test(`${what} varies on ${vary.join(' and ')}, with compress ${order}`, async (t) => {
      const app = await appInOrder(t, order, byAccept, register)
      app.get('/bookings', handler)
      t.same(varyOf(await app.inject({ method, url: '/bookings', headers })), vary)
    })
  }

  t.test(`a refusal varies on Accept as well as on the encoding, with compress ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    const refused = { ...headers, accept: 'a/b; version=v9' }
    const response = await app.inject({ url: '/bookings', headers: refused })
    t.equal(response.statusCode, 406)
    t.same(varyOf(response), ['accept', 'accept-encoding'])
  })

  t.test(`a compressed answer is the one in the requested version, with compress ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', version)
    const { rawPayload, headers: { 'content-encoding': encoding } } = await app.inject({
      url: '/bookings?version=v2', headers
    })
    t.equal(encoding, 'gzip')
    t.equal(gunzipSync(rawPayload).toString(), '{"version":"v2"}')
  })

  for (const [what, options, route] of [
    ['a route under a scheme in the URL', byQuery, {}],
    ['a version-neutral route', byAccept, { versioning: false }]
  ] as const) {
    t.test(`${what} varies on nothing but the encoding, with compress ${order}`, async (t) => {
      const app = await appInOrder(t, order, options, register)
      app.get('/bookings', route, version)
      t.same(varyOf(await app.inject({ url: '/bookings?version=v2', headers })), ['accept-encoding'])
    })
  }
}

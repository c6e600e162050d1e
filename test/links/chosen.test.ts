import t from 'tap'

import {
  HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LinkOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const byPath = { scheme: URLPathVersioning, allowedVersions }
const handler = async () => ''

function link (name: string | null, options?: LinkOptions) {
  return async (_request: FastifyRequest, reply: FastifyReply) => reply.reverse(name, null, options)
}

async function body (app: FastifyInstance, url: string, headers: Record<string, string> = {}): Promise<string> {
  return (await app.inject({ url, headers })).body
}

t.test('a name links to the URL in each version, whichever route serves it', async (t) => {
  const app = await appWith(t, byPath)
  app.get('/:version/bookings', { version: 'v1', name: 'bookings' }, link('bookings', { version: 'v2' }))
  app.get('/:version/bookings', { version: { from: 'v2' } }, link('bookings', { version: 'v1' }))
  for (const version of allowedVersions) {
    t.equal(app.reverse('bookings', null, { version }), `/${version}/bookings`)
  }
  t.equal(await body(app, '/v1/bookings'), '/v2/bookings')
  t.equal(await body(app, '/v3/bookings'), '/v1/bookings')
})

t.test('the route of a request has a link into a version that another route serves', async (t) => {
  const app = await appWith(t, byPath)
  app.get('/:version/bookings/:id', { version: 'v1' }, link(null, { version: 'v2' }))
  app.get('/:version/bookings/:id', { version: 'v2' }, link(null))
  t.equal(await body(app, '/v1/bookings/7'), '/v2/bookings/7')
  t.equal(await body(app, '/v2/bookings/7'), '/v2/bookings/7')
})

t.test('a link by a name with two URLs has the URL that serves its version', async (t) => {
  for (const isReady of [true, false]) {
    const app = await appWith(t, byPath)
    app.get('/:version/bookings', { version: 'v1', name: 'bookings' }, link('bookings'))
    app.get('/:version/stays', { version: { from: 'v2' }, name: 'bookings' }, link('bookings'))
    if (isReady) await app.ready()
    t.equal(app.reverse('bookings', null, { version: 'v1' }), '/v1/bookings')
    t.equal(app.reverse('bookings', { version: 'v1' }), '/v1/bookings')
    t.equal(app.reverse('bookings', null, { version: 'v3' }), '/v3/stays')
    if (!isReady) continue
    t.equal(await body(app, '/v1/bookings'), '/v1/bookings')
    t.equal(await body(app, '/v2/stays'), '/v2/stays')
  }
})

t.test('a link by a name with two URLs has the last one where both serve the version, or neither', async (t) => {
  const app = await appWith(t, byPath)
  app.get('/:version/a', { version: ['v1', 'v2'], name: 'a' }, handler)
  app.get('/:version/b', { version: 'v2', name: 'a' }, handler)
  await app.ready()
  t.equal(app.reverse('a', null, { version: 'v2' }), '/v2/b')
  t.equal(app.reverse('a', null, { version: 'v3' }), '/v3/b')
})

t.test('a URL may serve a version by a different route than the named one', async (t) => {
  const app = await appWith(t, byPath)
  app.get('/:version/b', { version: 'v2', name: 'a' }, handler)
  app.get('/:version/b', { version: 'v3' }, handler)
  app.get('/:version/a', { version: 'v1', name: 'a' }, handler)
  app.get('/:version/c', { version: 'v2', name: 'c' }, handler)
  app.get('/:version/c', handler)
  app.get('/:version/d', { version: 'v1', name: 'c' }, handler)
  await app.ready()
  t.equal(app.reverse('a', null, { version: 'v3' }), '/v3/b')
  t.equal(app.reverse('c', null, { version: 'v3' }), '/v3/c')
})

t.test('a link has the URL that serves its version under other schemes as well', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions })
  app.get('/bookings', { version: 'v1', name: 'bookings' }, link('bookings'))
  app.get('/stays', { version: 'v2', name: 'bookings' }, link('bookings', { version: 'v1' }))
  t.equal(await body(app, '/bookings?version=v1'), '/bookings?version=v1')
  t.equal(await body(app, '/stays?version=v2'), '/bookings?version=v1')
  const hosts = await appWith(t, { scheme: HostNameVersioning, allowedVersions })
  hosts.get('/bookings', { version: 'v1', name: 'bookings' }, link('bookings'))
  hosts.get('/stays', { version: 'v2', name: 'bookings' }, link('bookings', { version: 'v1' }))
  t.equal(await body(hosts, '/bookings', { host: 'v1.a.b' }), '/bookings')
  t.equal(await body(hosts, '/stays', { host: 'v2.a.b' }), 'http://v1.a.b/bookings')
})

t.test('in a list a link has the URL that serves its version', async (t) => {
  const app = await appWith(t, { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions })
  app.get('/:version/bookings', { version: 'v1', name: 'bookings' }, link('bookings', { version: 'v2' }))
  app.get('/:version/stays', { version: 'v2', name: 'bookings' }, link('bookings', { version: 'v1' }))
  app.get('/bookings', { version: 'v1', name: 'plain' }, link('plain'))
  app.get('/stays', { version: 'v2', name: 'plain' }, link('plain'))
  t.equal(await body(app, '/v1/bookings'), '/v2/stays')
  t.equal(await body(app, '/v2/stays'), '/v1/bookings')
  t.equal(await body(app, '/bookings', { 'api-version': 'v1' }), '/bookings')
  t.equal(await body(app, '/stays', { 'api-version': 'v2' }), '/stays')
})

t.test('successors are links to the URL in the versions that it serves', async (t) => {
  const app = await appWith(t, {
    ...byPath, lifecycle: { v1: { deprecated: '2025-01-01' } }, allowedVersions: [...allowedVersions, 'v4']
  })
  app.get('/:version/bookings', { version: 'v1' }, handler)
  app.get('/:version/bookings', { version: { from: 'v2', to: 'v3' } }, handler)
  app.get('/:version/old', { version: 'v1' }, handler)
  const { headers } = await app.inject('/v1/bookings?page=2')
  t.equal(headers['link'], '</v2/bookings>; rel="successor-version", </v3/bookings>; rel="latest-version"')
  t.equal((await app.inject('/v1/old')).headers['link'], undefined)
})

t.test('a version that is gone at the URL is answered 410, with links to the next one', async (t) => {
  const app = await appWith(t, {
    ...byPath, lifecycle: { v1: { sunset: '2025-01-01' } }, enforceSunset: true, reportVersions: true
  })
  app.get('/:version/bookings', { version: 'v1' }, handler)
  app.get('/:version/bookings', { version: 'v3' }, handler)
  const { statusCode, headers, ...response } = await app.inject('/v1/bookings')
  t.equal(statusCode, 410)
  t.equal(response.json().code, 'FST_ERR_VERSION_GONE')
  t.equal(headers['link'], '</v3/bookings>; rel="successor-version", </v3/bookings>; rel="latest-version"')
  t.equal(headers['api-supported-versions'], 'v3')
  t.match((await app.inject('/v2/bookings')).json(), { message: 'This URL answers GET in v3.' })
})

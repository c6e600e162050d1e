import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { byCursor, cursor } from './bookings.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'
import type { Change, LinkQuery, VersioningOptions } from '../../types/index.d.ts'

/** v2: pages are found by a cursor. */
const change: Change = { version: 'v2', description: 'Cursors.', routes: { bookings: cursor } }

/** An app whose routes answer with links that a handler of v2 makes. */
async function linking (t: Test, options: VersioningOptions, prefix = ''): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], changes: [change], ...options })
  declare(app, prefix)
  return app
}

function declare (app: FastifyInstance, prefix: string): void {
  app.get(`${prefix}/bookings`, { name: 'bookings', schema: { querystring: byCursor } }, async (_request, reply) => ({
    next: reply.reverse(null, null, { query: { cursor: 'c3' } }),
    pairs: reply.reverse(null, null, { query: [['cursor', 'c4'], ['tag', 'a'], ['tag', 'b']] }),
    none: reply.reverse(null, null, { query: { cursor: 'c3', no: undefined } }),
    newest: reply.reverse(null, null, { version: 'v2', query: { cursor: 'c3' } }),
    oldest: reply.reverse(null, null, { version: 'v1', query: { cursor: 'c3' } })
  }))
  app.get(`${prefix}/others`, async (_request, reply) => ({
    list: reply.reverse('bookings', null, { query: { cursor: 'c5' } })
  }))
}

t.test('links in a response of an older version have its query, by its names and in its order', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning })
  t.same((await app.inject('/bookings?version=v1')).json(), {
    next: '/bookings?page=3&version=v1',
    pairs: '/bookings?tag=a&tag=b&page=4&version=v1',
    none: '/bookings?page=3&version=v1',
    newest: '/bookings?cursor=c3&version=v2',
    oldest: '/bookings?page=3&version=v1'
  })
  t.same((await app.inject('/bookings?version=v2')).json(), {
    next: '/bookings?cursor=c3&version=v2',
    pairs: '/bookings?cursor=c4&tag=a&tag=b&version=v2',
    none: '/bookings?cursor=c3&version=v2',
    newest: '/bookings?cursor=c3&version=v2',
    oldest: '/bookings?page=3&version=v1'
  })
})

for (const query of ['cursor=c3', 5, ['cursor'], [[5, 'c3']]] as unknown as LinkQuery[]) {
  t.test(`${JSON.stringify(query)} is refused as the query of a link into an older version`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
    declare(app, '')
    app.get('/other', async (_request, reply) => reply.reverse('bookings', null, { query }))
    const headers = { 'api-version': 'v1' }
    t.match((await app.inject({ url: '/other', headers })).json(), { code: 'FST_ERR_REVERSE_OPTION' })
  })
}

t.test('links have the query of their version under other schemes and lists', async (t) => {
  const path = await linking(t, { scheme: URLPathVersioning }, '/:version')
  t.match((await path.inject('/v1/bookings')).json(), {
    next: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  })
  t.match((await path.inject('/v1/others')).json(), { list: '/v1/bookings?page=5' })
  const header = await linking(t, { scheme: HeaderVersioning })
  t.match((await header.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).json(), {
    next: '/bookings?page=3', newest: '/bookings?cursor=c3'
  })
  const host = await linking(t, { scheme: HostNameVersioning })
  t.match((await host.inject({ url: '/bookings', headers: { host: 'v1.example.com' } })).json(), {
    next: '/bookings?page=3', newest: 'http://v2.example.com/bookings?cursor=c3'
  })
  const list = await linking(t, { scheme: [HeaderVersioning, QueryParameterVersioning] })
  t.match((await list.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).json(), {
    next: '/bookings?page=3', newest: '/bookings?cursor=c3&version=v2'
  })
  t.match((await list.inject('/others?version=v1')).json(), { list: '/bookings?page=5&version=v1' })
})

t.test('links have the query of the namespace that they lead to', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => declare(app, ''), { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
  }
  t.match((await app.inject('/v1/bookings')).json(), {
    next: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  })
  t.match((await app.inject('/v2/bookings')).json(), { next: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3' })
})

t.test('links of app.reverse have the query of the given version, or of the default version', async (t) => {
  const query = { cursor: 'c2' }
  for (const scheme of [QueryParameterVersioning, [HeaderVersioning, QueryParameterVersioning]]) {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    await app.ready()
    t.equal(app.reverse('bookings', null, { version: 'v2', query }), '/bookings?cursor=c2&version=v2')
    t.equal(app.reverse('bookings', null, { version: 'v1', query }), '/bookings?page=2&version=v1')
    t.equal(app.reverse('bookings', null, { version: null, query }), '/bookings?page=2')
  }
})

t.test('a link whose query cannot be downgraded is an error, and never has the newest one', async (t) => {
  const { upgrade } = cursor.query as NonNullable<typeof cursor.query>
  const one: Change = { ...change, routes: { bookings: { ...cursor, query: { upgrade } } } }
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [one] })
  const queries: (LinkQuery | null | undefined)[] = [{ cursor: 'c3' }, null, undefined]
  app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor } }, async (request, reply) => (
    reply.reverse('bookings', null, { query: queries[Number(request.headers['x-query'])] })
  ))
  const ask = async (i: number) => await app.inject({ url: '/bookings?version=v1', headers: { 'x-query': `${i}` } })
  t.match((await ask(0)).json(), { code: 'FST_ERR_VERSION_CHANGE' })
  t.equal((await ask(1)).body, '/bookings?version=v1')
  t.equal((await ask(2)).body, '/bookings?version=v1')
})

for (const scheme of [QueryParameterVersioning, HeaderVersioning, AcceptHeaderVersioning]) {
  t.test(`links without any version have the query of the default version under ${scheme.name}`, async (t) => {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    const link = async (_request: unknown, reply: FastifyReply) => (
      reply.reverse('bookings', null, { query: { cursor: 'c3' } })
    )
    app.get('/neutral', { versioning: false }, link)
    app.setNotFoundHandler(link)
    t.equal((await app.inject('/neutral')).body, '/bookings?page=3')
    t.equal((await app.inject('/a/b/c')).body, '/bookings?page=3')
  })
}

t.test('a link has the query of the version that the caller writes into the path', async (t) => {
  const app = await linking(t, { scheme: URLPathVersioning }, '/:version')
  const query = { cursor: 'c2' }
  app.get('/neutral', { versioning: false }, async (_request, reply) => (
    [{ version: 'v1' }, ['v1'], { version: 'v2' }, ['v2']].map((params) => reply.reverse('bookings', params, { query }))
  ))
  app.get('/:version/other', async (_request, reply) => reply.reverse('bookings', { version: 'v2' }, { query }))
  t.same((await app.inject('/neutral')).json(), [
    '/v1/bookings?page=2', '/v1/bookings?page=2', '/v2/bookings?cursor=c2', '/v2/bookings?cursor=c2'
  ])
  t.equal((await app.inject('/v1/other')).body, '/v2/bookings?cursor=c2')
})

t.test('the open route has the query of a version that no other route claims', async (t) => {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes: [change]
  })
  app.get('/bookings', { version: 'v3', schema: { querystring: byCursor } }, async () => '')
  app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor } }, async () => '')
  app.get('/rooms', { name: 'rooms', version: 'v2' }, async () => '')
  app.get('/others', async (_request, reply) => (
    ['bookings', 'rooms'].map((name) => reply.reverse(name, null, { query: { cursor: 'c5' } }))
  ))
  t.same((await app.inject('/others?version=v1')).json(), [
    '/bookings?page=5&version=v1', '/rooms?cursor=c5&version=v1'
  ])
})

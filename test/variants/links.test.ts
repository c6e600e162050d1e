import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { byCursor, cursor } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change, LinkQuery, PartChange, VersioningOptions } from '../../types/index.d.ts'

/** v2: pages are found by a cursor. */
const change: Change = { version: 'v2', description: 'Cursors.', routes: { bookings: cursor } }
const schema = { querystring: byCursor }
const query = { cursor: 'c3' }

/** An app whose routes answer with links that a handler of v2 makes. */
async function linking (t: Test, options: VersioningOptions, prefix = ''): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], changes: [change], ...options })
  declare(app, prefix)
  return app
}

function declare (app: FastifyInstance, prefix: string): void {
  app.get(`${prefix}/bookings`, { name: 'bookings', schema }, async (_request, reply) => ({
    self: reply.reverse(null, null, { query }),
    named: reply.reverse('bookings', null, { query }),
    pairs: reply.reverse(null, null, { query: [['cursor', 'c4'], ['tag', 'a'], ['tag', 'b']] }),
    none: reply.reverse(null, null, { query: { ...query, no: undefined } }),
    newest: reply.reverse(null, null, { version: 'v2', query }),
    oldest: reply.reverse('bookings', null, { version: 'v1', query })
  }))
  app.get(`${prefix}/bookings/:id`, { name: 'booking' }, async (_request, reply) => ({
    list: reply.reverse('bookings', null, { query }), self: reply.reverse(null, null, { query: { page: 'c3' } })
  }))
}

t.test('links have their query as the version has it that they lead to', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning })
  t.same((await app.inject('/bookings?version=v1')).json(), {
    self: '/bookings?page=3&version=v1',
    named: '/bookings?page=3&version=v1',
    pairs: '/bookings?tag=a&tag=b&page=4&version=v1',
    none: '/bookings?page=3&version=v1',
    newest: '/bookings?cursor=c3&version=v2',
    oldest: '/bookings?page=3&version=v1'
  })
  t.same((await app.inject('/bookings?version=v2')).json(), {
    self: '/bookings?cursor=c3&version=v2',
    named: '/bookings?cursor=c3&version=v2',
    pairs: '/bookings?cursor=c4&tag=a&tag=b&version=v2',
    none: '/bookings?cursor=c3&version=v2',
    newest: '/bookings?cursor=c3&version=v2',
    oldest: '/bookings?page=3&version=v1'
  })
  t.same((await app.inject('/bookings/7?version=v1')).json(), {
    list: '/bookings?page=3&version=v1', self: '/bookings/7?page=c3&version=v1'
  }, 'a route that does not change')
})

for (const query of ['cursor=c3', 5, ['cursor'], [[5, 'c3']]] as unknown as LinkQuery[]) {
  t.test(`${JSON.stringify(query)} is refused as the query of a link into an older version`, async (t) => {
    const app = await linking(t, { scheme: HeaderVersioning })
    app.get('/other', async (_request, reply) => reply.reverse('bookings', null, { query }))
    const headers = { 'api-version': 'v1' }
    t.match((await app.inject({ url: '/other', headers })).json(), { code: 'FST_ERR_REVERSE_OPTION' })
  })
}

t.test('values that the query of a link does not have are not downgraded', async (t) => {
  const seen: object[] = []
  const query: PartChange = { upgrade: (query) => query, downgrade: (query) => { seen.push(query); return query } }
  const one: Change = { ...change, routes: { bookings: { ...cursor, query } } }
  const app = await linking(t, { scheme: QueryParameterVersioning, changes: [one] })
  await app.ready()
  const pairs: LinkQuery = [['cursor', 'c1'], ['no', undefined], ['none', null]]
  for (const query of [{ cursor: 'c1', no: undefined, none: null }, pairs]) {
    t.equal(app.reverse('bookings', null, { version: 'v1', query }), '/bookings?cursor=c1&version=v1')
  }
  t.same(seen, [{ cursor: 'c1' }, { cursor: 'c1' }])
})

t.test('links have the query of their version under other schemes and lists', async (t) => {
  const path = await linking(t, { scheme: URLPathVersioning }, '/:version')
  t.match((await path.inject('/v1/bookings')).json(), {
    self: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  })
  const header = await linking(t, { scheme: HeaderVersioning })
  t.match((await header.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).json(), {
    self: '/bookings?page=3', named: '/bookings?page=3'
  })
  const host = await linking(t, { scheme: HostNameVersioning })
  t.match((await host.inject({ url: '/bookings', headers: { host: 'v1.example.com' } })).json(), {
    self: '/bookings?page=3', newest: 'http://v2.example.com/bookings?cursor=c3'
  })
  const list = await linking(t, { scheme: [HeaderVersioning, QueryParameterVersioning] })
  t.match((await list.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).json(), {
    self: '/bookings?page=3', newest: '/bookings?cursor=c3&version=v2'
  })
  t.match((await list.inject('/bookings?version=v1')).json(), {
    self: '/bookings?page=3&version=v1', newest: '/bookings?cursor=c3&version=v2'
  })
})

t.test('links have the query of the namespace that they lead to', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => declare(app, ''), { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
  }
  t.match((await app.inject('/v1/bookings')).json(), {
    self: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  })
  t.match((await app.inject('/v2/bookings')).json(), { named: '/v2/bookings?cursor=c3' })
})

t.test('links without a version have the query of the default version, to which they lead', async (t) => {
  for (const scheme of [QueryParameterVersioning, [HeaderVersioning, QueryParameterVersioning]]) {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    app.get('/self', { name: 'bookings', schema }, async (_request, reply) => (
      reply.reverse(null, null, { version: null, query })
    ))
    await app.ready()
    t.equal(app.reverse('bookings', null, { version: null, query }), '/self?page=3')
    t.equal((await app.inject('/self?version=v2')).body, '/self?page=3')
  }
})

for (const scheme of [QueryParameterVersioning, HeaderVersioning, AcceptHeaderVersioning]) {
  t.test(`links of requests without any version have the query of the default one under ${scheme.name}`, async (t) => {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    app.get('/neutral', { versioning: false }, async (_request, reply) => reply.reverse('bookings', null, { query }))
    app.setNotFoundHandler(async (_request, reply) => reply.reverse('bookings', null, { query }))
    t.equal((await app.inject('/neutral')).body, '/bookings?page=3')
    t.equal((await app.inject('/a/b/c')).body, '/bookings?page=3')
  })
}

t.test('a link into no version has the query of the handler where there is no default version', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning, allowedVersions: [null, 'v1', 'v2'] })
  await app.ready()
  t.equal(app.reverse('bookings', null, { version: null, query }), '/bookings?cursor=c3')
})

t.test('a link whose query cannot be downgraded is an error, and never has the newest query', async (t) => {
  const { upgrade } = cursor.query as NonNullable<typeof cursor.query>
  const one: Change = { ...change, routes: { bookings: { ...cursor, query: { upgrade } } } }
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [one] })
  const queries: (LinkQuery | null | undefined)[] = [{ cursor: 'c3' }, null, undefined]
  app.get('/bookings', { name: 'bookings', schema }, async (request, reply) => (
    reply.reverse('bookings', null, { query: queries[Number(request.headers['x-query'])] })
  ))
  const ask = async (i: number) => await app.inject({ url: '/bookings?version=v1', headers: { 'x-query': `${i}` } })
  t.match((await ask(0)).json(), { code: 'FST_ERR_VERSION_CHANGE' })
  t.equal((await ask(1)).body, '/bookings?version=v1')
  t.equal((await ask(2)).body, '/bookings?version=v1')
})

t.test('a link without a version into another context has the query of its default version', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  await app.register(async (context) => {
    await context.register(versioning, { scheme: HeaderVersioning, defaultVersion: 'v1', changes: [change] })
    declare(context, '')
  })
  await app.ready()
  t.equal(app.reverse('bookings', null, { query }), '/bookings?page=3')
})

t.test('a link has the query of the version that the caller writes into the path', async (t) => {
  const app = await linking(t, { scheme: URLPathVersioning }, '/:version')
  const made = (reverse: FastifyInstance['reverse']) => ['v1', 'v2'].flatMap((version) => (
    [reverse('bookings', { version }, { query }), reverse('bookings', [version], { query })]
  ))
  app.get('/neutral', { versioning: false }, async (_request, reply) => made(reply.reverse.bind(reply)))
  app.get('/:version/own', { name: 'own', schema }, async (_request, reply) => (
    reply.reverse('bookings', { version: 'v2' }, { query })
  ))
  const links = ['/v1/bookings?page=3', '/v1/bookings?page=3', '/v2/bookings?cursor=c3', '/v2/bookings?cursor=c3']
  t.same((await app.inject('/neutral')).json(), links)
  t.equal((await app.inject('/v1/own')).body, '/v2/bookings?cursor=c3')
})

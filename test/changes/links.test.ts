import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { byCursor, cursor } from './bookings.ts'

import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { Change, LinkQuery, SchemaChange, VersioningOptions } from '../../types/index.d.ts'

/** v2: pages are found by a cursor. */
const change: Change = { version: 'v2', description: 'Cursors.', routes: { bookings: cursor } }
const schema = { querystring: byCursor }
const query = { cursor: 'c3' }

/** An app whose routes answer with links that a handler of v2 makes. */
async function linking (t: Test, options: VersioningOptions, prefix = ''): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], changes: [change], ...options })
  if (options.scheme !== NamespaceVersioning) declare(app, prefix)
  else {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (app) => declare(app, ''), { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
    }
  }
  return app
}

function declare (app: FastifyInstance, prefix: string): void {
  app.get(`${prefix}/bookings`, { name: 'bookings', schema }, async (_request, reply) => ({
    next: reply.reverse(null, null, { query }),
    pairs: reply.reverse(null, null, { query: [['cursor', 'c4'], ['tag', 'a'], ['tag', 'b']] }),
    none: reply.reverse(null, null, { query: { ...query, no: undefined } }),
    newest: reply.reverse(null, null, { version: 'v2', query }),
    oldest: reply.reverse(null, null, { version: 'v1', query })
  }))
  app.get(`${prefix}/others`, async (_request, reply) => ({ list: reply.reverse('bookings', null, { query }) }))
}

const v1 = { headers: { 'api-version': 'v1' } }
const host = { headers: { host: 'v1.example.com' } }
const both = [HeaderVersioning, QueryParameterVersioning]
const inQuery = QueryParameterVersioning

/** The links of an answer. */
const LINKS: [scheme: VersioningOptions['scheme'], request: InjectOptions, links: object, prefix?: string][] = [
  [inQuery, { url: '/bookings?version=v1' }, {
    next: '/bookings?page=3&version=v1',
    pairs: '/bookings?tag=a&tag=b&page=4&version=v1',
    none: '/bookings?page=3&version=v1',
    newest: '/bookings?cursor=c3&version=v2',
    oldest: '/bookings?page=3&version=v1'
  }],
  [URLPathVersioning, { url: '/v1/bookings' }, {
    next: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  }, '/:version'],
  [NamespaceVersioning, { url: '/v1/bookings' }, {
    next: '/v1/bookings?page=3', newest: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3'
  }],
  [NamespaceVersioning, { url: '/v2/bookings' }, { next: '/v2/bookings?cursor=c3', oldest: '/v1/bookings?page=3' }],
  [URLPathVersioning, { url: '/v1/others' }, { list: '/v1/bookings?page=3' }, '/:version'],
  [HeaderVersioning, { url: '/bookings', ...v1 }, { next: '/bookings?page=3', newest: '/bookings?cursor=c3' }],
  [HostNameVersioning, { url: '/bookings', ...host }, {
    next: '/bookings?page=3', newest: 'http://v2.example.com/bookings?cursor=c3'
  }],
  [both, { url: '/others', ...v1 }, { list: '/bookings?page=3' }],
  [both, { url: '/bookings?version=v1' }, {
    next: '/bookings?page=3&version=v1', newest: '/bookings?cursor=c3&version=v2'
  }],
  [both, { url: '/others?version=v1' }, { list: '/bookings?page=3&version=v1' }]
]
for (const [scheme, request, links, prefix] of LINKS) {
  const name = [scheme].flat().map((one) => (one as { name: string }).name).join(' and ')
  t.test(`links have the query of their version under ${name}, at ${String(request.url)}`, async (t) => {
    t.match((await (await linking(t, { scheme }, prefix)).inject(request)).json(), links)
  })
}

for (const scheme of [inQuery, both]) {
  t.test(`links of app.reverse have the query of the given or default version${scheme.length}`, async (t) => {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    await app.ready()
    t.equal(app.reverse('bookings', null, { version: 'v2', query }), '/bookings?cursor=c3&version=v2')
    t.equal(app.reverse('bookings', null, { version: 'v1', query }), '/bookings?page=3&version=v1')
    t.equal(app.reverse('bookings', null, { version: null, query }), '/bookings?page=3')
  })
}

for (const query of ['cursor=c3', 5, ['cursor'], [[5, 'c3']]] as unknown as LinkQuery[]) {
  t.test(`${JSON.stringify(query)} is refused as the query of a link into an older version`, async (t) => {
    const app = await linking(t, { scheme: HeaderVersioning })
    app.get('/other', async (_request, reply) => reply.reverse('bookings', null, { query }))
    t.match((await app.inject({ url: '/other', ...v1 })).json(), { code: 'FST_ERR_REVERSE_OPTION' })
  })
}

t.test('a link whose query cannot be downgraded is an error, and never has the newest one', async (t) => {
  const upgrade = cursor.query?.upgrade as never
  const one: Change = { ...change, routes: { bookings: { ...cursor, query: { upgrade } } } }
  const app = await appWith(t, { scheme: inQuery, allowedVersions: ['v1', 'v2'], changes: [one] })
  const queries: (LinkQuery | null | undefined)[] = [query, null, undefined]
  app.get('/bookings/:i', { name: 'bookings', schema }, async (request, reply) => (
    reply.reverse('bookings', { i: 'x' }, { query: queries[Number((request.params as { i: string }).i)] })
  ))
  const ask = async (i: number) => await app.inject(`/bookings/${i}?version=v1`)
  t.match((await ask(0)).json(), { code: 'FST_ERR_VERSION_CHANGE' })
  for (const i of [1, 2]) t.equal((await ask(i)).body, '/bookings/x?version=v1')
})

for (const scheme of [inQuery, HeaderVersioning, AcceptHeaderVersioning]) {
  t.test(`links without any version have the query of the default version under ${scheme.name}`, async (t) => {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    const link = async (_request: unknown, reply: FastifyReply) => reply.reverse('bookings', null, { query })
    app.get('/neutral', { versioning: false }, link)
    app.setNotFoundHandler(link)
    for (const url of ['/neutral', '/a/b/c']) t.equal((await app.inject(url)).body, '/bookings?page=3')
  })
}

t.test('a link has the query of the version that the caller writes into the path', async (t) => {
  const app = await linking(t, { scheme: URLPathVersioning }, '/:version')
  app.get('/neutral', { versioning: false }, async (_request, reply) => (
    [{ version: 'v1' }, ['v1'], { version: 'v2' }, ['v2']].map((params) => reply.reverse('bookings', params, { query }))
  ))
  app.get('/:version/other', async (_request, reply) => reply.reverse('bookings', { version: 'v2' }, { query }))
  t.same((await app.inject('/neutral')).json(), [
    '/v1/bookings?page=3', '/v1/bookings?page=3', '/v2/bookings?cursor=c3', '/v2/bookings?cursor=c3'
  ])
  t.equal((await app.inject('/v1/other')).body, '/v2/bookings?cursor=c3')
})

t.test('the open route has the query of a version that no other route claims', async (t) => {
  const app = await appWith(t, { scheme: inQuery, allowedVersions: ['v1', 'v2', 'v3'], changes: [change] })
  app.get('/bookings', { version: 'v3', schema }, async () => '')
  app.get('/bookings', { name: 'bookings', schema }, async () => '')
  app.get('/rooms', { name: 'rooms', version: 'v2' }, async () => '')
  app.get('/others', async (_request, reply) => (
    ['bookings', 'rooms'].map((name) => reply.reverse(name, null, { query }))
  ))
  t.same((await app.inject('/others?version=v1')).json(), [
    '/bookings?page=3&version=v1', '/rooms?cursor=c3&version=v1'
  ])
})

for (const isFirst of [true, false]) {
  t.test(`a link has the query of its path, whose route is declared ${isFirst ? 'first' : 'last'}`, async (t) => {
    const Cursor = { older: cursor.older?.querystring, ...cursor.query } as SchemaChange
    const changes = [{ version: 'v2', description: 'Cursors.', schemas: { Cursor } }]
    const app = await appWith(t, { scheme: inQuery, allowedVersions: ['v1', 'v2'], changes })
    app.addSchema({ $id: 'Cursor', ...byCursor })
    const list = () => app.get('/bookings', { name: 'list', schema: { querystring: { $ref: 'Cursor#' } } }, ok)
    if (isFirst) list()
    app.post('/bookings', { name: 'list' }, ok)
    app.get('/bookings/:year', { name: 'list' }, ok)
    if (!isFirst) list()
    await app.ready()
    t.same([[], [2026]].map((args) => app.reverse('list', args, { version: 'v1', query })), [
      '/bookings?page=3&version=v1', '/bookings/2026?cursor=c3&version=v1'
    ])
  })
}

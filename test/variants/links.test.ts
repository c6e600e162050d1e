import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { byCursor, cursor } from './bookings.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Change, LinkQuery, PartChange, RouteChange, VersioningOptions } from '../../types/index.d.ts'

/** v2: pages are found by a cursor, and numbers of bookings by an id that begins with `b`. */
const change: Change = {
  version: 'v2',
  description: 'Cursors and ids.',
  routes: {
    bookings: cursor,
    booking: {
      older: { params: { type: 'object', properties: { id: { type: 'integer' } } } },
      params: {
        upgrade: ({ id, ...rest }) => ({ ...rest, id: `b${id}` }),
        downgrade: ({ id, ...rest }) => ({ ...rest, id: Number(id.slice(1)) })
      }
    }
  }
}
/** The same without the route `bookings`. */
const ofIds: Change = { ...change, routes: { booking: change.routes?.booking as RouteChange } }
const ids = { type: 'object', properties: { id: { type: 'string', pattern: '^b' } } }

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
    booking: reply.reverse('booking', { id: 'b7' }),
    byOrder: reply.reverse('booking', ['b8']),
    successor: reply.reverse('booking', { id: 'b7' }, { version: 'v2' })
  }))
  app.get(`${prefix}/bookings/:id`, { name: 'booking', schema: { params: ids } }, async (_request, reply) => ({
    self: reply.reverse(),
    other: reply.reverse(null, { id: 'b9' }),
    newest: reply.reverse(null, null, { version: 'v2' }),
    oldest: reply.reverse(null, null, { version: 'v1' }),
    list: reply.reverse('bookings', null, { query: { cursor: 'c5' } })
  }))
}

t.test('links in a response of an older version have its query, params, names and orders', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning })
  t.same((await app.inject('/bookings?version=v1')).json(), {
    next: '/bookings?page=3&version=v1',
    pairs: '/bookings?tag=a&tag=b&page=4&version=v1',
    none: '/bookings?page=3&version=v1',
    booking: '/bookings/7?version=v1',
    byOrder: '/bookings/8?version=v1',
    successor: '/bookings/b7?version=v2'
  })
  t.same((await app.inject('/bookings?version=v2')).json(), {
    next: '/bookings?cursor=c3&version=v2',
    pairs: '/bookings?cursor=c4&tag=a&tag=b&version=v2',
    none: '/bookings?cursor=c3&version=v2',
    booking: '/bookings/b7?version=v2',
    byOrder: '/bookings/b8?version=v2',
    successor: '/bookings/b7?version=v2'
  })
})

t.test('links to the current route have the parameters of the version that they lead to', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning })
  t.same((await app.inject('/bookings/7?version=v1')).json(), {
    self: '/bookings/7?version=v1',
    other: '/bookings/9?version=v1',
    newest: '/bookings/b7?version=v2',
    oldest: '/bookings/7?version=v1',
    list: '/bookings?page=5&version=v1'
  })
  t.same((await app.inject('/bookings/b7?version=v2')).json(), {
    self: '/bookings/b7?version=v2',
    other: '/bookings/b9?version=v2',
    newest: '/bookings/b7?version=v2',
    oldest: '/bookings/7?version=v1',
    list: '/bookings?cursor=c5&version=v2'
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

t.test('links made before a request is validated are made of what the client sent', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-links', [reply.reverse(), reply.reverse(null, null, { version: 'v2' })].join(' '))
  })
  declare(app, '')
  const { headers } = await app.inject('/bookings/7?version=v1')
  t.equal(headers['x-links'], '/bookings/7?version=v1 /bookings/b7?version=v2')
})

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

t.test('the format of a link is downgraded with its other parameters', async (t) => {
  const one: Change = {
    version: 'v2',
    description: 'Formats in lower case.',
    routes: {
      export: { older: { params: {} }, params: { upgrade: (params) => params, downgrade: () => ({ format: 'JSON' }) } }
    }
  }
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [one] })
  app.get('/export/:format', { name: 'export', schema: { params: {} } }, async () => '')
  await app.ready()
  for (const [version, link] of [['v1', '/export/JSON?version=v1'], ['v2', '/export/json?version=v2']] as const) {
    t.equal(app.reverse('export', null, { version, format: 'json' }), link)
  }
})

t.test('a link without its parameters is an error, and nothing is downgraded', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning })
  await app.ready()
  t.throws(() => app.reverse('booking', null, { version: 'v1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a link made before a request is validated keeps its parameters as the client sent them', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  const seen: unknown[] = []
  app.addHook('onRequest', async (request, reply) => {
    reply.reverse(null, null, { version: 'v2' })
    seen.push({ ...request.params as object })
  })
  declare(app, '')
  t.equal((await app.inject('/bookings/7?version=v1')).statusCode, 200)
  t.strictSame(seen, [{ id: '7' }])
})

t.test('links to the successor and the latest version are made of upgraded parameters of the request', async (t) => {
  const lifecycle = { v1: { deprecated: '2025-01-01' } }
  const app = await linking(t, { scheme: QueryParameterVersioning, lifecycle })
  t.equal((await app.inject('/bookings/7?version=v1')).headers.link,
    '</bookings/b7?version=v2>; rel="successor-version", </bookings/b7?version=v2>; rel="latest-version"')
})

/** In v2 numbers of rooms begin at 1000. */
const moved: Change = {
  version: 'v2',
  description: 'Numbers begin at 1000.',
  routes: {
    room: {
      older: { params: { type: 'object', properties: { no: { type: 'integer' } } } },
      params: {
        upgrade: ({ no, ...rest }) => ({ ...rest, no: no + 1000 }),
        downgrade: ({ no, ...rest }) => ({ ...rest, no: no - 1000 })
      }
    }
  }
}

for (const [url, status, successor] of [
  ['/rooms/5?version=v1', 200, '/rooms/1005?version=v2'],
  ['/rooms/x?version=v1', 400, undefined]
] as const) {
  t.test(`links of a ${status} response have parameters as the older schema reads them`, async (t) => {
    const lifecycle = { v1: { deprecated: '2025-01-01' } }
    const app = await appWith(t, {
      scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [moved], lifecycle
    })
    const params = { type: 'object', properties: { no: { type: 'integer', minimum: 1000 } } }
    app.get('/rooms/:no', { name: 'room', schema: { params } }, async (request) => request.params)
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, status)
    t.equal(headers.link, successor &&
      `<${successor}>; rel="successor-version", <${successor}>; rel="latest-version"`)
  })
}

const ending = { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: { deprecated: '2025-01-01' } } }

t.test('a handler of an old version links to a later one in which parameters differ as reverse does', async (t) => {
  const changes = [{ ...moved, version: 'v3' }]
  const app = await appWith(t, { ...ending, scheme: QueryParameterVersioning, changes })
  app.get('/rooms/:no', { name: 'room', version: 'v1' }, async (_request, reply) => (
    ['v2', 'v3'].map((version) => reply.reverse(null, null, { version }))
  ))
  app.get('/rooms/:no', { name: 'room', version: { from: 'v2' } }, async () => '')
  const response = await app.inject('/rooms/1005?version=v1')
  t.same(response.json(), ['/rooms/5?version=v2', '/rooms/1005?version=v3'])
  t.equal(response.headers.link,
    '</rooms/5?version=v2>; rel="successor-version", </rooms/1005?version=v3>; rel="latest-version"')
})

t.test('a handler of an old namespace links to a later one in which parameters differ as reverse does', async (t) => {
  const changes = [{ ...moved, version: 'v3' }]
  const app = await appWith(t, { ...ending, scheme: NamespaceVersioning, changes })
  for (const namespace of ending.allowedVersions) {
    app.register(async (app) => {
      app.get('/rooms/:no', { name: 'room' }, async (_request, reply) => (
        ['v2', 'v3'].map((version) => reply.reverse(null, null, { version }))
      ))
    }, { prefix: `/${namespace}`, namespace, ...namespace === 'v2' && { writtenFor: 'v3' } })
  }
  const response = await app.inject('/v1/rooms/1005')
  t.same(response.json(), ['/v2/rooms/5', '/v3/rooms/1005'])
  t.equal(response.headers.link,
    '</v2/rooms/5>; rel="successor-version", </v3/rooms/1005>; rel="latest-version"')
})

t.test('a link for parameters that the older schema refuses is the fault of the client', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [moved] })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-link', reply.reverse(null, null, { version: 'v2' }))
  })
  app.get('/rooms/:no', { name: 'room' }, async () => '')
  t.match((await app.inject('/rooms/x?version=v1')).json(), {
    statusCode: 400,
    code: 'FST_ERR_NO_REVERSE_MATCH',
    message: "The parameters of the current route are not valid in the version 'v1' of the request."
  })
})

/** v2: ids begin with `b`. */
const prefixed: Change = {
  version: 'v2',
  description: 'Ids begin with a letter.',
  routes: {
    room: {
      older: { params: { type: 'object', properties: { id: { type: 'string' } } } },
      params: {
        upgrade: ({ id, ...rest }) => ({ ...rest, id: `b${id}` }),
        downgrade: ({ id, ...rest }) => ({ ...rest, id: id.slice(1) })
      }
    }
  }
}

for (const version of ['v1', 'v2', 'v3']) {
  t.test(`a path that cannot be a link is the fault of a client of ${version}`, async (t) => {
    const app = await appWith(t, {
      scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes: [prefixed]
    })
    app.get('/rooms/:id', { name: 'room' }, async (_request, reply) => reply.reverse())
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    // inject() and fetch() would resolve the path.
    const asked = http.get({ host: '127.0.0.1', port, path: `/rooms/%2E%2E?version=${version}`, agent: false })
    const [response] = await once(asked, 'response') as [http.IncomingMessage]
    const [body] = await response.setEncoding('utf8').toArray() as string[]
    t.match(JSON.parse(body), { statusCode: 400, code: 'FST_ERR_NO_REVERSE_MATCH' })
  })
}

t.test('a link for parameters that a change has made unusable is the fault of the app', async (t) => {
  const older = { params: { type: 'object' } }
  const change: Change = {
    version: 'v2', description: 'Dots.', routes: { room: { older, params: { upgrade: () => ({ id: '..' }) } } }
  }
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  app.get('/rooms/:id', { name: 'room' }, async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
  t.match((await app.inject('/rooms/7?version=v1')).json(), { statusCode: 500, code: 'FST_ERR_NO_REVERSE_MATCH' })
})

const REPLACEMENTS: Record<string, (request: FastifyRequest) => void> = {
  'another object': (request) => { request.params = { id: 'b8' } },
  'another value': (request) => { (request.params as { id: string }).id = 'b8' }
}
for (const [what, replace] of Object.entries(REPLACEMENTS)) {
  t.test(`links follow a preHandler hook that gives the parameters ${what}`, async (t) => {
    const app = await appWith(t, {
      scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [prefixed]
    })
    app.addHook('preHandler', async (request) => { replace(request) })
    app.get('/rooms/:id', { name: 'room' }, async (_request, reply) => {
      const linkTo = (version: string) => reply.reverse(null, null, { version })
      return { self: reply.reverse(), older: linkTo('v1'), newer: linkTo('v2') }
    })
    const [older, newer] = ['/rooms/8?version=v1', '/rooms/b8?version=v2']
    t.same((await app.inject('/rooms/7?version=v1')).json(), { self: older, older, newer })
    t.same((await app.inject('/rooms/b7?version=v2')).json(), { self: newer, older, newer })
  })
}

for (const version of ['v1', 'v2']) {
  t.test(`a parameter that a preHandler hook adds is in no link, which fails in ${version}`, async (t) => {
    const app = await appWith(t, {
      scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [prefixed]
    })
    app.addHook('preHandler', async (request) => { Object.assign(request.params as object, { more: '1' }) })
    app.get('/rooms/:id', { name: 'room' }, async (_request, reply) => reply.reverse())
    const { statusCode, message } = (await app.inject(`/rooms/b7?version=${version}`)).json()
    t.match([statusCode, message], [500, '"more" unknown'])
  })
}

for (const [where, scheme, prefix] of [
  ['in the query', QueryParameterVersioning, ''], ['in the path', URLPathVersioning, '/:version']
] as const) {
  t.test(`a link with all parameters needs none of a request that was refused, with versions ${where}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], changes: [moved] })
    app.setErrorHandler(async (_error, _request, reply) => ({ link: reply.reverse(null, { no: 1007 }) }))
    app.get(`${prefix}/rooms/:no`, { name: 'room', version: ['v1', 'v2'] }, async () => '')
    const url = (version: string, no: string) => (
      prefix === '' ? `/rooms/${no}?version=${version}` : `/${version}/rooms/${no}`
    )
    t.same((await app.inject(url('v1', 'x'))).json(), { link: url('v1', '7') })
  })
}

t.test('parameters of a request without the methods of Fastify are read by the older schema, too', async (t) => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['v1', 'v2'] })
  const app = await appWith(t, { scheme, changes: [moved] })
  app.addHook('onRequest', async ({ server, method, routeOptions, params, version }, reply) => {
    const request = { server, method, routeOptions, params, version }
    reply.header('x-link', scheme.reverse(null, { request, version: 'v2' }))
  })
  app.get('/rooms/:no', { name: 'room' }, async () => '')
  t.equal((await app.inject('/rooms/5?version=v1')).headers['x-link'], '/rooms/1005?version=v2')
})

t.test('links have the parameters of their version under other schemes and lists', async (t) => {
  const path = await linking(t, { scheme: URLPathVersioning }, '/:version')
  t.match((await path.inject('/v1/bookings')).json(), {
    next: '/v1/bookings?page=3', booking: '/v1/bookings/7', successor: '/v2/bookings/b7'
  })
  t.match((await path.inject('/v1/bookings/7')).json(), {
    self: '/v1/bookings/7', newest: '/v2/bookings/b7', list: '/v1/bookings?page=5'
  })
  const header = await linking(t, { scheme: HeaderVersioning })
  t.match((await header.inject({ url: '/bookings/7', headers: { 'api-version': 'v1' } })).json(), {
    self: '/bookings/7', other: '/bookings/9', list: '/bookings?page=5'
  })
  const host = await linking(t, { scheme: HostNameVersioning })
  t.match((await host.inject({ url: '/bookings/7', headers: { host: 'v1.example.com' } })).json(), {
    self: '/bookings/7', newest: 'http://v2.example.com/bookings/b7'
  })
  const list = await linking(t, { scheme: [HeaderVersioning, QueryParameterVersioning] })
  t.match((await list.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).json(), {
    next: '/bookings?page=3', booking: '/bookings/7', successor: '/bookings/b7?version=v2'
  })
  t.match((await list.inject('/bookings/7?version=v1')).json(), {
    self: '/bookings/7?version=v1', newest: '/bookings/b7?version=v2', list: '/bookings?page=5&version=v1'
  })
})

t.test('links have the parameters of the namespace that they lead to', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => declare(app, ''), { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
  }
  t.same((await app.inject('/v1/bookings/7')).json(), {
    self: '/v1/bookings/7',
    other: '/v1/bookings/9',
    newest: '/v2/bookings/b7',
    oldest: '/v1/bookings/7',
    list: '/v1/bookings?page=5'
  })
  t.match((await app.inject('/v2/bookings')).json(), { next: '/v2/bookings?cursor=c3', booking: '/v2/bookings/b7' })
})

t.test('links of app.reverse have the parameters of the given version', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning, defaultVersion: 'v1' })
  await app.ready()
  t.equal(app.reverse('booking', { id: 'b7' }, { version: 'v2' }), '/bookings/b7?version=v2')
  t.equal(app.reverse('booking', { id: 'b7' }, { version: 'v1' }), '/bookings/7?version=v1')
  t.equal(app.reverse('bookings', null, { version: 'v1', query: { cursor: 'c2' } }), '/bookings?page=2&version=v1')
})

t.test('a link without a version has the parameters of the default version, to which it leads', async (t) => {
  const app = await linking(t, { scheme: QueryParameterVersioning, defaultVersion: 'v1' })
  await app.ready()
  t.equal(app.reverse('booking', { id: 'b7' }, { version: null }), '/bookings/7')
})

t.test('a link of a list without a version has the parameters of the default version', async (t) => {
  const app = await linking(t, { scheme: [HeaderVersioning, QueryParameterVersioning], defaultVersion: 'v1' })
  await app.ready()
  t.equal(app.reverse('booking', { id: 'b7' }, { version: null }), '/bookings/7')
})

t.test('a link to the current route without a version has the parameters of the default version', async (t) => {
  for (const scheme of [QueryParameterVersioning, [HeaderVersioning, QueryParameterVersioning]]) {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], changes: [ofIds], defaultVersion: 'v1' })
    app.get('/bookings/:id', { name: 'booking', schema: { params: ids } }, async (_request, reply) => (
      reply.reverse(null, null, { version: null })
    ))
    t.equal((await app.inject('/bookings/b7?version=v2')).body, '/bookings/7')
  }
})

t.test('a link into no version has the parameters of the handler where there is no default version', async (t) => {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: [null, 'v1', 'v2'], changes: [ofIds]
  })
  app.get('/bookings/:id', { name: 'booking', schema: { params: ids } }, async (_request, reply) => [
    reply.reverse('booking', { id: 'b8' }, { version: null }), reply.reverse(null, null, { version: null })
  ])
  t.same((await app.inject('/bookings/7?version=v1')).json(), ['/bookings/b8', '/bookings/b7'])
})

t.test('a link whose query cannot be downgraded is an error, and never has the newest parameters', async (t) => {
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
  t.test(`links without any version have the default parameters under ${scheme.name}`, async (t) => {
    const app = await linking(t, { scheme, defaultVersion: 'v1' })
    app.get('/neutral', { versioning: false }, async (_request, reply) => linksFrom(reply))
    app.setNotFoundHandler(async (_request, reply) => linksFrom(reply))
    const links = ['/bookings?page=3', '/bookings/7']
    t.same((await app.inject('/neutral')).json(), links)
    t.same((await app.inject('/a/b/c')).json(), links)
  })
}

function linksFrom (reply: FastifyReply): string[] {
  return [reply.reverse('bookings', null, { query: { cursor: 'c3' } }), reply.reverse('booking', { id: 'b7' })]
}

t.test('a link without a version into another context has the parameters of its default version', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  await app.register(async (context) => {
    await context.register(versioning, { scheme: HeaderVersioning, defaultVersion: 'v1', changes: [change] })
    declare(context, '')
  })
  await app.ready()
  t.equal(app.reverse('booking', { id: 'b7' }), '/bookings/7')
})

t.test('a link has the parameters of the version that the caller writes into the path', async (t) => {
  const app = await linking(t, { scheme: URLPathVersioning }, '/:version')
  const links = ['v1', 'v2'].map((version) => [{ version, id: 'b7' }, [version, 'b7']]).flat()
  app.get('/neutral', { versioning: false }, async (_request, reply) => (
    links.map((params) => reply.reverse('booking', params))
  ))
  app.get('/:version/other', async (_request, reply) => reply.reverse('booking', { version: 'v2', id: 'b7' }))
  t.same((await app.inject('/neutral')).json(), [
    '/v1/bookings/7', '/v1/bookings/7', '/v2/bookings/b7', '/v2/bookings/b7'
  ])
  t.equal((await app.inject('/v1/other')).body, '/v2/bookings/b7')
})

t.test('a version among the parameters of a link is also the version of the others', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], changes: [ofIds] })
  app.get('/:version/bookings/:id', { name: 'booking', schema: { params: ids } }, async (_request, reply) => [
    reply.reverse('booking', { version: 'v1', id: 'b9' }),
    reply.reverse('booking', ['v1', 'b9']),
    reply.reverse(null, { version: 'v1' }),
    reply.reverse(null, ['v1']),
    reply.reverse(null, { version: 'v2' })
  ])
  const links = ['/v1/bookings/9', '/v1/bookings/9', '/v1/bookings/7', '/v1/bookings/7', '/v2/bookings/b7']
  for (const url of ['/v2/bookings/b7', '/v1/bookings/7']) t.same((await app.inject(url)).json(), links, url)
})

t.test('a version-neutral route links to itself next to changes', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], changes: [ofIds] })
  app.get('/:version/bookings/:id', { name: 'booking', schema: { params: ids } }, async () => '')
  app.get('/health/:id', { versioning: false }, async (_request, reply) => reply.reverse(null, { id: '8' }))
  t.equal((await app.inject('/health/7')).body, '/health/8')
})

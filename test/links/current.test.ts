import t from 'tap'

import versioning, {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { noMatch, ok, option, within } from './app.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'
import type { Call } from './app.ts'
import type {
  LinkOptions, ReverseKwargs, ReversingRequest, VersioningOptions, VersioningSchemeClass
} from '../../types/index.d.ts'

const v1: LinkOptions = { version: 'v1' }
const v2: LinkOptions = { version: 'v2' }
const plain: LinkOptions = { version: null }
const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

/** The URL of a request, the arguments of the link to its own route, and the link, or the status and the message. */
type Self = [
  at: string, params: ReverseKwargs | undefined, options: LinkOptions | undefined,
  link: string | [statusCode: number, message: RegExp]
]

const OF_CLIENT: Self[3] = [400, /^The current route, '.+', has no URL for/]
const OF_APP: Self[3] = [500, /^The current route, '.+', has no URL for/]
const NOWHERE: Self[3] = [500, /^The current route, '.+', has no URL that specifies the version ('v[123]'|null)\.$/]

/** An app whose error handler answers with a link as well. */
async function linking (t: Test, scheme: VersioningSchemeClass, call: Call): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme, ...settings })
  app.setErrorHandler((error, _request, reply) => {
    if ((error as { code?: string }).code === noMatch.code) throw error
    return reply.send(call(reply))
  })
  return app
}

async function inNamespaces (t: Test, call: Call): Promise<FastifyInstance> {
  const app = await linking(t, NamespaceVersioning, call)
  const handler = async (_request: unknown, reply: FastifyReply) => call(reply)
  for (const version of ['v1', 'v2', 'v9']) {
    within(app, [version], (api) => {
      api.get('/', handler)
      api.get('/named/:id', { name: 'named' }, handler)
      api.get('/unnamed/:id', handler)
      api.post('/unnamed/:id', handler)
      api.get('/files/*', { name: 'files' }, handler)
      api.get('/neutral', { name: 'neutral', versioning: false }, handler)
      api.get('/seats/:id', { name: 'seat' }, handler)
      api.get('/seats/:id/all', { name: 'seat' }, handler)
      api.get(`/${version}-boats/:id`, { name: 'boat' }, handler)
      api.post('/boats/:id/copy', { name: 'boat' }, handler)
      within(api, ['shop'], (shop) => shop.get('/rooms/:id', handler))
    })
  }
  within(app, ['v1'], (api) => {
    api.get('/only', handler)
    api.get('/lonely/:id', { name: 'lonely' }, handler)
    api.get('/renamed', { name: 'rooms' }, handler)
    api.get('/unknown', handler)
  })
  within(app, ['v2'], (api) => {
    api.get('/lonely/:number(^\\d+)', { name: 'lonely' }, handler)
    api.get('/renamed', { name: 'suites' }, handler)
    api.get('/beds', { name: 'rooms' }, handler)
    api.get('/unknown', { name: 'unknown' }, handler)
  })
  within(app, ['v1', 'v2'], (api) => api.get('/twice', handler))
  within(app, ['partners', 'v9'], (api) => api.get('/rates', { name: 'rates' }, handler))
  within(app, ['partners', 'v1'], (api) => api.get('/rates', { name: 'rates' }, handler))
  within(app, ['team', 'v2'], (api) => api.get('/', handler))
  app.get('/', handler)
  app.get('/named/:id', { name: 'named' }, handler)
  app.get('/unnamed/:id', handler)
  return app
}

const ofNamespaces: Self[] = [
  ['/v1/named/7', undefined, undefined, '/v1/named/7'],
  ['/v1/named/7', undefined, v2, '/v2/named/7'],
  ['/v1/named/7', undefined, plain, '/named/7'],
  ['/v1/named/7', { id: 8 }, v2, '/v2/named/8'],
  ['/v1/named/7', undefined, { ...v2, query: { page: 2 } }, '/v2/named/7?page=2'],
  ['/named/7', undefined, v2, '/v2/named/7'],
  ['/v2/named/7', undefined, v1, '/v1/named/7'],
  ['/v1/unnamed/a%2Fb', undefined, v2, '/v2/unnamed/a%2Fb'],
  ['/v1/unnamed/7', undefined, plain, '/unnamed/7'],
  ['/unnamed/7', undefined, v2, '/v2/unnamed/7'],
  ['/v1', undefined, v2, '/v2'],
  ['/v1', undefined, plain, '/'],
  ['/v1/shop/rooms/7', undefined, v2, '/v2/shop/rooms/7'],
  ['/v1/seats/7', undefined, v2, '/v2/seats/7'],
  ['/v1/seats/7/all', undefined, v2, '/v2/seats/7/all'],
  ['/v1/v1-boats/7', undefined, v2, '/v2/v2-boats/7'],
  ['/v1/renamed', undefined, v2, '/v2/beds'],
  ['/v1/unknown', undefined, v2, '/v2/unknown'],
  ['/v1/files/', undefined, undefined, '/v1/files/'],
  ['/v1/files/a/b', undefined, v2, '/v2/files/a/b'],
  ['/v1/neutral', undefined, v2, '/v1/neutral'],
  // Refused requests
  ['/v9/named/7', undefined, undefined, '/v9/named/7'],
  ['/v9/unnamed/7', undefined, v1, '/v1/unnamed/7'],
  ['/v9/shop/rooms/7', undefined, undefined, '/v9/shop/rooms/7'],
  ['/v9/shop/rooms/7', undefined, v1, NOWHERE],
  ['/partners/v9/rates', undefined, v1, NOWHERE],
  // No link
  ['/v1/named/a%2F..%2Fb', undefined, v2, OF_CLIENT],
  ['/v1/named/', undefined, v2, OF_CLIENT],
  ['/v1/named/7', { id: '..' }, v2, OF_APP],
  ['/v1/lonely/7', undefined, v2, OF_APP],
  ['/v1/only', undefined, v2, NOWHERE],
  ['/v1/only', undefined, plain, NOWHERE],
  ['/v1/v2/twice', undefined, v2, NOWHERE],
  ['/team/v2', undefined, v1, NOWHERE]
]

async function inPaths (t: Test, call: Call): Promise<FastifyInstance> {
  const app = await linking(t, URLPathVersioning, call)
  const handler = async (_request: unknown, reply: FastifyReply) => call(reply)
  const strict = (type: string) => ({ type: 'object', properties: { id: { type } }, additionalProperties: false })
  app.get('/:version/rooms/:id', handler)
  app.get('/optional/:version?', handler)
  app.get('/neutral/:id', { versioning: false }, handler)
  app.get('/without/:id', handler)
  app.get('/files/*', handler)
  app.get('/:version/strict/:id', { schema: { params: strict('integer') } }, handler)
  app.get('/:version/text/:id', { schema: { params: strict('string') } }, handler)
  app.get('/:version(^v\\d$)/digits', handler)
  return app
}

const ofPaths: Self[] = [
  ['/v1/rooms/7', undefined, v2, '/v2/rooms/7'],
  ['/v1/rooms/7', { version: 'v9' }, v2, '/v9/rooms/7'],
  ['/v1/rooms/7', { version: undefined }, v2, '/v2/rooms/7'],
  ['/v1/rooms/7', undefined, plain, OF_APP],
  ['/v9/rooms/7', undefined, undefined, '/v9/rooms/7'],
  ['/v9/rooms/7', undefined, v1, '/v1/rooms/7'],
  ['/optional', undefined, undefined, '/optional'],
  ['/optional', undefined, v2, '/optional/v2'],
  ['/optional/v2', undefined, undefined, '/optional/v2'],
  ['/optional/v2', undefined, plain, '/optional'],
  ['/neutral/7', undefined, v2, '/neutral/7'],
  ['/neutral/7', undefined, { version: 2 as never }, [500, /option "version": expected a string, or null, got 2\.$/]],
  ['/without/7', undefined, undefined, '/without/7'],
  ['/without/7', undefined, v2, NOWHERE],
  ['/without/7', undefined, v1, '/without/7'],
  ['/files/', { '*': null }, undefined, OF_APP],
  ['/v2/strict/7', { id: 8 }, undefined, '/v2/strict/8'],
  ['/v2/strict/7', undefined, v1, '/v1/strict/7'],
  ['/v1/rooms/a%2F..%2Fb', undefined, v2, OF_CLIENT],
  ['/v1/text/a%2F..%2Fb', undefined, v2, OF_CLIENT],
  ['/v1/digits', { version: 'latest' }, undefined, OF_APP]
]

for (const [by, build, selves] of [
  ['NamespaceVersioning', inNamespaces, ofNamespaces], ['URLPathVersioning', inPaths, ofPaths]
] as const) {
  let call: Call = () => ''
  const app = await build(t, (reply) => call(reply))
  for (const [at, params, options, link] of selves) {
    const asked = JSON.stringify([params, options])
    t.test(`under ${by} the link from ${at} to itself with ${asked} is ${link}`, async (t) => {
      call = (reply) => reply.reverse(null, params, options)
      // Twice, because counterparts are remembered.
      for (const { body } of [await app.inject(at), await app.inject(at)]) {
        if (typeof link === 'string') t.equal(body, link)
        else t.match(JSON.parse(body), { code: /REVERSE/, statusCode: link[0], message: link[1] })
      }
    })
  }
}

t.test('a counterpart has the method of the request', async (t) => {
  const app = await inNamespaces(t, (reply) => reply.reverse(null, null, v2))
  t.equal((await app.inject({ url: '/v1/unnamed/7', method: 'POST' })).body, '/v2/unnamed/7')
  t.equal((await app.inject({ url: '/v1/unnamed/7', method: 'HEAD' })).statusCode, 200)
})

/** Contexts by prefix, namespace, and the path of their route, which has no name. */
type Counterpart = [says: string, at: string, contexts: string[], url: string | null]

const counterparts: Counterpart[] = [
  [
    'where the path after the prefixes is the same', '/v1/rooms/7',
    ['/v1 v1 /rooms/:id', '/v2 v2 /rooms/:id'], '/v2/rooms/7'
  ],
  ['not where only the texts are alike', '/v1/v1-a/7', ['/v1 v1 /v1-a/:id', '/v2 v2 /v2-a/:id'], null],
  ['not where the parameters have other names', '/v1/a/7', ['/v1 v1 /a/:id', '/v2 v2 /a/:room'], null],
  [
    'in the context whose prefix differs in one segment', '/a/v1/7',
    ['/a/v1 v1 /:id', '/b/v2 v2 /:id', '/a/v2 v2 /:id'], '/a/v2/7'
  ],
  ['not where the prefix has one more segment', '/v1/beds/7', ['/v1/beds v1 /:id', '/v2 v2 /:id'], null],
  [
    'where the prefixes end alike', '/v1/api/shop/7',
    ['/v1/api/shop v1 /:id', '/v2/api/shop v2 /:id'], '/v2/api/shop/7'
  ],
  ['not where a segment is replaced and one added', '/v1/7', ['/v1 v1 /:id', '/v2/beds v2 /:id'], null],
  ['not where the prefix has two fewer segments', '/api/old/api/7', ['/api/old/api v1 /:id', '/api v2 /:id'], null],
  ['in the first declared of two contexts', '/v1/7', ['/v1 v1 /:id', '/w2 v2 /:id', '/v2 v2 /:id'], '/w2/7'],
  ['where the prefix ends with a slash', '/v1/rooms', ['/v1 v1 /rooms', '/v2/ v2 /rooms'], '/v2/rooms'],
  ['at the root of a prefix', '/v1/', ['/v1 v1 /', '/v2 v2 /'], '/v2'],
  ['where the context has no prefix', '/v1/rooms', ['/v1 v1 /rooms', ' v2 /rooms'], '/rooms']
]

const fromOutside: Counterpart[] = [
  ['under the prefix of the version', '/rooms', ['/v2 v2 /rooms'], '/v2/rooms'],
  ['not under a prefix of two segments', '/rooms', ['/api/v2 v2 /rooms'], null],
  ['under a prefix whose other segments it has', '/api/rooms', ['/api/v2 v2 /rooms'], '/api/v2/rooms'],
  [
    'under the prefix that differs in one segment', '/api/rooms',
    ['/v2 v2 /rooms', '/x/v2 v2 /api/rooms', '/api/v2 v2 /rooms'], '/api/v2/rooms'
  ],
  ['at the root of the prefix', '/', ['/v2 v2 /'], '/v2'],
  ['not where it has a segment instead of the version', '/beds/rooms', ['/v2 v2 /rooms'], null],
  ['not where the rest of the path differs', '/rooms', ['/api/v2 v2 /rooms/beds'], null]
]

for (const [from, rows] of [['a namespace', counterparts], ['a route in none', fromOutside]] as const) {
  for (const [says, at, contexts, url] of rows) {
    t.test(`from ${from} a route without a name is found in another namespace ${says}`, async (t) => {
      const app = await appWith(t, { scheme: NamespaceVersioning, ...settings })
      const answer = async (_request: unknown, reply: FastifyReply) => reply.reverse(null, null, v2)
      if (from !== 'a namespace') app.get(at, answer)
      for (const [prefix, namespace, path] of contexts.map((context) => context.split(' '))) {
        app.register(async (context) => { context.get(path, answer) }, { prefix, namespace })
      }
      const response = await app.inject(at)
      if (url === null) t.match(response.json(), { ...noMatch, message: NOWHERE[1] })
      else t.equal(response.body, url)
    })
  }
}

t.test('a version other than the default one is not searched for outside of namespaces', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning, defaultVersion: 'v2' })
  app.get('/rooms', ok)
  within(app, ['v2'], (api) => api.get('/rooms', async (_request, reply) => reply.reverse(null, null, v1)))
  t.match((await app.inject('/v2/rooms')).json(), noMatch)
})

t.test('a path without a place for the version links into the default version alone', async (t) => {
  for (const scheme of [URLPathVersioning, [URLPathVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    const answer = async (request: { query: unknown }, reply: FastifyReply) => (
      reply.reverse(null, null, request.query as LinkOptions)
    )
    app.get('/:version/items/:id', answer)
    app.get('/items/:id', answer)
    t.match((await app.inject('/items/1?version=v2')).json(), { ...noMatch, message: NOWHERE[1] })
    t.equal((await app.inject('/items/1?version=v1')).body, '/items/1')
    t.equal((await app.inject('/items/1')).body, '/items/1')
    t.equal((await app.inject('/v1/items/1?version=v2')).body, '/v2/items/1')
  }
})

const queryOfV1 = new QueryParameterVersioning({ allowedVersions: ['v1'] })
const elsewhere: [scheme: VersioningOptions['scheme'], options: LinkOptions, host: string, url: string][] = [
  [HeaderVersioning, v2, 'v1.a.b', '/items/1'],
  [HostNameVersioning, {}, 'latest.a.b', '/items/1'],
  [[HeaderVersioning, HostNameVersioning], {}, 'latest.a.b', '/items/1'],
  [[queryOfV1, HostNameVersioning], v2, 'v1.a.b', 'http://v2.a.b/items/1'],
  [[URLPathVersioning, HeaderVersioning], plain, 'v1.a.b', '/items/1']
]

for (const [scheme, options, host, url] of elsewhere) {
  const by = [scheme].flat().map((one) => (one as { name?: string }).name ?? 'an instance')
  t.test(`under ${by} on ${host} the current route with ${JSON.stringify(options)} has the link ${url}`, async (t) => {
    const resolveVersion = (version: string) => version === 'latest' ? 'v2' : version
    const app = await appWith(t, { ...settings, scheme, resolveVersion })
    app.get('/items/:id', async (_request, reply) => reply.reverse(null, null, options))
    t.equal((await app.inject({ url: '/items/1', headers: { host } })).body, url)
  })
}

t.test('a link to the current route has no values in the order of the path', async (t) => {
  const scheme = new URLPathVersioning(settings)
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning })
  app.get('/:version/pos/:id', async (request, reply) => {
    t.throws(() => scheme.reverse(null, { request, args: [8] }), option)
    return reply.reverse(null, [8])
  })
  t.match((await app.inject('/v1/pos/7')).json(), {
    ...option, message: 'Invalid link option "params": expected an object, because there is no name, got [ 8 ].'
  })
})

for (const path of ['/:org/:repo', '/:a/bookings', '/:a/*']) {
  t.test(`a link to the current route ${path} never names a host`, async (t) => {
    const lifecycle = { v1: { deprecated: '2020-01-01' } }
    const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning, lifecycle })
    app.get(path, async (_request, reply) => reply.reverse(null, null, v2))
    const { statusCode, headers } = await app.inject('//bookings?version=v1')
    t.same([statusCode, headers.link], [400, undefined])
  })
}

t.test('an empty version of the path makes no link that names a host', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', ''] })
  app.get('/:version/:id', async (_request, reply) => reply.reverse(null, null, { version: '' }))
  t.match((await app.inject('/v1/evil.example')).json(), { ...noMatch, message: /\("version" missing\)\.$/ })
})

t.test('parameters that the app has changed are its own fault where they do not fit', async (t) => {
  const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
  app.addHook('preHandler', async ({ params }) => { Object.assign(params as object, { more: '1' }) })
  app.get('/rooms/:id', async (_request, reply) => reply.reverse())
  t.match((await app.inject('/rooms/b7')).json(), { ...noMatch, message: '"more" unknown' })
  const other = await appWith(t)
  other.setValidatorCompiler(() => () => ({ value: { day: new Date(0) } }))
  other.get('/:day', { schema: { params: {} } }, async (_request, reply) => reply.reverse())
  t.match((await other.inject('/today')).json(), noMatch)
})

t.test('a version that a schema has changed is in the link as the client sent it', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning })
  const params = { type: 'object', properties: { version: { type: 'integer' } } }
  app.get('/:version/rooms', { schema: { params } }, async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/01/rooms')).body, '/01/rooms')
})

t.test('a route that was declared before the plugin, or that a hook has moved, links to itself', async (t) => {
  const app = bareApp(t)
  app.get('/rooms', async (_request, reply) => reply.reverse(null, null, v2))
  app.addHook('onRoute', (route) => { route.url = route.url.replace('bookings', 'journeys') })
  await app.register(versioning, { scheme: NamespaceVersioning })
  app.get('/bookings/:id', async (_request, reply) => reply.reverse())
  within(app, ['v2'], (api) => api.get('/rooms', ok))
  t.equal((await app.inject('/rooms')).body, '/rooms')
  t.equal((await app.inject('/journeys/7')).body, '/journeys/7')
})

t.test('a request of which only a part is known is linked by its route', async (t) => {
  const scheme = new QueryParameterVersioning()
  const server = await appWith(t, { scheme })
  server.get('/users/:id?', ok)
  const routeOptions = { url: '/users/:id?', config: {} }
  t.equal(scheme.reverse(null, { request: { version: null, server, routeOptions } }), '/users')
  const request = { version: 'v1', server, method: 'POST', params: { id: 7 }, routeOptions: { url: '/users/:id?' } }
  t.equal(scheme.reverse(null, { request: request as never }), '/users/7?version=v1')
})

t.test('a route is found in another namespace as soon as it is declared', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme })
  const requests: ReversingRequest[] = []
  await app.register(async (server) => {
    server.addHook('onRoute', ({ url, config = {} }) => {
      requests.push({ version: 'v1', server, params: {}, routeOptions: { url, config } })
    })
    server.get('/a', ok)
  }, { prefix: '/v1', namespace: 'v1' })
  const [request] = requests
  await app.register(async (server) => {
    server.get('/b', ok)
    t.throws(() => scheme.reverse(null, { ...v2, request }), noMatch)
    server.get('/a', ok)
  }, { prefix: '/v2', namespace: 'v2' })
  t.equal(scheme.reverse(null, { ...v2, request }), '/v2/a')
})

t.test('namespaces whose names make the same text are not taken for each other', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  let version = 'v'
  within(app, ['vx'], (api) => api.get('/rooms', { name: 'rooms' }, ok))
  within(app, ['wx', 'x'], (api) => api.get('/rooms', { name: 'rooms' }, ok))
  within(app, ['w', 'x'], (api) => {
    api.get('/rooms', { name: 'rooms' }, async (_request, reply) => reply.reverse(null, null, { version }))
  })
  t.match((await app.inject('/w/x/rooms')).json(), noMatch)
  version = 'wx'
  t.equal((await app.inject('/w/x/rooms')).body, '/wx/x/rooms', 'and a miss hides no other')
})

t.test('there is no current route outside a request, and where no route matches', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  app.setNotFoundHandler(async (_request, reply) => reply.reverse())
  const error = { ...noMatch, message: 'There is no current route to reverse.' }
  t.throws(() => app.reverse(null as never), error)
  t.match((await app.inject('/nowhere')).json(), error)
})

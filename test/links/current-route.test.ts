import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseArgs, ReverseKwargs, VersioningSchemeClass } from '../../types/index.d.ts'

type Call = (reply: FastifyReply) => string

/** The URL of a request, the arguments of the link to its own route, and the link. */
interface Self {
  at: string
  params?: ReverseKwargs | ReverseArgs
  options?: LinkOptions
  url?: string
  refused?: { statusCode: number, message: RegExp | string }
}

const v1: LinkOptions = { version: 'v1' }
const v2: LinkOptions = { version: 'v2' }
const plain: LinkOptions = { version: null }
const TELLS_CLIENT = { statusCode: 400, message: /^The current route, '.+', has no URL for/ }
const TELLS_DEVELOPER = { statusCode: 500, message: /^The current route, '.+', has no URL for/ }

function nowhere (path: string, version: string) {
  const message = `The current route, '${path}', has no URL that specifies the version ${version}.`
  return { statusCode: 500, message }
}

/** An app whose error handler answers with a link as well. */
async function linking (t: Test, scheme: VersioningSchemeClass, call: Call): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
  app.setErrorHandler((error, _request, reply) => {
    if ((error as { code?: string }).code === 'FST_ERR_NO_REVERSE_MATCH') throw error
    return reply.send(call(reply))
  })
  return app
}

async function namespaced (t: Test, call: Call): Promise<FastifyInstance> {
  const app = await linking(t, NamespaceVersioning, call)
  const handler = async (_request: unknown, reply: FastifyReply) => call(reply)
  for (const version of ['v1', 'v2', 'v9']) {
    app.register(async (api) => {
      api.get('/', handler)
      api.get('/named/:id', { name: 'named' }, handler)
      api.get('/unnamed/:id', handler)
      api.post('/unnamed/:id', handler)
      api.get('/files/*', { name: 'files' }, handler)
      api.get('/unnamed-files/*', handler)
      api.get('/neutral', { name: 'neutral', versioning: false }, handler)
      api.register(async (admin) => { admin.get('/rooms/:id', handler) }, { prefix: '/admin' })
      api.register(async (shop) => { shop.get('/rooms/:id', handler) }, { prefix: '/shop', namespace: 'shop' })
    }, { prefix: `/${version}`, namespace: version })
  }
  app.register(async (api) => {
    api.get('/late', { name: 'late' }, handler)
    api.get('/users/me', handler)
  }, { prefix: '/v2/', namespace: 'v2' })
  app.register(async (api) => {
    api.get('/late', handler)
    api.get('/users/:id', { name: 'user' }, handler)
    api.get('/only', handler)
    api.get('/lonely/:id', { name: 'lonely' }, handler)
  }, { prefix: '/v1', namespace: 'v1' })
  app.register(async (api) => {
    api.get('/users/:id', { name: 'user' }, handler)
    api.get('/lonely/:number(^\\d+)', { name: 'lonely' }, handler)
  }, { prefix: '/v2', namespace: 'v2' })
  for (const [version, place] of [['v1', 'north'], ['v1', 'south'], ['v2', 'south'], ['v2', 'north'], ['v2', 'east']]) {
    app.register(async (api) => { api.get('/rates/:id', handler) }, {
      prefix: `/${version}/${place}`, namespace: version
    })
  }
  for (const place of ['rooms', 'users']) {
    for (const version of ['v1', 'v2']) {
      app.register(async (api) => { api.get('/:id', handler) }, { prefix: `/${place}/${version}`, namespace: version })
    }
  }
  app.register(async (api) => { api.get('/:id', handler) }, { prefix: '/v1/beds', namespace: 'v1' })
  for (const version of ['v1', 'v2']) {
    app.register(async (api) => {
      api.get('/seats/:id', { name: 'seat' }, handler)
      api.get('/seats/:id/all', { name: 'seat' }, handler)
      api.post('/seats/:id/copy', { name: 'seat' }, handler)
      api.get(`/${version}-boats/:id`, { name: 'boat' }, handler)
      api.post('/boats/:id/copy', { name: 'boat' }, handler)
    }, { prefix: `/${version}`, namespace: version })
  }
  app.register(async (api) => { api.get('/', handler) }, { prefix: '/west/w1', namespace: 'v1' })
  app.register(async (api) => {
    api.get('/', { prefixTrailingSlash: 'slash' }, handler)
  }, { prefix: '/west/w2', namespace: 'v2' })
  app.register(async (partners) => {
    for (const version of ['v1', 'v9']) {
      partners.register(async (api) => { api.get('/rates', { name: 'rates' }, handler) }, {
        prefix: `/${version}`, namespace: version
      })
    }
  }, { prefix: '/partners', namespace: 'partners' })
  app.get('/', handler)
  app.get('/named/:id', { name: 'named' }, handler)
  app.get('/unnamed/:id', handler)
  return app
}

const inNamespaces: Self[] = [
  { at: '/v1/named/7', url: '/v1/named/7' },
  { at: '/v1/named/7', options: v2, url: '/v2/named/7' },
  { at: '/v1/named/7', options: plain, url: '/named/7' },
  { at: '/v1/named/7', params: { id: 8 }, options: v2, url: '/v2/named/8' },
  { at: '/v1/named/7', options: { ...v2, query: { page: 2 } }, url: '/v2/named/7?page=2' },
  { at: '/named/7', options: v2, url: '/v2/named/7' },
  { at: '/v1/unnamed/7', options: v2, url: '/v2/unnamed/7' },
  { at: '/v1/unnamed/a%2Fb', options: v2, url: '/v2/unnamed/a%2Fb' },
  { at: '/v1/unnamed/7', options: plain, url: '/unnamed/7' },
  { at: '/unnamed/7', options: v2, url: '/v2/unnamed/7' },
  { at: '/v1', options: v2, url: '/v2' },
  { at: '/v1/late', options: v2, url: '/v2/late' },
  { at: '/v1/admin/rooms/7', options: v2, url: '/v2/admin/rooms/7' },
  { at: '/v1/shop/rooms/7', options: v2, url: '/v2/shop/rooms/7' },
  { at: '/west/w1', options: v2, url: '/west/w2/' },
  { at: '/west/w2/', options: v1, url: '/west/w1' },
  { at: '/v1', options: plain, url: '/' },
  { at: '/users/v1/7', options: v2, url: '/users/v2/7' },
  { at: '/rooms/v1/7', options: v2, url: '/rooms/v2/7' },
  { at: '/v1/beds/7', options: v2, refused: nowhere('/v1/beds/:id', "'v2'") },
  { at: '/v1/seats/7', options: v2, url: '/v2/seats/7' },
  { at: '/v1/seats/7/all', options: v2, url: '/v2/seats/7/all' },
  { at: '/v1/v1-boats/7', options: v2, url: '/v2/v2-boats/7' },
  { at: '/v1/north/rates/7', options: v2, url: '/v2/north/rates/7' },
  { at: '/v1/south/rates/7', options: v2, url: '/v2/south/rates/7' },
  { at: '/v1/files/', url: '/v1/files/' },
  { at: '/v1/files/', options: v2, url: '/v2/files/' },
  { at: '/v1/files/a/b', options: v2, url: '/v2/files/a/b' },
  { at: '/v1/unnamed-files/', options: v2, url: '/v2/unnamed-files/' },
  { at: '/v1/neutral', options: v2, url: '/v1/neutral' },
  { at: '/v9/named/7', url: '/v9/named/7' },
  { at: '/v9/named/7', options: v1, url: '/v1/named/7' },
  { at: '/v9/unnamed/7', options: v1, url: '/v1/unnamed/7' },
  { at: '/v9/shop/rooms/7', url: '/v9/shop/rooms/7' },
  { at: '/v9/shop/rooms/7', options: v1, refused: nowhere('/v9/shop/rooms/:id', "'v1'") },
  { at: '/partners/v9/rates', options: v1, refused: nowhere('/partners/v9/rates', "'v1'") },
  { at: '/v1/named/a%2F..%2Fb', options: v2, refused: TELLS_CLIENT },
  { at: '/v1/named/', options: v2, refused: TELLS_CLIENT },
  { at: '/v1/users/me', options: v2, url: '/v2/users/me' },
  { at: '/v1/users/7', options: v2, url: '/v2/users/7' },
  { at: '/v1/named/7', params: { id: '..' }, options: v2, refused: TELLS_DEVELOPER },
  { at: '/v1/lonely/7', options: v2, refused: TELLS_DEVELOPER },
  { at: '/v1/only', options: v2, refused: nowhere('/v1/only', "'v2'") },
  { at: '/v1/only', options: plain, refused: nowhere('/v1/only', 'null') }
]

async function inPaths (t: Test, call: Call): Promise<FastifyInstance> {
  const app = await linking(t, URLPathVersioning, call)
  const handler = async (_request: unknown, reply: FastifyReply) => call(reply)
  app.get('/:version/rooms/:id', handler)
  app.get('/optional/:version?', handler)
  app.get('/neutral/:id', { versioning: false }, handler)
  app.get('/without/:id', handler)
  app.get('/files/*', handler)
  const params = { type: 'object', properties: { id: { type: 'integer' } }, additionalProperties: false }
  app.get('/:version/strict/:id', { schema: { params } }, handler)
  const text = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false }
  app.get('/:version/text/:id', { schema: { params: text } }, handler)
  return app
}

const byPath: Self[] = [
  { at: '/v1/rooms/7', options: v2, url: '/v2/rooms/7' },
  { at: '/v1/rooms/7', params: { version: 'v9' }, options: v2, url: '/v9/rooms/7' },
  { at: '/v1/rooms/7', params: [8], refused: { statusCode: 500, message: /an object, because there is no name/ } },
  { at: '/v1/rooms/7', params: ['v9', 8], refused: { statusCode: 500, message: /got \[ 'v9', 8 \]/ } },
  { at: '/files/', params: { '*': null }, refused: TELLS_DEVELOPER },
  { at: '/neutral/7', options: { version: 2 as never }, refused: { statusCode: 500, message: /option "version"/ } },
  { at: '/v9/rooms/7', url: '/v9/rooms/7' },
  { at: '/v9/rooms/7', options: v1, url: '/v1/rooms/7' },
  { at: '/optional', url: '/optional' },
  { at: '/optional', options: v2, url: '/optional/v2' },
  { at: '/optional/v2', url: '/optional/v2' },
  { at: '/optional/v2', options: plain, url: '/optional' },
  { at: '/neutral/7', options: v2, url: '/neutral/7' },
  { at: '/without/7', options: v2, refused: nowhere('/without/:id', "'v2'") },
  { at: '/without/7', options: v1, url: '/without/7' },
  { at: '/v2/strict/7', url: '/v2/strict/7' },
  { at: '/v2/strict/7', params: { id: 8 }, url: '/v2/strict/8' },
  { at: '/v2/strict/7', options: v1, url: '/v1/strict/7' },
  { at: '/v1/rooms/a%2F..%2Fb', options: v2, refused: TELLS_CLIENT },
  { at: '/v1/text/a%2F..%2Fb', options: v2, refused: TELLS_CLIENT },
  { at: '/v1/rooms/7', options: plain, refused: TELLS_DEVELOPER }
]

/** Paths that match the same URLs and differ in a constraint. */
async function constrained (t: Test, call: Call): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  const handler = async (_request: unknown, reply: FastifyReply) => call(reply)
  app.get('/x/:id', handler)
  app.get('/x/me', { constraints: { host: 'admin.example.com' } }, handler)
  app.get('/y/:id', { name: 'id' }, handler)
  app.get('/y/:number', { name: 'number', constraints: { host: 'admin.example.com' } }, handler)
  return app
}

const underConstraints: Self[] = [
  { at: '/x/me', url: '/x/me' },
  { at: '/x/me?page=2', url: '/x/me' },
  { at: '/x/7', params: { id: 8 }, url: '/x/8' },
  { at: '/x/7', params: { id: 'me' }, url: '/x/me' },
  { at: '/y/7', url: '/y/7' },
  { at: '/y/7', params: { id: 8 }, url: '/y/8' }
]

const apps = [
  { by: 'NamespaceVersioning', build: namespaced, selves: inNamespaces },
  { by: 'URLPathVersioning', build: inPaths, selves: byPath },
  { by: 'a constraint', build: constrained, selves: underConstraints }
]

for (const { by, build, selves } of apps) {
  let call: Call = () => ''
  const app = await build(t, (reply) => call(reply))
  for (const { at, params, options, url, refused } of selves) {
    const asked = JSON.stringify([params, options])
    t.test(`under ${by} the link from ${at} to itself with ${asked} is ${url ?? refused?.message}`, async (t) => {
      call = (reply) => reply.reverse(null, params, options)
      const response = await app.inject(at)
      if (url === undefined) t.match(response.json(), { code: /^FST_ERR_(?:NO_)?REVERSE_/, ...refused })
      else t.equal(response.body, url)
    })
  }
}

t.test('names of routes that share a path under a constraint have separate links', async (t) => {
  const app = await constrained(t, () => '')
  t.equal(app.reverse('id', { id: 7 }), '/y/7')
  t.equal(app.reverse('number', { number: 7 }), '/y/7')
})

t.test('the counterpart of a route has the same method, at every request', async (t) => {
  const app = await namespaced(t, (reply) => reply.reverse(null, null, v2))
  for (const id of [7, 8]) {
    t.equal((await app.inject(`/v1/v1-boats/${id}`)).body, `/v2/v2-boats/${id}`)
    t.equal((await app.inject(`/v1/unnamed/${id}`)).body, `/v2/unnamed/${id}`)
  }
})

t.test('a request object without params is treated as one without parameters', async (t) => {
  const app = await inPaths(t, () => '')
  const scheme = new URLPathVersioning()
  const request = { version: null, server: app, routeOptions: { url: '/optional/:version?', config: {} } }
  t.equal(scheme.reverse(null, { request }), '/optional')
})

t.test('a request object without a method is treated as a GET', async (t) => {
  const scheme = new QueryParameterVersioning()
  const app = await appWith(t, { scheme })
  app.get('/users/:id', async () => '')
  const routeOptions = { url: '/users/:id', config: {} }
  const request = { version: null, server: app, params: { id: 'me' }, routeOptions }
  t.equal(scheme.reverse(null, { request }), '/users/me')
})

t.test('a request object with a method that its route does not have links to the route anyway', async (t) => {
  const scheme = new QueryParameterVersioning()
  const app = await appWith(t, { scheme })
  app.get('/users/:id', async () => '')
  app.post('/users/me', async () => '')
  const routeOptions = { url: '/users/:id', config: {} }
  const request = { version: null, server: app, method: 'POST', params: { id: 7 }, routeOptions }
  t.equal(scheme.reverse(null, { request }), '/users/7')
})

t.test('a route that an onRoute hook of the app has moved links to its new URL', async (t) => {
  const app = bareApp(t)
  app.addHook('onRoute', (route) => { route.url = route.url.replace('bookings', 'journeys') })
  await app.register(versioning)
  app.get('/bookings/:id', async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/journeys/7')).body, '/journeys/7')
})

t.test('a version that a schema has changed is in the link as the client sent it', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning })
  const params = { type: 'object', properties: { version: { type: 'integer' } } }
  app.get('/:version/rooms', { schema: { params } }, async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/01/rooms')).body, '/01/rooms')
})

t.test('a route without a name is found in another version by its method', async (t) => {
  const app = await namespaced(t, (reply) => reply.reverse(null, null, v2))
  t.equal((await app.inject({ url: '/v1/unnamed/7', method: 'POST' })).body, '/v2/unnamed/7')
  t.equal((await app.inject({ url: '/v1/unnamed/7', method: 'HEAD' })).statusCode, 200)
})

t.test('a parameter that a schema has turned into an object is an error of the developer', async (t) => {
  const app = await appWith(t)
  app.setValidatorCompiler(() => () => ({ value: { day: new Date(0) } }))
  app.get('/:day', { schema: { params: {} } }, async (_request, reply) => reply.reverse())
  t.match((await app.inject('/today')).json(), TELLS_DEVELOPER)
})

t.test('a route is found in another namespace as soon as it is declared', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme })
  const handler = async () => ''
  let later: FastifyInstance | undefined
  let routeOptions = { url: '', config: {} }
  await app.register(async (v1) => {
    v1.addHook('onRoute', ({ url, method, config = {} }) => {
      if (method === 'GET') routeOptions = { url, config: { ...config, url, method } }
    })
    v1.get('/a', handler)
    later = v1
  }, { prefix: '/v1', namespace: 'v1' })
  const request = { version: 'v1', server: later as object, method: 'GET', params: {}, routeOptions }
  await app.register(async (v2) => {
    v2.get('/b', handler)
    t.throws(() => scheme.reverse(null, { request, version: 'v2' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    v2.get('/a', handler)
  }, { prefix: '/v2', namespace: 'v2' })
  t.equal(scheme.reverse(null, { request, version: 'v2' }), '/v2/a')
})

t.test('a request that has only the URL of its route is linked to that URL', async (t) => {
  const scheme = new QueryParameterVersioning()
  const app = await appWith(t, { scheme })
  app.get('/a', async () => '')
  const request = { version: 'v1', server: app, method: 'GET', params: {}, routeOptions: { url: '/a' } }
  t.equal(scheme.reverse(null, { request: request as never }), '/a?version=v1')
})

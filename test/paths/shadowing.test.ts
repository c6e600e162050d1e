import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'

import type { FastifyServerOptions } from 'fastify'
import type { ReverseKwargs } from '../../types/index.d.ts'

interface Shadowed {
  path: string
  /** The other routes of the app, by path or by method and path. */
  others: string[]
  params: ReverseKwargs
  /** The link, or null where another route would answer it. */
  url: string | null
  options?: FastifyServerOptions
}

const merging = { routerOptions: { ignoreDuplicateSlashes: true } }
const folding = { routerOptions: { caseSensitive: false } }
const manyPaths = Array.from({ length: 60 }, (_, i) => `/path-${i}/:id`)

const table: Shadowed[] = [
  { path: '/users/:id', others: ['/users/me'], params: { id: 'me' }, url: null },
  { path: '/users/:id', others: ['/users/me'], params: { id: 'you' }, url: '/users/you' },
  { path: '/users/:id', others: ['/users/me/x', '/other/:id'], params: { id: 'me' }, url: '/users/me' },
  { path: '/users/:id', others: ['PUT /users/me'], params: { id: 'me' }, url: '/users/me' },
  { path: '/users/:id', others: ['/users/:id(^\\d+)'], params: { id: '7' }, url: null },
  { path: '/users/:id', others: ['/users/:id(^\\d+)'], params: { id: 'x' }, url: '/users/x' },
  { path: '/:kind/:id', others: ['/users/:id'], params: { kind: 'users', id: 7 }, url: null },
  { path: '/:kind/:id', others: ['/users/:id'], params: { kind: 'rooms', id: 7 }, url: '/rooms/7' },
  { path: '/:kind/x', others: ['/x/:kind'], params: { kind: 'x' }, url: null },
  { path: '/*', others: ['/users', '/users/:id/posts'], params: { '*': 'users' }, url: null },
  { path: '/*', others: ['/users', '/users/:id/posts'], params: { '*': 'users/7/posts' }, url: null },
  { path: '/*', others: ['/users', '/users/:id/posts'], params: { '*': 'users/7' }, url: '/users/7' },
  { path: '/:a/:b', others: ['/x/*'], params: { a: 'x', b: 'y' }, url: null },
  { path: '/:a/:b', others: ['/x/*'], params: { a: 'y', b: 'x' }, url: '/y/x' },
  { path: '/:last?/', others: ['/a/:p'], params: { last: 'a' }, url: null },
  { path: '/:last?/', others: ['/a/:p'], params: { last: 'b' }, url: '/b/' },
  { path: '/:last?/', others: ['/a/:p'], params: {}, url: '/' },
  { path: '/room-:id', others: ['/room-1'], params: { id: 1 }, url: null },
  { path: '/:a-:b.:c', others: ['/:p([^/]{2,})'], params: { a: 1, b: 2, c: 3 }, url: '/1-2.3' },
  { path: '/:id((v)(\\d))/:next', others: [], params: { id: 'v1', next: 'x' }, url: null },
  { path: '/:id(v(\\d))/:next', others: [], params: { id: 'v1', next: 'x' }, url: null },
  { path: '/:id((?:v)\\d)/:next', others: [], params: { id: 'v1', next: 'x' }, url: '/v1/x' },
  { path: '/:id/100%', others: [], params: { id: 'x' }, url: '/x/100%25' },
  { path: '/:id/a?b', others: [], params: { id: 'x' }, url: null },
  {
    path: '/:id/a;b',
    others: [],
    params: { id: 'x' },
    url: null,
    options: { routerOptions: { useSemicolonDelimiter: true } as object }
  },
  { path: '/:id/a;b', others: [], params: { id: 'x' }, url: '/x/a;b' },
  {
    path: '/users/:id',
    others: ['/users/ME'],
    params: { id: 'me' },
    url: null,
    options: { routerOptions: { caseSensitive: false } }
  },
  { path: '/users/:id', others: ['/users/ME'], params: { id: 'me' }, url: '/users/me' },
  {
    path: '/users/:id',
    others: ['/users/me/'],
    params: { id: 'me' },
    url: null,
    options: { routerOptions: { ignoreTrailingSlash: true } }
  },
  { path: '/users/:id', others: ['/users/me/'], params: { id: 'me' }, url: '/users/me' },
  { path: '/users/:id/x', others: ['/*', '/users/*', '/:a/:b/:c', '/:a/*'], params: { id: 7 }, url: '/users/7/x' },
  { path: '/users/:id', others: ['/users/new-:x'], params: { id: 'new-7' }, url: null },
  { path: '/users/:id', others: ['/users/new-:x'], params: { id: 'old-7' }, url: '/users/old-7' },
  { path: '/users/:id', others: ['/users/a.b', '/users/c+d'], params: { id: 'a.b' }, url: null },
  { path: '/users/:id', others: ['/users/a.b', '/users/c+d'], params: { id: 'axb' }, url: '/users/axb' },
  { path: '/users/:id', others: ['/users/100%'], params: { id: 7 }, url: '/users/7' },
  {
    path: '/users/:id((?:[a-z]+)*)',
    others: ['/users/me'],
    params: { id: 'you' },
    url: '/users/you',
    options: { routerOptions: { ignoreTrailingSlash: true, allowUnsafeRegex: true } }
  },
  { path: '/:id', others: ['//me'], params: { id: 'me' }, url: null, options: merging },
  { path: '//:id', others: ['/me'], params: { id: 'me' }, url: null, options: merging },
  { path: '//:id', others: ['//:other(^x)'], params: { id: 'me' }, url: '/me', options: merging },
  { path: '/city/:name/rooms', others: [], params: { name: 'İstanbul' }, url: null, options: folding },
  { path: '/city/:name/x', others: [], params: { name: 'istanbul' }, url: '/city/istanbul/x', options: folding },
  { path: '/city/:name', others: [], params: { name: 'İstanbul' }, url: '/city/%C4%B0stanbul', options: folding },
  { path: '/city/:name/rooms', others: [], params: { name: 'İ' }, url: '/city/%C4%B0/rooms' },
  { path: '/İ/:name/x', others: [], params: { name: 'a' }, url: null, options: folding },
  { path: '/:a/:b', others: manyPaths, params: { a: 'path-7', b: 'x' }, url: null },
  { path: '/:a/:b', others: manyPaths, params: { a: 'path-x', b: 'x' }, url: '/path-x/x' },
  { path: '/:a/:b', others: [...manyPaths, '/:c/:d/e'], params: { a: 'path-7', b: 'x' }, url: null }
]

for (const { path, others, params, url, options } of table) {
  const company = others.length === 0 ? 'alone' : `next to ${others.slice(-4).join(' and ')}`
  const router = JSON.stringify(options?.routerOptions ?? {})
  t.test(`the link to ${path} ${company} is ${url} for ${JSON.stringify(params)} with ${router}`, async (t) => {
    const app = await appWith(t, {}, options)
    app.get(path, { name: 'it' }, async (request) => request.routeOptions.url)
    for (const other of others) {
      const [method, otherPath] = other.startsWith('/') ? ['GET', other] : other.split(' ')
      app.route({ method: method as 'GET', url: otherPath, handler: async () => 'other' })
    }
    await app.ready()
    if (url === null) {
      t.throws(() => app.reverse('it', params), { message: /leaves \/\S+ to another route/ })
    } else {
      t.equal(app.reverse('it', params), url)
      t.equal((await app.inject(url)).body, path)
    }
  })
}

for (const prefix of ['/admin', '/:p(^ad.*$)']) {
  t.test(`the root of the prefix ${prefix} also has its URLs with a slash`, async (t) => {
    const app = await appWith(t, {}, { exposeHeadRoutes: false })
    app.register(async (admin) => { admin.get('/', async () => 'root') }, { prefix })
    app.get('/:page/', { name: 'page' }, async () => 'page')
    await app.ready()
    t.throws(() => app.reverse('page', { page: 'admin' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    t.equal(app.reverse('page', { page: 'other' }), '/other/')
  })
}

for (const prefixTrailingSlash of ['slash', 'no-slash', 'both'] as const) {
  t.test(`the root of a prefix with ${prefixTrailingSlash} has no other URLs`, async (t) => {
    const app = await appWith(t, {}, { exposeHeadRoutes: false })
    app.register(async (admin) => {
      admin.get('/', { prefixTrailingSlash }, async () => 'root')
    }, { prefix: '/admin' })
    app.get('/:page', { name: 'without' }, async () => 'page')
    app.get('/:page/', { name: 'with' }, async () => 'page')
    await app.ready()
    for (const name of ['without', 'with']) {
      let url: string | null = null
      try {
        url = app.reverse(name, { page: 'admin' })
      } catch {}
      const answer = (await app.inject(name === 'with' ? '/admin/' : '/admin')).body
      t.equal(url === null ? 'root' : 'page', answer)
    }
  })
}

t.test('an app that ignores trailing slashes has one route at the root of a prefix', async (t) => {
  const app = await appWith(t, {}, { routerOptions: { ignoreTrailingSlash: true } })
  app.register(async (admin) => { admin.get('/', async () => 'root') }, { prefix: '/admin' })
  app.get('/:page', { name: 'page' }, async () => 'page')
  await app.ready()
  t.throws(() => app.reverse('page', { page: 'admin' }), { message: /leaves \/admin to another route/ })
  t.equal(app.reverse('page', { page: 'other' }), '/other')
})

t.test('a maxParamLength of 0 means no limit', async (t) => {
  const app = await appWith(t, {}, { routerOptions: { maxParamLength: 0 } })
  app.get('/:page', { name: 'page' }, async () => 'page')
  t.equal(app.reverse('page', { page: 'x' }), '/x')
  t.equal((await app.inject('/x')).body, 'page')
})

t.test('a link is compared with paths of the same shape among many', async (t) => {
  const app = await appWith(t)
  for (const path of manyPaths) app.get(path, async () => '')
  app.get('/:a/:b', { name: 'one' }, async () => '')
  app.get('/:c/:d', { name: 'two', constraints: { host: 'example.com' } }, async () => '')
  t.equal(app.reverse('one', { a: 'x', b: 'y' }), '/x/y')
  t.equal(app.reverse('two', { c: 'x', d: 'y' }), '/x/y')
  app.get('/x/y', async () => '')
  t.throws(() => app.reverse('one', { a: 'x', b: 'y' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a link is refused once a route declared later answers its URL', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', { name: 'user' }, async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
  app.get('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a link is refused if another route answers its URL for one of the methods', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', { name: 'user' }, async () => '')
  app.delete('/users/:id', { name: 'user' }, async () => '')
  app.delete('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('user', { id: 'you' }), '/users/you')
})

t.test('routes of one shape with different constraints do not affect each other\'s links', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', { name: 'user', constraints: { host: 'a.example' } }, async () => '')
  app.get('/users/:name', { name: 'named', constraints: { host: 'b.example' } }, async () => '')
  app.get('/users/:id', { name: 'user' }, async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
})

t.test('a link to the current route with other parameters is refused where another route answers it', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', async (_request, reply) => reply.reverse(null, { id: 'me' }))
  app.get('/users/me', async () => '')
  t.match((await app.inject('/users/7')).json(), { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 })
})

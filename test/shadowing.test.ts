import Fastify from 'fastify'
import t from 'tap'

import versioning from '../src/index.ts'

import type { FastifyServerOptions } from 'fastify'
import type { ReverseKwargs } from '../types/index.d.ts'

interface Shadowed {
  path: string
  /** The other routes of the app, by path or by method and path. */
  others: string[]
  params: ReverseKwargs
  /** The link, or null where another route would answer it. */
  url: string | null
  options?: FastifyServerOptions
}

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
  { path: '/users/:id', others: ['/users/me/'], params: { id: 'me' }, url: '/users/me' }
]

for (const { path, others, params, url, options } of table) {
  const beside = others.length === 0 ? 'alone' : `beside ${others.join(' and ')}`
  const router = JSON.stringify(options?.routerOptions ?? {})
  t.test(`${path} ${beside} has the link ${url} for ${JSON.stringify(params)} with ${router}`, async (t) => {
    const app = Fastify(options)
    await app.register(versioning)
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

t.test('a route declared later may take a link away', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.get('/users/:id', { name: 'user' }, async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
  app.get('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a method of the route for which another route answers takes the link away', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.get('/users/:id', { name: 'user' }, async () => '')
  app.delete('/users/:id', { name: 'user' }, async () => '')
  app.delete('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('user', { id: 'you' }), '/users/you')
})

t.test('routes of one shape that a constraint tells apart do not take each other\'s links away', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.get('/users/:id', { name: 'user', constraints: { host: 'a.example' } }, async () => '')
  app.get('/users/:name', { name: 'named', constraints: { host: 'b.example' } }, async () => '')
  app.get('/users/:id', { name: 'user' }, async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
})

t.test('the link to the current route is not taken away by the route\'s other parameters', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.get('/users/:id', async (_request, reply) => reply.reverse(null, { id: 'me' }))
  app.get('/users/me', async () => '')
  t.match((await app.inject('/users/7')).json(), { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 })
})

import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { accept, byAccept, byQuery, tell } from './app.ts'

t.test('a route declared with options copied from a versioned route is a separate route', async (t) => {
  const app = await appWith(t, byAccept)
  app.addHook('onRoute', (route) => {
    if (route.url === '/a' && route.method === 'GET') app.route({ ...route, url: '/alias' })
  })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/alias', tell('rest'))
  t.match((await app.inject({ url: '/alias', ...accept('v1') })).json(), { mark: 'one' })
  t.match((await app.inject({ url: '/alias', ...accept('v2') })).json(), { mark: 'rest' })
})

t.test('routes of other methods than versioned ones have no constraint', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', tell('get'))
  app.post('/a', { version: 'v1' }, tell('post'))
  t.equal(app.hasRoute({ method: 'GET', url: '/a' }), true)
})

t.test('a URL without versions may have as many routes as the router can hold', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  for (let i = 0; i < 31; i++) app.get('/b', { constraints: { host: `h${i}` } }, tell(''))
  t.throws(() => app.get('/b', { constraints: { host: 'h31' } }, tell('')), { message: /^find-my-way/ })
})

t.test('the root of a prefix serves the same versions with a slash and without', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    context.get('/', { version: 'v1' }, tell('one'))
    context.get('/', { version: 'v2' }, tell('two'))
  }, { prefix: '/p' })
  for (const method of ['GET', 'HEAD'] as const) {
    const ask = (url: string, version: string) => app.inject({ method, url, ...accept(version) })
    t.equal((await ask('/p', 'v1')).statusCode, 200)
    t.equal((await ask('/p', 'v3')).statusCode, 406)
    t.equal((await ask('/p/', 'v2')).statusCode, 200)
    t.equal((await ask('/p/', 'v3')).statusCode, 406)
  }
})

t.test('an open route at one URL of the root of a prefix is refused next to versions', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => { context.get('/', { version: 'v1' }, tell('one')) }, { prefix: '/p' })
  app.get('/p/', tell('open'))
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /GET \/p.* share only one of two paths, .* declare a route for each path\./
  })
})

t.test('an explicit HEAD route serves a range, even if a GET route lists one of its versions', async (t) => {
  const app = await appWith(t, byAccept)
  app.head('/a', { version: { from: 'v1', to: 'v2' } }, async (_request, reply) => reply.header('route', 'own').send())
  app.get('/a', { version: { from: 'v1' } }, async (_request, reply) => reply.header('route', 'range').send())
  app.get('/a', { version: 'v2' }, async (_request, reply) => reply.header('route', 'list').send())
  for (const [version, route] of [['v1', 'own'], ['v2', 'own'], ['v3', 'range']] as const) {
    const { headers } = await app.inject({ method: 'HEAD', url: '/a', ...accept(version) })
    t.equal(headers['route'], route, version)
  }
})

t.test('the versions in the config of a route are frozen', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, async ({ routeOptions: { config } }) => Object.isFrozen(config.versions))
  t.equal((await app.inject({ url: '/a', ...accept('v1') })).json(), true)
})

t.test('a name that all versions of a URL share is listed once', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a/:id', { name: 'a', version: 'v1' }, async (_request, reply) => reply.reverse('a', { id: 7 }))
  app.get('/a/:id', { name: 'a', version: { from: 'v2' } }, async (_request, reply) => reply.reverse('a', { id: 8 }))
  t.equal((await app.inject('/a/1?version=v1')).body, '/a/7?version=v1')
  t.equal((await app.inject('/a/1?version=v3')).body, '/a/8?version=v3')
  t.equal(app.namedRoutes.length, 1)
})

t.test('printRoutes() prints the versions of each route', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('old'))
  app.get('/a', { version: { from: 'v2', to: 'v3' } }, tell('new'))
  app.get('/a', tell('rest'))
  app.get('/b', { version: 'v1', constraints: { host: 'b.example' } }, tell('b'))
  app.post('/a', tell('post'))
  app.get('/c', tell('c'))
  app.get('/d', { version: 'v1', versioning: QueryParameterVersioning }, tell('d'))
  await app.ready()
  t.equal(app.printRoutes(), `└── /
    ├── a (GET, HEAD) {"fastifyVersioning":["v1"]}
    │   a (GET, HEAD) {"fastifyVersioning":{"from":"v2","to":"v3"}}
    │   a (GET, HEAD, POST)
    ├── b (GET, HEAD) {"host":"b.example","fastifyVersioning":["v1"]}
    ├── c (GET, HEAD)
    └── d (GET, HEAD) {"fastifyVersioning":["v1"]}
`)
})

t.test('hasRoute() and findRoute() find open routes next to versions, with their own constraints', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', tell('open'))
  app.get('/c', { constraints }, tell('host'))
  app.get('/c', { version: 'v1', constraints }, tell('host, one'))
  await app.ready()
  t.equal(app.hasRoute({ method: 'GET', url: '/a' }), false)
  t.equal(app.hasRoute({ method: 'GET', url: '/b' }), true)
  t.equal(app.hasRoute({ method: 'HEAD', url: '/b' }), true)
  t.equal(app.hasRoute({ method: 'GET', url: '/c', constraints }), true)
  t.ok(app.findRoute({ method: 'GET', url: '/c', constraints }))
})

t.test('an open route with options copied from a versioned route has none of its versions', async (t) => {
  const app = await appWith(t, byAccept)
  app.addHook('onRoute', (route) => {
    if (route.url === '/a' && route.method === 'GET') app.route({ ...route, url: '/alias', version: null })
  })
  app.get('/a', { version: 'v1' }, tell('one'))
  t.same((await app.inject({ url: '/alias', ...accept('v3') })).json(), { mark: 'one', version: 'v3' })
  t.equal(app.hasRoute({ method: 'GET', url: '/alias' }), true)
})

t.test('a route declared twice is refused, with versions and without', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', tell('open'))
  app.post('/a', tell('open'))
  app.get('/a', { version: 'v1' }, tell('one'))
  for (const method of ['GET', 'POST']) {
    t.throws(() => app.route({ method, url: '/a', handler: tell('again') }), { code: 'FST_ERR_DUPLICATED_ROUTE' })
  }
})

t.test('a path that the router refuses is refused with its message where no route has versions', async (t) => {
  const plain = bareApp(t)
  const app = await appWith(t, byAccept)
  for (const one of [plain, app]) {
    t.throws(() => one.get('/a/:b(', tell('')), { message: 'Invalid regexp expression in "/a/:b("' })
    await t.resolves(async () => one.ready())
  }
})

t.test('a route without versions serves all versions under methods that no other route has', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.route({ method: ['GET', 'POST'], url: '/a', handler: tell('rest') })
  const ask = async (method: 'GET' | 'POST', version: string) => (
    (await app.inject({ method, url: '/a', ...accept(version) })).json().mark
  )
  t.same([await ask('GET', 'v1'), await ask('GET', 'v2'), await ask('POST', 'v1')], ['one', 'rest', 'rest'])
})

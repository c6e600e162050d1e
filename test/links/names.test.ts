import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { noMatch, within } from './app.ts'

import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseArgs, ReverseKwargs, VersioningOptions } from '../../types/index.d.ts'

/** Namespaces, a path, and the name or the options of its route. */
type Declared = [namespaces: string[], path: string, options: string | RouteShorthandOptions]
/** The arguments of `app.reverse`, and the link, or null for no match. */
type Params = ReverseKwargs | ReverseArgs | null
type Linked = [name: string, params: Params, options: LinkOptions | undefined, url: string | null]

async function appOf (t: Test, options: VersioningOptions, routes: readonly Declared[]): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  for (const [namespaces, path, given] of routes) {
    const declare = (scope: FastifyInstance) => {
      scope.get(path, typeof given === 'string' ? { name: given } : given, ok)
    }
    if (namespaces.length === 0) declare(app)
    else within(app, namespaces, declare)
  }
  await app.ready()
  return app
}

const allowedVersions = ['v1', 'v2', 'v3']
const byPath = { scheme: URLPathVersioning, allowedVersions }
const byNamespace = { scheme: NamespaceVersioning, allowedVersions }
const v1 = { version: 'v1' }
const v2 = { version: 'v2' }
const v3 = { version: 'v3' }

const tables: [says: string, options: VersioningOptions, routes: Declared[], links: Linked[]][] = [
  ['with all the namespaces around it', {}, [
    [['api'], '/status', 'status'], [['api', 'v1'], '/list', 'list'], [[], '/', { name: 'root', exposeHeadRoute: true }]
  ], [
    ['api:status', null, undefined, '/api/status'], ['api:v1:list', null, undefined, '/api/v1/list'],
    ['list', null, undefined, null], ['v1:list', null, undefined, null], ['root', null, undefined, '/'],
    ['', null, undefined, null], ['null', null, undefined, null]
  ]],
  ['by its parameters', {}, [
    [[], '/bookings', 'bookings'], [[], '/bookings/:year', 'bookings'], [[], '/bookings/:year/:month', 'bookings']
  ], [
    ['bookings', null, undefined, '/bookings'], ['bookings', { year: 2026 }, undefined, '/bookings/2026'],
    ['bookings', [2026, 11], undefined, '/bookings/2026/11']
  ]],
  ['with the URL registered last where several fit', {}, [
    [[], '/old/:id', 'booking'], [[], '/new/:id', 'booking'], [[], '/digits/:id(\\d+)', 'booking'],
    [[], '/rooms', 'rooms'], [[], '/rooms/', 'rooms']
  ], [
    ['booking', { id: 'x' }, undefined, '/new/x'], ['booking', { id: 7 }, undefined, '/digits/7'],
    ['rooms', null, undefined, '/rooms/']
  ]],
  ['with args in the order of the path, for what kwargs leave open', {}, [[[], '/:a/:b/:c', 'abc']], [
    ['abc', [1, 3], { kwargs: { b: 2 } } as LinkOptions, '/1/2/3'],
    ['abc', { b: 2 }, { args: [1, 3] } as LinkOptions, '/1/2/3']
  ]],
  ['with the option format as the parameter of that name', {}, [[[], '/export.:format', 'export'], [[], '/x', 'x']], [
    ['export', null, { format: 'json' }, '/export.json'], ['export', { format: 'a' }, { format: 'b' }, '/export.b'],
    ['x', null, { format: 'json' }, null]
  ]],
  ['with args that fit any of its URLs, and leave the version out', byPath, [
    [[], '/:version/posts/:id', 'post'], [[], '/:version/posts/:slug/:language', 'post']
  ], [
    ['post', [7], v1, '/v1/posts/7'], ['post', ['a', 'en'], v1, '/v1/posts/a/en'],
    ['post', ['v3', 'a', 'en'], undefined, '/v3/posts/a/en'], ['post', ['a', 'en', 'x'], v1, null]
  ]],
  ['with the URL that serves the version', byPath, [
    [[], '/:version/bookings', { version: 'v1', name: 'bookings' }],
    [[], '/:version/stays', { version: { from: 'v2' }, name: 'bookings' }],
    [[], '/:version/a', { version: ['v1', 'v2'], name: 'a' }], [[], '/:version/b', { version: 'v2', name: 'a' }],
    // Another route than the named one may serve the version at its URL.
    [[], '/:version/c', { version: 'v2', name: 'c' }], [[], '/:version/c', { version: 'v3' }],
    [[], '/:version/d', { version: 'v1', name: 'c' }]
  ], [
    ['bookings', null, v1, '/v1/bookings'], ['bookings', v1, undefined, '/v1/bookings'],
    ['bookings', null, v3, '/v3/stays'], ['a', null, v2, '/v2/b'], ['a', null, v3, '/v3/b'], ['c', null, v3, '/v3/c']
  ]],
  ['with the URL that serves the version, also in the query', { scheme: QueryParameterVersioning, allowedVersions }, [
    [[], '/bookings', { version: 'v1', name: 'bookings' }], [[], '/stays', { version: 'v2', name: 'bookings' }]
  ], [['bookings', null, v1, '/bookings?version=v1'], ['bookings', null, v2, '/stays?version=v2']]],
  ['in a version that is a namespace', { scheme: NamespaceVersioning }, [
    [['v1'], '/list', 'list'], [['v2'], '/list', 'list'], [['api', 'v1'], '/deep', 'deep'], [[], '/list', 'plain']
  ], [
    ['list', null, v1, '/v1/list'], ['list', null, v2, '/v2/list'], ['v1:list', null, undefined, '/v1/list'],
    ['list', null, v3, null], ['v1:deep', null, { version: 'api' }, '/api/v1/deep'],
    ['deep', null, { version: 'api:v1' }, '/api/v1/deep'], ['deep', null, { version: 'apiv1' }, null],
    ['', null, { version: 'v1:list' }, null], ['plain', null, undefined, '/list']
  ]],
  ['in a namespace that has another in front', byNamespace, [
    [['bookings', 'v1'], '/list', 'list'], [['bookings', 'v2'], '/list', 'list'],
    [['bookings', 'v1', 'admin'], '/users', 'users'], [['v2', 'v1'], '/other', 'other']
  ], [
    ['bookings:list', null, v2, '/bookings/v2/list'], ['bookings:v1:list', null, v2, null],
    ['bookings:admin:users', null, v1, '/bookings/v1/admin/users'], ['bookings:list', null, undefined, null],
    // The first allowed namespace is the version: `v2:v1:other` is in v2.
    ['v2:other', null, v1, null], ['other', null, v1, null]
  ]]
]

for (const [says, options, routes, links] of tables) {
  t.test(`a name is found ${says}`, async (t) => {
    const app = await appOf(t, options, routes)
    // Twice, because what was found is remembered.
    for (const [name, params, given, url] of [...links, ...links]) {
      const title = JSON.stringify([name, params, given])
      if (url === null) t.throws(() => app.reverse(name, params, given), noMatch, title)
      else t.equal(app.reverse(name, params, given), url, title)
    }
  })
}

for (const [prefixTrailingSlash, url] of [['both', '/api'], ['slash', '/api/'], ['no-slash', '/api']] as const) {
  t.test(`the link to the root of a prefix is ${url} with prefixTrailingSlash ${prefixTrailingSlash}`, async (t) => {
    for (const exposeHeadRoute of [true, false]) {
      const app = await appWith(t)
      app.register(async (api) => {
        api.get('/', { name: 'root', prefixTrailingSlash, exposeHeadRoute }, ok)
      }, { prefix: '/api' })
      await app.ready()
      t.equal(app.reverse('root'), url)
      t.equal((await app.inject(url)).statusCode, 200)
    }
  })
}

t.test('one name may stand for several methods of a URL, and a HEAD route may have its own', async (t) => {
  const app = await appWith(t)
  app.route({ method: ['GET', 'PUT'], url: '/bookings/:id', name: 'booking', handler: ok })
  app.delete('/bookings/:id', { name: 'booking' }, ok)
  app.head('/probe/', { name: 'probe' }, ok)
  await app.ready()
  t.equal(app.reverse('booking', { id: 7 }), '/bookings/7')
  t.equal(app.reverse('probe'), '/probe/')
})

/** What `reply.reverse` gives in a route for each of the names: a URL, or the code of the error. */
function linking (...calls: [name: string | null, options?: LinkOptions][]) {
  return async (_request: unknown, reply: FastifyReply) => calls.map(([name, options]) => {
    try {
      return reply.reverse(name, null, options)
    } catch (error) {
      return (error as { code: string }).code
    }
  })
}

const MISS = noMatch.code

t.test('in a request a name is found in the version of its namespace, and within the others around it', async (t) => {
  for (const scheme of [NamespaceVersioning, [NamespaceVersioning, QueryParameterVersioning]]) {
    const app = await appWith(t, { ...byNamespace, scheme })
    const answer = linking(['list'], ['list', v2], ['bookings:list'], ['bookings:v2:list'], ['admin:users'])
    for (const team of ['bookings', 'rates']) {
      for (const version of ['v1', 'v2']) {
        within(app, [team, version], (scope) => {
          scope.get('/list', { name: 'list' }, answer)
          within(scope, ['admin'], (admin) => admin.get('/users', { name: 'users' }, answer))
        })
      }
    }
    t.same((await app.inject('/rates/v1/list')).json(), [
      '/rates/v1/list', '/rates/v2/list', '/bookings/v1/list', '/bookings/v2/list', '/rates/v1/admin/users'
    ])
    t.equal((await app.inject('/rates/v1/admin/users')).json()[0], '/rates/v1/list')
  }
})

t.test('the version goes in front before it goes inside, and no name leads into another version', async (t) => {
  const app = await appWith(t, { ...byNamespace, defaultVersion: 'v2' })
  const answer = linking(['list', v1], ['bookings:list', v1], ['v2:list', v1], ['list'])
  within(app, ['v1'], (scope) => {
    scope.get('/plain', { name: 'list' }, answer)
    within(scope, ['bookings'], (inner) => inner.get('/front', { name: 'list' }, answer))
  })
  within(app, ['bookings', 'v1'], (scope) => scope.get('/inside', { name: 'list' }, answer))
  within(app, ['v2', 'v1'], (scope) => scope.get('/twice', { name: 'list' }, answer))
  t.same((await app.inject('/bookings/v1/inside')).json(), ['/v1/plain', '/v1/bookings/front', MISS, '/v1/plain'])
  t.equal((await app.inject('/v2/v1/twice')).json()[2], MISS)
})

t.test('a version-neutral route links by name into the version that the caller gives', async (t) => {
  const app = await appWith(t, byNamespace)
  app.get('/', { name: 'list', versioning: false }, linking(['list'], ['list', v2]))
  // A context without a namespace is in that of its parent.
  within(app, ['v2'], (scope) => { scope.register(async (inner) => { inner.get('/list', { name: 'list' }, ok) }) })
  t.same((await app.inject('/')).json(), ['/', '/v2/list'])
})

t.test('a name outside of namespaces is not linked into a version that the caller gives', async (t) => {
  const app = await appWith(t, { ...byNamespace, defaultVersion: 'v2' })
  const answer = linking(['items'], ['items', v2], ['items', v3], ['health', v3], ['items', { version: null }])
  app.get('/items', { name: 'items' }, answer)
  app.get('/health', { name: 'health', versioning: false }, ok)
  within(app, ['v1'], (scope) => scope.get('/', answer))
  t.same((await app.inject('/v1')).json(), ['/items', '/items', MISS, '/health', '/items'])
})

t.test('a name of version-neutral and other routes leads to the one that fits', async (t) => {
  const app = await appWith(t, byPath)
  const answer = async (_request: unknown, reply: FastifyReply) => [
    reply.reverse('a', null, v3), reply.reverse('a', { '*': 'x' }), reply.reverse('a', { '*': 'x' }, v3)
  ]
  app.get('/:version/rooms', { name: 'a' }, answer)
  app.get('/files/*', { name: 'a', versioning: false }, answer)
  for (const url of ['/v1/rooms', '/files/x']) {
    t.same((await app.inject(url)).json(), ['/v3/rooms', '/files/x', '/files/x'])
  }
})

t.test('contexts share the names of their app, and apps do not', async (t) => {
  const root = bareApp(t)
  const scopes: FastifyInstance[] = []
  for (const name of ['a', 'b']) {
    root.register(async (scope) => {
      await scope.register(versioning)
      scope.get(`/${name}`, { name }, ok)
      scopes.push(scope)
    })
  }
  await root.ready()
  t.same([scopes[0].reverse('b'), scopes[1].reverse('a')], ['/b', '/a'])
  t.equal(scopes[0].reverse.call(root, 'b'), '/b', 'in the app above them')
})

t.test('a scheme links outside a request: in the first context of an app, and in the last app', async (t) => {
  const scheme = new NamespaceVersioning()
  const apps: FastifyInstance[] = []
  for (const path of ['/one', '/two']) {
    const app = await appWith(t, { scheme, baseUrl: 'https://example.com/api' })
    app.register(async (context) => { await context.register(versioning, { scheme, baseUrl: null }) })
    app.get(path, { name: 'list' }, ok)
    await app.ready()
    t.equal(scheme.reverse('list'), `/api${path}`)
    apps.push(app)
  }
  t.same(apps.map((app) => app.reverse('list')), ['/api/one', '/api/two'], 'and each app in itself')
  t.throws(() => new URLPathVersioning().reverse('list'), {
    ...noMatch, message: "Cannot reverse 'list' with a scheme that no app has registered."
  })
})

t.test('a name is found as soon as its route is declared, and unknown ones are not remembered', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  for (let i = 0; i < 1001; i++) t.throws(() => app.reverse(`unknown${i}`, null, v1), noMatch)
  app.get('/unknown', { name: 'unknown7' }, ok)
  t.equal(app.reverse('unknown7'), '/unknown')
})

const MISSED = / Routes declared before fastify-versioning was loaded are not seen: await its registration first\.$/

const unknown: [says: string, name: unknown, message: string | RegExp][] = [
  ['a near name', 'boking-list', "No route is named 'boking-list'. Did you mean 'booking-list'?"],
  ['the same name in a namespace', 'list', "No route is named 'list'. Did you mean 'catalogue:list'?"],
  ['no name where none is near', 'zebra', "No route is named 'zebra'."],
  ['no name for the empty one', '', "No route is named ''."],
  ['what is no name', 7, 'The name of a route must be a string, got 7.'],
  ['a near name of 60 characters', `b${'a'.repeat(59)}`, /Did you mean '/],
  ['no near name of more than 60', `b${'a'.repeat(60)}`, /^No route is named '[^']+'\.$/]
]

for (const [says, name, message] of unknown) {
  t.test(`the error about an unknown name suggests ${says}`, async (t) => {
    const app = await appOf(t, {}, [
      [[], '/bookings', 'booking-list'], [['catalogue'], '/list', 'list'],
      [[], '/a', 'a'.repeat(60)], [[], '/b', 'a'.repeat(61)]
    ])
    t.throws(() => app.reverse(name as string), { ...noMatch, message })
  })
}

t.test('the error about an unknown name mentions routes that were declared before, if there are any', async (t) => {
  for (const isMissed of [true, false]) {
    const app = bareApp(t)
    if (isMissed) app.register(versioning)
    else await app.register(versioning)
    app.get('/bookings', { name: 'booking' }, ok)
    await app.ready()
    t.throws(() => app.reverse('bookin'), { message: isMissed ? MISSED : /^(?!.*declared before)/ })
  }
})

const misfits: [name: string, params: Params, options: LinkOptions, message: string | RegExp][] = [
  [
    'booking', { pk: 7 }, {}, 'Route \'booking\' has no URL for { pk: 7 }: ' +
    '/bookings/:id/:part ("id" missing, "part" missing, "pk" unknown); /bookings/:id ("id" missing, "pk" unknown).'
  ],
  ['booking', [1, 2, 3], {}, /^Route 'booking' has no URL for \[ 1, 2, 3 \] and {}: /],
  [
    'room', { pk: 7 }, v1,
    "Route 'room' has no URL for { pk: 7, version: 'v1' }: /:version/rooms/:id (\"id\" missing, \"pk\" unknown)."
  ],
  ['room', { id: '..' }, v1, /: \/:version\/rooms\/:id \("id" cannot be '\.\.'\)\.$/],
  ['w', { '*': '../x' }, {}, "Route 'w' has no URL for { '*': '../x' }: /w/* (\"*\" cannot be '../x')."],
  ['w', { '*': 'x' }, v2, "Route 'w' has no URL that specifies the version 'v2'."],
  // The version is not at fault.
  ['pair', { a: 'a', b: 'b-c' }, v1, /: \/:version\/p\/:a-:b \("a" cannot be 'a', "b" cannot be 'b-c'\)\.$/],
  ['last', { id: '..' }, v1, /: \/l\/:id\/:version \("id" cannot be '\.\.'\)\.$/]
]

for (const scheme of [URLPathVersioning, [URLPathVersioning]]) {
  const by = Array.isArray(scheme) ? 'a list' : 'a scheme'
  for (const [name, params, options, message] of misfits) {
    t.test(`under ${by} the error of ${JSON.stringify([name, params, options])} says why`, async (t) => {
      const app = await appOf(t, { ...byPath, scheme, defaultVersion: 'v1' }, [
        [[], '/bookings/:id', 'booking'], [[], '/bookings/:id/:part', 'booking'],
        [[], '/:version/rooms/:id', 'room'], [[], '/w/*', 'w'], [[], '/:version/p/:a-:b', 'pair'],
        [[], '/l/:id/:version?', 'last']
      ])
      t.throws(() => app.reverse(name, params, options), { ...noMatch, message })
    })
  }
}

t.test('under namespaces an error shows wrong parameters with the namespace', async (t) => {
  const routes: Declared[] = [[[], '/health/:part', 'health'], [['v1'], '/r/:id', 'r']]
  const app = await appOf(t, { scheme: NamespaceVersioning }, routes)
  t.throws(() => app.reverse('health', null, v1), { message: /^Route 'health' has no URL/ })
  t.throws(() => app.reverse('r', null, v1), { message: /^Route 'v1:r' has no URL.*"id" missing/ })
})

import t from 'tap'

import versioning, {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { declare, leads, linker, noMatch } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, VersioningOptions } from '../../types/index.d.ts'
import type { Asked, Declared, Params } from './app.ts'

async function appOf (t: Test, options: VersioningOptions, routes: readonly Declared[]): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  declare(app, routes)
  await app.ready()
  return app
}

const allowedVersions = ['v1', 'v2', 'v3']
const byPath = { scheme: URLPathVersioning, allowedVersions }
const byNamespace = { scheme: NamespaceVersioning, allowedVersions }
const v1 = { version: 'v1' }
const v2 = { version: 'v2' }
const v3 = { version: 'v3' }
const MISS = noMatch

/** A name, the link or the error, and the parameters and options of the link. */
type Linked = [name: string, expected: string | object, params?: Params, options?: LinkOptions]

const tables: [says: string, options: VersioningOptions, routes: Declared[], links: Linked[]][] = [
  ['with all the namespaces around it', {}, [
    ['api', '/status', 'status'], ['api:v1', '/list', 'list'], ['', '/', { name: 'root', exposeHeadRoute: true }]
  ], [
    ['api:status', '/api/status'], ['api:v1:list', '/api/v1/list'], ['list', MISS], ['v1:list', MISS], ['root', '/'],
    ['', MISS], ['null', MISS]
  ]],
  ['by its parameters', {}, [
    ['', '/bookings', 'bookings'], ['', '/bookings/:year', 'bookings'], ['', '/bookings/:year/:month', 'bookings']
  ], [
    ['bookings', '/bookings'], ['bookings', '/bookings/2026', { year: 2026 }],
    ['bookings', '/bookings/2026/11', [2026, 11]]
  ]],
  ['with the URL registered last where several fit', {}, [
    ['', '/old/:id', 'booking'], ['', '/new/:id', 'booking'], ['', '/digits/:id(\\d+)', 'booking'],
    ['', '/rooms', 'rooms'], ['', '/rooms/', 'rooms']
  ], [['booking', '/new/x', { id: 'x' }], ['booking', '/digits/7', { id: 7 }], ['rooms', '/rooms/']]],
  ['with args in the order of the path, for what kwargs leave open', {}, [['', '/:a/:b/:c', 'abc']], [
    ['abc', '/1/2/3', [1, 3], { kwargs: { b: 2 } } as LinkOptions],
    ['abc', '/1/2/3', { b: 2 }, { args: [1, 3] } as LinkOptions]
  ]],
  ['with the option format as the parameter of that name', {}, [['', '/export.:format', 'export'], ['', '/x', 'x']], [
    ['export', '/export.json', null, { format: 'json' }], ['export', '/export.b', { format: 'a' }, { format: 'b' }],
    ['x', MISS, null, { format: 'json' }]
  ]],
  ['with args that fit any of its URLs, and leave the version out', byPath, [
    ['', '/:version/posts/:id', 'post'], ['', '/:version/posts/:slug/:language', 'post']
  ], [
    ['post', '/v1/posts/7', [7], v1], ['post', '/v1/posts/a/en', ['a', 'en'], v1],
    ['post', '/v3/posts/a/en', ['v3', 'a', 'en']], ['post', MISS, ['a', 'en', 'x'], v1]
  ]],
  // Without a version an array has all parameters: what is named leaves it too short.
  ['with args that fill the version only if all values are in the array', byPath, [
    ['', '/:version/export.:format', 'export']
  ], [
    ['export', '/v1/export.csv', ['v1', 'csv']], ['export', MISS, ['csv'], { format: 'xml' }],
    ['export', MISS, ['csv'], { kwargs: { format: 'xml' } } as LinkOptions]
  ]],
  ['with the URL that serves the version', byPath, [
    ['', '/:version/bookings', { version: 'v1', name: 'bookings' }],
    ['', '/:version/stays', { version: { from: 'v2' }, name: 'bookings' }],
    ['', '/:version/a', { version: ['v1', 'v2'], name: 'a' }], ['', '/:version/b', { version: 'v2', name: 'a' }],
    // Another route than the named one may serve the version at its URL.
    ['', '/:version/c', { version: 'v2', name: 'c' }], ['', '/:version/c', { version: 'v3' }],
    ['', '/:version/d', { version: 'v1', name: 'c' }]
  ], [
    ['bookings', '/v1/bookings', null, v1], ['bookings', '/v1/bookings', v1], ['bookings', '/v3/stays', null, v3],
    ['a', '/v2/b', null, v2], ['c', '/v3/c', null, v3]
  ]],
  ['in a version that is a namespace', { scheme: NamespaceVersioning }, [
    ['v1', '/list', 'list'], ['v2', '/list', 'list'], ['api:v1', '/deep', 'deep'], ['', '/list', 'plain']
  ], [
    ['list', '/v1/list', null, v1], ['list', '/v2/list', null, v2], ['v1:list', '/v1/list'], ['list', MISS, null, v3],
    ['v1:deep', '/api/v1/deep', null, { version: 'api' }], ['deep', '/api/v1/deep', null, { version: 'api:v1' }],
    ['deep', MISS, null, { version: 'apiv1' }], ['', MISS, null, { version: 'v1:list' }], ['plain', '/list']
  ]],
  ['in a namespace that has another in front', byNamespace, [
    ['bookings:v1', '/list', 'list'], ['bookings:v2', '/list', 'list'], ['bookings:v1:admin', '/users', 'users'],
    ['v2:v1', '/other', 'other']
  ], [
    ['bookings:list', '/bookings/v2/list', null, v2], ['bookings:v1:list', MISS, null, v2], ['bookings:list', MISS],
    ['bookings:admin:users', '/bookings/v1/admin/users', null, v1],
    // The first allowed namespace is the version: `v2:v1:other` is in v2.
    ['v2:other', MISS, null, v1], ['other', MISS, null, v1]
  ]]
]

for (const [says, options, routes, links] of tables) {
  t.test(`a name is found ${says}`, async (t) => {
    const app = await appOf(t, options, routes)
    // Twice, because what was found is remembered.
    for (const [name, expected, params, given] of [...links, ...links]) {
      const title = JSON.stringify([name, params, given])
      if (typeof expected === 'string') t.equal(app.reverse(name, params, given), expected, title)
      else t.throws(() => app.reverse(name, params, given), noMatch, title)
    }
  })
}

for (const [prefixTrailingSlash, url] of [['both', '/api'], ['slash', '/api/'], ['no-slash', '/api']] as const) {
  t.test(`the link to the root of a prefix is ${url} with prefixTrailingSlash ${prefixTrailingSlash}`, async (t) => {
    for (const exposeHeadRoute of [true, false]) {
      const app = await appOf(t, {}, [['api', '/', { name: 'root', prefixTrailingSlash, exposeHeadRoute }]])
      t.equal(app.reverse('api:root'), url)
      t.equal((await app.inject(url)).statusCode, 200)
    }
  })
}

t.test('before the app is ready a name already leads to the path that serves its version', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions })
  declare(app, [['', '/one', { name: 'a', version: 'v1' }], ['', '/two', { name: 'a', version: 'v2' }]])
  t.same([app.reverse('a', null, v1), app.reverse('a', null, v2)], ['/one?version=v1', '/two?version=v2'])
})

t.test('one name may stand for several methods of a URL, and a HEAD route may have its own', async (t) => {
  const app = await appOf(t, {}, [
    ['', '/bookings/:id', { method: ['GET', 'PUT'], name: 'booking' }],
    ['', '/bookings/:id', { method: 'DELETE', name: 'booking' }], ['', '/probe/', { method: 'HEAD', name: 'probe' }]
  ])
  t.same([app.reverse('booking', { id: 7 }), app.reverse('probe')], ['/bookings/7', '/probe/'])
})

const teams = ['bookings', 'rates'].flatMap((team) => ['v1', 'v2'].flatMap((version): Declared[] => [
  [`${team}:${version}`, '/list', 'list'], [`${team}:${version}:admin`, '/users', 'users']
]))

t.test('reverse() of NamespaceVersioning puts the version in front of the name, and looks nowhere else', async (t) => {
  const app = await appWith(t, byNamespace)
  const seen: unknown[] = []
  declare(app, teams, async (request, reply) => {
    const { versioningScheme: scheme } = request
    const links = ['list', 'bookings:list', 'v1:list'].flatMap((name) => (
      [() => scheme?.reverse(name, { request }), () => reply.reverse(name)]
    ))
    seen.push(...links.map((link) => {
      try {
        return link()
      } catch (error) {
        return (error as { code: string }).code
      }
    }))
  })
  declare(app, [['v1', '/list', 'list'], ['v1:bookings', '/front', 'front']])
  await app.inject('/bookings/v1/list')
  t.same(seen, ['/v1/list', '/v1/list', MISS.code, '/bookings/v1/list', MISS.code, '/v1/list'])
})

/** Links by name in requests: of the link, its URL, or the error, and its other arguments. */
type InRequest = [at: string, name: string, expected: string | object, options?: LinkOptions, params?: Params]

const inRequests: [says: string, options: VersioningOptions, routes: Declared[], links: InRequest[]][] = [
  ['in the version of its namespace, and within the others around it',
    { ...byNamespace, scheme: [NamespaceVersioning, QueryParameterVersioning] }, teams, [
      ['/rates/v1/list', 'list', '/rates/v1/list'],
      ['/rates/v1/list', 'list', '/rates/v2/list', v2],
      ['/rates/v1/list', 'bookings:list', '/bookings/v1/list'],
      ['/rates/v1/list', 'bookings:v2:list', '/bookings/v2/list'],
      ['/rates/v1/list', 'admin:users', '/rates/v1/admin/users'],
      ['/rates/v1/admin/users', 'list', '/rates/v1/list']
    ]],
  ['with the version in front before it goes inside, and never in another version',
    { ...byNamespace, defaultVersion: 'v2' }, [
      ['v1', '/plain', 'list'], ['v1:bookings', '/front', 'list'], ['bookings:v1', '/inside', 'list'],
      ['v2:v1', '/twice', 'list']
    ], [
      ['/bookings/v1/inside', 'list', '/v1/plain', v1],
      ['/bookings/v1/inside', 'bookings:list', '/v1/bookings/front', v1],
      ['/bookings/v1/inside', 'v2:list', MISS, v1],
      ['/bookings/v1/inside', 'list', '/v1/plain'],
      ['/v2/v1/twice', 'v2:list', MISS, v1]
    ]],
  ['in the version of the name, if the caller gives the same', { scheme: [HeaderVersioning, NamespaceVersioning] },
    [['v1', '/list', 'list'], ['v2', '/list', 'list']], [
      ['/v1/list', 'v2:list', '/v2/list', v2],
      ['/v1/list', 'list', { ...MISS, message: /^Route 'v1:list' has no URL for .*"id" unknown/ }, {}, { id: 'a' }]
    ]],
  ['from a version-neutral route into the version that the caller gives', byNamespace,
    [['', '/', { name: 'list', versioning: false }], ['v2', '/list', 'list']],
    [['/', 'list', '/'], ['/', 'list', '/v2/list', v2]]],
  ['in the default version never where the name has another version, or where a namespace refuses it',
    { ...byNamespace, defaultVersion: 'v3' },
    [['', '/items', 'items'], ['v1', '/a', 'a'], ['v2', '/a', 'a'], ['partners', '/a', 'a']], [
      ['/v1/a', 'v2:a', MISS, v3], ['/v1/a', 'partners:a', MISS, v3], ['/v1/a', 'items', '/items', v3],
      ['/v1/a', 'v2:a', '/v2/a'], ['/v1/a', 'partners:a', '/partners/a', { version: null }]
    ]],
  ['outside of namespaces, but not in a version that the caller gives', { ...byNamespace, defaultVersion: 'v2' },
    [['v1', '/'], ['', '/items', 'items'], ['', '/health', { name: 'health', versioning: false }]], [
      ['/v1', 'items', '/items'], ['/v1', 'items', '/items', v2], ['/v1', 'items', MISS, v3],
      ['/v1', 'health', '/health', v3], ['/v1', 'items', '/items', { version: null }]
    ]],
  ['among version-neutral and other routes, where it fits', byPath,
    [['', '/:version/rooms', 'a'], ['', '/files/*', { name: 'a', versioning: false }]],
    ['/v1/rooms', '/files/x'].flatMap((at): InRequest[] => [
      [at, 'a', '/v3/rooms', v3], [at, 'a', '/files/x', {}, { '*': 'x' }], [at, 'a', '/files/x', v3, { '*': 'x' }]
    ])]
]

for (const [says, options, routes, links] of inRequests) {
  t.test(`in a request a name is found ${says}`, async (t) => {
    const { app, answer, link } = await linker(t, options)
    declare(app, routes, answer)
    for (const [at, name, expected, given, params] of links) {
      const asked: Asked = [name, params, given]
      leads(t, await link(at, ...asked), expected, JSON.stringify([at, ...asked]))
    }
  })
}

t.test('contexts share the names of their app', async (t) => {
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
    apps.push(app)
    t.equal(scheme.reverse('list'), `/api${path}`)
  }
  t.same(apps.map((app) => app.reverse('list')), ['/api/one', '/api/two'], 'and each app in itself')
  t.throws(() => new URLPathVersioning().reverse('list'), noMatch)
})

t.test('a name is found as soon as its route is declared, and unknown ones are not remembered', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  for (let i = 0; i < 1001; i++) t.throws(() => app.reverse(`unknown${i}`, null, v1), noMatch)
  app.get('/unknown', { name: 'unknown7' }, ok)
  t.equal(app.reverse('unknown7'), '/unknown')
})

const MISSED = / Routes declared before fastify-versioning was loaded are not seen: await its registration first\.$/

const unknown: [name: unknown, message: string | RegExp][] = [
  ['boking-list', "No route is named 'boking-list'. Did you mean 'booking-list'?"],
  ['list', "No route is named 'list'. Did you mean 'catalogue:list'?"],
  ['zebra', "No route is named 'zebra'."],
  ['', "No route is named ''."],
  [7, 'The name of a route must be a string, got 7.'],
  // A text of more than 60 characters is not compared.
  [`b${'a'.repeat(59)}`, /Did you mean '/],
  [`b${'a'.repeat(60)}`, /^No route is named '[^']+'\.$/]
]

t.test('the error about an unknown name suggests near ones, and names in other namespaces', async (t) => {
  const app = await appOf(t, {}, [
    ['', '/bookings', 'booking-list'], ['catalogue', '/list', 'list'],
    ['', '/a', 'a'.repeat(60)], ['', '/b', 'a'.repeat(61)]
  ])
  for (const [name, message] of unknown) t.throws(() => app.reverse(name as string), { ...noMatch, message })
})

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
  ['booking', { pk: 7 }, {}, 'Route \'booking\' has no URL for { pk: 7 }: ' +
    '/bookings/:id/:part ("id" missing, "part" missing, "pk" unknown); /bookings/:id ("id" missing, "pk" unknown).'],
  ['booking', [1, 2, 3], {}, /^Route 'booking' has no URL for { id: 1, part: 2, 'args\[2\]': 3 }: /],
  ['room', { pk: 7 }, v1,
    "Route 'room' has no URL for { pk: 7, version: 'v1' }: /:version/rooms/:id (\"id\" missing, \"pk\" unknown)."],
  ['room', { id: 7 }, {}, /missing\)\. Give the option "version", or call reply\.reverse\(\) in a request\.$/],
  ['w', { '*': '../x' }, {}, "Route 'w' has no URL for { '*': '../x' }: /w/* (\"*\" cannot be '../x')."],
  ['w', { '*': 'x' }, v2, "Route 'w' cannot link to 'v2': its path has no place for a version."],
  // The version is not at fault.
  ['pair', { a: 'a', b: 'b-c' }, v1, /: \/:version\/p\/:a-:b \("a" cannot be 'a', "b" cannot be 'b-c'\)\.$/],
  ['last', { id: '..' }, v1, /: \/l\/:id\/:version \("id" cannot be '\.\.'\); /]
]

t.test('the error of parameters that do not fit says why, with the namespaces of the route', async (t) => {
  const app = await appOf(t, { ...byPath, defaultVersion: 'v1' }, [
    ['', '/bookings/:id', 'booking'], ['', '/bookings/:id/:part', 'booking'], ['', '/:version/rooms/:id', 'room'],
    ['', '/w/*', 'w'], ['', '/:version/p/:a-:b', 'pair'], ['', '/l/:id/:version?', 'last']
  ])
  for (const [name, params, options, message] of misfits) {
    t.throws(() => app.reverse(name, params, options), { ...noMatch, message })
  }
  const routes: Declared[] = [['', '/health/:part', 'health'], ['v1', '/r/:id', 'r']]
  const other = await appOf(t, { scheme: NamespaceVersioning }, routes)
  t.throws(() => other.reverse('health', null, v1), { message: /^Route 'health' cannot link to 'v1': no route there / })
  t.throws(() => other.reverse('r', null, v1), { message: /^Route 'v1:r' has no URL.*"id" missing/ })
})

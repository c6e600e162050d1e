import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, routeTypes
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { declare } from './app.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Scheme } from './app.ts'

const allowedVersions = ['v1', 'v2']

/** The app whose types are in types/named/routes.d.ts. */
async function bookingsApp (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions })
  declare(app, [
    ['', '/', 'home'], ['', '/bookings/:id', 'booking-detail'],
    ['', '/bookings/:id', { method: 'DELETE', name: 'booking-detail' }],
    ['', '/calendar/:year', 'calendar'], ['', '/calendar/:year/:month', 'calendar'], ['', '/files/*', 'file'],
    ['', '/export.:format', 'export'], ['v1', '/seats/:id', 'seat'], ['partners', '/rates', 'rates']
  ])
  app.register(async (api) => {
    await api.register(versioning, { scheme: URLPathVersioning })
    api.get('/:version/rooms/:id', { name: 'room' }, ok)
  })
  await app.ready()
  return app
}

t.test('namedRoutes lists every named route, and changes to the list do not affect it', async (t) => {
  const app = await bookingsApp(t)
  const [id, year, month] = ['id', 'year', 'month'].map((name) => ({ name, optional: false }))
  const plain = { shortName: null, namespace: '', methods: ['GET', 'HEAD'] }
  for (const route of app.namedRoutes) (route.methods as string[]).length = 0
  t.same(app.namedRoutes, [
    { ...plain, name: 'home', url: '/', parameters: [] },
    { ...plain, name: 'booking-detail', url: '/bookings/:id', methods: ['GET', 'HEAD', 'DELETE'], parameters: [id] },
    { ...plain, name: 'calendar', url: '/calendar/:year', parameters: [year] },
    { ...plain, name: 'calendar', url: '/calendar/:year/:month', parameters: [year, month] },
    { ...plain, name: 'file', url: '/files/*', parameters: [{ name: '*', optional: false }] },
    { ...plain, name: 'export', url: '/export.:format', parameters: [{ name: 'format', optional: false }] },
    { ...plain, name: 'v1:seat', shortName: 'seat', namespace: 'v1', url: '/v1/seats/:id', parameters: [id] },
    { ...plain, name: 'partners:rates', namespace: 'partners', url: '/partners/rates', parameters: [] },
    { ...plain, name: 'room', url: '/:version/rooms/:id', parameters: [{ name: 'version', optional: true }, id] }
  ])
})

t.test('parameters are optional where the path, or the scheme of the route, says so', async (t) => {
  const app = await appWith(t)
  declare(app, [
    ['', '/:lang/:page?', 'page'],
    ['', '/:v/a', { name: 'a', versioning: new URLPathVersioning({ versionParam: 'v' }) }],
    ['', '/:version/b', { name: 'b', versioning: false }], ['', '/b', { name: 'b', constraints: { host: 'a.com' } }],
    ['', '/b', 'b']
  ])
  t.same(app.namedRoutes.map(({ methods, parameters }) => [methods.join(), ...parameters.map((one) => one.optional)]), [
    ['GET,HEAD', false, true], ['GET,HEAD', true], ['GET,HEAD', false], ['GET,HEAD']
  ])
})

t.test('namedRoutes and the types have the short names of versions inside other namespaces', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
  declare(app, [['bookings:v1:admin', '/users', 'users']])
  await app.ready()
  t.match(app.namedRoutes, [{ name: 'bookings:v1:admin:users', shortName: 'bookings:admin:users' }])
  t.match(routeTypes(app), /RequestNamedRoutes \{[^}]*'bookings:admin:users': Record<string, never>/)
})

t.test('the type tests use the generated types of the routes', async (t) => {
  const file = new URL('../../types/named/routes.d.ts', import.meta.url)
  t.equal(routeTypes(await bookingsApp(t)), await readFile(file, 'utf8'))
})

const types: [says: string, options: VersioningOptions, routes: [path: string, name: string][], text: string][] = [
  ['sort names and excluded parameters, and quote what is not an identifier', {},
    [['/x/:z/:y', 'ROOM'], ['/:id', 'ROOM'], ['/y/:it\'s', 'a\'b"c\\d\n']],
    '  interface NamedRoutes {\n' +
    '    ROOM: { id: string | number, y?: never, z?: never } | ' +
    '{ z: string | number, y: string | number, id?: never }\n' +
    '    \'a\\\'b"c\\\\d\\n\': { \'it\\\'s\': string | number }\n  }\n'],
  ['have versions in release order, quoted where they are not identifiers',
    { scheme: QueryParameterVersioning, allowedVersions: ['v10', 'v2', '1.0', 'it\'s', ''] }, [['/a', 'a']],
    '  interface Versions {\n' +
    "    v10: true\n    v2: true\n    '1.0': true\n    'it\\'s': true\n    '': true\n  }\n\n" +
    '  interface NamedRoutes {\n    a: Record<string, never>\n  }\n'],
  ['have no versions if none are listed', { scheme: QueryParameterVersioning }, [], '  interface NamedRoutes {\n  }\n']
]

for (const [says, options, routes, text] of types) {
  t.test(`the types ${says}, in any order of routes`, async (t) => {
    for (const some of [routes, routes.toReversed()]) {
      const app = await appWith(t, options)
      app.get('/unnamed', ok)
      for (const [path, name] of some) app.get(path, { name }, ok)
      t.equal(routeTypes(app).replace(/^.*\n/, ''), (
        `import 'fastify-versioning'\n\ndeclare module 'fastify-versioning' {\n${text}}\n`
      ))
      if (options.allowedVersions === undefined) t.equal(routeTypes({ namedRoutes: app.namedRoutes }), routeTypes(app))
    }
  })
}

t.test('the type of a name that replies find in a version and outside has the parameters of both', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions })
  declare(app, [['', '/bookings/:slug', 'booking'], ['v1', '/b/:id', 'booking'], ['v2', '/b/:id', 'booking']])
  await app.ready()
  const text = routeTypes(app)
  t.match(text, '  interface NamedRoutes {\n    booking: { slug: string | number }\n')
  const both = '{ id: string | number, slug?: never } | { slug: string | number, id?: never }'
  t.match(text, `  interface RequestNamedRoutes {\n    booking: ${both}\n  }\n`)
})

t.test('routeTypes of an instance outside of all registrations is an error that says what it needs', async (t) => {
  t.throws(() => routeTypes(bareApp(t)), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^routeTypes\(\) needs the context in which fastify-versioning is/
  })
})

const path = URLPathVersioning
const namespace = NamespaceVersioning
const neutral = { versioning: false } as const

/** The prefix with the namespace, path and options of a route, a request to it, and its URL without a version. */
type Unversioned = [
  says: string, scheme: Scheme, context: string, path: string, options: RouteShorthandOptions,
  request: string, url: string, name?: string
]

const unversioned: Unversioned[] = [
  ['a parameter', path, '', '/:version/a/:id', { name: 'a' }, '/v1/a/7', '/a/:id', 'a'],
  ['a parameter with a pattern', path, '', '/api/:version(^v[/\\d]$)/a/:id?', {}, '/api/v1/a', '/api/a/:id?'],
  ['a parameter that is the whole path', path, '', '/:version', {}, '/v1', '/'],
  ['a parameter before a parenthesis', path, '', '/:version/a(b', {}, '/v1/a(b', '/a(b'],
  ['an optional parameter', path, '', '/list/:version?', {}, '/list', '/list'],
  ['a segment of a prefix', namespace, '/users/v1 v1', '/a', { name: 'a' }, '/users/v1/a', '/users/a', 'v1:a'],
  ['a segment of a path without a prefix', namespace, ' v1', '/api/v1/a', {}, '/api/v1/a', '/api/a'],
  ['nothing outside of namespaces', namespace, '', '/list', {}, '/list', '/list'],
  ['nothing of a prefix that is called null', namespace, '/null', '/list', {}, '/null/list', '/null/list'],
  ['a namespace of a list', [HeaderVersioning, namespace], '/v2 v2', '/list', {}, '/v2/list', '/list'],
  ['nothing of a neutral route', path, '', '/:version/health', neutral, '/v1/health', '/:version/health'],
  ['nothing of the route for every path', HeaderVersioning, '', '*', {}, '/a/b', '*']
]

for (const [says, scheme, context, path, options, request, unversionedUrl, name = null] of unversioned) {
  t.test(`the unversioned URL leaves out ${says}`, async (t) => {
    const app = await appWith(t, { allowedVersions, defaultVersion: 'v1', scheme })
    const [prefix, namespace] = context.split(' ')
    app.register(async (scope) => {
      scope.get(path, options, async ({ versionedRoute }) => versionedRoute)
    }, { prefix, ...namespace !== undefined && { namespace } })
    const expected = { name, url: prefix + path, unversionedUrl }
    // Twice, because it is remembered.
    for (let i = 0; i < 2; i++) t.same((await app.inject(request)).json(), expected)
  })
}

t.test('a request to no route, or to one declared before the plugin, has no versioned route', async (t) => {
  const app = bareApp(t)
  const tell = async ({ versionedRoute }: { versionedRoute: unknown }) => ({ versionedRoute })
  app.get('/early', tell)
  app.setNotFoundHandler(tell)
  await app.register(versioning, { scheme: URLPathVersioning })
  for (const url of ['/early', '/unknown']) t.same((await app.inject(url)).json(), { versionedRoute: null }, url)
})

t.test('a hook before the plugin knows the route that the version has chosen', async (t) => {
  const app = bareApp(t)
  const seen: unknown[] = []
  app.addHook('onRequest', async ({ versionedRoute }) => { seen.push(versionedRoute?.name) })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions })
  for (const version of allowedVersions) app.get('/a', { version, name: `a-${version}` }, ok)
  for (const version of allowedVersions) await app.inject({ url: '/a', headers: { 'api-version': version } })
  t.same(seen, ['a-v1', 'a-v2'])
})

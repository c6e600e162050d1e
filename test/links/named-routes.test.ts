import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, routeTypes
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { ok, within } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** The app whose types are in types/named/routes.d.ts. */
async function bookingsApp (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/', { name: 'home' }, ok)
  app.get('/bookings/:id', { name: 'booking-detail' }, ok)
  app.delete('/bookings/:id', { name: 'booking-detail' }, ok)
  app.get('/calendar/:year', { name: 'calendar' }, ok)
  app.get('/calendar/:year/:month', { name: 'calendar' }, ok)
  app.get('/files/*', { name: 'file' }, ok)
  app.get('/export.:format', { name: 'export' }, ok)
  within(app, ['v1'], (v1) => v1.get('/seats/:id', { name: 'seat' }, ok))
  within(app, ['partners'], (partners) => partners.get('/rates', { name: 'rates' }, ok))
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
  app.get('/:lang/:page?', { name: 'page' }, ok)
  app.get('/:v/a', { name: 'a', versioning: new URLPathVersioning({ versionParam: 'v' }) }, ok)
  app.get('/:version/b', { name: 'b', versioning: false }, ok)
  app.get('/b', { name: 'b', constraints: { host: 'example.com' } }, ok)
  app.get('/b', { name: 'b' }, ok)
  t.same(app.namedRoutes.map(({ methods, parameters }) => [methods.join(), ...parameters.map((one) => one.optional)]), [
    ['GET,HEAD', false, true], ['GET,HEAD', true], ['GET,HEAD', false], ['GET,HEAD']
  ])
})

t.test('namedRoutes and the types have the short names of versions inside other namespaces', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
  within(app, ['bookings', 'v1', 'admin'], (scope) => scope.get('/users', { name: 'users' }, ok))
  await app.ready()
  t.match(app.namedRoutes, [{ name: 'bookings:v1:admin:users', shortName: 'bookings:admin:users' }])
  t.match(routeTypes(app), /RequestNamedRoutes \{[^}]*'bookings:admin:users': Record<string, never>/)
})

t.test('the type tests use the generated types of the routes', async (t) => {
  const file = new URL('../../types/named/routes.d.ts', import.meta.url)
  t.equal(routeTypes(await bookingsApp(t)), await readFile(file, 'utf8'))
})

const types: [says: string, options: VersioningOptions, routes: [path: string, name: string][], text: string][] = [
  [
    'sort names and excluded parameters, and quote what is not an identifier', {},
    [['/x/:z/:y', 'ROOM'], ['/:id', 'ROOM'], ['/y/:it\'s', 'a\'b"c\\d\n']],
    '  interface NamedRoutes {\n' +
    '    ROOM: { id: string | number, y?: never, z?: never } | ' +
    '{ z: string | number, y: string | number, id?: never }\n' +
    '    \'a\\\'b"c\\\\d\\n\': { \'it\\\'s\': string | number }\n  }\n'
  ],
  [
    'have versions in release order, quoted where they are not identifiers',
    { scheme: QueryParameterVersioning, allowedVersions: ['v10', 'v2', '1.0', 'it\'s', ''] }, [['/a', 'a']],
    '  interface Versions {\n' +
    "    v10: true\n    v2: true\n    '1.0': true\n    'it\\'s': true\n    '': true\n  }\n\n" +
    '  interface NamedRoutes {\n    a: Record<string, never>\n  }\n'
  ],
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
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings/:slug', { name: 'booking' }, ok)
  for (const version of ['v1', 'v2']) within(app, [version], (api) => api.get('/b/:id', { name: 'booking' }, ok))
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

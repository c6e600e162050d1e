import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, routeTypes
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { Test } from 'tap'

async function handler () {
  return ''
}

/** What `routeTypes` writes around its interfaces. */
function module (interfaces: string) {
  return '// The versions and the named routes of this app, as routeTypes() of fastify-versioning writes them.\n' +
    "import 'fastify-versioning'\n\ndeclare module 'fastify-versioning' {\n" + interfaces + '}\n'
}

/** The app whose types are in types/named/routes.d.ts. */
async function bookingsApp (t: Test) {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/', { name: 'home' }, handler)
  app.get('/bookings/:id', { name: 'booking-detail' }, handler)
  app.delete('/bookings/:id', { name: 'booking-detail' }, handler)
  app.get('/calendar/:year', { name: 'calendar' }, handler)
  app.get('/calendar/:year/:month', { name: 'calendar' }, handler)
  app.get('/files/*', { name: 'file' }, handler)
  app.get('/export.:format', { name: 'export' }, handler)
  app.register(async (v1) => { v1.get('/seats/:id', { name: 'seat' }, handler) }, { prefix: '/v1', namespace: 'v1' })
  app.register(async (partners) => {
    partners.get('/rates', { name: 'rates' }, handler)
  }, { prefix: '/partners', namespace: 'partners' })
  app.register(async (api) => {
    await api.register(versioning, { scheme: URLPathVersioning })
    api.get('/:version/rooms/:id', { name: 'room' }, handler)
  })
  await app.ready()
  return app
}

t.test('namedRoutes lists every named route', async (t) => {
  const app = await bookingsApp(t)
  const id = { name: 'id', optional: false }
  const year = { name: 'year', optional: false }
  const month = { name: 'month', optional: false }
  const plain = { shortName: null, namespace: '', methods: ['GET', 'HEAD'] }
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

t.test('namedRoutes lists a method once, however many of its routes differ in constraints', async (t) => {
  const app = await appWith(t)
  app.get('/', { name: 'home' }, handler)
  app.get('/', { name: 'home', constraints: { host: 'example.com' } }, handler)
  t.same(app.namedRoutes.map(({ methods }) => methods), [['GET', 'HEAD']])
})

t.test('namedRoutes marks an optional parameter as optional', async (t) => {
  const app = await appWith(t)
  app.get('/:lang/:page?', { name: 'page' }, handler)
  t.same(app.namedRoutes[0].parameters, [{ name: 'lang', optional: false }, { name: 'page', optional: true }])
})

t.test('the scheme of a route decides which of its parameters it fills in', async (t) => {
  const app = await appWith(t)
  app.get('/:v/a', { name: 'a', versioning: new URLPathVersioning({ versionParam: 'v' }) }, handler)
  app.get('/:version/b', { name: 'b', versioning: false }, handler)
  t.same(app.namedRoutes.map(({ parameters }) => parameters[0].optional), [true, false])
})

t.test('changes to namedRoutes do not affect the registry', async (t) => {
  const app = await bookingsApp(t)
  for (const route of app.namedRoutes) (route.methods as string[]).length = 0
  t.ok(app.namedRoutes.every(({ methods }) => methods.length > 0))
})

t.test('the type tests use the generated types of the routes', async (t) => {
  const file = new URL('../../types/named/routes.d.ts', import.meta.url)
  t.equal(routeTypes(await bookingsApp(t)), await readFile(file, 'utf8'))
})

t.test('the generated types do not depend on the order of the routes', async (t) => {
  const routes: [name: string, path: string][] = [['b', '/b/:x'], ['a', '/a'], ['b', '/b/:x/:y'], ['A', '/c']]
  const texts = await Promise.all([routes, routes.toReversed()].map(async (routes) => {
    const app = await appWith(t)
    for (const [name, path] of routes) app.get(path, { name }, handler)
    return routeTypes(app)
  }))
  t.equal(texts[0], texts[1])
})

t.test('a name that needs a version is only in the types for replies', async (t) => {
  const text = routeTypes(await bookingsApp(t))
  t.match(text, /interface RequestNamedRoutes \{\n {4}seat: \{ id: string \| number \}\n {2}\}/)
  t.notMatch(text, /interface NamedRoutes \{[^}]*\bseat: /)
})

t.test('the type of a name that replies find in a version and outside has the parameters of both', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings/:slug', { name: 'booking' }, handler)
  for (const version of ['v1', 'v2']) {
    app.register(async (api) => {
      api.get('/bookings/:id', { name: 'booking' }, handler)
    }, { prefix: `/${version}`, namespace: version })
  }
  await app.ready()
  const text = routeTypes(app)
  t.match(text, '  interface NamedRoutes {\n    booking: { slug: string | number }\n')
  t.match(
    text,
    '  interface RequestNamedRoutes {\n' +
    '    booking: { id: string | number, slug?: never } | { slug: string | number, id?: never }\n  }\n'
  )
})

t.test('the types have no interface of names for replies if there are none', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning })
  app.get('/a', { name: 'a' }, handler)
  t.equal(routeTypes(app), module('  interface NamedRoutes {\n    a: Record<string, never>\n  }\n'))
})

t.test('the types do not quote names in upper case, and sort excluded parameters', async (t) => {
  const app = await appWith(t)
  app.get('/:id', { name: 'ROOM' }, handler)
  app.get('/x/:z/:y', { name: 'ROOM' }, handler)
  t.match(
    routeTypes(app),
    '    ROOM: { id: string | number, y?: never, z?: never } | { z: string | number, y: string | number, id?: never }'
  )
})

t.test('the types have the versions in release order, whichever is declared first', async (t) => {
  const allowedVersions = ['v1', 'v10', 'v2', 'beta']
  const texts = await Promise.all([allowedVersions, allowedVersions.toReversed()].map(async (versions) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions })
    for (const version of versions) app.get('/', { version }, handler)
    return routeTypes(app)
  }))
  t.match(texts[0], '  interface Versions {\n    v1: true\n    v10: true\n    v2: true\n    beta: true\n  }\n')
  t.equal(texts[0], texts[1])
})

t.test('the types quote versions that are not identifiers', async (t) => {
  const allowedVersions = ['1', '1.0', '2026-03-01', 'it\'s', '']
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions })
  app.get('/', handler)
  const lines = ["'1': true", "'1.0': true", "'2026-03-01': true", "'it\\'s': true", "'': true"]
  t.match(routeTypes(app), `interface Versions {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`)
})

t.test('the types of an app without versions, or without a list of them, have none', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/', handler)
  const { namedRoutes, versions } = app
  t.same(versions.map(({ version }) => version), [null])
  t.equal(routeTypes(app), module('  interface NamedRoutes {\n  }\n'))
  t.equal(routeTypes({ namedRoutes }), routeTypes(app))
})

t.test('the types quote names and parameters that are not identifiers', async (t) => {
  const app = await appWith(t)
  app.get('/:it\'s', { name: 'a\'b"c\\d\n' }, handler)
  t.match(routeTypes(app), '\n    \'a\\\'b"c\\\\d\\n\': { \'it\\\'s\': string | number }\n')
})

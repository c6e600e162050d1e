import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { DEPRECATED, SUNSET } from '../fixtures/lifecycle.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { AppVersion, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const settings: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions }

const noDates = { deprecated: null, sunset: null }

/** The versions and their routes, without the HEAD routes that Fastify adds: `{ v1: ['GET /a'] }`. */
function routesOf ({ versions }: FastifyInstance): Record<string, string[]> {
  return Object.fromEntries(versions.map(({ version, routes }) => [
    String(version), routes.filter(({ method }) => method !== 'HEAD').map(({ method, url }) => `${method} ${url}`)
  ]))
}

function orderOf ({ versions }: FastifyInstance): (string | null)[] {
  return versions.map(({ version }) => version)
}

t.test('app.versions lists the routes of each version with method, URL and name', async (t) => {
  const app = await appWith(t, { ...settings, lifecycle: { v1: { deprecated: DEPRECATED, sunset: SUNSET } } })
  app.get('/a/:id', { version: 'v1', name: 'a' }, ok)
  app.post('/a/:id', { version: 'v2' }, ok)
  await app.ready()
  const dates = { deprecated: new Date(DEPRECATED), sunset: new Date(SUNSET) }
  t.same(app.versions, [
    {
      version: 'v1',
      ...dates,
      preview: false,
      routes: [
        { method: 'GET', url: '/a/:id', name: 'a', ...dates }, { method: 'HEAD', url: '/a/:id', name: 'a', ...dates }
      ]
    },
    { version: 'v2', ...noDates, preview: false, routes: [{ method: 'POST', url: '/a/:id', name: null, ...noDates }] }
  ])
})

t.test('app.versions has the order of allowedVersions, whatever the order of the routes', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: ['beta', 'v10', 'v9'] })
  for (const version of ['v9', 'beta', 'v10']) app.get(`/${version}`, { version }, ok)
  app.get('/neutral', { versioning: false }, ok)
  t.same(orderOf(app), ['beta', 'v10', 'v9', null])
})

const orders: [lists: string[][], order: string[]][] = [
  [[['v1', 'v2'], ['v2', 'v3']], ['v1', 'v2', 'v3']],
  [[['v2', 'v3'], ['v1', 'v2', 'v3']], ['v1', 'v2', 'v3']],
  [[['v1', 'v3'], ['v1', 'v2', 'v3']], ['v1', 'v2', 'v3']],
  [[['v1', 'v2'], ['x', 'y']], ['v1', 'v2', 'x', 'y']],
  [[['v1', 'v2'], ['v2', 'v1']], ['v1', 'v2']]
]

for (const [lists, order] of orders) {
  t.test(`app.versions of contexts with ${lists.join(' and ')} has the order ${order}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme: null })
    for (const [i, allowedVersions] of lists.entries()) {
      app.register(async (context) => {
        await context.register(versioning, { scheme: QueryParameterVersioning, allowedVersions })
        context.get('/', ok)
      }, { prefix: `/${i}` })
    }
    await app.ready()
    t.same(orderOf(app), order)
  })
}

t.test('app.versions lists a route under the versions that it claims, an open route under the others', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', ok)
  app.get('/', { version: 'v2' }, ok)
  app.post('/', ok)
  app.get('/list', { version: ['v3', 'v1'] }, ok)
  app.get('/open', ok)
  t.same(routesOf(app), {
    v1: ['GET /', 'POST /', 'GET /list', 'GET /open'],
    v2: ['GET /', 'POST /', 'GET /open'],
    v3: ['GET /', 'POST /', 'GET /list', 'GET /open']
  })
})

t.test('app.versions lists no open route where others claim its URLs under the same constraints', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a/:id?', ok)
  app.get('/a', { version: 'v1' }, ok)
  app.get('/a/:name', { version: 'v1' }, ok)
  app.get('/b', { constraints: { host: 'a.example.com' } }, ok)
  app.get('/b', { version: 'v1', constraints: { host: 'b.example.com' } }, ok)
  t.same(routesOf(app).v1, ['GET /a', 'GET /a/:name', 'GET /b', 'GET /b'])
})

t.test('app.versions lists a route under its namespace, with NamespaceVersioning', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning, defaultVersion: 'v1' })
  for (const namespace of ['v2', 'v1', 'other']) {
    app.register(async (context) => { context.get('/a', { name: 'a' }, ok) }, { prefix: `/${namespace}`, namespace })
  }
  app.register(async (context) => {
    context.register(async (child) => { child.get('/b', ok) }, { prefix: '/v3', namespace: 'v3' })
  }, { prefix: '/outer', namespace: 'outer' })
  app.get('/default', ok)
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /default', 'GET /v1/a'], v2: ['GET /v2/a'], v3: ['GET /outer/v3/b'] })
  t.equal(app.versions[1].routes[0].name, 'a')
})

t.test('app.versions lists a route under all versions, where the version is not in its path', async (t) => {
  const app = await appWith(t, { ...settings, scheme: HeaderVersioning })
  app.get('/a', ok)
  app.register(async (context) => { context.get('/b', ok) }, { prefix: '/v1', namespace: 'v1' })
  await app.ready()
  const all = ['GET /a', 'GET /v1/b']
  t.same(routesOf(app), { v1: all, v2: all, v3: all })
})

t.test('under a list a namespace decides where it is allowed, and other routes are in all versions', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [NamespaceVersioning, HeaderVersioning] })
  app.get('/a', ok)
  for (const namespace of ['v2', 'v9']) {
    app.register(async (context) => { context.get('/a', ok) }, { prefix: `/${namespace}`, namespace })
  }
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a', 'GET /v2/a'], v3: ['GET /a'] })
})

t.test('a route of a scheme that allows only null is under null', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: [null], defaultVersion: 'v1' })
  app.get('/a', ok)
  t.same(routesOf(app), { null: ['GET /a'] })
})

/** The dates of v1, and of its GET routes, in an app of two teams that each have one, or null. */
async function datesOfTeams (t: Test, ...lifecycles: VersioningOptions['lifecycle'][]) {
  const app = await appWith(t, { ...settings, allowedVersions: ['v1'] })
  for (const [i, lifecycle] of lifecycles.entries()) {
    app.register(async (context) => {
      await context.register(versioning, { lifecycle })
      context.get(`/${i}`, { exposeHeadRoute: false }, ok)
    })
  }
  await app.ready()
  const [{ routes, ...version }] = app.versions
  const dateOf = ({ deprecated, sunset }: Pick<AppVersion, 'deprecated' | 'sunset'>) => (
    [deprecated, sunset].map((date) => date?.toISOString().slice(0, 10) ?? null)
  )
  return { version: dateOf(version), routes: routes.map(dateOf), preview: version.preview }
}

t.test('app.versions has the dates of each route, and none for a version whose routes differ', async (t) => {
  t.same(await datesOfTeams(t, { v1: { deprecated: DEPRECATED, sunset: SUNSET } }, null), {
    version: [null, null], routes: [['2026-01-01', '2026-12-31'], [null, null]], preview: false
  })
  t.same(await datesOfTeams(t, { v1: { sunset: SUNSET } }, { v1: { deprecated: DEPRECATED, sunset: SUNSET } }), {
    version: [null, '2026-12-31'], routes: [[null, '2026-12-31'], ['2026-01-01', '2026-12-31']], preview: false
  })
  const v1 = { deprecated: DEPRECATED, sunset: SUNSET }
  t.same(await datesOfTeams(t, { v1 }, { v1 }), {
    version: ['2026-01-01', '2026-12-31'], routes: Array(2).fill(['2026-01-01', '2026-12-31']), preview: false
  })
})

t.test('a version is a preview if it is one at all its routes, and a route may have its own dates', async (t) => {
  const preview = { v1: { preview: true } }
  t.equal((await datesOfTeams(t, preview, preview)).preview, true)
  t.equal((await datesOfTeams(t, preview, null)).preview, false)
  const app = await appWith(t, { ...settings, lifecycle: { v1: { deprecated: DEPRECATED, sunset: SUNSET } } })
  app.get('/own', { version: 'v1', deprecated: { sunset: SUNSET } }, ok)
  const [{ deprecated, sunset, routes }] = app.versions
  t.same([deprecated, sunset, routes[0].deprecated], [null, new Date(SUNSET), null])
})

t.test('routes are listed by the scheme of their context, or their own', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: ['v1', 'v2'] })
  app.get('/root', ok)
  app.get('/own', { versioning: new HeaderVersioning({ allowedVersions: ['v2', 'v3'] }) }, ok)
  app.register(async (context) => {
    context.get('/before', ok)
    await context.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v2'] })
    context.get('/after', ok)
  }, { prefix: '/child' })
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/off', ok)
  })
  await app.ready()
  t.same(routesOf(app), {
    v1: ['GET /root'],
    v2: ['GET /root', 'GET /own', 'GET /child/before', 'GET /child/after'],
    v3: ['GET /own'],
    null: ['GET /off']
  })
})

t.test('a scheme that lists no versions has the versions that routes claim, and null last', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/a', ok)
  app.get('/a', { version: ['v2', 'v1'] }, ok)
  app.get('/b', { version: 'v3' }, ok)
  t.same(routesOf(app), { v2: ['GET /a'], v1: ['GET /a'], v3: ['GET /b'], null: ['GET /a'] })
  t.same(orderOf(app), ['v2', 'v1', 'v3', null])
})

t.test('app.versions is computed once when the app is ready, and anew before', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', ok)
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a'], v3: ['GET /a'] })
  app.get('/b', { version: 'v2' }, ok)
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a', 'GET /b'], v3: ['GET /a'] })
  await app.ready()
  t.equal(app.versions, app.versions)
  for (const one of [app.versions, app.versions[0], app.versions[0].routes]) t.ok(Object.isFrozen(one))
})

const listing = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v0' }
const unlisted: VersioningOptions = { scheme: QueryParameterVersioning, ...listing }

t.test('a default version that is not in allowedVersions is listed last', async (t) => {
  const app = await appWith(t, { ...unlisted, lifecycle: null })
  app.get('/a', ok)
  app.get('/b', { version: { from: 'v1' } }, ok)
  app.get('/c', { versioning: false }, ok)
  await app.ready()
  t.same(app.versions.map(({ version }) => version), ['v1', 'v2', 'v0', null])
  t.same(routesOf(app), {
    v1: ['GET /a', 'GET /b'], v2: ['GET /a', 'GET /b'], v0: ['GET /a'], null: ['GET /c']
  })
})

t.test('a default version that is not in allowedVersions is not listed where no path has it', async (t) => {
  const app = await appWith(t, { ...unlisted, scheme: URLPathVersioning })
  app.get('/:version/a', { version: ['v1', 'v2'] }, ok)
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /:version/a'], v2: ['GET /:version/a'] })
})

import t from 'tap'

import versioning, { AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
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

t.test('app.versions has the order of allowedVersions, then another default version, and null last', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: ['beta', 'v10', 'v9'], defaultVersion: 'v0' })
  app.get('/neutral', { versioning: false }, ok)
  app.get('/open', ok)
  for (const version of ['v9', 'beta', 'v10']) app.get(`/${version}`, { version }, ok)
  t.same(orderOf(app), ['beta', 'v10', 'v9', 'v0', null])
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

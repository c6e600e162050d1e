import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { DEPRECATED, SUNSET } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
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
  const lifecycle = { v1: { deprecated: DEPRECATED, sunset: SUNSET, info: '/leaving' }, v2: { released: '2026-03-01' } }
  const app = await appWith(t, { ...settings, lifecycle })
  app.get('/a/:id', { version: 'v1', name: 'a' }, ok)
  app.post('/a/:id', { version: 'v2' }, ok)
  await app.ready()
  const dates = { deprecated: new Date(DEPRECATED), sunset: new Date(SUNSET) }
  t.same(app.versions, [
    {
      version: 'v1',
      released: null,
      ...dates,
      info: '/leaving',
      preview: false,
      routes: [
        { method: 'GET', url: '/a/:id', name: 'a', ...dates }, { method: 'HEAD', url: '/a/:id', name: 'a', ...dates }
      ]
    },
    {
      version: 'v2',
      released: new Date('2026-03-01'),
      ...noDates,
      info: null,
      preview: false,
      routes: [{ method: 'POST', url: '/a/:id', name: null, ...noDates }]
    }
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
  return { version: dateOf(version), routes: routes.map(dateOf), preview: version.preview, info: version.info }
}

t.test('app.versions has the dates of each route, and none for a version whose contexts differ', async (t) => {
  t.same(await datesOfTeams(t, { v1: { deprecated: DEPRECATED, sunset: SUNSET } }, null), {
    version: [null, null], routes: [['2026-01-01', '2026-12-31'], [null, null]], preview: false, info: null
  })
  t.same(await datesOfTeams(t, { v1: { sunset: SUNSET } }, { v1: { deprecated: DEPRECATED, sunset: SUNSET } }), {
    version: [null, '2026-12-31'],
    routes: [[null, '2026-12-31'], ['2026-01-01', '2026-12-31']],
    preview: false,
    info: null
  })
  const v1 = { deprecated: DEPRECATED, sunset: SUNSET }
  t.same(await datesOfTeams(t, { v1 }, { v1 }), {
    version: ['2026-01-01', '2026-12-31'],
    routes: Array(2).fill(['2026-01-01', '2026-12-31']),
    preview: false,
    info: null
  })
  const [a, b] = ['/a', '/b'].map((info) => ({ v1: { ...v1, info } }))
  t.equal((await datesOfTeams(t, a, { ...a })).info, '/a')
  t.equal((await datesOfTeams(t, a, b)).info, null)
})

t.test('a version is a preview if it is one at all its routes, and has its dates whatever a route says', async (t) => {
  const preview = { v1: { preview: true } }
  t.equal((await datesOfTeams(t, preview, preview)).preview, true)
  t.equal((await datesOfTeams(t, preview, null)).preview, false)
  const app = await appWith(t, { ...settings, lifecycle: { v1: { deprecated: DEPRECATED, sunset: SUNSET } } })
  app.get('/own', { version: 'v1', deprecated: { sunset: '2027-12-31', info: '/own' } }, ok)
  app.get('/neutral', { versioning: false, deprecated: { sunset: SUNSET } }, ok)
  const [{ deprecated, sunset, info, routes }, neutral] = app.versions
  t.same([deprecated, sunset, info], [new Date(DEPRECATED), new Date(SUNSET), null])
  t.match(routes[0], { deprecated: null, sunset: new Date('2027-12-31') })
  t.match(neutral, { version: null, sunset: null, routes: [{ sunset: new Date(SUNSET) }, {}] })
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

// Which versions a route has

type Declare = (app: FastifyInstance) => unknown

const get = (url: string, options: RouteShorthandOptions = {}): Declare => (app) => app.get(url, options, ok)
const inNamespace = (namespace: string): Declare => (app) => {
  app.register(async (inner) => { inner.get('/a', ok) }, { namespace, prefix: '/p' })
}

const two = ['v1', 'v2']
const byPath: VersioningOptions = { scheme: URLPathVersioning, allowedVersions: two }
const byNamespace: VersioningOptions = { scheme: NamespaceVersioning, allowedVersions: two }
const byHeader: VersioningOptions = { scheme: AcceptHeaderVersioning, allowedVersions: two }
const all: VersioningOptions = { ...byPath, allowedVersions: null, defaultVersion: 'v2' }
const byPathOrNamespace = { ...byPath, scheme: [NamespaceVersioning, URLPathVersioning] }
const byPathOrQuery: VersioningOptions = { ...byPath, scheme: [URLPathVersioning, QueryParameterVersioning] }
const onlyFirst = new URLPathVersioning({ allowedVersions: ['v1'] })
const onlySecond = new QueryParameterVersioning({ allowedVersions: ['v2'] })
const defaultVersion = { header: 'x-key', version: () => 'v1' }
const fewer = { ...byPath, scheme: [onlyFirst, onlySecond] }
const byNamespaceOrQuery = { ...byPath, scheme: [QueryParameterVersioning, NamespaceVersioning] }

const reaches: [says: string, options: VersioningOptions, declare: Declare, versions: (string | null)[]][] = [
  ['a neutral route', byHeader, get('/a', { versioning: false }), [null]],
  ['a route that lists one, beside a default', { ...byHeader, defaultVersion: 'v0' }, get('/a', { version: 'v2' }),
    ['v2']],
  ['an open route by a header', byHeader, get('/a'), two],
  ['an open route where null is allowed', { ...byHeader, allowedVersions: ['v1', null] }, get('/a'), ['v1', null]],
  ['an open route with a default version that is not listed', { ...byHeader, defaultVersion: 'v0' }, get('/a'),
    [...two, 'v0']],
  ['an open route where every version is allowed', { ...byHeader, allowedVersions: null }, get('/a'), [null]],
  ['a parameter of the path', byPath, get('/:version/a'), two],
  ['a parameter of the path with another name', { ...byPath, versionParam: 'v' }, get('/:v/a'), two],
  ['a parameter with a pattern', byPath, get('/:version(^v1$)/a'), two],
  ['a wildcard that is the version', { ...byPath, versionParam: '*' }, get('/a/*'), two],
  ['an optional parameter and a default version', { ...byPath, defaultVersion: 'v3' }, get('/a/:version?'),
    [...two, 'v3']],
  ['a path without the parameter where every version is allowed, and a default', all, get('/a'), ['v2']],
  ['a path without the parameter, and a default of the client', { ...byPath, defaultVersion }, get('/a'), two],
  ['a path without the parameter', byPath, get('/a'), []],
  ['a path without the parameter, and null', { ...byPath, allowedVersions: ['v1', null] }, get('/a'), [null]],
  ['a namespace', byNamespace, inNamespace('v1'), ['v1']],
  ['a namespace that is not allowed', byNamespace, inNamespace('v3'), []],
  ['a route outside of namespaces', byNamespace, get('/p/a'), [null]],
  ['a route outside of namespaces, and a default', { ...byNamespace, defaultVersion: 'v3' }, get('/p/a'), ['v3']],
  ['a path without the parameter where a query is read as well', byPathOrQuery, get('/a'), two],
  ['a route outside of namespaces, but with the parameter', byPathOrNamespace, get('/:version/a'), two],
  ['a namespace where a query is read as well', byNamespaceOrQuery, inNamespace('v2'), ['v2']],
  ['a route outside of namespaces where a query is read as well', byNamespaceOrQuery, get('/p/a'), two],
  ['a route outside of namespaces and without the parameter', byPathOrNamespace, get('/p/a'), []],
  ['a path of which the scheme allows fewer in a list', fewer, get('/:version/a'), ['v1']],
  ['a path that a claim asks more of than the scheme allows', fewer, get('/:version/a', { version: two }), ['v1']],
  ['a query of which the scheme allows fewer in a list', fewer, get('/a'), ['v2']],
  ['a query of which the scheme allows fewer, and a default', { ...fewer, defaultVersion: 'v1' }, get('/a'), two],
  ['a query of which the scheme allows fewer, and a default of a client', { ...fewer, defaultVersion }, get('/a'), two]
]

for (const [says, options, declare, versions] of reaches) {
  t.test(`${says} is listed under ${versions.map(String).join(' and ') || 'no version'}`, async (t) => {
    const app = await appWith(t, options, { exposeHeadRoutes: false })
    declare(app)
    await app.ready()
    t.same(app.versions.map(({ version }) => version), versions)
  })
}

const listed: [says: string, options: VersioningOptions, declare: Declare[], Record<string, string>][] = [
  ['the versions that no other route takes', byHeader, [
    (app) => app.route({ method: ['GET', 'POST'], url: '/a/:id', name: 'open', handler: ok }),
    get('/a/:other/', { version: 'v1', name: 'one', exposeHeadRoute: true }),
    (app) => app.head('/a/:other', { version: ['v1', 'v2'], name: 'head' }, ok)
  ], { v1: 'GET one,HEAD head,POST open', v2: 'GET open,HEAD head,POST open' }],
  ['the versions that no other route with its host takes', { ...byHeader, allowedVersions: ['v1', 'v2', 'v3'] }, [
    get('/a', { version: { from: 'v1' }, name: 'range' }),
    get('/a', { version: 'v2', name: 'list' }),
    get('/b', { constraints: { host: 'b.example' }, name: 'open' }),
    get('/b', { constraints: { host: 'a.example' }, version: 'v1', name: 'one' })
  ], { v1: 'GET one,GET open,GET range', v2: 'GET list,GET open', v3: 'GET open,GET range' }],
  ['its version and null', { ...byHeader, allowedVersions: [...two, null] }, [
    get('/a', { version: ['v1', null], name: 'one' }), get('/a', { name: 'open' })
  ], { v1: 'GET one', v2: 'GET open', null: 'GET one' }],
  ['its versions where the scheme lists none', { scheme: QueryParameterVersioning }, [
    get('/a', { name: 'open' }), get('/a', { version: ['v2', 'v1'], name: 'two' }),
    get('/b', { version: 'v3', name: 'one' })
  ], { v2: 'GET two', v1: 'GET two', v3: 'GET one', null: 'GET open' }]
]

for (const [says, options, declare, served] of listed) {
  t.test(`app.versions lists each route under ${says}`, async (t) => {
    const app = await appWith(t, options, { exposeHeadRoutes: false, routerOptions: { ignoreTrailingSlash: true } })
    for (const one of declare) one(app)
    await app.ready()
    t.same(app.versions.map(({ version, routes }) => (
      [String(version), routes.map(({ method, name }) => `${method} ${name}`).sort().join()]
    )), Object.entries(served))
  })
}

import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { DEPRECATED, SUNSET } from '../fixtures/lifecycle.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { AppVersion, RawRequest, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const settings: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions }

const noDates = { deprecated: null, sunset: null }

async function ok () {
  return 'ok'
}

/** The versions and their routes, without the HEAD routes that Fastify adds: `{ v1: ['GET /a'] }`. */
function routesOf ({ versions }: FastifyInstance): Record<string, string[]> {
  return Object.fromEntries(versions.map(({ version, routes }) => [
    String(version), routes.filter(({ method }) => method !== 'HEAD').map(({ method, url }) => `${method} ${url}`)
  ]))
}

function orderOf ({ versions }: FastifyInstance): (string | null)[] {
  return versions.map(({ version }) => version)
}

t.test('app.versions is empty in an app without routes', async (t) => {
  const app = await appWith(t, settings)
  t.same(app.versions, [])
  await app.ready()
  t.same(app.versions, [])
})

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

t.test('app.versions has the dates of the option lifecycle', async (t) => {
  const lifecycle = { v1: { sunset: SUNSET }, v2: { deprecated: DEPRECATED } }
  const app = await appWith(t, { ...settings, lifecycle })
  app.get('/', ok)
  t.same(app.versions.map(({ version, deprecated, sunset }) => [version, deprecated, sunset]), [
    ['v1', null, new Date(SUNSET)],
    ['v2', new Date(DEPRECATED), null],
    ['v3', null, null]
  ])
})

t.test('app.versions has the dates of the versions of a context, but not the end of a single route', async (t) => {
  const app = await appWith(t, settings)
  app.get('/own', { version: 'v2', deprecated: { deprecated: DEPRECATED } }, ok)
  app.register(async (context) => {
    await context.register(versioning, { lifecycle: { v1: { deprecated: DEPRECATED } } })
    context.get('/context', { version: 'v1' }, ok)
  })
  await app.ready()
  t.same(app.versions.map(({ version, deprecated }) => [version, deprecated]), [
    ['v1', new Date(DEPRECATED)], ['v2', null]
  ])
})

t.test('app.versions has the order of allowedVersions, whatever the order of the routes', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: ['beta', 'v10', 'v9'] })
  for (const version of ['v9', 'beta', 'v10']) app.get(`/${version}`, { version }, ok)
  app.get('/neutral', { versioning: false }, ok)
  t.same(orderOf(app), ['beta', 'v10', 'v9', null])
})

t.test('app.versions leaves out a version without routes', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', { version: ['v3', 'v1'] }, ok)
  t.same(orderOf(app), ['v1', 'v3'])
})

interface Order { lists: string[][], order: string[] }

const orders: Order[] = [
  { lists: [['v1', 'v2'], ['v2', 'v3']], order: ['v1', 'v2', 'v3'] },
  { lists: [['v2', 'v3'], ['v1', 'v2', 'v3']], order: ['v1', 'v2', 'v3'] },
  { lists: [['v1', 'v3'], ['v1', 'v2', 'v3']], order: ['v1', 'v2', 'v3'] },
  { lists: [['v1', 'v2'], ['x', 'y']], order: ['v1', 'v2', 'x', 'y'] },
  { lists: [['v1', 'v2'], ['v2', 'v1']], order: ['v1', 'v2'] }
]

for (const { lists, order } of orders) {
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

t.test('an open route stands aside only under the method that a version claims', async (t) => {
  const app = await appWith(t, settings)
  app.route({ method: ['GET', 'PUT'], url: '/', handler: ok })
  app.put('/', { version: 'v1' }, ok)
  t.same(routesOf(app).v1, ['GET /', 'PUT /'])
  t.same(routesOf(app).v2, ['GET /', 'PUT /'])
  t.equal(app.versions[0].routes.filter(({ method }) => method === 'PUT').length, 1)
})

t.test('an open route stands aside where the parameters of the URL have other names', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a/:id', ok)
  app.get('/a/:name', { version: 'v1' }, ok)
  t.same(routesOf(app), { v1: ['GET /a/:name'], v2: ['GET /a/:id'], v3: ['GET /a/:id'] })
})

t.test('open routes with two URLs next to claimed ones leave the version to them', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a/:id?', ok)
  app.get('/a', { version: 'v1' }, ok)
  app.get('/a/:name', { version: 'v1' }, ok)
  t.same(routesOf(app).v1, ['GET /a', 'GET /a/:name'])
})

t.test('open routes with other constraints do not stand aside', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', { constraints: { host: 'a.example.com' } }, ok)
  app.get('/', { version: 'v1' }, ok)
  app.get('/', { version: 'v1', constraints: { host: 'b.example.com' } }, ok)
  t.same(routesOf(app).v1, ['GET /', 'GET /', 'GET /'])
})

t.test('app.versions lists a range under the versions that no other route has priority for', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: { from: 'v2' }, name: 'from' }, ok)
  app.get('/b', { version: { to: 'v2' }, name: 'to' }, ok)
  app.get('/c', { version: { from: 'v1' }, name: 'all' }, ok)
  app.get('/c', { version: { from: 'v2' }, name: 'later' }, ok)
  app.get('/c', { version: 'v3', name: 'listed' }, ok)
  const names = app.versions.map(({ version, routes }) => [
    version, routes.filter(({ method }) => method === 'GET').map(({ name }) => name).join(' ')
  ])
  t.same(names, [['v1', 'to all'], ['v2', 'from to later'], ['v3', 'from listed']])
})

t.test('app.versions has the versions of the routes of a context', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (context) => {
    context.get('/a', ok)
    context.get('/b', { version: 'v1' }, ok)
  }, { version: { from: 'v2' } })
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /b'], v2: ['GET /a'], v3: ['GET /a'] })
})

t.test('each request is answered by a route that app.versions lists under its version', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: { to: 'v2' } }, ok)
  app.get('/a', { version: 'v2' }, ok)
  app.get('/b', ok)
  app.get('/c', { version: 'v3' }, ok)
  await app.ready()
  for (const { version, routes } of app.versions) {
    for (const url of ['/a', '/b', '/c']) {
      const { statusCode } = await app.inject(`${url}?version=${version}`)
      t.equal(statusCode === 200, routes.some((route) => route.url === url), `${version} ${url}`)
    }
  }
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

t.test('app.versions lists a route without a namespace under null, without a default version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  app.get('/', ok)
  app.register(async (context) => { context.get('/a', ok) }, { prefix: '/v1', namespace: 'v1' })
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /v1/a'], null: ['GET /'] })
})

t.test('under NamespaceVersioning every namespace may be a version', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  app.register(async (context) => { context.get('/a', ok) }, { prefix: '/x', namespace: 'x' })
  await app.ready()
  t.same(routesOf(app), { x: ['GET /x/a'] })
})

const paths: [url: string, versions: string[]][] = [
  ['/:version/a', ['v1', 'v2', 'v3']],
  ['/:version(^v[12]$)/a', ['v1', 'v2', 'v3']],
  ['/api/:version/a', ['v1', 'v2', 'v3']],
  ['/a/:id-:version', ['v1', 'v2', 'v3']],
  ['/a', ['v2']],
  ['/:other/a', ['v2']],
  ['/a/:version?', ['v1', 'v2', 'v3']]
]

for (const [url, versions] of paths) {
  t.test(`app.versions lists ${url} under ${versions}, with URLPathVersioning`, async (t) => {
    const app = await appWith(t, { ...settings, scheme: URLPathVersioning, defaultVersion: 'v2' })
    app.get(url, ok)
    await app.ready()
    t.same(routesOf(app), Object.fromEntries(versions.map((version) => [version, [`GET ${url}`]])))
  })
}

t.test('under URLPathVersioning the parameter may have another name', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning, versionParam: 'v', defaultVersion: null })
  app.get('/:v/a', ok)
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /:v/a'], v2: ['GET /:v/a'], v3: ['GET /:v/a'] })
})

t.test('app.versions lists a route that refuses every request under no version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning })
  app.get('/a', ok)
  await app.ready()
  t.same(app.versions, [])
})

t.test('where the default version may be null, a path without a version is under null', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning, allowedVersions: [null, 'v1'] })
  app.get('/a', ok)
  app.get('/:version/a', ok)
  app.get('/b/:version?', ok)
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /:version/a', 'GET /b/:version?'], null: ['GET /a', 'GET /b/:version?'] })
})

for (const scheme of [
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning
]) {
  t.test(`app.versions lists a route under all versions, with ${scheme.name}`, async (t) => {
    const app = await appWith(t, { ...settings, scheme })
    app.get('/a', ok)
    app.register(async (context) => { context.get('/b', ok) }, { prefix: '/v1', namespace: 'v1' })
    await app.ready()
    const all = ['GET /a', 'GET /v1/b']
    t.same(routesOf(app), { v1: all, v2: all, v3: all })
  })
}

t.test('app.versions lists a route under all versions, with a scheme of three lines', async (t) => {
  class Plain extends BaseVersioning {
    override readVersion ({ headers }: RawRequest) {
      return headers['x-version']?.toString()
    }
  }
  const app = await appWith(t, { ...settings, scheme: Plain })
  app.get('/a', { version: 'v2' }, ok)
  app.get('/a', ok)
  t.same(orderOf(app), ['v1', 'v2', 'v3'])
})

t.test('under a list a version in the path or namespace decides, and other routes are in all versions', async (t) => {
  const scheme = [URLPathVersioning, NamespaceVersioning, HeaderVersioning]
  const app = await appWith(t, { ...settings, scheme })
  app.get('/a', ok)
  app.get('/:version(^v1$)/a', ok)
  app.get('/b/:version?', ok)
  app.register(async (context) => { context.get('/a', ok) }, { prefix: '/v2', namespace: 'v2' })
  app.register(async (context) => { context.get('/a', ok) }, { prefix: '/v9', namespace: 'v9' })
  await app.ready()
  t.same(routesOf(app), {
    v1: ['GET /a', 'GET /:version(^v1$)/a', 'GET /b/:version?'],
    v2: ['GET /a', 'GET /:version(^v1$)/a', 'GET /b/:version?', 'GET /v2/a'],
    v3: ['GET /a', 'GET /:version(^v1$)/a', 'GET /b/:version?']
  })
})

t.test('under a list of path and namespace a route without a version is in the default version', async (t) => {
  const app = await appWith(t, {
    ...settings, scheme: [URLPathVersioning, NamespaceVersioning], defaultVersion: 'v3'
  })
  app.get('/a', ok)
  await app.ready()
  t.same(routesOf(app), { v3: ['GET /a'] })
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

t.test('a version is a preview if it is a preview at all its routes', async (t) => {
  const preview = { v1: { preview: true } }
  t.equal((await datesOfTeams(t, preview, preview)).preview, true)
  t.equal((await datesOfTeams(t, preview, null)).preview, false)
})

t.test('a version has no date where a route has its own', async (t) => {
  const app = await appWith(t, { ...settings, lifecycle: { v1: { deprecated: DEPRECATED, sunset: SUNSET } } })
  app.get('/a', { version: 'v1' }, ok)
  app.get('/own', { version: 'v1', deprecated: { sunset: SUNSET } }, ok)
  const [{ deprecated, sunset, routes }] = app.versions
  t.same([deprecated, sunset], [null, new Date(SUNSET)])
  t.same(routes.filter(({ method }) => method === 'GET').map((route) => [route.url, route.deprecated, route.sunset]), [
    ['/a', new Date(DEPRECATED), new Date(SUNSET)], ['/own', null, new Date(SUNSET)]
  ])
})

t.test('under a list versions choose as under one scheme', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/a', { version: 'v1' }, ok)
  app.get('/a', ok)
  t.same(app.versions.map(({ version, routes }) => [version, routes.length]), [['v1', 2], ['v2', 2], ['v3', 2]])
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

t.test('a child context has the versions of the app', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', ok)
  let child: FastifyInstance | undefined
  app.register(async (context) => { child = context })
  await app.ready()
  t.same(child?.versions, app.versions)
})

t.test('version-neutral routes are under null, which comes last', async (t) => {
  const app = await appWith(t, settings)
  app.get('/neutral', { versioning: false, name: 'neutral' }, ok)
  app.get('/', ok)
  t.same(orderOf(app), ['v1', 'v2', 'v3', null])
  t.same(app.versions.at(-1), {
    version: null,
    ...noDates,
    preview: false,
    routes: ['GET', 'HEAD'].map((method) => ({ method, url: '/neutral', name: 'neutral', ...noDates }))
  })
})

for (const scheme of [URLPathVersioning, QueryParameterVersioning, AcceptHeaderVersioning]) {
  for (const allowedVersions of [null, [], [null]]) {
    t.test(`under ${scheme.name} that allows ${JSON.stringify(allowedVersions)} a route is under null`, async (t) => {
      const app = await appWith(t, { scheme, allowedVersions, defaultVersion: 'v1' })
      app.get('/:version/a', ok)
      await app.ready()
      t.same(routesOf(app), { null: ['GET /:version/a'] })
    })
  }
}

t.test('a scheme that lists no versions has the versions that routes claim, and null last', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/a', ok)
  app.get('/a', { version: ['v2', 'v1'] }, ok)
  app.get('/b', { version: 'v3' }, ok)
  t.same(routesOf(app), { v2: ['GET /a'], v1: ['GET /a'], v3: ['GET /b'], null: ['GET /a'] })
  t.same(orderOf(app), ['v2', 'v1', 'v3', null])
})

t.test('HEAD routes are listed once, with their method', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: 'v1' }, ok)
  app.get('/a', { version: 'v1' }, ok)
  app.get('/b', { version: 'v1', exposeHeadRoute: false }, ok)
  await app.ready()
  t.same(app.versions[0].routes.map(({ method, url }) => `${method} ${url}`), ['HEAD /a', 'GET /a', 'GET /b'])
})

t.test('a HEAD route that Fastify adds next to explicit ones is not listed', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: 'v1', name: 'first' }, ok)
  app.head('/a', { version: 'v2', name: 'second' }, ok)
  app.get('/a', { version: ['v1', 'v2'], name: 'get' }, ok)
  await app.ready()
  t.same(app.versions.map(({ routes }) => routes.map(({ method, name }) => `${method} ${name}`)), [
    ['HEAD first', 'GET get'], ['HEAD second', 'GET get']
  ])
})

t.test('app.versions lists a route of several methods under each', async (t) => {
  const app = await appWith(t, settings)
  app.route({ method: ['PUT', 'PATCH'], url: '/', name: 'a', version: 'v1', handler: ok })
  t.same(app.versions, [{
    version: 'v1',
    ...noDates,
    preview: false,
    routes: ['PUT', 'PATCH'].map((method) => ({ method, url: '/', name: 'a', ...noDates }))
  }])
})

t.test('app.versions has URLs with the prefixes of their contexts', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (context) => { context.get('/', { version: 'v1' }, ok) }, { prefix: '/a' })
  await app.ready()
  t.same(routesOf(app), { v1: ['GET /a'] })
})

t.test('app.versions lists the routes declared so far before the app is ready', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', ok)
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a'], v3: ['GET /a'] })
  app.get('/a', { version: 'v1' }, ok)
  app.register(async (context) => { context.get('/b', { version: 'v3' }, ok) })
  const before = routesOf(app)
  t.same(before, { v1: ['GET /a'], v2: ['GET /a'], v3: ['GET /a'] })
  t.equal(app.versions[0].routes.filter(({ method }) => method === 'GET').length, 1)
  await app.ready()
  t.same(routesOf(app), { ...before, v3: ['GET /a', 'GET /b'] })
})

t.test('an open route is under null as well where requests may specify no version', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: [null, 'v1', 'v2'] })
  app.get('/a', { version: 'v1', exposeHeadRoute: false }, async () => '')
  app.get('/a', { exposeHeadRoute: false }, async () => '')
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a'], null: ['GET /a'] })
})

t.test('app.versions is computed once when the app is ready, and anew before', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', ok)
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a'], v3: ['GET /a'] })
  app.get('/b', { version: 'v2' }, ok)
  t.same(routesOf(app), { v1: ['GET /a'], v2: ['GET /a', 'GET /b'], v3: ['GET /a'] })
  await app.ready()
  t.equal(app.versions, app.versions)
})

t.test('app.versions of a child context has the versions of the whole app', async (t) => {
  const app = await appWith(t, settings)
  const children: FastifyInstance[] = []
  app.register(async (context) => {
    children.push(context)
    context.get('/child', { version: 'v1' }, ok)
  })
  app.get('/a', { version: 'v2' }, ok)
  await app.ready()
  t.equal(children[0].versions, app.versions)
  t.same(routesOf(app), { v1: ['GET /child'], v2: ['GET /a'] })
})

t.test('app.versions is frozen', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', ok)
  await app.ready()
  const [{ routes }] = app.versions
  for (const one of [app.versions, ...app.versions, routes, ...routes]) t.ok(Object.isFrozen(one))
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

import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { RouteShorthandOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2']

type Row = [
  says: string, scheme: VersioningOptions['scheme'], context: { prefix?: string, namespace?: string },
  path: string, route: RouteShorthandOptions, request: string, name: string | null, url: string, unversionedUrl: string
]

const rows: Row[] = [
  [
    'a parameter of the path', URLPathVersioning, {}, '/:version/bookings/:id', { name: 'booking' },
    '/v1/bookings/7', 'booking', '/:version/bookings/:id', '/bookings/:id'
  ],
  [
    'a parameter with a pattern', URLPathVersioning, {}, '/api/:version(^v[/\\d]$)/bookings/:id?', {},
    '/api/v1/bookings', null, '/api/:version(^v[/\\d]$)/bookings/:id?', '/api/bookings/:id?'
  ],
  ['a parameter that is the whole path', URLPathVersioning, {}, '/:version', {}, '/v1', null, '/:version', '/'],
  ['an optional parameter', URLPathVersioning, {}, '/list/:version?', {}, '/list', null, '/list/:version?', '/list'],
  [
    'a segment of the prefix of a namespace', NamespaceVersioning, { prefix: '/users/v1', namespace: 'v1' }, '/list',
    { name: 'list' }, '/users/v1/list', 'v1:list', '/users/v1/list', '/users/list'
  ],
  [
    'nothing in another prefix', NamespaceVersioning, { prefix: '/old', namespace: 'v1' }, '/list', {},
    '/old/list', null, '/old/list', '/old/list'
  ],
  ['nothing outside of namespaces', NamespaceVersioning, {}, '/list', {}, '/list', null, '/list', '/list'],
  [
    'a namespace of a list', [HeaderVersioning, NamespaceVersioning], { prefix: '/v2', namespace: 'v2' }, '/list', {},
    '/v2/list', null, '/v2/list', '/list'
  ],
  [
    'nothing of a neutral route', URLPathVersioning, {}, '/:version/health', { versioning: false },
    '/v1/health', null, '/:version/health', '/:version/health'
  ],
  ['nothing of the route for every path', HeaderVersioning, {}, '*', {}, '/a/b', null, '*', '*']
]

for (const [says, scheme, context, path, route, request, name, url, unversionedUrl] of rows) {
  t.test(`the unversioned URL leaves out ${says}`, async (t) => {
    const app = await appWith(t, { allowedVersions, defaultVersion: 'v1', scheme })
    app.register(async (scope) => { scope.get(path, route, async ({ versionedRoute }) => versionedRoute) }, context)
    for (const { body } of [await app.inject(request), await app.inject(request)]) {
      t.same(JSON.parse(body), { name, url, unversionedUrl })
    }
  })
}

t.test('a hook before the plugin recognizes a route in each of its versions', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async ({ versionedRoute }, reply) => {
    if (versionedRoute?.unversionedUrl !== '/open') return reply.code(401).send()
  })
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions })
  app.get('/:version/open', async () => 'open')
  app.get('/:version/closed', async () => 'closed')
  for (const version of allowedVersions) {
    t.equal((await app.inject(`/${version}/open`)).statusCode, 200)
    t.equal((await app.inject(`/${version}/closed`)).statusCode, 401)
  }
})

t.test('a request to no route, or to one declared before the plugin, has no versioned route', async (t) => {
  const app = bareApp(t)
  const tell = async ({ versionedRoute }: { versionedRoute: unknown }) => ({ versionedRoute })
  app.get('/early', tell)
  app.setNotFoundHandler(tell)
  await app.register(versioning, { scheme: URLPathVersioning })
  for (const url of ['/early', '/unknown']) t.same((await app.inject(url)).json(), { versionedRoute: null }, url)
})

t.test('versionedRoute is the route that the version has chosen', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
  for (const version of allowedVersions) {
    app.get('/a', { version, name: `a-${version}` }, async ({ versionedRoute }) => versionedRoute?.name)
  }
  for (const version of allowedVersions) {
    t.equal((await app.inject({ url: '/a', headers: { 'api-version': version } })).body, `a-${version}`)
  }
})

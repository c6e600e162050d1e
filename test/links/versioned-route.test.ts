import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2']

interface Case {
  says: string
  options: VersioningOptions
  url: string
  prefix?: string
  namespace?: string
  route?: RouteShorthandOptions
  ask: string
  expected: { name: string | null, url: string, unversionedUrl: string }
}

const cases: Case[] = [
  {
    says: 'a parameter of the path',
    options: { scheme: URLPathVersioning },
    url: '/:version/bookings/:id',
    route: { name: 'booking' },
    ask: '/v1/bookings/7',
    expected: { name: 'booking', url: '/:version/bookings/:id', unversionedUrl: '/bookings/:id' }
  },
  {
    says: 'a parameter with a pattern, and an optional parameter',
    options: { scheme: URLPathVersioning },
    url: '/api/:version(^v[/\\d]$)/bookings/:id?',
    ask: '/api/v1/bookings',
    expected: {
      name: null, url: '/api/:version(^v[/\\d]$)/bookings/:id?', unversionedUrl: '/api/bookings/:id?'
    }
  },
  {
    says: 'a parameter that is the whole path',
    options: { scheme: URLPathVersioning },
    url: '/:version',
    ask: '/v1',
    expected: { name: null, url: '/:version', unversionedUrl: '/' }
  },
  {
    says: 'an optional parameter at the end',
    options: { scheme: URLPathVersioning },
    url: '/list/:version?',
    ask: '/list',
    expected: { name: null, url: '/list/:version?', unversionedUrl: '/list' }
  },
  {
    says: 'a segment of the prefix of a namespace',
    options: { scheme: NamespaceVersioning },
    prefix: '/users/v1',
    namespace: 'v1',
    url: '/list',
    route: { name: 'list' },
    ask: '/users/v1/list',
    expected: { name: 'v1:list', url: '/users/v1/list', unversionedUrl: '/users/list' }
  },
  {
    says: 'nothing in the prefix of a namespace',
    options: { scheme: NamespaceVersioning },
    prefix: '/old',
    namespace: 'v1',
    url: '/list',
    ask: '/old/list',
    expected: { name: null, url: '/old/list', unversionedUrl: '/old/list' }
  },
  {
    says: 'nothing outside of namespaces',
    options: { scheme: NamespaceVersioning },
    url: '/list',
    ask: '/list',
    expected: { name: null, url: '/list', unversionedUrl: '/list' }
  },
  {
    says: 'a namespace of a list',
    options: { scheme: [HeaderVersioning, NamespaceVersioning] },
    prefix: '/v2',
    namespace: 'v2',
    url: '/list',
    ask: '/v2/list',
    expected: { name: null, url: '/v2/list', unversionedUrl: '/list' }
  },
  {
    says: 'nothing of a neutral route',
    options: { scheme: URLPathVersioning },
    url: '/:version/health',
    route: { versioning: false },
    ask: '/v1/health',
    expected: { name: null, url: '/:version/health', unversionedUrl: '/:version/health' }
  }
]

for (const { says, options, url, prefix = '', namespace, route = {}, ask, expected } of cases) {
  t.test(`the unversioned URL leaves out ${says}`, async (t) => {
    const app = await appWith(t, { allowedVersions, defaultVersion: 'v1', ...options })
    app.register(async (context) => {
      context.get(url, route, async ({ versionedRoute }) => versionedRoute)
    }, { prefix, ...namespace !== undefined && { namespace } })
    t.same((await app.inject(ask)).json(), expected)
    t.same((await app.inject(ask)).json(), expected, 'again')
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

t.test('versionedRoute has the version that chose each route of a URL', async (t) => {
  const app: FastifyInstance = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
  for (const version of allowedVersions) {
    app.get('/a', { version, name: `a-${version}` }, async ({ versionedRoute }) => versionedRoute?.name)
  }
  for (const version of allowedVersions) {
    t.equal((await app.inject({ url: '/a', headers: { 'api-version': version } })).body, `a-${version}`)
  }
})

t.test('the route for every path has no segment', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning })
  app.get('*', async (request) => request.versionedRoute)
  t.same((await app.inject('/a/b')).json(), { name: null, url: '*', unversionedUrl: '*' })
})

import t from 'tap'

import { HeaderVersioning, HostNameVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, FastifyServerOptions, InjectOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const ok = async () => 'ok'
const toNext = (url: string) => [
  `successor-version ${url.replace('{}', 'v2')}`, `latest-version ${url.replace('{}', 'v3')}`
]

interface Row {
  by: string
  options?: VersioningOptions
  server?: FastifyServerOptions
  declare: (app: FastifyInstance) => void
  /** In this order, with the links of the responses. */
  requests: [InjectOptions | string, string[]][]
}

class Renaming extends URLPathVersioning {
  #links = 0

  override linkVersion () { return ++this.#links % 2 === 0 ? 'v3' : 'v2' }
}

const rows: Row[] = [
  {
    by: 'parameters of each request',
    declare: (app) => app.get('/:version/rooms/:id', ok),
    requests: [
      ['/v1/rooms/7', toNext('/{}/rooms/7')],
      ['/v1/rooms/8?page=2', toNext('/{}/rooms/8')],
      ['/v1/rooms/%C3%BC%3F', toNext('/{}/rooms/%C3%BC%3F')],
      ['/v2/rooms/7', []]
    ]
  },
  {
    by: 'several parameters, also in one segment',
    declare: (app) => app.get('/:team/:version/:from-:to/*', ok),
    requests: [
      ['/a/v1/b-c/d/e', toNext('/a/{}/b-c/d/e')],
      ['/f/v1/g-h/', toNext('/f/{}/g-h/')]
    ]
  },
  {
    by: 'none for a parameter that does not fit, and links for the next request',
    declare: (app) => app.get('/:version/rooms/:id', ok),
    requests: [
      ['/v1/rooms/a%2F..%2Fb', []],
      ['/v1/rooms/7', toNext('/{}/rooms/7')],
      ['/v1/rooms/%2e%2e%2f', []],
      ['/v1/rooms/__proto__', toNext('/{}/rooms/__proto__')]
    ]
  },
  {
    by: 'a version that the path of one of them does not take',
    declare: (app) => app.get('/:version(^v[13]$)/rooms', ok),
    requests: [
      ['/v1/rooms', ['successor-version /v3/rooms', 'latest-version /v3/rooms']],
      ['/v1/rooms', ['successor-version /v3/rooms', 'latest-version /v3/rooms']]
    ]
  },
  {
    by: 'HEAD and GET',
    declare: (app) => {
      app.get('/:version/rooms/:id', ok)
      app.route({ method: ['GET', 'PUT'], url: '/:version/seats/:id', handler: ok })
    },
    requests: [
      ['/v1/rooms/7', toNext('/{}/rooms/7')],
      [{ method: 'HEAD', url: '/v1/rooms/8' }, toNext('/{}/rooms/8')],
      ['/v1/seats/7', toNext('/{}/seats/7')],
      [{ method: 'PUT', url: '/v1/seats/8' }, toNext('/{}/seats/8')]
    ]
  },
  {
    by: 'counterparts in other namespaces, by their methods',
    options: { scheme: NamespaceVersioning },
    declare: (app) => {
      for (const namespace of allowedVersions) {
        app.register(async (scope) => {
          scope.route({ method: ['GET', 'PUT'], url: '/rooms/:id', handler: ok })
          if (namespace === 'v1') scope.route({ method: ['GET', 'PUT'], url: '/seats/:id', handler: ok })
          if (namespace === 'v2') scope.put('/seats/:id', ok)
          if (namespace === 'v3') scope.get('/seats/:id', ok)
        }, { prefix: `/${namespace}`, namespace })
      }
    },
    requests: [
      ['/v1/rooms/7', toNext('/{}/rooms/7')],
      [{ method: 'PUT', url: '/v1/rooms/8' }, toNext('/{}/rooms/8')],
      ['/v1/seats/7', ['successor-version /v3/seats/7', 'latest-version /v3/seats/7']],
      [{ method: 'PUT', url: '/v1/seats/7' }, ['successor-version /v2/seats/7', 'latest-version /v2/seats/7']],
      ['/v1/seats/8', ['successor-version /v3/seats/8', 'latest-version /v3/seats/8']]
    ]
  },
  {
    by: 'namespaces that only some versions have',
    options: { scheme: NamespaceVersioning, defaultVersion: 'v2' },
    declare: (app) => {
      app.register(async (scope) => scope.get('/rooms/:id', ok), { prefix: '/v1', namespace: 'v1' })
      app.register(async (scope) => scope.get('/rooms/:id', ok), { prefix: '/v3', namespace: 'v3' })
      app.get('/rooms/:id', ok)
    },
    requests: [
      ['/v1/rooms/7', ['successor-version /rooms/7', 'latest-version /v3/rooms/7']],
      ['/v1/rooms/8', ['successor-version /rooms/8', 'latest-version /v3/rooms/8']]
    ]
  },
  {
    by: 'the path of baseUrl',
    options: { baseUrl: 'https://example.com/api' },
    declare: (app) => app.get('/:version/rooms/:id', ok),
    requests: [['/v1/rooms/7', toNext('/api/{}/rooms/7')], ['/v1/rooms/8', toNext('/api/{}/rooms/8')]]
  },
  {
    by: 'the prefix of each request',
    server: { trustProxy: true },
    declare: (app) => app.get('/:version/rooms/:id', ok),
    requests: [
      [{ url: '/v1/rooms/7', headers: { 'x-forwarded-prefix': '/a' } }, toNext('/a/{}/rooms/7')],
      [{ url: '/v1/rooms/7', headers: { 'x-forwarded-prefix': '/b' } }, toNext('/b/{}/rooms/7')],
      [{ url: '/v1/rooms/7', headers: { 'x-forwarded-prefix': '//evil.example' } }, toNext('/{}/rooms/7')],
      ['/v1/rooms/7', toNext('/{}/rooms/7')]
    ]
  },
  {
    by: 'hosts with the version of the link',
    options: { scheme: HostNameVersioning },
    declare: (app) => app.get('/rooms/:id', ok),
    requests: [
      [{ url: '/rooms/7', headers: { host: 'v1.example.com' } }, toNext('http://{}.example.com/rooms/7')],
      [{ url: '/rooms/7', headers: { host: 'v1.example.org' } }, toNext('http://{}.example.org/rooms/7')]
    ]
  },
  {
    by: 'the places of a list',
    options: { scheme: [URLPathVersioning, HeaderVersioning] },
    declare: (app) => {
      app.get('/:version/rooms/:id', ok)
      app.get('/rooms/:id', ok)
    },
    requests: [
      ['/v1/rooms/7', toNext('/{}/rooms/7')],
      [{ url: '/rooms/7', headers: { 'api-version': 'v1' } }, []],
      ['/v1/rooms/8', toNext('/{}/rooms/8')]
    ]
  },
  {
    by: 'a path that may do without the version',
    options: { defaultVersion: 'v1' },
    declare: (app) => app.get('/rooms/:version?', ok),
    requests: [['/rooms', toNext('/rooms/{}')], ['/rooms/v1', toNext('/rooms/{}')], ['/rooms', toNext('/rooms/{}')]]
  },
  {
    by: 'a scheme that decides about the version of each link',
    options: { scheme: Renaming },
    declare: (app) => app.get('/:version/rooms/:id', ok),
    requests: [['/v1/rooms/7', toNext('/{}/rooms/7')], ['/v1/rooms/8', toNext('/{}/rooms/8')]]
  }
]

for (const { by, options, server, declare, requests } of rows) {
  t.test(`links of a version that is retired have ${by}`, async (t) => {
    const lifecycle = { v1: { deprecated: '2025-01-01' } }
    const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions, lifecycle, ...options }, server)
    declare(app)
    for (const [request, links] of requests) {
      t.same(linksOf(await app.inject(request)), links, JSON.stringify(request))
    }
  })
}

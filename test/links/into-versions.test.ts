import t from 'tap'

import { HeaderVersioning, HostNameVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { linksOf } from '../fixtures/lifecycle.ts'
import { ok, within } from './app.ts'

import type { FastifyInstance, FastifyServerOptions, InjectOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']

interface Row {
  says: string
  options?: VersioningOptions
  server?: FastifyServerOptions
  declare: (app: FastifyInstance) => void
  /** In this order, with the links of the responses: one for each version, where `{}` is v2 and v3, or these two. */
  requests: [InjectOptions | string, string | readonly string[] | null][]
}

class Renaming extends URLPathVersioning {
  #links = 0

  override linkVersion () { return ++this.#links % 2 === 0 ? 'v3' : 'v2' }
}

const rooms = (app: FastifyInstance): void => { app.get('/:version/rooms/:id', ok) }
const v3 = (url: string) => [url.replace('{}', 'v3'), url.replace('{}', 'v3')]
const behind = (prefix: string) => ({ url: '/v1/rooms/7', headers: { 'x-forwarded-prefix': prefix } })

const rows: Row[] = [
  {
    says: 'have the parameters of each request, and none that do not fit',
    declare: rooms,
    requests: [
      ['/v1/rooms/7', '/{}/rooms/7'], ['/v1/rooms/8?page=2', '/{}/rooms/8'], ['/v1/rooms/a%2F..%2Fb', null],
      ['/v1/rooms/%C3%BC%3F', '/{}/rooms/%C3%BC%3F'], ['/v2/rooms/7', null],
      ['/v1/rooms/__proto__', '/{}/rooms/__proto__']
    ]
  },
  {
    says: 'have several parameters, also in one segment',
    declare: (app) => { app.get('/:team/:version/:from-:to/*', ok) },
    requests: [['/a/v1/b-c/d/e', '/a/{}/b-c/d/e'], ['/f/v1/g-h/', '/f/{}/g-h/']]
  },
  {
    says: 'leave out a version that the path does not take',
    declare: (app) => { app.get('/:version(^v[13]$)/rooms', ok) },
    requests: [['/v1/rooms', v3('/{}/rooms')], ['/v1/rooms', v3('/{}/rooms')]]
  },
  {
    says: 'are the same for HEAD and other methods',
    declare: (app) => {
      rooms(app)
      app.route({ method: ['GET', 'PUT'], url: '/:version/seats/:id', handler: ok })
    },
    requests: [
      ['/v1/rooms/7', '/{}/rooms/7'], [{ method: 'HEAD', url: '/v1/rooms/8' }, '/{}/rooms/8'],
      ['/v1/seats/7', '/{}/seats/7'], [{ method: 'PUT', url: '/v1/seats/8' }, '/{}/seats/8']
    ]
  },
  {
    says: 'lead to the counterparts in other namespaces, by their methods',
    options: { scheme: NamespaceVersioning },
    declare: (app) => {
      within(app, ['v1'], (scope) => scope.route({ method: ['GET', 'PUT'], url: '/seats/:id', handler: ok }))
      within(app, ['v2'], (scope) => scope.put('/seats/:id', ok))
      within(app, ['v3'], (scope) => scope.get('/seats/:id', ok))
      for (const version of allowedVersions) within(app, [version], (scope) => scope.get('/rooms/:id', ok))
    },
    requests: [
      ['/v1/rooms/7', '/{}/rooms/7'], [{ method: 'HEAD', url: '/v1/rooms/8' }, '/{}/rooms/8'],
      ['/v1/seats/7', v3('/{}/seats/7')], [{ method: 'PUT', url: '/v1/seats/7' }, ['/v2/seats/7', '/v2/seats/7']],
      ['/v1/seats/8', v3('/{}/seats/8')]
    ]
  },
  {
    says: 'lead to the default version outside of namespaces',
    options: { scheme: NamespaceVersioning, defaultVersion: 'v2' },
    declare: (app) => {
      for (const version of ['v1', 'v3']) within(app, [version], (scope) => scope.get('/rooms/:id', ok))
      app.get('/rooms/:id', ok)
    },
    requests: [['/v1/rooms/7', ['/rooms/7', '/v3/rooms/7']], ['/v1/rooms/8', ['/rooms/8', '/v3/rooms/8']]]
  },
  {
    says: 'have the path of baseUrl',
    options: { baseUrl: 'https://example.com/api' },
    declare: rooms,
    requests: [['/v1/rooms/7', '/api/{}/rooms/7'], ['/v1/rooms/8', '/api/{}/rooms/8']]
  },
  {
    says: 'have the prefix of each request',
    server: { trustProxy: true },
    declare: rooms,
    requests: [
      [behind('/a'), '/a/{}/rooms/7'], [behind('/b'), '/b/{}/rooms/7'], [behind('//evil.example'), '/{}/rooms/7'],
      ['/v1/rooms/7', '/{}/rooms/7']
    ]
  },
  {
    says: 'have the host of each request, with the version',
    options: { scheme: HostNameVersioning },
    declare: (app) => { app.get('/rooms', ok) },
    requests: ['a', 'b'].map((name) => [
      { url: '/rooms', headers: { host: `v1.${name}.com` } }, `http://{}.${name}.com/rooms`
    ])
  },
  {
    says: 'have the version in a place of a list',
    options: { scheme: [URLPathVersioning, HeaderVersioning] },
    declare: (app) => {
      rooms(app)
      app.get('/rooms/:id', ok)
    },
    requests: [
      ['/v1/rooms/7', '/{}/rooms/7'], [{ url: '/rooms/7', headers: { 'api-version': 'v1' } }, null],
      ['/v1/rooms/8', '/{}/rooms/8']
    ]
  },
  {
    says: 'have the version where the path may do without it',
    options: { defaultVersion: 'v1' },
    declare: (app) => { app.get('/rooms/:version?', ok) },
    requests: [['/rooms', '/rooms/{}'], ['/rooms/v1', '/rooms/{}'], ['/rooms', '/rooms/{}']]
  },
  {
    says: 'have the versions that a scheme of the app decides about',
    options: { scheme: Renaming },
    declare: rooms,
    requests: [['/v1/rooms/7', '/{}/rooms/7'], ['/v1/rooms/8', '/{}/rooms/8']]
  }
]

for (const { says, options, server, declare, requests } of rows) {
  t.test(`links of a version that is retired ${says}`, async (t) => {
    const lifecycle = { v1: { deprecated: '2025-01-01' } }
    const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions, lifecycle, ...options }, server)
    declare(app)
    for (const [request, link] of requests) {
      const links = typeof link === 'string' ? ['v2', 'v3'].map((version) => link.replace('{}', version)) : link ?? []
      const expected = links.map((url, i) => `${['successor', 'latest'][i]}-version ${url}`)
      t.same(linksOf(await app.inject(request)), expected, JSON.stringify(request))
    }
  })
}

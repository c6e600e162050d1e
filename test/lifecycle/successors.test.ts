import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { clockAt, ending, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions, VersioningSchemeClass, VersioningSource } from '../../types/index.d.ts'

const handler = async () => 'ok'

interface Subject {
  scheme: VersioningSchemeClass
  says: string
  declare: (app: FastifyInstance) => void
  request: InjectOptions
  links: string[]
}

const v1ToV3 = (prefix: string) => [`successor-version ${prefix}2`, `latest-version ${prefix}3`]

function inNamespaces (app: FastifyInstance, namespaces: string[], path: string): void {
  for (const namespace of namespaces) {
    app.register(async (scope) => { scope.get(path, handler) }, { prefix: `/${namespace}`, namespace })
  }
}

const subjects: Subject[] = [
  {
    scheme: URLPathVersioning,
    says: 'fills the parameters in, and leaves the query out',
    declare: (app) => { app.get('/:version/flights/:from-:to', handler) },
    request: { url: '/v1/flights/M%C3%9CC-%3CF%22RA?version=v9' },
    links: ['successor-version /v2/flights/M%C3%9CC-%3CF%22RA', 'latest-version /v3/flights/M%C3%9CC-%3CF%22RA']
  },
  {
    scheme: URLPathVersioning,
    says: 'leaves out a version that the path does not take',
    declare: (app) => { app.get('/:version(^v[13]$)/rooms', handler) },
    request: { url: '/v1/rooms' },
    links: ['successor-version /v3/rooms', 'latest-version /v3/rooms']
  },
  {
    scheme: NamespaceVersioning,
    says: 'finds the route in the other namespaces',
    declare: (app) => { inNamespaces(app, ['v1', 'v2', 'v3'], '/bookings/:id') },
    request: { url: '/v1/bookings/7' },
    links: ['successor-version /v2/bookings/7', 'latest-version /v3/bookings/7']
  },
  {
    scheme: NamespaceVersioning,
    says: 'leaves out a namespace without the route',
    declare: (app) => {
      inNamespaces(app, ['v1', 'v2'], '/bookings')
      inNamespaces(app, ['v3'], '/journeys')
    },
    request: { url: '/v1/bookings' },
    links: ['successor-version /v2/bookings', 'latest-version /v2/bookings']
  },
  {
    scheme: NamespaceVersioning,
    says: 'has no links to its own URL, which another host answers in another version',
    declare: (app) => {
      for (const namespace of ['v1', 'v2']) {
        app.register(async (scope) => {
          scope.get('/bookings', { constraints: { host: `${namespace}.example.com` } }, handler)
        }, { namespace })
      }
    },
    request: { url: '/bookings', headers: { host: 'v1.example.com' } },
    links: []
  },
  {
    scheme: HostNameVersioning,
    says: 'links to the other hosts',
    declare: (app) => { app.get('/bookings/:id', handler) },
    request: { url: '/bookings/7', headers: { host: 'v1.example.com:8080' } },
    links: [
      'successor-version http://v2.example.com:8080/bookings/7', 'latest-version http://v3.example.com:8080/bookings/7'
    ]
  },
  {
    scheme: QueryParameterVersioning,
    says: 'links with another query',
    declare: (app) => { app.get('/bookings/:id', handler) },
    request: { url: '/bookings/7?page=2&version=v1' },
    links: v1ToV3('/bookings/7?version=v')
  },
  {
    scheme: AcceptHeaderVersioning,
    says: 'has no links, because no URL contains the version',
    declare: (app) => { app.get('/bookings', handler) },
    request: { url: '/bookings', headers: { accept: '*/*;version=v1' } },
    links: []
  }
]

async function appUnder (t: Test, scheme: VersioningSchemeClass, options: VersioningOptions = {}) {
  const deprecated = '2026-01-01'
  return appWith(t, { ...ending, scheme, lifecycle: { v1: { deprecated }, v3: { deprecated } }, ...options })
}

for (const { scheme, says, declare, request, links } of subjects) {
  t.test(`the Link header under ${scheme.name} ${says}`, async (t) => {
    const app = await appUnder(t, scheme)
    declare(app)
    const response = await app.inject(request)
    t.equal(response.statusCode, 200)
    t.equal(response.headers.deprecation, '@1767225600')
    t.same(linksOf(response), links)
  })
}

t.test('versions that are gone are not successors', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { sunset: '2026-03-01' }, v3: { sunset: '2026-06-01' } }
  const { now, set } = clockAt('2026-02-28T23:59:59.999Z')
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning, lifecycle, now, enforceSunset: true })
  app.get('/:version', handler)
  t.same(linksOf(await app.inject('/v1')), v1ToV3('/v'))
  set('2026-03-01')
  t.same(linksOf(await app.inject('/v1')), ['successor-version /v3', 'latest-version /v3'])
  set('2026-06-01')
  t.same(linksOf(await app.inject('/v1')), [])
})

t.test('without allowedVersions there is no release order, and no successor', async (t) => {
  const lifecycle = { v1: { deprecated: '2025-01-01' }, v2: { deprecated: '2025-01-01' } }
  const app = await appWith(t, { scheme: QueryParameterVersioning, lifecycle })
  app.get('/a', { version: 'v2' }, handler)
  app.get('/a', { version: 'v1' }, handler)
  for (const version of ['v1', 'v2']) {
    const response = await app.inject(`/a?version=${version}`)
    t.equal(response.headers['deprecation'], '@1735689600')
    t.same(linksOf(response), [])
  }
})

t.test('a request without a version has successors', async (t) => {
  const options = { allowedVersions: ['v1', null, 'v2', 'v3'], lifecycle: null }
  const app = await appWith(t, { ...ending, ...options })
  app.get('/', { deprecated: { deprecated: '2026-01-01' } }, handler)
  t.same(linksOf(await app.inject('/')), v1ToV3('/?version=v'))
  t.same(linksOf(await app.inject('/?version=v1')), v1ToV3('/?version=v'))
})

t.test('a version that is not listed has no successor', async (t) => {
  const options = { scheme: URLPathVersioning, defaultVersion: 'v0', lifecycle: null }
  const app = await appWith(t, { ...ending, ...options })
  app.get('/:version', { deprecated: { deprecated: '2026-01-01' } }, handler)
  const response = await app.inject('/v0')
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), [])
})

t.test('a host that cannot stand in a link makes neither links nor an error', async (t) => {
  class AnyHost extends HostNameVersioning {
    override readonly hostnameRegex = /^(v1)\./
  }
  const app = await appUnder(t, AnyHost)
  app.get('/', handler)
  const { statusCode, headers } = await app.inject({ url: '/', headers: { host: 'v1.<evil>;' } })
  t.same([statusCode, headers.deprecation, headers.link], [200, '@1767225600', undefined])
})

t.test('a scheme that makes links asynchronously has no successors, and no effect on the response', async (t) => {
  const scheme = Object.assign(new QueryParameterVersioning({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }), {
    async reverse () { throw new Error('too late') }
  })
  const app = await appWith(t, { ...ending, scheme: scheme as never, lifecycle: { v1: { deprecated: '2026-01-01' } } })
  app.get('/', handler)
  t.same(linksOf(await app.inject('/')), [])
})

interface Listed { says: string, scheme: VersioningSource[], request: InjectOptions, links: string[] }

const listeds: Listed[] = [
  {
    says: 'has no link to itself where the host cannot have the next version',
    scheme: [HeaderVersioning, HostNameVersioning],
    request: { url: '/a', headers: { host: 'v1.example.com' } },
    links: ['successor-version http://v2.example.com/a', 'latest-version http://v3.example.com/a']
  },
  {
    says: 'has no link into a version that no scheme can write',
    scheme: [new QueryParameterVersioning({ allowedVersions: ['v1', 'v1.1', 'v2'] }), AcceptHeaderVersioning],
    request: { url: '/a?version=v1' },
    links: ['successor-version /a?version=v1.1', 'latest-version /a?version=v2']
  },
  {
    says: 'after a header has no link to itself in the default version',
    scheme: [URLPathVersioning, HeaderVersioning],
    request: { url: '/a', headers: { 'api-version': 'v1' } },
    links: []
  }
]

for (const { says, scheme, request, links } of listeds) {
  const list = scheme.map((one) => 'name' in one ? one.name : 'an instance')
  t.test(`under ${list} a response ${says}`, async (t) => {
    const lifecycle = { v1: { deprecated: '2026-01-01' } }
    const allowedVersions = ['v1', 'v1.1', 'v2', 'v3']
    const app = await appWith(t, { scheme, allowedVersions, defaultVersion: 'v2', lifecycle })
    app.get('/a', handler)
    app.get('/:version(^v[12]$)/b', handler)
    app.register(async (v2) => { v2.get('/a', handler) }, { prefix: '/v2', namespace: 'v2' })
    const response = await app.inject(request)
    t.equal(response.headers.deprecation, '@1767225600')
    t.same(linksOf(response), links)
  })
}

t.test('a link of the scheme itself that is the same in each version is not sent as a successor', async (t) => {
  class Fixed extends QueryParameterVersioning {
    override reverse () { return '/elsewhere' }
  }
  const app = await appWith(t, { ...ending, scheme: Fixed })
  app.get('/', handler)
  const response = await app.inject('/?version=v1')
  t.ok('deprecation' in response.headers)
  t.same(linksOf(response), [])
})

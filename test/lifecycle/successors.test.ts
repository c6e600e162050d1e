import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { clockAt, ending, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type {
  RawRequest, ReverseOptions, VersioningOptions, VersioningSchemeClass, VersioningSource
} from '../../types/index.d.ts'

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
    says: 'keeps the parameters on both sides of the version',
    declare: (app) => { app.get('/:team/:version/bookings/:id', handler) },
    request: { url: '/sales/v1/bookings/7' },
    links: ['successor-version /sales/v2/bookings/7', 'latest-version /sales/v3/bookings/7']
  },
  {
    scheme: URLPathVersioning,
    says: 'leaves out versions that the path does not match',
    declare: (app) => { app.get('/:version(^v[13]$)/bookings', handler) },
    request: { url: '/v1/bookings' },
    links: ['successor-version /v3/bookings', 'latest-version /v3/bookings']
  },
  {
    scheme: URLPathVersioning,
    says: 'fills in parameters with a pattern',
    declare: (app) => { app.get('/:version/flights/:number(^\\d+$)', handler) },
    request: { url: '/v1/flights/42' },
    links: v1ToV3('/v').map((link) => `${link}/flights/42`)
  },
  {
    scheme: URLPathVersioning,
    says: 'fills in parameters next to a route that takes some of their values',
    declare: (app) => {
      app.get('/:version/flights/:number', handler)
      app.get('/v9/flights/:number', { versioning: false }, handler)
    },
    request: { url: '/v1/flights/42' },
    links: v1ToV3('/v').map((link) => `${link}/flights/42`)
  },
  {
    scheme: URLPathVersioning,
    says: 'has no links where the path matches no other version',
    declare: (app) => { app.get('/:version(^v1$)/bookings', handler) },
    request: { url: '/v1/bookings' },
    links: []
  },
  {
    scheme: URLPathVersioning,
    says: 'has no links where the path has no version',
    declare: (app) => {
      app.get('/bookings', { versioning: new URLPathVersioning({ defaultVersion: 'v1' }) }, handler)
    },
    request: { url: '/bookings' },
    links: []
  },
  {
    scheme: URLPathVersioning,
    says: 'escapes a path beyond ASCII',
    declare: (app) => { app.get('/:version/größe', handler) },
    request: { url: '/v1/gr%C3%B6%C3%9Fe' },
    links: ['successor-version /v2/gr%C3%B6%C3%9Fe', 'latest-version /v3/gr%C3%B6%C3%9Fe']
  },
  {
    scheme: URLPathVersioning,
    says: 'links to successors in a HEAD response as well',
    declare: (app) => { app.get('/:version', handler) },
    request: { url: '/v1', method: 'HEAD' },
    links: v1ToV3('/v')
  },
  {
    scheme: URLPathVersioning,
    says: 'has no links in the latest version',
    declare: (app) => { app.get('/:version', handler) },
    request: { url: '/v3' },
    links: []
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
    says: 'leaves out a namespace whose path has fewer parameters',
    declare: (app) => {
      app.register(async (v1) => { v1.get('/bookings', handler) }, { prefix: '/:team', namespace: 'v1' })
      inNamespaces(app, ['v2'], '/bookings')
    },
    request: { url: '/sales/bookings' },
    links: []
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
    scheme: HostNameVersioning,
    says: 'has no links on a host without a version',
    declare: (app) => { app.get('/', { versioning: new HostNameVersioning({ defaultVersion: 'v1' }) }, handler) },
    request: { url: '/', headers: { host: 'localhost' } },
    links: []
  },
  {
    scheme: QueryParameterVersioning,
    says: 'links with another query',
    declare: (app) => { app.get('/bookings/:id', handler) },
    request: { url: '/bookings/7?page=2&version=v1' },
    links: v1ToV3('/bookings/7?version=v')
  },
  {
    scheme: QueryParameterVersioning,
    says: 'links to the versions that routes at the URL serve',
    declare: (app) => {
      app.get('/bookings', { version: 'v1' }, handler)
      app.get('/bookings', { version: 'v3' }, handler)
    },
    request: { url: '/bookings?version=v1' },
    links: ['successor-version /bookings?version=v3', 'latest-version /bookings?version=v3']
  },
  {
    scheme: QueryParameterVersioning,
    says: 'links to all versions where one route serves what the others leave',
    declare: (app) => { app.get('/bookings', { version: 'v1' }, handler).get('/bookings', handler) },
    request: { url: '/bookings?version=v1' },
    links: v1ToV3('/bookings?version=v')
  },
  {
    scheme: QueryParameterVersioning,
    says: 'has no links where the counterpart has another method',
    declare: (app) => {
      app.get('/bookings', { version: 'v1' }, handler)
      app.post('/bookings', { version: 'v2' }, handler)
    },
    request: { url: '/bookings?version=v1' },
    links: []
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

t.test('a route that is in no other namespace has no successor, at every request', async (t) => {
  const app = await appUnder(t, NamespaceVersioning)
  inNamespaces(app, ['v1', 'v2'], '/bookings')
  app.register(async (v3) => { v3.post('/bookings', handler) }, { prefix: '/v3', namespace: 'v3' })
  app.register(async (v1) => {
    v1.route({ method: ['GET', 'POST'], url: '/journeys', handler })
  }, { prefix: '/v1', namespace: 'v1' })
  app.register(async (v3) => { v3.post('/journeys', handler) }, { prefix: '/v3', namespace: 'v3' })
  for (let i = 0; i < 2; i++) {
    t.same(linksOf(await app.inject('/v1/bookings')), ['successor-version /v2/bookings', 'latest-version /v2/bookings'])
    t.same(linksOf(await app.inject('/v1/journeys')), [])
    t.same(linksOf(await app.inject({ url: '/v1/journeys', method: 'POST' })), [
      'successor-version /v3/journeys', 'latest-version /v3/journeys'
    ])
  }
})

t.test('links have the origin and the path of baseUrl', async (t) => {
  const app = await appUnder(t, HostNameVersioning, { baseUrl: 'https://v1.example.com/api' })
  app.get('/', handler)
  const response = await app.inject({ url: '/', headers: { host: 'v1.example.org' } })
  t.same(linksOf(response), v1ToV3('https://v').map((link) => `${link}.example.com/api/`))
})

t.test('a version that is longer than a parameter may be is not a successor', async (t) => {
  const app = await appUnder(t, URLPathVersioning, { allowedVersions: ['v1', 'v'.repeat(101), 'v3'] })
  app.get('/:version', handler)
  t.same(linksOf(await app.inject('/v1')), ['successor-version /v3', 'latest-version /v3'])
})

t.test('a host that cannot stand in a link yields neither links nor an error', async (t) => {
  class AnyHost extends HostNameVersioning {
    override readonly hostnameRegex = /^(v1)\./
  }
  const app = await appUnder(t, AnyHost)
  app.get('/', handler)
  const response = await app.inject({ url: '/', headers: { host: 'v1.<evil>;' } })
  t.equal(response.statusCode, 200)
  t.equal(response.headers.link, undefined)
})

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

t.test('a version that ends while the links are made is still a successor', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { sunset: '1970-01-01T00:00:00.002Z' } }
  // The first one is for the check at boot.
  const instants = [0, 0, 2]
  const now = () => instants.shift() ?? 2
  const settings = { allowedVersions: ['v1', 'v2'], enforceSunset: true, lifecycle, now }
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning, ...settings })
  app.get('/:version', handler)
  t.same(linksOf(await app.inject('/v1')), ['successor-version /v2', 'latest-version /v2'])
})

t.test('versions past their sunset are successors without enforceSunset', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { sunset: '2026-03-01' } }
  const { now } = clockAt('2027-01-01')
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning, lifecycle, now })
  app.get('/:version', handler)
  t.same(linksOf(await app.inject('/v1')), v1ToV3('/v'))
})

t.test('a route that is gone in every version has no successors', async (t) => {
  const { now } = clockAt('2026-01-01')
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning, enforceSunset: true, lifecycle: null, now })
  app.get('/:version', { deprecated: { sunset: '2026-01-01' } }, handler)
  const response = await app.inject('/v1')
  t.equal(response.statusCode, 410)
  t.same(linksOf(response), [])
})

t.test('a route that is gone links to another that serves a later version', async (t) => {
  const options = { enforceSunset: true, lifecycle: null, now: clockAt('2026-01-01').now }
  const deprecated = { sunset: '2026-01-01' }
  const byQuery = await appWith(t, { ...ending, ...options })
  byQuery.get('/', { version: 'v1', deprecated }, handler)
  byQuery.get('/', { version: { from: 'v2' } }, handler)
  t.same(linksOf(await byQuery.inject('/?version=v1')), v1ToV3('/?version=v'))

  const byNamespace = await appWith(t, { ...ending, ...options, scheme: NamespaceVersioning })
  byNamespace.register(async (v1) => { v1.get('/x', { deprecated }, handler) }, { prefix: '/v1', namespace: 'v1' })
  inNamespaces(byNamespace, ['v2'], '/x')
  t.same(linksOf(await byNamespace.inject('/v1/x')), ['successor-version /v2/x', 'latest-version /v2/x'])
})

t.test('a route that is gone links to the next version that another route serves', async (t) => {
  const app = await appWith(t, { ...ending, enforceSunset: true, lifecycle: null, now: clockAt('2026-01-01').now })
  app.get('/', { version: ['v1', 'v2'], deprecated: { sunset: '2026-01-01' } }, handler)
  app.get('/', { version: 'v3' }, handler)
  t.same(linksOf(await app.inject('/?version=v1')), [
    'successor-version /?version=v3', 'latest-version /?version=v3'
  ])
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

t.test('a version that is not listed has no successor', async (t) => {
  const deprecated = { deprecated: '2026-01-01' }
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning, defaultVersion: 'v0', lifecycle: null })
  app.get('/:version', { deprecated }, handler)
  app.register(async (any) => {
    await any.register(versioning, { allowedVersions: null })
    any.get('/any/:version', { deprecated }, handler)
  })
  for (const url of ['/v0', '/any/v1']) {
    const response = await app.inject(url)
    t.equal(response.headers.deprecation, '@1767225600')
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

t.test('a custom scheme that puts no version into its links has no successors', async (t) => {
  class Cookie extends BaseVersioning {
    override determineVersion (request: FastifyRequest) { return this.permit(request.headers.cookie) }
  }
  class Broken extends Cookie {
    override reverse (): string { throw new Error('broken') }
  }
  for (const scheme of [Cookie, Broken]) {
    const app = await appUnder(t, scheme)
    app.get('/', handler)
    const response = await app.inject({ url: '/', headers: { cookie: 'v1' } })
    t.equal(response.headers.deprecation, '@1767225600')
    t.same(linksOf(response), [])
  }
})

t.test('a scheme with vary that puts no version into its links has no successors', async (t) => {
  class Tagged extends BaseVersioning {
    override readonly vary = 'X-Tag'
    override readVersion ({ headers }: RawRequest) { return headers['x-tag']?.toString() }
  }
  const app = await appWith(t, { ...ending, scheme: Tagged })
  app.get('/', handler)
  const response = await app.inject({ url: '/', headers: { 'x-tag': 'v1' } })
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), [])
})

t.test('versions that are gone only at this URL are not successors', async (t) => {
  const app = await appWith(t, { ...ending, enforceSunset: true, now: clockAt('2026-10-01').now })
  app.get('/', { version: 'v1' }, handler)
  app.get('/', { version: 'v2', deprecated: { sunset: '2026-01-01' } }, handler)
  app.get('/', { version: 'v3' }, handler)
  t.same(linksOf(await app.inject('/?version=v1')), ['successor-version /?version=v3', 'latest-version /?version=v3'])
})

t.test('a version that another route serves at this URL is a successor', async (t) => {
  const app = await appWith(t, { ...ending, now: clockAt('2026-10-01').now })
  app.get('/', { version: { to: 'v2' }, constraints: { host: 'a.example' } }, handler)
  app.get('/', { constraints: { host: 'a.example' } }, handler)
  const { headers } = await app.inject({ url: '/?version=v1', headers: { host: 'a.example' } })
  t.same(linksOf({ headers }), ['successor-version /?version=v2', 'latest-version /?version=v3'])
})

t.test('the successors of one request do not affect the next', async (t) => {
  class Tenants extends BaseVersioning {
    override determineVersion ({ params }: FastifyRequest) {
      return this.permit((params as Record<string, string>).v)
    }

    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      const { tenant } = options.request?.params as Record<string, string>
      return super.reverse(viewName ?? `${tenant}:${options.version}`, { ...options, args: [] })
    }
  }
  const app = await appWith(t, { ...ending, scheme: Tenants })
  app.get('/t/:tenant/:v', handler)
  app.register(async (acme) => {
    for (const name of ['v1', 'v2', 'v3']) acme.get(`/acme/${name}`, { name, versioning: false }, handler)
  }, { namespace: 'acme' })
  t.same(linksOf(await app.inject('/t/nobody/v1')), [])
  t.same(linksOf(await app.inject('/t/acme/v1')), ['successor-version /acme/v2', 'latest-version /acme/v3'])
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
    says: 'has no links where no host specifies a version',
    scheme: [HeaderVersioning, HostNameVersioning],
    request: { url: '/a', headers: { host: 'example.com', 'api-version': 'v1' } },
    links: []
  },
  {
    says: 'has no link into a version that no scheme can write',
    scheme: [new QueryParameterVersioning({ allowedVersions: ['v1', 'v1.1', 'v2'] }), AcceptHeaderVersioning],
    request: { url: '/a?version=v1' },
    links: ['successor-version /a?version=v1.1', 'latest-version /a?version=v2']
  },
  {
    says: 'has no link into a version that its path does not take',
    scheme: [URLPathVersioning, QueryParameterVersioning],
    request: { url: '/v1/b' },
    links: ['successor-version /v2/b', 'latest-version /v2/b']
  },
  {
    says: 'after a header has no link to itself in the default version',
    scheme: [URLPathVersioning, HeaderVersioning],
    request: { url: '/a', headers: { 'api-version': 'v1' } },
    links: []
  },
  {
    says: 'after a header has links into the namespaces',
    scheme: [HeaderVersioning, NamespaceVersioning],
    request: { url: '/a', headers: { 'api-version': 'v1' } },
    links: ['successor-version /v2/a', 'latest-version /v2/a']
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

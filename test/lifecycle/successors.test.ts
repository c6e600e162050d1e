import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { ending, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions, VersioningSchemeClass, VersioningSource } from '../../types/index.d.ts'

const v1ToV3 = (prefix: string, suffix = '') => [
  `successor-version ${prefix}2${suffix}`, `latest-version ${prefix}3${suffix}`
]

function inNamespaces (app: FastifyInstance, namespaces: string[], path: string): void {
  for (const namespace of namespaces) {
    app.register(async (scope) => { scope.get(path, ok) }, { prefix: `/${namespace}`, namespace })
  }
}

const subjects: [
  scheme: VersioningSchemeClass, says: string, declare: (app: FastifyInstance) => void, request: InjectOptions,
  links: string[]
][] = [
  [URLPathVersioning, 'fills the parameters in, and leaves the query out', (app) => {
    app.get('/:version/flights/:from-:to', ok)
  }, { url: '/v1/flights/M%C3%9CC-%3CF%22RA?version=v9' }, v1ToV3('/v', '/flights/M%C3%9CC-%3CF%22RA')],
  [URLPathVersioning, 'leaves out a version that the path does not take', (app) => {
    app.get('/:version(^v[13]$)/rooms', ok)
  }, { url: '/v1/rooms' }, ['successor-version /v3/rooms', 'latest-version /v3/rooms']],
  [NamespaceVersioning, 'finds the route in the other namespaces', (app) => {
    inNamespaces(app, ['v1', 'v2', 'v3'], '/bookings/:id')
  }, { url: '/v1/bookings/7' }, v1ToV3('/v', '/bookings/7')],
  [NamespaceVersioning, 'leaves out a namespace without the route', (app) => {
    inNamespaces(app, ['v1', 'v2'], '/bookings')
    inNamespaces(app, ['v3'], '/journeys')
  }, { url: '/v1/bookings' }, ['successor-version /v2/bookings', 'latest-version /v2/bookings']],
  [NamespaceVersioning, 'has no links to its own URL, which another host answers in another version', (app) => {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (scope) => {
        scope.get('/bookings', { constraints: { host: `${namespace}.example.com` } }, ok)
      }, { namespace })
    }
  }, { url: '/bookings', headers: { host: 'v1.example.com' } }, []],
  [HostNameVersioning, 'links to the other hosts', (app) => {
    app.get('/bookings/:id', ok)
  }, { url: '/bookings/7', headers: { host: 'v1.example.com:8080' } }, v1ToV3(
    'http://v', '.example.com:8080/bookings/7'
  )],
  [QueryParameterVersioning, 'links with another query', (app) => {
    app.get('/bookings/:id', ok)
  }, { url: '/bookings/7?page=2&version=v1' }, v1ToV3('/bookings/7?version=v')],
  [AcceptHeaderVersioning, 'has no links, because no URL contains the version', (app) => {
    app.get('/bookings', ok)
  }, { url: '/bookings', headers: { accept: '*/*;version=v1' } }, []]
]

async function appUnder (t: Test, scheme: VersioningOptions['scheme'], options: VersioningOptions = {}) {
  const deprecated = '2026-01-01'
  return appWith(t, { ...ending, scheme, lifecycle: { v1: { deprecated }, v3: { deprecated } }, ...options })
}

for (const [scheme, says, declare, request, links] of subjects) {
  t.test(`the Link header under ${scheme.name} ${says}`, async (t) => {
    const app = await appUnder(t, scheme)
    declare(app)
    // Twice, because what links lead to is remembered.
    for (let i = 0; i < 2; i++) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 200)
      t.equal(response.headers.deprecation, '@1767225600')
      t.same(linksOf(response), links)
    }
  })
}

t.test('each response has links with the parameters and the prefix of its own request', async (t) => {
  const app = await appWith(t, { ...ending, scheme: URLPathVersioning }, { trustProxy: true })
  app.get('/:version/flights/:from/:to?', ok)
  for (const [path, prefix] of [['/a/b', '/x'], ['/c', '/y'], ['/d..e/f%20g', '']] as const) {
    const headers = { 'x-forwarded-prefix': prefix }
    const response = await app.inject({ url: `/v1/flights${path}`, headers })
    t.same(linksOf(response), v1ToV3(`${prefix}/v`, `/flights${path}`))
  }
})

t.test('a class decides for each response whether a version is allowed, and so whether it is linked', async (t) => {
  const allowed = new Set<string | null>(['v1', 'v2', 'v3'])
  class Changing extends URLPathVersioning {
    override isAllowedVersion (version: string | null): boolean {
      return allowed.has(version)
    }
  }
  const app = await appUnder(t, Changing)
  app.get('/:version/a', ok)
  t.same(linksOf(await app.inject('/v1/a')), v1ToV3('/v', '/a'))
  allowed.delete('v2')
  t.same(linksOf(await app.inject('/v1/a')), ['successor-version /v3/a', 'latest-version /v3/a'])
})

t.test('without allowedVersions there is no release order, and no successor', async (t) => {
  const lifecycle = { v1: { deprecated: '2025-01-01' }, v2: { deprecated: '2025-01-01' } }
  const app = await appWith(t, { scheme: QueryParameterVersioning, lifecycle })
  app.get('/a', { version: 'v2' }, ok)
  app.get('/a', { version: 'v1' }, ok)
  for (const version of ['v1', 'v2']) {
    const response = await app.inject(`/a?version=${version}`)
    t.equal(response.headers['deprecation'], '@1735689600')
    t.same(linksOf(response), [])
  }
})

t.test('a request without a version has successors', async (t) => {
  const options = { allowedVersions: ['v1', null, 'v2', 'v3'], lifecycle: null }
  const app = await appWith(t, { ...ending, ...options })
  app.get('/', { deprecated: { deprecated: '2026-01-01' } }, ok)
  t.same(linksOf(await app.inject('/')), v1ToV3('/?version=v'))
  t.same(linksOf(await app.inject('/?version=v1')), v1ToV3('/?version=v'))
})

t.test('a version that is not listed has no successor', async (t) => {
  const options = { scheme: URLPathVersioning, defaultVersion: 'v0', lifecycle: null }
  const app = await appWith(t, { ...ending, ...options })
  app.get('/:version', { deprecated: { deprecated: '2026-01-01' } }, ok)
  const response = await app.inject('/v0')
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), [])
})

t.test('a host that cannot stand in a link makes neither links nor an error', async (t) => {
  class AnyHost extends HostNameVersioning {
    override readonly hostnameRegex = /^(v1)\./
  }
  const app = await appUnder(t, AnyHost)
  app.get('/', ok)
  const { statusCode, headers } = await app.inject({ url: '/', headers: { host: 'v1.<evil>;' } })
  t.same([statusCode, headers.deprecation, headers.link], [200, '@1767225600', undefined])
})

for (const [says, reverse] of [
  ['asynchronously', async () => { throw new Error('too late') }], ['that are the same in each version', () => '/else']
] as const) {
  t.test(`a scheme that makes links ${says} has no successors, and no effect on the response`, async (t) => {
    const app = await appUnder(t, Object.assign(new QueryParameterVersioning(ending), { reverse }) as never)
    app.get('/', ok)
    const response = await app.inject('/?version=v1')
    t.equal(response.headers.deprecation, '@1767225600')
    t.same(linksOf(response), [])
  })
}

const lists: [says: string, scheme: VersioningSource[], request: InjectOptions, links: string[]][] = [
  ['has no link to itself where the host cannot have the next version', [HeaderVersioning, HostNameVersioning], {
    url: '/a', headers: { host: 'v1.example.com' }
  }, v1ToV3('http://v', '.example.com/a')],
  ['has no link into a version that no scheme can write', [
    new QueryParameterVersioning({ allowedVersions: ['v1', 'v1.1', 'v2'] }), AcceptHeaderVersioning
  ], { url: '/a?version=v1' }, ['successor-version /a?version=v1.1', 'latest-version /a?version=v2']],
  ['after a header has no link to itself in the default version', [URLPathVersioning, HeaderVersioning], {
    url: '/a', headers: { 'api-version': 'v1' }
  }, []]
]

for (const [says, scheme, request, links] of lists) {
  const list = scheme.map((one) => 'name' in one ? one.name : 'an instance')
  t.test(`under ${list} a response ${says}`, async (t) => {
    const allowedVersions = ['v1', 'v1.1', 'v2', 'v3']
    const lifecycle = { v1: { deprecated: '2026-01-01' } }
    const app = await appUnder(t, scheme, { allowedVersions, defaultVersion: 'v2', lifecycle })
    app.get('/a', ok)
    app.get('/:version(^v[12]$)/b', ok)
    app.register(async (v2) => { v2.get('/a', ok) }, { prefix: '/v2', namespace: 'v2' })
    const response = await app.inject(request)
    t.equal(response.headers.deprecation, '@1767225600')
    t.same(linksOf(response), links)
  })
}

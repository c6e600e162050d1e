import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { ending, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

const into = (next: string, latest = next) => [`successor-version ${next}`, `latest-version ${latest}`]
const v1ToV3 = (prefix: string, suffix = '') => into(`${prefix}2${suffix}`, `${prefix}3${suffix}`)

function inNamespaces (app: FastifyInstance, namespaces: string[], path: string): void {
  for (const namespace of namespaces) {
    app.register(async (scope) => { scope.get(path, ok) }, { prefix: `/${namespace}`, namespace })
  }
}

class AnyHost extends HostNameVersioning {
  override readonly hostnameRegex = /^(v1)\./
}
/** Links as a scheme of an app makes them. */
const linking = (reverse: () => unknown) => Object.assign(new QueryParameterVersioning(ending), { reverse }) as never
const withPoint = { allowedVersions: ['v1', 'v1.1', 'v2', 'v3'], defaultVersion: 'v2' }
const inHostUpToV2 = new HostNameVersioning({ allowedVersions: ['v1', 'v2'] })
const upToV2 = new QueryParameterVersioning({ allowedVersions: ['v1', 'v1.1', 'v2'] })

/** What is declared is a path, or is more. */
const subjects: [
  scheme: VersioningOptions['scheme'], says: string, declared: string | ((app: FastifyInstance) => void),
  request: InjectOptions, links: string[], options?: VersioningOptions
][] = [
  [URLPathVersioning, 'fills the parameters in, and leaves the query out', '/:version/flights/:from-:to',
    { url: '/v1/flights/M%C3%9CC-%3CF%22RA?version=v9' }, v1ToV3('/v', '/flights/M%C3%9CC-%3CF%22RA')],
  [URLPathVersioning, 'leaves out a version that the path does not take', '/:version(^v[13]$)/rooms',
    { url: '/v1/rooms' }, into('/v3/rooms')],
  [NamespaceVersioning, 'finds the route in the other namespaces', (app) => {
    inNamespaces(app, ['v1', 'v2', 'v3'], '/bookings/:id')
  }, { url: '/v1/bookings/7' }, v1ToV3('/v', '/bookings/7')],
  [NamespaceVersioning, 'leaves out a namespace without the route', (app) => {
    inNamespaces(app, ['v1', 'v2'], '/bookings')
    inNamespaces(app, ['v3'], '/journeys')
  }, { url: '/v1/bookings' }, into('/v2/bookings')],
  [NamespaceVersioning, 'leaves out what is gone, or a preview, in the context of its namespace', (app) => {
    const stages = { v1: null, v2: { v2: { sunset: '2020-01-01' } }, v3: { v3: { preview: true } } }
    for (const [namespace, lifecycle] of Object.entries(stages)) {
      app.register(async (scope) => {
        if (lifecycle !== null) await scope.register(versioning, { lifecycle })
        scope.get('/a', ok)
      }, { prefix: `/${namespace}`, namespace })
    }
  }, { url: '/v1/a' }, [], { enforceSunset: true }],
  [NamespaceVersioning, 'has no links to its own URL, which another host answers in another version', (app) => {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (scope) => {
        scope.get('/bookings', { constraints: { host: `${namespace}.example.com` } }, ok)
      }, { namespace })
    }
  }, { url: '/bookings', headers: { host: 'v1.example.com' } }, []],
  [HostNameVersioning, 'links to the other hosts', '/bookings/:id', {
    url: '/bookings/7', headers: { host: 'v1.example.com:8080' }
  }, v1ToV3('http://v', '.example.com:8080/bookings/7')],
  [AnyHost, 'has no links where the host cannot stand in one', '/', { url: '/', headers: { host: 'v1.<evil>;' } }, []],
  [QueryParameterVersioning, 'links with another query', '/bookings/:id', { url: '/bookings/7?page=2&version=v1' },
    v1ToV3('/bookings/7?version=v')],
  [AcceptHeaderVersioning, 'has no links, because no URL contains the version', '/bookings', {
    url: '/bookings', headers: { accept: '*/*;version=v1' }
  }, []],
  [QueryParameterVersioning, 'has no links where versions have no release order', (app) => {
    for (const version of ['v1', 'v2']) app.get('/a', { version }, ok)
  }, { url: '/a?version=v1' }, [], { allowedVersions: null }],
  [URLPathVersioning, 'has no links from a version that is not listed', (app) => {
    app.get('/:version', { deprecated: { deprecated: '2026-01-01' } }, ok)
  }, { url: '/v0' }, [], { defaultVersion: 'v0', lifecycle: null }],
  [linking(async () => { throw new Error('too late') }), 'has no links that are made asynchronously', '/',
    { url: '/?version=v1' }, []],
  [linking(() => '/else'), 'has no links that are the same in each version', '/', { url: '/?version=v1' }, []],
  [[HeaderVersioning, HostNameVersioning], 'leaves out a version that the host cannot have', '/a', {
    url: '/a', headers: { host: 'v1.example.com' }
  }, v1ToV3('http://v', '.example.com/a'), withPoint],
  [[upToV2, AcceptHeaderVersioning], 'has no latest version if only a header can have that', '/a',
    { url: '/a?version=v1' }, ['successor-version /a?version=v1.1'], withPoint],
  [[upToV2, AcceptHeaderVersioning], 'has the latest version that is no preview', '/a',
    { url: '/a?version=v1' }, into('/a?version=v1.1', '/a?version=v2'),
    { ...withPoint, lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { preview: true } } }],
  [[HeaderVersioning, QueryParameterVersioning], 'has no links that contradict the header of the client', '/a',
    { url: '/a', headers: { 'api-version': 'v1' } }, []],
  [[QueryParameterVersioning, HeaderVersioning], 'has no links if a header has the version as well', '/a',
    { url: '/a?version=v1', headers: { 'api-version': 'v1' } }, []],
  [[HeaderVersioning, QueryParameterVersioning], 'has the query that the request has', '/a',
    { url: '/a?version=v1' }, v1ToV3('/a?version=v')],
  [[HeaderVersioning, QueryParameterVersioning], 'has the query if the request has no version', '/a',
    { url: '/a' }, v1ToV3('/a?version=v'), { defaultVersion: 'v1' }],
  [[inHostUpToV2, QueryParameterVersioning], 'has no version that another member would write', '/a',
    { url: '/a', headers: { host: 'v1.example.com' } }, ['successor-version http://v2.example.com/a']],
  [[new URLPathVersioning({ allowedVersions: ['v1'] }), HostNameVersioning], 'has no version that its path refuses',
    '/:version/a', { url: '/v1/a' }, []],
  [[NamespaceVersioning, QueryParameterVersioning], 'leaves out a route that is retired in its namespace', (app) => {
    inNamespaces(app, ['v1', 'v3'], '/a')
    app.register(async (scope) => {
      scope.get('/a', { deprecated: { sunset: '2020-01-01' } }, ok)
    }, { prefix: '/v2', namespace: 'v2' })
  }, { url: '/v1/a' }, into('/v3/a'), { enforceSunset: true }],
  [[NamespaceVersioning, QueryParameterVersioning], 'leaves out a retired namespace, from a route in none', (app) => {
    app.get('/a', ok)
    inNamespaces(app, ['v3'], '/a')
    app.register(async (scope) => {
      scope.get('/a', { deprecated: { sunset: '2020-01-01' } }, ok)
    }, { prefix: '/v2', namespace: 'v2' })
  }, { url: '/a' }, into('/v3/a'), { enforceSunset: true, defaultVersion: 'v1' }],
  [[HostNameVersioning, NamespaceVersioning], 'leaves out what is retired in the namespace that it leads to', (app) => {
    app.get('/a', ok)
    inNamespaces(app, ['v3'], '/a')
    app.register(async (scope) => {
      scope.get('/a', { deprecated: { sunset: '2020-01-01' } }, ok)
    }, { prefix: '/v2', namespace: 'v2' })
  }, { url: '/a' }, into('/v3/a'), { enforceSunset: true, defaultVersion: 'v1' }],
  [NamespaceVersioning, 'leaves out a name of several routes if one of them is retired', (app) => {
    const named = { name: 'a' }
    for (const [v, options] of [['v1', {}], ['v2', { deprecated: { sunset: '2020-01-01' } }], ['v3', {}]] as const) {
      app.register(async (scope) => {
        scope.get(v === 'v2' ? '/a' : '/b', { ...named, ...options }, ok)
        if (v === 'v2') scope.get('/:id/a', named, ok)
      }, { prefix: `/${v}`, namespace: v })
    }
  }, { url: '/v1/b' }, into('/v3/b'), { enforceSunset: true }],
  [[URLPathVersioning, QueryParameterVersioning], 'has the query of the request, if the path can do without',
    '/a/:version?', { url: '/a?version=v1' }, v1ToV3('/a?version=v')],
  [[URLPathVersioning, QueryParameterVersioning], 'has the path of the request', '/a/:version?', { url: '/a/v1' },
    v1ToV3('/a/v')]
]

async function appUnder (t: Test, scheme: VersioningOptions['scheme'], options: VersioningOptions = {}) {
  const deprecated = '2026-01-01'
  return appWith(t, { ...ending, scheme, lifecycle: { v1: { deprecated }, v3: { deprecated } }, ...options })
}

for (const [scheme, says, declared, request, links, options] of subjects) {
  const names = [scheme].flat().map((one) => one && 'name' in one ? one.name : 'an instance')
  t.test(`the Link header under ${names.join()} ${says}`, async (t) => {
    const app = await appUnder(t, scheme, options)
    if (typeof declared === 'string') app.get(declared, ok)
    else declared(app)
    // Twice, because what links lead to is remembered.
    for (let i = 0; i < 2; i++) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 200)
      t.equal(response.headers.deprecation, '@1767225600')
      t.same(linksOf(response), links)
    }
  })
}

for (const [says, reverse, message] of [
  ['fails', () => { throw new TypeError('a bug') }, 'a bug'],
  ['rejects', async () => { throw new Error('too late') }, 'reverse() must return a string or null.']
] as const) {
  t.test(`that the reverse() of a scheme ${says} is logged once, and not if a URL lacks the version`, async (t) => {
    const lines: { msg: string, err?: { message: string } }[] = []
    const stream = { write (line: string) { lines.push(JSON.parse(line)) } }
    class Failing extends QueryParameterVersioning {
      override reverse (_name: string | null, options?: ReverseOptions): string {
        return options?.version === 'v3' ? reverse() as never : super.reverse('none', options)
      }
    }
    const scheme = [Failing, HeaderVersioning]
    const app = await appWith(t, { ...ending, scheme }, { logger: { level: 'error', stream } })
    app.get('/a', ok)
    app.get('/b', ok)
    for (const url of ['/a', '/a', '/b']) {
      t.match(await app.inject(`${url}?version=v1`), { statusCode: 200, headers: { link: undefined } })
    }
    t.equal(lines.length, 1)
    t.match(lines[0].err?.message, message)
    t.equal(lines[0].msg, 'Failing, HeaderVersioning.reverse() failed: responses such as those of GET /a have no ' +
      'link to their successor version.')
  })
}

t.test('a list has no link to a URL that is retired in all of its versions', async (t) => {
  const scheme = [QueryParameterVersioning, NamespaceVersioning]
  const app = await appWith(t, { ...ending, scheme, enforceSunset: true, lifecycle: null })
  app.get('/old', { deprecated: { sunset: '2020-01-01' } }, ok)
  const response = await app.inject('/old?version=v1')
  t.equal(response.statusCode, 410)
  t.same(linksOf(response), [])
})

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

t.test('a request without a version has successors', async (t) => {
  const options = { allowedVersions: ['v1', null, 'v2', 'v3'], lifecycle: null }
  const app = await appWith(t, { ...ending, ...options })
  app.get('/', { deprecated: { deprecated: '2026-01-01' } }, ok)
  t.same(linksOf(await app.inject('/')), v1ToV3('/?version=v'))
  t.same(linksOf(await app.inject('/?version=v1')), v1ToV3('/?version=v'))
})

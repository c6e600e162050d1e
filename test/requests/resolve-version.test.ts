import t from 'tap'

import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning, byDate
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { VersioningOptions, VersioningSource } from '../../types/index.d.ts'

const dates = ['2025-06-01', '2025-11-15', '2026-03-01']
const options: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions: dates, resolveVersion: byDate }

async function tell (request: FastifyRequest) {
  return String(request.version)
}

async function ask (app: FastifyInstance, request: string | InjectOptions) {
  const { statusCode, body } = await app.inject(request)
  return statusCode === 200 ? body : `${statusCode} ${JSON.parse(body).code}`
}

interface Subject {
  scheme: VersioningSource | VersioningSource[]
  path?: string
  naming: (version: string) => InjectOptions
}

const subjects: Record<string, Subject> = {
  accept: {
    scheme: AcceptHeaderVersioning,
    naming: (version) => ({ url: '/a', headers: { accept: `a/b;version="${version}"` } })
  },
  contentType: {
    scheme: ContentTypeVersioning,
    naming: (version) => ({ url: '/a', headers: { 'content-type': `application/json;version="${version}"` } })
  },
  header: { scheme: HeaderVersioning, naming: (version) => ({ url: '/a', headers: { 'api-version': version } }) },
  query: { scheme: QueryParameterVersioning, naming: (version) => ({ url: `/a?version=${version}` }) },
  path: { scheme: URLPathVersioning, path: '/:version/a', naming: (version) => ({ url: `/${version}/a` }) },
  list: {
    scheme: [HeaderVersioning, QueryParameterVersioning],
    naming: (version) => ({ url: `/a?version=${version}`, headers: { 'api-version': version } })
  }
}

for (const [name, { scheme, path = '/a', naming }] of Object.entries(subjects)) {
  t.test(`under ${name} a version is resolved before it is checked`, async (t) => {
    const app = await appWith(t, { ...options, scheme })
    app.get(path, tell)
    const pairs = [['2026-01-01', '2025-11-15'], ['2025-06-01', '2025-06-01'], ['2030-01-01', '2026-03-01']]
    for (const [named, version] of pairs) {
      t.equal(await ask(app, naming(named)), version)
    }
    for (const named of ['banana', '2025-05-31', '2026-02-30']) {
      t.match(await ask(app, naming(named)), /^4\d\d FST_ERR_VERSION_/)
    }
  })

  t.test(`under ${name} the resolved version chooses the handler`, async (t) => {
    const app = await appWith(t, { ...options, scheme })
    for (const version of dates) app.get(path, { version }, async (request) => `${version} ${request.version}`)
    t.equal(await ask(app, naming('2026-01-01')), '2025-11-15 2025-11-15')
    t.equal(await ask(app, naming('2030-01-01')), '2026-03-01 2026-03-01')
    t.match(await ask(app, naming('banana')), /^4\d\d FST_ERR_VERSION_/)
  })
}

t.test('two names for one version are not ambiguous, but names for two versions are', async (t) => {
  const app = await appWith(t, { ...options, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/a', { version: dates }, tell)
  const both = (header: string, query: string) =>
    ask(app, { url: `/a?version=${query}`, headers: { 'api-version': header } })
  t.equal(await both('2025-12-01', '2026-01-01'), '2025-11-15')
  t.equal(await both('2025-12-01', '2026-04-01'), '400 FST_ERR_VERSION_AMBIGUOUS')
  t.equal(await both('banana', '2026-04-01'), '400 FST_ERR_VERSION_AMBIGUOUS')
  t.equal(await both('banana', 'banana'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  t.equal(await ask(app, { url: '/a', headers: { 'api-version': '2025-12-01, 2026-01-01' } }), '2025-11-15')
})

t.test('a name that resolves to null or undefined is refused, with the reason', async (t) => {
  const aliases = new Map([['latest', 'v2']])
  for (const resolveVersion of [(named: string) => aliases.get(named), (named: string) => aliases.get(named) ?? null]) {
    const app = await appWith(t, {
      scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], resolveVersion
    })
    showRefusals(app)
    app.get('/', tell)
    t.equal(await ask(app, { url: '/', headers: { 'api-version': 'latest' } }), 'v2')
    t.match((await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).json(), {
      reason: 'unsupported', detail: 'Invalid version in "API-Version" header. Versions: v1, v2.'
    })
  }
})

for (const [what, resolveVersion] of Object.entries<() => never>({
  'a number': () => 1 as never,
  'a promise': () => Promise.reject(new Error('x')) as never,
  'a throw': () => { throw Object.assign(new Error('secret'), { statusCode: 400 }) }
})) {
  t.test(`${what} in resolveVersion causes a 500, also where versions choose`, async (t) => {
    const app = await appWith(t, { ...options, resolveVersion })
    app.get('/', tell)
    app.get('/chosen', { version: dates[0] }, tell)
    for (const url of ['/?version=a', '/chosen?version=a']) {
      const response = await app.inject(url)
      t.equal(response.statusCode, 500)
      t.match(response.json(), {
        code: 'FST_ERR_VERSION_INVALID', message: 'The option "resolveVersion" must return a string, null or undefined.'
      })
    }
  })
}

t.test('links carry the resolved version', async (t) => {
  for (const [scheme, path, url, self] of [
    [QueryParameterVersioning, '/a', '/a?version=2026-01-01', '/a?version=2025-11-15'],
    [URLPathVersioning, '/:version/a', '/2026-01-01/a', '/2025-11-15/a']
  ] as const) {
    const app = await appWith(t, { ...options, scheme })
    app.get(path, { name: 'a' }, async (_request, reply) => [reply.reverse('a'), reply.reverse()])
    t.same((await app.inject(url)).json(), [self, self])
  }
})

t.test('a label of the host is resolved, and what resolves to a version that is not allowed is refused', async (t) => {
  const app = await appWith(t, {
    scheme: HostNameVersioning, allowedVersions: ['v1'], resolveVersion: (named) => named.toLowerCase()
  })
  app.get('/', { version: 'v1' }, tell)
  t.equal(await ask(app, { url: '/', headers: { host: 'V1.example.com' } }), 'v1')
  t.equal(await ask(app, { url: '/', headers: { host: 'V9.example.com' } }), '404 FST_ERR_VERSION_NOT_FOUND')
})

t.test('a name that cannot be resolved reaches no route where versions choose, not the open one either', async (t) => {
  const app = await appWith(t, options)
  app.get('/a', { version: '2025-06-01' }, tell)
  app.get('/a', tell)
  t.equal(await ask(app, '/a?version=2025-06-02'), '2025-06-01')
  t.equal(await ask(app, '/a?version=2026-01-01'), '2025-11-15')
  t.equal(await ask(app, '/a?version=2025-05-31'), '404 FST_ERR_VERSION_NOT_FOUND')
})

class LowerCase extends HeaderVersioning {
  override resolveVersion (named: string) {
    return named.toLowerCase()
  }
}
class Aliased extends HeaderVersioning {
  override readonly resolveVersion = (named: string) => named === 'V1' ? 'v2' : named
}
class Slow extends HeaderVersioning {
  override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}
const other = { resolveVersion: (named: string) => named === 'V1' ? 'v2' : null }
const resolving: [says: string, scheme: VersioningSource, options: VersioningOptions, version: string][] = [
  ['a method of a class without the option', LowerCase, {}, 'v1'],
  ['the option rather than a method of a class', LowerCase, other, 'v2'],
  ['a field of a class', Aliased, {}, 'v2'],
  ['the settings of an instance', new HeaderVersioning(other), {}, 'v2'],
  ['permit() of a scheme that determines the version itself', Slow, other, 'v2']
]

for (const [says, scheme, own, version] of resolving) {
  t.test(`versions are resolved by ${says}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], ...own })
    app.get('/', tell)
    t.equal(await ask(app, { url: '/', headers: { 'api-version': 'V1' } }), version)
  })
}

t.test('a usage event has the name that the client sent', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, options)
  app.get('/', tell)
  for (const named of ['2026-01-01', 'banana', '2025-01-01']) await app.inject(`/?version=${named}`)
  await app.inject('/')
  t.match(events, [
    { version: '2025-11-15', requested: '2026-01-01', place: 'query', isDefault: false, reason: null },
    { version: null, requested: 'banana', place: 'query', outcome: 'refused', reason: 'unsupported' },
    { version: null, requested: '2025-01-01', reason: 'unsupported' },
    { version: null, requested: null, place: null, isDefault: false, reason: 'missing' }
  ])
})

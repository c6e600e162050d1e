import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending, lifecycle, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const handler = async () => 'ok'
const gone: VersioningOptions = { enforceSunset: true, reportVersions: true, now: clockAt(SUNSET).now }

/** An app whose root has the first options, and whose child has the second. */
async function childWith (t: Test, root: VersioningOptions, child: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, { ...ending, ...root })
  app.get('/root', handler)
  app.register(async (context) => {
    await context.register(versioning, child)
    context.get('/child', handler)
  })
  return app
}

interface Override { says: string, child: VersioningOptions, statusCode: number, headers: object }

const overrides: Override[] = [
  { says: 'inherits all options', child: {}, statusCode: 410, headers: { deprecation: '@1767225600' } },
  { says: 'has another scheme', child: { scheme: QueryParameterVersioning }, statusCode: 410, headers: {} },
  {
    says: 'has its own lifecycle',
    child: { lifecycle: { v1: { deprecated: '2026-02-01' } } },
    statusCode: 200,
    headers: { deprecation: '@1769904000', sunset: undefined, 'api-deprecated-versions': 'v1' }
  },
  {
    says: 'has no lifecycle',
    child: { lifecycle: null },
    statusCode: 200,
    headers: { deprecation: undefined, 'api-supported-versions': 'v1, v2, v3', 'api-deprecated-versions': undefined }
  },
  {
    says: 'reports nothing',
    child: { reportVersions: false },
    statusCode: 410,
    headers: { deprecation: '@1767225600', 'api-supported-versions': undefined }
  },
  {
    says: 'enforces nothing',
    child: { enforceSunset: false },
    statusCode: 200,
    headers: { 'api-supported-versions': 'v1, v2, v3' }
  },
  {
    says: 'has another clock',
    child: { now: clockAt('2026-06-01').now },
    statusCode: 200,
    headers: { 'api-deprecated-versions': 'v1' }
  },
  {
    says: 'narrows the versions',
    child: { allowedVersions: ['v1'] },
    statusCode: 410,
    headers: { 'api-supported-versions': undefined }
  }
]

for (const { says, child, statusCode, headers } of overrides) {
  t.test(`a child context that ${says} answers ${statusCode} for a version that is gone`, async (t) => {
    const app = await childWith(t, gone, child)
    const response = await app.inject('/child?version=v1')
    t.equal(response.statusCode, statusCode)
    t.match(response.headers, headers)
    const root = await app.inject('/root?version=v1')
    t.equal(root.statusCode, 410)
    t.match(root.headers, {
      'content-type': 'application/json; charset=utf-8', deprecation: '@1767225600', 'api-supported-versions': 'v2, v3'
    })
  })
}

t.test('a registration applies to routes declared before it in its context', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: null })
  app.register(async (context) => {
    context.get('/', async (_request, reply) => reply.header('link', '</next>; rel="next"').send('ok'))
    await context.register(versioning, { lifecycle, ...gone })
  })
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.same(linksOf(await app.inject('/?version=v2')), [
    'next /next', 'successor-version /?version=v3', 'latest-version /?version=v3'
  ])
})

t.test('a registration takes the options of the context above from routes declared before it', async (t) => {
  const app = await appWith(t, { ...ending, ...gone })
  app.register(async (context) => {
    context.get('/', async (_request, reply) => reply.header('link', '</next>; rel="next"').send('ok'))
    await context.register(versioning, { lifecycle: null })
  })
  t.same(linksOf(await app.inject('/?version=v1')), ['next /next'])
})

t.test('a lifecycle applies to contexts that have a scheme', async (t) => {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], lifecycle })
  app.get('/plain', handler)
  app.register(async (context) => {
    await context.register(versioning, { scheme: QueryParameterVersioning })
    context.get('/', handler)
  })
  t.equal((await app.inject('/plain?version=v1')).headers.deprecation, undefined)
  t.equal((await app.inject('/?version=v1')).headers.deprecation, '@1767225600')
})

t.test('the ending of a route has priority over the ending of its version', async (t) => {
  const app = await appWith(t, { ...ending, ...gone, scheme: URLPathVersioning })
  const deprecated = { deprecated: '2026-02-01', info: '/moved' }
  app.get('/:version/old', { deprecated }, handler)
  for (const [version, links] of [
    ['v1', ['successor-version /v2/old', 'latest-version /v3/old']],
    ['v2', ['successor-version /v3/old', 'latest-version /v3/old']],
    ['v3', []]
  ]) {
    const response = await app.inject(`/${version as string}/old`)
    t.equal(response.statusCode, 200)
    t.match(response.headers, { deprecation: '@1769904000', sunset: undefined })
    t.same(linksOf(response), ['deprecation /moved', ...links])
  }
})

t.test('the ending of a route is enforced, whichever version is requested', async (t) => {
  const app = await appWith(t, { ...ending, ...gone, lifecycle: null })
  app.get('/', { deprecated: { sunset: SUNSET } }, handler)
  app.get('/other', handler)
  const response = await app.inject('/?version=v3')
  t.equal(response.statusCode, 410)
  t.equal(response.json().message, 'This URL was retired on Thu, 31 Dec 2026 23:59:59 GMT.')
  t.equal((await app.inject({ url: '/?version=v3', method: 'HEAD' })).statusCode, 410)
  t.equal((await app.inject('/other?version=v3')).statusCode, 200)
})

t.test('the ending of a route that has its own scheme is applied', async (t) => {
  const app = await appWith(t, { ...ending, scheme: null, lifecycle: null })
  const deprecated = { deprecated: '2026-01-01', info: '/moved' }
  app.get('/', { versioning: AcceptHeaderVersioning, deprecated }, async (_request, reply) => {
    return reply.header('link', '</next>; rel="next"').send('')
  })
  const response = await app.inject({ url: '/', headers: { accept: '*/*;version=v1' } })
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), ['next /next', 'deprecation /moved'])
})

t.test('the ending of a route without a scheme is not sent', async (t) => {
  const app = await appWith(t, { ...ending, scheme: null })
  app.get('/', { deprecated: { deprecated: '2026-01-01' } }, handler)
  t.equal((await app.inject('/')).headers.deprecation, undefined)
})

t.test('routes that share a URL have separate endings', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: null })
  app.get('/', { version: 'v1', deprecated: { deprecated: '2026-01-01' } }, handler)
  app.get('/', { version: { from: 'v2' } }, handler)
  t.equal((await app.inject('/?version=v1')).headers.deprecation, '@1767225600')
  t.equal((await app.inject('/?version=v2')).headers.deprecation, undefined)
})

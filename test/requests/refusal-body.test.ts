import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { AllowedVersions, VersioningOptions } from '../../types/index.d.ts'

const handler = async () => 'ok'

t.test('a refusal lists the versions that the URL answers', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'], reportVersions: true
  })
  showRefusals(app)
  app.get('/', { version: 'v2' }, handler)
  const response = await app.inject('/?version=v1')
  t.equal(response.headers['api-supported-versions'], 'v2')
  t.match(response.json(), { status: 404, detail: 'This URL answers GET in v2.', allowedVersions: ['v2'] })
})

const GONE = { deprecated: '2026-01-01', sunset: '2026-03-01' }
const NOW = Date.parse('2026-06-01')

interface Refusal {
  says: string
  options?: VersioningOptions
  declare: (app: FastifyInstance) => void
  request: InjectOptions
  status: number
  allowedVersions: string[]
  /** Where nothing is allowed by name there is no header. */
  hasReport?: false
}

function declareVersions (app: FastifyInstance): void {
  app.get('/', { version: 'v1', deprecated: GONE }, handler)
  app.get('/', { version: ['v2', 'v3'] }, handler)
}

const refusals: Refusal[] = [
  {
    says: 'a version that is not allowed',
    declare: declareVersions,
    request: { url: '/?version=v9' },
    status: 404,
    allowedVersions: ['v2', 'v3']
  },
  {
    says: 'a version that the URL does not serve',
    declare: declareVersions,
    request: { url: '/?version=v4' },
    status: 404,
    allowedVersions: ['v2', 'v3']
  },
  {
    says: 'a version that is gone by its route',
    declare: declareVersions,
    request: { url: '/?version=v1' },
    status: 410,
    allowedVersions: ['v2', 'v3']
  },
  {
    says: 'no version',
    declare: declareVersions,
    request: { url: '/' },
    status: 404,
    allowedVersions: ['v2', 'v3']
  },
  {
    says: 'a version that is not acceptable',
    options: { scheme: AcceptHeaderVersioning },
    declare: declareVersions,
    request: { url: '/', headers: { accept: '*/*;version=v9' } },
    status: 406,
    allowedVersions: ['v2', 'v3']
  },
  {
    says: 'a version that is gone in the whole app',
    options: { lifecycle: { v1: GONE } },
    declare: (app) => { app.get('/', handler) },
    request: { url: '/?version=v1' },
    status: 410,
    allowedVersions: ['v2', 'v3', 'v4']
  },
  {
    says: 'a version that is not allowed where another is gone',
    options: { lifecycle: { v1: GONE } },
    declare: (app) => { app.get('/', handler) },
    request: { url: '/?version=v9' },
    status: 404,
    allowedVersions: ['v2', 'v3', 'v4']
  },
  {
    says: 'a version in the path where another is gone',
    options: { scheme: URLPathVersioning, lifecycle: { v1: GONE } },
    declare: (app) => { app.get('/:version', handler) },
    request: { url: '/v9' },
    status: 404,
    allowedVersions: ['v2', 'v3', 'v4']
  },
  {
    says: 'a namespace that is gone',
    options: { scheme: NamespaceVersioning, lifecycle: { v1: GONE } },
    declare: (app) => { app.register(async (v1) => { v1.get('/', handler) }, { namespace: 'v1' }) },
    request: { url: '/' },
    status: 410,
    // The URL answers no other version.
    allowedVersions: [],
    hasReport: false
  },
  {
    says: 'a version that the URL does not serve where all are allowed',
    options: { allowedVersions: null },
    declare: (app) => { app.get('/', { version: 'v1' }, handler).get('/', { version: 'v2' }, handler) },
    request: { url: '/?version=v9' },
    status: 404,
    allowedVersions: ['v1', 'v2'],
    hasReport: false
  }
]

t.test('the refusal of two versions lists none where every version is allowed', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: [QueryParameterVersioning, HeaderVersioning], allowedVersions: null
  })
  showRefusals(app)
  app.get('/', handler)
  const response = await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })
  t.equal(response.statusCode, 400)
  t.equal(response.json().allowedVersions, null)
})

t.test('the refusal of a version that is gone lists none where an open route answers all others', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: null,
    lifecycle: { v1: GONE },
    enforceSunset: true,
    now: () => NOW
  })
  showRefusals(app)
  app.get('/', { version: 'v1' }, handler).get('/', { version: 'v2' }, handler).get('/', handler)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.equal(response.json().allowedVersions, null)
})

interface Seen { message: string, allowedVersions: AllowedVersions | null }

for (const { says, options, declare, request, status, allowedVersions, hasReport = true } of refusals) {
  async function refuse (isShown: boolean) {
    const app = Fastify()
    await app.register(versioning, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2', 'v3', 'v4'],
      reportVersions: true,
      enforceSunset: true,
      now: () => NOW,
      ...options
    })
    if (isShown) showRefusals(app)
    const seen: Seen[] = []
    app.addHook('onError', async (_request, _reply, error) => { seen.push(error as unknown as Seen) })
    declare(app)
    return { response: await app.inject(request), seen }
  }

  t.test(`the body of the refusal of ${says} lists the versions that the URL answers`, async (t) => {
    const { response } = await refuse(true)
    t.equal(response.statusCode, status)
    if (hasReport) t.equal(response.headers['api-supported-versions'], allowedVersions.join(', '))
    t.same(response.json().allowedVersions, allowedVersions)
  })

  t.test(`the error object for ${says} has the versions that the URL answers`, async (t) => {
    const { response, seen: [error] } = await refuse(false)
    t.equal(response.statusCode, status)
    t.same(error.allowedVersions, allowedVersions)
    const served = /^This URL answers GET in (.*)\.$/.exec(error.message)
    if (served !== null) t.same(served[1].split(', '), allowedVersions)
  })
}

t.test('the refusals of two concurrent requests each list the versions of their URL', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3']
  })
  showRefusals(app)
  app.get('/a', { version: 'v1' }, handler)
  app.get('/b', { version: ['v2', 'v3'] }, handler)
  app.get('/c', handler)
  const bodies = await Promise.all(['/a', '/b', '/c', '/a'].map(async (url) => app.inject(`${url}?version=v9`)))
  t.same(bodies.map((response) => response.json().allowedVersions), [
    ['v1'], ['v2', 'v3'], ['v1', 'v2', 'v3'], ['v1']
  ])
})

t.test('a refusal lists a version until it is gone', async (t) => {
  let now = Date.parse('2026-02-28T23:59:59Z')
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: GONE },
    enforceSunset: true,
    now: () => now
  })
  showRefusals(app)
  app.get('/', handler)
  t.same((await app.inject('/?version=v9')).json().allowedVersions, ['v1', 'v2'])
  now = Date.parse('2026-03-01')
  t.same((await app.inject('/?version=v9')).json().allowedVersions, ['v2'])
})

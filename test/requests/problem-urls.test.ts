import Fastify from 'fastify'
import { STATUS_CODES } from 'node:http'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

t.test('a problem has the URL of the request as seen from outside, and no page', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1'],
    problemDetails: true,
    baseUrl: 'https://example.com/api'
  })
  app.get('/b', async () => '')
  t.match((await app.inject('/b?version=v9')).json(), {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    instance: '/api/b',
    code: 'FST_ERR_VERSION_NOT_FOUND'
  })
})

async function problemOf (t: Test, options: VersioningOptions, request: InjectOptions) {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { sunset: '2026-01-01' } },
    enforceSunset: true,
    now: () => Date.parse('2026-06-01'),
    problemDetails: true,
    ...options
  })
  app.get('/b', async () => '').get('/any/*', async () => '').get('/', async () => '')
  const response = await app.inject(request)
  t.equal(response.headers['content-type'], 'application/problem+json')
  return response.json()
}

interface Instance { baseUrl: string | null, url: string, instance: string }

const instances: Instance[] = [
  { baseUrl: null, url: '/b', instance: '/b' },
  { baseUrl: 'https://example.com', url: '/b', instance: '/b' },
  { baseUrl: 'https://example.com/api', url: '/b?version=v9&x=/', instance: '/api/b' },
  { baseUrl: 'https://example.com/api/', url: '/b', instance: '/api/b' },
  { baseUrl: 'https://example.com/a/größe', url: '/b', instance: '/a/gr%C3%B6%C3%9Fe/b' },
  { baseUrl: 'https://example.com/api', url: '/', instance: '/api/' },
  { baseUrl: 'https://example.com/api', url: '/any/%3Cb%3E', instance: '/api/any/%3Cb%3E' }
]

for (const { baseUrl, url, instance } of instances) {
  t.test(`the instance of a problem at ${url} is ${instance} with baseUrl ${baseUrl}`, async (t) => {
    t.equal((await problemOf(t, { baseUrl }, { url })).instance, instance)
  })
}

t.test('the instance of a problem has the base URL of its child context', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1'], problemDetails: true, baseUrl: 'https://example.com/api'
  })
  app.register(async (context) => {
    await context.register(versioning, { baseUrl: 'https://example.com/other' })
    context.get('/c', async () => '')
  })
  t.equal((await app.inject('/c?version=v9')).json().instance, '/other/c')
})

interface Kind { code: string, status: number, options?: VersioningOptions, request: InjectOptions }

const kinds: Kind[] = [
  { code: 'FST_ERR_VERSION_NOT_FOUND', status: 404, request: { url: '/b?version=v9' } },
  { code: 'FST_ERR_VERSION_GONE', status: 410, request: { url: '/b?version=v1' } },
  {
    code: 'FST_ERR_VERSION_NOT_ACCEPTABLE',
    status: 406,
    options: { scheme: AcceptHeaderVersioning },
    request: { url: '/b', headers: { accept: '*/*;version=v9' } }
  },
  {
    code: 'FST_ERR_VERSION_NOT_FOUND',
    status: 400,
    options: { statusCodes: { notFound: 400 } },
    request: { url: '/b?version=v9' }
  }
]

for (const { code, status, options, request } of kinds) {
  t.test(`a ${status} ${code} without a base has the type about:blank, and the title of its status`, async (t) => {
    t.match(await problemOf(t, { ...options }, request), {
      type: 'about:blank', title: STATUS_CODES[status] as string, status, code
    })
  })

  t.test(`a ${status} ${code} with a base has its own type`, async (t) => {
    const problem = await problemOf(t, { ...options, problemDetails: { base: 'https://errors.example.com/' } }, request)
    t.equal(problem.type, `https://errors.example.com/#${code.toLowerCase()}`)
    t.equal(problem.code, code)
  })
}

import t from 'tap'

import { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { clockAt } from '../fixtures/lifecycle.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyRequest } from 'fastify'
import type { EnforcedSunset, VersioningOptions } from '../../types/index.d.ts'

const options: VersioningOptions = {
  scheme: QueryParameterVersioning,
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { sunset: '2026-01-01' } },
  now: clockAt('2026-02-01').now
}

async function tell (request: FastifyRequest) {
  return String(request.version)
}

t.test('enforceSunset decides for each request past the sunset', async (t) => {
  const asked: EnforcedSunset[] = []
  const { now, set } = clockAt('2025-12-31')
  const app = await appWith(t, {
    ...options,
    now,
    enforceSunset (ending) {
      asked.push(ending)
      return ending.request.headers['x-api-key'] !== 'extended'
    }
  })
  app.get('/', tell)
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
  t.equal(asked.length, 0)
  set('2026-01-01')
  t.equal((await app.inject('/?version=v1')).statusCode, 410)
  t.equal((await app.inject({ url: '/?version=v1', headers: { 'x-api-key': 'extended' } })).body, 'v1')
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
  t.same(asked.map(({ version, sunset }) => [version, sunset]), Array(2).fill(['v1', new Date('2026-01-01')]))
  t.equal(asked[0].request.version, 'v1')
})

t.test('enforceSunset decides for handlers chosen by version, and for the end of a route', async (t) => {
  const app = await appWith(t, {
    ...options, scheme: HeaderVersioning, enforceSunset: ({ request }) => request.method !== 'HEAD'
  })
  app.get('/', { version: 'v1' }, tell)
  app.get('/end', { deprecated: { sunset: '2026-01-01' } }, tell)
  const headers = { 'api-version': 'v1' }
  for (const url of ['/', '/end']) {
    t.equal((await app.inject({ url, headers })).statusCode, 410)
    t.equal((await app.inject({ method: 'HEAD', url, headers })).statusCode, 200)
  }
})

for (const [what, enforceSunset] of Object.entries<() => never>({
  'throws an error': () => { throw Object.assign(new Error('secret'), { statusCode: 403 }) },
  'returns a promise': () => Promise.reject(new Error('x')) as never,
  'returns undefined': () => undefined as never,
  'returns a text': () => 'yes' as never
})) {
  t.test(`an enforceSunset that ${what} causes a 500`, async (t) => {
    const app = await appWith(t, { ...options, enforceSunset })
    app.get('/', tell)
    const response = await app.inject('/?version=v1')
    t.equal(response.statusCode, 500)
    t.match(response.json(), {
      code: 'FST_ERR_VERSION_INVALID', message: 'The option "enforceSunset" must return a boolean.'
    })
    t.equal((await app.inject('/?version=v2')).statusCode, 200)
  })
}

t.test('usage events distinguish requests that are gone from exceptions', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...options, enforceSunset: ({ request }) => !request.headers['x-api-key'] })
  app.get('/', tell)
  await app.inject('/?version=v1')
  await app.inject({ url: '/?version=v1', headers: { 'x-api-key': 'a' } })
  t.match(events, [{ outcome: 'gone', reason: 'gone', version: 'v1' }, { outcome: 'ok', reason: null, version: 'v1' }])
})

import t from 'tap'

import versioning, {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, VersionBrownoutError
} from '../../src/index.ts'
import { readVersionNotice } from '../../src/client/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { clockAt } from '../fixtures/lifecycle.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const brownouts = [
  { from: '2026-12-01T10:00Z', to: '2026-12-01T12:00Z' },
  { from: '2026-12-15T10:00Z', to: '2026-12-15T11:00Z' },
  { from: '2026-12-15T11:00Z', to: '2026-12-15T11:30Z' }
]
const options: VersioningOptions = {
  scheme: QueryParameterVersioning,
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2026-12-31', brownouts } }
}

async function tell (request: FastifyRequest) {
  return String(request.version)
}

t.test('a version in a brownout answers 410, says when to try again, and is not stored', async (t) => {
  const { now, set } = clockAt('2026-12-01T11:30Z')
  const app = await appWith(t, { ...options, now })
  app.get('/', tell)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.match(response.headers, {
    'retry-after': '1800',
    'cache-control': 'no-store',
    sunset: 'Thu, 31 Dec 2026 00:00:00 GMT',
    deprecation: '@1767225600'
  })
  t.same(response.json(), {
    statusCode: 410,
    code: 'FST_ERR_VERSION_BROWNOUT',
    error: 'Gone',
    message: "Version 'v1' is in a brownout until Tue, 01 Dec 2026 12:00:00 GMT, " +
      'and ends on Thu, 31 Dec 2026 00:00:00 GMT.'
  })
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
  set('2026-12-01T12:00Z')
  const after = await app.inject('/?version=v1')
  t.equal(after.statusCode, 200)
  t.equal(after.headers['cache-control'], undefined)
  t.equal(after.headers['retry-after'], undefined)
})

for (const [instant, status, retryAfter] of [
  ['2026-12-01T09:59:59.999Z', 200, undefined],
  ['2026-12-01T10:00Z', 410, '7200'],
  ['2026-12-01T11:59:59.001Z', 410, '1'],
  ['2026-12-15T10:30Z', 410, '3600'],
  ['2026-12-15T11:00Z', 410, '1800'],
  ['2026-12-15T11:30Z', 200, undefined]
] as const) {
  t.test(`a version with brownouts answers ${status} at ${instant}`, async (t) => {
    const app = await appWith(t, { ...options, now: clockAt(instant).now })
    app.get('/', tell)
    const { statusCode, headers } = await app.inject('/?version=v1')
    t.equal(statusCode, status)
    t.equal(headers['retry-after'], retryAfter)
  })
}

t.test('brownouts hold for HEAD, for chosen handlers, and under every scheme', async (t) => {
  const { now } = clockAt('2026-12-01T10:00Z')
  const app = await appWith(t, { ...options, scheme: HeaderVersioning, now })
  app.get('/', { version: 'v1' }, tell)
  app.get('/', { version: 'v2' }, tell)
  const headers = { 'api-version': 'v1' }
  t.equal((await app.inject({ url: '/', headers })).statusCode, 410)
  const head = await app.inject({ method: 'HEAD', url: '/', headers })
  t.equal(head.statusCode, 410)
  t.equal(head.headers['retry-after'], '7200')
  const path = await appWith(t, { ...options, scheme: URLPathVersioning, now })
  path.get('/:version/a', tell)
  t.equal((await path.inject('/v1/a')).statusCode, 410)
  const namespace = await appWith(t, { ...options, scheme: [NamespaceVersioning, HeaderVersioning], now })
  namespace.register(async (context) => { context.get('/v1', tell) }, { namespace: 'v1' })
  t.equal((await namespace.inject('/v1')).statusCode, 410)
})

t.test('a version past its sunset has no brownouts', async (t) => {
  for (const [enforceSunset, status, code] of [[false, 200], [true, 410, 'FST_ERR_VERSION_GONE']] as const) {
    const app = await appWith(t, { ...options, enforceSunset, now: clockAt('2026-12-31').now })
    app.get('/', tell)
    const response = await app.inject('/?version=v1')
    t.equal(response.statusCode, status)
    if (code !== undefined) t.equal(response.json().code, code)
  }
})

t.test('a handler, a hook or an error handler cannot allow the answer of a brownout to be stored', async (t) => {
  const app = await appWith(t, { ...options, now: clockAt('2026-12-01T10:00Z').now })
  app.addHook('onSend', async (_request, reply) => { reply.header('cache-control', 'public, max-age=86400') })
  app.get('/', tell)
  t.equal((await app.inject('/?version=v1')).headers['cache-control'], 'no-store')
  t.equal((await app.inject('/?version=v2')).headers['cache-control'], 'public, max-age=86400')
})

t.test('the links of info announce the next brownouts', async (t) => {
  const { now, set } = clockAt('2026-11-01')
  const app = await appWith(t, {
    ...options, scheme: HeaderVersioning, now, lifecycle: { v1: { sunset: '2026-12-31', info: '/leaving', brownouts } }
  })
  app.get('/', tell)
  const linkAt = async (date: string) => {
    set(date)
    return (await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).headers.link
  }
  t.equal(await linkAt('2026-11-01'), '</leaving>; rel="deprecation", </leaving>; rel="sunset"; brownouts="' +
    '2026-12-01T10:00:00Z/2026-12-01T12:00:00Z 2026-12-15T10:00:00Z/2026-12-15T11:00:00Z ' +
    '2026-12-15T11:00:00Z/2026-12-15T11:30:00Z"')
  t.match(await linkAt('2026-12-15T11:00Z'), /; brownouts="2026-12-15T11:00:00Z\/2026-12-15T11:30:00Z"$/)
  t.equal(await linkAt('2026-12-16'), '</leaving>; rel="deprecation", </leaving>; rel="sunset"')
})

t.test('a route has its own brownouts, instead of the brownouts of its version', async (t) => {
  const app = await appWith(t, { ...options, now: clockAt('2026-12-01T10:00Z').now })
  app.get('/own', { deprecated: { sunset: '2027-01-01' } }, tell)
  app.get('/both', { deprecated: { deprecated: '2026-01-01', brownouts } }, tell)
  t.equal((await app.inject('/own?version=v1')).statusCode, 200)
  const response = await app.inject('/both?version=v2')
  t.equal(response.statusCode, 410)
  t.equal(response.json().message, 'This URL is in a brownout until Tue, 01 Dec 2026 12:00:00 GMT.')
})

t.test('a child context inherits brownouts, or overrides them', async (t) => {
  const app = await appWith(t, { ...options, now: clockAt('2026-12-01T10:00Z').now })
  app.register(async (context) => { context.get('/inherited', tell) })
  app.register(async (context) => {
    await context.register(versioning, { lifecycle: null })
    context.get('/without', tell)
  })
  t.equal((await app.inject('/inherited?version=v1')).statusCode, 410)
  t.equal((await app.inject('/without?version=v1')).statusCode, 200)
})

t.test('an error handler gets the error of a brownout, and problem details have its reason', async (t) => {
  const app = await appWith(t, {
    ...options, problemDetails: { base: '/e' }, statusCodes: { brownout: 403 }, now: clockAt('2026-12-01T10:00Z').now
  })
  const seen: unknown[] = []
  app.addHook('onError', async (request, _reply, error) => {
    const { reason, allowedVersions } = error as VersionBrownoutError
    seen.push(error instanceof VersionBrownoutError, reason, allowedVersions, request.version)
  })
  app.get('/', tell)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 403)
  t.match(response.json(), {
    type: '/e#fst_err_version_brownout', code: 'FST_ERR_VERSION_BROWNOUT', reason: 'brownout', status: 403
  })
  t.same(seen, [true, 'brownout', ['v1', 'v2'], 'v1'])
})

t.test('a usage event has the outcome and the reason of a brownout', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...options, defaultVersion: 'v1', now: clockAt('2026-12-01T10:00Z').now })
  app.get('/', tell)
  await app.inject('/?version=v1')
  await app.inject('/')
  const outcome = { version: 'v1', outcome: 'brownout', reason: 'brownout' }
  t.match(events, [{ ...outcome, isDefault: false, place: 'query' }, { ...outcome, isDefault: true, place: null }])
})

t.test('the notice of the client distinguishes a brownout from the end', async (t) => {
  const app = await appWith(t, { ...options, now: clockAt('2026-12-01T11:00Z').now })
  app.get('/', tell)
  const { headers, statusCode } = await app.inject('/?version=v1')
  t.equal(headers['retry-after'], '3600')
  const notice = readVersionNotice({ headers, statusCode }, 'https://api.example.com/', { version: 'v1' })
  t.match(notice, { isGone: false })
})

t.test('a clock that fails causes a 500 only for versions with brownouts', async (t) => {
  const app = await appWith(t, { ...options, now: () => NaN })
  app.get('/', tell)
  t.equal((await app.inject('/?version=v1')).statusCode, 500)
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
})

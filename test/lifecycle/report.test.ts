import t from 'tap'

import versioning, {
  HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { clockAt, ending, linksOf } from '../fixtures/lifecycle.ts'

import type { LightMyRequestResponse } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

/** The two headers of a response. */
function reportOf ({ headers }: LightMyRequestResponse): unknown[] {
  return [headers['api-supported-versions'], headers['api-deprecated-versions']]
}

const deprecated = { deprecated: '2026-01-01' }
const options: VersioningOptions = { reportVersions: true, now: clockAt('2026-06-01').now }

t.test('the report changes when a version is deprecated, and when it is gone', async (t) => {
  const { now, set } = clockAt('2025-01-01')
  const app = await appWith(t, { ...ending, ...options, enforceSunset: true, now })
  app.get('/', ok)
  for (const [date, ...report] of [
    ['2025-12-31T23:59:59.999Z', 'v1, v2, v3', undefined], ['2026-01-01', 'v1, v2, v3', 'v1'],
    ['2026-09-01', 'v1, v2, v3', 'v1, v2'], ['2026-12-31T23:59:58.999Z', 'v1, v2, v3', 'v1, v2'],
    ['2026-12-31T23:59:59Z', 'v2, v3', 'v2'], ['2026-06-01', 'v1, v2, v3', 'v1']
  ] as const) {
    set(date)
    t.same(reportOf(await app.inject('/?version=v3')), report)
  }
})

t.test('a version with only a sunset is reported as deprecated from then on, unless none is left', async (t) => {
  const { now, set } = clockAt('2026-01-01')
  const lifecycle = { v1: { sunset: '2026-06-01' } }
  const app = await appWith(t, { ...ending, ...options, now, lifecycle })
  const alone: VersioningOptions = { allowedVersions: ['v1'], enforceSunset: true }
  const single = await appWith(t, { ...ending, ...options, now, lifecycle, ...alone })
  for (const one of [app, single]) one.get('/', ok)
  t.same(reportOf(await app.inject('/?version=v3')), ['v1, v2, v3', undefined])
  set('2026-06-01')
  t.same(reportOf(await app.inject('/?version=v3')), ['v1, v2, v3', 'v1'])
  t.same(reportOf(await single.inject('/?version=v1')), [undefined, undefined])
})

t.test('versions are reported in release order, without null and the default version', async (t) => {
  const allowedVersions = ['2', null, '10', '1']
  const app = await appWith(t, { ...ending, ...options, lifecycle: null, allowedVersions, defaultVersion: '0' })
  app.get('/', ok)
  app.get('/only', { versioning: URLPathVersioning }, ok)
  t.same(reportOf(await app.inject('/')), ['2, 10, 1', undefined])
  t.same(reportOf(await app.inject('/only')), [undefined, undefined], 'where a URL has the default version alone')
})

t.test('the report of a URL depends on the method', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  for (const version of ['v1', 'v3']) app.get('/', { version }, ok)
  app.post('/', { version: ['v2', 'v3'] }, ok)
  for (const version of ['v1', 'v2', 'v9']) {
    t.same(reportOf(await app.inject(`/?version=${version}`)), ['v1, v3', 'v1'], version)
  }
  t.same(reportOf(await app.inject({ url: '/?version=v3', method: 'POST' })), ['v2, v3', undefined])
})

t.test('each scheme reports its own versions', async (t) => {
  const app = await appWith(t, { ...ending, ...options, scheme: URLPathVersioning })
  app.get('/:version', ok)
  app.get('/own', { versioning: new HostNameVersioning({ allowedVersions: ['v2', 'v4'] }) }, ok)
  app.get('/other', { versioning: new HostNameVersioning({ allowedVersions: ['v4'] }) }, ok)
  const list = [new URLPathVersioning({ allowedVersions: ['v1', 'v2'] }), QueryParameterVersioning]
  app.get('/list/:version', { version: ['v1', 'v3'], versioning: list }, ok)
  app.register(async (context) => {
    await context.register(versioning, { allowedVersions: ['v1', 'v5'] })
    context.get('/context/:version', ok)
  })
  t.same(reportOf(await app.inject('/v1')), ['v1, v2, v3', 'v1'])
  t.same(reportOf(await app.inject({ url: '/own', headers: { host: 'v4.a.b' } })), ['v2, v4', undefined])
  t.same(reportOf(await app.inject({ url: '/other', headers: { host: 'v4.a.b' } })), ['v4', undefined])
  t.same(reportOf(await app.inject('/context/v5')), ['v1, v5', 'v1'])
  t.same(reportOf(await app.inject('/list/v1')), ['v1', 'v1'], 'where claims are for more than the path can have')
})

t.test('the clock is read once per request', async (t) => {
  let count = 0
  const now = () => Date.parse('2026-12-31T23:59:59Z') - 1 + count++
  const app = await appWith(t, { ...ending, ...options, enforceSunset: true, now })
  app.get('/', ok)
  await app.ready()
  count = 0
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 200)
  t.equal(count, 1)
  t.same(reportOf(response), ['v1, v2, v3', 'v1, v2'])
})

t.test('a route in a namespace names only its version, in its report and its 410', async (t) => {
  const settings = { ...ending, ...options, enforceSunset: true, now: clockAt('2027-06-01').now }
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (context) => { context.get('/old', ok) }, { prefix: `/${namespace}`, namespace })
  }
  t.same(reportOf(await app.inject('/v2/old')), ['v2', 'v2'])
  const gone = await app.inject('/v1/old')
  t.equal(gone.json().message, "Version 'v1' was retired on Thu, 31 Dec 2026 23:59:59 GMT.")
  t.same(reportOf(gone), [undefined, undefined])
})

t.test('a path without a place for the version reports the default version', async (t) => {
  const app = await appWith(t, { ...ending, ...options, scheme: URLPathVersioning, defaultVersion: 'v2' })
  app.get('/:version/a', ok)
  app.get('/b', ok)
  t.same(reportOf(await app.inject('/v1/a')), ['v1, v2, v3', 'v1'])
  t.same(reportOf(await app.inject('/b')), ['v2', undefined])
})

const withPreviews: VersioningOptions = {
  scheme: QueryParameterVersioning,
  allowedVersions: ['v1', 'v2', 'v3', 'v4'],
  lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { preview: true }, v4: { preview: true, sunset: '2026-12-31' } },
  reportVersions: true
}

t.test('a released version may follow a preview, which no report has and no link leads to', async (t) => {
  const app = await appWith(t, { ...withPreviews, lifecycle: { v1: deprecated, v2: { preview: true } } })
  app.get('/', ok)
  const response = await app.inject('/?version=v1')
  t.same(linksOf(response), ['successor-version /?version=v3', 'latest-version /?version=v4'])
  t.same(reportOf(response), ['v1, v3, v4', 'v1'])
  // It is not retired, and so has no successor itself.
  t.same(linksOf(await app.inject('/?version=v2')), [])
})

for (const [says, dates, deprecation, sunset, link] of [
  ['no date', {}],
  ['a deprecation', { deprecated: '2026-01-01' }, '@1767225600', undefined, '</docs>; rel="deprecation"'],
  ['a sunset', { sunset: '2026-12-31' }, undefined, 'Thu, 31 Dec 2026 00:00:00 GMT', '</docs>; rel="sunset"']
] as const) {
  t.test(`the response of a preview with ${says} says so, with a link to its info`, async (t) => {
    const app = await appWith(t, { ...withPreviews, lifecycle: { v4: { preview: true, info: '/docs', ...dates } } })
    app.get('/', ok)
    const { headers } = await app.inject('/?version=v4')
    t.same([headers.deprecation, headers.sunset, headers.link], [deprecation, sunset, link])
  })
}

t.test('no versions are reported where every version is allowed', async (t) => {
  for (const [scheme, allowedVersions] of [
    [NamespaceVersioning, null], [QueryParameterVersioning, null], [QueryParameterVersioning, []]
  ] as const) {
    const app = await appWith(t, { ...options, scheme, allowedVersions })
    app.register(async (v1) => { v1.get('/', { deprecated }, ok) }, { prefix: '/v1', namespace: 'v1' })
    const response = await app.inject('/v1?version=v1')
    t.same([response.headers.deprecation, ...reportOf(response)], ['@1767225600', undefined, undefined])
  }
})

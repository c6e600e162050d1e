import t from 'tap'

import { HeaderVersioning, HostNameVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const settings = { scheme: HeaderVersioning, allowedVersions: ['v1', null, 'v2', 'v3'], defaultVersion: 'v0' }

type Given = Parameters<FastifyRequest['isVersion']>[0]

/** Answers what `isVersion` returns, or the error. */
async function appFor (t: Test, given: unknown, options: VersioningOptions = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { ...settings, ...options })
  app.get('/', async (request) => ({ is: request.isVersion(given as Given) }))
  app.get('/neutral', { versioning: false }, async (request) => ({ is: request.isVersion(given as Given) }))
  return app
}

const ranges: [given: Given, versions: string][] = [
  ['v2', 'v2'],
  ['v0', 'v0'],
  [['v1', 'v3'], 'v1 v3'],
  [['v0', 'v3'], 'v0 v3'],
  [{ from: 'v2' }, 'v2 v3'],
  [{ to: 'v2' }, 'v1 v2'],
  [{ from: 'v2', to: 'v2' }, 'v2'],
  [{ from: 'v1', to: 'v3' }, 'v1 v2 v3']
]

for (const [given, versions] of ranges) {
  t.test(`isVersion(${JSON.stringify(given)}) is true only for ${versions}`, async (t) => {
    const app = await appFor(t, given)
    const found = []
    for (const version of ['v0', 'v1', 'v2', 'v3']) {
      const { is } = (await app.inject({ url: '/', headers: { 'api-version': version } })).json()
      if (is === true) found.push(version)
      else t.equal(is, false)
    }
    t.equal(found.join(' '), versions)
    t.equal((await app.inject('/neutral')).json().is, false)
  })

  t.test(`isVersion(${JSON.stringify(given)}) is false for a request without a version`, async (t) => {
    const allowedVersions = ['v0', ...settings.allowedVersions]
    const app = await appFor(t, given, { defaultVersion: null, allowedVersions })
    t.equal((await app.inject('/')).json().is, false)
  })
}

const wrong: [given: unknown, message: string | RegExp][] = [
  ['v9', "expected one of allowedVersions, [ 'v1', 'v2', 'v3' ], got 'v9'. Did you mean 'v1'?"],
  ['', /got ''\./],
  [['v1', 'V2'], "expected one of allowedVersions, [ 'v1', 'v2', 'v3' ], got 'V2'. Did you mean 'v2'?"],
  [{ from: 'version' }, "expected one of allowedVersions, [ 'v1', 'v2', 'v3' ], got 'version'."],
  [{ from: 'v0' }, /got 'v0'\./],
  [{ to: 2 }, /got 2\./],
  [{ from: null }, /got null\./],
  [{ from: 'v3', to: 'v1' }, /expected a range in the order of allowedVersions, .+, got { from: 'v3', to: 'v1' }\./],
  [{ since: 'v1' }, 'expected a version, a list of versions, or a range { from, to }, got { since: \'v1\' }.'],
  [{}, /got {}\./],
  [[], /got \[\]\./],
  [[null], /got null\./],
  [null, /got null\./],
  [2, /got 2\./],
  [undefined, /got undefined\./]
]

for (const [given, message] of wrong) {
  t.test(`isVersion(${JSON.stringify(given)}) throws an error`, async (t) => {
    const app = await appFor(t, given)
    const expected = typeof message === 'string' ? `Invalid argument of isVersion(): ${message}` : message
    t.match((await app.inject('/')).json(), { statusCode: 500, code: 'FST_ERR_VERSION_RANGE', message: expected })
  })
}

t.test('isVersion() takes any version where every version is allowed, but no range', async (t) => {
  for (const allowedVersions of [null, []]) {
    const app = await appFor(t, ['v7', 'v8'], { allowedVersions })
    t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v8' } })).json().is, true)
    const ranged = await appFor(t, { from: 'v7' }, { allowedVersions })
    t.match((await ranged.inject('/')).json(), { message: /because a range needs allowedVersions, got { from: 'v7' }/ })
  }
})

t.test('isVersion() is false before the version is determined, and after a refusal', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
  const seen: boolean[] = []
  app.addHook('onResponse', async (request) => { seen.push(request.isVersion('v1')) })
  app.register(async (api) => { api.get('/a', async () => '') }, { prefix: '/v1', namespace: 'v1' })
  app.register(async (api) => { api.get('/a', async () => '') }, { prefix: '/v2', namespace: 'v2' })
  t.equal((await app.inject('/v1/a')).statusCode, 200)
  t.equal((await app.inject('/v2/a')).statusCode, 404)
  t.equal((await app.inject('/none')).statusCode, 404)
  t.same(seen, [true, false, false])
})

t.test('a version that a scheme without allowedVersions does not allow is an error', async (t) => {
  class Odd extends HeaderVersioning {
    override isAllowedVersion (version: string) { return version !== 'v2' }
  }
  const app = await appFor(t, 'v2', { scheme: Odd, allowedVersions: null })
  const { statusCode, json } = await app.inject('/')
  t.equal(statusCode, 500)
  t.equal(json().code, 'FST_ERR_VERSION_RANGE')
  const own = await appFor(t, 'v9', { scheme: Odd })
  t.equal((await own.inject({ url: '/', headers: { 'api-version': 'v9' } })).json().is, true)
})

t.test('isVersion() uses the order of the scheme of the route', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
  const scheme = new URLPathVersioning({ allowedVersions: ['v2', 'v1'] })
  app.get('/:version/a', { versioning: scheme }, async (request) => request.isVersion({ from: 'v1' }))
  app.get('/b', async (request) => request.isVersion({ from: 'v2' }))
  t.equal((await app.inject('/v2/a')).body, 'false')
  t.equal((await app.inject('/v1/a')).body, 'true')
  t.equal((await app.inject({ url: '/b', headers: { host: 'v1.a.b' } })).body, 'false')
})

import t from 'tap'

import { HeaderVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningScheme } from '../../types/index.d.ts'

const settings = { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1' }

t.test('the refusals of a list report the versions that the URL answers', async (t) => {
  const app = await appWith(t, {
    ...settings, scheme: [HeaderVersioning, QueryParameterVersioning], reportVersions: true
  })
  showRefusals(app)
  app.get('/b', { version: 'v3' }, async () => '')
  for (const [url, headers] of [['/b', {}], ['/b', { 'api-version': 'v9' }], ['/b?version=v9', {}]] as const) {
    t.same((await app.inject({ url, headers })).json().allowedVersions, ['v3'], url)
  }
})

t.test('a member of a list determines the version that it has read', async (t) => {
  class Latest extends QueryParameterVersioning {
    override isAllowedVersion (version: string | null) {
      return version === 'latest' || super.isAllowedVersion(version)
    }

    override permit (version: string | null) {
      return version === 'latest' ? 'v3' : super.permit(version)
    }
  }
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, Latest] })
  app.get('/b', async ({ version }) => version)
  t.equal((await app.inject('/b?version=latest')).body, 'v3')
})

t.test('a version that a proxy has changed is refused by the scheme that read it', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, HostNameVersioning] }, { trustProxy: true })
  for (const version of ['v1', 'v2']) app.get('/b', { version }, async () => version)
  const response = await app.inject({ url: '/b', headers: { host: 'a.b', 'x-forwarded-host': 'v2.a.b' } })
  t.match(response.json(), { statusCode: 404, message: 'Invalid version in hostname.' })
})

t.test('the message about an ambiguous version has only visible ASCII', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/b', async () => '')
  const response = await app.inject({ url: '/b?version=%e2%80%ae', headers: { 'api-version': 'v1' } })
  t.match(response.json(), { statusCode: 400, message: /^[\x20-\x7e]+$/ })
})

t.test('a member of a list refuses a request that no version-neutral route takes', async (t) => {
  class Failing extends HeaderVersioning {
    override isAllowedVersion (): boolean { throw new Error('broken') }
  }
  const own = new QueryParameterVersioning({ allowedVersions: ['v1'] })
  const app = await appWith(t, { scheme: [own, Failing], allowedVersions: ['v1', 'v2'] })
  app.get('/a', { version: ['v1', 'v2'] }, async () => 'any')
  t.equal((await app.inject('/a?version=v2')).statusCode, 404)
  t.equal((await app.inject('/a?version=v1')).body, 'any')
  t.equal((await app.inject({ url: '/a', headers: { 'api-version': 'v1' } })).statusCode, 500)
})

/** What the scheme of a list answers to a request, where the query has versions that no other place has. */
async function askList (
  t: Test, request: InjectOptions | string, call: (list: VersioningScheme, request: FastifyRequest) => unknown
): Promise<unknown> {
  const own = new QueryParameterVersioning({ allowedVersions: ['v9'] })
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, own] })
  app.get('/', async (request) => ({ answer: await call(request.versioningScheme as VersioningScheme, request) }))
  return (await app.inject(request)).json().answer
}

for (const [url, version] of [['/', null], ['/?version=v9', 'v9']] as const) {
  t.test(`readVersion() of a list returns ${version} for ${url}`, async (t) => {
    t.equal(await askList(t, url, (list, request) => list.readVersion?.(request)), version)
  })
}

for (const [url, version] of [['/', 'v1'], ['/?version=v9', 'v9']] as const) {
  t.test(`determineVersion() of a list returns ${version} for ${url}`, async (t) => {
    t.equal(await askList(t, url, (list, request) => list.determineVersion(request)), version)
  })
}

t.test('determineVersion() of a list throws where the request specifies different versions', async (t) => {
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme })
  app.setErrorHandler(async (_error, request) => {
    t.throws(() => request.versioningScheme?.determineVersion(request), { code: 'FST_ERR_VERSION_AMBIGUOUS' })
    return 'handled'
  })
  app.get('/', async () => '')
  t.equal((await app.inject({ url: '/?version=v2', headers: { 'api-version': 'v1' } })).body, 'handled')
})

for (const { says, passed, code } of [
  { says: 'comes from the place that specifies the version', passed: true, code: 'FST_ERR_VERSION_NOT_FOUND' },
  { says: 'without a request comes from the first scheme', passed: false, code: 'FST_ERR_VERSION_NOT_SUPPORTED' }
]) {
  t.test(`refusal() of a list ${says}`, async (t) => {
    t.match(await askList(t, '/?version=v9', (list, request) => {
      const { code, message } = list.refusal?.('Mine.', passed ? request : undefined) as Error & { code: string }
      return { code, message }
    }), { code, message: 'Mine.' })
  })
}

t.test('refusal() of a list comes from the first scheme if the request has no version', async (t) => {
  const code = await askList(t, '/', (list, request) => (list.refusal?.(undefined, request) as { code?: string }).code)
  t.equal(code, 'FST_ERR_VERSION_NOT_SUPPORTED')
})

t.test('a list refuses a name that cannot be resolved where versions choose handlers', async (t) => {
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme, resolveVersion: (name) => name === 'new' ? 'v2' : null })
  app.get('/', { version: 'v2' }, async () => 'two')
  t.equal((await app.inject('/?version=new')).body, 'two')
  t.equal((await app.inject('/?version=v2')).statusCode, 404)
})

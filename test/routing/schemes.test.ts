import t from 'tap'

import { BaseVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { allowedVersions, appOf, ask, expectAnswers, get, settings } from './app.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'

class HeaderVersioning extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version']?.toString() }
}

const named = (version: string) => ({ headers: { 'x-api-version': version } })

t.test('a forwarded host that specifies another version is refused, never served by the wrong route', async (t) => {
  const app = await appOf(t, { scheme: HostNameVersioning, allowedVersions }, [
    get('/a', 'one', 'v1'), get('/a', 'two', 'v2'), get('/b', 'one', 'v1'),
    get('/b', 'rest'), get('/c', 'both', ['v1', 'v2'])
  ], { trustProxy: true })
  const answers: [url: string, host: string, forwarded: string, answer: string][] = [
    ['/a', 'v1', 'v2', '404 Invalid version in hostname.'],
    ['/b', 'v3', 'v1', '404 Invalid version in hostname.'],
    ['/b', 'v1', 'v3', '404 Invalid version in hostname.'],
    ['/a', 'v1', 'v1', 'one v1'],
    ['/c', 'v1', 'v2', 'both v2']
  ]
  for (const [url, host, forwarded, answer] of answers) {
    const headers = { host: `${host}.a.b`, 'x-forwarded-host': `${forwarded}.a.b` }
    t.equal(await ask(app, url, { headers }), answer, `${url} ${host} ${forwarded}`)
  }
})

t.test('a scheme that reads one version and determines another is refused where another route serves it', async (t) => {
  class Inconsistent extends HeaderVersioning {
    override determineVersion () { return 'v2' }
  }
  const app = await appOf(t, { ...settings, scheme: Inconsistent }, [
    get('/a', 'one', 'v1'), get('/a', 'rest')
  ])
  t.match((await app.inject({ url: '/a', ...named('v1') })).json(), {
    statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', message: 'Invalid version.'
  })
  t.equal(await ask(app, '/a', named('v2')), 'rest v2')
})

for (const method of ['readVersion', 'isAllowedVersion'] as const) {
  t.test(`a request is answered 500, over a socket as well, if ${method}() of its scheme throws`, async (t) => {
    const scheme = Object.assign(new HeaderVersioning(settings), { [method] () { throw new Error('failed') } })
    const app = await appOf(t, { scheme }, [get('/a', 'one', 'v1')])
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.equal((await fetch(`${address}/a`, named('v1'))).status, 500)
    t.equal(await ask(app, '/a', named('v1')), '500 failed')
  })
}

t.test('a scheme whose readVersion() rejects is not answered by a route that does not serve the version', async (t) => {
  class Promising extends BaseVersioning {
    override async determineVersion () { return 'v1' }
    override readVersion () { return Promise.reject(new Error('too late')) as never }
  }
  const app = await appOf(t, { ...settings, scheme: Promising as never }, [
    get('/a', 'one', 'v1'), get('/b', 'two', 'v2')
  ])
  t.equal(await ask(app, '/a'), 'one v1')
  t.match((await app.inject('/b')).json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('an asynchronous scheme with readVersion() chooses routes', async (t) => {
  class Slow extends HeaderVersioning {
    override async determineVersion ({ raw }: FastifyRequest) { return this.permit(this.readVersion(raw)) }
  }
  const app = await appOf(t, { ...settings, scheme: Slow as unknown as VersioningOptions['scheme'] }, [
    get('/a', 'one', 'v1'), get('/a', 'three', 'v3')
  ])
  t.equal(await ask(app, '/a', named('v3')), 'three v3')
  t.equal(await ask(app, '/a', named('v4')), '404 This URL answers GET in v1, v3.')
})

t.test('the default version chooses where a scheme determines the version itself, or members differ', async (t) => {
  class Itself extends HeaderVersioning {
    override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
  }
  for (const scheme of [Itself, [new QueryParameterVersioning({ allowedVersions: ['v1'] }), HeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    for (const version of ['v1', 'v2', 'v3']) get('/a', version, version)(app)
    await expectAnswers(t, app, [['/a', 'v2 v2']])
  }
})

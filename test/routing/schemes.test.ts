import t from 'tap'

import { BaseVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { accept, allowedVersions, byAccept, settings, tell } from './app.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

class HeaderVersioning extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version'] }
}

t.test('a forwarded host that specifies another version is refused, never served by the wrong route', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, allowedVersions }, { trustProxy: true })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', tell('rest'))
  app.get('/c', { version: ['v1', 'v2'] }, tell('both'))
  for (const [url, host, forwarded] of [['/a', 'v1', 'v2'], ['/b', 'v3', 'v1'], ['/b', 'v1', 'v3']]) {
    const headers = { host: `${host}.a.b`, 'x-forwarded-host': `${forwarded}.a.b` }
    t.match((await app.inject({ url, headers })).json(), { statusCode: 404, message: 'Invalid version in hostname.' })
  }
  const headers = { host: 'v1.a.b', 'x-forwarded-host': 'v1.a.b' }
  t.match((await app.inject({ url: '/a', headers })).json(), { mark: 'one' })
  const both = { host: 'v1.a.b', 'x-forwarded-host': 'v2.a.b' }
  t.match((await app.inject({ url: '/c', headers: both })).json(), { mark: 'both', version: 'v2' })
})

t.test('a scheme that reads one version and determines another is refused where another route serves it', async (t) => {
  class Inconsistent extends HeaderVersioning {
    override readVersion (request: RawRequest) {
      return super.readVersion(request)
    }

    override determineVersion () {
      return 'v2'
    }
  }
  class Throwing extends HeaderVersioning {
    override readVersion (): string {
      throw new Error('cannot read')
    }
  }
  const app = await appWith(t, { ...settings, scheme: Inconsistent })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', tell('rest'))
  const refused = await app.inject({ url: '/a', headers: { 'x-api-version': 'v1' } })
  t.match(refused.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', message: 'Invalid version.' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v2' } })).json(), { mark: 'rest' })
  const throwing = await appWith(t, { ...settings, scheme: Throwing })
  throwing.get('/a', { version: 'v1' }, tell('one'))
  t.match((await throwing.inject('/a')).json(), { statusCode: 500, message: 'cannot read' })
})

for (const method of ['readVersion', 'isAllowedVersion'] as const) {
  t.test(`a request is answered 500, over a socket as well, if ${method}() of its scheme throws`, async (t) => {
    const scheme = Object.assign(new HeaderVersioning({ allowedVersions }), {
      [method] () { throw new Error('failed') }
    })
    const app = await appWith(t, { scheme })
    app.get('/a', { version: 'v1' }, tell('one'))
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => app.close())
    t.equal((await fetch(`${address}/a`, { headers: { 'x-api-version': 'v1' } })).status, 500)
  })
}

t.test('a scheme whose readVersion() rejects is not answered by a route that does not serve the version', async (t) => {
  class Promising extends BaseVersioning {
    override async determineVersion () {
      return 'v1'
    }

    override readVersion () {
      return Promise.reject(new Error('too late')) as never
    }
  }
  const app = await appWith(t, { ...settings, scheme: Promising as never })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/b', { version: 'v2' }, tell('two'))
  t.match((await app.inject('/a')).json(), { mark: 'one', version: 'v1' })
  t.match((await app.inject('/b')).json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('an asynchronous scheme with readVersion() chooses routes', async (t) => {
  class Slow extends BaseVersioning {
    override async determineVersion ({ raw }: FastifyRequest) {
      return this.permit(this.readVersion(raw))
    }

    override readVersion ({ headers }: RawRequest | FastifyRequest) {
      return headers['x-api-version']?.toString()
    }
  }
  const app = await appWith(t, { ...settings, scheme: Slow })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v3' }, tell('three'))
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v3' } })).json(), { mark: 'three' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v4' } })).json(), {
    statusCode: 404, message: 'This URL answers GET in v1, v3.'
  })
})

t.test('routes of different methods and paths may have different schemes', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('get'))
  app.post('/a', { version: 'v1', versioning: QueryParameterVersioning }, tell('post'))
  app.get('/b', { version: 'v1', versioning: QueryParameterVersioning }, tell('b'))
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'get' })
  t.match((await app.inject({ url: '/a?version=v1', method: 'POST' })).json(), { mark: 'post' })
  t.match((await app.inject('/b?version=v1')).json(), { mark: 'b' })
})

t.test('the default version chooses where a scheme determines the version itself, or members differ', async (t) => {
  class Itself extends HeaderVersioning {
    override readVersion (request: RawRequest | FastifyRequest) {
      return super.readVersion(request)
    }

    override determineVersion (request: FastifyRequest) {
      return super.determineVersion(request)
    }
  }
  for (const scheme of [Itself, [new QueryParameterVersioning({ allowedVersions: ['v1'] }), HeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    for (const version of ['v1', 'v2', 'v3']) app.get('/a', { version }, tell(version))
    t.match((await app.inject('/a')).json(), { mark: 'v2', version: 'v2' })
  }
})

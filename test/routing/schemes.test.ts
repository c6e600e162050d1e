import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { HeaderVersioning, accept, allowedVersions, byAccept, settings, tell } from './app.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`of several schemes the one whose version the client names refuses, declared ${when}`, async (t) => {
    const app = await appWith(t, { ...byAccept, defaultVersion: null })
    const byQuery = () => app.get('/a', { version: 'v2', versioning: QueryParameterVersioning }, tell('by query'))
    if (isFirst) byQuery()
    app.get('/a', { version: 'v1' }, tell('by header'))
    if (!isFirst) byQuery()
    t.match((await app.inject('/a?version=v3')).json(), { statusCode: 404, message: 'This URL is served in v2.' })
    t.match((await app.inject({ url: '/a', ...accept('v3') })).json(), { message: 'This URL is served in v1.' })
  })
}

t.test('contexts with different schemes share a URL', async (t) => {
  const app = await appWith(t, { ...byAccept, defaultVersion: null })
  app.get('/a', { version: 'v1' }, tell('by header'))
  app.register(async (context) => {
    await context.register(versioning, { scheme: QueryParameterVersioning })
    context.get('/a', { version: 'v2' }, tell('by query'))
  })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'by header', version: 'v1' })
  t.match((await app.inject({ url: '/a?version=v2' })).json(), { mark: 'by query', version: 'v2' })
})

t.test('contexts that register the same scheme again choose among the same versions', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    await context.register(versioning, { scheme: AcceptHeaderVersioning })
    context.get('/a', { version: 'v2' }, tell('exact'))
  })
  app.register(async (context) => {
    await context.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions })
    context.get('/a', { version: { from: 'v1', to: 'v3' } }, tell('range'))
  })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'range' })
  t.match((await app.inject({ url: '/a', ...accept('v2') })).json(), { mark: 'exact' })
  t.match((await app.inject({ url: '/a', ...accept('v4') })).json(), { message: 'This URL is served in v1, v2, v3.' })
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`a version that the client names has priority over a default version, declared ${when}`, async (t) => {
    const app = await appWith(t, byAccept)
    const byHeader = () => app.get('/a', { version: 'v2' }, tell('by header'))
    if (isFirst) byHeader()
    app.get('/a', { version: 'v2', versioning: QueryParameterVersioning }, tell('by query'))
    if (!isFirst) byHeader()
    t.match((await app.inject({ url: '/a', ...accept('v2') })).json(), { mark: 'by header' })
    t.match((await app.inject({ url: '/a?version=v2' })).json(), { mark: 'by query' })
    t.match((await app.inject({ url: '/a?version=v3' })).json(), { mark: 'by header' })
    t.equal((await app.inject('/a')).statusCode, 200)
  })
}

t.test('routes of several schemes that leave the version to the default are found by their constraints', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { version: 'v2', constraints, versioning: QueryParameterVersioning }, tell('a'))
  app.get('/a', { version: 'v2' }, tell('rest'))
  t.match((await app.inject({ url: '/a', headers: { host: 'a.example' } })).json(), { mark: 'a' })
  t.match((await app.inject({ url: '/a', headers: { host: 'b.example' } })).json(), { mark: 'rest' })
})

t.test('a forwarded host that names another version is refused, never served by the wrong route', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, allowedVersions }, { trustProxy: true })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', tell('rest'))
  for (const [url, host, forwarded] of [['/a', 'v1', 'v2'], ['/b', 'v3', 'v1'], ['/b', 'v1', 'v3']]) {
    const headers = { host: `${host}.a.b`, 'x-forwarded-host': `${forwarded}.a.b` }
    t.match((await app.inject({ url, headers })).json(), { statusCode: 404, message: 'Invalid version in hostname.' })
  }
  const headers = { host: 'v1.a.b', 'x-forwarded-host': 'v1.a.b' }
  t.match((await app.inject({ url: '/a', headers })).json(), { mark: 'one' })
})

t.test('a scheme that reads one version and determines another is refused', async (t) => {
  class Inconsistent extends HeaderVersioning {
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
  t.equal((await app.inject({ url: '/a', headers: { 'x-api-version': 'v1' } })).statusCode, 404)
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v2' } })).json(), { mark: 'rest' })
  const throwing = await appWith(t, { ...settings, scheme: Throwing })
  throwing.get('/a', { version: 'v1' }, tell('one'))
  t.match((await throwing.inject('/a')).json(), { statusCode: 500, message: 'cannot read' })
})

for (const method of ['readVersion', 'isAllowedVersion'] as const) {
  t.test(`a scheme whose ${method}() throws is answered 500, over a socket as well`, async (t) => {
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

t.test('a request is refused where readVersion returns a promise', async (t) => {
  class Promising extends BaseVersioning {
    override async determineVersion () {
      return 'v1'
    }

    async readVersion () {
      throw new Error('too late')
    }
  }
  const app = await appWith(t, { ...settings, scheme: Promising as never })
  app.get('/a', { version: 'v1' }, tell('one'))
  t.equal((await app.inject('/a')).statusCode, 404)
})

t.test('an asynchronous scheme with readVersion chooses routes', async (t) => {
  class Slow extends BaseVersioning {
    override async determineVersion ({ raw }: FastifyRequest) {
      return this.permit(this.readVersion(raw))
    }

    readVersion ({ headers }: RawRequest) {
      return headers['x-api-version']?.toString()
    }
  }
  const app = await appWith(t, { ...settings, scheme: Slow })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v3' }, tell('three'))
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v3' } })).json(), { mark: 'three' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v4' } })).json(), {
    statusCode: 404, message: 'This URL is served in v1, v3.'
  })
})

t.test('an object that is a scheme refuses like a class', async (t) => {
  const scheme = {
    defaultVersion: null,
    allowedVersions: null,
    versionParam: 'version',
    invalidVersionMessage: 'No.',
    readVersion: ({ headers }: RawRequest) => headers['x-api-version']?.toString(),
    determineVersion: ({ headers }: FastifyRequest) => headers['x-api-version']?.toString() ?? null,
    isAllowedVersion: () => true,
    reverse: () => ''
  }
  const app = await appWith(t, { scheme })
  app.get('/a', { version: ['b', 'a'] }, tell('it'))
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'a' } })).json(), { mark: 'it' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'c' } })).json(), {
    code: 'FST_ERR_VERSION_NOT_FOUND', message: 'This URL is served in b, a.'
  })
})

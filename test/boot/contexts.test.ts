import t from 'tap'

import versioning, { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

async function version (request: FastifyRequest) {
  return { version: request.version, scheme: request.versioningScheme?.constructor.name ?? null }
}

/** An app with `/parent` under the first options, and `/child` in a context under the second. */
async function family (t: Test, parent: VersioningOptions, child: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, parent)
  app.get('/parent', version)
  app.register(async (scope) => {
    await scope.register(versioning, child)
    scope.get('/child', version)
    scope.register(async (inner) => { inner.get('/grandchild', version) })
  })
  await app.ready()
  return app
}

const query = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const accept = (header: string) => ({ headers: { accept: header } })

t.test('a scheme of a child context replaces the parent\'s in that context and its children', async (t) => {
  const app = await family(t, query, { scheme: AcceptHeaderVersioning })
  const headers = { accept: 'application/json; version=v2' }
  for (const url of ['/child', '/grandchild']) {
    t.same((await app.inject({ url, headers })).json(), { version: 'v2', scheme: 'AcceptHeaderVersioning' })
  }
  t.same((await app.inject({ url: '/parent', headers })).json(), { version: 'v1', scheme: 'QueryParameterVersioning' })
})

t.test('a version that only a child context allows is accepted there', async (t) => {
  const app = await family(t, query, { allowedVersions: ['v3'] })
  t.match((await app.inject('/child?version=v3')).json(), { version: 'v3' })
  t.equal((await app.inject('/parent?version=v3')).statusCode, 404)
})

t.test('a version that only the parent context allows is refused in the child', async (t) => {
  const app = await family(t, query, { allowedVersions: ['v3'] })
  t.equal((await app.inject('/child?version=v2')).statusCode, 404)
  t.match((await app.inject('/parent?version=v2')).json(), { version: 'v2' })
})

interface Inherited { named: VersioningOptions, url: string, version: string | null }

const inherited: Inherited[] = [
  { named: {}, url: '/child', version: 'v1' },
  { named: {}, url: '/child?version=v2', version: 'v2' },
  { named: { defaultVersion: 'v2' }, url: '/child', version: 'v2' },
  { named: { defaultVersion: null, allowedVersions: null }, url: '/child', version: null },
  { named: { allowedVersions: [] }, url: '/child?version=v9', version: 'v9' },
  { named: { versionParam: 'v' }, url: '/child?v=v2&version=v1', version: 'v2' },
  { named: { scheme: null }, url: '/child?version=v9', version: null },
  { named: { scheme: null }, url: '/grandchild?version=v9', version: null },
  { named: { scheme: new QueryParameterVersioning() }, url: '/child?version=v9', version: 'v9' }
]

for (const { named, url, version } of inherited) {
  t.test(`a child that sets ${Object.keys(named).join() || 'nothing'} serves ${url} in ${version}`, async (t) => {
    const app = await family(t, query, named)
    t.match((await app.inject(url)).json(), { version })
  })
}

t.test('a child context inherits the instance of a scheme unchanged', async (t) => {
  const app = await family(t, { scheme: new QueryParameterVersioning({ allowedVersions: ['v7'] }) }, {})
  t.match((await app.inject('/child?version=v7')).json(), { version: 'v7' })
  t.equal((await app.inject('/child?version=v8')).statusCode, 404)
})

t.test('a child context with a scheme class inherits the settings of the parent\'s instance', async (t) => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['v7'], defaultVersion: 'v7', versionParam: 'v' })
  const app = await family(t, { scheme }, { scheme: AcceptHeaderVersioning })
  t.match((await app.inject('/child')).json(), { version: 'v7' })
  t.match((await app.inject({ url: '/child', ...accept('a/b;v=v7') })).json(), { version: 'v7' })
  t.equal((await app.inject({ url: '/child', ...accept('a/b;v=v8') })).statusCode, 406)
})

t.test('a child context inherits mediaTypes like other settings', async (t) => {
  const app = await family(t, { mediaTypes: ['application/json'] }, { scheme: AcceptHeaderVersioning })
  const both = accept('text/html;version=1, application/json;version=2;q=0.5')
  t.match((await app.inject({ url: '/child', ...both })).json(), { version: '2' })
})

t.test('sibling contexts do not affect each other', async (t) => {
  const app = bareApp(t)
  for (const allowed of ['v1', 'v2']) {
    app.register(async (scope) => {
      await scope.register(versioning, { ...query, defaultVersion: null, allowedVersions: [allowed] })
      scope.get(`/${allowed}`, version)
    })
  }
  app.register(async (scope) => { scope.get('/bare', async (request) => 'version' in request) })
  t.match((await app.inject('/v1?version=v1')).json(), { version: 'v1' })
  t.equal((await app.inject('/v1?version=v2')).statusCode, 404)
  t.match((await app.inject('/v2?version=v2')).json(), { version: 'v2' })
  t.equal((await app.inject('/bare')).body, 'false')
})

t.test('a second registration in a context is refused', async (t) => {
  const app = bareApp(t)
  app.register(async (scope) => {
    await scope.register(versioning, query)
    await scope.register(versioning, { allowedVersions: ['v3'] })
  })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'fastify-versioning is registered twice in one context. Register it once, or the second time in a child'
  })
})

t.test('a second registration at the root is refused', async (t) => {
  const app = await appWith(t, query)
  await t.rejects(async () => app.register(versioning), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^fastify-versioning is registered twice in one context\. /
  })
})

t.test('a child context that registers before the root determines versions of its own requests, once', async (t) => {
  let count = 0
  class Counting extends BaseVersioning {
    override async determineVersion () { return `v${++count}` }
  }
  const app = bareApp(t)
  app.register(async (scope) => {
    await scope.register(versioning, { scheme: Counting })
    scope.get('/child', { name: 'child' }, version)
    scope.register(async (inner) => { inner.get('/', { name: 'inner' }, version) }, { prefix: '/n', namespace: 'n' })
  })
  app.register(versioning, query)
  app.after(() => app.get('/parent', version))
  t.same((await app.inject('/child')).json(), { version: 'v1', scheme: 'Counting' })
  t.same((await app.inject('/parent?version=v2')).json(), { version: 'v2', scheme: 'QueryParameterVersioning' })
  t.equal(count, 1)
  t.equal(app.reverse('child'), '/child')
  t.equal(app.reverse('n:inner'), '/n')
})

t.test('decorators and hooks are installed once', async (t) => {
  let count = 0
  class Counting extends BaseVersioning {
    override determineVersion () { return `v${++count}` }
  }
  const app = await family(t, { scheme: Counting }, { scheme: Counting })
  await app.inject('/grandchild')
  t.equal(count, 1)
})

t.test('one scheme instance may serve two apps', async (t) => {
  const scheme = new QueryParameterVersioning()
  for (const path of ['/one', '/two']) {
    const app = await appWith(t, { scheme })
    app.get(path, { name: 'self' }, async (_request, reply) => reply.reverse('self'))
    t.equal((await app.inject(`${path}?version=1`)).body, `${path}?version=1`)
    t.equal(app.reverse('self'), path)
  }
})

t.test('no version is determined for a version-neutral route', async (t) => {
  const app = await appWith(t, { ...query, defaultVersion: null })
  app.get('/health', { versioning: false }, version)
  app.get('/bookings', version)
  t.same((await app.inject('/health?version=v9')).json(), { version: null, scheme: null })
  t.equal((await app.inject('/bookings')).statusCode, 404)
})

t.test('a route may have its own scheme, with the settings of its context', async (t) => {
  const app = await appWith(t, query)
  app.get('/', { versioning: AcceptHeaderVersioning, config: { mine: true } as object }, version)
  t.match((await app.inject({ url: '/?version=v9', ...accept('a/b;version=v2') })).json(), { version: 'v2' })
  t.equal((await app.inject({ url: '/', ...accept('a/b;version=v9') })).statusCode, 406)
  t.equal((await app.inject({ method: 'HEAD', url: '/', ...accept('a/b;version=v9') })).statusCode, 406)
})

t.test('a route may have its own scheme instance', async (t) => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['v7'] })
  const app = await appWith(t)
  app.get('/', { versioning: scheme, name: 'root' }, async (_request, reply) => reply.reverse('root'))
  t.equal((await app.inject('/?version=v7')).body, '/?version=v7')
  t.equal(scheme.reverse('root'), '/')
})

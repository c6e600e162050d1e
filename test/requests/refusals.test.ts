import v8 from 'node:v8'
import vm from 'node:vm'

import t from 'tap'

import type { VersionError } from '../../src/index.ts'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RouteVersions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const handler = async (request: FastifyRequest) => request.version

/** Two contexts whose error handlers say which one answers. */
async function siblings (
  app: FastifyInstance, ...contexts: readonly [name: string, version: RouteVersions | undefined][]
): Promise<void> {
  for (const [name, version] of contexts) {
    await app.register(async (context) => {
      context.setErrorHandler(async (_error, _request, reply) => reply.send(name))
      context.get('/a', { version }, handler)
    })
  }
}

const newest: [says: string, contexts: [string, RouteVersions | undefined][]][] = [
  ['of two versions', [['one', 'v1'], ['two', 'v2']]],
  ['of a version and a range', [['later', { from: 'v2' }], ['first', 'v1']]],
  ['of lists', [['list', ['v1', 'v3']], ['two', 'v2']]],
  ['of an open route and an older version', [['open', undefined], ['one', 'v1']]],
  ['of an open route and the newest version', [['three', 'v3'], ['open', undefined]]]
]
const answering = ['two', 'later', 'list', 'open', 'three']

for (const [i, [says, contexts]] of newest.entries()) {
  t.test(`a refusal is answered in the context of the newest handler, ${says}`, async (t) => {
    for (const declared of [contexts, contexts.toReversed()]) {
      const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
      await siblings(app, ...declared)
      t.equal((await app.inject({ url: '/a', headers: { 'api-version': 'v9' } })).body, answering[i])
      t.equal((await app.inject({ url: '/a', headers: { 'api-version': 'v1, v2' } })).body, answering[i])
    }
  })
}

t.test('without a list of versions the newest handler is the one whose version comes last as text', async (t) => {
  for (const versions of [['v2', 'v10'], ['v10', 'v2']]) {
    const app = await appWith(t, { scheme: HeaderVersioning })
    await siblings(app, ...versions.map((version): [string, string] => [version, version]))
    t.equal((await app.inject({ url: '/a', headers: { 'api-version': 'v9' } })).body, 'v10')
  }
})

t.test('a refusal captures no stack, and has the reason and the versions', async (t) => {
  const errors: VersionError[] = []
  for (const Scheme of [HeaderVersioning, AcceptHeaderVersioning, URLPathVersioning, HostNameVersioning]) {
    const app = await appWith(t, { scheme: Scheme, allowedVersions })
    app.addHook('onError', async (_request, _reply, error) => { errors.push(error as unknown as VersionError) })
    app.get('/:version/a', { version: ['v1', 'v2'] }, handler)
    const headers = { host: 'v9.a.b', accept: 'a/b;version=v9', 'api-version': 'v9' }
    await app.inject({ url: '/v9/a', headers })
    await app.inject({ url: '/v3/a', headers: { host: 'v3.a.b', accept: 'a/b;version=v3', 'api-version': 'v3' } })
  }
  t.equal(errors.length, 8)
  for (const [i, error] of errors.entries()) {
    t.equal(error.stack, undefined)
    t.same([error.reason, error.allowedVersions], [i % 2 === 0 ? 'unsupported' : 'unserved', ['v1', 'v2']])
  }
})

t.test('no text of a refusal has anything that the client sent', async (t) => {
  const sent = 'x-client-text'
  for (const Scheme of [HeaderVersioning, AcceptHeaderVersioning, URLPathVersioning, QueryParameterVersioning]) {
    for (const scheme of [Scheme, [Scheme, HostNameVersioning]]) {
      const app = await appWith(t, { scheme, allowedVersions })
      app.get('/:version/a', { version: 'v1' }, handler)
      const headers = { host: 'v2.a.b', accept: `a/b;version=${sent}`, 'api-version': `${sent}, other` }
      const response = await app.inject({ url: `/${sent}/a?version=${sent}`, headers })
      t.ok(response.statusCode >= 400 && response.statusCode < 500)
      t.notMatch(response.body, sent)
    }
  }
})

t.test('a route in a namespace names only its version, in its report, its refusal and its 410', async (t) => {
  const app = await appWith(t, {
    scheme: NamespaceVersioning,
    allowedVersions,
    reportVersions: true,
    enforceSunset: true,
    lifecycle: { v1: { sunset: '2020-01-01' } }
  })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (context) => { context.get('/old', handler) }, { prefix: `/${namespace}`, namespace })
  }
  t.equal((await app.inject('/v2/old')).headers['api-supported-versions'], 'v2')
  const gone = await app.inject('/v1/old')
  t.equal(gone.json().message, "Version 'v1' was retired on Wed, 01 Jan 2020 00:00:00 GMT.")
  t.equal(gone.headers['api-supported-versions'], undefined)
})

t.test('a path without a place for the version names the default version', async (t) => {
  const app = await appWith(t, {
    scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2', reportVersions: true
  })
  app.get('/:version/a', handler)
  app.get('/b', handler)
  t.equal((await app.inject('/v1/a')).headers['api-supported-versions'], 'v1, v2, v3')
  t.equal((await app.inject('/b')).headers['api-supported-versions'], 'v2')
})

t.test('an isAllowedVersion() that returns a promise allows nothing', async (t) => {
  class Waiting extends HeaderVersioning {
    override isAllowedVersion () { return Promise.resolve(true) as never }
  }
  const app = await appWith(t, { scheme: Waiting })
  app.get('/a', handler)
  app.get('/b', { version: 'v1' }, handler)
  for (const url of ['/a', '/b']) {
    const response = await app.inject({ url, headers: { 'api-version': 'v1' } })
    t.equal(response.json().code, 'FST_ERR_VERSION_INVALID')
  }
  class Truthy extends HeaderVersioning {
    override isAllowedVersion () { return 1 as never }
  }
  const other = await appWith(t, { scheme: Truthy })
  other.get('/a', handler)
  t.equal((await other.inject({ url: '/a', headers: { 'api-version': 'v1' } })).statusCode, 400)
})

t.test('a scheme that rejects leaves no rejection unhandled', async (t) => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => { rejections.push(reason) }
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const reject = () => Promise.reject(new Error('late')) as never
  class Reading extends BaseVersioning { override readVersion () { return reject() } }
  class Listing extends BaseVersioning { override readVersion () { return [reject(), 'v1'] as never } }
  class Allowing extends HeaderVersioning { override isAllowedVersion () { return reject() } }
  class Resolving extends HeaderVersioning { override resolveVersion () { return reject() } }
  class Determining extends HeaderVersioning { override determineVersion () { return reject() } }
  class Permitting extends HeaderVersioning { override permit () { return reject() } }
  class Refusing extends Determining {
    override determineVersion (): never {
      const refusal: Error = this.refusal()
      throw refusal
    }

    override refusal () { return reject() }
  }
  class Reversing extends HeaderVersioning { override reverse () { return reject() } }
  const linking = await appWith(t, { scheme: Reversing })
  linking.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a'))
  t.equal((await linking.inject({ url: '/a', headers: { 'api-version': 'v1' } })).statusCode, 500)
  for (const Scheme of [Reading, Listing, Allowing, Resolving, Determining, Permitting, Refusing]) {
    for (const scheme of [Scheme, [QueryParameterVersioning, Scheme]]) {
      const app = await appWith(t, { scheme })
      app.get('/a', handler)
      app.get('/b', { version: 'v1' }, handler)
      for (const url of ['/a', '/b']) {
        t.equal((await app.inject({ url, headers: { 'api-version': 'v1' } })).statusCode, 500)
      }
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
  t.same(rejections, [])
})

t.test('texts of clients are not kept', async (t) => {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  const app = await appWith(t, {
    scheme: [HeaderVersioning, AcceptHeaderVersioning], allowedVersions: null, resolveVersion: (text) => text
  })
  app.get('/a', handler)
  app.get('/b', { version: 'v1' }, handler)
  app.get('/b', { version: null as never }, handler)
  await app.ready()
  const heapAfter = async (requests: number) => {
    for (let i = 0; i < requests; i++) {
      const headers = { 'api-version': `v${i}${'x'.repeat(1e5)}` }
      for (const url of ['/a', '/b']) await app.inject({ url, headers })
    }
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      collect()
    }
    return process.memoryUsage().heapUsed
  }
  const before = await heapAfter(20)
  await heapAfter(400)
  t.ok(await heapAfter(20) - before < 2e7)
})

for (const [says, settings] of [['are one', {}], ['with settings are two', { versionHeader: 'x' }]] as const) {
  t.test(`schemes of sibling registrations of one class ${says}`, async (t) => {
    const app = await appWith(t, { scheme: null })
    for (const version of ['v1', 'v2']) {
      app.register(async (context) => {
        await context.register(versioning, { scheme: HeaderVersioning, ...settings })
        context.get('/a', { version }, handler)
      })
    }
    const message = /have one URL, where versions choose: give both the same scheme/
    if (says !== 'are one') return t.rejects(async () => app.ready(), { message })
    for (const version of ['v1', 'v2']) {
      t.equal((await app.inject({ url: '/a', headers: { 'api-version': version } })).payload, version)
    }
  })
}

t.test('a refusal of a list names the versions that the place allows where the client specified one', async (t) => {
  const app = await appWith(t, {
    scheme: [new HeaderVersioning({ allowedVersions: ['v1', 'v2'] }), QueryParameterVersioning],
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: { v1: { sunset: '2020-01-01' } },
    enforceSunset: true
  })
  app.setErrorHandler((error, _request, reply) => {
    const { message, allowedVersions } = error as VersionError
    reply.send({ message, allowedVersions })
  })
  app.get('/a', handler)
  app.get('/b', { version: ['v1', 'v3'] }, handler)
  const messages = [
    ['/a', 'v9', 'Invalid version in "API-Version" header. Versions: v2.'],
    ['/a', undefined, 'The "API-Version" header is missing. Versions: v2.'],
    ['/a', 'v1', /^Version 'v1' was retired on .*\. Versions: v2\.$/],
    ['/b', 'v2', 'Invalid version in "API-Version" header.']
  ] as const
  for (const [url, version, message] of messages) {
    const headers = version === undefined ? {} : { 'api-version': version }
    const { message: text, allowedVersions } = (await app.inject({ url, headers })).json()
    t.match(text, message)
    t.equal(allowedVersions?.includes('v3') ?? false, false)
  }
})

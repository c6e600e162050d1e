import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import v8 from 'node:v8'
import vm from 'node:vm'
import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, VersionError, byDate
} from '../../src/index.ts'
import { appWith, ok, tell, versionOf } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersioningOptions, VersioningSource } from '../../types/index.d.ts'

const inHeader = (version: string, url = '/') => ({ url, headers: { 'api-version': version } })

for (const version of [2, undefined, ['v1'], { from: 'v1' }]) {
  t.test(`a handler cannot set request.version to ${inspect(version)}`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning })
    app.get('/', async (request) => { request.version = version as never })
    t.match((await app.inject('/')).json(), {
      statusCode: 500, code: 'FST_ERR_VERSION_INVALID', message: 'Set request.version to a string or null.'
    })
  })
}

t.test('a hook that changes the version after the router has read it is warned of once', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async ({ headers }) => { headers['api-version'] = 'v2' })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) app.get('/', { version }, tell)
  t.same(await warningsDuring(t, async () => {
    for (let i = 0; i < 2; i++) t.equal((await app.inject(inHeader('v1'))).statusCode, 400)
    t.equal((await app.inject(inHeader('v2'))).body, 'v2')
  }), ['FST_WARN_VERSION_SETTINGS: Change in "rewriteUrl" what a request sends, and let "readVersion" return what ' +
    '"determineVersion" does: HeaderVersioning has read \'v2\' from a request to GET /, for which the router has ' +
    'chosen the handler of another version, so that the request was refused.'])
})

// request.isVersion()

type Given = Parameters<FastifyRequest['isVersion']>[0]

/** An app whose routes answer what `isVersion` returns. */
async function asking (t: Test, given: unknown, options: VersioningOptions = {}): Promise<FastifyInstance> {
  const settings = { allowedVersions: ['v1', null, 'v2', 'v3'], defaultVersion: 'v0' }
  const app = await appWith(t, { scheme: HeaderVersioning, ...settings, ...options })
  app.get('/', async (request) => `${request.isVersion(given as Given)}`)
  app.get('/neutral', { versioning: false }, async (request) => `${request.isVersion(given as Given)}`)
  return app
}

const meant: [given: Given, versions: string][] = [
  ['v2', 'v2'], ['v0', 'v0'], [['v0', 'v3'], 'v0 v3'], [{ from: 'v2' }, 'v2 v3'], [{ to: 'v2' }, 'v1 v2'],
  [{ from: 'v2', to: 'v2' }, 'v2']
]

for (const [given, versions] of meant) {
  t.test(`isVersion(${JSON.stringify(given)}) is true only for ${versions}`, async (t) => {
    const app = await asking(t, given)
    for (const version of ['v0', 'v1', 'v2', 'v3']) {
      t.equal(await versionOf(app, inHeader(version)), `${versions.split(' ').includes(version)}`, version)
    }
    t.equal(await versionOf(app, '/neutral'), 'false')
    const unnamed = await asking(t, given, { defaultVersion: null, allowedVersions: ['v0', 'v1', null, 'v2', 'v3'] })
    t.equal(await versionOf(unnamed, '/'), 'false')
  })
}

const LISTED = "is not in allowedVersions ('v1', 'v2', 'v3')."
const REMOVED = 'If you have removed this version, remove the call, too.'

class Odd extends HeaderVersioning {
  override isAllowedVersion (version: string | null) { return version !== 'v2' }
}

const wrong: [given: unknown, message: string, options?: VersioningOptions][] = [
  ['v2', `isVersion('v2'): 'v2' is not allowed. ${REMOVED}`, { scheme: Odd, allowedVersions: null }],
  [{ from: 'v7' }, "because a range needs allowedVersions, got { from: 'v7' }.", { allowedVersions: null }],
  ['v9', `isVersion('v9'): 'v9' ${LISTED} ${REMOVED}`],
  ['', `isVersion(''): '' ${LISTED} ${REMOVED}`],
  [['v1', 'V2'], `isVersion('V2'): 'V2' ${LISTED} Did you mean 'v2'?`],
  [{ from: 'v0' }, `isVersion('v0'): 'v0' ${LISTED} ${REMOVED}`],
  [{ to: 2 }, 'got 2.'],
  [{ from: null }, 'got null.'],
  [{ from: 'v3', to: 'v1' }, "expected a range in the order of allowedVersions, [ 'v1', null, 'v2', 'v3' ], got { fr"],
  [{ since: 'v1' }, "expected a version, a list of versions, or a range { from, to }, got { since: 'v1' }."],
  [{}, 'got {}.'], [[], 'got [].'], [[null], 'got null.'], [null, 'got null.'], [2, 'got 2.'],
  [undefined, 'got undefined.']
]

for (const [given, message, own] of wrong) {
  t.test(`isVersion(${JSON.stringify(given)}) throws the error "${message}"`, async (t) => {
    const error = (await (await asking(t, given, own)).inject('/')).json()
    t.match(error, { statusCode: 500, code: 'FST_ERR_VERSION_RANGE', message })
    t.match(error.message, /^Invalid argument of isVersion\(\): expected |^isVersion\(/)
  })
}

t.test('isVersion() with two versions says that they must be a list', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/', async (request) => (request.isVersion as (...versions: string[]) => boolean)('v1', 'v2'))
  const { message } = (await app.inject({ url: '/', headers: { 'api-version': 'v2' } })).json()
  t.equal(message, "Invalid argument of isVersion(): expected a list such as [ 'v1', 'v2' ], got two arguments.")
})

t.test('isVersion() takes any version without a list, and a version that only the scheme allows', async (t) => {
  t.equal(await versionOf(await asking(t, ['v7', 'v8'], { allowedVersions: null }), inHeader('v8')), 'true')
  t.equal(await versionOf(await asking(t, 'v9', { scheme: Odd }), inHeader('v9')), 'true')
})

t.test('a hook may give a request another version, which links and isVersion() take', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.addHook('preHandler', async (request) => { request.version = 'v2' })
  const handler = async (request: FastifyRequest, reply: FastifyReply) => (
    [request.version, request.isVersion('v2'), reply.reverse('a')]
  )
  app.get('/a', { name: 'a' }, handler)
  app.get('/neutral', { versioning: false }, async (request) => [request.version])
  t.same((await app.inject('/a?version=v1')).json(), ['v2', true, '/a?version=v2'])
  t.same((await app.inject('/neutral')).json(), ['v2'])
})

t.test('isVersion() is false before the version is determined, and after a refusal', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
  const seen: boolean[] = []
  app.addHook('onResponse', async (request) => { seen.push(request.isVersion('v1')) })
  for (const namespace of ['v1', 'v2']) {
    app.register(async (api) => { api.get('/a', ok) }, { prefix: `/${namespace}`, namespace })
  }
  for (const url of ['/v1/a', '/v2/a', '/none']) await app.inject(url)
  t.same(seen, [true, false, false])
})

t.test('isVersion() uses the order of the scheme of the route', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
  const versioning = new URLPathVersioning({ allowedVersions: ['v2', 'v1'] })
  app.get('/:version/a', { versioning }, async (request) => `${request.isVersion({ from: 'v1' })}`)
  app.get('/b', async (request) => `${request.isVersion({ from: 'v2' })}`)
  t.equal(await versionOf(app, '/v2/a'), 'false')
  t.equal(await versionOf(app, '/v1/a'), 'true')
  t.equal(await versionOf(app, { url: '/b', headers: { host: 'v1.a.b' } }), 'false')
})

t.test('isVersion() with a range warns once of versions that are listed newest first', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v2', 'v1'] })
  app.get('/', async (request) => `${request.isVersion({ from: 'v2' })}`)
  app.get('/list', async (request) => `${request.isVersion(['v2'])}`)
  t.same(await warningsDuring(t, async () => versionOf(app, { ...inHeader('v1'), url: '/list' })), [])
  t.same(await warningsDuring(t, async () => {
    for (const version of ['v1', 'v1']) t.equal(await versionOf(app, inHeader(version)), 'true')
  }), [
    'FST_WARN_VERSION_SETTINGS: List allowedVersions from the oldest to the newest: isVersion() reads a range in ' +
    "this order, [ 'v2', 'v1' ]."
  ])
})

// Preflights

const origin = { origin: 'https://example.com' }
const asked = { 'access-control-request-method': 'GET' }

for (const [says, method, headers, version] of [
  ['of a preflight is not', 'OPTIONS', { ...origin, ...asked }, null],
  ['of a preflight with empty headers is not', 'OPTIONS', { origin: '', 'access-control-request-method': '' }, null],
  ['of OPTIONS without either header of a preflight is', 'OPTIONS', {}, 'v1'],
  ['of OPTIONS without Origin is', 'OPTIONS', asked, 'v1'],
  ['of OPTIONS without a requested method is', 'OPTIONS', origin, 'v1'],
  ['of GET with both headers of a preflight is', 'GET', { ...origin, ...asked }, 'v1']
] as const) {
  t.test(`the version ${says} determined`, async (t) => {
    for (const defaultVersion of [null, 'v1']) {
      const app = await appWith(t, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1'], defaultVersion })
      app.route({ method: ['OPTIONS', 'GET'], url: '/', handler: tell })
      const request = { url: '/', method, headers: { ...headers } as Record<string, string> }
      const isRefused = version !== null && defaultVersion === null
      t.equal(await versionOf(app, request), isRefused ? '406 FST_ERR_VERSION_NOT_ACCEPTABLE' : String(version))
      t.equal((await app.inject(request)).headers.vary, version === null ? undefined : 'Accept')
    }
  })
}

// resolveVersion

const dates = ['2025-06-01', '2025-11-15', '2026-03-01']
const dated = { scheme: QueryParameterVersioning, allowedVersions: dates, resolveVersion: byDate }

t.test('two names for one version are not ambiguous, but names for two versions are', async (t) => {
  const app = await appWith(t, { ...dated, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/a', { version: dates }, tell)
  for (const [header, query, version] of [
    ['2025-12-01', '?version=2026-01-01', '2025-11-15'],
    ['2025-12-01', '?version=2026-04-01', '400 FST_ERR_VERSION_AMBIGUOUS'],
    ['banana', '?version=2026-04-01', '400 FST_ERR_VERSION_AMBIGUOUS'],
    ['banana', '?version=banana', '400 FST_ERR_VERSION_NOT_SUPPORTED'],
    // What resolves to null is refused, and is another version than what does not.
    ['2025-01-01', '?version=2025-01-01', '400 FST_ERR_VERSION_NOT_SUPPORTED'],
    ['2025-01-01', '?version=2025-12-01', '400 FST_ERR_VERSION_AMBIGUOUS'],
    ['2025-01-01', '?version=2025-02-01', '400 FST_ERR_VERSION_AMBIGUOUS'],
    ['2025-12-01, 2026-01-01', '', '2025-11-15']
  ] as const) t.equal(await versionOf(app, inHeader(header, `/a${query}`)), version)
})

t.test('a resolveVersion that throws when it is called again harms no request', async (t) => {
  let isAgain = false
  const resolveVersion = () => {
    if (isAgain) throw new Error('Again.')
    isAgain = true
    return undefined
  }
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], resolveVersion })
  app.get('/', tell)
  t.match(await versionOf(app, { url: '/', headers: { 'api-version': 'v1' } }), /^400 /)
})

for (const [result, isWarned] of [[undefined, true], ['V1', true], [null, false]] as const) {
  t.test(`${isWarned ? 'one warning says' : 'no warning says'} that resolveVersion returned ${result}`, async (t) => {
    const resolveVersion = (requested: string) => requested === 'latest' ? 'v2' : result
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], resolveVersion })
    app.get('/', tell)
    await app.ready()
    t.same(await warningsDuring(t, async () => {
      for (const version of ['latest', 'v9', 'v1', 'v2']) {
        await app.inject({ url: '/', headers: { 'api-version': version } })
      }
      await app.inject('/')
    }), isWarned
      ? ['FST_WARN_VERSION_SETTINGS: Return what is no alias from "resolveVersion", as in (requested) => ' +
        `aliases.get(requested) ?? requested: it has returned ${inspect(result)} for 'v1', so the version is refused.`]
      : [])
  })
}

for (const [what, resolveVersion] of Object.entries<() => never>({
  'a number': () => 1 as never,
  'a promise': () => Promise.reject(new Error('x')) as never,
  'a throw': () => { throw Object.assign(new Error('secret'), { statusCode: 400 }) }
})) {
  t.test(`${what} in resolveVersion causes a 500, also where versions choose`, async (t) => {
    const app = await appWith(t, { ...dated, resolveVersion })
    app.get('/', tell)
    app.get('/chosen', { version: dates[0] }, tell)
    for (const url of ['/?version=a', '/chosen?version=a']) {
      t.match((await app.inject(url)).json(), {
        statusCode: 500,
        code: 'FST_ERR_VERSION_INVALID',
        message: 'The option "resolveVersion" must return a string, null or undefined.'
      })
    }
  })
}

class LowerCase extends HeaderVersioning {
  override resolveVersion (named: string) { return named.toLowerCase() }
}
const other = { resolveVersion: (named: string) => named === 'V1' ? 'v2' : null }
const resolving: [says: string, scheme: VersioningSource, options: VersioningOptions, version: string][] = [
  ['a method of a class without the option', LowerCase, {}, 'v1'],
  ['the option rather than a method of a class', LowerCase, other, 'v2'],
  ['the settings of an instance', new HeaderVersioning(other), {}, 'v2']
]

for (const [says, scheme, own, version] of resolving) {
  t.test(`versions are resolved by ${says}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], ...own })
    app.get('/', tell)
    t.equal(await versionOf(app, inHeader('V1')), version)
  })
}

// Schemes that fail

const failing = (fields: object) => Object.assign(new Error('no'), fields)
const failures: [says: string, failure: unknown, status: number, isRefusal?: true][] = [
  ['an ordinary error', new TypeError('broken'), 500],
  ['an error with a status of the server', failing({ statusCode: 503 }), 503],
  ['an error with a status that is none', failing({ statusCode: 399 }), 500],
  ['an error with a status of success and one of the client', failing({ statusCode: 200, status: 403 }), 403, true],
  ['an error with a status of the client', failing({ statusCode: 400 }), 400, true],
  ['an error with the field status', failing({ status: 499 }), 499, true],
  ['an error with both fields', failing({ statusCode: 404, status: 500 }), 404, true],
  ['a VersionError', new VersionError('notAcceptable', 'no', ['v1']), 406, true],
  ...[null, undefined, 0].map((value): [string, unknown, number] => [`${value}`, value, 500])
]

for (const [says, failure, status, isRefusal = false] of failures) {
  t.test(`a request whose scheme throws ${says}, or rejects with it, is a ${status}, as by a hook`, async (t) => {
    for (const fail of [() => { throw failure }, () => Promise.reject(failure)]) {
      class Failing extends BaseVersioning {
        override determineVersion () { return fail() as Promise<string> }
      }
      const events = usageEvents(t)
      const app = await appWith(t, { scheme: Failing })
      app.get('/', ok)
      app.get('/hook', { versioning: false, onRequest: async () => fail() }, ok)
      app.register(async (scope) => {
        scope.setErrorHandler(async (error) => `${error === failure || Object.getPrototypeOf(error) === failure}`)
        scope.get('/handled', ok)
      })
      const response = await app.inject('/')
      t.equal(response.statusCode, status)
      t.not(response.body, 'ok')
      t.same(events.map(({ outcome }) => outcome), isRefusal ? ['refused'] : [])
      if (!(failure instanceof Error)) continue
      t.same(response.json(), (await app.inject('/hook')).json())
      t.equal((await app.inject('/handled')).body, 'true')
    }
  })
}

const invalid: [says: string, determineVersion: () => unknown, logged: RegExp][] = [
  ['a promise of an object', async () => ({ apiKey: 'secret' }), /apiKey.*secret/],
  ['a list', () => ['secret'], /secret/],
  ['undefined', () => undefined, /undefined/]
]

for (const [says, determineVersion, logged] of invalid) {
  t.test(`${says} as the version is logged as an error, and hidden from clients`, async (t) => {
    const lines: string[] = []
    const logger = { level: 'error', stream: { write (line: string) { lines.push(line) } } }
    const scheme = Object.assign(new BaseVersioning(), { determineVersion }) as BaseVersioning
    const app = await appWith(t, { scheme }, { logger })
    app.get('/', ok)
    app.register(async (scope) => {
      scope.setErrorHandler<Error>(async (error, _request, reply) => (
        reply.code(500).send({ ...error, message: error.message })
      ))
      scope.get('/handled', ok)
    })
    for (const url of ['/', '/handled']) {
      const { statusCode, body } = await app.inject(url)
      t.equal(statusCode, 500)
      t.notMatch(body, /secret|apiKey|undefined/)
      t.match(JSON.parse(body), {
        code: 'FST_ERR_VERSION_INVALID', message: /^\S.*\.determineVersion\(\) must return a string or null\.$/
      })
      t.ok(lines.splice(0).some((line) => JSON.parse(line).level === 50 && logged.test(line)), 'it is logged')
    }
  })
}

/** Unhandled rejections and exceptions, from here on to the end of the test. */
function unhandled (t: Test): unknown[] {
  const found: unknown[] = []
  const note = (reason: unknown) => { found.push(reason) }
  for (const event of ['unhandledRejection', 'uncaughtException']) {
    process.on(event, note)
    t.teardown(() => { process.off(event, note) })
  }
  return found
}

t.test('a scheme that rejects leaves no rejection unhandled', async (t) => {
  const rejections = unhandled(t)
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
  t.equal((await linking.inject(inHeader('v1', '/a'))).statusCode, 500)
  for (const Scheme of [Reading, Listing, Allowing, Resolving, Determining, Permitting, Refusing]) {
    for (const scheme of [Scheme, [QueryParameterVersioning, Scheme]]) {
      const app = await appWith(t, { scheme })
      app.get('/a', ok)
      app.get('/b', { version: 'v1' }, ok)
      for (const url of ['/a', '/b']) t.equal((await app.inject(inHeader('v1', url))).statusCode, 500)
    }
  }
  await setTimeout(10)
  t.same(rejections, [])
})

for (const [says, settle] of [
  ['finds a version', async () => 'v2'], ['fails', async () => { throw new Error('broken') }]
] as const) {
  t.test(`a client may abort a request whose scheme then ${says}: nothing is unhandled`, async (t) => {
    const found = unhandled(t)
    const events = new EventEmitter()
    class Waiting extends BaseVersioning {
      override async determineVersion (request: FastifyRequest) {
        if (request.url === '/quick') return 'v1'
        events.emit('waiting', request)
        await once(events, 'settle')
        // The hooks that follow have run by then.
        setImmediate(() => events.emit('settled'))
        return settle()
      }
    }
    const app = await appWith(t, { scheme: Waiting })
    for (const url of ['/slow', '/quick']) app.get(url, tell)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const waiting = once(events, 'waiting')
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n')
    const [request] = await waiting as [FastifyRequest]
    const closed = once(request.raw.socket, 'close')
    socket.destroy()
    await closed
    const settled = once(events, 'settled')
    events.emit('settle')
    await settled
    t.equal(await versionOf(app, '/quick'), 'v1')
    t.same(found, [])
  })
}

t.test('texts of clients are not kept', async (t) => {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  const app = await appWith(t, {
    scheme: [HeaderVersioning, AcceptHeaderVersioning], allowedVersions: null, resolveVersion: (text) => text
  })
  app.get('/a', tell)
  app.get('/b', { version: 'v1' }, tell)
  app.get('/b', { version: null as never }, tell)
  const heapAfter = async (requests: number) => {
    for (let i = 0; i < requests; i++) {
      for (const url of ['/a', '/b']) await app.inject(inHeader(`v${i}${'x'.repeat(1e5)}`, url))
    }
    for (let i = 0; i < 3; i++) {
      await setTimeout(20)
      collect()
    }
    return process.memoryUsage().heapUsed
  }
  const before = await heapAfter(20)
  await heapAfter(400)
  t.ok(await heapAfter(20) - before < 2e7)
})

t.test('sibling registrations of one class share a scheme only if they give no setting of it', async (t) => {
  const siblings = async (settings: VersioningOptions) => {
    const app = await appWith(t, { scheme: null })
    for (const version of ['v1', 'v2']) {
      app.register(async (context) => {
        await context.register(versioning, { scheme: HeaderVersioning, ...settings })
        context.get('/a', { version }, tell)
      })
    }
    return app
  }
  const app = await siblings({ allowedVersions: undefined })
  for (const version of ['v1', 'v2']) t.equal(await versionOf(app, inHeader(version, '/a')), version)
  const message = /is declared under two /
  await t.rejects(async () => (await siblings({ versionHeader: 'x' })).ready(), { message })
})

t.test('isVersion() is false for a version that was dropped: like the oldest, with lower numbers', async (t) => {
  const results: unknown[] = []
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v2', 'v3', 'v10'] })
  app.get('/', async (request) => {
    for (const given of ['v1', ['v1', 'v3'], { to: 'v1' }, { from: 'v1' }, { from: 'v1', to: 'v2' }]) {
      results.push(request.isVersion(given as 'v1'))
    }
    return request.isVersion('w1' as 'v1')
  })
  t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v3' } })).statusCode, 500, 'another form')
  t.same(results, [false, true, false, true, false])
})

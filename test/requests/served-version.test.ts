import { Readable } from 'node:stream'
import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const settings: VersioningOptions = { ...byQuery, servedVersion: 'API-Version' }

const ok = async () => 'ok'

for (const servedVersion of ['API-Version', 'api-version', 'API-VERSION', 'X_Served.by~us']) {
  t.test(`the header ${servedVersion} reports the version`, async (t) => {
    const app = await appWith(t, { ...settings, servedVersion })
    app.get('/', ok)
    t.equal((await app.inject('/?version=v2')).headers[servedVersion.toLowerCase()], 'v2')
  })
}

const invalidVersions: [version: string, shown: string][] = [
  ['', "''"], ['v 1 ', "'v 1 '"], ['v1,v2', "'v1,v2'"], ['v1\n', "'v1\\n'"], ['vé', "'vé'"], ['版', "'版'"]
]

for (const [version, shown] of invalidVersions) {
  t.test(`the version ${shown} is refused at boot if a header reports it`, async (t) => {
    const expected = {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'Invalid "servedVersion": expected allowedVersions of visible ASCII without commas, because they ' +
        `are written into a header, got ${shown}`
    }
    const allowedVersions = ['v1', version]
    await t.rejects(appWith(t, { ...settings, allowedVersions }), expected)
    const scheme = new HeaderVersioning({ allowedVersions })
    await t.rejects(appWith(t, { servedVersion: 'API-Version', scheme }), expected)
    const app = await appWith(t, settings)
    await t.rejects(async () => app.register(async (context) => {
      await context.register(versioning, { allowedVersions })
    }), expected)
  })
}

t.test('a version-neutral route sends no header', async (t) => {
  const app = await appWith(t, { ...settings, defaultVersion: 'v1' })
  app.get('/', { versioning: false }, ok)
  app.get('/broken', { versioning: false }, async () => { throw new Error('broken') })
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/off', ok)
  })
  for (const url of ['/', '/broken', '/off']) {
    t.notOk('api-version' in (await app.inject(`${url}?version=v1`)).headers, url)
  }
})

t.test('a preflight and an unknown URL get no version', async (t) => {
  const app = await appWith(t, { ...settings, defaultVersion: 'v1' })
  app.get('/', ok)
  app.options('/', ok)
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
  const responses = [
    await app.inject({ url: '/?version=v1', method: 'OPTIONS', headers: preflight }),
    await app.inject('/unknown?version=v1'),
    await app.inject({ url: '/?version=v1', method: 'DELETE' })
  ]
  for (const { headers } of responses) {
    t.notOk('api-version' in headers)
    t.match(headers['content-type'], /; charset=utf-8$/)
  }
})

t.test('child contexts inherit the header, have another one, or none', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (child) => { child.get('/inherited', ok) })
  app.register(async (child) => {
    await child.register(versioning, { scheme: HeaderVersioning })
    child.get('/scheme', ok)
  })
  app.register(async (child) => {
    await child.register(versioning, { servedVersion: 'X-Served' })
    child.get('/other', ok)
    child.register(async (grandchild) => {
      await grandchild.register(versioning, { servedVersion: null })
      grandchild.get('/none', ok)
    })
  })
  const told = async (url: string) => {
    const { headers } = await app.inject({ url: `${url}?version=v1`, headers: { 'api-version': 'v1' } })
    return [headers['api-version'], headers['x-served']]
  }
  t.same(await told('/inherited'), ['v1', undefined])
  t.same(await told('/scheme'), ['v1', undefined])
  t.same(await told('/other'), [undefined, 'v1'])
  t.same(await told('/none'), [undefined, undefined])
})

interface Hostile { what: string, version: string }

const hostile: Hostile[] = [
  { what: 'a line break', version: 'v1\r\nX-Evil: 1' },
  { what: 'a line feed', version: 'v1\nX-Evil: 1' },
  { what: 'a carriage return', version: 'v1\r' },
  { what: 'a NUL', version: 'v\0' },
  { what: 'a tab', version: 'v\t1' },
  { what: 'DEL', version: 'v\x7f' },
  { what: 'Latin-1', version: 'vé' },
  { what: 'characters that are not in Latin-1', version: '版本' },
  { what: 'half a surrogate pair', version: '\ud800' },
  { what: 'no characters', version: '' },
  { what: 'a space', version: ' ' },
  { what: 'a trailing space', version: 'v1 ' },
  { what: '64 kB', version: 'v'.repeat(65_536) },
  { what: '64 kB of spaces', version: `v${' '.repeat(65_536)}\n` }
]

for (const { what, version } of hostile) {
  t.test(`a version of ${what} is served, and not reported`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, servedVersion: 'API-Version' })
    app.get('/', async (request) => request.version)
    const response = await app.inject(`/?version=${encodeURIComponent(version.toWellFormed())}`)
    t.equal(response.statusCode, 200)
    t.equal(response.body, version.toWellFormed())
    t.same(Object.keys(response.headers).sort(), ['connection', 'content-length', 'content-type', 'date'])
    t.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  })
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown
const answers: [says: string, answer: Answer, status: number][] = [
  ['a 200', () => 'ok', 200],
  ['a 204', (_request, reply) => reply.code(204).send(), 204],
  ['a 304', (_request, reply) => reply.code(304).send(), 304],
  ['a redirect', (_request, reply) => reply.redirect('/ok'), 302],
  ['a stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])), 200],
  ['a web response', () => new Response('web', { status: 202, headers: { 'x-own': '1' } }), 202],
  ['a Buffer', () => Buffer.from('ab'), 200],
  ['an error', () => { throw new Error('broken') }, 500],
  ['an error with a status', () => { throw Object.assign(new Error('forbidden'), { statusCode: 403 }) }, 403],
  ['what is not found', (_request, reply) => reply.callNotFound(), 404]
]

for (const [says, answer, status] of answers) {
  t.test(`the response for ${says} reports the version, or nothing without a version`, async (t) => {
    const app = await appWith(t, { ...settings, allowedVersions: ['v1', 'v2', null] })
    app.get('/', async (request, reply) => answer(request, reply))
    app.register(async (context) => {
      context.setErrorHandler(async (_error, request, reply) => answer(request, reply))
      context.get('/handled', async () => { throw new Error('broken') })
      context.get('/hooked', { preHandler: async (request, reply) => answer(request, reply) as never }, ok)
    })
    t.equal((await app.inject('/?version=v2')).statusCode, status)
    for (const url of ['/', '/handled', '/hooked']) {
      for (const method of ['GET', 'HEAD'] as const) {
        t.equal((await app.inject({ method, url: `${url}?version=v2` })).headers['api-version'], 'v2', url)
        t.notOk('api-version' in (await app.inject({ method, url })).headers, url)
      }
    }
  })
}

t.test('the default version is reported, and a refusal has no version, with an error handler as well', async (t) => {
  const lifecycle = { v1: { sunset: '2020-01-01' } }
  const app = await appWith(t, { ...settings, defaultVersion: 'v2', lifecycle, enforceSunset: true })
  app.get('/', ok)
  app.get('/chosen', { version: 'v1' }, ok)
  app.options('/', ok)
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', ok)
  })
  t.equal((await app.inject('/')).headers['api-version'], 'v2')
  t.equal((await app.inject({ url: '/?version=v2', method: 'OPTIONS' })).headers['api-version'], 'v2')
  for (const [url, status] of [
    ['/?version=v9', 404], ['/?version=v1', 410], ['/chosen?version=v2', 404], ['/handled?version=v9', 418]
  ] as const) {
    const { statusCode, headers } = await app.inject(url)
    t.same([statusCode, 'api-version' in headers], [status, false], url)
  }
})

const own: [says: string, answer: Answer, reported: string | undefined][] = [
  ['sets the header', (_request, reply) => reply.header('API-Version', 'own').send('ok'), 'own'],
  ['removes the header', (_request, reply) => reply.removeHeader('API-Version').send('ok'), undefined],
  ['answers a web response with the header', (_request, reply) => (
    reply.send(new Response('', { headers: { 'API-Version': 'own' } }))
  ), 'own'],
  ['throws an error with the header', () => {
    throw Object.assign(new Error('broken'), { headers: { 'API-Version': 'own' } })
  }, 'own']
]

for (const [says, answer, reported] of own) {
  t.test(`the response of a handler or a hook that ${says} has the API-Version ${reported}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', async (request, reply) => answer(request, reply))
    app.get('/hooked', { onRequest: async (request, reply) => answer(request, reply) as never }, ok)
    for (const url of ['/', '/hooked']) {
      t.equal((await app.inject(`${url}?version=v1`)).headers['api-version'], reported, url)
    }
  })
}

t.test('a version is reported wherever it is read, by whichever route and context', async (t) => {
  class Late extends QueryParameterVersioning {
    override determineVersion () { return Promise.resolve('v2') as never }
  }
  const all = Object.values(places)
  const both = [places.header.Scheme, places.query.Scheme]
  for (const scheme of [...all.map(({ Scheme }) => Scheme), both, Late]) {
    const app = await appWith(t, { ...settings, scheme })
    const list = all.filter(({ Scheme }) => Scheme === scheme)
    declareIn(app, list, { method: 'GET', url: '/probe', handler: ok })
    const naming = (list[0] ?? places.query).naming('v2')
    t.equal((await app.inject(requestOf('/probe', naming))).headers['api-version'], 'v2')
  }
  const app = await appWith(t, byQuery)
  app.get('/', ok)
  app.register(async (child) => {
    child.get('/before', ok)
    await child.register(versioning, { servedVersion: 'API-Version' })
    child.get('/own', { versioning: HeaderVersioning }, ok)
    child.get('/chosen', { version: 'v1' }, ok)
    child.get('/chosen', ok)
  })
  const reported = async (url: string) => (
    (await app.inject({ url, headers: { 'api-version': 'v2' } })).headers['api-version']
  )
  t.same(await Promise.all([
    '/?version=v1', '/before?version=v1', '/own?version=v1', '/chosen?version=v1', '/chosen?version=v2'
  ].map(reported)), [undefined, 'v1', 'v2', 'v1', 'v2'])
})

t.test('versions that cannot be in a header are refused for a route, and allowed without the header', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/', { versioning: new HeaderVersioning({ allowedVersions: ['vé'] }) }, ok), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "servedVersion": .*, got 'vé'\. The route is GET \/\. See /
  })
  for (const servedVersion of [null, undefined]) {
    const other = await appWith(t, { ...byQuery, allowedVersions: ['vé', 'a,b', ''], servedVersion })
    other.get('/', async ({ version }) => version)
    const { body, headers } = await other.inject('/?version=v%C3%A9')
    t.equal(body, 'vé')
    t.same(Object.keys(headers).sort(), ['connection', 'content-length', 'content-type', 'date'])
  }
})

for (const version of ['v1', '2026-03-01', 'a b', 'a,b', '"', '\\', '~!@#$%^&*()[]{}<>|;:', 'v'.repeat(256)]) {
  t.test(`the version ${version.slice(0, 20)} is reported if every version is allowed`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, servedVersion: 'API-Version' })
    app.get('/', ok)
    t.equal((await app.inject(`/?version=${encodeURIComponent(version)}`)).headers['api-version'], version)
  })
}

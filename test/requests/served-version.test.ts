import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, ok, tell } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const settings: VersioningOptions = { ...byQuery, servedVersion: 'API-Version' }
const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET' }

for (const servedVersion of ['API-Version', 'api-version', 'API-VERSION', 'X_Served.by~us']) {
  t.test(`the header ${servedVersion} reports the version`, async (t) => {
    const app = await appWith(t, { ...settings, servedVersion })
    app.get('/', ok)
    t.equal((await app.inject('/?version=v2')).headers[servedVersion.toLowerCase()], 'v2')
  })
}

for (const version of ['', 'v 1 ', 'v1,v2', 'v1\n', 'vé', '版']) {
  t.test(`the version ${JSON.stringify(version)} is refused at boot only if a header reports it`, async (t) => {
    const error = { code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "servedVersion": expected allowedVersions/ }
    const allowedVersions = ['v1', version]
    const scheme = new HeaderVersioning({ allowedVersions })
    await t.rejects(appWith(t, { ...settings, allowedVersions }), error)
    await t.rejects(appWith(t, { servedVersion: 'API-Version', scheme }), error)
    const app = await appWith(t, settings)
    t.throws(() => app.get('/', { versioning: scheme }, ok), { ...error, message: / The route is GET \/\. See / })
    await t.rejects(async () => app.register(async (context) => {
      await context.register(versioning, { allowedVersions })
    }), error)
    for (const servedVersion of [null, undefined]) {
      const silent = await appWith(t, { ...byQuery, allowedVersions, servedVersion })
      silent.get('/', tell)
      const { body, headers } = await silent.inject(`/?version=${encodeURIComponent(version)}`)
      t.equal(body, version)
      t.same(Object.keys(headers).sort(), ['connection', 'content-length', 'content-type', 'date'])
    }
  })
}

t.test('neutral routes, preflights and unknown URLs send no header', async (t) => {
  const app = await appWith(t, { ...settings, defaultVersion: 'v1' })
  app.get('/', ok)
  app.options('/', ok)
  app.get('/neutral', { versioning: false }, ok)
  app.get('/broken', { versioning: false }, async () => { throw new Error('broken') })
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/off', ok)
  })
  for (const [method, url] of [
    ['GET', '/neutral'], ['GET', '/broken'], ['GET', '/off'], ['GET', '/unknown'], ['OPTIONS', '/'], ['DELETE', '/']
  ] as const) {
    const { headers } = await app.inject({ method, url: `${url}?version=v1`, headers: preflight })
    t.notOk('api-version' in headers, url)
    t.match(headers['content-type'], /; charset=utf-8$/)
  }
})

const sent: [what: string, version: string, isReported?: true][] = [
  ...['v1', '2026-03-01', 'a b', 'a,b', '"', '\\', '~!@#$%^&*()[]{}<>|;:', 'v'.repeat(256)].map((
    version
  ): [string, string, true] => [version, version, true]),
  ['a line break', 'v1\r\nX-Evil: 1'],
  ['a line feed', 'v1\nX-Evil: 1'],
  ['a carriage return', 'v1\r'],
  ['a NUL', 'v\0'],
  ['a tab', 'v\t1'],
  ['DEL', 'v\x7f'],
  ['Latin-1', 'vé'],
  ['characters that are not in Latin-1', '版本'],
  ['half a surrogate pair', '\ud800'],
  ['no characters', ''],
  ['a space', ' '],
  ['a trailing space', 'v1 '],
  ['64 kB', 'v'.repeat(65_536)],
  ['64 kB of spaces', `v${' '.repeat(65_536)}\n`]
]

for (const [what, version, isReported = false] of sent) {
  t.test(`a version of ${what.slice(0, 40)} is served, and ${isReported ? '' : 'not '}reported`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, servedVersion: 'API-Version' })
    app.get('/', tell)
    const { statusCode, body, headers } = await app.inject(`/?version=${encodeURIComponent(version.toWellFormed())}`)
    t.same([statusCode, body], [200, version.toWellFormed()])
    const { 'api-version': reported, ...others } = headers
    t.equal(reported, isReported ? version : undefined)
    t.same(Object.keys(others).sort(), ['connection', 'content-length', 'content-type', 'date'])
    t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  })
}

t.test('a request without a version has no header', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: ['v1', null] })
  app.get('/', ok)
  for (const method of ['GET', 'HEAD'] as const) {
    t.equal((await app.inject({ method, url: '/?version=v1' })).headers['api-version'], 'v1')
    t.notOk('api-version' in (await app.inject({ method, url: '/' })).headers)
  }
})

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown

const own: [says: string, answer: Answer, served?: string][] = [
  ['sets the header', (_request, reply) => reply.header('API-Version', 'own').send('ok'), 'own'],
  ['removes the header', (_request, reply) => reply.removeHeader('API-Version').send('ok')],
  ['answers a web response with the header', (_request, reply) => (
    reply.send(new Response('', { headers: { 'API-Version': 'own' } }))
  ), 'own'],
  ['throws an error with the header', () => {
    throw Object.assign(new Error('broken'), { headers: { 'API-Version': 'own' } })
  }, 'own']
]

for (const [says, answer, served] of own) {
  t.test(`the response of a handler or a hook that ${says} has the API-Version ${served}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', async (request, reply) => answer(request, reply))
    app.get('/hooked', { onRequest: async (request, reply) => answer(request, reply) as never }, ok)
    for (const url of ['/', '/hooked']) {
      t.equal((await app.inject(`${url}?version=v1`)).headers['api-version'], served, url)
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

class Late extends QueryParameterVersioning {
  override determineVersion () { return Promise.resolve('v2') as never }
}

for (const list of [...Object.values(places).map((place) => [place]), [places.header, places.query], [places.query]]) {
  t.test(`a version is reported that is read in the ${list.map(({ text }) => text).join(' or ')}`, async (t) => {
    const isLate = list.length === 1 && list[0] === places.query
    const scheme = isLate ? [Late] : list.map(({ Scheme }) => Scheme)
    const app = await appWith(t, { ...settings, scheme })
    declareIn(app, list, { method: 'GET', url: '/probe', handler: ok })
    t.equal((await app.inject(requestOf('/probe', list[0].naming('v2')))).headers['api-version'], 'v2')
  })
}

t.test('the header is the one of the context of the route', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/', ok)
  app.register(async (child) => {
    child.get('/before', ok)
    await child.register(versioning, { servedVersion: 'API-Version' })
    child.get('/own', { versioning: HeaderVersioning }, ok)
    child.get('/chosen', { version: 'v1' }, ok)
    child.get('/chosen', ok)
    child.register(async (grandchild) => {
      await grandchild.register(versioning, { servedVersion: null })
      grandchild.get('/none', ok)
    })
  })
  for (const [url, served] of [
    ['/?version=v1', undefined], ['/before?version=v1', 'v1'], ['/own?version=v1', 'v2'],
    ['/chosen?version=v1', 'v1'], ['/chosen?version=v2', 'v2'], ['/none?version=v1', undefined]
  ] as const) {
    const { headers } = await app.inject({ url, headers: { 'api-version': 'v2' } })
    t.equal(headers['api-version'], served, url)
  }
})

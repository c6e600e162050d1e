import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, ok, tell } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const settings: VersioningOptions = { ...byQuery, servedVersion: 'API-Version' }
const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
const BY_FASTIFY = ['connection', 'content-length', 'content-type', 'date']

t.test('a version that a header cannot report is refused at boot, if a header reports it', async (t) => {
  const error = { code: 'FST_ERR_VERSIONING_OPTION', message: /^Rename the version 'v1,v2': "servedVersion"/ }
  const allowedVersions = ['v1', 'v1,v2']
  const scheme = new HeaderVersioning({ allowedVersions })
  await t.rejects(appWith(t, { servedVersion: 'API-Version', scheme }), error)
  const app = await appWith(t, settings)
  const child = async (context: FastifyInstance) => { await context.register(versioning, { allowedVersions }) }
  await t.rejects(async () => app.register(child), error)
  const silent = await appWith(t, { ...byQuery, allowedVersions })
  silent.get('/', tell)
  t.equal((await silent.inject('/?version=v1,v2')).body, 'v1,v2')
})

const sent: [what: string, version: string, isReported?: true][] = [
  ...['2026-03-01', 'a b', 'a,b', '"', '\\', 'v'.repeat(256)].map((version): [string, string, true] => (
    [version, version, true]
  )),
  ['a line break', 'v1\r\nX-Evil: 1'],
  ['a line feed at the end', 'v1\n'],
  ['a NUL', 'v\0'],
  ['a tab', 'v\t1'],
  ['DEL', 'v\x7f'],
  ['Latin-1', 'vé'],
  ['half a surrogate pair', '\ud800'],
  ['no characters', ''],
  ['a space', ' '],
  ['a trailing space', 'v1 '],
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
    t.same(Object.keys(others).sort(), BY_FASTIFY)
  })
}

t.test('the version that answered is reported, the default one, too, and none if there is none', async (t) => {
  const lifecycle = { v1: { sunset: '2020-01-01' } }
  const app = await appWith(t, { ...settings, defaultVersion: 'v2', lifecycle, enforceSunset: true })
  const unversioned = await appWith(t, { ...settings, allowedVersions: ['v1', null] })
  for (const one of [app, unversioned]) one.get('/', ok)
  app.options('/', ok)
  app.get('/chosen', { version: 'v1' }, ok)
  app.get('/neutral', { versioning: false }, ok)
  app.get('/own', async (_request, reply) => reply.header('API-Version', 'own').send(''))
  app.get('/broken', async () => { throw new Error('broken') })
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', ok)
  })
  for (const [url, status, version, method = 'GET', headers = {}] of [
    ['/', 200, 'v2'],
    ['/?version=v2', 200, 'v2', 'HEAD'],
    ['/?version=v2', 200, 'v2', 'OPTIONS'],
    ['/?version=v2', 200, undefined, 'OPTIONS', preflight],
    ['/broken', 500, 'v2'],
    ['/own', 200, 'own'],
    ['/?version=v9', 404, undefined],
    ['/?version=v1', 410, undefined],
    ['/chosen?version=v2', 404, undefined],
    ['/handled?version=v9', 418, undefined],
    ['/neutral?version=v2', 200, undefined],
    ['/unknown?version=v2', 404, undefined]
  ] as const) {
    const response = await app.inject({ url, method, headers })
    t.same([response.statusCode, response.headers['api-version']], [status, version], `${method} ${url}`)
  }
  t.notOk('api-version' in (await unversioned.inject('/')).headers)
})

import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

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

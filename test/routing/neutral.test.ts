import t from 'tap'

import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'
import { allowedVersions as versions, tell } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersionError } from '../../src/index.ts'

const allowedVersions = [...versions, null]
const settings = { scheme: HeaderVersioning, allowedVersions }

async function ask (app: FastifyInstance, version: string | null, url = '/a'): Promise<string> {
  const headers = version === null ? {} : { 'api-version': version }
  const { mark, version: got, statusCode, message } = (await app.inject({ url, headers })).json()
  return statusCode === undefined ? `${mark} ${got}` : `${statusCode} ${message}`
}

for (const place of [places.accept, places.header, places.query, places.contentType]) {
  t.test(`under ${place.Scheme.name} null in a list serves requests without a version`, async (t) => {
    for (const allowed of [allowedVersions, null]) {
      const app = await appWith(t, { scheme: place.Scheme, allowedVersions: allowed })
      app.get('/a', { version: ['v1', null] }, tell('one'))
      app.get('/a', { version: 'v2' }, tell('two'))
      t.match((await app.inject(requestOf('/a'))).json(), { mark: 'one', version: null, versions: ['v1', null] })
      t.match((await app.inject(requestOf('/a', place.naming('v1')))).json(), { mark: 'one', version: 'v1' })
      t.match((await app.inject(requestOf('/a', place.naming('v2')))).json(), { mark: 'two', version: 'v2' })
      const refused = await app.inject(requestOf('/a', place.naming('v3')))
      t.match(refused.json(), { code: place.refusal.code, message: 'This URL answers GET in v1, v2.' })
    }
  })
}

t.test('the schemes of a list serve null where none of them specifies a version', async (t) => {
  const app = await appWith(t, {
    scheme: [AcceptHeaderVersioning, QueryParameterVersioning, ContentTypeVersioning], allowedVersions
  })
  app.get('/a', { version: [null, 'v2'] }, tell('two'))
  app.get('/a', { version: 'v1' }, tell('one'))
  t.match((await app.inject('/a')).json(), { mark: 'two', version: null })
  t.match((await app.inject('/a?version=v1')).json(), { mark: 'one' })
})

t.test('a route for null has priority over the open route, and leaves it every other version', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', tell('open'))
  app.get('/a', { version: ['v1', null] }, tell('one'))
  t.equal(await ask(app, null), 'one null')
  t.equal(await ask(app, 'v3'), 'open v3')
  t.match(await ask(app, 'v9'), /^400 Invalid version in "API-Version" header\./)
})

t.test('a route may serve only null, next to versions and ranges', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: [null] }, tell('none'))
  app.get('/a', { version: { from: 'v2' } }, tell('later'))
  app.get('/b', { version: [null] }, tell('none'))
  t.equal(await ask(app, null), 'none null')
  t.equal(await ask(app, 'v1'), '400 This URL answers GET in v2, v3, v4.')
  t.equal(await ask(app, 'v3'), 'later v3')
  t.equal(await ask(app, null, '/b'), 'none null')
  t.equal(await ask(app, 'v1', '/b'), '400 This URL answers GET without a version.')
})

t.test('the routes of a context may serve null', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (routes) => routes.get('/a', tell('one')), { version: ['v1', null] })
  t.equal(await ask(app, null), 'one null')
})

t.test('a HEAD request without a version is answered where GET is', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: ['v1', null] }, async (_request, reply) => reply.header('route', 'one').send('1'))
  app.get('/a', { version: 'v2' }, async (_request, reply) => reply.header('route', 'two').send('2'))
  t.equal((await app.inject({ method: 'HEAD', url: '/a' })).headers['route'], 'one')
})

t.test('a request whose version is refused does not reach the route for null', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: ['v1', null] }, tell('one'))
  t.match(await ask(app, 'v9'), /^400 /)
  t.match(await ask(app, 'v1, v2'), /^400 /)
  t.equal(await ask(app, null), 'one null')
})

t.test('two routes cannot both serve null', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: ['v1', null] }, tell('one'))
  app.get('/a', { version: ['v2', null] }, tell('two'))
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /both claim requests without a version: remove null/
  })
})

t.test('app.versions lists a route for null under its version and under null', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: ['v1', null], exposeHeadRoute: false }, tell('one'))
  app.get('/a', { exposeHeadRoute: false, name: 'open' }, tell('open'))
  await app.ready()
  const served = app.versions.map(({ version, routes }) => [version, routes.map(({ name }) => name)])
  t.same(served, [['v1', [null]], ['v2', ['open']], ['v3', ['open']], ['v4', ['open']], [null, [null]]])
  t.match(app.printRoutes(), '{"fastifyVersioning":["v1",null]}')
})

t.test('an added HEAD route of a host serves null like its GET route', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: ['v1', null], constraints: { host: /^a/ } }, tell('one'))
  await t.resolves(async () => app.ready())
  t.match((await app.inject({ url: '/a', headers: { host: 'a.b' } })).json(), { mark: 'one', version: null })
})

t.test('a refusal lists null where the URL serves it, and a report does not', async (t) => {
  const app = await appWith(t, { ...settings, reportVersions: true })
  app.setErrorHandler<VersionError>(async ({ allowedVersions }) => allowedVersions)
  app.get('/a', { version: ['v1', null] }, tell('one'))
  app.get('/b', { version: [null] }, tell('none'))
  const headers = { 'api-version': 'v2' }
  t.same((await app.inject({ url: '/a', headers })).json(), ['v1', null])
  t.same((await app.inject({ url: '/b', headers })).json(), [null])
  t.equal((await app.inject({ url: '/a', headers })).headers['api-supported-versions'], 'v1')
})

t.test('a URL still serves null when its version is gone', async (t) => {
  const app = await appWith(t, { ...settings, lifecycle: { v1: { sunset: '2025-01-01' } }, enforceSunset: true })
  app.get('/a', { version: ['v1', null] }, tell('one'))
  t.equal(await ask(app, 'v1'), "410 Version 'v1' was retired on Wed, 01 Jan 2025 00:00:00 GMT.")
  t.equal(await ask(app, null), 'one null')
  t.equal(await ask(app, 'v2'), '400 This URL answers GET without a version.')
})

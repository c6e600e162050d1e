import t from 'tap'

import versioning, {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const answer = async () => 'ok'
const versions = { bookings: ['v1', 'v2'], rates: ['2025', '2026'] }
type Tap = Parameters<typeof appWith>[0]

/** An app of two teams, each in its own context. */
async function appOfTeams (t: Tap, options: OpenapiOptions = {}, prefix = ''): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: null })
  const all = async (api: FastifyInstance) => {
    await api.register(openapi, { versions, ...options })
    api.get('/health', answer)
    api.register(async function bookings (team) {
      await team.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
      team.get('/rooms', answer)
      team.get('/new', { version: 'v2' }, answer)
      team.get('/status', { versioning: false }, answer)
    }, { prefix: '/bookings' })
    api.register(async function rates (team) {
      await team.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['2025', '2026'] })
      team.get('/', answer)
    }, { prefix: '/rates' })
  }
  if (prefix === '') await all(app)
  else app.register(all, { prefix })
  await app.ready()
  return app
}

function pathsOf (app: FastifyInstance): Record<string, string[]> {
  return Object.fromEntries(app.openapi.names.map((name) => [name, Object.keys(documentOf(app, name).paths)]))
}

t.test('the document of a team has its routes, and the routes that belong to no team', async (t) => {
  const app = await appOfTeams(t)
  t.strictSame(pathsOf(app), {
    'bookings v1': ['/health', '/bookings/rooms', '/bookings/status'],
    'bookings v2': ['/health', '/bookings/rooms', '/bookings/new', '/bookings/status'],
    'rates 2025': ['/health', '/rates/'],
    'rates 2026': ['/health', '/rates/']
  })
})

t.test('the document of a team has its name', async (t) => {
  const app = await appOfTeams(t)
  t.match(documentOf(app, 'bookings v2').info, { title: 'API bookings v2', 'x-api-version': 'v2' })
  t.match(documentOf(app, 'rates 2026').info, { title: 'API rates (version 2026)', 'x-api-version': '2026' })
})

t.test('the page offers the documents of all teams, and shows the latest one of the first team', async (t) => {
  const app = await appOfTeams(t)
  const { body } = await app.inject('/documentation/static/swagger-initializer.js')
  t.match(body, '{"url":"/documentation/bookings-v2.json","name":"bookings v2"}')
  t.match(body, '{"url":"/documentation/rates-2026.json","name":"rates 2026"}')
  t.match(body, '"urls.primaryName":"bookings v2"')
  t.equal((await app.inject('/documentation/rates-2025.json')).json().info['x-api-version'], '2025')
})

t.test('the options of a document depend on the team', async (t) => {
  const app = await appOfTeams(t, {
    document: (version, team) => ({ openapi: { info: { title: `${team}!`, version } } })
  })
  t.match(documentOf(app, 'rates 2026').info, { title: 'rates! rates (version 2026)', version: '2026' })
})

t.test('responses link to the document of their team', async (t) => {
  const app = await appOfTeams(t, { serviceDesc: true })
  const link = (file: string) => `</documentation/${file}.json>; rel="service-desc"; type="application/json"`
  const headers = { 'api-version': 'v1' }
  t.equal((await app.inject({ url: '/bookings/rooms', headers })).headers.link, link('bookings-v1'))
  t.equal((await app.inject('/rates?version=2026')).headers.link, link('rates-2026'))
  t.equal((await app.inject('/health')).headers.link, undefined)
})

t.test('teams may be in a context with a prefix', async (t) => {
  const app = await appOfTeams(t, {}, '/api')
  const { paths } = (await app.inject('/api/documentation/rates-2026.json')).json()
  t.strictSame(Object.keys(paths), ['/api/health', '/api/rates/'])
})

t.test('a team may have its own page as well', async (t) => {
  const app = await appWith(t, { scheme: null })
  await app.register(openapi, { versions: { bookings: ['v1'] } })
  app.register(async (team) => {
    await team.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    await team.register(openapi)
    team.get('/rooms', answer)
    t.strictSame(team.openapi.names, ['v1'])
  }, { prefix: '/bookings' })
  t.strictSame((await app.inject('/bookings/documentation/v1.json')).json().paths, documentOf(app, 'bookings v1').paths)
})

t.test('a child context cannot have its own page where no teams are listed', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
  await app.register(openapi)
  app.register(async (team) => { await team.register(openapi) }, { prefix: '/bookings' })
  await t.rejects(async () => app.ready(), { message: /registered already, in this context or around it/ })
})

t.test('teams are refused if they are registered twice in a context', async (t) => {
  const app = await appOfTeams(t)
  const other = await appWith(t, { scheme: null })
  await other.register(openapi, { versions })
  await t.rejects(async () => other.register(openapi, { versions }), { message: /registered already/ })
  t.ok(app)
})

t.test('the version in a path may come before the team', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { versions: { bookings: ['v1'], 'bookings/admin': ['v2'], rates: ['v1'] } })
  app.get('/:version/bookings/rooms', answer)
  app.get('/:version/bookings/admin/users', answer)
  app.get('/:version/bookingsX', answer)
  app.get('/:version(^v\\d$)/rates', answer)
  await app.ready()
  t.strictSame(pathsOf(app), {
    'bookings v1': ['/v1/bookings/rooms'], 'bookings/admin v2': ['/v2/bookings/admin/users'], 'rates v1': ['/v1/rates']
  })
})

t.test('a namespace may be the team, or the version before it', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { versions: { bookings: ['v1'], rates: ['v1', 'v2'] } })
  app.register(async (team) => {
    team.register(async (api) => { api.get('/rooms', answer) }, { prefix: '/v1', namespace: 'v1' })
  }, { prefix: '/b', namespace: 'bookings' })
  app.register(async (api) => { api.get('/rates', answer) }, { prefix: '/v2', namespace: 'v2' })
  await app.ready()
  t.strictSame(pathsOf(app), { 'bookings v1': ['/b/v1/rooms'], 'rates v1': [], 'rates v2': ['/v2/rates'] })
})

t.test('a team without routes is reported', async (t) => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => { warnings.push(message) }
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const app = await appWith(t, { scheme: null })
  await app.register(openapi, { ui: false, versions: { bokings: ['v1'] } })
  app.register(async (team) => {
    await team.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    team.get('/rooms', answer)
  }, { prefix: '/bookings' })
  await app.ready()
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(warnings, [
    "No route with versions begins with '/bokings' or has this namespace, but there is a document of 'bokings v1'."
  ])
})

const WRONG: [unknown, string][] = [
  [{}, 'Invalid "versions": expected at least one team with its versions, got {}.'],
  [{ bookings: [] }, 'Invalid "versions.bookings": expected a list of versions, got [].'],
  [{ bookings: 'v1' }, 'Invalid "versions.bookings": expected a list of versions, got \'v1\'.'],
  [{ '/bookings': ['v1'] }, 'Invalid "versions": expected names of teams like "bookings", got \'/bookings\'.']
]

for (const [given, message] of WRONG) {
  t.test(`teams are refused with ${message}`, async (t) => {
    const app = await appWith(t, { scheme: null })
    await t.rejects(async () => app.register(openapi, { versions: given as never }), { message })
  })
}

t.test('an unknown document is refused with the names of the existing ones', async (t) => {
  const app = await appOfTeams(t)
  t.throws(() => app.openapi('v1'), { code: 'FST_ERR_VERSION_DOCUMENT', message: /'bookings v1'/ })
  t.throws(() => app.openapi.transform('v1'), { code: 'FST_ERR_VERSION_DOCUMENT' })
  t.type(app.openapi.transform('rates 2025'), 'function')
})

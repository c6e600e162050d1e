import t from 'tap'

import versioning, {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, byDate
} from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** What the first team gets that links to the second one: a URL, or the message of the error. */
async function linkBetween (t: Test, from: VersioningOptions, to: VersioningOptions, path = '/list'): Promise<string> {
  const app = bareApp(t)
  await app.register(versioning)
  app.setErrorHandler(async (error: Error & { code: string }) => `${error.code} ${error.message}`)
  app.register(async (first) => {
    await first.register(versioning, { scheme: QueryParameterVersioning, ...from })
    first.get('/from', async (_request, reply) => reply.reverse('list'))
  })
  app.register(async (second) => {
    await second.register(versioning, { scheme: HeaderVersioning, ...to })
    second.get(path, { name: 'list' }, async () => '')
  })
  return (await app.inject('/from?version=v1')).body
}

const v1 = { allowedVersions: ['v1'] }

t.test('a link to a team that allows none of the versions has none', async (t) => {
  for (const scheme of [HeaderVersioning, QueryParameterVersioning, [HeaderVersioning, QueryParameterVersioning]]) {
    t.equal(await linkBetween(t, v1, { scheme, allowedVersions: ['a', 'b'] }), '/list')
    t.equal(await linkBetween(t, { ...v1, scheme: [QueryParameterVersioning, HeaderVersioning] }, {
      scheme, allowedVersions: ['a']
    }), '/list')
  }
})

for (const [what, from, to] of [
  ['both know another version', { allowedVersions: ['v1', 'v2'] }, { allowedVersions: ['v2'] }],
  ['the other has a default version', v1, { allowedVersions: ['a'], defaultVersion: 'a' }],
  [
    'the other has one for each client', v1,
    { allowedVersions: ['a'], defaultVersion: { header: 'X-Team', version: () => 'a' } }
  ],
  ['the other allows null', v1, { allowedVersions: [null, 'a'] }],
  ['the other allows every version', v1, {}],
  ['this one allows every version', {}, { allowedVersions: ['a'] }],
  ['both know the version', v1, { allowedVersions: ['v1'] }]
] satisfies [string, VersioningOptions, VersioningOptions][]) {
  t.test(`a link to another team is made if ${what}`, async (t) => {
    t.match(await linkBetween(t, from, to), /^\/list/)
  })
}

t.test('a version in the path of a link to a team is the version of the link', async (t) => {
  const to = { scheme: URLPathVersioning, allowedVersions: ['a'] }
  t.match(await linkBetween(t, v1, to, '/:version/list'), /^FST_ERR_NO_/)
  t.match(await linkBetween(t, v1, to, '/list'), /^\/list/)
})

t.test('a link to a team with the version in its path needs one that it allows, or that is given', async (t) => {
  const app = bareApp(t)
  await app.register(versioning)
  app.setErrorHandler(async (error: Error) => error.message)
  app.register(async (first) => {
    await first.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] })
    first.get('/:version/:name', async (request, reply) => {
      const { name } = request.params as { name: string }
      return reply.reverse(name, request.query as Record<string, string>)
    })
  })
  for (const [name, allowedVersions] of Object.entries({ none: ['a'], some: ['v2'], one: ['v1'] })) {
    app.register(async (second) => {
      await second.register(versioning, { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'a' })
      second.get(`/${name}/:version`, { name }, async () => '')
    })
  }
  const linkFrom = async (url: string) => (await app.inject(url)).body
  t.match(await linkFrom('/v1/none'), /^Route 'none' has no URL for .*"version" missing/)
  t.equal(await linkFrom('/v1/none?version=a'), '/none/a')
  t.match(await linkFrom('/v1/some'), /^Route 'some' has no URL for .*"version" missing/)
  t.equal(await linkFrom('/v1/one'), '/one/v1')
})

const dates = { allowedVersions: ['2025-06-01', '2025-11-15'], resolveVersion: byDate }
const otherDates = { allowedVersions: ['2025-05-01', '2026-01-01'], resolveVersion: byDate }

for (const [scheme, path, link] of [
  [HeaderVersioning, '/list', '/list'],
  [QueryParameterVersioning, '/list', '/list?version=2025-05-01'],
  [URLPathVersioning, '/:version/list', '/2025-05-01/list']
] as const) {
  t.test(`a link to a team under ${scheme.name} has the version that the request's resolves to there`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning)
    app.register(async (first) => {
      await first.register(versioning, { ...dates, scheme: URLPathVersioning, versionParam: 'date' })
      first.get('/:date/from', async (_request, reply) => reply.reverse('list'))
    })
    app.register(async (second) => {
      await second.register(versioning, { ...otherDates, scheme })
      second.get(path, { name: 'list' }, async () => '')
    })
    t.equal((await app.inject('/2025-12-24/from')).body, link)
  })
}

t.test('a team has no URL of the default version where a route outside of it answers', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
  })
  const declare = (context: FastifyInstance) => context.get('/rooms', async (_request, reply) => (
    reply.reverse(null, null, { version: 'v1' })
  ))
  declare(app)
  app.register(async (v2) => { declare(v2) }, { prefix: '/v2', namespace: 'v2' })
  app.register(async (team) => {
    team.register(async (v2) => { declare(v2) }, { prefix: '/v2', namespace: 'v2' })
  }, { prefix: '/team', namespace: 'team' })
  t.equal((await app.inject('/v2/rooms')).body, '/rooms')
  t.match((await app.inject('/team/v2/rooms')).json(), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

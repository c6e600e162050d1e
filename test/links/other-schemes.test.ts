import { inspect } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning, byDate
} from '../../src/index.ts'
import { show } from '../../src/messages.ts'
import { appWith } from '../fixtures/app-with.ts'
import { noMatch, ok, option, within } from './app.ts'

import type { FastifyReply, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { Call } from './app.ts'
import type { LinkOptions, ReverseKwargs, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2']
const v1 = { version: 'v1' }
const v2 = { version: 'v2' }

/** Under each scheme, where the app of `appBetween` answers in v1. */
const HERE = new Map<unknown, string>([
  [QueryParameterVersioning, '/here?version=v1'], [URLPathVersioning, '/v1/here'], [NamespaceVersioning, '/ns/here']
])

/** An app whose routes `here` answer with `call`, with a route `there` in a context that has other options. */
async function appBetween (
  t: Test, from: VersioningOptions, to: VersioningOptions, path: string, call: Call, route?: RouteShorthandOptions
) {
  const app = await appWith(t, { allowedVersions, ...from })
  const here = async (_request: unknown, reply: FastifyReply) => call(reply)
  app.get('/here', here)
  app.get('/:version/here', here)
  app.register(async (v1) => { v1.get('/here', here) }, { prefix: '/ns', namespace: 'v1' })
  app.register(async (context) => {
    await context.register(versioning, to)
    context.get(path, { name: 'there', ...route }, ok)
  })
  return app
}

const accept = AcceptHeaderVersioning
const header = HeaderVersioning
const query = QueryParameterVersioning
const path = URLPathVersioning
const namespace = NamespaceVersioning
const hosts = HostNameVersioning
const v = new QueryParameterVersioning({ versionParam: 'v' })
const there = '/there'
const inPath = '/:version/there'
const all = { query: { page: 2 }, hash: 'top' }

type Row = [
  from: VersioningOptions['scheme'], to: VersioningOptions, path: string, params: ReverseKwargs | null,
  options: LinkOptions, link: string | null, route?: RouteShorthandOptions
]

/** The last one is the link in version v1, or null for no match. */
const links: Row[] = [
  [accept, { scheme: path }, inPath, null, {}, '/v1/there'],
  [accept, { scheme: path }, inPath, null, v2, '/v2/there'],
  [accept, { scheme: path }, '/:version/there/:id', { id: 7 }, all, '/v1/there/7?page=2#top'],
  [accept, { scheme: path }, inPath, { version: 'v9' }, {}, '/v9/there'],
  [path, { scheme: path, versionParam: 'v' }, '/:v/there', null, {}, '/v1/there'],
  [query, { scheme: null }, inPath, null, {}, '/v1/there', { versioning: path }],
  [namespace, { scheme: path }, inPath, null, {}, '/v1/there'],
  [path, { scheme: query }, there, null, {}, '/there?version=v1'],
  [accept, { scheme: query }, there, null, v2, '/there?version=v2'],
  [namespace, { scheme: query }, there, null, {}, '/there?version=v1'],
  [accept, { scheme: query }, there, null, { version: null }, there],
  [query, { scheme: v }, there, null, {}, '/there?v=v1'],
  [[accept, HeaderVersioning], { scheme: query }, there, null, {}, '/there?version=v1'],
  [accept, { scheme: hosts }, there, null, v2, 'http://v2.example.com/there'],
  // A version that is not allowed there, or that has no place
  [namespace, { scheme: query, allowedVersions: ['v2'] }, there, null, {}, there],
  [namespace, { scheme: query, allowedVersions: ['v2'] }, there, null, v2, '/there?version=v2'],
  [accept, { scheme: path, allowedVersions: ['v2'] }, inPath, null, {}, null],
  [accept, { scheme: path, allowedVersions: ['v2'], defaultVersion: 'v2' }, inPath, null, {}, null],
  [namespace, { scheme: path }, there, null, {}, there],
  [path, { scheme: null }, there, null, {}, there],
  [query, { scheme: accept }, there, null, {}, there],
  [accept, { scheme: namespace }, there, null, {}, there]
]

for (const [from, to, path, params, options, url, route] of links) {
  const [by, other] = [from, route?.versioning ?? to.scheme].map((one) => (one as { name?: string } | null)?.name)
  t.test(`a link from ${by} to ${path} under ${other} with ${JSON.stringify(options)} is ${url}`, async (t) => {
    const app = await appBetween(t, { scheme: from }, to, path, (reply) => (
      reply.reverse('there', params, options)
    ), route)
    const headers = { accept: '*/*;version=v1', host: 'v1.example.com' }
    const response = await app.inject({ url: HERE.get(from) ?? '/here', headers })
    if (url === null) t.match(response.json(), noMatch)
    else t.equal(response.body, url)
  })
}

t.test('outside a request the scheme of the other route makes the link in the version given', async (t) => {
  for (const scheme of [accept, null, query]) {
    const app = await appBetween(t, { scheme }, { scheme: path }, inPath, () => '')
    await app.ready()
    t.equal(app.reverse('there', null, v2), '/v2/there')
    t.throws(() => app.reverse('there'), { ...noMatch, message: /version/ })
  }
})

t.test('a version that the scheme of the other route does not allow is refused by it', async (t) => {
  const app = await appBetween(t, { scheme: accept }, { scheme: query, allowedVersions: ['v1'] }, '/there', () => '')
  await app.ready()
  t.throws(() => app.reverse('there', null, v2), {
    code: 'FST_ERR_REVERSE_OPTION', message: /expected one of \[ 'v1' \], or null, got 'v2'/
  })
})

t.test('a request without a version links without a version to a route of another scheme', async (t) => {
  const app = await appBetween(t, { scheme: null }, { scheme: query }, '/there', (reply) => reply.reverse('there'))
  t.equal((await app.inject('/here')).body, '/there')
})

t.test('a link to a route under HostNameVersioning does not stay on a host with another version', async (t) => {
  const app = await appBetween(t, { scheme: query }, { scheme: HostNameVersioning }, '/there', (reply) => [
    reply.reverse('there'), reply.reverse('there', null, v2)
  ])
  const ask = async (host: string) => (await app.inject({ url: '/here?version=v1', headers: { host } })).json()
  t.same(await ask('v1.example.com'), ['/there', 'http://v2.example.com/there'])
  t.same(await ask('v2.example.com'), ['http://v1.example.com/there', 'http://v2.example.com/there'])
})

const dates = { allowedVersions: ['2025-06-01', '2025-11-15'], resolveVersion: byDate }
const otherDates = { allowedVersions: ['2025-05-01', '2026-01-01'], resolveVersion: byDate }

for (const [scheme, path, link] of [
  [HeaderVersioning, '/there', '/there'], [query, '/there', '/there?version=2025-05-01'],
  [URLPathVersioning, '/:version/there', '/2025-05-01/there']
] as const) {
  t.test(`a link to a route under ${scheme.name} has what the version of the request resolves to there`, async (t) => {
    const from = { ...dates, scheme: URLPathVersioning }
    const app = await appBetween(t, from, { ...otherDates, scheme }, path, (reply) => reply.reverse('there'))
    t.equal((await app.inject('/2025-12-24/here')).body, link)
  })
}

t.test('a context without versioning links by the scheme of the route, or of the context above', async (t) => {
  class Marking extends QueryParameterVersioning {
    override reverse (viewName: string | null, options = {}) {
      return `${super.reverse(viewName, options)}#marked`
    }
  }
  const app = await appWith(t, { scheme: Marking })
  app.get('/q', { name: 'q' }, ok)
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/from', async (_request, reply) => [
      reply.reverse('q'), reply.reverse('q', null, v2), reply.reverse(null, null, v2)
    ])
    t.equal(context.reverse('q', null, { version: null }), '/q#marked')
  })
  t.same((await app.inject('/from')).json(), ['/q#marked', '/q?version=v2#marked', '/from'])
})

t.test('a scheme that makes its links itself is called once, also as a member of a list', async (t) => {
  let count = 0
  class Counting extends QueryParameterVersioning {
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      count++
      return super.reverse(viewName, options)
    }
  }
  for (const scheme of [Counting, [Counting, HeaderVersioning]]) {
    count = 0
    const app = await appWith(t, { scheme, allowedVersions })
    app.get('/:id', { name: 'room' }, async (_request, reply) => reply.reverse('room', { id: 8 }))
    t.equal((await app.inject('/7?version=v1')).body, '/8?version=v1')
    t.equal(count, 1)
  }
})

t.test('where a member of a list says that it has no link, the next one makes it', async (t) => {
  class Own extends URLPathVersioning {
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      return super.reverse(viewName, options)
    }
  }
  const app = await appWith(t, { scheme: [Own, query], allowedVersions })
  app.get('/a', { name: 'a' }, ok)
  app.get('/:version/b', { name: 'b' }, ok)
  await app.ready()
  t.same([app.reverse('a', null, v2), app.reverse('b', null, v2)], ['/a?version=v2', '/v2/b'])
})

t.test('a member of a list that makes its links itself leaves the version to the scheme of the route', async (t) => {
  class Own extends AcceptHeaderVersioning {
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      return super.reverse(viewName, options)
    }
  }
  const from = { scheme: [Own, HeaderVersioning] }
  const app = await appBetween(t, from, { scheme: query }, '/there', (reply) => reply.reverse('there'))
  t.equal((await app.inject({ url: '/here', headers: { accept: '*/*;version=v1' } })).body, '/there?version=v1')
})

t.test('a route in a namespace is found by its short name under other schemes and lists', async (t) => {
  for (const scheme of [accept, [namespace, path]]) {
    const app = await appWith(t, { scheme, allowedVersions })
    app.register(async (context) => {
      if (scheme === accept) await context.register(versioning, { scheme: namespace })
      within(context, ['v2'], (api) => api.get(scheme === accept ? '/x' : '/:version/x', { name: 'x' }, ok))
    })
    await app.ready()
    t.equal(app.reverse('x', null, v2), scheme === accept ? '/v2/x' : '/v2/v2/x')
  }
})

for (const value of [null, undefined, noMatch.code, { code: noMatch.code }, new RangeError('of its own')]) {
  t.test(`an error that a scheme throws for a link is rethrown, even ${show(value)}`, async (t) => {
    class Throwing extends QueryParameterVersioning {
      override reverse (): string {
        throw value
      }
    }
    const app = await appWith(t, { scheme: Throwing })
    app.get('/', { name: 'root' }, ok)
    await t.rejects(async () => {
      try {
        app.reverse('root')
      } catch (error) {
        t.equal(error, value)
        throw new Error('rethrown')
      }
    }, { message: 'rethrown' })
  })
}

t.test('a counterpart in another team is no URL of the default version', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions, defaultVersion: 'v1' })
  const rooms = async (_request: unknown, reply: FastifyReply) => reply.reverse(null, null, { version: 'v1' })
  app.get('/rooms', rooms)
  within(app, ['v2'], (api) => api.get('/rooms', rooms))
  within(app, ['team', 'v2'], (api) => api.get('/rooms', rooms))
  t.equal((await app.inject('/v2/rooms')).body, '/rooms')
  t.match((await app.inject('/team/v2/rooms')).json(), noMatch)
})

/** What the client specifies where the scheme is not asked. */
class Throwing extends HeaderVersioning {
  override readVersion () { return ['v1', 'v2'] }
}
const queryOfV1 = new QueryParameterVersioning({ allowedVersions: ['v1'] })

type Listed = [
  list: VersioningOptions['scheme'], url: string, headers: Record<string, string>, options: LinkOptions,
  link: string | object
]

const listed: Listed[] = [
  // Where the request has the version
  [[query, header], '/items/7', { 'api-version': 'v2' }, {}, '/items/7'],
  [[header, query], '/items/7?version=v2', {}, {}, '/items/7?version=v2'],
  [[header, query], '/items/7', { 'api-version': 'v2' }, {}, '/items/7'],
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, {}, '/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'localhost' }, {}, '/items/7?version=v2'],
  [[query, path], '/v2/items/7', {}, {}, '/v2/items/7'],
  // A version that the caller gives must be in the URL.
  [[header, query], '/items/7', { 'api-version': 'v2' }, v1, '/items/7?version=v1'],
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[path, header], '/items/7', { 'api-version': 'v2' }, { version: 'v3' }, { ...noMatch, message: /version 'v3'\.$/ }],
  // The client sends its header again, which has just this version.
  [[path, header], '/items/7', { 'api-version': 'v2' }, v2, '/items/7'],
  [[accept, header], '/items/7', { 'api-version': 'v2' }, v1, '/items/7'],
  [[accept, header], '/items/7', {}, v2, '/items/7'],
  // Elsewhere, where a URL can have it
  [[header, query], '/items/7', {}, {}, '/items/7?version=v1'],
  [[hosts, header], '/items/7', { host: 'localhost' }, {}, '/items/7'],
  // Members with their own settings
  [[queryOfV1, hosts], '/items/7', { host: 'v1.a.b' }, v2, 'http://v2.a.b/items/7'],
  [[queryOfV1, new HeaderVersioning({ allowedVersions: ['v1'] })], '/items/7', {}, v2, option],
  [[Throwing, query], '/items/7', {}, v2, '/items/7?version=v2']
]

for (const [scheme, url, headers, options, link] of listed) {
  const by = [scheme].flat().map((one) => (one as { name?: string }).name ?? 'an instance')
  const asked = inspect([headers, options])
  t.test(`under ${by} the route at ${url} with ${asked} has the link ${inspect(link)}`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2', 'v3'] })
    const answer = async (_request: unknown, reply: FastifyReply) => reply.reverse(null, null, options)
    app.setErrorHandler(async (error, _request, reply) => {
      if ((error as { code?: string }).code !== 'FST_ERR_VERSION_AMBIGUOUS') throw error
      return reply.reverse(null, null, options)
    })
    app.get('/items/:id', answer)
    app.get('/:version/items/:id', answer)
    const { body } = await app.inject({ url, headers })
    if (typeof link === 'string') t.equal(body, link)
    else t.match(JSON.parse(body), link)
  })
}

t.test('a host without a version that a link needs is the mistake of the client', async (t) => {
  const app = await appWith(t, { scheme: [hosts, header], allowedVersions })
  app.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a', null, v2))
  const ask = (host: string) => app.inject({ url: '/a', headers: { host, 'api-version': 'v1' } })
  t.equal((await ask('v1.example.com')).body, 'http://v2.example.com/a')
  const { statusCode, json } = await ask('localhost')
  t.equal(statusCode, 400)
  t.equal(json().code, 'FST_ERR_REVERSE_HOST')
})

import { inspect } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, byDate
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { badHost, declare, leads, linker, nameOf, noMatch, option } from './app.ts'

import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, RawRequest, ReverseKwargs, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'
import type { Scheme } from './app.ts'

const allowedVersions = ['v1', 'v2']
const v1 = { version: 'v1' }
const v2 = { version: 'v2' }

const accept = AcceptHeaderVersioning
const header = HeaderVersioning
const query = QueryParameterVersioning
const path = URLPathVersioning
const namespace = NamespaceVersioning
const hosts = HostNameVersioning
const v = new QueryParameterVersioning({ versionParam: 'v' })
const there = '/there'
const inPath = '/:version/there'
const NOT_ALLOWED = { ...option, message: /expected one of \[ 'v1' \], or null, got 'v2'/ }
const all = { query: { page: 2 }, hash: 'top' }

/** Under each scheme, where the app of `linkerBetween` answers in v1. */
const HERE = new Map<unknown, string>([[query, '/here?version=v1'], [path, '/v1/here'], [namespace, '/v1/here']])

/** An app whose routes `here` answer with links to a route `there`, in a context that has other options. */
async function linkerBetween (
  t: Test, from: VersioningOptions, to: VersioningOptions, path: string, route?: RouteShorthandOptions
) {
  const made = await linker(t, from)
  const inside = from.scheme === namespace ? 'v1' : ''
  declare(made.app, [['', '/here'], [inside, inside === '' ? '/:version/here' : '/here']], made.answer)
  made.app.register(async (context) => {
    await context.register(versioning, to)
    context.get(path, { name: 'there', ...route }, ok)
  })
  return made
}

/** A scheme that makes its links itself. */
const own = (Scheme: typeof BaseVersioning) => class extends Scheme {
  override reverse (viewName: string | null, options: ReverseOptions = {}) {
    return super.reverse(viewName, options)
  }
}

/** The last ones are the link in version v1, or its error, and the options of the other route. */
type Row = [
  from: Scheme, to: VersioningOptions, path: string, params: ReverseKwargs | null, options: LinkOptions,
  link: string | object, route?: RouteShorthandOptions
]

const links: Row[] = [
  [accept, { scheme: path }, inPath, null, v2, '/v2/there'],
  [accept, { scheme: path }, '/:version/there/:id', { id: 7 }, all, '/v1/there/7?page=2#top'],
  [path, { scheme: path, versionParam: 'v' }, '/:v/there', null, {}, '/v1/there'],
  [query, { scheme: null }, inPath, null, {}, '/v1/there', { versioning: path }],
  [accept, { scheme: query }, there, null, v2, '/there?version=v2'],
  [accept, { scheme: query }, there, null, { version: null }, there],
  [query, { scheme: v }, there, null, {}, '/there?v=v1'],
  [[accept, header], { scheme: query }, there, null, {}, '/there?version=v1'],
  [accept, { scheme: hosts }, there, null, v2, 'http://v2.example.com/there'],
  // A version that is not allowed there, or that has no place
  [namespace, { scheme: query, allowedVersions: ['v2'] }, there, null, {}, there],
  [namespace, { scheme: query, allowedVersions: ['v2'] }, there, null, v2, '/there?version=v2'],
  [accept, { scheme: path, allowedVersions: ['v2'] }, inPath, null, {}, noMatch],
  [accept, { scheme: path, allowedVersions: ['v2'], defaultVersion: 'v2' }, inPath, null, {}, noMatch],
  [namespace, { scheme: path }, there, null, {}, there],
  [accept, { scheme: namespace }, there, null, {}, there],
  [accept, { scheme: query, allowedVersions: ['v1'] }, there, null, v2, NOT_ALLOWED],
  // A request without a version, and a member that makes its links itself
  [null, { scheme: query }, there, null, {}, there],
  [[own(accept), header], { scheme: query }, there, null, {}, '/there?version=v1']
]

for (const [from, to, path, params, options, url, route] of links) {
  const by = `from ${nameOf(from)} to ${path} under ${nameOf(route?.versioning ?? to.scheme)}`
  t.test(`a link ${by} with ${JSON.stringify(options)} is ${inspect(url)}`, async (t) => {
    const { link } = await linkerBetween(t, { scheme: from }, to, path, route)
    const headers = { accept: '*/*;version=v1', host: 'v1.example.com' }
    leads(t, await link({ url: HERE.get(from) ?? '/here', headers }, 'there', params, options), url)
  })
}

const shared: [params: ReverseKwargs, options: LinkOptions, url: string | object][] = [
  [{ id: 7 }, {}, '/v1/active/7'], [{ q: 7 }, {}, '/query/7?version=v1'], [{ neutral: 7 }, v2, '/neutral/7'],
  [{ plain: 7 }, {}, '/plain/7'], [{ plain: 7 }, v2, noMatch]
]

for (const [params, options, url] of shared) {
  const given = JSON.stringify([params, options])
  t.test(`of a name in several schemes, the scheme of the path that takes ${given} makes the link`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme: path })
    app.get('/:version/active/:id', { name: 'there' }, answer)
    app.get('/plain/:plain', { name: 'there' }, ok)
    app.get('/query/:q', { name: 'there', versioning: query }, ok)
    app.get('/neutral/:neutral', { name: 'there', versioning: false }, ok)
    leads(t, await link('/v1/active/1', 'there', params, options), url)
  })
}

t.test('outside of namespaces the current route leads to itself in the default version', async (t) => {
  const { app, answer, link } = await linker(t, { scheme: namespace, defaultVersion: 'v1' })
  for (const url of ['/one/:id', '/two/:id']) app.get(url, { name: 'there' }, answer)
  t.equal(await link('/one/7', null, null, v1), '/one/7')
})

t.test('outside a request the scheme of the other route makes the link in the version given', async (t) => {
  for (const scheme of [accept, null, query]) {
    const { app } = await linkerBetween(t, { scheme }, { scheme: path }, inPath)
    await app.ready()
    t.equal(app.reverse('there', null, v2), '/v2/there')
    t.throws(() => app.reverse('there'), { ...noMatch, message: /version/ })
  }
})

t.test('a link to a route has what the version of the request resolves to there', async (t) => {
  const from = { scheme: URLPathVersioning, allowedVersions: ['2025-06-01', '2025-11-15'], resolveVersion: byDate }
  const to = { scheme: query, allowedVersions: ['2025-05-01', '2026-01-01'], resolveVersion: byDate }
  const { link } = await linkerBetween(t, from, to, there)
  t.equal(await link('/2025-12-24/here', 'there'), '/there?version=2025-05-01')
})

t.test('a context without versioning links by the scheme of the route, or of the context above', async (t) => {
  class Marking extends QueryParameterVersioning {
    override reverse (viewName: string | null, options = {}) {
      return `${super.reverse(viewName, options)}#marked`
    }
  }
  const { app, answer, link } = await linker(t, { scheme: Marking, allowedVersions: null })
  app.get('/q', { name: 'q' }, ok)
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/from', answer)
    t.equal(context.reverse('q', null, { version: null }), '/q#marked')
  })
  t.equal(await link('/from', 'q'), '/q#marked')
  t.equal(await link('/from', 'q', null, v2), '/q?version=v2#marked')
  t.equal(await link('/from', null, null, v2), '/from')
})

t.test('where a member of a list says that it has no link, the next one makes it', async (t) => {
  const app = await appWith(t, { scheme: [own(path), query], allowedVersions })
  declare(app, [['', '/a', 'a'], ['', '/:version/b', 'b']])
  await app.ready()
  t.same([app.reverse('a', null, v2), app.reverse('b', null, v2)], ['/a?version=v2', '/v2/b'])
})

t.test('a route in a namespace is found by its short name under other schemes and lists', async (t) => {
  for (const scheme of [accept, [namespace, path]]) {
    const app = await appWith(t, { scheme, allowedVersions })
    app.register(async (context) => {
      if (scheme === accept) await context.register(versioning, { scheme: namespace })
      declare(context, [['v2', scheme === accept ? '/x' : '/:version/x', 'x']])
    })
    await app.ready()
    t.equal(app.reverse('x', null, v2), scheme === accept ? '/v2/x' : '/v2/v2/x')
  }
})

/** An alias of the newest of the versions that a scheme gets. */
const resolveVersion = (asked: string, all: readonly (string | null)[]) => asked === 'latest' ? all.at(-1) : asked

t.test('the host of a list resolves an alias among the versions of the list', async (t) => {
  const scheme = [new HostNameVersioning({ resolveVersion }), query]
  const app = await appWith(t, { scheme, allowedVersions })
  app.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a'))
  t.equal((await app.inject({ url: '/a', headers: { host: 'latest.example.com' } })).body, '/a')
})

t.test('a link to a route with a list has the version that a member makes of an alias', async (t) => {
  const app = await appWith(t, { scheme: header, allowedVersions: ['latest'] })
  app.register(async (context) => {
    const scheme = [new QueryParameterVersioning({ resolveVersion, allowedVersions }), path]
    await context.register(versioning, { scheme, allowedVersions })
    context.get('/a', { name: 'a' }, async () => 'a')
  })
  app.get('/', async (_request, reply) => reply.reverse('a'))
  t.equal((await app.inject({ url: '/', headers: { 'api-version': 'latest' } })).body, '/a?version=v2')
})

/** What the client specifies where the scheme is not asked. */
class Ambiguous extends HeaderVersioning {
  override readVersion () { return ['v1', 'v2'] }
}
class Cookies extends BaseVersioning {
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers.cookie }
}
const queryOfV1 = new QueryParameterVersioning({ allowedVersions: ['v1'] })
const inV2 = { 'api-version': 'v2' }
const again = { ...noMatch, statusCode: 400 }

/** The link to the current route at `/items/7`, with the default version v1 and the alias `latest` for v2. */
const listed: [
  scheme: Scheme, url: string, headers: Record<string, string>, options: LinkOptions, link: string | object
][] = [
  // Where the request has the version
  [[header, query], '/items/7?version=v2', {}, {}, '/items/7?version=v2'],
  [[header, query], '/items/7', inV2, {}, '/items/7'],
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, {}, '/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'localhost' }, {}, '/items/7?version=v2'],
  [[query, path], '/v2/items/7', {}, {}, '/v2/items/7'],
  [[header, query], '/items/7?version=v2', inV2, {}, '/items/7?version=v2'],
  // The client sends its header again, which contradicts another version.
  [[header, query], '/items/7', inV2, v1, { ...again, message: /'v1': the client sends the "API-Version" header of / }],
  [[header, query], '/items/7?version=v2', inV2, v1, again],
  [[header, path], '/v2/items/7', inV2, v1, again],
  [[header, own(query)], '/items/7', inV2, v1, again],
  [[Cookies, query], '/items/7', { cookie: 'v2' }, v1, { ...again, message: /: the client sends Cookies of its / }],
  [[header, hosts], '/items/7', { ...inV2, host: 'v2.a.b' }, v1, again],
  [[new HostNameVersioning({ allowedVersions: ['v1'] }), query], '/items/7', { host: 'v1.a.b' }, { version: 'v3' },
    again],
  // A version that the caller gives must be in the URL.
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[path, header], '/items/7', inV2, { version: 'v3' }, again],
  [[path, header], '/items/7', {}, { version: 'v3' }, { ...noMatch, message: /cannot link to 'v3': its path / }],
  // The client sends its header again, which has just this version.
  [[path, header], '/items/7', inV2, v2, '/items/7'],
  [[accept, header], '/items/7', inV2, v1, '/items/7'],
  // Elsewhere, where a URL can have it
  [[header, query], '/items/7', {}, {}, '/items/7?version=v1'],
  [[hosts, header], '/items/7', { host: 'localhost' }, {}, '/items/7'],
  // Members with their own settings
  [[queryOfV1, hosts], '/items/7', { host: 'v1.a.b' }, v2, 'http://v2.a.b/items/7'],
  [[queryOfV1, new HeaderVersioning({ allowedVersions: ['v1'] })], '/items/7', {}, v2, noMatch],
  [[Ambiguous, query], '/items/7', {}, v2, '/items/7?version=v2'],
  // Aliases, no version, and a host that a link needs
  [hosts, '/items/7', { host: 'latest.a.b' }, {}, '/items/7'],
  [[path, header], '/items/7', {}, { version: null }, '/items/7'],
  [[hosts, header], '/items/7', { host: 'localhost', 'api-version': 'v1' }, v2, again],
  [[hosts, header], '/items/7', { host: 'localhost' }, v2, badHost]
]

for (const [scheme, url, headers, options, expected] of listed) {
  const asked = inspect([url, headers, options])
  t.test(`under ${nameOf(scheme)} the current route with ${asked} has the link ${inspect(expected)}`, async (t) => {
    const { app, answer, link } = await linker(t, {
      scheme,
      defaultVersion: 'v1',
      allowedVersions: ['v1', 'v2', 'v3'],
      resolveVersion: (version) => version === 'latest' ? 'v2' : version
    })
    declare(app, [['', '/items/:id'], ['', '/:version/items/:id']], answer)
    leads(t, await link({ url, headers }, null, null, options), expected)
  })
}

for (const [url, link] of [
  ['https://api.example.com/here', 'https://api.example.com/here'], ['/here', 'https://example.org/here']
] as const) {
  t.test(`the absolute link of a member of a list that makes ${url} by itself is ${link}`, async (t) => {
    class Own extends QueryParameterVersioning {
      override reverse () { return url }
    }
    const app = await appWith(t, { scheme: [Own, HeaderVersioning], allowedVersions, baseUrl: 'https://example.org' })
    app.get('/here', { name: 'here' }, async (_request, reply) => reply.reverse('here', null, { absolute: true }))
    t.equal((await app.inject('/here?version=v2')).body, link)
  })
}

for (const [scheme, routes, url, name, expected] of [
  [[path, header], [['', '/:version/here'], ['', '/there']], '/v2/here', 'there', '/there'],
  [[namespace, header], [['v2', '/here'], ['v1', '/there']], '/v2/here', 'v1:there', '/v1/there'],
  [[namespace, query], [['v2', '/here'], ['', '/there']], '/v2/here', 'there', '/there?version=v2'],
  [[hosts, query], [['', '/here'], ['', '/there']], '/here?version=v2', 'there', '/there?version=v2'],
  [[query, path], [['', '/:version/here'], ['', '/:version/there']], '/v2/here', 'there', '/v2/there'],
  [[query, path], [['', '/:version/here'], ['', '/there']], '/v2/here', 'there', '/there?version=v2']
] as [Scheme, [string, string][], string, string, string][]) {
  t.test(`under ${nameOf(scheme)} a request at ${url} has the link ${expected} to ${name}`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme, defaultVersion: 'v1' })
    const [here, [at, url_]] = routes
    declare(app, [here], answer)
    declare(app, [[at, url_, 'there']])
    leads(t, await link(url, name), expected)
  })
}

for (const [name, params, options, expected] of [
  ['here', { version: 'v1' }, {}, again], ['v1:there', {}, {}, again], ['plain', {}, v1, again],
  ['plain', {}, { version: null }, '/plain'], ['plain', {}, {}, '/plain'], ['here', {}, {}, '/v2/here']
] as const) {
  const title = inspect([name, params, options])
  t.test(`a client by header gets ${inspect(expected)} for a link with ${title}`, async (t) => {
    const scheme = [path, namespace, header]
    const { app, answer, link } = await linker(t, { scheme, defaultVersion: 'v1' })
    declare(app, [['', '/:version/here', 'here'], ['', '/plain', 'plain']], answer)
    declare(app, [['v1', '/there', 'there']])
    leads(t, await link({ url: '/plain', headers: inV2 }, name, params, options), expected)
  })
}

for (const [scheme, name, options, expected] of [
  [[namespace, query], 'partners:a', v1, noMatch],
  [[path, namespace], 'partners:b', v1, noMatch],
  [[path, query, namespace], 'v2:b', {}, noMatch],
  [[path, query, namespace], 'v2:b', v2, '/v2/v2/b'],
  [[namespace, queryOfV1], 'b', v2, noMatch],
  [[namespace, queryOfV1], 'b', v1, '/b?version=v1']
] as [Scheme, string, LinkOptions, string | object][]) {
  t.test(`under ${nameOf(scheme)} ${name} with ${inspect(options)} never leads to two versions`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme, defaultVersion: 'v1' })
    declare(app, [['', '/b', 'b'], ['', '/here'], ['', '/:version/here']], answer)
    declare(app, [['partners', '/a', 'a'], ['partners', '/:version/b', 'b'], ['v2', '/:version/b', 'b']])
    leads(t, await link('/here', name, name === 'b' ? null : { version: undefined }, options), expected)
  })
}

t.test('a value in the path that is no version does not change the host', async (t) => {
  const options = { scheme: [hosts, path], baseUrl: 'https://v1.example.com' }
  const { app, answer, link } = await linker(t, options)
  declare(app, [['', '/:version/here', 'here']], answer)
  const request = { url: '/v1/here', headers: { host: 'v1.example.com' } }
  leads(t, await link(request, 'here', { version: 'attacker' }), '/attacker/here')
  leads(t, await link(request, 'here', v2), 'https://v2.example.com/v2/here')
})

t.test('behind a proxy that changes the host, the link to a host has the version of the request', async (t) => {
  const { app, answer, link } = await linker(t, { scheme: header, baseUrl: 'https://v1.example.com' })
  declare(app, [['', '/here']], answer)
  app.get('/there', { name: 'there', versioning: HostNameVersioning }, ok)
  for (const [version, expected] of [['v2', 'https://v2.example.com/there'], ['v1', '/there']]) {
    const headers = { host: '10.0.0.7:3000', 'api-version': version }
    leads(t, await link({ url: '/here', headers }, 'there'), expected as string)
  }
})

t.test('a link takes the options of the scheme that makes it', async (t) => {
  class Tenant extends QueryParameterVersioning {
    override readonly linkOptions = ['tenant']
    override reverse (name: string | null, options: ReverseOptions & { tenant?: string } = {}) {
      return `${super.reverse(name, options)}#${options.tenant}`
    }
  }
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
  app.get('/here', { name: 'here' }, ok)
  app.get('/there', { name: 'there', versioning: new Tenant({ allowedVersions }) }, ok)
  await app.ready()
  const options = { version: 'v1', tenant: 'a' } as never
  t.equal(app.reverse('there', null, options), '/there?version=v1#a')
  t.throws(() => app.reverse('here', null, options), { code: 'FST_ERR_REVERSE_OPTION' })
})

t.test('a link is no refusal, whatever the request specifies for the list of schemes of its target', async (t) => {
  const app = await appWith(t, {
    scheme: [header, query], allowedVersions, defaultVersion: { header: 'X-Account', version: () => 'v1' }
  })
  app.get('/there', { name: 'there' }, ok)
  app.get('/:version/here', { versioning: path }, async (_request, reply) => reply.reverse('there', null, all))
  const { body, headers } = await app.inject({ url: '/v1/here?version=v1', headers: { 'api-version': 'v2' } })
  t.same([body, headers.vary], ['/there?page=2#top', 'X-Account, API-Version'])
})

t.test('a version that a client specifies is not its default under another scheme', async (t) => {
  const app = await appWith(t, {
    scheme: header, allowedVersions, defaultVersion: { header: 'X-Account', version: () => 'v1' }
  })
  app.get('/here', async (_request, reply) => reply.reverse('there', null, v2))
  app.get('/default', async (_request, reply) => reply.reverse('there', null, v1))
  app.get('/there', { name: 'there', versioning: namespace }, ok)
  const { body } = await app.inject({ url: '/here', headers: { 'api-version': 'v2' } })
  t.match(body, "Route 'there' cannot link to 'v2'")
  t.equal((await app.inject('/default')).body, '/there')
})

t.test('a member of a list writes a version that the optional parameter of the path may not have', async (t) => {
  const pathOfV2 = new URLPathVersioning({ allowedVersions: ['v2'] })
  const app = await appWith(t, { scheme: [pathOfV2, hosts, query], allowedVersions, defaultVersion: 'v1' })
  app.get('/a/:version?', { name: 'a' }, async (_request, reply) => reply.reverse('a', null, v1))
  const { body } = await app.inject({ url: '/a/v2', headers: { host: 'v2.example.com' } })
  t.equal(body, 'http://v1.example.com/a')
})

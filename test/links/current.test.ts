import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { declare, leads, linker, noMatch, option } from './app.ts'

import type { FastifyReply, InjectOptions } from 'fastify'
import type { LinkOptions, ReverseKwargs } from '../../types/index.d.ts'
import type { Declared, Scheme } from './app.ts'

const v1: LinkOptions = { version: 'v1' }
const v2: LinkOptions = { version: 'v2' }
const plain: LinkOptions = { version: null }
const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

/** A request, the options of the link to its own route, the link or the error, and the parameters of the link. */
type Self = [at: string | InjectOptions, options: LinkOptions, link: string | object, params?: ReverseKwargs]

const OF_CLIENT = { ...noMatch, statusCode: 400, message: /^The current route, '.+', has no URL for/ }
const OF_APP = { ...noMatch, message: OF_CLIENT.message }
const nowhere = (version: string) => ({
  ...noMatch,
  message: new RegExp(`^The current route, '.+', cannot link to ${version}: (its path has no place|no route there is) `)
})

const inEach: [path: string, options?: Declared[2]][] = [
  ['/'], ['/named/:id', 'named'], ['/unnamed/:id'], ['/unnamed/:id', { method: 'POST' }], ['/files/*', 'files'],
  ['/neutral', { name: 'neutral', versioning: false }], ['/seats/:id', 'seat'], ['/seats/:id/all', 'seat'],
  ['/boats/:id/copy', { method: 'POST', name: 'boat' }]
]

const inNamespaces: Declared[] = [
  ...['v1', 'v2', 'v9'].flatMap((version): Declared[] => [
    ...inEach.map(([path, options]): Declared => [version, path, options]),
    [version, `/${version}-boats/:id`, 'boat'], [`${version}:shop`, '/rooms/:id']
  ]),
  ['v1', '/only'], ['v1', '/first'],
  ['v1', '/renamed', 'rooms'], ['v2', '/renamed', 'suites'], ['v2', '/beds', 'rooms'],
  ['v1', '/lonely/:id', 'lonely'], ['v2', '/lonely/:number(^\\d+)', 'lonely'],
  ['v2', '/second'], ['team:v2', '/second'], ['v1:v2', '/twice'],
  ...['v9', 'v2:v9', 'v1', 'v2:v1'].map((namespaces): Declared => [namespaces, '/inner', 'inner']),
  ['', '/'], ['', '/named/:id', 'named'], ['', '/unnamed/:id'], ['', '/first'], ['', '/second']
]

const ofNamespaces: Self[] = [
  ['/v1/named/7', {}, '/v1/named/7'],
  ['/v1/named/7', v2, '/v2/named/7'],
  ['/v1/named/7', plain, '/named/7'],
  ['/v1/named/7', v2, '/v2/named/8', { id: 8 }],
  ['/v1/named/7', { ...v2, query: { page: 2 } }, '/v2/named/7?page=2'],
  ['/named/7', v2, '/v2/named/7'],
  ['/v1/unnamed/a%2Fb', v2, '/v2/unnamed/a%2Fb'],
  [{ url: '/v1/unnamed/7', method: 'POST' }, v2, '/v2/unnamed/7'],
  ['/v1', v2, '/v2'],
  ['/v1', plain, '/'],
  ['/v1/shop/rooms/7', v2, '/v2/shop/rooms/7'],
  ['/v1/seats/7', v2, '/v2/seats/7'],
  ['/v1/seats/7/all', v2, '/v2/seats/7/all'],
  ['/v1/v1-boats/7', v2, '/v2/v2-boats/7'],
  ['/v1/renamed', v2, '/v2/beds'],
  ['/v1/files/a/b', v2, '/v2/files/a/b'],
  ['/v1/neutral', v2, '/v1/neutral'],
  // The default version alone is also outside of namespaces.
  ['/v2/second', v1, '/second'],
  ['/team/v2/second', v1, nowhere("'v1'")],
  // Without the namespace of the version, the rest has another version, or is refused.
  ['/v2/v9/inner', v1, nowhere("'v1'")],
  ['/v2/v1/inner', v1, '/v1/inner'],
  // Refused requests
  ['/v9/named/7', {}, '/v9/named/7'],
  ['/v9/unnamed/7', v1, '/v1/unnamed/7'],
  ['/v9/shop/rooms/7', v1, nowhere("'v1'")],
  // No link
  ['/v1/named/a%2F..%2Fb', v2, OF_CLIENT],
  ['/v1/named/', v2, OF_CLIENT],
  ['/v1/named/7', v2, OF_APP, { id: '..' }],
  ['/v1/lonely/7', v2, OF_APP],
  ['/v1/only', v2, nowhere("'v2'")], ['/v1/only', plain, nowhere('no version')],
  ['/v1/v2/twice', v2, nowhere("'v2'")]
]

const paramsOf = (type: string) => ({
  schema: { params: { type: 'object', properties: { id: { type } }, additionalProperties: false } }
})

const inPaths: Declared[] = [
  ['', '/:version/rooms/:id'], ['', '/optional/:version?'], ['', '/neutral/:id', { versioning: false }],
  ['', '/without/:id'], ['', '/:version/with/:id'], ['', '/with/:id'], ['', '/files/*'],
  ['', '/:version/strict/:id', paramsOf('integer')], ['', '/:version/text/:id', paramsOf('string')],
  ['', '/:version(^v\\d$)/digits']
]

const ofPaths: Self[] = [
  ['/v1/rooms/7', v2, '/v2/rooms/7'],
  ['/v1/rooms/7', v2, '/v9/rooms/7', { version: 'v9' }],
  ['/v1/rooms/7', v2, '/v2/rooms/7', { version: undefined }],
  ['/v1/rooms/7', plain, OF_APP],
  ['/v9/rooms/7', {}, '/v9/rooms/7'],
  ['/optional', {}, '/optional'],
  ['/optional', v2, '/optional/v2'],
  ['/optional/v2', {}, '/optional/v2'],
  ['/optional/v2', plain, '/optional'],
  ['/neutral/7', v2, '/neutral/7'],
  // A path without a place for the version is in the default version, even where another has one.
  ...['/without/7', '/with/7'].flatMap((at): Self[] => [[at, {}, at], [at, v1, at], [at, v2, nowhere("'v2'")]]),
  ['/v1/with/7', v2, '/v2/with/7'],
  ['/files/', {}, OF_APP, { '*': null }],
  ['/v2/strict/7', {}, '/v2/strict/8', { id: 8 }],
  ['/v1/rooms/a%2F..%2Fb', v2, OF_CLIENT],
  ['/v1/text/a%2F..%2Fb', v2, OF_CLIENT],
  ['/v1/digits', {}, OF_APP, { version: 'latest' }]
]

for (const [by, scheme, routes, selves] of [
  ['namespaces', NamespaceVersioning, inNamespaces, ofNamespaces], ['paths', URLPathVersioning, inPaths, ofPaths],
  ['a list of paths', [URLPathVersioning], inPaths, ofPaths.filter(([at]) => /with/.test(String(at)))]
] as [string, Scheme, Declared[], Self[]][]) {
  const { app, answer, link } = await linker(t, { ...settings, scheme })
  declare(app, routes, answer)
  for (const [at, options, expected, params] of selves) {
    const asked = JSON.stringify([at, options, params])
    t.test(`under ${by} the link to itself with ${asked} is ${JSON.stringify(expected)}`, async (t) => {
      // Twice, because counterparts are remembered.
      for (let i = 0; i < 2; i++) leads(t, await link(at, null, params, options), expected)
    })
  }
}

t.test('the counterpart of a request for the headers alone has a URL', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  declare(app, [['v1', '/a'], ['v2', '/a']], async (_request, reply) => reply.reverse(null, null, v2))
  t.equal((await app.inject({ url: '/v1/a', method: 'HEAD' })).statusCode, 200)
})

/** Where the current route is, and the routes of contexts by path, namespace and prefix. The first is that route. */
const counterparts: [says: string, at: string, contexts: string[], url: string | object][] = [
  ['where the path after the prefixes is the same', '/v1/a/7', ['/a/:id v1 /v1', '/a/:id v2 /v2'], '/v2/a/7'],
  ['not where the parameters have other names', '/v1/a/7', ['/a/:id v1 /v1', '/a/:room v2 /v2'], nowhere("'v2'")],
  ['if its prefix differs in one segment', '/a/v1/7', ['/:id v1 /a/v1', '/:id v2 /b/v2', '/:id v2 /a/v2'], '/a/v2/7'],
  ['not if its prefix has one more segment', '/v1/beds/7', ['/:id v1 /v1/beds', '/:id v2 /v2'], nowhere("'v2'")],
  ['not where the prefix has two fewer segments', '/api/old/api/7', ['/:id v1 /api/old/api', '/:id v2 /api'],
    nowhere("'v2'")],
  ['in the first declared of two contexts', '/v1/7', ['/:id v1 /v1', '/:id v2 /w2', '/:id v2 /v2'], '/w2/7'],
  ['where the prefix ends with a slash', '/v1/rooms', ['/rooms v1 /v1', '/rooms v2 /v2/'], '/v2/rooms'],
  ['at the root of a prefix', '/v1/', ['/ v1 /v1', '/ v2 /v2'], '/v2'],
  ['where the context has no prefix', '/v1/rooms', ['/rooms v1 /v1', '/rooms v2'], '/rooms'],
  // From a route in no namespace
  ['under the prefix of the version', '/rooms', ['/rooms', '/rooms v2 /v2'], '/v2/rooms'],
  ['under the prefix that differs in one segment', '/api/rooms',
    ['/api/rooms', '/rooms v2 /v2', '/api/rooms v2 /x/v2', '/rooms v2 /api/v2'], '/api/v2/rooms'],
  ['where the path itself has the version', '/api/rooms', ['/api/rooms', '/api/v2/rooms v2'], '/api/v2/rooms'],
  ['where both paths have the version', '/v1/rooms', ['/v1/rooms v1', '/v2/rooms v2'], '/v2/rooms'],
  ['not where the rest of the path differs', '/rooms', ['/rooms', '/rooms/beds v2 /api/v2'], nowhere("'v2'")]
]

for (const [says, at, contexts, url] of counterparts) {
  t.test(`from ${contexts[0]} a route without a name is found in another namespace ${says}`, async (t) => {
    const { app, answer, link } = await linker(t, { ...settings, scheme: NamespaceVersioning })
    for (const [path, namespace, prefix = ''] of contexts.map((context) => context.split(' '))) {
      if (namespace === undefined) app.get(path, answer)
      else app.register(async (context) => { context.get(path, answer) }, { prefix, namespace })
    }
    leads(t, await link(at, null, null, v2), url)
  })
}

t.test('a link to the current route has no values in the order of the path', async (t) => {
  const scheme = new URLPathVersioning(settings)
  const { app, answer, link } = await linker(t, { ...settings, scheme: URLPathVersioning })
  app.get('/:version/pos/:id', {
    preHandler: async (request) => t.throws(() => scheme.reverse(null, { request, args: [8] }), option)
  }, answer)
  const message = 'Invalid link option "params": expected an object, because there is no name, got [ 8 ].'
  t.match(await link('/v1/pos/7', null, [8]), { ...option, message })
})

for (const path of ['/:org/:repo', '/:a/bookings', '/:a/*']) {
  t.test(`a link to the current route ${path} never names a host`, async (t) => {
    const lifecycle = { v1: { deprecated: '2020-01-01' } }
    const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning, lifecycle })
    app.get(path, async (_request, reply) => reply.reverse(null, null, v2))
    const { statusCode, headers } = await app.inject('//bookings?version=v1')
    t.same([statusCode, headers.link], [400, undefined])
  })
}

t.test('an empty version of the path makes no link that names a host', async (t) => {
  const { app, answer, link } = await linker(t, { scheme: URLPathVersioning, allowedVersions: ['v1', ''] })
  app.get('/:version/:id', answer)
  const error = { ...noMatch, message: /\("version" missing\)\.$/ }
  t.match(await link('/v1/evil.example', null, null, { version: '' }), error)
})

t.test('a route that a hook has moved links to itself', async (t) => {
  const app = bareApp(t)
  app.addHook('onRoute', (route) => { route.url = route.url.replace('bookings', 'journeys') })
  await app.register(versioning, { scheme: NamespaceVersioning })
  app.get('/bookings/:id', async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/journeys/7')).body, '/journeys/7')
})

t.test('there is no current route outside a request, where no route matches, and before the plugin', async (t) => {
  const app = bareApp(t)
  const answer = async (_request: unknown, reply: FastifyReply) => reply.reverse()
  app.get('/early', answer)
  app.setNotFoundHandler(answer)
  await app.register(versioning, { scheme: NamespaceVersioning })
  const error = { ...noMatch, message: 'There is no current route to reverse: give the name of a route.' }
  t.throws(() => app.reverse(null as never), error)
  for (const url of ['/early', '/nowhere']) t.match((await app.inject(url)).json(), error)
})

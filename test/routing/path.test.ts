import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import t from 'tap'

import { BaseVersioning, HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { CODE, appOf, ask, expectAnswers, get, head, mark } from './app.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'
import type { Answers, Declare } from './app.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const byPath = { scheme: URLPathVersioning, allowedVersions }
const byPathOrHeader = { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions }
const INVALID = '404 Invalid version in URL path.'

/** A route of its path for each of two versions. */
const two = (url: string): Declare => (app) => {
  for (const version of ['v1', 'v2']) get(url, version, version)(app)
}

class Params extends BaseVersioning {
  override readonly impliedParam = 'v'
  override readVersion ({ params, headers, method, url, socket }: FastifyRequest) {
    const { v } = params as { v?: string }
    return headers.host !== undefined && method === 'GET' && url.includes('a') && socket !== undefined ? `v${v}` : null
  }
}

const chosen: [says: string, options: VersioningOptions, declare: Declare[], answers: Answers, server?: object][] = [
  ['the version in the path chooses the route', byPath, [
    get('/:version/bookings', 'first', 'v1'), get('/:version/bookings', 'later', { from: 'v2' }),
    get('/:version/rooms', 'rooms'), get('/:version/rates', 'rates', ['v1', 'v3']),
    get('/:version/rates', 'other rates'), get('/health', 'health', null, { versioning: false })
  ], [
    ['/v1/bookings', 'first v1'], ['/v2/bookings', 'later v2'], ['/v3/bookings?version=v1', 'later v3'],
    ['/v9/bookings', '404 Invalid version in URL path.'], ['/v1/rooms', 'rooms v1'], ['/v2/rooms', 'rooms v2'],
    ['/v3/rooms', 'rooms v3'], ['/v1/rates', 'rates v1'], ['/v2/rates', 'other rates v2'], ['/health', 'health null']
  ]],
  ['versions in the path that look alike are different', {
    scheme: URLPathVersioning, allowedVersions: ['v1', 'v%31', '', 'a/b', 'V1']
  }, [
    get('/:version/a', 'one', 'v1'), get('/:version/a', 'encoded', ['v%31']), get('/:version/a', 'empty', ''),
    get('/:version/a', 'slash', 'a/b'), get('/:version/a', 'upper', 'V1')
  ], [
    ['/v%31/a', 'one v1'], ['/v%2531/a', 'encoded v%31'], ['//a', 'empty '], ['/a%2Fb/a', 'slash a/b'],
    ['/V1/A', 'upper V1']
  ], { routerOptions: { caseSensitive: false } }],
  ['doubled slashes are one where the router ignores them', byPath, [
    get('/:version/a', 'v1', 'v1'), get('/:version/a', 'v2', 'v2'), get('/:version/a', 'v3', 'v3'),
    get('/:version/open', 'open')
  ], [
    ['//v1/open', 'open v1'], ['//v1/a', 'v1 v1'], ['//v2//a', 'v2 v2'], ['/v2//a', 'v2 v2'],
    ['///v3/a?x=//v1', 'v3 v3'], ['//v9/a', INVALID]
  ], { routerOptions: { ignoreDuplicateSlashes: true } }],
  ['a semicolon ends the path where the router takes one', byPath, [two('/:version'), get('/:version/b', 'b', 'v1')], [
    ['/v1;x', 'v1 v1'], ['/v2;/v1', 'v2 v2'], ['/v1/b;version=v2', 'b v1'], ['/v9;v1', INVALID]
  ], { routerOptions: { useSemicolonDelimiter: true } }],
  ['a semicolon begins the query where the router takes one', {
    scheme: QueryParameterVersioning, allowedVersions, defaultVersion: 'v1'
  }, [two('/b'), get('/open', 'open')], [
    ['/open;version=v2', 'open v2'], ['/b?version=v2', 'v2 v2'], ['/b;version=v2', 'v2 v2'], ['/b;version=v1', 'v1 v1'],
    ['/b;x=1?version=v2', 'v1 v1'], ['/b', 'v1 v1']
  ], { routerOptions: { useSemicolonDelimiter: true } }],
  ["the app's parser reads the query", { scheme: QueryParameterVersioning, allowedVersions }, [two('/b')], [
    ['/b?v:v1', 'v1 v1'], ['/b?v:v2', 'v2 v2'], ['/b?version=v2', /^404 /]
  ], { routerOptions: { querystringParser: (query: string) => ({ version: query.split('v:')[1] }) } }],
  ["the app's parser reads the query, whatever a scheme calls its place", {
    scheme: class extends QueryParameterVersioning { override readonly place = 'search' }, allowedVersions
  }, [two('/b')], [['/b?v:v1', 'v1 v1'], ['/b?version=v2', /^404 /]],
  { routerOptions: { querystringParser: (query: string) => ({ version: query.split('v:')[1] }) } }],
  ['a parser of the query at the top of the options counts, too', {
    scheme: [QueryParameterVersioning, HeaderVersioning], allowedVersions
  }, [two('/b')], [['/b?x', 'v2 v2']], { querystringParser: () => ({ version: 'v2' }) }],
  ['members of a list with the path may have their own settings', {
    scheme: [new URLPathVersioning({ allowedVersions: ['v1'] }), new HeaderVersioning({ allowedVersions: ['v2'] })]
  }, [two('/:version/a'), get('/:version/b', 'b', ['v1', 'v2'])], [
    ['/v1/a', 'v1 v1'], ['/v2/a', INVALID], ['/v1/b', 'b v1'], ['/v2/b', /^404 /]
  ]],
  ['each path has the parameter of another member of a list', {
    scheme: [
      new URLPathVersioning({ versionParam: 'v' }), new URLPathVersioning({ versionParam: 'w' }), HeaderVersioning
    ],
    allowedVersions
  }, [two('/:v/a'), two('/:w/b'), two('/:v/c/:w')], [
    ['/v1/a', 'v1 v1'], ['/v2/a', 'v2 v2'], ['/v1/b', 'v1 v1'], ['/v2/b', 'v2 v2'], ['/v1/c/v1', 'v1 v1'],
    ['/v1/c/v2', '400 The request specifies different versions in the URL path. Versions: v1, v2.']
  ]],
  ['the version is in the prefix of contexts, and of HEAD routes', byPath, [
    (app) => app.register(async (routes) => {
      get('/', 'root')(routes)
      get('/rooms', 'rooms')(routes)
      get('/health', 'health', undefined, { versioning: false })(routes)
    }, { prefix: '/:version', version: 'v1' }),
    (app) => app.register(async (routes) => {
      head('/rooms', 'head', 'v3')(routes)
      get('/rooms', 'later rooms')(routes)
    }, { prefix: '/:version', version: { from: 'v2' } })
  ], [
    ['/v1', 'root v1'], ['/v1/', 'root v1'], ['/v2/', '404 This URL answers GET in v1.'], ['/v3/health', 'health null'],
    ['/v1/rooms', 'rooms v1'], ['/v3/rooms', 'later rooms v3'], ['HEAD /v2/rooms', 'later rooms v2'],
    ['HEAD /v3/rooms', 'head v3']
  ]],
  ['the parameter has its name, its host and its pattern', { ...byPath, versionParam: 'v' }, [
    two('/x/:v/:version'), get('/y/:v', 'a.b one', 'v1', { constraints: { host: 'a.b' } }),
    get('/y/:v', 'a.b two', 'v2', { constraints: { host: 'a.b' } }),
    get('/y/:v', 'c.d', 'v1', { constraints: { host: 'c.d' } }), get('/:v(^v1$)/z', 'pattern', 'v1'),
    get('/:v/z', 'later', { from: 'v2' }), get('/p/:v(^v[12]$)', 'one', 'v1'), get('/p/:v(^v[12]$)', 'other')
  ], [
    ['/x/v2/v1', 'v2 v2'], ['http://a.b/y/v1', 'a.b one v1'], ['http://a.b/y/v2', 'a.b two v2'],
    ['http://c.d/y/v1', 'c.d v1'], ['http://c.d/y/v2', '404 This URL answers GET in v1.'], ['/v1/z', 'pattern v1'],
    ['/v3/z', 'later v3'], ['/p/v1', 'one v1'], ['/p/v2', 'other v2']
  ]],
  ['a custom scheme may read a parameter of the path', { scheme: Params, allowedVersions }, [two('/:v/a')],
    [['/1/a', 'v1 v1'], ['/2/a', 'v2 v2']]],
  // The inner group counts as a parameter.
  ['a value that the router splits differently is refused, never served by the wrong route', byPath,
    [two('/:a(^(v1)x$)/:version/a')], [['/v1x/v2/a', /^404 /], ['/v1x/v1/a', 'v1 v1']]]
]

for (const [says, options, declare, answers, server] of chosen) {
  t.test(says, async (t) => {
    const app = await appOf(t, options, declare, server)
    await expectAnswers(t, app, answers)
  })
}

/** Targets that are v1 at a path, and one that is v2. */
const targets: [path: string, ofV1: string[], ofV2: string, routerOptions?: object][] = [
  ['/:version', ['/v1', '/v1?a=/v2', '/v%31', '/%76%31', '/v1#/v2', '/v1?'], '/v2'],
  ['/:version/a', ['/v1/a', '/%76%31/%61', '/v1/a?x=/v2/a'], '/v2/a'],
  ['/x/:id/:version/a', ['/x/7/v1/a', '/x//v1/a', '/x/v2%2Fv2/v%31/a', '/x/%E6%97%A5/v1/a'], '/x/v1/v2/a'],
  ['/x/:id(^\\d+$)/:version/a', ['/x/7/v1/a', '/x/%37/v1/a'], '/x/7/v2/a'],
  ['/x/:version/*', ['/x/v1/v2/v2', '/x/v1/', '/x/v1/..%2Fv2'], '/x/v2/v1'],
  ['/x/:version/:id?', ['/x/v1', '/x/v1/v2'], '/x/v2/v1'],
  ['/x::y/:version', ['/x:y/v1'], '/x:y/v2'],
  ['/:version/a', ['/v1/a', '/v1/a/'], '/v2/a/', { ignoreTrailingSlash: true }],
  ['/X/:version/a', ['/x/v1/A', '/X/v1/a'], '/x/v2/a', { caseSensitive: false }],
  ['/:version/a', ['/v1/a;/v2/a', '/v1/a;b?c'], '/v2/a;v1', { useSemicolonDelimiter: true }],
  ['/a/:version', ['/a/v1', 'http://a.b/a/v1?x', 'HTTPS://a.b:1/a/v1'], 'http://v1/a/v2']
]

for (const [path, ofV1, ofV2, routerOptions = {}] of targets) {
  t.test(`the version in ${path} is read as the router reads it, with ${JSON.stringify(routerOptions)}`, async (t) => {
    const app = await appOf(t, byPath, [two(path)], { routerOptions })
    await app.listen({ host: '127.0.0.1', port: 0 })
    for (const target of ofV1) t.equal(await send(app, target), 'v1 v1', target)
    t.equal(await send(app, ofV2), 'v2 v2', ofV2)
  })
}

/** Sends a request target as it is, and returns which route answers. */
async function send (app: FastifyInstance, path: string): Promise<unknown> {
  const { port } = app.server.address() as AddressInfo
  const [{ headers }] = await once(http.get({ host: '127.0.0.1', port, path, agent: false }), 'response')
  return headers['x-answer']
}

t.test('a list reads the path where it has the parameter, and the header elsewhere', async (t) => {
  const app = await appOf(t, byPathOrHeader, [two('/:version/a'), two('/b')])
  await expectAnswers(t, app, [['/v2/a', 'v2 v2'], ['/b', INVALID]])
  await expectAnswers(t, app, [
    ['/v2/a', 'v2 v2'], ['/b', 'v2 v2'],
    ['/v1/a', /^400 The request specifies different versions in the URL path and the /]
  ], { headers: { 'api-version': 'v2' } })
})

t.test('the version is read from the target that rewriteUrl returns, and over HTTP/2', async (t) => {
  const rewriteUrl = ({ url = '' }) => url.replace('/api/2', '/v2').replace('v9', 'v1')
  const app = await appOf(t, byPath, [two('/:version/a')], { rewriteUrl, http2: true } as never)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = http2.connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  for (const [path, version] of [['/v%31/a?v=/v2', 'v1'], ['/v2/a', 'v2'], ['/api/2/a', 'v2'], ['/v9/a', 'v1']]) {
    const [headers] = await once(client.request({ ':path': path }), 'response')
    t.equal(headers['x-answer'], `${version} ${version}`, path)
  }
  client.close()
})

const NEEDED = /^Write the version into the path of GET .*, as a segment of its own: \/:version\/bookings\. URLPathV/

const wrong: [path: string, says: RegExp, options?: VersioningOptions, version?: RouteVersions][] = [
  ...[
    '/:version.json', '/v:version', '/a/v:version/b', '/:version-:id', '/:id-:version', '/:version(^v\\d$)x',
    '/a/:version?', '/:version?', '/:version/a/:version?', '/a', '/::version/a'
  ].map((path): [string, RegExp] => [path, NEEDED]),
  ['/a/:version?', NEEDED, byPathOrHeader],
  ['/:verison/a', /Did you mean 'verison'\?/],
  ['/*', /as a segment of its own: \/:\*\/bookings\. /, { versionParam: '*' }],
  ['/a', /as a segment of its own: \/:v\/bookings\. Params reads it there, and /, { scheme: Params }],
  ['/:version/a', /as a segment of its own: \/:v\/bookings\. /, { versionParam: 'v' }]
]

for (const [path, says, options, version = 'v1'] of wrong) {
  t.test(`the route ${path} with ${JSON.stringify(version)} is refused at boot: ${says.source}`, async (t) => {
    const app = await appWith(t, { ...byPath, ...options })
    for (const message of [says, `GET ${path}`]) t.throws(() => get(path, '', version)(app), { code: CODE, message })
  })
}

const differing: [says: string, first: string, second: string, options?: { version: string }][] = [
  ['other places', '/:version/:x/a', '/:x/:version/a', { version: 'v2' }],
  ['another name', '/:version/a', '/:x/a', { version: 'v2' }],
  ['its name twice, of which the last counts for the router,', '/:version/:id/a', '/:version/:version/a'],
  ['its name twice, the last time optional,', '/:version/a/:id?', '/:version/a/:version?']
]

for (const [says, first, second, options] of differing) {
  t.test(`routes of one URL whose parameters for the version have ${says} are refused`, async (t) => {
    const app = await appOf(t, byPathOrHeader, [get(first, '', 'v1'), get(second, '', undefined, options)])
    await t.rejects(async () => app.ready(), {
      code: CODE,
      message: `GET ${first} and GET ${second} match the same requests, but have ":version" in different places. ` +
        'Write it in the same place.'
    })
  })
}

type DeclareIn = (rooms: FastifyInstance, app: FastifyInstance) => unknown

/** An app whose routes are declared under the prefix `/rooms`. */
async function appBelow (t: Test, declare: readonly DeclareIn[], exposeHeadRoutes = true): Promise<FastifyInstance> {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2']
  }, { exposeHeadRoutes })
  app.register(async (rooms) => { for (const one of declare) one(rooms, app) }, { prefix: '/rooms' })
  return app
}

const outside = (declare: Declare): DeclareIn => (_rooms, app) => declare(app)
const onlyHead: Declare = (rooms) => (rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: mark('root') }))
const slash = { prefixTrailingSlash: 'slash' as const }
const noSlash = { prefixTrailingSlash: 'no-slash' as const }

const separate: [says: string, declare: DeclareIn[], answers: [url: string, answer: string][]][] = [
  ["'/' of two versions", [get('/', 'one', 'v1'), get('/', 'two', 'v2')], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'two v2'],
    ['/rooms/?version=v3', `404 ${places.query.refusal.message}`]
  ]],
  ["'/' of no-slash and of slash", [get('/', 'one', 'v1', noSlash), get('/', 'two', 'v2', slash)], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'two v2'],
    ['/rooms?version=v2', '404 This URL answers GET in v1.']
  ]],
  ["a version of '' and the same one of slash", [get('', 'without', 'v1'), get('/', 'with', 'v1', slash)],
    [['/rooms?version=v1', 'without v1'], ['/rooms/?version=v1', 'with v1']]],
  ["a version of '' and an open route of slash", [get('', 'one', 'v1'), get('/', 'open', undefined, slash)], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'open v2'],
    ['/rooms?version=v2', '404 This URL answers GET in v1.']
  ]],
  ['an open route of both URLs, next to versions elsewhere', [
    get('/', 'open'), get('/chosen', 'chosen', 'v1'), outside(get('/rooms-2', 'elsewhere', 'v1'))
  ], [['/rooms?version=v2', 'open v2'], ['/rooms/?version=v2', 'open v2']]]
]

for (const [says, declare, answers] of separate) {
  t.test(`in a prefix ${says} answer as declared, in either order`, async (t) => {
    for (const declared of [declare, declare.toReversed()]) {
      const app = await appBelow(t, declared)
      await expectAnswers(t, app, answers)
      for (const [url, wanted] of answers) {
        t.equal(await ask(app, `HEAD ${url}`), wanted.replace(/^404 .*/, '404'), url)
      }
    }
  })
}

const PATHS = /^Declare a route for each path of .+: they share only one of two\./
const ambiguous: [says: string, declare: DeclareIn[], message?: RegExp][] = [
  ["'/' with '/' of slash", [get('/', '', 'v1'), get('/', '', ['v1', 'v2'], slash)]],
  ["'/' with ''", [get('/', '', 'v1'), get('', '', ['v1', 'v2'])]],
  ["a named '/' with ''", [get('/', '', 'v1', { name: 'rooms' }), get('', '', ['v1', 'v2'])],
    /^Declare .* GET \/rooms\/? (?:with version 'v1' )?\(named 'rooms'\)/],
  ['an open route with a version of slash', [get('/', '', 'v1', slash), get('/', '')]],
  ['a route of HEAD with a HEAD route of both URLs', [onlyHead, head('/', '', ['v1', 'v2'])],
    new RegExp(`serve 'v1': version |${PATHS.source}`)],
  ['an open route with a version that a later onRoute hook adds', [(rooms, app) => {
    rooms.addHook('onRoute', ({ url, method }) => {
      if (url === '/rooms' && method === 'GET') get('/rooms/', '', 'v1')(app)
    })
    get('/', '')(rooms)
  }]]
]

for (const [says, declare, message = PATHS] of ambiguous) {
  t.test(`in a prefix ${says} is refused, in either order`, async (t) => {
    for (const exposeHeadRoutes of [true, false]) {
      for (const declared of [declare, declare.toReversed()]) {
        const app = await appBelow(t, declared, exposeHeadRoutes)
        await t.rejects(async () => app.ready(), { code: CODE, message })
      }
    }
  })
}

t.test("the paths '*' and '/*' are one", async (t) => {
  const app = await appOf(t, { scheme: QueryParameterVersioning, allowedVersions }, [
    (app) => app.options('*', mark('open')), (app) => app.options('/*', { version: 'v1' }, mark('first'))
  ])
  await expectAnswers(t, app, [['OPTIONS /a?version=v1', 'first v1'], ['OPTIONS /a?version=v2', 'open v2']])
})

t.test('a route with only HEAD in its methods serves both URLs of a prefix', async (t) => {
  const app = await appBelow(t, [onlyHead])
  await expectAnswers(t, app, [['HEAD /rooms?version=v1', 'root v1'], ['HEAD /rooms/?version=v1', 'root v1']])
})

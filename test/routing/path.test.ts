import http from 'node:http'
import http2 from 'node:http2'
import { text } from 'node:stream/consumers'
import t from 'tap'

import {
  BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { mark, tell } from './app.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const byPath = { scheme: URLPathVersioning, allowedVersions }
const byPathOrHeader = { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions }

/** What answers: the mark of the route and the version, or the status and the message. */
async function ask (app: FastifyInstance, url: string, headers: Record<string, string> = {}): Promise<string> {
  const { mark, version, statusCode, message } = (await app.inject({ url, headers })).json()
  return statusCode === undefined ? `${mark} ${version}` : `${statusCode} ${message}`
}

t.test('the version in the path chooses the route', async (t) => {
  const app = await appWith(t, byPath)
  app.get('/:version/bookings', { version: 'v1' }, tell('first'))
  app.get('/:version/bookings', { version: { from: 'v2' } }, tell('later'))
  app.get('/:version/rooms', tell('rooms'))
  app.get('/:version/rates', { version: ['v1', 'v3'] }, tell('rates'))
  app.get('/:version/rates', tell('other rates'))
  app.get('/health', { versioning: false }, tell('health'))
  t.equal(await ask(app, '/v1/bookings'), 'first v1')
  t.equal(await ask(app, '/v2/bookings'), 'later v2')
  t.equal(await ask(app, '/v3/bookings?version=v1'), 'later v3')
  t.equal(await ask(app, '/v9/bookings'), '404 Invalid version in URL path.')
  for (const version of allowedVersions) t.equal(await ask(app, `/${version}/rooms`), `rooms ${version}`)
  t.equal(await ask(app, '/v1/rates'), 'rates v1')
  t.equal(await ask(app, '/v2/rates'), 'other rates v2')
  t.equal(await ask(app, '/health'), 'health null')
})

/** Targets that are v1 at a path, and one that is v2. */
const targets: [path: string, one: string[], two: string, routerOptions?: object][] = [
  ['/:version', ['/v1', '/v1?a=/v2', '/v%31', '/%76%31', '/v1#/v2', '/v1?'], '/v2'],
  ['/:version/a', ['/v1/a', '/%76%31/%61', '/v1/a?x=/v2/a'], '/v2/a'],
  ['/x/:id/:version/a', ['/x/7/v1/a', '/x//v1/a', '/x/v2%2Fv2/v%31/a', '/x/%E6%97%A5/v1/a'], '/x/v1/v2/a'],
  ['/x/:id(^\\d+$)/:version/a', ['/x/7/v1/a', '/x/%37/v1/a'], '/x/7/v2/a'],
  ['/x/:a-:b/:version/a', ['/x/v2-v2/v1/a', '/x/v2-%2D/v1/a'], '/x/v1-v1/v2/a'],
  ['/x/:version/*', ['/x/v1/v2/v2', '/x/v1/', '/x/v1/..%2Fv2'], '/x/v2/v1'],
  ['/x/:version/:id?', ['/x/v1', '/x/v1/v2'], '/x/v2/v1'],
  ['/x::y/:version', ['/x:y/v1'], '/x:y/v2'],
  ['/:version(^v[12]$)/a', ['/v1/a', '/v%31/a'], '/v2/a'],
  ['/:version/a', ['/v1/a', '/v1/a/'], '/v2/a/', { ignoreTrailingSlash: true }],
  ['/:version', ['/v1', '/v1/'], '/v2/', { ignoreTrailingSlash: true }],
  ['/X/:version/a', ['/x/v1/A', '/X/v1/a'], '/x/v2/a', { caseSensitive: false }],
  ['/:version/a', ['/v1/a;/v2/a', '/v1/a;b?c'], '/v2/a;v1', { useSemicolonDelimiter: true }],
  ['/a/:version', ['/a/v1', 'http://a.b/a/v1?x', 'HTTPS://a.b:1/a/v1'], 'http://v1/a/v2'],
  ['/:version', ['http://a.b/v1', 'http://a.b/v1?/v2'], 'http://a.b/v2']
]

for (const [path, one, two, routerOptions = {}] of targets) {
  t.test(`the version in ${path} is read as the router reads it, with ${JSON.stringify(routerOptions)}`, async (t) => {
    const app = await appWith(t, byPath, { routerOptions })
    app.get(path, { version: 'v1' }, tell('one'))
    app.get(path, { version: 'v2' }, tell('two'))
    await app.listen({ host: '127.0.0.1', port: 0 })
    for (const target of one) t.match(await send(app, target), { mark: 'one', version: 'v1' }, target)
    t.match(await send(app, two), { mark: 'two', version: 'v2' }, two)
  })
}

/** Sends a request target as it is. */
async function send (app: FastifyInstance, path: string): Promise<object> {
  const { port } = app.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path }, (response) => {
      text(response).then((body) => resolve(JSON.parse(body)), reject)
    }).on('error', reject)
  })
}

t.test('versions in the path that look alike are different', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v%31', '', 'a/b', 'V1'] }, {
    routerOptions: { caseSensitive: false }
  })
  app.get('/:version/a', { version: 'v1' }, tell('v1'))
  app.get('/:version/a', { version: ['v%31'] }, tell('v%31'))
  app.get('/:version/a', { version: '' }, tell('empty'))
  app.get('/:version/a', { version: 'a/b' }, tell('a/b'))
  app.get('/:version/a', { version: 'V1' }, tell('V1'))
  t.equal(await ask(app, '/v%31/a'), 'v1 v1')
  t.equal(await ask(app, '/v%2531/a'), 'v%31 v%31')
  t.equal(await ask(app, '//a'), 'empty ')
  t.equal(await ask(app, '/a%2Fb/a'), 'a/b a/b')
  t.equal(await ask(app, '/V1/A'), 'V1 V1')
})

for (const target of ['xv2/v1', 'http://a.b?/v1', '//x/v2/v1', '/v1;x/v1']) {
  t.test(`the target ${target}, which the router splits in another way, is never misrouted`, async (t) => {
    for (const routerOptions of [{}, { ignoreDuplicateSlashes: true, useSemicolonDelimiter: true }]) {
      const app = await appWith(t, { scheme: URLPathVersioning }, { routerOptions, rewriteUrl: () => target })
      for (const version of ['v1', 'v2', '']) {
        for (const url of ['/:version', '/:version/v1']) {
          app.get(url, { version }, async (request) => ({ ...request.params as object, is: version }))
        }
      }
      const response = await app.inject('/')
      const { version, is, statusCode } = response.json()
      t.ok(statusCode === 404 || version === is, response.body)
    }
  })
}

t.test('a list reads the path where it has the parameter, and the header elsewhere', async (t) => {
  const app = await appWith(t, byPathOrHeader)
  app.get('/:version/a', { version: 'v1' }, tell('one'))
  app.get('/:version/a', { version: 'v2' }, tell('two'))
  app.get('/b', { version: 'v1' }, tell('b one'))
  app.get('/b', { version: 'v2' }, tell('b two'))
  t.equal(await ask(app, '/v2/a'), 'two v2')
  t.equal(await ask(app, '/v2/a', { 'api-version': 'v2' }), 'two v2')
  t.equal(await ask(app, '/b', { 'api-version': 'v2' }), 'b two v2')
  t.equal(await ask(app, '/b'), '404 Invalid version in URL path.')
  const differing = /^400 The request specifies different versions in the URL path and the /
  t.match(await ask(app, '/v1/a', { 'api-version': 'v2' }), differing)
})

t.test('members of a list with the path may have their own settings', async (t) => {
  const app = await appWith(t, {
    scheme: [new URLPathVersioning({ allowedVersions: ['v1'] }), new HeaderVersioning({ allowedVersions: ['v2'] })]
  })
  app.get('/:version/a', { version: 'v1' }, tell('one'))
  app.get('/:version/a', { version: 'v2' }, tell('two'))
  app.get('/:version/b', { version: ['v1', 'v2'] }, tell('b'))
  t.equal(await ask(app, '/v1/a'), 'one v1')
  t.equal(await ask(app, '/v2/a'), '404 Invalid version in URL path.')
  t.equal(await ask(app, '/v1/b'), 'b v1')
  t.match(await ask(app, '/v2/b'), /^404 /)
})

t.test('the version is in the prefix of contexts, and of HEAD routes', async (t) => {
  const app = await appWith(t, { ...byPath, reportVersions: true })
  app.register(async (routes) => {
    routes.get('/', tell('root'))
    routes.get('/rooms', mark('rooms'))
    routes.get('/health', { versioning: false }, tell('health'))
  }, { prefix: '/:version', version: 'v1' })
  app.register(async (routes) => {
    routes.head('/rooms', { version: 'v3' }, mark('head'))
    routes.get('/rooms', mark('later rooms'))
  }, { prefix: '/:version', version: { from: 'v2' } })
  for (const url of ['/v1', '/v1/']) t.equal(await ask(app, url), 'root v1')
  t.equal(await ask(app, '/v2/'), '404 This URL answers GET in v1.')
  t.equal((await app.inject('/v2/')).headers['api-supported-versions'], 'v1')
  t.equal(await ask(app, '/v3/health'), 'health null')
  for (const [method, version, wanted] of [
    ['GET', 'v1', 'rooms'], ['GET', 'v3', 'later rooms'], ['HEAD', 'v2', 'later rooms'], ['HEAD', 'v3', 'head']
  ] as const) {
    t.equal((await app.inject({ method, url: `/${version}/rooms` })).headers['x-mark'], wanted, `${method} ${version}`)
  }
})

t.test('the version is read from the target that rewriteUrl returns, and over HTTP/2', async (t) => {
  const rewriteUrl = ({ url = '' }) => url.replace('/api/2', '/v2').replace('v9', 'v1')
  const app = await appWith(t, byPath, { rewriteUrl, http2: true } as never)
  app.get('/:version/a', { version: 'v1' }, tell('one'))
  app.get('/:version/a', { version: 'v2' }, tell('two'))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = http2.connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  for (const [path, wanted] of [['/v%31/a?v=/v2', 'one'], ['/v2/a', 'two'], ['/api/2/a', 'two'], ['/v9/a', 'one']]) {
    t.match(JSON.parse(await text(client.request({ ':path': path }))), { mark: wanted }, path)
  }
  client.close()
})

t.test('a list reads the path, the query and the host, or two parameters of the path', async (t) => {
  const app = await appWith(t, {
    scheme: [HostNameVersioning, URLPathVersioning, QueryParameterVersioning], allowedVersions
  })
  const two = await appWith(t, {
    scheme: [new URLPathVersioning({ versionParam: 'a' }), new URLPathVersioning({ versionParam: 'b' })]
  })
  for (const version of ['v1', 'v2']) {
    app.get('/:version/a', { version }, tell(version))
    two.get('/:a/:b', { version }, tell(version))
  }
  t.equal(await ask(app, '/v2/a?version=v2', { host: 'v2.a.b' }), 'v2 v2')
  t.match(await ask(app, '/v2/a?version=v1'), /^400 /)
  t.match(await ask(app, '/v2/a', { host: 'v1.a.b' }), /^400 /)
  t.equal(await ask(two, '/v2/v2'), 'v2 v2')
  t.match(await ask(two, '/v2/v1'), /^400 /)
})

t.test('the parameter has its name, its host and its pattern', async (t) => {
  const app = await appWith(t, { ...byPath, versionParam: 'v' })
  for (const version of ['v1', 'v2']) {
    app.get('/x/:v/:version', { version }, tell(version))
    app.get('/y/:v', { version, constraints: { host: 'a.b' } }, tell(`a.b ${version}`))
  }
  app.get('/y/:v', { version: 'v1', constraints: { host: 'c.d' } }, tell('c.d'))
  app.get('/:v(^v1$)/z', { version: 'v1' }, tell('pattern'))
  app.get('/:v/z', { version: { from: 'v2' } }, tell('later'))
  app.get('/p/:v(^v[12]$)', { version: 'v1' }, tell('one'))
  app.get('/p/:v(^v[12]$)', tell('other'))
  const answers: [url: string, host: string, answer: string][] = [
    ['/x/v2/v1', 'a.b', 'v2 v2'], ['/y/v1', 'a.b', 'a.b v1 v1'], ['/y/v2', 'a.b', 'a.b v2 v2'],
    ['/y/v1', 'c.d', 'c.d v1'], ['/y/v2', 'c.d', '404 This URL answers GET in v1.'],
    ['/v1/z', 'a.b', 'pattern v1'], ['/v3/z', 'a.b', 'later v3'],
    ['/p/v1', 'a.b', 'one v1'], ['/p/v2', 'a.b', 'other v2']
  ]
  for (const [url, host, answer] of answers) t.equal(await ask(app, url, { host }), answer)
})

class Dotted extends URLPathVersioning {
  override readVersion (request: FastifyRequest) {
    return super.readVersion(request)?.replace('_', '.') ?? null
  }
}

t.test('a subclass may read the parameter of the path in its own way', async (t) => {
  const app = await appWith(t, { scheme: Dotted, allowedVersions: ['1.0', '2.0'] })
  for (const version of ['1.0', '2.0']) app.get('/:version/a', { version }, tell(version))
  t.equal(await ask(app, '/1_0/a'), '1.0 1.0')
  t.equal(await ask(app, '/2.0/a'), '2.0 2.0')
})

class Params extends BaseVersioning {
  override get impliedParam () { return 'v' }
  override readVersion ({ params, headers, method, url, socket }: FastifyRequest) {
    const { v } = params as { v?: string }
    return headers.host !== undefined && method === 'GET' && url.includes('a') && socket !== undefined ? `v${v}` : null
  }
}

t.test('a custom scheme may read a parameter of the path', async (t) => {
  const app = await appWith(t, { scheme: Params, allowedVersions })
  app.get('/:v/a', { version: 'v1' }, tell('one'))
  app.get('/:v/a', { version: 'v2' }, tell('two'))
  t.equal(await ask(app, '/1/a'), 'one v1')
  t.equal(await ask(app, '/2/a'), 'two v2')
})

t.test('a value that the router splits differently is refused, never served by the wrong route', async (t) => {
  const app = await appWith(t, byPath)
  // The inner group counts as a parameter.
  app.get('/:a(^(v1)x$)/:version/a', { version: 'v1' }, tell('one'))
  app.get('/:a(^(v1)x$)/:version/a', { version: 'v2' }, tell('two'))
  t.match(await ask(app, '/v1x/v2/a'), /^404 /)
  t.equal(await ask(app, '/v1x/v1/a'), 'one v1')
})

const NEEDED = /has the option "version", so its path needs the parameter ":version", .+ as one segment by itself: /

const wrong: [path: string, says: RegExp, options?: VersioningOptions, version?: RouteVersions][] = [
  ...[
    '/:version.json', '/v:version', '/a/v:version/b', '/:version-:id', '/:id-:version', '/:version(^v\\d$)x',
    '/a/:version?', '/:version?', '/a', '/::version/a'
  ].map((path): [string, RegExp] => [path, NEEDED]),
  ['/a/:version?', NEEDED, byPathOrHeader],
  ['/:verison/a', /Did you mean 'verison'\?/],
  ['/*', /needs the parameter ":\*"/, { versionParam: '*' }],
  ['/a', /needs the parameter ":v", in which Params reads the/, { scheme: Params }],
  ['/:version/a', /needs the parameter ":v"/, { versionParam: 'v' }],
  [
    '/:version(^v[12]$)/a',
    /^Invalid "version": expected versions that the pattern of ":version" matches, got 'v3'/,
    {},
    { from: 'v2' }
  ],
  [
    '/:version/a',
    new RegExp('^Invalid "version": expected no null, because the path always has a version: declare the path ' +
      "without \":version\", got \\[ 'v1', null \\]"),
    { ...byPathOrHeader, allowedVersions: ['v1', null] },
    ['v1', null]
  ]
]

for (const [path, says, options, version = 'v1'] of wrong) {
  t.test(`the route ${path} with ${JSON.stringify(version)} is refused at boot: ${says.source}`, async (t) => {
    const app = await appWith(t, { ...byPath, ...options })
    const code = 'FST_ERR_VERSIONING_OPTION'
    t.throws(() => app.get(path, { version }, tell('')), { code, message: says })
    t.throws(() => app.get(path, { version }, tell('')), { code, message: `GET ${path}` })
  })
}

t.test('routes of one URL must have the same parameter for the version', async (t) => {
  for (const [first, second] of [['/:version/:x/a', '/:x/:version/a'], ['/:version/a', '/:x/a']]) {
    const app = await appWith(t, byPathOrHeader)
    app.get(first, { version: 'v1' }, tell('one'))
    app.get(second, { version: 'v2' }, tell('two'))
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: `GET ${first} and GET ${second} have one URL, where versions choose: write the parameter ":version" ` +
        'in the same place of both paths.'
    })
  }
})

t.test('the last parameter of its name has the version, as for the router', async (t) => {
  const app = await appWith(t, byPathOrHeader)
  app.get('/:version/:id/a', { version: 'v1' }, tell('one'))
  app.get('/:version/:version/a', tell('open'))
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message: /in the same place of both/ })
})

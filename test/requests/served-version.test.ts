import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { connect, write } from '../wire/http1.ts'

import type { FastifyInstance, FastifyReply, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery: VersioningOptions = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const settings: VersioningOptions = { ...byQuery, servedVersion: 'API-Version' }

const ok = async () => 'ok'

t.test('by default no header reports the version, and no hook is added', async (t) => {
  for (const options of [byQuery, { ...byQuery, servedVersion: null }, { ...byQuery, servedVersion: undefined }]) {
    const app = await appWith(t, options)
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => { routes.push(route) })
    app.get('/', ok)
    const { headers } = await app.inject('/?version=v1')
    t.same(Object.keys(headers).sort(), ['connection', 'content-length', 'content-type', 'date'])
    t.equal(headers['content-type'], 'text/plain; charset=utf-8')
    t.same(routes.map(({ onSend }) => onSend === undefined || [onSend].flat().length === 1), [true, true])
    t.equal(routes[0].onSend, undefined)
  }
})

t.test('a header for the served version adds no hook', async (t) => {
  const app = await appWith(t, settings)
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => { if (route.method === 'GET') routes.push(route) })
  app.get('/', ok)
  t.equal((await app.inject('/?version=v1')).headers['api-version'], 'v1')
  t.same(routes.map(({ onSend }) => onSend), [undefined])
})

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

t.test('versions that cannot be reported are refused at boot for a route with its own scheme as well', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/', { versioning: new HeaderVersioning({ allowedVersions: ['vé'] }) }, ok), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "servedVersion": .*, got 'vé'\. The route is GET \/\. See /
  })
})

t.test('versions that cannot be in a header are allowed where no header reports them', async (t) => {
  const app = await appWith(t, { ...byQuery, allowedVersions: ['vé', 'a,b', ''] })
  app.get('/', async ({ version }) => version)
  t.equal((await app.inject('/?version=v%C3%A9')).body, 'vé')
})

t.test('allowedVersions may have null where a header reports versions', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: [null, 'v1'] })
  app.get('/', ok)
  t.notOk('api-version' in (await app.inject('/')).headers)
  t.equal((await app.inject('/?version=v1')).headers['api-version'], 'v1')
})

interface Answer { what: string, request: InjectOptions, statusCode: number, body?: string }

const answers: Answer[] = [
  { what: 'a 200', request: { url: '/ok' }, statusCode: 200, body: 'ok' },
  { what: 'a HEAD', request: { url: '/ok', method: 'HEAD' }, statusCode: 200, body: '' },
  { what: 'a 201', request: { url: '/ok', method: 'POST' }, statusCode: 201 },
  { what: 'a 204', request: { url: '/empty' }, statusCode: 204 },
  { what: 'a 304', request: { url: '/unchanged' }, statusCode: 304 },
  { what: 'a redirect', request: { url: '/redirect' }, statusCode: 302 },
  { what: 'a stream', request: { url: '/stream' }, statusCode: 200, body: 'ab' },
  { what: 'a web stream', request: { url: '/web-stream' }, statusCode: 200, body: 'ab' },
  { what: 'a web response', request: { url: '/response' }, statusCode: 202, body: 'web' },
  { what: 'a Buffer', request: { url: '/buffer' }, statusCode: 200, body: 'ab' },
  { what: 'a hook that answers', request: { url: '/hooked' }, statusCode: 418 },
  { what: 'a validation error', request: { url: '/invalid' }, statusCode: 400 },
  { what: 'an error', request: { url: '/broken' }, statusCode: 500 },
  { what: 'an error with a status', request: { url: '/forbidden' }, statusCode: 403 },
  { what: 'an answer that cannot be serialized', request: { url: '/circular' }, statusCode: 500 },
  { what: 'an error handler', request: { url: '/handled' }, statusCode: 418, body: 'teapot' },
  { what: 'an error handler that fails', request: { url: '/failing' }, statusCode: 500 },
  { what: 'a failing onSend hook', request: { url: '/on-send' }, statusCode: 500 },
  { what: 'a handler that finds nothing', request: { url: '/missing' }, statusCode: 404 },
  {
    what: 'a body that cannot be parsed',
    request: { url: '/ok', method: 'POST', headers: { 'content-type': 'application/json' }, payload: '{' },
    statusCode: 400
  },
  {
    what: 'a body of an unknown type',
    request: { url: '/ok', method: 'POST', headers: { 'content-type': 'a/b' }, payload: '{' },
    statusCode: 415
  }
]

async function answersApp (t: Test, options: VersioningOptions = settings): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  app.get('/ok', ok)
  app.post('/ok', async (_request, reply) => reply.code(201).send({}))
  app.get('/empty', (_request, reply) => { reply.code(204).send() })
  app.get('/unchanged', (_request, reply) => { reply.code(304).send() })
  app.get('/redirect', (_request, reply) => { reply.redirect('/ok') })
  app.get('/stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])))
  app.get('/web-stream', (_request, reply) => reply.send(new Response('ab').body))
  app.get('/response', async () => new Response('web', { status: 202, headers: { 'x-own': '1' } }))
  app.get('/buffer', async () => Buffer.from('ab'))
  app.get('/hooked', { preHandler: async (_request, reply) => reply.code(418).send('hook') }, ok)
  app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, ok)
  app.get('/broken', async () => { throw new Error('broken') })
  app.get('/forbidden', async () => { throw Object.assign(new Error('forbidden'), { statusCode: 403 }) })
  app.get('/circular', async () => {
    const circular: { self?: object } = {}
    return Object.assign(circular, { self: circular })
  })
  app.get('/on-send', { onSend: async () => { throw new Error('failed') } }, ok)
  app.get('/missing', (_request, reply) => { reply.callNotFound() })
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', async () => { throw new Error('broken') })
  })
  app.register(async (context) => {
    context.setErrorHandler(async () => { throw new Error('fails, too') })
    context.get('/failing', async () => { throw new Error('broken') })
  })
  return app
}

for (const { what, request, statusCode, body } of answers) {
  t.test(`the response for ${what} reports the version`, async (t) => {
    const app = await answersApp(t)
    const response = await app.inject({ ...request, query: { version: 'v2' } })
    t.equal(response.statusCode, statusCode)
    t.equal(response.headers['api-version'], 'v2')
    if (body !== undefined) t.equal(response.body, body)
  })
}

t.test('the default version is reported', async (t) => {
  const app = await answersApp(t, { ...settings, defaultVersion: 'v1' })
  t.equal((await app.inject('/ok')).headers['api-version'], 'v1')
})

t.test('a request without a version gets no header', async (t) => {
  const app = await answersApp(t, { servedVersion: 'API-Version', scheme: QueryParameterVersioning })
  for (const url of ['/ok', '/broken', '/handled', '/missing', '/response']) {
    t.notOk('api-version' in (await app.inject(url)).headers, url)
  }
})

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

interface Refusal { what: string, options: VersioningOptions, request: InjectOptions, statusCode: number }

const version = { allowedVersions: ['v1', 'v2'] }
const refusals: Refusal[] = [
  {
    what: 'by the Accept header',
    options: { ...version, scheme: AcceptHeaderVersioning },
    request: { headers: { accept: 'a/b;version=v9' } },
    statusCode: 406
  },
  { what: 'by the query', options: byQuery, request: { query: { version: 'v9' } }, statusCode: 404 },
  { what: 'without a version', options: byQuery, request: {}, statusCode: 404 },
  {
    what: 'by a header',
    options: { ...version, scheme: HeaderVersioning },
    request: { headers: { 'api-version': 'v9' } },
    statusCode: 400
  },
  {
    what: 'by the Content-Type',
    options: { ...version, scheme: ContentTypeVersioning },
    request: { headers: { 'content-type': 'application/json;version=v9' } },
    statusCode: 415
  },
  {
    what: 'by several versions',
    options: { ...version, scheme: [HeaderVersioning, QueryParameterVersioning] },
    request: { headers: { 'api-version': 'v1' }, query: { version: 'v2' } },
    statusCode: 400
  },
  {
    what: 'as gone',
    options: { ...byQuery, lifecycle: { v1: { sunset: '2020-01-01' } }, enforceSunset: true },
    request: { query: { version: 'v1' } },
    statusCode: 410
  }
]

for (const { what, options, request, statusCode } of refusals) {
  t.test(`a request that is refused ${what} gets no version`, async (t) => {
    const app = await appWith(t, { ...options, servedVersion: 'API-Version' })
    app.get('/', ok)
    const response = await app.inject({ url: '/', ...request })
    t.equal(response.statusCode, statusCode)
    t.notOk('api-version' in response.headers)
  })
}

t.test('a version that no route of the URL serves is not reported', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', { version: 'v1' }, ok)
  const response = await app.inject('/?version=v2')
  t.equal(response.statusCode, 404)
  t.notOk('api-version' in response.headers)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
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

t.test('an OPTIONS request that is not a preflight gets the version', async (t) => {
  const app = await appWith(t, settings)
  app.options('/', ok)
  t.equal((await app.inject({ url: '/?version=v1', method: 'OPTIONS' })).headers['api-version'], 'v1')
})

t.test('an error handler that answers a refusal sends no version', async (t) => {
  const app = await appWith(t, settings)
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
  app.get('/', ok)
  const response = await app.inject('/?version=v9')
  t.equal(response.statusCode, 418)
  t.notOk('api-version' in response.headers)
})

interface Own { does: string, handler: (reply: FastifyReply) => unknown, told: string | undefined }

const own: Own[] = [
  { does: 'sets the header itself', handler: (reply) => reply.header('API-Version', 'own').send('ok'), told: 'own' },
  { does: 'removes the header', handler: (reply) => reply.removeHeader('API-Version').send('ok'), told: undefined },
  {
    does: 'answers a web response with the header',
    handler: () => new Response('ok', { headers: { 'API-Version': 'own' } }),
    told: 'own'
  },
  {
    does: 'throws an error with the header',
    handler: () => { throw Object.assign(new Error('broken'), { headers: { 'API-Version': 'own' } }) },
    told: 'own'
  }
]

for (const { does, handler, told } of own) {
  t.test(`the response of a handler that ${does} has the API-Version ${told}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', async (_request, reply) => handler(reply))
    t.equal((await app.inject('/?version=v1')).headers['api-version'], told)
  })
}

t.test('a hook of the app that sets the header itself wins', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onRequest', async ({ version }, reply) => { reply.header('API-Version', `our ${version}`) })
  app.get('/', ok)
  t.equal((await app.inject('/?version=v1')).headers['api-version'], 'our v1')
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

t.test('a child context may report the version where its parent does not', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/', ok)
  app.register(async (child) => {
    child.get('/before', ok)
    await child.register(versioning, { servedVersion: 'API-Version' })
    child.get('/after', ok)
  })
  const told = async (url: string) => (await app.inject(`${url}?version=v1`)).headers['api-version']
  t.same([await told('/'), await told('/before'), await told('/after')], [undefined, 'v1', 'v1'])
})

t.test('a route with its own scheme reports the version that it determines', async (t) => {
  const app = await appWith(t, { ...settings, defaultVersion: 'v1' })
  app.get('/', { versioning: HeaderVersioning }, ok)
  const response = await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })
  t.equal(response.headers['api-version'], 'v2')
})

interface Place { where: string, options: VersioningOptions, request: InjectOptions }

const places: Place[] = [
  { where: 'the path', options: { scheme: URLPathVersioning }, request: { url: '/v2/path' } },
  { where: 'a namespace', options: { scheme: NamespaceVersioning }, request: { url: '/ns/path' } },
  { where: 'the host', options: { scheme: HostNameVersioning }, request: { headers: { host: 'v2.example.com' } } },
  { where: 'the query', options: byQuery, request: { query: { version: 'v2' } } },
  { where: 'a header', options: { scheme: HeaderVersioning }, request: { headers: { 'api-version': 'v2' } } },
  {
    where: 'the Accept header',
    options: { scheme: AcceptHeaderVersioning },
    request: { headers: { accept: 'a/b;version=v2' } }
  },
  {
    where: 'the Content-Type',
    options: { scheme: ContentTypeVersioning },
    request: { headers: { 'content-type': 'a/b;version=v2' } }
  },
  {
    where: 'one of two places',
    options: { scheme: [HeaderVersioning, QueryParameterVersioning] },
    request: { query: { version: 'v2' } }
  }
]

for (const { where, options, request } of places) {
  t.test(`a version in ${where} is reported`, async (t) => {
    const app = await appWith(t, { ...settings, ...options })
    app.get('/', ok)
    app.get('/:version/path', ok)
    app.register(async (context) => { context.get('/path', ok) }, { prefix: '/ns', namespace: 'v2' })
    const response = await app.inject({ url: '/', ...request })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['api-version'], 'v2')
  })
}

t.test('a version that is determined asynchronously is reported', async (t) => {
  class Late extends QueryParameterVersioning {
    override determineVersion () {
      return Promise.resolve('v2') as never
    }
  }
  const app = await appWith(t, { ...settings, scheme: Late })
  app.get('/', ok)
  t.equal((await app.inject('/')).headers['api-version'], 'v2')
})

t.test('each handler reports its own version where versions choose', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', { version: 'v1' }, ok)
  app.get('/', ok)
  t.equal((await app.inject('/?version=v1')).headers['api-version'], 'v1')
  t.equal((await app.inject('/?version=v2')).headers['api-version'], 'v2')
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

for (const version of ['v1', '2026-03-01', 'a b', 'a,b', '"', '\\', '~!@#$%^&*()[]{}<>|;:', 'v'.repeat(256)]) {
  t.test(`the version ${version.slice(0, 20)} is reported if every version is allowed`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, servedVersion: 'API-Version' })
    app.get('/', ok)
    t.equal((await app.inject(`/?version=${encodeURIComponent(version)}`)).headers['api-version'], version)
  })
}

t.test('no bytes beyond ASCII are sent over a socket', async (t) => {
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { scheme, servedVersion: 'API-Version' })
  app.get('/', ok)
  const connection = await connect(t, app)
  const message = { method: 'GET', host: 'example.com', body: '' } as const
  const requests: [path: string, headers: Record<string, string>][] = [
    ['/', { 'API-Version': 'v\u00e9' }],
    ['/?version=v1%0d%0aX-Evil:%201', {}],
    ['/?version=%c3%a9', {}]
  ]
  for (const [path, headers] of requests) {
    connection.write(write({ ...message, path, headers }))
    const answer = await connection.read('GET')
    t.equal(answer.status, 200)
    t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    t.notOk('api-version' in answer.headers)
    t.notOk('x-evil' in answer.headers)
  }
})

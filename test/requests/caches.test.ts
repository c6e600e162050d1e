import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning, VersionError
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteHandlerMethod } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery: VersioningOptions = { scheme: QueryParameterVersioning, ...versions }
const ended: VersioningOptions = { ...byQuery, lifecycle: { v1: { sunset: '2020-01-01' } }, enforceSunset: true }
const MAX_AGE = 'public, max-age=60'

/** Lets caches store whatever is answered. */
const store = async (_request: FastifyRequest, reply: FastifyReply) => { reply.header('Cache-Control', MAX_AGE) }

async function cacheControlOf (app: FastifyInstance, request: string | InjectOptions) {
  return (await app.inject(request)).headers['cache-control']
}

/** The warnings of the plugin about caches, while something is done. */
async function warningsDuring (t: Test, run: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const note = ({ message, ...warning }: Error & { code?: string }) => {
    if (warning.code === 'FST_WARN_VERSION_CACHE') warnings.push(message)
  }
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  await run()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

// What must not be stored

for (const place of Object.values(places)) {
  t.test(`a refusal by the ${place.text} must not be stored`, async (t) => {
    const app = await appWith(t, { scheme: place.Scheme, ...versions })
    declareIn(app, [place], { method: ['GET', 'POST'], url: '/probe', handler: ok })
    const request = requestOf('/probe', place.naming('v9'))
    for (const method of request.payload === undefined ? ['GET', 'HEAD'] as const : ['POST'] as const) {
      const { statusCode, headers } = await app.inject({ ...request, method })
      t.equal(headers['cache-control'], 'no-store')
      t.ok(statusCode >= 400)
    }
    t.notMatch((await app.inject({ ...requestOf('/probe', place.naming('v1')), method: 'POST' })).headers, {
      'cache-control': 'no-store'
    })
  })
}

t.test('a version that a URL does not serve, two versions and an error of the scheme must not be stored', async (t) => {
  class Throwing extends BaseVersioning {
    override determineVersion (): never { throw Object.assign(new Error('Not today.'), { statusCode: 403 }) }
  }
  const app = await appWith(t, { scheme: [QueryParameterVersioning, HeaderVersioning], ...versions })
  app.get('/', { version: 'v1' }, ok)
  app.get('/throwing', { versioning: Throwing }, ok)
  for (const [request, status] of [
    ['/?version=v2', 404], [{ url: '/?version=v2', headers: { 'api-version': 'v1' } }, 400], ['/throwing', 403]
  ] as const) {
    const { statusCode, headers } = await app.inject(request)
    t.same([statusCode, headers['cache-control']], [status, 'no-store'])
  }
})

t.test('a plain 404, an error of a handler and a failed preflight are no refusals', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/', async () => { throw Object.assign(new Error('No.'), { statusCode: 404 }) })
  app.options('/', async () => { throw new Error('No.') })
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
  t.equal(await cacheControlOf(app, '/unknown'), undefined)
  t.equal(await cacheControlOf(app, '/?version=v1'), undefined)
  t.equal(await cacheControlOf(app, { method: 'OPTIONS', url: '/', headers: preflight }), undefined)
})

/** Where an app sets Cache-Control on every response. */
const everywhere: [where: string, build: (app: FastifyInstance, register: () => Promise<unknown>) => unknown][] = [
  ['an onSend hook before the plugin', async (app, register) => {
    app.addHook('onSend', store)
    await register()
    app.get('/', ok)
  }],
  ['an onSend hook after the plugin', async (app, register) => {
    await register()
    app.addHook('onSend', store)
    app.get('/', ok)
  }],
  ['an onSend hook of the route', async (_app, register) => {
    await register()
    _app.get('/', { onSend: store }, ok)
  }],
  ['an onSend hook that a later onRoute hook adds', async (app, register) => {
    await register()
    app.addHook('onRoute', (route) => { route.onSend = [route.onSend ?? []].flat().concat(store) })
    app.get('/', ok)
  }],
  ['an onRequest hook before the plugin', async (app, register) => {
    app.addHook('onRequest', store)
    await register()
    app.get('/', ok)
  }],
  ['a middleware', async (app, register) => {
    app.addHook('onRequest', async (_request, reply) => { reply.raw.setHeader('cache-control', MAX_AGE) })
    await register()
    app.get('/', ok)
  }]
]

for (const [where, build] of everywhere) {
  t.test(`where ${where} sets max-age, a refusal and a 410 are not stored, and other responses are`, async (t) => {
    const app = bareApp(t)
    await build(app, async () => app.register(versioning, ended))
    t.equal(await cacheControlOf(app, '/?version=v9'), 'no-store')
    t.equal(await cacheControlOf(app, '/?version=v1'), 'no-store')
    t.equal(await cacheControlOf(app, '/?version=v2'), MAX_AGE)
  })
}

const retired = () => new VersionError('gone', 'No more.')

t.test('a 410 that a hook of a neutral route throws must not be stored either', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/', { versioning: false, preHandler: async () => { throw retired() } }, ok)
  t.equal(await cacheControlOf(app, '/'), 'no-store')
})

// The error handler of the app

/** What an error handler answers to a refusal, and the Cache-Control of the response. */
const answers: [says: string, answer: (reply: FastifyReply) => unknown, value: string | undefined][] = [
  ['sets nothing', (reply) => reply.code(404).send('own'), 'no-store'],
  ['answers 404 with max-age', (reply) => reply.code(404).header('Cache-Control', MAX_AGE).send('own'), 'no-store'],
  ['answers 503 with max-age', (reply) => reply.code(503).header('Cache-Control', MAX_AGE).send('own'), 'no-store'],
  ['removes the header', (reply) => reply.code(404).removeHeader('cache-control').send('own'), 'no-store'],
  ['says more', (reply) => reply.code(404).header('Cache-Control', 'private, No-Store').send('own'),
    'private, No-Store'],
  ['has no-store only within other words', (reply) => (
    reply.code(404).header('Cache-Control', 'max-age=60, private="no-store", x-no-store').send('own')
  ), 'no-store'],
  ['only says no-cache', (reply) => reply.code(404).header('Cache-Control', 'no-cache').send('own'), 'no-store'],
  ['sends a web response', () => new Response('own', { status: 404, headers: { 'cache-control': MAX_AGE } }),
    'no-store'],
  ['sends a stream', (reply) => reply.code(404).header('Cache-Control', MAX_AGE).send(Readable.from(['own'])),
    'no-store'],
  ['answers 200 with max-age', (reply) => reply.code(200).header('Cache-Control', MAX_AGE).send('own'), MAX_AGE],
  ['redirects with max-age', (reply) => reply.header('Cache-Control', MAX_AGE).redirect('/?version=v2'), MAX_AGE]
]

for (const [says, answer, value] of answers) {
  t.test(`a refusal has the Cache-Control ${value} if the error handler ${says}`, async (t) => {
    const app = await appWith(t, byQuery)
    app.setErrorHandler(async (_error, _request, reply) => answer(reply))
    app.get('/', ok)
    t.equal(await cacheControlOf(app, '/?version=v9'), value)
  })
}

t.test('one warning names the first route whose error handler lets caches store a refusal', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler((_error, _request, reply) => reply.code(404).header('cache-control', MAX_AGE).send('own'))
  for (const url of ['/a', '/b']) app.get(url, ok)
  const warnings = await warningsDuring(t, async () => {
    for (const url of ['/a?version=v1', '/a?version=v9', '/a?version=v9', '/b?version=v9']) await app.inject(url)
  })
  t.same(warnings, [
    'Do not set Cache-Control on responses of 400 or more: the error handler of GET /a, or an onSend hook, has set ' +
    `'${MAX_AGE}' on a refusal. The plugin sends no-store instead, because caches would keep the refusal when the ` +
    'version is released.'
  ])
})

t.test('nothing is warned of where an app removes Cache-Control, or writes a refusal to reply.raw', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler((_error, _request, reply) => reply.code(404).removeHeader('cache-control').send('own'))
  app.get('/a', ok)
  app.get('/b', { errorHandler: (_error, _request, reply) => { reply.hijack().raw.writeHead(404).end() } }, ok)
  t.same(await warningsDuring(t, async () => {
    for (const url of ['/a?version=v9', '/b?version=v9']) t.equal(await cacheControlOf(app, url), 'no-store')
  }), [])
})

t.test('an error handler that calls the not-found handler answers what must not be stored', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler((_error, _request, reply) => { reply.callNotFound() })
  app.setNotFoundHandler((_request, reply) => reply.code(404).header('cache-control', MAX_AGE).send('own'))
  app.get('/', ok)
  const warnings = await warningsDuring(t, async () => {
    t.equal(await cacheControlOf(app, '/?version=v9'), 'no-store')
    t.equal(await cacheControlOf(app, '/unknown'), MAX_AGE)
  })
  t.match(warnings, [/the error handler of GET \/, or/])
})

t.test('a VersionError of a not-found handler must not be stored, and the warning names no URL', async (t) => {
  const app = await appWith(t, byQuery)
  app.addHook('onSend', store)
  app.setNotFoundHandler(async () => { throw retired() })
  t.match(await warningsDuring(t, async () => {
    t.equal(await cacheControlOf(app, '/unknown'), 'no-store')
  }), [/the error handler of GET an unknown URL, or/])
})

t.test('an error handler that throws a refusal answers what must not be stored', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler(async () => { throw new VersionError('notFound', 'Not here.') })
  app.get('/', async () => { throw new Error('broken') })
  t.equal(await cacheControlOf(app, '/?version=v1'), 'no-store')
})

// Forwarded headers

const trusting = { trustProxy: true }
const lifecycle = { v1: { deprecated: '2026-01-01' } }
const FORWARDED = 'X-Forwarded-Prefix'
const ABSOLUTE = 'X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-Prefix'
const prefixed = { 'x-forwarded-prefix': '/api' }
const link = (options = {}) => async (_request: unknown, reply: FastifyReply) => (
  reply.reverse('a', { version: 'v1' }, options)
)

/** What a handler makes, and by what the response then varies. */
const forwarding: [says: string, options: VersioningOptions, handler: RouteHandlerMethod, vary?: string][] = [
  ['a link', {}, link(), FORWARDED],
  ['a link into another version', {}, link({ version: 'v2' }), FORWARDED],
  ['an absolute link', {}, link({ absolute: true }), ABSOLUTE],
  ['a link and an absolute link', {}, async (request, reply) => {
    for (const options of [{}, { absolute: true }]) await link(options)(request, reply)
    return 'ok'
  }, 'X-Forwarded-Prefix, X-Forwarded-Host, X-Forwarded-Proto'],
  ['a link of the scheme', {}, async (request) => request.versioningScheme?.reverse(null, { request }) ?? '',
    FORWARDED],
  ['a link to a successor', { lifecycle }, ok, FORWARDED],
  ['no link to a successor', { lifecycle: { v2: { deprecated: '2026-01-01' } } }, ok],
  ['no link', {}, ok],
  ['a link that fails', {}, async (_request, reply) => {
    try { reply.reverse('nowhere') } catch {}
    return 'ok'
  }],
  ['a link with baseUrl', { baseUrl: 'https://example.com/api', lifecycle }, link({ absolute: true })]
]

for (const [says, options, handler, vary] of forwarding) {
  t.test(`behind a trusted proxy a response with ${says} varies by ${vary}, forwarded or not`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, ...versions, ...options }, trusting)
    app.get('/:version/a', { name: 'a' }, handler)
    for (const headers of [{}, prefixed]) {
      t.equal((await app.inject({ url: '/v1/a', headers })).headers.vary, vary)
    }
  })
}

t.test('a response varies by a forwarded host or protocol that no link can have', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, ...versions }, trusting)
  app.get('/:version/a', { name: 'a' }, link({ absolute: true }))
  for (const headers of [{ 'x-forwarded-host': 'a/b' }, { 'x-forwarded-proto': 'ftp' }]) {
    const { headers: { vary }, statusCode } = await app.inject({ url: '/v1/a', headers })
    t.equal(statusCode, 400)
    t.match(vary, 'X-Forwarded-Host, X-Forwarded-Proto')
  }
})

t.test('a response with a link varies by no forwarded header if the app trusts no proxy', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, ...versions, lifecycle })
  app.get('/:version/a', { name: 'a' }, link({ absolute: true }))
  t.equal((await app.inject({ url: '/v1/a', headers: prefixed })).headers.vary, undefined)
})

t.test('a neutral route, a header scheme and a handler that sets Vary itself have all names', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, ...versions, defaultVersion: 'v1' }, trusting)
  app.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a'))
  app.get('/neutral', { versioning: false }, async (_request, reply) => reply.reverse('a'))
  app.get('/own', async (_request, reply) => reply.header('vary', 'Origin').send(reply.reverse('a')))
  app.get('/raw', (_request, reply) => {
    const url = reply.reverse('a')
    reply.hijack().raw.writeHead(200, reply.getHeaders() as never).end(url)
  })
  for (const [url, vary] of [
    ['/a', 'API-Version, X-Forwarded-Prefix'], ['/neutral', 'X-Forwarded-Prefix'],
    ['/own', 'Origin, API-Version, X-Forwarded-Prefix'], ['/raw', 'API-Version, X-Forwarded-Prefix']
  ] as const) t.equal((await app.inject(url)).headers.vary, vary, url)
})

t.test('an error handler that links a refusal to the version makes it vary', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, ...versions }, trusting)
  app.setErrorHandler((_error, _request, reply) => (
    reply.code(404).send({ see: reply.reverse('a', { version: 'v1' }) })
  ))
  app.get('/:version/a', { name: 'a' }, ok)
  t.match((await app.inject('/v9/a')).headers, { vary: FORWARDED, 'cache-control': 'no-store' })
})

t.test('under HostNameVersioning every response varies by the forwarded host if the app trusts a proxy', async (t) => {
  const [trusted, app] = [
    await appWith(t, { scheme: HostNameVersioning, ...versions }, trusting),
    await appWith(t, { scheme: HostNameVersioning, ...versions })
  ]
  const list = await appWith(t, { scheme: [HeaderVersioning, HostNameVersioning], ...versions }, trusting)
  for (const one of [trusted, app, list]) {
    one.get('/', ok)
    one.get('/neutral', { versioning: false }, ok)
  }
  for (const host of ['v1.example.com', 'v9.example.com']) {
    t.equal((await trusted.inject({ url: '/', headers: { host } })).headers.vary, 'X-Forwarded-Host')
    t.equal((await app.inject({ url: '/', headers: { host } })).headers.vary, undefined)
    t.equal((await list.inject({ url: '/', headers: { host } })).headers.vary, 'API-Version, X-Forwarded-Host')
  }
  t.equal((await trusted.inject('/neutral')).headers.vary, undefined)
})

t.test('what a hook before the plugin answers varies by the forwarded host, too', async (t) => {
  const app = bareApp(t, trusting)
  app.addHook('onRequest', async (_request, reply) => reply.code(503).send('busy'))
  await app.register(versioning, { scheme: HostNameVersioning, ...versions })
  app.get('/', ok)
  t.equal((await app.inject('/')).headers.vary, 'X-Forwarded-Host')
})

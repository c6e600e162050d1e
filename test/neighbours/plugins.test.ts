import accepts from '@fastify/accepts'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import middie from '@fastify/middie'
import multipart from '@fastify/multipart'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import underPressure from '@fastify/under-pressure'
import websocket from '@fastify/websocket'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import { WebSocket } from 'ws'

import { Api, compareTwins } from '../../fuzz/changes/changes.ts'
import versioning, { AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { appInOrder, orders } from './orders.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Case } from '../../fuzz/changes/changes.ts'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

/** The request headers that a response names in Vary: in lower case, sorted, and as often as it names them. */
function varyOf ({ headers: { vary = [] } }: { headers: { vary?: string | string[] | undefined } }): string[] {
  return [vary].flat().join().split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '').sort()
}

const allowedVersions = ['v1', 'v2']
/** Both, where docs/plugins.md says that any order will do. */
const [BEFORE, AFTER] = orders
const byAccept = { scheme: AcceptHeaderVersioning, allowedVersions }
const byHeader = { scheme: HeaderVersioning, allowedVersions }
const byQuery = { scheme: QueryParameterVersioning, allowedVersions }
const origin = 'https://client.example'
const accepting = (version: string) => ({ accept: `application/json; version=${version}`, origin })

async function version (request: FastifyRequest) {
  return { version: request.version }
}

/** What CORS does as a middleware: headers, and an answer to preflights. */
function allowOrigin (request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
  if (request.method !== 'OPTIONS') return next()
  response.statusCode = 204
  response.end()
}

type Register = (app: FastifyInstance) => PromiseLike<unknown>

/**
 * What it adds to Vary, and a header that it adds to everything, to refusals as well if it comes before the plugin. The
 * order at the root is that of docs/plugins.md; both unless it matters.
 */
interface Neighbour { register: Register, order?: typeof orders[number], vary?: string, header?: string }

const allowing = { order: BEFORE, vary: 'origin', header: 'access-control-allow-origin' }
const byVersion = { keyGenerator: ({ ip, version }: FastifyRequest) => `${ip} ${version}` }
const files = { root: import.meta.dirname, prefix: '/files/' }
const neighbours = {
  accepts: { register: (app) => app.register(accepts) },
  compress: { register: (app) => app.register(compress, { threshold: 0 }), vary: 'accept-encoding' },
  cors: { register: (app) => app.register(cors, { origin: true }), ...allowing },
  etag: { register: (app) => app.register(etag) },
  helmet: { register: (app) => app.register(helmet), order: BEFORE, header: 'x-content-type-options' },
  middie: { register: async (app) => { await app.register(middie); app.use(allowOrigin) }, ...allowing },
  multipart: { register: (app) => app.register(multipart) },
  'rate-limit': { register: (app) => app.register(rateLimit, byVersion) },
  static: { register: (app) => app.register(fastifyStatic, files), order: AFTER },
  swagger: { register: (app) => app.register(swagger) },
  'swagger-ui': { register: async (app) => { await app.register(swagger); await app.register(swaggerUi) } },
  'under-pressure': { register: (app) => app.register(underPressure, { maxRssBytes: Infinity }), order: AFTER }
} satisfies Record<string, Neighbour>

const inOrders = Object.entries<Neighbour>(neighbours).flatMap(([name, neighbour]) => (
  orders.filter((order) => (neighbour.order ?? order) === order).map((order) => ({ name, order, ...neighbour }))
))

for (const { name, order, register, vary, header } of inOrders) {
  t.test(`routes, refusals and neutral routes are as ever, with ${name} ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, register)
    app.get('/bookings', version)
    app.get('/health', { versioning: false }, version)
    const headers = { ...accepting('v2'), 'accept-encoding': 'identity' }

    const answer = await app.inject({ url: '/bookings', headers })
    t.same(answer.json(), { version: 'v2' })
    t.same(varyOf(answer), vary === 'origin' ? ['accept', vary] : ['accept'])

    const refusal = await app.inject({ url: '/bookings', headers: { ...accepting('v9'), 'accept-encoding': 'gzip' } })
    t.equal(refusal.statusCode, 406)
    t.same(varyOf(refusal), vary === undefined ? ['accept'] : ['accept', vary].sort())
    if (header !== undefined) t.ok(header in refusal.headers, header)

    const neutral = await app.inject({ url: '/health', headers })
    t.same(neutral.json(), { version: null })
    t.notOk(varyOf(neutral).includes('accept'))
  })
}

t.test('with other plugins around it, a context that holds only the API has versions, and no more has', async (t) => {
  const app = bareApp(t)
  const { middie, 'swagger-ui': ui, ...others } = neighbours
  for (const { register } of Object.values<Neighbour>(others)) await register(app)
  app.get('/health', version)
  app.register(async (api) => {
    await api.register(versioning, byAccept)
    api.get('/bookings', version)
  })
  const answer = await app.inject({ url: '/bookings', headers: accepting('v2') })
  t.same(answer.json(), { version: 'v2' })
  const refusal = await app.inject({ url: '/bookings', headers: accepting('v9') })
  t.equal(refusal.statusCode, 406)
  t.equal(refusal.headers['access-control-allow-origin'], origin)
  t.equal(refusal.headers['x-content-type-options'], 'nosniff')
  t.equal((await app.inject('/files/caches.test.ts')).statusCode, 200)
  t.same((await app.inject('/health')).json(), {})
})

// @fastify/accepts

t.test('handlers have the decorators of @fastify/accepts where no other plugin registers it', async (t) => {
  const app = await appWith(t, { ...byQuery, defaultVersion: 'v1' })
  app.decorateRequest('language', () => 'de')
  app.get('/', async (request) => [request.language(), request.types()])
  t.same((await app.inject({ url: '/', headers: { accept: 'text/html' } })).json(), ['de', ['text/html']])
})

for (const order of orders) {
  t.test(`@fastify/accepts ${order} keeps its options, also where versioning is off`, async (t) => {
    const app = await appInOrder(t, order, { scheme: null }, (app) => app.register(accepts, { decorateReply: true }))
    app.get('/', async (request, reply) => [request.accepts().types(), reply.requestAccepts().types()])
    t.same((await app.inject({ url: '/', headers: { accept: 'text/html' } })).json(), [['text/html'], ['text/html']])
  })
}

t.test('contexts around the plugin, and inside, may register @fastify/accepts', async (t) => {
  const app = bareApp(t)
  async function child (context: FastifyInstance) {
    await context.register(accepts)
    context.get('/', async (request) => request.types())
  }
  app.register(child, { prefix: '/before' })
  await app.register(async (context) => {
    await context.register(versioning, { ...byQuery, defaultVersion: 'v1' })
    context.register(child, { prefix: '/after' })
    context.get('/in', async (request) => request.types())
  })
  for (const url of ['/before', '/after', '/in']) {
    t.same((await app.inject({ url, headers: { accept: 'text/html' } })).json(), ['text/html'], url)
  }
})

// @fastify/cors, and middleware

const preflight = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'accept' }

for (const [name, order] of [['cors', BEFORE], ['cors', AFTER], ['middie', BEFORE]] as const) {
  for (const url of ['/bookings', '/bookings?version=v9', '/nowhere']) {
    t.test(`a preflight to ${url} is answered as without the plugin, with ${name} ${order}`, async (t) => {
      const { register } = neighbours[name]
      const apps = [await appInOrder(t, order, byQuery, register), bareApp(t)]
      await register(apps[1]!)
      for (const app of apps) app.get('/bookings', async () => '')
      const ask = (app: FastifyInstance) => app.inject({ method: 'OPTIONS', url, headers: preflight })
      const [given, expected] = await Promise.all(apps.map(ask))
      t.equal(given!.statusCode, 204)
      t.same({ ...given!.headers, date: '' }, { ...expected!.headers, date: '' })
    })
  }
}

t.test('@fastify/express, which decodes the URL of Node\'s request, changes neither versions nor links', async (t) => {
  const { default: express } = await import('@fastify/express')
  const app = await appInOrder(t, BEFORE, byQuery, (app) => app.register(express))
  app.use(allowOrigin)
  app.get('/bookings/:id', async (request, reply) => [request.version, reply.reverse()])
  // Under inject a response that has come through Express has no body.
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${address}/bookings/a%2520%2Fb?version=v2`, { headers: { connection: 'close' } })
  t.same(await response.json(), ['v2', '/bookings/a%2520%2Fb?version=v2'])
  const refusal = await fetch(`${address}/bookings/7?version=%2576%2532`, { headers: { connection: 'close' } })
  t.equal(refusal.status, 404)
  t.ok(refusal.headers.has('access-control-allow-origin'))
})

t.test('the allowed origins may depend on the version if cors is registered after the plugin', async (t) => {
  const app = await appInOrder(t, AFTER, byQuery, (app) => app.register(cors, {
    delegator: ({ version }, done) => done(null, { origin: version === 'v2' ? origin : false })
  }))
  app.get('/bookings', version)
  for (const [version, allowed] of [['v1', undefined], ['v2', origin]] as const) {
    const { headers } = await app.inject({ url: `/bookings?version=${version}`, headers: { origin } })
    t.equal(headers['access-control-allow-origin'], allowed, version)
  }
})

// @fastify/compress and @fastify/etag

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown
const both = ['accept', 'accept-encoding']
const compressed: [what: string, handler: Handler, vary: string[]][] = [
  ['a stream', (_request, reply) => reply.type('text/plain').send(Readable.from(['a'])), both],
  ['what a handler compresses', (_request, reply) => reply.compress(Readable.from(['a'])), both],
  ['an error', async () => { throw new Error('broken') }, both],
  ['an answer without content', (_request, reply) => reply.code(204).send(), ['accept']]
]
for (const order of orders) {
  for (const [what, handler, vary] of compressed) {
    t.test(`${what} varies on ${vary.join(' and ')}, with compress ${order}`, async (t) => {
      const app = await appInOrder(t, order, byAccept, neighbours.compress.register)
      app.get('/bookings', handler)
      const headers = { ...accepting('v2'), 'accept-encoding': 'gzip' }
      t.same(varyOf(await app.inject({ url: '/bookings', headers })), vary)
    })
  }

  t.test(`a tag is of its version, and a 304 has the headers of the version, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...byAccept, servedVersion: 'API-Version' }, neighbours.etag.register)
    app.get('/bookings', version)
    const { headers: { etag } } = await app.inject({ url: '/bookings', headers: accepting('v1') })
    const ask = (version: string) => (
      app.inject({ url: '/bookings', headers: { ...accepting(version), 'if-none-match': String(etag) } })
    )
    t.same((await ask('v2')).json(), { version: 'v2' })
    const response = await ask('v1')
    t.match({ status: response.statusCode, served: response.headers['api-version'] }, { status: 304, served: 'v1' })
    t.same(varyOf(response), ['accept'])
  })
}

// @fastify/otel

t.test('a refused request has a span', async (t) => {
  const exporter = new InMemorySpanExporter()
  const instrumentation = new FastifyOtelInstrumentation()
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  const app = await appInOrder(t, BEFORE, byHeader, (app) => app.register(instrumentation.plugin()))
  app.get('/bookings', version)
  for (const version of ['v2', 'v9']) await app.inject({ url: '/bookings', headers: { 'api-version': version } })
  const spans = exporter.getFinishedSpans().filter(({ name }) => name === 'request')
  t.same(spans.map(({ attributes }) => attributes['http.response.status_code']), [200, 400])
})

// @fastify/under-pressure

t.test('a 503 varies on the version, and the status route is neutral', async (t) => {
  const app = await appInOrder(t, AFTER, byAccept, (app) => app.register(underPressure, {
    healthCheck: async () => false, exposeStatusRoute: { url: '/status', routeOpts: { versioning: false } }
  }))
  app.get('/bookings', version)
  const response = await app.inject({ url: '/bookings', headers: accepting('v2') })
  t.equal(response.statusCode, 503)
  t.same(varyOf(response), ['accept'])
  const status = await app.inject('/status')
  t.equal(status.statusCode, 503)
  t.same(varyOf(status), [])
})

// @fastify/static, whose routes take no options

for (const wildcard of [true, false]) {
  t.test(`files are neutral by an onRoute hook, and any route may send one, with wildcard: ${wildcard}`, async (t) => {
    const app = bareApp(t)
    app.addHook('onRoute', (route) => { if (route.url.startsWith('/files')) route.versioning = false })
    const lifecycle = { v1: { deprecated: '2026-01-01' } }
    await app.register(versioning, { ...byHeader, defaultVersion: 'v1', lifecycle })
    await app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/files/', wildcard })
    app.get('/orders', { version: 'v1' }, (_request, reply) => reply.sendFile('caches.test.ts'))
    app.get('/missing', (_request, reply) => reply.sendFile('missing.ts'))
    for (const method of ['GET', 'HEAD'] as const) {
      const request = { method, url: '/files/caches.test.ts', headers: { 'api-version': 'v9' } }
      const { statusCode, headers } = await app.inject(request)
      t.same([statusCode, headers.vary, headers.deprecation], [200, undefined, undefined])
    }
    t.equal((await app.inject('/files/missing.ts')).statusCode, 404)
    const sent = await app.inject('/orders')
    t.match(sent.body, 'MemoryCacheStore')
    t.same([varyOf(sent), sent.headers.deprecation], [['api-version'], '@1767225600'])
    const missing = await app.inject('/missing')
    t.same([missing.statusCode, varyOf(missing)], [404, ['api-version']])
  })
}

for (const order of orders) {
  t.test(`a document is the same as without the plugin, with swagger ${order}`, async (t) => {
    const register = (app: FastifyInstance) => app.register(swagger, { exposeHeadRoutes: true } as object)
    const apps = [await appInOrder(t, order, byQuery, register), bareApp(t)]
    await register(apps[1]!)
    const documents = await Promise.all(apps.map(async (app) => {
      const schema = { operationId: 'booking', params: { type: 'object', properties: { id: { type: 'integer' } } } }
      app.get('/bookings/:id', { name: 'booking', schema, config: { mine: true } as object }, async () => '')
      app.put('/bookings/:id', async () => '')
      app.get('/health', { versioning: false, schema: { tags: ['ops'] } }, async () => '')
      await app.ready()
      return app.swagger()
    }))
    t.strictSame(...documents as [object, object])
  })
}

// @fastify/rate-limit

async function statusesOf (app: FastifyInstance, urls: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const url of urls) statuses.push((await app.inject(url)).statusCode)
  return statuses
}

for (const order of orders) {
  t.test(`a limit may depend on the version, and refusals do not count, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, (app) => app.register(rateLimit, {
      keyGenerator: ({ ip, version }) => `${ip} ${version}`, max: ({ version }) => version === 'v2' ? 2 : 1
    }))
    app.get('/bookings', version)
    const urls = ['v9', 'v1', 'v9', 'v1', 'v2', 'v2', 'v2'].map((version) => `/bookings?version=${version}`)
    t.same(await statusesOf(app, urls), [404, 200, 404, 429, 200, 200, 429])
  })
}

t.test('a limit in a hook before the plugin counts everything, and does not know the version', async (t) => {
  const versions: unknown[] = []
  const app = await appInOrder(t, BEFORE, byQuery, async (app) => {
    await app.register(rateLimit, {
      global: false, max: 3, keyGenerator: ({ version }) => { versions.push(version); return '' }
    })
    app.addHook('onRequest', app.rateLimit())
  })
  app.get('/bookings', { config: { rateLimit: false } }, version)
  const urls = ['/bookings?version=v9', '/nowhere', '/bookings?version=v1', '/bookings?version=v1']
  t.same(await statusesOf(app, urls), [404, 404, 200, 429])
  t.same(versions, Array(4).fill(null))
})

t.test('one hook is one limit for the handlers of all versions', async (t) => {
  const app = await appInOrder(t, BEFORE, byQuery, (app) => app.register(rateLimit, { global: false }))
  const onRequest = app.rateLimit({ max: 1 })
  for (const version of allowedVersions) app.get('/bookings', { version, onRequest }, async () => version)
  t.same(await statusesOf(app, ['/bookings?version=v1', '/bookings?version=v2']), [200, 429])
})

// @fastify/multipart

/** Texts and files by the names of their fields. */
type Fields = Readonly<Record<string, string | { readonly filename: string, readonly text: string }>>

/** A form as a multipart body, in a version that the header `api-version` names. */
function formIn (version: string, url: string, fields: Fields) {
  const parts = Object.entries(fields).map(([name, field]) => {
    const [more, text] = typeof field === 'string' ? ['', field] : [`; filename="${field.filename}"`, field.text]
    return `--form\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`
  })
  return {
    method: 'POST',
    url,
    headers: { 'api-version': version, 'content-type': 'multipart/form-data; boundary=form' },
    payload: `${parts.join('')}--form--\r\n`
  } satisfies InjectOptions
}

const bookingWith = (name: string, schema: object) => (
  { type: 'object', required: [name], properties: { [name]: schema }, additionalProperties: true }
)

/** @param part what a field of a form is in the body */
function renamed (part: object): Change {
  return {
    version: 'v2',
    description: 'A guest has a name.',
    schemas: {
      Guest: { older: bookingWith('guest', part), upgrade: ({ guest, ...rest }) => ({ ...rest, name: guest }) }
    }
  }
}

const text = { type: 'string', maxLength: 5 }
const forms = [
  { attachFieldsToBody: 'keyValues' as const, part: text, refused: 'body/guest' },
  { attachFieldsToBody: true, part: bookingWith('value', text), refused: 'body/guest/value' }
]
for (const order of orders) {
  for (const { attachFieldsToBody, part, refused } of forms) {
    t.test(`forms are upgraded with attachFieldsToBody: ${attachFieldsToBody}, with multipart ${order}`, async (t) => {
      const app = await appInOrder(t, order, { ...byHeader, changes: [renamed(part)] }, (app) => (
        app.register(multipart, { attachFieldsToBody })
      ))
      app.addSchema({ $id: 'Guest', ...bookingWith('name', part) })
      app.post('/guests', { schema: { body: { $ref: 'Guest#' }, response: { 200: {} } } }, async ({ body }) => {
        const { name, note } = body as Record<string, { value?: string, toBuffer?: () => Promise<Buffer> }>
        return [name?.value ?? name, String(await note?.toBuffer?.() ?? note)]
      })
      const file = { filename: 'a.txt', text: 'a note' }
      for (const [version, name] of [['v1', 'guest'], ['v2', 'name']] as const) {
        const response = await app.inject(formIn(version, '/guests', { [name]: 'Ada', note: file }))
        t.same(response.json(), ['Ada', 'a note'], version)
      }
      t.match((await app.inject(formIn('v1', '/guests', { guest: 'Adelaide' }))).json(), {
        statusCode: 400, message: `${refused} must NOT have more than 5 characters`
      })
    })
  }
}

t.test('a handler that reads a form by itself gets it as the client sent it', async (t) => {
  const app = await appInOrder(t, AFTER, { ...byHeader, changes: [renamed(text)] }, (app) => app.register(multipart))
  app.addSchema({ $id: 'Guest', ...bookingWith('name', text) })
  const body = { content: { 'application/json': { schema: { $ref: 'Guest#' } } } }
  app.post('/guests', { schema: { body, response: { 200: {} } } }, async (request) => {
    const names: string[] = []
    for await (const part of request.parts()) names.push(part.fieldname)
    return names
  })
  t.same((await app.inject(formIn('v1', '/guests', { guest: 'Ada' }))).json(), ['guest'])
})

// @fastify/websocket

/** The port of an app whose routes for upgrades say their version and a link to themselves. */
async function listening (t: Test, options: VersioningOptions): Promise<number> {
  const app = await appInOrder(t, BEFORE, options, (app) => app.register(websocket))
  for (const [url, versioning] of [['/feed', undefined], ['/neutral', false]] as const) {
    app.get(url, { websocket: true, ...versioning === false && { versioning } }, (socket, request) => {
      socket.send(JSON.stringify([request.version, request.versioningScheme?.reverse(null, { request }) ?? null]))
    })
  }
  // Nothing else closes a socket whose upgrade was refused, and the app would not close either.
  app.server.on('connection', (socket) => t.teardown(() => socket.destroy()))
  t.teardown(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

const upgrades: [what: string, options: VersioningOptions, path: string, accept: string, message: unknown][] = [
  ['has the version of its query', byQuery, '/feed?version=v2', '*/*', ['v2', '/feed?version=v2']],
  ['has the default version', { ...byQuery, defaultVersion: 'v1' }, '/feed', '*/*', ['v1', '/feed?version=v1']],
  ['has the version of its Accept header', byAccept, '/feed', 'a/b; version=v2', ['v2', '/feed']],
  ['of a neutral route has no version', byQuery, '/neutral?version=v9', '*/*', [null, null]]
]
for (const [what, options, path, accept, message] of upgrades) {
  t.test(`an upgrade ${what}`, async (t) => {
    const client = new WebSocket(`ws://127.0.0.1:${await listening(t, options)}${path}`, { headers: { accept } })
    const [data] = await once(client, 'message')
    client.terminate()
    t.same(JSON.parse(String(data)), message)
  })
}

t.test('a refused upgrade has the status and the Vary of a refusal, and its connection is closed', async (t) => {
  const socket = connect(await listening(t, byAccept), '127.0.0.1')
  socket.write([
    'GET /feed HTTP/1.1', 'Host: example.com', 'Accept: a/b; version=v9', 'Connection: Upgrade', 'Upgrade: websocket',
    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''
  ].join('\r\n'))
  let answer = ''
  for await (const bytes of socket) answer += String(bytes)
  t.match(answer, /^HTTP\/1.1 406 [^]*\r\nvary: Accept\r\n/i)
})

const late = (text: string) => `FST_WARN_VERSION_SETTINGS: Register @fastify/${text}.`
for (const [says, order, options, ...expected] of [
  ['after the plugin', AFTER, byQuery,
    late('websocket before fastify-versioning. Otherwise the connection of a refused upgrade stays open'),
    late('cors before fastify-versioning. Otherwise refusals lack its headers, so that browsers hide them')],
  ['after the plugin, which refuses nothing,', AFTER, {}],
  ['before the plugin', BEFORE, byQuery]
] as const) {
  t.test(`websocket and cors registered ${says} cause ${expected.length} warnings`, async (t) => {
    const app = await appInOrder(t, order, options, async (app) => {
      await app.register(websocket)
      await app.register(cors)
    })
    t.same(await warningsDuring(t, async () => app.ready()), expected)
  })
}

t.test('a context of the plugin is warned of cors that the root gets later', async (t) => {
  const app = bareApp(t)
  app.register(async (context) => {
    await context.register(versioning, byQuery)
    context.get('/a', version)
  })
  app.register(cors)
  t.same(await warningsDuring(t, async () => app.ready()), [
    late('cors before fastify-versioning. Otherwise refusals lack its headers, so that browsers hide them')
  ])
})

// A list of changes

/** One handler, and changes of its body, its query and its errors. */
const CHANGED: Case = {
  scheme: 'header',
  place: 'direct',
  ops: [{ op: 'wrap', field: 'a', to: 'a' }, { op: 'rename', field: 'c', to: 'd' }],
  errors: 1,
  pages: 2,
  own: 7,
  texts: ['Ada', '7'],
  withResponse: true,
  failures: '4xx',
  setting: 'none',
  fate: 'none',
  at: 0,
  byDefault: 0
}
/** Valid in v1 and v2, in v3, and in none. */
const FORMS = [{ a: 'Ada', b: '7', c: 'x' }, { a: 'Ada', b: '7', d: 'x' }, { a: 'Ada' }]

t.test('an API with changes answers like one written by hand, with all of these in either order', async () => {
  const register = async (app: FastifyInstance) => {
    await app.register(multipart, { attachFieldsToBody: 'keyValues' })
    await app.register(compress, { threshold: 0 })
    await app.register(rateLimit, { max: 100, keyGenerator: ({ version, url }) => `${version} ${url}` })
    for (const one of [cors, etag, helmet]) await app.register(one as typeof etag)
  }
  for (const setting of [{ before: register }, { prepare: register }]) {
    const api = new Api(CHANGED, setting)
    const headers = { 'accept-encoding': 'gzip', origin: 'https://example.com' }
    const forms = api.versions.flatMap((version) => FORMS.map((fields) => formIn(version, '/things', fields)))
    const requests = api.requests.map((request) => ({ ...request, headers: { ...request.headers, ...headers } }))
    await compareTwins(api, [...requests, ...forms])
  }
})

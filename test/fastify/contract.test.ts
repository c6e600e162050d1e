// What this project bets on: Fastify, its router and its plugins do it, and do not promise it. A test that fails says
// which bet is lost. With FASTIFY as the path of another copy (npm run test:matrix), the tests are about that one.
import { once } from 'node:events'
import { connect } from 'node:http2'
import { createRequire } from 'node:module'
import process from 'node:process'
import { Readable } from 'node:stream'

import fp from 'fastify-plugin'
import t from 'tap'
import { z } from 'zod'

import { zodCopy, zodKeywordsOf } from '../../src/changes/zod.ts'
import { fastifyPartsOf } from '../../src/fastify/compilers.ts'
import { declaredBefore } from '../../src/fastify/declared-before.ts'
import { hasDefaultErrorHandler, notFoundReader } from '../../src/fastify/error-handler.ts'
import { isAddedHead } from '../../src/fastify/head-route.ts'
import { putField, textIn, watchHead } from '../../src/fastify/response-head.ts'
import { wrapRequestSerializer } from '../../src/fastify/request-serializer.ts'
import { configReader } from '../../src/fastify/route-config.ts'
import { functionsOf, hasOnRequestHooks } from '../../src/fastify/route-functions.ts'
import { joined } from '../../src/fastify/router-handlers.ts'
import { routerOptionsOf } from '../../src/fastify/router-options.ts'
import { serializerCompilerOf } from '../../src/fastify/serializer-compiler.ts'
import { hookSkipper, skippableHook } from '../../src/fastify/skipped-hooks.ts'
import { standInForSwagger } from '../../src/fastify/swagger-ui.ts'
import { swaggerDocumentOf } from '../../src/fastify/swagger.ts'
import { isFromTrustedProxy, trustsProxy } from '../../src/fastify/trusted-proxy.ts'

import type { FastifyInstance, FastifyServerOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { IncomingMessage as RawRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http2'
import type { Handlers } from '../../src/fastify/router-handlers.ts'

const Fastify = createRequire(import.meta.url)(process.env.FASTIFY ?? 'fastify') as typeof import('fastify').default
const { version } = Fastify()

function appOf (t: Test, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(options)
  t.teardown(() => app.close())
  return app
}

const handler = async () => ({ name: 'Ada', secret: 'x' })

t.test(`Fastify ${version} gives the HEAD route that it adds an onSend hook of the known name`, async (t) => {
  const app = appOf(t)
  const seen: string[] = []
  app.addHook('onRoute', (route) => {
    seen.push(`${String(route.method)} ${route.url} ${isAddedHead([route.method].flat(), route)}`)
  })
  app.head('/own', handler)
  app.get('/own', handler)
  app.get('/added', { onSend: async () => {} }, handler)
  await app.ready()
  t.same(seen, ['HEAD /own false', 'GET /own false', 'GET /added false', 'HEAD /added true'])
})

t.test(`Fastify ${version} shows which handler callNotFound() calls`, async (t) => {
  const app = appOf(t)
  app.get('/', async (_request, reply) => notFoundReader(app)(reply))
  app.register(async (context) => {
    context.setNotFoundHandler(handler)
    context.get('/', async (_request, reply) => notFoundReader(context)(reply))
  }, { prefix: '/own' })
  t.same([(await app.inject('/')).json(), (await app.inject('/own')).json()], [true, false])
  const within = appOf(t)
  within.setNotFoundHandler(async (_request, reply) => notFoundReader(within)(reply))
  t.equal((await within.inject('/')).json(), false)
})

t.test(`Fastify ${version} shares the serializer of requests with the loggers that it makes for them`, async (t) => {
  const lines: string[] = []
  const app = appOf(t, { logger: { stream: { write: (line: string) => lines.push(line) } } })
  for (const server of [app, appOf(t)]) {
    wrapRequestSerializer(server, (serialize) => (request) => ({ ...serialize(request) as object, isWrapped: true }))
  }
  app.get('/', handler)
  app.get('/own', { logSerializers: { note: String } }, handler)
  for (const url of ['/', '/own']) await app.inject(url)
  const logged = lines.map((line) => JSON.parse(line).req).filter((req) => req !== undefined)
  t.match(logged, [{ url: '/', isWrapped: true }, { url: '/own', isWrapped: true }])
})

t.test(`Fastify ${version} has the hooks of a context, and of those around it, under a symbol`, async (t) => {
  const app = appOf(t)
  const [outer, inner] = [async () => {}, async () => {}]
  app.addHook('onRequest', outer)
  let context = app
  app.register(async (child) => {
    context = child
    child.addHook('preHandler', inner)
  })
  await app.ready()
  t.strictSame(functionsOf({ options: {}, server: context }), [outer, inner])
  t.strictSame(functionsOf({ options: {}, server: app }), [outer])
})

t.test(`Fastify ${version} says whether a context has onRequest hooks by now`, async (t) => {
  const app = appOf(t)
  t.notOk(hasOnRequestHooks(app))
  await app.register(async (child) => {
    child.addHook('onRequest', async () => {})
    await child.register(async (below) => t.ok(hasOnRequestHooks(below)))
  })
  t.notOk(hasOnRequestHooks(app))
})

const UNWATCHED = { reply: null, complete: null, writeHead: null, setHeader: null, outer: null, isComplete: false }

for (const http2 of [false, true]) {
  t.test(`Fastify ${version} writes heads by writeHead() of Node's response, with HTTP/2: ${http2}`, async (t) => {
    const app = appOf(t, { http2 } as object)
    const seen: unknown[] = []
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('vary', 'A')
      watchHead({ ...UNWATCHED }, reply, (watched, status, fields) => {
        seen.push([watched === reply, status, textIn(reply, fields, 'vary'), textIn(reply, fields, 'x-none')])
        return putField(reply, fields, 'vary', 'A, B')
      })
    })
    const whole = async () => 'whole'
    app.get('/whole', whole)
    app.get('/none', (_request, reply) => { reply.code(204).send() })
    app.get('/failed', { onSend: async () => { throw new Error('failed') } }, whole)
    app.get('/stream', async () => Readable.from(['a', 'b']))
    app.get('/web', async () => new Response('web', { status: 201 }))
    app.get('/raw', (_request, { raw }) => { raw.end('raw') })
    app.get('/head', (_request, { raw }) => { raw.writeHead(202, { Vary: 'A' }).end() })
    for (const [url, status, before] of [
      ['whole', 200, 'A'], ['none', 204, 'A'], ['failed', 500, 'A'], ['stream', 200, 'A'], ['web', 201, 'A'],
      ['raw', 200, ''], ['head', 202, 'A']
    ] as const) {
      seen.length = 0
      const response = http2 ? await answerTo(t, app, `/${url}`) : await app.inject(`/${url}`)
      t.same(seen, [[true, status, before, '']], url)
      t.same([response.statusCode, response.headers.vary], [status, 'A, B'], url)
    }
  })
}

/** An answer over HTTP/2. */
async function answerTo (t: Test, app: FastifyInstance, path: string) {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const session = connect(app.listeningOrigin)
  t.teardown(() => session.destroy())
  const stream = session.request({ ':path': path })
  const [headers] = await once(stream, 'response') as [IncomingHttpHeaders]
  await stream.resume().toArray()
  return { statusCode: headers[':status'], headers }
}

t.test(`Fastify ${version} finds hooks in the context of a request, which may become another one`, async (t) => {
  const app = appOf(t)
  const { skip, skipOnSend, restore } = hookSkipper(app)
  const ran: string[] = []
  const noting = (name: string) => async () => { ran.push(name) }
  const names = ['preValidation', 'preHandler', 'preSerialization', 'onSend'] as const
  const both = (name: string) => [skippableHook(noting(`${name}?`)), noting(name)]
  app.addHook('onRequest', async (request) => { if (request.headers['x-skip'] !== undefined) skip(request) })
  app.addHook('preHandler', async (request) => { if (request.headers['x-restore'] !== undefined) restore(request) })
  app.addHook('preHandler', async (request) => { if (request.headers['x-unsent'] !== undefined) skipOnSend(request) })
  app.addHook('onSend', skippableHook(noting('of the app?')))
  const hooks = Object.fromEntries(names.map((name) => [name, both(name)]))
  app.get('/', hooks, async ({ routeOptions }) => routeOptions.config)
  app.get('/failed', { onError: both('onError') as never }, async () => { throw new Error('failed') })
  const all = names.flatMap((name) => name === 'onSend' ? ['of the app?', 'onSend?', name] : [`${name}?`, name])
  for (const [url, headers, expected] of [
    ['/', {}, all], ['/', { 'x-skip': '1' }, names], ['/', { 'x-skip': '1' }, names], ['/', {}, all],
    ['/', { 'x-skip': '1', 'x-restore': '1' }, ['preValidation', 'preHandler', ...all.slice(4)]],
    ['/', { 'x-restore': '1' }, all], ['/', { 'x-unsent': '1' }, [...all.slice(0, 6), 'onSend']],
    ['/failed', {}, ['onError?', 'onError', 'of the app?']], ['/failed', { 'x-skip': '1' }, ['onError']]
  ] as const) {
    ran.length = 0
    const { body } = await app.inject({ url, headers })
    t.same([ran, JSON.parse(body).url], [expected, url === '/' ? url : undefined], url)
  }
})

t.test(`Fastify ${version} has the config of the route under the symbol of its context`, async (t) => {
  const app = appOf(t)
  const configOf = configReader(app)
  const seen: unknown[] = []
  app.addHook('onRequest', async (request) => { seen.push(configOf(request) === request.routeOptions.config) })
  app.register(async (child) => {
    child.decorateRequest('own', null)
    child.get('/child', { config: { own: 1 } as object }, handler)
  })
  for (const url of ['/child', '/unknown']) await app.inject(url)
  t.same(seen, [true, true])
})

t.test(`Fastify ${version} keeps how its router reads URLs`, async (t) => {
  const byDefault = {
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    ignoreTrailingSlash: false,
    maxParamLength: 100,
    querystringParser: null,
    useSemicolonDelimiter: false
  }
  t.same(routerOptionsOf(appOf(t)), byDefault)
  const given = { caseSensitive: false, ignoreDuplicateSlashes: true, maxParamLength: 0, querystringParser: () => ({}) }
  // Fastify 5.0 writes into the options that it gets.
  t.same(routerOptionsOf(appOf(t, { ...given })), { ...byDefault, ...given, maxParamLength: 100 })
})

t.test(`Fastify ${version} calls its own error handler "defaultErrorHandler"`, async (t) => {
  const app = appOf(t)
  t.ok(hasDefaultErrorHandler(app, {}))
  t.notOk(hasDefaultErrorHandler(app, { errorHandler: () => {} }))
  await app.register(async (child) => {
    child.setErrorHandler(() => {})
    t.notOk(hasDefaultErrorHandler(child, {}))
  })
})

t.test(`Fastify ${version} gives requests "ips" under trustProxy alone`, async (t) => {
  t.notOk(trustsProxy(appOf(t)))
  t.ok(trustsProxy(appOf(t, { trustProxy: true })))
  t.ok(trustsProxy(appOf(t, { trustProxy: '127.0.0.1' })))
})

for (const trustProxy of [false, '10.0.0.1', '127.0.0.1']) {
  t.test(`Fastify ${version} reads a copied request as its own: trustProxy ${trustProxy}`, async (t) => {
    const app = appOf(t, { trustProxy })
    app.get('/', async (request) => [isFromTrustedProxy(request), request.host === 'forwarded'])
    // Fastify 5.0 trusts the header of any sender as soon as it trusts a proxy.
    const [isTrusted, ofFastify] = (await app.inject({ url: '/', headers: { 'x-forwarded-host': 'forwarded' } })).json()
    t.equal(isTrusted, ofFastify)
    t.equal(isTrusted, trustProxy !== false && (trustProxy === '127.0.0.1' || version === '5.0.0'))
  })
}

t.test(`Fastify ${version} draws the routes that an app has already`, async (t) => {
  const app = appOf(t)
  t.equal(declaredBefore(app), null)
  app.options('*', handler)
  t.equal(declaredBefore(app), null, 'preflights do not count')
  app.get('/bookings/:id', handler)
  t.match(declaredBefore(app), /bookings\/[\s\S]*\(GET/)
  app.register(async (child) => { t.equal(declaredBefore(child), null, 'a context does not say whose they are') })
  await app.ready()
})

t.test(`Fastify ${version} has the symbols by which changes find compilers and formatters`, async (t) => {
  const app = appOf(t)
  const format = () => new Error('x')
  app.setSchemaErrorFormatter(format)
  app.setReplySerializer(() => 'by the context')
  const parts = fastifyPartsOf(app)
  app.get('/', async (_request, reply) => {
    reply.serializer(() => 'by the reply')
    t.type(parts.serializerOf(reply), 'function')
    return {}
  })
  t.equal((await app.inject('/')).body, 'by the reply')
  t.equal(parts.formatterOf(app)([], 'body').message, 'x')
  t.type(parts.contextSerializerOf(app), 'function')
})

t.test(`Fastify ${version} makes the compiler of a context with the schemas of that context`, async (t) => {
  const app = appOf(t)
  await app.register(async (child) => {
    child.addSchema({ $id: 'Guest', type: 'object', properties: { name: { type: 'string' } } })
    let compiled = 0
    child.get('/', {
      exposeHeadRoute: false,
      schema: { response: { 200: { $ref: 'Guest#' } } },
      serializerCompiler: (route) => {
        compiled++
        return serializerCompilerOf(child)(route)
      }
    }, handler)
    child.addHook('onReady', async () => { t.equal(compiled, 1, 'it compiles before onReady') })
  })
  t.same((await app.inject('/')).json(), { name: 'Ada' })
})

t.test(`Fastify ${version} runs what waits for avvio after all onRoute hooks of a route, and before it reads the route`,
  async (t) => {
    const app = appOf(t)
    const order: string[] = []
    app.addHook('onRoute', (route) => {
      if (route.method !== 'GET') return
      app.after(() => {
        order.push('after')
        route.onSend = async () => { order.push('onSend') }
      })
    })
    app.addHook('onRoute', ({ method }) => { if (method === 'GET') order.push('onRoute') })
    app.get('/', handler)
    await app.inject('/')
    t.same(order, ['onRoute', 'after', 'onSend'])
  })

t.test(`the router of Fastify ${version} takes the last of several handlers that all constraints allow`, async (t) => {
  const app = appOf(t)
  const all = new Map<string, Handlers>()
  app.addConstraintStrategy({
    name: 'probe',
    storage: () => ({
      get: (asked: string) => asked === 'all' ? joined([...all.values()]) : all.get(asked) ?? 0,
      set: (name: string, handlers: Handlers) => { all.set(name, handlers) }
    }),
    deriveConstraint: ({ headers }: RawRequest) => headers.probe
  } as never)
  for (const probe of ['a', 'b']) {
    app.get('/', { constraints: { probe, ...probe === 'b' && { host: 'example.com' } } }, async () => probe)
  }
  const answer = async (probe: string, host = 'localhost') => {
    const { statusCode, body } = await app.inject({ url: '/', headers: { probe, host } })
    return statusCode === 200 ? body : String(statusCode)
  }
  t.equal(await answer('a'), 'a')
  t.equal(await answer('all'), 'a', 'the host rules the other one out')
  t.equal(await answer('all', 'example.com'), 'b')
  t.equal(await answer('none'), '404')
})

t.test('@fastify/swagger makes a document of the routes that a stand-in for the app shows it', async (t) => {
  const app = appOf(t)
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => { if (route.method === 'GET') routes.push(route) })
  const schema = { response: { 200: { $ref: 'Booking#' } } }
  app.get('/bookings/:id', { schema, serializerCompiler: () => String }, handler)
  await app.ready()
  const options = { openapi: { openapi: '3.1.0' }, refResolver: { buildLocalReference: () => 'Booking' } }
  const schemas = { Booking: { $id: 'Booking', type: 'object' } }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Booking' } } }
  t.match(swaggerDocumentOf(routes, schemas, options, false), {
    openapi: '3.1.0',
    paths: { '/bookings/{id}': { get: { responses: { 200: { content } } } } },
    components: { schemas: { Booking: { type: 'object' } } }
  })
  t.match(swaggerDocumentOf(routes, schemas, options, true), /^openapi: 3\.1\.0$/m)
})

t.test('@fastify/swagger-ui takes a stand-in for @fastify/swagger, its two documents and its options are replaced',
  { skip: process.env.FASTIFY !== undefined && 'it is about the installed versions' }, async (t) => {
    const app = appOf(t)
    const { default: swaggerUi } = await import('@fastify/swagger-ui')
    app.register(async (child) => {
      await standInForSwagger(child, '/documentation', (format) => async () => `ours as ${format}`, (script) => (
        script.replace('"name":"v1"', '"name":"v2"')
      ))
      await child.register(swaggerUi, { routePrefix: '/documentation', uiConfig: { name: 'v1' } as object })
    })
    t.equal((await app.inject('/documentation/json')).body, 'ours as json')
    t.equal((await app.inject('/documentation/yaml')).body, 'ours as yaml')
    t.match((await app.inject('/documentation/static/swagger-initializer.js')).body, 'const config = {"name":"v2"}')
  })

t.test('fastify-plugin lets a plugin be named as another one requires it', async (t) => {
  const app = appOf(t)
  await app.register(fp(async () => {}, { name: '@fastify/swagger' }))
  t.ok(app.hasPlugin('@fastify/swagger'))
})

t.test('Zod keeps the definition of a schema, and makes a copy from another definition', async (t) => {
  const schema = z.object({ name: z.string(), tags: z.array(z.string()).optional() })
  t.match(zodKeywordsOf(schema as never), { type: 'object', required: ['name'] })
  for (const [rest, catchall] of [[false, z.never()], [true, z.any()], [true, z.unknown()]] as const) {
    t.equal(zodKeywordsOf(z.object({}).catchall(catchall) as never).additionalProperties, rest)
  }
  const number = z.number()
  t.equal(zodKeywordsOf(z.object({}).catchall(number) as never).additionalProperties, number)
  const copy = zodCopy(schema as never, (part) => part === schema.shape.name ? z.number() : part)
  t.same(copy.safeParse({ name: 1 }).data, { name: 1 })
  t.ok(copy.safeParse({ name: 'Ada' }).error)
})

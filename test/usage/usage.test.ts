import websocket from '@fastify/websocket'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:http2'
import { text as textOf } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import t from 'tap'

import versioning, {
  BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import usage from '../../src/usage/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { ReverseOptions, VersioningOptions } from '../../types/index.d.ts'
import type { ClientUsage, UsageOptions, UsageRow, UsageStore } from '../../types/usage.d.ts'

const NOON = Date.parse('2026-11-28T12:00Z')
const DAY = 86_400_000
const text = { type: 'string' }
const Booking = {
  $id: 'Booking', type: 'object', required: ['guests'], properties: { guests: { type: 'array', items: text } }
}
const older = { type: 'object', required: ['guest'], properties: { guest: text } }
const changes = [{
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    Booking: { older, downgrade: ({ guests, ...rest }: { guests: string[] }) => ({ ...rest, guest: guests[0] }) }
  }
}]

type Declare = (app: FastifyInstance) => unknown
type Asked = { Params: { id: string }, Body: { url: number, params: number } | undefined }
type Handler = (request: FastifyRequest<Asked>, reply: FastifyReply) => unknown

const HEADER = ['api', 'version'].join('-')
const isRare = (fields: unknown) => Object(fields).rare !== undefined

const service = (request: { readonly version: string | null }) => request.version === 'v1'

const declareAll: Declare = (app) => {
  app.addSchema(Booking)
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({ guests: ['Ada'] }))
  app.get('/rooms', async () => [])
  app.get('/prices', { version: 'v1' }, async () => 1)
  app.get('/prices', { version: 'v2' }, async () => 2)
  app.get('/asking', async (request) => service(request))
  app.get('/open', async () => 1)
  app.get('/open', { version: 'v1' }, async () => 2)
}

/** As options of the plugin. */
const header = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
const ending = { ...header, lifecycle: { v1: { sunset: '2030-01-01' } } }

const declareRooms: Declare = (app) => app.get('/rooms', async () => [])

async function appFor (
  t: Test, declare: Declare, options: UsageOptions = {}, more: Partial<VersioningOptions> = {}, documents = false
): Promise<FastifyInstance> {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2026-12-31' } },
    now: () => NOON,
    ...more
  })
  if (documents) await app.register(openapi, { ui: false })
  await app.register(usage, { client: ({ headers }) => headers['x-account'] as string, ...options })
  await declare(app)
  await app.ready()
  return app
}

/** An app without routes, and what it logs. */
async function loggingApp (t: Test) {
  const lines: { readonly msg: string, readonly err?: Error }[] = []
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
  const app = bareApp(t, { logger: { level: 'warn', stream } })
  await app.register(versioning, ending)
  return { app, lines }
}

async function call (
  app: FastifyInstance, account: string | null, url: string, version: string | null = 'v1', times = 1
): Promise<void> {
  const headers = { ...account !== null && { 'x-account': account }, ...version !== null && { 'api-version': version } }
  for (let i = 0; i < times; i++) await app.inject({ url, headers })
}

/** What a client has called, once a call is counted. */
async function questionOf (app: FastifyInstance, client: string): Promise<ClientUsage> {
  for (;;) {
    const found = await app.versionUsage.of(client)
    if (found.versions.length > 0) return found
    await nextTurn()
  }
}

/** A store that has what it was given. */
function keeping (rows: UsageRow[] = []): UsageStore & { readonly rows: UsageRow[] } {
  return { rows, add: (more) => { rows.push(...more) }, read: () => rows }
}

for (const documents of [true, false]) {
  t.test(`a client may be moved where nothing differs, ${documents ? 'with' : 'without'} documents`, async (t) => {
    const app = await appFor(t, declareAll, {}, { changes }, documents)
    const calls = { acme: '/bookings', bolt: '/rooms', core: '/prices', dora: '/asking' }
    for (const [account, url] of Object.entries(calls)) {
      await call(app, account, url, 'v1', 100)
      await call(app, 'echo', url, 'v2', 100)
    }
    t.same(await app.versionUsage.movable('v1', 'v2'), { clients: ['bolt'], others: ['acme', 'core', 'dora'] })
    const { affected: [booking], status, by, isMovable } = await app.versionUsage.of('acme')
    t.same([status, by?.toISOString().slice(0, 10), isMovable], ['fix', '2026-12-31', false])
    t.same(booking.changes.map(({ description }) => description), ['A booking has several guests.'])
    t.same(booking.differences, documents ? ['`guest` is no longer in the response'] : [])
    const { affected } = await app.versionUsage.of('core')
    t.match(affected, [{ url: '/prices', reason: 'Another handler answers in v2.' }])
    t.match((await app.versionUsage.of('dora')).unknown, [{ url: '/asking' }])
    t.match(await app.versionUsage.of('echo'), { status: 'ok', isMovable: null, affected: [] })
    t.match(await app.versionUsage.of('nobody'), { status: 'ok', versions: [] })
    const { leaving, movable, versions } = await app.versionUsage.summary()
    t.same([leaving, movable], [4, 1])
    t.same(versions.map(({ calls, clients, movable }) => [calls, clients, movable]), [[400, 4, 1], [400, 1, 0]])
  })
}

t.test('a question about a client that has made no call says so, with a name that is near', async (t) => {
  const app = await appFor(t, declareRooms)
  await call(app, 'acme', '/rooms')
  const messageOf = async (client: string) => (await app.versionUsage.of(client)).message
  t.equal(await messageOf('acme'), null)
  t.match(await messageOf('acm'), /^No served call of 'acm' since \d{4}-\d\d-\d\d\. Did you mean 'acme'\?$/)
  t.match(await messageOf('someone else'), /^No served call of 'someone else' since \d{4}-\d\d-\d\d\.$/)
})

t.test('a client whose requests are all refused has no served call, and no other name', async (t) => {
  const app = await appFor(t, declareRooms)
  await call(app, 'b', '/rooms', 'v9')
  await call(app, null, '/rooms')
  t.match(await app.versionUsage.of('b'), { message: /^No served call of 'b' since \d{4}-\d\d-\d\d\.$/ })
})

t.test('a route is unknown until 100 of its requests have been watched in either version', async (t) => {
  const app = await appFor(t, declareRooms)
  for (const [version, times, status] of [
    ['v1', 100, 'unknown'], ['v2', 99, 'unknown'], ['v2', 1, 'unaffected']
  ] as const) {
    await call(app, 'acme', '/rooms', version, times)
    t.equal((await app.versionUsage.of('acme'))[status].length, 1, `${times} in ${version}`)
  }
})

for (const [what, handler] of [
  ['a refusal of the app', async (_request, reply) => await reply.code(401).send({})],
  ['a redirect', async (_request, reply) => await reply.redirect('/login')],
  ['a response that is hijacked and destroyed', async (_request, reply) => {
    reply.hijack()
    reply.raw.destroy()
  }],
  ['a connection that has closed before', async (_request, reply) => {
    reply.raw.destroy()
    return reply
  }]
] as [string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>][]) {
  t.test(`${what} does not show that nothing reads the version`, async (t) => {
    const app = await appFor(t, (app) => app.get('/rooms', async (request, reply) => (
      request.headers['x-account'] === 'acme' ? service(request) : await handler(request, reply)
    )))
    for (const version of ['v1', 'v2']) {
      const headers = { 'api-version': version, 'x-account': 'bolt' }
      for (let i = 0; i < 100; i++) await app.inject({ url: '/rooms', headers }).catch(() => {})
    }
    t.match(await app.versionUsage.of('bolt'), {
      isMovable: false, unknown: [{ calls: 100, reason: 'Watched in v1: 0 of 100 successful requests.' }]
    })
  })
}

t.test('a change affects its clients if its examples do not show what it does', async (t) => {
  const thing = { type: 'object', properties: { state: text } }
  const downgrade = ({ state }: { state: string }) => ({ state: state === 'refunded' ? 'paid' : state })
  const refunds = { version: 'v2', description: 'Refunds.', schemas: { Thing: { older: thing, downgrade } } }
  for (const [state, isShown] of [['paid', false], ['refunded', true]] as const) {
    const app = await appFor(t, (app) => {
      app.addSchema({ $id: 'Thing', ...thing, examples: [{ state }] })
      app.get('/things', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => ({ state: 'refunded' }))
    }, {}, { changes: [refunds] }, true)
    await call(app, 'acme', '/things')
    t.match(await app.versionUsage.of('acme'), { affected: [{ changes: [{ description: 'Refunds.' }] }] }, `${isShown}`)
  }
})

t.test('HEAD requests are counted and judged by themselves', async (t) => {
  const app = await appFor(t, declareRooms)
  for (const version of ['v1', 'v2']) {
    for (let i = 0; i < 100; i++) {
      await app.inject({ method: 'HEAD', url: '/rooms', headers: { 'x-account': 'acme', 'api-version': version } })
    }
  }
  t.match(await app.versionUsage.of('acme'), { unaffected: [{ method: 'HEAD', url: '/rooms', calls: 100 }] })
})

t.test('each method of a route is judged by its own requests', async (t) => {
  const app = await appFor(t, (app) => app.route({ method: ['PUT', 'PATCH'], url: '/rooms', handler: async () => 1 }))
  for (const [method, version, times] of [['PUT', 'v1', 100], ['PUT', 'v2', 100], ['PATCH', 'v1', 1]] as const) {
    const headers = { 'x-account': 'acme', 'api-version': version }
    for (let i = 0; i < times; i++) await app.inject({ method, url: '/rooms', headers })
  }
  const { unaffected, unknown } = await app.versionUsage.of('acme')
  t.match(unaffected, [{ method: 'PUT' }])
  t.match(unknown, [{ method: 'PATCH', reason: 'Watched in v1: 1 of 100 successful requests.' }])
})

/** Why a route is not known, by its declaration. */
const DOUBTS: [subject: string, declare: Declare, reason: RegExp, more?: Partial<VersioningOptions>, url?: string][] = [
  ['whose handler mentions the version in a branch', (app) => app.get('/rooms', async (request) => (
    (request.query as { rare?: string }).rare === undefined ? 1 : request.version
  )), /^The source of its handler, or of a hook, mentions the version\.$/],
  ['whose hook names the header', (app) => app.get('/rooms', {
    preHandler: async (request) => { if (request.method === 'PUT') request.log.info(request.headers['api-version']) }
  }, async () => 1), /mentions the version/],
  ['in a context with a hook that mentions the version', async (app) => await app.register(async (child) => {
    child.addHook('onSend', async (request) => { if (request.method === 'PUT') request.log.info(request.version) })
    child.get('/rooms', async () => 1)
  }), /mentions the version/],
  ['in a context with a hook that reads the version', async (app) => await app.register(async (child) => {
    child.addHook('onSend', async (request) => { service(request) })
    child.get('/rooms', async () => 1)
  }), /^A schema, handler, hook, or what they call reads the version of GET \/rooms\.$/],
  ['with a hook whose name is that of a hook of the plugin', (app) => app.get('/rooms', {
    onRequest: async function determineVersion (request) {
      if (request.method === 'PUT') request.log.info(request.version)
    }
  }, async () => 1), /mentions the version/],
  ['whose handler asks the log in a branch', (app) => app.get('/rooms', async ({ log, method }) => (
    method === 'PUT' ? (log as object as { bindings (): object }).bindings() : 1
  )), /mentions the version/, { logVersion: true }],
  ['whose error handler mentions the version', (app) => app.get('/rooms', {
    errorHandler: async (_error, { version }, reply) => await reply.send(version)
  }, async () => 1), /mentions the version/],
  ['with a hook of the app that names the header by a constant', (app) => {
    app.addHook('preHandler', async ({ headers, log, method }) => { if (method === 'PUT') log.info(headers[HEADER]) })
    app.get('/rooms', async () => 1)
  }, /mentions the version/],
  ['whose handler hands on all headers', (app) => app.get('/rooms', async ({ headers, method }) => (
    method === 'PUT' ? Object.keys(headers) : 1
  )), /mentions the version, or hands on what has it, such as request\.params: read each field by its name\.$/],
  ['that is declared twice', (app) => {
    const handler = async () => 1
    app.get('/rooms', { version: 'v1' }, handler)
    app.get('/rooms', { version: 'v2' }, handler)
  }, /^Another route with the same handler answers in v2\.$/],
  ['whose scheme is read by Fastify itself', declareRooms, /^What reads the version of HeaderVersioning, Content/, {
    scheme: [HeaderVersioning, ContentTypeVersioning]
  }],
  ['with a scheme that says nothing of its place', declareRooms, /cannot be watched\.$/, {
    scheme: class extends BaseVersioning {
      override readVersion ({ headers }: Pick<FastifyRequest, 'headers'>) { return headers['api-version'] as string }
    }
  }]
]

/** Handlers with a branch that has not run, by what they read in it: by scheme. */
const BRANCHES: Record<'header' | 'query' | 'path' | 'host', Record<string, Handler>> = {
  header: {
    'a header by a constant': async ({ headers, query }) => isRare(query) ? headers[HEADER] : 1,
    'a header by a constant, if there are headers': async ({ headers, query }) => isRare(query) ? headers?.[HEADER] : 1,
    'all headers in a call': async (request) => isRare(request.query) ? Object.values(request.raw.headers) : 1,
    'a copy of the headers': async (request) => isRare(request.query) ? { ...request.headers } : 1,
    'an argument of headers in a call': async ({ headers, query }) => isRare(query) ? Object.values(headers) : 1,
    'an argument of headers by another name': async ({ headers: all, query }) => isRare(query) ? all[HEADER] : 1,
    'an argument of headers with a default': async ({ headers = {}, query }) => isRare(query) ? headers[HEADER] : 1,
    'raw headers with a default': async ({ query, raw: { headers } = { headers: {} } }) => (
      isRare(query) ? Object.values(headers) : 1
    ),
    'all other headers': async (request) => {
      if (!isRare(request.query)) return 1
      const { host, ...others } = request.headers
      return others
    },
    'headers by another name': async (request) => {
      if (!isRare(request.query)) return 1
      const all = request.headers
      return all[HEADER]
    },
    'headers that are kept': async (request) => {
      let all: Record<string, unknown> = {}
      if (isRare(request.query)) all = request.headers
      return all
    },
    'a variable of headers in a call': async (request) => {
      const { headers } = request
      return isRare(request.query) ? JSON.stringify(headers) : 1
    }
  },
  query: {
    'the URL': async (request) => isRare(request.params) ? request.url : 1,
    'the raw URL': async (request) => isRare(request.params) ? request.raw.url : 1,
    'the original URL': async (request) => isRare(request.params) ? request.originalUrl : 1,
    'an argument of the URL': async ({ params, url }) => isRare(params) ? url : 1,
    'a variable of the URL': async (request) => {
      const { url } = request
      return isRare(request.params) ? url : 1
    },
    'a raw argument of the URL': async ({ params, raw: { url } }) => isRare(params) ? url : 1,
    'an argument of the URL after others': async ({ params: { id }, url }) => id === '8' ? url : 1,
    'the whole query': async (request) => isRare(request.params) ? JSON.stringify(request.query) : 1
  },
  path: { 'all parameters': async (request) => isRare(request.query) ? { ...request.params } : 1 },
  host: { 'the host': async (request) => isRare(request.query) ? request.hostname : 1 }
}

/** What names the same things, and does not read them. */
const PLAIN: Record<string, Handler> = {
  'other fields': async ({ headers, params, query }) => (
    [headers['x-account'], params.id, (query as { page?: string }).page]
  ),
  'nothing that has a source': Array.prototype.at.bind([1], 0) as () => unknown,
  'other fields of variables': async (request) => {
    const { headers, params } = request
    const { id } = params
    const query = request.query as { page?: string }
    if (id === '8') request.query = { page: '8' }
    return [headers.accept, query.page, Object(id).url, (() => { const query = 'select 1'; return query.length })()]
  },
  'members of the body by the same names': async ({ body: { url, params: all } = { url: 1, params: 2 } }) => [url, all],
  'variables of the body by the same names': async (request) => {
    const { url } = request.body ?? { url: 1 }
    return url
  },
  'values by the same names': async ({ params: { id } }, reply) => {
    const [query, url] = ['select 1', `https://example.com/${id}`]
    const rooms = { params: [id], room: { url } }
    reply.headers({ 'x-room': id })
    return { url: rooms.room.url, rows: [query, rooms.params] }
  }
}

const SCHEMES = {
  header: HeaderVersioning, query: QueryParameterVersioning, path: URLPathVersioning, host: HostNameVersioning
}

for (const [name, scheme] of Object.entries(SCHEMES)) {
  const handlers = Object.entries({ ...BRANCHES[name as keyof typeof SCHEMES], ...PLAIN })
  t.test(`with the version in the ${name}, branches that have not run are searched for what reads it`, async (t) => {
    const prefix = name === 'path' ? '/:version' : ''
    const app = await appFor(t, (app) => {
      for (const [i, [, handler]] of handlers.entries()) app.get(`${prefix}/${i}/:id`, handler)
    }, {}, { scheme })
    for (const version of ['v1', 'v2']) {
      const headers = { 'x-account': 'acme', 'api-version': version, host: `${version}.example.com` }
      for (const i of handlers.keys()) {
        const url = `${prefix.replace(':version', version)}/${i}/7?version=${version}`
        for (let count = 0; count < 100; count++) await app.inject({ url, headers })
      }
    }
    const { unaffected } = await app.versionUsage.of('acme')
    const found = unaffected.map(({ url }) => handlers[Number(url.split('/')[1])][0])
    t.strictSame(found, Object.keys(PLAIN))
  })
}

for (const [subject, declare, reason, more, url = '/rooms'] of DOUBTS) {
  t.test(`a route ${subject} is unknown`, async (t) => {
    const app = await appFor(t, declare, {}, more)
    for (const version of ['v1', 'v2']) await call(app, 'acme', url, version, 100)
    const { unknown: [route], isMovable } = await app.versionUsage.of('acme')
    t.match(route?.reason, reason)
    t.equal(isMovable, false)
  })
}

t.test('messages of a websocket are watched', async (t) => {
  for (const [read, isRead] of [[service, true], [({ method }: FastifyRequest) => method, false]] as const) {
    const app = bareApp(t)
    await app.register(versioning, ending)
    await app.register(websocket)
    await app.register(usage, { client: () => 'acme' })
    app.get('/chat', { websocket: true }, (socket, request) => {
      socket.on('message', () => socket.send(String(read(request))))
    })
    await app.ready()
    const socket = await app.injectWS('/chat', { headers: { 'api-version': 'v1' } })
    socket.send('Hello')
    await once(socket, 'message')
    socket.terminate()
    const { unknown: [route] } = await questionOf(app, 'acme')
    t.match(route.reason, isRead ? /reads the version of GET \/chat\.$/ : /^Watched in v1: 1 of 100 successful req/)
  }
})

t.test('a route that was declared before usage is not counted, and unknown', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, ending)
  app.get('/early', async () => 1)
  app.get('/health', { versioning: false }, async () => 1)
  const store = keeping()
  t.match(await warningsDuring(t, async () => { await app.register(usage, { client: () => 'acme', store }) }), [
    /^FST_WARN_VERSION_UNSEEN: Write "await app\.register\(usage, …\)" before the routes\. .*: GET \/early\.$/
  ])
  declareRooms(app)
  await call(app, 'acme', '/early')
  await call(app, 'acme', '/rooms')
  await app.versionUsage.summary()
  t.same(store.rows.map(({ route }) => route), ['/rooms'])
  store.rows[0] = { ...store.rows[0], route: '/early' }
  const { unknown } = await app.versionUsage.of('acme')
  t.match(unknown, [{ reason: 'It was declared before fastify-versioning/usage.' }])
})

t.test('usage in a context without routes causes a warning', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, header)
  app.register(async (child) => { await child.register(usage) })
  declareRooms(app)
  t.match(await warningsDuring(t, async () => { await app.ready() }), [
    /^FST_WARN_VERSION_UNSEEN: Register fastify-versioning\/usage in the context of the routes/
  ])
})

t.test('usage in an app that lists the newest version first is refused', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v2', 'v1'] })
  await app.register(usage)
  declareRooms(app)
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "allowedVersions": expected the oldest version first, .* a comparison of versions reads/
  })
})

t.test('a route whose versions are not listed causes a warning', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning })
  await app.register(usage)
  app.get('/rooms', { version: 'v1' }, async () => 1)
  await app.register(async (child) => {
    await child.register(versioning, { scheme: [HeaderVersioning, new QueryParameterVersioning(header)] })
    child.get('/listed', async () => 1)
  })
  t.match(await warningsDuring(t, async () => { await app.ready() }), [
    /^FST_WARN_VERSION_UNSEEN: Set "allowedVersions": .* because clients choose them: GET \/rooms\.$/
  ])
})

t.test('a route is unknown where a scheme of its list does not allow the version', async (t) => {
  const scheme = [HeaderVersioning, new QueryParameterVersioning({ allowedVersions: ['v1'] })]
  const app = await appFor(t, declareRooms, {}, { scheme })
  for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
  t.match(await app.versionUsage.of('acme'), { unknown: [{ reason: 'Not every scheme of its list allows v2.' }] })
})

t.test('routes of namespaces are others', async (t) => {
  const handler = async () => 1
  const app = await appFor(t, async (app) => {
    for (const version of ['v1', 'v2']) {
      await app.register(async (api) => { api.get('/rooms', handler) }, { prefix: `/${version}`, namespace: version })
    }
  }, {}, { scheme: NamespaceVersioning })
  for (const version of ['v1', 'v2']) await call(app, 'acme', `/${version}/rooms`, null, 100)
  const { unknown } = await app.versionUsage.of('acme')
  t.match(unknown, [{ url: '/rooms', reason: 'Another route with the same handler answers in v2.' }])
})

t.test('a version in a path with a pattern is unknown', async (t) => {
  const declare: Declare = (app) => app.get('/:version(^v\\d$)/rooms', async () => 1)
  const app = await appFor(t, declare, {}, { scheme: URLPathVersioning })
  for (const version of ['v1', 'v2']) await call(app, 'acme', `/${version}/rooms`, null, 100)
  const { unknown: [route] } = await app.versionUsage.of('acme')
  t.equal(route.reason, 'The version in its path has a pattern, which may refuse a version.')
})

t.test('the status is "fix" until the sunset, and then "overdue"', async (t) => {
  for (const [days, status] of [[31, 'fix'], [1, 'fix'], [0, 'overdue'], [-1, 'overdue']] as const) {
    const sunset = new Date(NOON + days * DAY)
    const app = await appFor(t, declareRooms, {}, { lifecycle: { v1: { sunset } }, enforceSunset: true })
    await call(app, 'bolt', '/rooms')
    const { affected, ...found } = await app.versionUsage.of('bolt')
    t.match(found, { status, by: sunset, versions: [{ gone: status === 'overdue' ? 1 : 0 }] })
    t.match(affected, status === 'overdue' ? [{ reason: 'It is retired in v1.' }] : [])
  }
})

t.test('clients with most calls in versions that they have to leave come first', async (t) => {
  const app = await appFor(t, declareRooms)
  await call(app, 'acme', '/rooms', 'v1')
  await call(app, 'acme', '/rooms', 'v2', 5)
  await call(app, 'bolt', '/rooms', 'v1', 2)
  const { clients } = await app.versionUsage.summary()
  t.same(clients.map(({ client }) => client), ['bolt', 'acme'])
})

t.test('a version that is deprecated without a sunset has to be left by no date', async (t) => {
  const app = await appFor(t, declareRooms, {}, { lifecycle: { v1: { deprecated: '2026-01-01' } } })
  await call(app, 'bolt', '/rooms')
  t.match(await app.versionUsage.of('bolt'), { status: 'fix', by: null })
})

t.test('a route that is retired itself is affected in every version', async (t) => {
  const app = await appFor(t, (app) => (
    app.get('/rooms', { deprecated: { sunset: '2027-03-01' } }, async () => 1)
  ), {}, { lifecycle: {} })
  await call(app, 'bolt', '/rooms', 'v2')
  t.match(await app.versionUsage.of('bolt'), {
    status: 'fix', affected: [{ url: '/rooms', reason: 'The route itself is retired, in every version.' }]
  })
})

t.test('what is only in one version is affected, and what the app has dropped is unknown', async (t) => {
  const store = keeping()
  const app = await appFor(t, (app) => {
    app.get('/old', { version: 'v1' }, async () => 1)
    declareRooms(app)
  }, { store })
  await call(app, 'bolt', '/old')
  await app.versionUsage.summary()
  store.rows.push({ ...store.rows[0], route: '/older' }, { ...store.rows[0], version: 'v0' })
  const { affected, unknown, versions } = await app.versionUsage.of('bolt')
  t.match(affected, [{ url: '/old', reason: 'It is not in v2.' }])
  t.match(unknown, [{ url: '/older', reason: 'The app does not have this route any more.' }])
  t.same(versions.map(({ version }) => version), ['v1'])
})

t.test('calls older than the days do not count', async (t) => {
  let now = NOON
  const app = await appFor(t, declareRooms, { days: 30 }, { now: () => now })
  await call(app, 'bolt', '/rooms')
  await app.versionUsage.summary()
  for (const [day, calls] of [[29, 1], [30, 0]]) {
    now = NOON + day * DAY
    await call(app, 'core', '/rooms', 'v2')
    t.equal((await app.versionUsage.summary()).versions[0].calls, calls)
  }
  now += 30 * DAY
  t.equal((await app.versionUsage.summary()).versions[1].calls, 0)
})

t.test('a clock that goes back counts the earlier day, and days to come have no bar', async (t) => {
  let now = NOON
  const app = await appFor(t, declareRooms, {}, { now: () => now })
  await call(app, 'bolt', '/rooms')
  now -= 2 * DAY
  await call(app, 'bolt', '/rooms')
  const { versions: [{ calls, days }] } = await app.versionUsage.summary()
  t.equal(calls, 2)
  t.equal(days.at(-1), 1)
})

t.test('a request counts when its client has gone away, and a refused one has no version', async (t) => {
  const store = keeping()
  const app = await appFor(t, (app) => {
    app.get('/events', async (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200)
      reply.raw.write('data: 1\n\n')
    })
    declareRooms(app)
  }, { store })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  // fetch() would connect once more, and the server waits a minute for that connection.
  const request = get(`${url}/events`, { agent: false, headers: { 'api-version': 'v1', 'x-account': 'acme' } })
  const [response] = await once(request, 'response')
  await once(response, 'data')
  t.same(store.rows, [])
  response.destroy()
  while (store.rows.length === 0) {
    await nextTurn()
    await app.versionUsage.of('acme')
  }
  await call(app, 'bolt', '/rooms', 'v9')
  t.equal((await app.versionUsage.summary()).refused, 1)
  t.match(store.rows, [
    { client: 'acme', version: 'v1', route: '/events', outcome: 'ok', isDefault: false, calls: 1 },
    { client: 'bolt', version: '', route: '/rooms', outcome: 'refused', calls: 1 }
  ])
})

t.test('a store may return rows of other clients and days, and many of them', async (t) => {
  const common = { version: 'v1', method: 'GET', route: '/rooms', outcome: 'ok', isDefault: false, calls: 1 } as const
  const rows = Array.from({ length: 20_001 }, (_, i) => ({ ...common, day: '2026-11-28', client: `client ${i}` }))
  const store = keeping([...rows, { ...common, day: '2026-01-01', client: 'acme' }])
  const app = await appFor(t, declareRooms, { store })
  t.equal((await app.versionUsage.summary()).versions[0].clients, 20_001)
  t.same((await app.versionUsage.of('acme')).versions, [])
  t.equal((await app.versionUsage.of('client 7')).versions[0].calls, 1)
})

t.test('the latest version may be deprecated, and all may be retired', async (t) => {
  const lifecycle = { v1: { sunset: '2026-01-01' }, v2: { sunset: '2026-01-02' } }
  for (const enforceSunset of [true, false]) {
    const app = await appFor(t, declareRooms, {}, { lifecycle, enforceSunset })
    await call(app, 'acme', '/rooms', 'v2')
    t.match(await app.versionUsage.of('acme'), { to: 'v2', status: 'overdue', isMovable: null })
  }
})

/** What a handler asks a service for, and whether that is the version. */
const READERS: [what: string, read: (request: FastifyRequest, reply: FastifyReply) => unknown, isRead: boolean][] = [
  ['a header of another name', ({ headers }) => headers['x-account'], false],
  ['a raw header of another name', ({ raw }) => raw.headers.host, false],
  ['the names of headers', ({ headers }) => Object.keys(headers).includes('api-version'), false],
  ['a header of the reply', (_request, reply) => reply.getHeader('vary') ?? reply.hasHeader('etag'), false],
  ['a link', (_request, reply) => reply.reverse('rooms'), false],
  ['a link to itself', (_request, reply) => reply.reverse(null), false],
  ['the version', ({ version }) => version, true],
  ['isVersion', (request) => request.isVersion('v1'), true],
  ['the scheme', (request) => request.versioningScheme?.determineVersion?.(request), true],
  ['the header', ({ headers }) => headers['api-version'], true],
  ['the raw header', ({ raw }) => raw.headers['api-version'], true],
  ['the list of raw headers', ({ raw }) => raw.rawHeaders.join(), true],
  ['descriptors of the raw headers', ({ raw }) => Object.getOwnPropertyDescriptors(raw.rawHeaders)[1].value, true],
  ['a clone of the headers', ({ headers }) => structuredClone(headers)['api-version'], true],
  ['the headers as JSON', ({ headers }) => JSON.stringify(headers), true],
  ['a copy of the headers', ({ headers }) => ({ ...headers })['api-version'], true],
  ['the headers for another request', ({ headers }) => (
    new Headers(headers as Record<string, string>).get('api-version')
  ), true],
  ['an object that inherits the headers', ({ headers }) => Object.create(headers)['api-version'], true],
  ['the header behind a Proxy', ({ headers }) => new Proxy(headers, {})['api-version'], true],
  ['the header behind what inherits a Proxy', ({ headers }) => (
    Object.create(new Proxy(new Proxy(headers, {}), { get: Reflect.get }))['api-version']
  ), true],
  ['the headers of a request behind a Proxy', ({ raw }) => new Proxy(raw, {}).headers['api-version'], true],
  ['another header behind a Proxy', ({ headers }) => new Proxy(headers, {})['x-account'], false],
  ['a header that is missing behind a Proxy', ({ headers }) => new Proxy(headers, {})['x-none'] ?? 'none', false],
  ['the header once it is replaced', ({ headers }) => {
    headers['api-version'] = headers['api-version']?.toString()
    return headers['api-version']
  }, true],
  ['headers that replace the raw ones', ({ raw }) => {
    raw.headers = { ...raw.headers }
    return raw.headers['api-version']
  }, true],
  ['all headers of the reply', (_request, reply) => Object.keys(reply.getHeaders()).length, true],
  ['the Deprecation header', (_request, reply) => reply.getHeader('Deprecation') ?? 'none', true],
  ['a link that not every version has', (_request, reply) => reply.reverse('old'), true]
]

for (const [what, read, isRead] of READERS) {
  t.test(`asking a service for ${what} ${isRead ? 'reads the version' : 'does not read it'}`, async (t) => {
    const answers: unknown[] = []
    const app = await appFor(t, (app) => {
      app.get('/old', { name: 'old', version: 'v1' }, async () => 1)
      app.get('/rooms', { name: 'rooms' }, async (request, reply) => {
        answers.push(read(request, reply))
        return 1
      })
    })
    for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
    t.notOk(answers.includes(undefined))
    t.equal(answers.length, 200)
    t.equal((await app.versionUsage.of('acme')).isMovable, !isRead)
  })
}

for (const [what, url, allowedVersions] of [
  ['in a context that does not allow each version', '/:version/old', ['v1']],
  ['whose path has a pattern for the version', '/:version(v1)/old', ['v1', 'v2']]
] as const) {
  t.test(`a link to a route ${what} reads the version`, async (t) => {
    const app = await appFor(t, async (app) => {
      await app.register(async (child) => {
        await child.register(versioning, { allowedVersions })
        child.get(url, { name: 'old' }, async () => 1)
      })
      app.get('/:version/rooms', async (_request, reply) => reply.reverse('old'))
    }, {}, { scheme: URLPathVersioning })
    const answers = ['v1', 'v2'].map(async (version) => await app.inject(`/${version}/rooms`))
    t.same((await Promise.all(answers)).map(({ statusCode }) => statusCode), [200, 500])
    t.match((await app.versionUsage.summary()).clients, [{ unknown: [{ reason: /reads the version of GET / }] }])
  })
}

for (const [name, isRead] of [['rooms', true], ['health', false], [null, false]] as const) {
  const reads = isRead ? 'reads' : 'does not read'
  t.test(`where a change converts queries, a link to ${name} ${reads} the version`, async (t) => {
    const page = (name: string) => ({ type: 'object', additionalProperties: false, properties: { [name]: text } })
    const query = {
      upgrade: ({ p }: { p?: string }) => ({ page: p }),
      downgrade: ({ page }: { page?: string }) => ({ p: page })
    }
    const rooms = { older: { query: page('p') }, query }
    const change = { version: 'v2', description: 'A.', routes: { rooms } }
    const app = await appFor(t, (app) => {
      app.get('/rooms', { name: 'rooms', schema: { querystring: page('page') } }, async () => 1)
      app.get('/health', { name: 'health', versioning: false }, async () => 1)
      app.get('/start', async (_request, reply) => ({ link: reply.reverse(name, null, { query: { page: '2' } }) }))
    }, {}, { changes: [change] as never })
    for (const version of ['v1', 'v2']) await call(app, 'acme', '/start', version, 100)
    t.equal((await app.versionUsage.of('acme')).isMovable, !isRead)
  })
}

/** Handlers that put links straight into their answers. */
const SHOWN: Record<string, Handler> = {
  'a text': async (_request, reply) => reply.reverse(null),
  'properties of an object': async ({ params: { id } }, reply) => ({
    id, self: reply.reverse(null), links: [{ rel: 'next', href: reply.reverse('x', { id: `${id}0` }) }]
  }),
  'one of two values': async ({ body }, reply) => ({
    next: body === undefined ? reply.reverse('x', { id: 8 }) : null,
    ...(body === undefined && { self: reply.reverse() })
  }),
  'items of a list': async (request, reply) => {
    const ids = [request.params.id, '8']
    // A comment, and what is no quote.
    return ids.filter(Boolean).map((id) => ({ id, href: reply.reverse('x', { id }) }))
  },
  'a property beside a regular expression': async (_request, reply) => (
    { self: reply.reverse(null), found: /'/.test('') }
  ),
  'a header, and a branch': async (request, reply) => {
    if (request.body === undefined) {
      return await reply.code(201).header('location', reply.reverse('x', { id: 8 })).send({ self: reply.reverse() })
    }
    return request.body.url === 1 ? await reply.code(404).send() : { body: reply.reverse('x', { id: 9 }) }
  }
}

const bindingsOf = (log: object) => (log as { bindings (): object }).bindings()
const REVERSE = 'reverse'
const linkOf = (reply: FastifyReply) => reply.reverse('x', { id: 7 })

/** Handlers that read the text of a link, or may do so. */
const TAKEN: Record<string, Handler> = {
  'compares it': async (_request, reply) => ({ is: reply.reverse(null).startsWith('/v1/') }),
  'puts it into a text': async (_request, reply) => ({ link: `<${reply.reverse(null)}>` }),
  'hands it to a function': async (_request, reply) => ({ hash: encodeURIComponent(reply.reverse(null)) }),
  'chooses by it': async (_request, reply) => ({ hash: reply.reverse(null) === '/v1/x/7' ? 1 : 2 }),
  'names a property by it': async (_request, reply) => ({ [reply.reverse(null)]: 1 }),
  'keeps it in a variable': async (_request, reply) => {
    const self = reply.reverse(null)
    return { self, length: self.length }
  },
  'keeps it in a variable of another value': async (_request, reply) => {
    const kept = { self: '' }
    const links = { self: kept.self = reply.reverse(null) }
    return [links, kept.self.length]
  },
  'reads an object with it': async (_request, reply) => Object.values({ self: reply.reverse(null) }).join().length,
  'reads a list with it': async (_request, reply) => (
    [7].map((id) => ({ id, self: reply.reverse(null) }))[0].self.length
  ),
  'reads it in a nested function': async (_request, reply) => {
    const links = (): { self: string } => { return { self: reply.reverse(null) } }
    return links().self.length
  },
  'reads it when it is serialized': async (_request, reply) => ({
    self: reply.reverse(null), toJSON (this: { self: string }) { return this.self.length }
  }),
  'reads the header with it': async (_request, reply) => {
    reply.header('x-self', reply.reverse(null))
    return String(reply.getHeader('x-self')).length
  },
  'asks another route': async function (this: FastifyInstance, _request, reply) {
    return (await this.inject(reply.reverse('x', { id: 7 }))).body
  },
  'lets a service make it': async (_request, reply) => linkOf(reply).length,
  'lets a service make another one': async (_request, reply) => (
    { self: reply.reverse(null), length: linkOf(reply).length }
  ),
  'lets a service have what a method of the reply returns': async (_request, reply) => (
    { self: reply.reverse(null), length: linkOf(reply.type('application/json').code(200)).length }
  ),
  'keeps what a method of the reply returns': async (_request, reply) => {
    const same = reply.code(200)
    return { self: reply.reverse(null), length: linkOf(same).length }
  },
  'has the reply among its arguments': async function (_request, reply) {
    return { self: reply.reverse(null), length: linkOf(arguments[1]).length }
  },
  'sends it elsewhere': async (_request, reply) => {
    const sent: string[] = []
    Object.assign(reply.server, { bus: { send: (link: string) => sent.push(link) } })
    ;(reply.server as unknown as { bus: typeof reply }).bus.send(reply.reverse(null))
    return sent[0].length
  },
  'gives the reply another name': async (_request, reply) => {
    const same = reply
    return { self: reply.reverse(null), n: same.reverse(null).length }
  },
  'names the method by a text': async (_request, reply) => (
    { self: reply.reverse(null), length: reply[REVERSE](null).length }
  ),
  'has the reply in another place': async (...all) => ({ self: all[1].reverse(null) }),
  'answers why there is none': async (_request, reply) => {
    try {
      return reply.reverse('x', {}, {})
    } catch (error) {
      return (error as Error).message
    }
  }
}

t.test('a link with the version differs in the version alone where nothing may read it', async (t) => {
  const handlers = Object.entries({ ...SHOWN, ...TAKEN })
  const app = await appFor(t, (app) => {
    app.get('/:version/x/:id', { name: 'x' }, async () => 1)
    for (const [i, [, handler]] of handlers.entries()) app.get(`/:version/${i}/:id`, handler)
  }, {}, { scheme: URLPathVersioning })
  for (const version of ['v1', 'v2']) {
    for (const i of handlers.keys()) await call(app, 'acme', `/${version}/${i}/7`, null, 100)
  }
  const { unaffected, unknown } = await app.versionUsage.of('acme')
  const found = unaffected.map(({ url }) => handlers[Number(url.split('/')[1])][0])
  t.strictSame(found, Object.keys(SHOWN))
  t.match(unknown[0].reason, /^A link of GET \/\S+ has the version, and is not put straight into the answer\.$/)
})

class Documented extends URLPathVersioning {
  override reverse (name: string | null, options: ReverseOptions) {
    return name === 'docs' ? `/docs/${options.version ?? options.request?.version}` : super.reverse(name, options)
  }
}

for (const name of [null, 'docs', 'rooms']) {
  t.test(`a scheme of the app may make any links, such as one to ${name}`, async (t) => {
    const app = await appFor(t, (app) => (
      app.get('/:version/rooms', { name: 'rooms' }, async (_request, reply) => ({ link: reply.reverse(name) }))
    ), {}, { scheme: Documented })
    for (const version of ['v1', 'v2']) await call(app, 'acme', `/${version}/rooms`, null, 100)
    t.match(await app.versionUsage.of('acme'), { unknown: [{ reason: /reads the version of GET \S+$/ }] })
  })
}

for (const [what, options] of [
  ['makes a link', { preHandler: async (_request, reply) => { reply.reverse('rooms') } }],
  ['gets the answer', { preSerialization: async (_request, _reply, payload) => ({ ...payload as object }) }],
  ['reads where it leads', { onSend: async (_request, reply) => { reply.hasHeader('location') } }]
] as [string, RouteShorthandOptions][]) {
  t.test(`a link with the version may be read by a hook that ${what}`, async (t) => {
    const app = await appFor(t, (app) => (
      app.get('/rooms', { name: 'rooms', ...options }, async (_request, reply) => ({ self: reply.reverse(null) }))
    ), {}, { scheme: QueryParameterVersioning })
    for (const version of ['v1', 'v2']) await call(app, 'acme', `/rooms?version=${version}`, null, 100)
    t.match(await app.versionUsage.of('acme'), { isMovable: false, unknown: [{ url: '/rooms' }] })
  })
}

for (const [what, read, isRead] of [
  ['writes a line', ({ log }) => { log.child({ id: 1 }).info('Hello') }, false],
  ['asks what its lines have', ({ log }) => bindingsOf(log), true],
  ['asks what lines of its own have', (_request, { log }) => bindingsOf(log.child({ id: 1 })), true]
] as [string, (request: FastifyRequest, reply: FastifyReply) => unknown, boolean][]) {
  t.test(`with logVersion, a service that ${what} ${isRead ? 'reads' : 'does not read'} the version`, async (t) => {
    const said: unknown[] = []
    const app = bareApp(t, { logger: { stream: { write: () => {} } } })
    await app.register(versioning, { ...ending, logVersion: true })
    await app.register(usage, { client: () => 'acme' })
    app.get('/rooms', async (request, reply) => { said.push(read(request, reply)) })
    for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
    t.match(said[0], isRead ? { version: 'v1' } : undefined)
    t.equal((await app.versionUsage.of('acme')).isMovable, !isRead)
  })
}

t.test('a service that looks for the header of a client that sent none reads the version', async (t) => {
  const read = ({ headers }: FastifyRequest) => headers['api-version'] ?? headers['x-none'] ?? 0
  const declare: Declare = (app) => app.get('/rooms', async (request) => read(request))
  const app = await appFor(t, declare, {}, { defaultVersion: 'v1' })
  await call(app, 'acme', '/rooms', null)
  t.match((await app.versionUsage.of('acme')).unknown, [{ reason: /reads the version of GET \/rooms\.$/ }])
})

t.test('an accessor that is copied to another object finds no version, and harms nothing', async (t) => {
  const app = await appFor(t, (app) => app.get('/rooms', async ({ headers, raw }) => {
    const copies = [headers, raw].map((from) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(from)))
    return [...copies, new Proxy(copies[0], {})]
      .map((copy: Record<string, unknown>) => copy['api-version'] ?? copy.headers ?? 0)
  }))
  t.same((await app.inject({ url: '/rooms', headers: { 'api-version': 'v1' } })).json(), [0, 0, 0])
})

class Query {
  #all: URLSearchParams

  constructor (text: string) {
    this.#all = new URLSearchParams(text)
    Object.assign(this, Object.fromEntries(this.#all))
  }

  get (name: string) {
    return this.#all.get(name)
  }
}

for (const [what, parse] of [
  ['an instance of a class with private fields', (text: string) => new Query(text)],
  ['a list of parameters', (text: string) => new URLSearchParams(text)],
  ['a Proxy', (text: string) => new Proxy(new Query(text), {
    get: (query, name) => (
      name === 'get' ? (key: string) => query.get(key) : Reflect.get(query, name)
    )
  })],
  ['nothing', () => null]
] as const) {
  t.test(`a parser that makes ${what} of queries keeps it, and the route is unknown`, async (t) => {
    const routerOptions = { querystringParser: parse as () => never }
    const app = bareApp(t, { routerOptions })
    await app.register(versioning, { ...ending, scheme: QueryParameterVersioning, defaultVersion: 'v1' })
    await app.register(usage, { client: () => 'acme' })
    app.get('/rooms', async ({ query }) => (query as Query | null)?.get('size') ?? 'none')
    const { body, statusCode } = await app.inject('/rooms?version=v1&size=7')
    t.same([statusCode, body], [200, what === 'nothing' ? 'none' : '7'])
    t.match((await app.versionUsage.of('acme')).unknown, [{ reason: /reads the version of GET \/rooms\.$/ }])
  })
}

t.test('a parameter whose name an object inherits stays in a query that is watched', async (t) => {
  const routerOptions = { querystringParser: (text: string) => JSON.parse(decodeURIComponent(text)) }
  const app = bareApp(t, { routerOptions })
  await app.register(versioning, { ...ending, scheme: QueryParameterVersioning })
  await app.register(usage)
  app.get('/rooms', async ({ query }) => [Object.entries(query as object), (query as { x?: number }).x ?? 'none'])
  const query = '{"version":"v1","__proto__":{"x":1},"toString":"t"}'
  t.same((await app.inject(`/rooms?${encodeURIComponent(query)}`)).json(), [
    [['version', 'v1'], ['__proto__', { x: 1 }], ['toString', 't']], 'none'
  ])
})

for (const [does, isRead, handler, notFound] of [
  ["answers Fastify's 404", false, async (_request, reply) => reply.callNotFound()],
  ['validates an object', false, async (request) => request.validateInput({}, { type: 'object' })],
  ['compiles a schema', false, async (request) => { request.compileValidationSchema({ type: 'object' }) }],
  ["answers the app's 404", true, async (_request, reply) => reply.callNotFound(), async ({ url }) => url]
] as [string, boolean, RouteHandlerMethod, RouteHandlerMethod?][]) {
  t.test(`a route that ${does} ${isRead ? 'reads' : 'does not read'} the version in its URL`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { ...ending, scheme: URLPathVersioning })
    await app.register(usage, { client: () => 'acme' })
    app.get('/:version/rooms', async function (request, reply) {
      return Object.hasOwn(request.query as object, 'odd') ? handler.call(this, request, reply) : 1
    })
    if (notFound !== undefined) app.setNotFoundHandler(notFound)
    for (const version of ['v1', 'v2']) {
      await app.inject(`/${version}/rooms?odd`)
      for (let i = 0; i < 100; i++) await app.inject(`/${version}/rooms`)
    }
    t.equal((await app.versionUsage.of('acme')).isMovable, !isRead)
  })
}

t.test('a request in a line of the log, such as that of an error, does not read the version', async (t) => {
  const lines: string[] = []
  const app = bareApp(t, { logger: { stream: { write: (line: string) => lines.push(line) } } })
  await app.register(versioning, { ...ending, scheme: URLPathVersioning })
  await app.register(usage, { client: () => 'acme' })
  app.get('/:version/rooms', async ({ query }) => {
    if (Object.hasOwn(query as object, 'broken')) throw new Error('no')
    return 1
  })
  for (const version of ['v1', 'v2']) {
    await app.inject(`/${version}/rooms?broken`)
    for (let i = 0; i < 100; i++) await app.inject(`/${version}/rooms`)
  }
  const errors = lines.filter((line) => line.startsWith('{"level":50'))
  t.match(errors, [/"url":"\/v1\/rooms\?broken"/, /"url":"\/v2\/rooms\?broken"/])
  t.equal((await app.versionUsage.of('acme')).isMovable, true)
})

t.test('a request that is routed twice is watched in its second route', async (t) => {
  const app = await appFor(t, (app) => {
    app.get('/first', async (request, reply) => {
      reply.hijack()
      // Requests that no server of Node has made may have no raw headers.
      Object.assign(request.raw, { url: '/rooms', rawHeaders: undefined })
      app.routing(request.raw, reply.raw)
    })
    app.get('/rooms', async (request) => service(request) || 1)
  })
  const { statusCode } = await app.inject({ url: '/first', headers: { 'api-version': 'v1', 'x-account': 'acme' } })
  t.equal(statusCode, 200)
  t.equal((await app.versionUsage.of('acme')).versions[0].calls, 2)
})

t.test('a host has the version', async (t) => {
  for (const [read, isRead] of [
    [({ hostname }: FastifyRequest) => hostname, true], [({ ip }: FastifyRequest) => ip, false]
  ] as const) {
    const declare: Declare = (app) => app.get('/rooms', async (request) => { read(request) })
    const app = await appFor(t, declare, {}, { scheme: HostNameVersioning })
    for (const version of ['v1', 'v2']) {
      for (let i = 0; i < 100; i++) {
        await app.inject({ url: '/rooms', headers: { host: `${version}.example.com`, 'x-account': 'acme' } })
      }
    }
    t.equal((await app.versionUsage.of('acme')).isMovable, !isRead)
  }
})

type Thing = { name: string, tags: unknown, room: unknown }

for (const [what, isAdded, downgrade] of [
  ['leaves out a property', true, ({ name, ...rest }: Thing) => rest],
  ['leaves out a nested property', true, ({ room, ...rest }: Thing) => (
    room === undefined ? rest : { ...rest, room: Array.isArray(room) ? room : {} }
  )],
  ['writes undefined', true, ({ name, ...rest }: Thing) => ({ ...rest, name: undefined })],
  ['writes another value', false, ({ name, ...rest }: Thing) => ({ ...rest, name: `${name}!` })],
  ['shortens a list', false, ({ tags, ...rest }: Thing) => ({ ...rest, tags: [] })],
  ['makes an object of a list', false, ({ tags, ...rest }: Thing) => ({ ...rest, tags: {} })],
  ['makes null of an object', false, ({ room, ...rest }: Thing) => ({ ...rest, room: null })],
  ['makes an object of null', false, ({ name, ...rest }: Thing) => ({ ...rest, name: name ?? {} })]
] as [string, boolean, (value: Thing) => unknown][]) {
  t.test(`a change whose downgrade ${what} ${isAdded ? 'only adds' : 'affects clients'}`, async (t) => {
    const older = { type: 'object', additionalProperties: true }
    const change = { version: 'v2', description: 'A.', schemas: { Thing: { older, downgrade } } }
    const app = await appFor(t, (app) => {
      app.addSchema({
        $id: 'Thing',
        type: 'object',
        additionalProperties: true,
        properties: { name: { type: ['string', 'null'] } },
        examples: [{ name: 'x', tags: ['a'], room: { number: 1 } }, { name: null, tags: [], room: {} }]
      })
      app.get('/rooms', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => ({ name: 'x' }))
    }, {}, { changes: [change] }, true)
    for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
    const { affected, unaffected } = await app.versionUsage.of('acme')
    t.same([affected.length, unaffected.length], isAdded ? [0, 1] : [1, 0], JSON.stringify(affected))
  })
}

const circle: Record<string, unknown> = { state: 'on', more: 1 }
circle.parent = { children: [circle] }

for (const [what, isMovable, answer, downgrade] of [
  ['leads back to itself', true, circle],
  ['has no number', true, { state: NaN, more: 1 }],
  ['has a list without an item', true, { state: [undefined, 1], at: new Date(0), more: 1 }],
  ['has something that cannot be read', false, { more: 1 }, () => ({ other: { toJSON () { throw new Error('No.') } } })]
] as [string, boolean, object, ((value: object) => unknown)?][]) {
  t.test(`an answer that ${what} is answered, and ${isMovable ? 'may lose a property' : 'is unknown'}`, async (t) => {
    const older = { type: 'object', properties: { state: {}, at: { type: 'string' } } }
    const without = ({ more, ...rest }: { more?: number }) => rest
    const schemas = { Thing: { older, downgrade: downgrade ?? without } }
    const app = await appFor(t, (app) => {
      app.addSchema({ $id: 'Thing', ...older, examples: [{ state: 'on', at: '2027-01-31', more: 1 }] })
      app.get('/rooms', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => answer)
    }, {}, { changes: [{ version: 'v2', description: 'More.', schemas }] }, true)
    for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
    t.equal((await app.inject({ url: '/rooms', headers: { 'api-version': 'v1' } })).statusCode, 200)
    t.equal((await app.versionUsage.of('acme')).isMovable, isMovable)
  })
}

t.test('a route is unknown once a change has altered what its examples do not have', async (t) => {
  const older = { type: 'object', additionalProperties: true }
  const downgrade = ({ more, ...rest }: { more: number, state: string, at: Date }) => (
    rest.state === 'archived' ? { ...rest, state: 'off' } : rest
  )
  let state = 'on'
  const app = await appFor(t, (app) => {
    app.addSchema({ $id: 'Thing', ...older, properties: {}, examples: [{ state: 'on', at: '2027-01-31', more: 1 }] })
    app.get('/rooms', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => (
      { state, at: new Date(0), more: 1 }
    ))
  }, {}, { changes: [{ version: 'v2', description: 'More.', schemas: { Thing: { older, downgrade } } }] }, true)
  for (const version of ['v1', 'v2']) await call(app, 'acme', '/rooms', version, 100)
  t.equal((await app.versionUsage.of('acme')).isMovable, true)
  state = 'archived'
  await call(app, 'acme', '/rooms', 'v1', 1)
  t.match((await app.versionUsage.of('acme')).unknown, [
    { reason: 'In v1, a change has altered more than its examples show.' }
  ])
})

t.test('a path and a query have the version in the URL, too', async (t) => {
  for (const [scheme, path] of [[URLPathVersioning, '/:version'], [QueryParameterVersioning, '']] as const) {
    for (const [read, isRead] of [
      [({ url }) => url, true], [({ originalUrl }) => originalUrl, true], [({ raw }) => raw.url, true],
      [({ raw }) => { raw.url = '/' }, false],
      [({ query, params }) => Object.values({ ...query as object, ...params as object }), true],
      [({ method }) => method, false]
    ] as [(request: FastifyRequest) => unknown, boolean][]) {
      const declare: Declare = (app) => app.get(`${path}/rooms`, async (request) => { read(request) })
      const app = await appFor(t, declare, {}, { scheme })
      for (const version of ['v1', 'v2']) {
        const url = path === '' ? `/rooms?version=${version}` : `/${version}/rooms`
        for (let i = 0; i < 100; i++) await app.inject({ url, headers: { 'x-account': 'acme' } })
      }
      t.equal((await app.versionUsage.of('acme')).isMovable, !isRead, `${scheme.name} ${read}`)
    }
  }
})

for (const early of [[], [async (request: FastifyRequest) => { String(request.originalUrl) }]]) {
  t.test(`an original URL that rewriteUrl has read is watched, after ${early.length} hooks`, async (t) => {
    const app = bareApp(t, {
      rewriteUrl (request) {
        const [, version, path] = (request.url as string).split('/')
        request.headers['api-version'] = version
        return `/${path}`
      }
    })
    for (const hook of early) app.addHook('onRequest', hook)
    await app.register(versioning, header)
    await app.register(usage, { client: () => 'acme' })
    const read = (request: FastifyRequest) => request.originalUrl
    app.get('/rooms', async (request) => read(request))
    await app.inject('/v1/rooms')
    t.match((await app.versionUsage.of('acme')).unknown, [{ reason: /reads the version of GET / }])
  })
}

for (const [scheme, url] of [
  [URLPathVersioning, '/v1/rooms'], [QueryParameterVersioning, '/rooms?version=v1']
] as const) {
  t.test(`a URL that a hook has read before ${scheme.name} is watched, too`, async (t) => {
    const said: string[] = []
    const read = ({ originalUrl }: FastifyRequest) => said.push(originalUrl)
    const app = bareApp(t)
    app.addHook('onRequest', async (request) => { read(request) })
    await app.register(versioning, { ...ending, scheme })
    await app.register(usage, { client: () => 'acme' })
    app.get(scheme === URLPathVersioning ? '/:version/rooms' : '/rooms', async (request) => read(request))
    await app.inject({ url })
    t.same(said, [url, url])
    t.match((await app.versionUsage.of('acme')).unknown, [{ reason: /reads the version of GET / }])
  })
}

for (const [what, read, scheme] of [
  ['the path of HTTP/2', ({ headers }) => headers[':path'], QueryParameterVersioning],
  ['its raw headers', ({ raw }) => raw.rawHeaders.join(), HeaderVersioning],
  ['its headers by line', ({ raw }) => raw.headers['api-version'], HeaderVersioning],
  ['its authority', ({ raw }) => (raw as { authority?: string }).authority, HostNameVersioning]
] as [string, (request: FastifyRequest) => unknown, typeof HeaderVersioning][]) {
  t.test(`a service that reads ${what} reads the version`, async (t) => {
    const app = bareApp(t, { http2: true } as object)
    await app.register(versioning, { ...ending, scheme })
    await app.register(usage, { client: () => 'acme' })
    app.get('/rooms', async (request) => [read(request)])
    const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }))
    t.teardown(() => session.close())
    const headers = { ':path': '/rooms?version=v1', ':authority': 'v1.example.com', 'api-version': 'v1' }
    const stream = session.request(headers)
    const body = await textOf(stream)
    t.match(body, 'v1')
    t.match((await app.versionUsage.of('acme')).unknown, [{ reason: /reads the version of GET / }])
  })
}

t.test('documents that cannot be compared are logged, and routes are compared alone', async (t) => {
  const { app, lines } = await loggingApp(t)
  const malformed = { openapi: '3.0.3', paths: { '/rooms': { get: 7 } } }
  await app.register(openapi, { ui: false, transformObject: () => malformed as never })
  await app.register(usage, { client: () => 'acme' })
  declareAll(app)
  await call(app, 'acme', '/prices')
  t.match(await app.versionUsage.movable('v1', 'v2'), { others: ['acme'] })
  t.match(lines.map(({ msg }) => msg), [
    'Cannot compare the documents of v1 and v2, so routes are compared alone.'
  ])
})

/** Makes 30 seconds short. */
function hurry (t: Test): void {
  const { setTimeout } = globalThis
  // The plugin's own timers keep no process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => {
    clearInterval(alive)
    globalThis.setTimeout = setTimeout
  })
  globalThis.setTimeout = ((work: () => void, time: number) => setTimeout(work, time === 30_000 ? 1 : time)) as never
}

t.test('a store whose rows never end is read for 30 seconds', async (t) => {
  hurry(t)
  let count = 0
  const read = function * () { for (;;) yield count++ as never }
  const app = await appFor(t, declareRooms, { store: { add: () => {}, read } })
  await t.rejects(app.versionUsage.summary(), { message: /has not answered for 30 seconds\.$/ })
  await nextTurn()
  const before = count
  for (let i = 0; i < 5; i++) await nextTurn()
  t.equal(count, before)
})

t.test('a store that changes its rows and fails gets them as they were', async (t) => {
  const kept: UsageRow[] = []
  let isDown = true
  const add = (rows: readonly UsageRow[]) => {
    if (!isDown) return kept.push(...rows)
    for (const row of rows) Object.assign(row, { client: null, calls: '1' })
    throw new Error('down')
  }
  const app = await appFor(t, declareRooms, { store: { add, read: () => kept } })
  await call(app, 'acme', '/rooms')
  t.same((await app.versionUsage.of('acme')).versions, [])
  isDown = false
  t.match((await app.versionUsage.of('acme')).versions, [{ calls: 1 }])
})

t.test('a store that hangs keeps no request waiting, and gets its rows again after 30 seconds', async (t) => {
  hurry(t)
  const { app, lines } = await loggingApp(t)
  const store = keeping()
  const hangs = new Promise<void>(() => {})
  let isHanging = true
  await app.register(usage, {
    client: () => 'bolt', store: { ...store, add: (rows) => isHanging ? hangs : store.add(rows) }
  })
  declareRooms(app)
  await call(app, 'bolt', '/rooms')
  const question = app.versionUsage.of('bolt')
  await call(app, 'bolt', '/rooms')
  t.same((await question).versions, [])
  isHanging = false
  t.match(await app.versionUsage.of('bolt'), { versions: [{ calls: 2 }] })
  t.match(lines.map(({ err }) => err?.message), [
    'The store of fastify-versioning/usage has not answered for 30 seconds.'
  ])
})

t.test('an app waits for a store that hangs once when it closes', async (t) => {
  hurry(t)
  const { app, lines } = await loggingApp(t)
  let adds = 0
  const add = () => {
    adds++
    return new Promise<void>(() => {})
  }
  await app.register(usage, { client: () => 'bolt', store: { add, read: () => [] } })
  declareRooms(app)
  await call(app, 'bolt', '/rooms')
  await app.close()
  for (let i = 0; i < 5; i++) await nextTurn()
  t.equal(adds, 1)
  t.match(lines.map(({ err }) => err?.message), [/has not answered for 30 seconds\.$/])
})

t.test('an app that closes hands over what it counts while the store is busy', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, ending)
  const { add, read, rows } = keeping()
  let free = () => {}
  const busy = new Promise<void>((resolve) => { free = resolve })
  await app.register(usage, { client: () => 'bolt', store: { add: (more) => busy.then(() => add(more)), read } })
  declareRooms(app)
  await call(app, 'bolt', '/rooms')
  await nextTurn()
  const question = app.versionUsage.summary()
  await call(app, 'bolt', '/rooms')
  await nextTurn()
  const closing = app.close()
  free()
  await Promise.all([closing, question])
  t.match(rows, [{ calls: 1 }, { calls: 1 }])
})

t.test('a name that is near is sought in 10,000 rows, and the store is told to end', async (t) => {
  let count = 0
  let isEnded = false
  const common = { day: '2026-11-28', version: 'v1', method: 'GET', route: '/rooms', outcome: 'ok' } as const
  const all = function * () {
    try {
      for (;;) yield { ...common, client: `client ${count++}`, isDefault: false, calls: 1 }
    } finally {
      isEnded = true
    }
  }
  const read: UsageStore['read'] = ({ client }) => client === undefined ? all() : []
  const app = await appFor(t, declareRooms, { store: { add: () => {}, read } })
  t.match((await app.versionUsage.of('client 7x')).message, /Did you mean 'client 7'\?$/)
  t.same([count, isEnded], [10_000, true])
})

t.test('a million clients take bounded memory, and their calls are counted', async (t) => {
  const { Counter } = await import('../../src/usage/counter.ts')
  const app = await appFor(t, declareRooms)
  const store = keeping()
  let client = 0
  const counter = new Counter(store, () => `client ${client++}`, () => NOON, app.log)
  const counted = { version: 'v1', outcome: 'ok', isDefault: false } as const
  for (let i = 0; i < 1_000_000; i++) counter.count('/rooms', { method: 'GET' } as never, counted)
  await counter.flush()
  t.equal(store.rows.length, 100_001)
  t.equal(store.rows.find(({ client }) => client === '')?.calls, 900_000)
})

t.test('a name of a client keeps 128 characters in memory, and not the text that it comes from', async (t) => {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  let count = 0
  const app = await appFor(t, declareRooms, { client: () => Buffer.alloc(100_000, `${count++} `).toString() })
  await call(app, 'acme', '/rooms')
  collect()
  const before = process.memoryUsage().heapUsed
  await call(app, 'acme', '/rooms', 'v1', 500)
  t.equal((await app.versionUsage.summary()).versions[0].clients, 501)
  collect()
  t.ok(process.memoryUsage().heapUsed - before < 2e7)
})

t.test('a store that fails gets its rows again, and is logged once', async (t) => {
  const { app, lines } = await loggingApp(t)
  const rows: UsageRow[] = []
  let isDown = true
  const store: UsageStore = {
    add (more) {
      if (isDown) throw new Error('down')
      rows.push(...more)
    },
    async * read () { yield * rows }
  }
  await app.register(usage, { client: ({ headers }) => headers['x-account'] as string, store })
  declareRooms(app)
  for (let i = 0; i < 3; i++) {
    await call(app, 'bolt', '/rooms')
    t.equal((await app.versionUsage.of('bolt')).versions.length, 0)
  }
  isDown = false
  await call(app, 'bolt', '/rooms')
  t.match(await app.versionUsage.of('bolt'), { versions: [{ calls: 4 }] })
  t.match(rows, [{ calls: 4 }], 'each row once')
  t.equal(lines.length, 1)
  isDown = true
  await call(app, 'bolt', '/rooms')
  await app.versionUsage.summary()
  t.equal(lines.length, 2)
  await app.close()
  t.match(lines.at(-1), { msg: 'The store of fastify-versioning/usage loses rows, because the app closes: 1.' })
})

t.test('rows that are none are left out and logged once', async (t) => {
  const { app, lines } = await loggingApp(t)
  const rubbish = [null, 1, {}, { day: '2026-11-28', client: '', version: '', method: '', route: '/', calls: '2' }]
  await app.register(usage, { store: { add: () => {}, read: () => rubbish as never } })
  declareRooms(app)
  await app.ready()
  t.same((await app.versionUsage.summary()).clients, [])
  const msg = 'The store of fastify-versioning/usage has returned what is no row: it is left out. In a row, ' +
    '"calls" is a number, and "day", "client", "version", "method" and "route" are texts.'
  t.match(lines, [{ msg }])
})

for (const [subject, client, isLogged, expected = null] of [
  ['throws', () => { throw new Error('no') }, true],
  ['throws what no log takes', () => {
    throw Object.defineProperty(new Error(), 'message', { get () { throw new Error('no') } })
  }, true],
  // eslint-disable-next-line no-throw-literal
  ['throws a text', () => { throw 'no' }, true],
  ['returns a promise', () => Promise.reject(new Error('no')) as never, true],
  ['returns an object', () => ({}) as never, true],
  ['returns nothing', () => undefined, false],
  ['returns a number', () => 7, false, '7'],
  ['returns 10 kB', () => 'x'.repeat(10_000), false, 'x'.repeat(128)],
  ['returns what no store takes', () => '\0a\nb\uD800', false, ' a b\uFFFD'],
  ['returns __proto__', () => '__proto__', false, '__proto__']
] as [string, NonNullable<UsageOptions['client']>, boolean, (string | null)?][]) {
  t.test(`an option "client" that ${subject} harms no request`, async (t) => {
    const { app, lines } = await loggingApp(t)
    await app.register(usage, { client })
    declareRooms(app)
    for (let i = 0; i < 2; i++) {
      const { statusCode } = await app.inject({ url: '/rooms', headers: { 'api-version': 'v1' } })
      t.equal(statusCode, 200)
    }
    const { clients } = await app.versionUsage.summary()
    t.same(clients.map(({ client, versions }) => [client, versions[0].calls]), [[expected, 2]])
    const msg = 'The option "client" of fastify-versioning/usage failed: its calls have no client.'
    t.same(lines.map((line) => line.msg), isLogged ? [msg] : [])
  })
}

for (const [subject, fail] of [
  ['returns NaN', () => NaN], ['throws', () => { throw new Error('no') }], ['returns a bigint', () => 1n as never]
] as [string, () => number][]) {
  t.test(`a clock that ${subject} after the boot harms no request, and is logged once`, async (t) => {
    const lines: { readonly msg: string }[] = []
    const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
    const app = bareApp(t, { logger: { level: 'warn', stream } })
    let now = () => NOON
    await app.register(versioning, { ...header, now: () => now() })
    const store = keeping()
    await app.register(usage, { client: () => 'bolt', store })
    declareRooms(app)
    await app.ready()
    now = fail
    await call(app, 'bolt', '/rooms', 'v1', 2)
    now = () => NaN
    t.match(await app.versionUsage.of('bolt'), { versions: [{ version: 'v1', calls: 2 }] })
    t.same(lines.map(({ msg }) => msg), [
      'The option "now" of fastify-versioning failed: fastify-versioning/usage reads the clock of the process.'
    ])
  })
}

t.test('beyond 100,000 rows totals stay exact, and further clients have no name', async (t) => {
  const { Tally } = await import('../../src/usage/tally.ts')
  const tally = new Tally()
  const common = { day: '2026-11-28', version: 'v1', method: 'GET', isDefault: false }
  const kind = { ...common, route: '/rooms', outcome: 'ok' } as const
  for (let i = 0; i < 30; i++) tally.add(kind, `a${i}`, 2, 10)
  tally.add({ ...kind, route: '/others' }, 'a1', 1, 10)
  tally.add(kind, 'a1', 1, 10)
  const rows = [...tally.rows()]
  t.equal(rows.reduce((sum, { calls }) => sum + calls, 0), 62)
  t.equal(rows.find(({ client }) => client === '')?.calls, 40)
  tally.forget('2026-11-29')
  t.same([[...tally.rows()], tally.size], [[], 0])
})

t.test('apps of one process do not count each other', async (t) => {
  const apps = [await appFor(t, declareRooms), await appFor(t, declareRooms)]
  await call(apps[0], 'bolt', '/rooms')
  const sums = await Promise.all(apps.map(async (app) => (await app.versionUsage.summary()).versions[0].calls))
  t.same(sums, [1, 0])
})

t.test('calls without a version are by default, and null is no version', async (t) => {
  const app = await appFor(t, declareRooms, {}, { allowedVersions: ['v1', 'v2', null], defaultVersion: 'v1' })
  await call(app, 'bolt', '/rooms', null)
  t.match(await app.versionUsage.of('bolt'), { versions: [{ version: 'v1', calls: 1, byDefault: 1 }] })
})

const hook = async () => {}
for (const [options, message] of [
  [{ client: 'acme' }, /^Invalid "client": expected a function of the request that returns a name, and no promise/],
  [{ client: async () => 'acme' }, /^Invalid "client"/],
  [{ days: 0 }, /^Invalid "days": expected a number of days from 1 to 366, got 0\. See \S+\/options\.md#usage$/],
  [{ store: {} }, /^Invalid "store": expected an object \{ add, read \}/],
  [{ store: null }, /^Invalid "store"/],
  ...['x', '/x/', '/:a', '/*', '/', '/a?b', 7].map((routePrefix): [UsageOptions, RegExp] => [
    { routePrefix: routePrefix as string, onRequest: hook },
    /^Invalid "routePrefix": expected a path without parameters that begins with a slash and does not end with one, got/
  ]),
  [{ routePrefix: '/x' }, /^Invalid "onRequest": expected a hook that decides who may see the page, got undefined/],
  [{ routePrefix: '/x', onRequest: [1] }, /^Invalid "onRequest"/],
  [{ onRequest: hook, prefix: '/x' } as UsageOptions, /^Write "routePrefix" instead of "prefix", '\/x'\. See/],
  [{ onRequest: hook, prefix: '/' } as UsageOptions, /^Set "routePrefix",/],
  [{ onRequest: hook }, /^Set "routePrefix", such as '\/versions-in-use', or remove "onRequest": without/],
  [{ clients: 1 }, /^Unknown option 'clients'\. Did you mean 'client'\? There are 'client', 'store'/]
] as [UsageOptions, RegExp][]) {
  const { routePrefix = '' } = options
  t.test(`an option is refused at boot: ${routePrefix} ${message.source}`, async (t) => {
    await t.rejects(appFor(t, declareRooms, options), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('usage is registered once', async (t) => {
  const twice = appFor(t, async (app) => await app.register(usage))
  await t.rejects(twice, { message: /^Register fastify-versioning\/usage once\./ })
})

for (const [ask, message] of [
  [({ of }) => of(7 as never), /^Invalid "client": expected the name of a client, such as 'acme', got 7\./],
  [({ of }) => (of as () => Promise<unknown>)(), /^Invalid "client": .*, got undefined\./],
  [({ of }) => of('acme', { to: 'v22' }), /^Invalid "to": expected one of the versions \[ 'v1', 'v2' \], got 'v22'\./],
  [({ of }) => of('acme', 'v2' as never), /^Invalid "options": expected an object \{ to: 'v2' \}, got 'v2'\./],
  [({ of }) => of('acme', null as never), /^Invalid "options": .*, got null\./],
  [({ of }) => of('acme', { too: 'v2' } as never), /^Unknown option 'too'\. Did you mean 'to'\?/],
  [({ summary }) => summary({ to: 'v22' }), /^Invalid "to": .*\. Did you mean 'v2'\?/],
  [({ summary }) => summary({ To: 'v2' } as never), /^Unknown option 'To'\. Did you mean 'to'\?/],
  [({ movable }) => movable('v1', 'v22'), /^Invalid "to": .*\. Did you mean 'v2'\?/],
  [({ movable }) => movable('v0', 'v2'), /^Invalid "from": .*, got 'v0'\./],
  [({ movable }) => (movable as () => Promise<unknown>)(), /^Invalid "from": .*, got undefined\./],
  [({ movable }) => movable('v2', 'v1'), /^Invalid "from": expected a version before 'v1' \("to"\), got 'v2'\./],
  [({ movable }) => movable('v1', 'v1'), /^Invalid "from": expected a version before 'v1'/]
] as [(questions: FastifyInstance['versionUsage']) => Promise<unknown>, RegExp][]) {
  t.test(`a question is refused: ${message.source}`, async (t) => {
    const app = await appFor(t, declareRooms)
    await t.rejects(ask(app.versionUsage), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('a question needs versions that are listed', async (t) => {
  const app = await appFor(t, declareRooms, {}, { allowedVersions: null, lifecycle: {} })
  const message = /^Set "allowedVersions": without a list, no versions can be compared\. See .*options\.md$/
  await t.rejects(app.versionUsage.summary(), { code: 'FST_ERR_VERSIONING_OPTION', message })
})

for (const rows of [undefined, 7, {}]) {
  t.test(`a store that returns ${String(rows)} is an error that names the store`, async (t) => {
    const app = await appFor(t, declareRooms, { store: { add: () => {}, read: () => rows as never } })
    const message = /^Invalid "store\.read": expected a function that returns a list of rows, got /
    await t.rejects(app.versionUsage.summary(), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('Swagger UI and the documents are served next to usage', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, header)
  await app.register(openapi)
  await app.register(usage, { client: () => 'acme' })
  const urls = ['/documentation', '/documentation/v1.json']
  t.strictSame(await Promise.all(urls.map(async (url) => (await app.inject(url)).statusCode)), [200, 200])
})

t.test('a context that was made before usage reads the URL of its requests', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { ...header, scheme: QueryParameterVersioning })
  await app.register(async (api) => { api.get('/rooms', async (request) => request.originalUrl) })
  await app.register(usage, { client: () => 'acme' })
  t.equal((await app.inject('/rooms?version=v1')).body, '/rooms?version=v1')
})

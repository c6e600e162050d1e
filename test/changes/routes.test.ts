import t from 'tap'

import versioning, { BaseVersioning, HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import {
  Booking, BookingV2, EXAMPLES, VERSIONS, appBetween, appWithChanges, ask, byCursor, cursor, guests, ofRoute, room
} from './bookings.ts'
import { Booking as Stay, Guest, GuestV1, appOf, both, converts, integer, names, object } from './kernel.ts'

import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Change, RouteChange, VersioningOptions } from '../../types/index.d.ts'
import type { Json } from './kernel.ts'

const scheme = HeaderVersioning
const changes = [guests, room]
const schema = { response: { 200: { $ref: 'Booking#' } } }
const handler = async () => EXAMPLES.v3

async function answers (app: FastifyInstance, url = '/bookings'): Promise<unknown[]> {
  return await Promise.all(VERSIONS.map(async (version) => (await ask(app, version, url)).json()))
}

/** By version, what its changes touch. */
function touchedIn (app: FastifyInstance) {
  return app.changes.map(({ version, routes }) => [version, routes.map(({ url }) => url)])
}

t.test('nothing is added to the app: printRoutes(), getSchemas() and config are as declared', async (t) => {
  const apps = await Promise.all([changes, null].map(async (changes) => {
    const app = await appWithChanges(t, { scheme, changes })
    app.get('/bookings', { schema }, async ({ routeOptions: { config, schema } }) => ({
      ...EXAMPLES.v3, guests: [JSON.stringify([config, schema])]
    }))
    app.get('/health', async () => 'ok')
    await app.ready()
    return app
  }))
  const [changed, plain] = await Promise.all(apps.map(async (app) => [
    app.printRoutes({ commonPrefix: false }), app.getSchemas(), (await app.inject('/bookings')).json()
  ]))
  t.same(changed, plain)
})

/** The options of handlers at one URL, and by version, which one answers and the version that it works with. */
const SPOKEN: [says: string, handlers: Record<string, Partial<RouteOptions>>, expected: Record<string, string>][] = [
  ['of all', { a: {} }, { v0: 'a v3', v1: 'a v3', v2: 'a v3', v3: 'a v3', v4: 'a v3' }],
  ['of a range', { a: { version: { to: 'v2' } }, b: { version: 'v3' } }, { v1: 'a v2', v2: 'a v2', v3: 'b v3' }],
  ['of the oldest ones', { a: { version: { to: 'v1' } } }, { v0: 'a v1', v1: 'a v1' }],
  ['if others serve older ones', { a: { version: { from: 'v2' } }, b: { version: 'v1' } },
    { v1: 'b v1', v2: 'a v3', v3: 'a v3' }],
  ['if others serve one between', { a: { version: ['v1', 'v3'] }, b: { version: 'v2' } },
    { v1: 'a v3', v2: 'b v2', v3: 'a v3' }],
  ['or the one in "writtenFor"', { a: { version: 'v1', writtenFor: 'v2' } }, { v1: 'a v2' }]
]
/** How a route may write the schema of a part. */
const written = [
  (schema: object) => schema,
  (schema: object) => ({ content: { 'application/json': { schema } } }),
  (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
]
const words: Record<string, object> = { ...EXAMPLES, v0: EXAMPLES.v1, v4: EXAMPLES.v3 }

for (const [says, handlers, expected] of SPOKEN) {
  t.test(`a handler works with the newest version that it serves, ${says}`, async (t) => {
    for (const write of written) {
      const app = await appWithChanges(t, { scheme, changes, allowedVersions: Object.keys(words).sort() })
      const own = { body: write({ $ref: 'Booking#' }), response: { 200: write({ $ref: 'Booking#' }) } }
      // So that each change touches a route.
      app.post('/others', { schema: own }, handler)
      let seen: unknown
      for (const [name, options] of Object.entries(handlers)) {
        app.post('/bookings', { ...options, schema: own }, async ({ body }) => {
          seen = [name, body]
          return body
        })
      }
      for (const [version, answering] of Object.entries(expected)) {
        const [name, spoken] = answering.split(' ')
        t.same((await ask(app, version, '/bookings', words[version])).json(), words[version], version)
        t.same(seen, [name, EXAMPLES[spoken]], version)
        t.equal((await ask(app, version, '/bookings', {})).statusCode, 400, version)
      }
    }
  })
}

t.test('app.changes names each route once, and none that its version does not have', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  for (const url of ['/bookings', '/gone']) {
    app.get(url, { schema, version: { to: 'v2' }, exposeHeadRoute: false }, async () => EXAMPLES.v2)
  }
  app.get('/leap', { schema, version: ['v1', 'v3'], exposeHeadRoute: false }, handler)
  app.get('/bookings', { schema, version: { from: 'v3' }, exposeHeadRoute: false }, handler)
  await app.ready()
  t.same(touchedIn(app), [['v3', ['/bookings', '/leap']], ['v2', ['/bookings', '/gone', '/leap']]])
})

t.test('app.changes names a route of older versions whose handler is written for a newer one', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/new', { schema, version: { from: 'v3' } }, handler)
  app.get('/old', { schema, version: 'v1', writtenFor: 'v3' }, handler)
  app.get('/between', { schema, version: 'v1', writtenFor: 'v2' }, async () => EXAMPLES.v2)
  t.same((await ask(app, 'v1', '/old')).json(), EXAMPLES.v1)
  t.same(touchedIn(app), [['v3', ['/old']], ['v2', ['/old', '/between']]])
  t.equal(app.changes, app.changes)
})

t.test('writtenFor of a context is the version of its handlers', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/others', { schema }, handler)
  app.register(async (app) => {
    app.get('/bookings', { schema, version: 'v1' }, handler)
  }, { writtenFor: 'v3' })
  t.match(await answers(app), [EXAMPLES.v1, { statusCode: 400 }])
})

t.test('a change names a route in namespaces without the namespace that is its version', async (t) => {
  const older = { type: 'object', properties: { old: { type: 'string' } } }
  const item = { response: { 200: { older, downgrade: ({ now }: { now: string }) => ({ old: now }) } } }
  const change: Change = { version: 'v2', description: 'By name.', routes: { item } }
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  const response = { 200: { type: 'object', properties: { now: { type: 'string' } } } }
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => {
      app.get('/', { name: 'item', schema: { response } }, async () => ({ now: 'a' }))
    }, { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
  }
  t.same((await app.inject('/v1')).json(), { old: 'a' })
  t.same((await app.inject('/v1/')).json(), { old: 'a' })
  t.same((await app.inject('/v2/')).json(), { now: 'a' })
  t.same(touchedIn(app), [['v2', ['/v1']]])
})

const INVALID: [Partial<RouteOptions>, RegExp][] = [
  [{ writtenFor: 'v9' }, /Invalid "writtenFor": expected one of allowedVersions, .*got 'v9'\..*GET \/bookings/],
  [{ writtenFor: 3 as never }, /Invalid "writtenFor".*got 3/],
  [{ version: 'v3', writtenFor: 'v2' }, /^Set "writtenFor" to 'v3' or later: .* written for 'v2' .*GET \/bookings/],
  [{ versioning: false, writtenFor: 'v3' }, /Invalid "writtenFor": expected .*got 'v3'/]
]
for (const [options, message] of INVALID) {
  t.test(`a route with ${JSON.stringify(options)} is an error at boot`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes })
    await t.rejects(async () => {
      app.get('/bookings', { schema, ...options }, handler)
      await app.ready()
    }, { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('changes may be inherited, replaced as a whole, and switched off', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/bookings', { schema }, handler)
  const child = (prefix: string, options: VersioningOptions) => {
    app.register(async (app) => {
      await app.register(versioning, options)
      app.get('/bookings', { schema }, handler)
    }, { prefix })
  }
  child('/same', {})
  child('/none', { changes: null })
  child('/room', { changes: [room] })
  t.same(await answers(app, '/same/bookings'), [EXAMPLES.v1, EXAMPLES.v2, EXAMPLES.v3])
  t.same(await answers(app, '/none/bookings'), [EXAMPLES.v3, EXAMPLES.v3, EXAMPLES.v3])
  t.same(await answers(app, '/room/bookings'), [EXAMPLES.v2, EXAMPLES.v2, EXAMPLES.v3])
})

t.test('app.upgrade and app.downgrade convert values of the schemas of their context', async (t) => {
  const app = await appWith(t, { scheme, allowedVersions: VERSIONS, changes })
  app.register(async (child) => {
    child.addSchema(Booking)
    child.get('/bookings', { schema }, handler)
    child.addHook('onReady', async () => {
      for (const version of VERSIONS) {
        t.same(child.downgrade('Booking', EXAMPLES.v3, version), EXAMPLES[version])
        t.same(child.upgrade('Booking', EXAMPLES[version], version), EXAMPLES.v3)
      }
      const code = 'FST_ERR_VERSION_CHANGE_OPTION'
      t.throws(() => child.downgrade('Bookin', {}, 'v1'), { code, message: /Did you mean 'Booking'/ })
      t.throws(() => child.downgrade('Booking', '{}', 'v1'), {
        code, message: "Pass an object, not a text, to downgrade(): 'Booking' is the schema of an object, got '{}'."
      })
      for (const call of [
        () => child.downgrade('Booking', Promise.resolve({}), 'v1'),
        () => child.merge('Booking', Promise.resolve({}), {}, 'v1')
      ]) t.throws(call, { code, message: /^Pass an object, not a promise, to downgrade\(\): / })
      t.throws(() => child.upgrade('Booking', [{}], 'v1'), {
        code, message: "Pass each item to upgrade(): 'Booking' is the schema of an object, got [ {} ]."
      })
      t.throws(() => app.downgrade('Booking', {}, 'v1'), { code })
    })
  })
  await app.ready()
})

t.test('one schema object may be given to all routes', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  const shared = { ...schema }
  app.addHook('onRoute', (route) => { route.schema = shared })
  for (const url of ['/bookings', '/others']) app.get(url, handler)
  app.get('/old', { version: 'v1' }, async () => EXAMPLES.v1)
  t.same((await ask(app, 'v1', '/old')).json(), EXAMPLES.v1)
  const expected = VERSIONS.map((version) => EXAMPLES[version])
  for (const url of ['/bookings', '/others']) t.same(await answers(app, url), expected)
})

t.test('app.changes shows what changed, newest first, and in the given order within a version', async (t) => {
  const other: Change = { version: 'v3', description: 'Other.', routes: { bookings: cursor } }
  const app = await appWithChanges(t, { scheme, changes: [guests, room, other] })
  app.get('/bookings', { name: 'bookings', schema: { ...schema, querystring: byCursor } }, handler)
  await app.ready()
  const routes = [{ method: 'GET', url: '/bookings', name: 'bookings' }]
  t.same(app.changes, [
    { version: 'v3', description: 'A room has a number.', routes },
    { version: 'v3', description: 'Other.', routes },
    { version: 'v2', description: 'A booking has several guests.', routes }
  ])
})

t.test('a change without functions is the sentence of a route that another handler answers', async (t) => {
  const [list, more] = [1, 2].map((i): Change => (
    { version: 'v2', description: `Prices ${i}.`, routes: { prices: {} } }
  ))
  const app = await appWithChanges(t, { scheme, changes: [list, guests, more] })
  app.get('/bookings', { schema }, handler)
  app.get('/prices', { name: 'prices', version: { to: 'v1' } }, async () => 'per stay')
  app.get('/prices', { version: { from: 'v2' } }, async () => 'per night')
  await app.ready()
  const routes = [{ method: 'GET', url: '/prices', name: 'prices' }]
  t.same(app.changes.filter(({ description }) => description.startsWith('Prices')), [
    { version: 'v2', description: 'Prices 1.', routes }, { version: 'v2', description: 'Prices 2.', routes }
  ])
  t.same((await ask(app, 'v1', '/prices')).body, 'per stay')
  t.same((await ask(app, 'v2', '/prices')).body, 'per night')
})

for (const [name, message] of [
  ['prices', "Change 'v2' \\(P\\.\\), GET /prices, handler: one handler answers in 'v1' and in 'v2'\\. Give the"],
  ['price', "Change 'v2' \\(P\\.\\): no route is named 'price'\\. Did you mean 'prices'\\?"],
  ['rooms', "Change 'v2' \\(P\\.\\): no route is named 'rooms'\\. Write { name: 'rooms' } into the options of the"]
]) {
  t.test(`a change without functions is refused with the message ${message.replaceAll('\\', '')}`, async (t) => {
    const change: Change = { version: 'v2', description: 'P.', routes: { [name]: {} } }
    const app = await appWithChanges(t, { scheme, changes: [change] })
    app.get('/prices', { name: 'prices' }, handler)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message: new RegExp(`^${message}`)
    })
  })
}

t.test('a conversion before the app is ready does not keep later schemas from being found', async (t) => {
  const app = await appBetween(t, guests, [])
  app.get('/', { schema: { response: { 200: Booking } } }, async () => EXAMPLES.v2)
  t.throws(() => app.downgrade('Booking', EXAMPLES.v2, 'v1'), { message: /No shared schema has the \$id/ })
  await app.ready()
  t.same(app.downgrade('Booking', EXAMPLES.v2, 'v1'), EXAMPLES.v1)
})

t.test('a HEAD route speaks what its GET route does, whatever hooks have declared since', async (t) => {
  const app = await appBetween(t, guests, [Booking])
  app.addHook('onRoute', ({ method, url }) => { if (method === 'GET') app.options(url, { version: 'v1' }, ok) })
  app.head('/', { version: 'v2' }, ok)
  app.get('/', { schema }, async () => EXAMPLES.v2)
  t.same((await ask(app, 'v1', '/')).json(), EXAMPLES.v1)
})

t.test('the route of an older version has schemas as they were that are added after it', async (t) => {
  const app = await appBetween(t, guests, [BookingV2])
  const list = { response: { 200: { $ref: 'List#' } } }
  for (const version of ['v1', 'v2']) app.get('/', { version, schema: list }, async () => [EXAMPLES[version]])
  await app.register(async () => {})
  app.addSchema({ $id: 'List', type: 'array', items: { $ref: 'Booking#' } })
  for (const version of ['v1', 'v2']) t.same((await ask(app, version, '/')).json(), [EXAMPLES[version]])
})

t.test('the route of an older version may have its schema under "query"', async (t) => {
  const app = await appBetween(t, guests, [BookingV2])
  const schema = { query: { $ref: 'Booking#' }, response: { 200: {} } }
  const shown: RouteOptions[] = []
  app.addHook('onRoute', (options) => { shown.push(options) })
  for (const version of ['v1', 'v2']) app.get('/', { version, schema }, async ({ query }) => query)
  t.match((await ask(app, 'v1', '/?guest=Ada&room=7')).json(), EXAMPLES.v1)
  t.match((await ask(app, 'v2', '/?guests=Ada&room=7')).json(), EXAMPLES.v2)
  t.equal((await ask(app, 'v1', '/?guests=Ada&room=7')).statusCode, 400)
  for (const { schema } of shown) t.strictSame(schema?.querystring, { $ref: 'Booking#' })
})

t.test('a query that the newest schema refuses once it is upgraded is the fault of the change', async (t) => {
  const wrong = { ...cursor, query: { upgrade: () => ({ cursor: 'none' }), downgrade: () => ({ page: 1 }) } }
  const app = await appBetween(t, ofRoute(wrong, 'v2'), [])
  app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor, response: { 200: {} } } }, ok)
  const { statusCode, code } = (await ask(app, 'v1', '/bookings?page=1')).json()
  t.strictSame([statusCode, code], [500, 'FST_ERR_VERSION_CHANGE'])
})

t.test('two schemas with one $id are named, although Fastify compiles a route of an older version first', async (t) => {
  const app = await appBetween(t, guests, [])
  for (const version of ['v1', 'v2']) app.get('/', { version, schema: { response: { 200: Booking } } }, ok)
  app.get('/others', { schema: { response: { 200: { ...Booking, description: 'Another one.' } } } }, ok)
  const message = /another schema with the \$id 'Booking' than GET \/: there, "description" is absent/
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
})

t.test('without changes app.changes is empty, and app.downgrade an error', async (t) => {
  const app = await appWith(t, { scheme })
  t.same(app.changes, [])
  t.throws(() => app.downgrade('Booking', {}, 'v1'), { code: 'FST_ERR_VERSION_CHANGE_OPTION' })
})

t.test('an unknown version is an error of app.downgrade, with a near name or with all of them', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/', { schema: { response: { 200: Booking } } }, ok)
  await app.ready()
  const code = 'FST_ERR_VERSION_CHANGE_OPTION'
  t.throws(() => app.downgrade('Booking', EXAMPLES.v3, 'v22'), { code, message: /Did you mean 'v2'\?/ })
  const message = /Pass one of \[ 'v1', .*request\.version/
  t.throws(() => app.downgrade('Booking', EXAMPLES.v3, 'latest'), { code, message })
})

t.test('app.downgrade, app.upgrade and app.merge resolve a version as requests do', async (t) => {
  const resolveVersion = (asked: string) => asked === 'stable' ? 'v1' : null
  const app = await appWithChanges(t, { scheme, changes, resolveVersion })
  app.get('/', { schema: { response: { 200: Booking } } }, ok)
  await app.ready()
  t.same(app.downgrade('Booking', EXAMPLES.v3, 'stable'), EXAMPLES.v1)
  t.same(app.upgrade('Booking', EXAMPLES.v1, 'stable'), app.upgrade('Booking', EXAMPLES.v1, 'v1'))
  t.same(app.merge('Booking', EXAMPLES.v3, EXAMPLES.v3, 'stable'), app.merge('Booking', EXAMPLES.v3, EXAMPLES.v3, 'v1'))
})

t.test('a hook that gives a request of the newest version an older one gets the older answer', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.addHook('preHandler', async (request) => { if (request.headers['x-pin'] === 'v1') request.version = 'v1' })
  app.get('/pinned', { schema: { response: { 200: Booking } } }, handler)
  const headers = { 'api-version': 'v3' }
  t.same((await app.inject({ url: '/pinned', headers })).json(), EXAMPLES.v3)
  t.same((await app.inject({ url: '/pinned', headers: { ...headers, 'x-pin': 'v1' } })).json(), EXAMPLES.v1)
  t.same((await app.inject({ url: '/pinned', headers })).json(), EXAMPLES.v3)
})

class AfterRouting extends BaseVersioning {
  override readonly knownAfterRouting = 'the version is known late'
  override readVersion (request: FastifyRequest) { return request.headers['x-version'] as string }
}

/** What each version gets, by method. */
const WORKING: [string, (app: FastifyInstance) => void, Record<string, object>, VersioningOptions?][] = [
  ['a scheme that cannot choose', (app) => {
    app.get('/bookings', { schema }, handler)
  }, { GET: EXAMPLES }, { scheme: AfterRouting }],
  ['a newer route that another context declares later', (app) => {
    app.register(async (app) => { app.get('/bookings', { schema, version: { to: 'v2' }, writtenFor: 'v3' }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema, version: 'v3' }, handler) })
  }, { GET: EXAMPLES }],
  ['an older route that another context declares later', (app) => {
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
    app.register(async (app) => { app.get('/bookings', { version: 'v1' }, async () => 'by hand') })
    app.get('/others', { schema }, handler)
  }, { GET: { ...EXAMPLES, v1: 'by hand' } }],
  ['other versions under one method than under another', (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { version: 'v3' }, async () => 'by hand')
  }, { GET: { ...EXAMPLES, v3: 'by hand' }, POST: EXAMPLES }],
  ['no version under the first method', (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { version: VERSIONS }, async () => 'by hand')
  }, { GET: { v1: 'by hand', v2: 'by hand', v3: 'by hand' }, POST: EXAMPLES }],
  ['schemas that are added after a context has loaded', (app) => {
    app.get('/bookings', { schema: { response: { 200: { $ref: 'Late#' } } } }, handler)
    app.after(() => { app.addSchema({ $id: 'Late', allOf: [{ $ref: 'Booking#' }] }) })
  }, { GET: EXAMPLES }]
]
for (const [label, declare, expected, options] of WORKING) {
  t.test(`changes work with ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [guests, room], ...options })
    declare(app)
    for (const [method, answers] of Object.entries(expected)) {
      for (const [version, answer] of Object.entries(answers)) {
        const headers = { 'api-version': version, 'x-version': version }
        const { body } = await app.inject({ method: method as 'GET', url: '/bookings', headers })
        t.same(answer === 'by hand' ? body : JSON.parse(body), answer, `${method} ${version}`)
      }
    }
  })
}

// Changes by route

const shared = [Stay, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const ref = { $ref: 'Guest#' }

/** Older words have a number less. */
const up = (part: Json) => ({ ...part, n: part.n + 1 })

t.test('functions of a route and of schemas in it are applied in order, version by version', async (t) => {
  const older = object({ page: ref })
  const route: RouteChange = {
    older: { body: older },
    body: { upgrade: ({ page }) => ({ at: page }) },
    response: { 200: { older, downgrade: ({ at }) => ({ page: at }) } }
  }
  for (const version of ['v2', 'v3']) {
    const changes = [names, ofRoute(route, version)]
    await converts(t, { changes, schema: both(object({ at: ref })), shared }, { page: guestV1 }, { at: guest })
  }
})

t.test('schemas of fluent-json-schema are read', async (t) => {
  const fluentOf = (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
  const fluent = { ...names, schemas: { Guest: { ...names.schemas.Guest, older: fluentOf(GuestV1) } } }
  await converts(t, { changes: [fluent], schema: both(fluentOf(ref)), shared }, guestV1, guest)
})

t.test('a part that only older versions had is upgraded, and so is a body that had one media type', async (t) => {
  const older = { query: object({ n: integer }), body: object({ n: integer }) }
  const route: RouteChange = { older, query: { upgrade: up }, body: { upgrade: () => guestV1 } }
  const schema = { body: { content: { 'application/json': { schema: ref } } } }
  const app = await appOf(t, { changes: [ofRoute(route, 'v2'), names], schema, shared })
  app.addHook('preHandler', async ({ body, query }, reply) => await reply.send({ body, query }))
  t.same((await ask(app, 'v1', '/bookings?n=1', { n: 1 })).json(), { body: guest, query: { n: '11' } })
})

t.test('a validator is compiled for each part, because a compiler of the app may look at it', async (t) => {
  const schemas = { Guest: { older: object({ n: integer }), upgrade: () => guest } }
  const app = await appBetween(t, { version: 'v2', description: 'A guest.', schemas }, shared)
  const parts: unknown[] = []
  app.setValidatorCompiler(({ httpPart }) => () => Boolean(parts.push(httpPart)))
  app.post('/', { schema: { body: ref, querystring: ref, response: { 200: {} } } }, ok)
  await app.ready()
  const atBoot = parts.length
  await ask(app, 'v1', '/?n=1', { n: 1 })
  t.same(parts.slice(atBoot), ['body', 'body', 'querystring', 'querystring', 'body', 'querystring'])
})

t.test('a compiler that looks at the URL gets that of each route, with a number for older schemas', async (t) => {
  const schemas = { Guest: { older: object({ n: integer }), upgrade: () => guest } }
  const app = await appBetween(t, { version: 'v2', description: 'A guest.', schemas }, shared)
  const urls: unknown[] = []
  app.setValidatorCompiler(({ method, url }) => () => Boolean(urls.push(`${method} ${url}`)))
  for (const url of ['/a', '/b']) app.post(url, { schema: { body: ref, response: { 200: {} } } }, ok)
  await app.ready()
  urls.length = 0
  for (const url of ['/a', '/b']) await ask(app, 'v1', url, { n: 1 })
  const expected = ['/a', '/b'].map((url) => [`POST ${url};older-1`, `POST ${url}`, `POST ${url}`])
  t.same(urls, expected.flat())
})

t.test('an older response has schemas for the JSON that the route can answer with', async (t) => {
  const HAL = 'application/hal+json'
  const content = (...types: string[]) => (
    { content: Object.fromEntries(types.map((type) => [type, { schema: object({}) }])) }
  )
  const newer = content('application/json', HAL, 'text/csv')
  for (const older of [object({}), content('*/*'), content(HAL, 'application/json')]) {
    const one = ofRoute({ response: { 200: { older, downgrade: () => ({}) } } }, 'v2')
    const app = await appBetween(t, one, [])
    const schema = { response: { 200: newer } }
    app.get('/a', { name: 'bookings', schema }, (_request, reply) => reply.type(HAL).send({ b: 1 }))
    t.equal((await ask(app, 'v1', '/a')).body, '{}')
  }
})

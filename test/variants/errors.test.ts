import t from 'tap'

import versioning, { BaseVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { Booking, BookingV1, EXAMPLES, VERSIONS, appWithChanges, guests, inVersion, room } from './bookings.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const schema = { response: { 200: { $ref: 'Booking#' } } }
const handler = async () => EXAMPLES.v3

class AfterRouting extends BaseVersioning {
  override readonly knownAfterRouting = 'the version is known late'
  override readVersion (request: FastifyRequest) { return request.headers['x-version'] as string }
}

const byName = (name: string): Change => ({
  version: 'v2', description: 'By name.', routes: { [name]: { response: { 200: { downgrade: (one) => one } } } }
})

const ofText: Change = {
  version: 'v2',
  description: 'Another text.',
  schemas: { Text: { older: { $id: 'Text', type: 'string' }, downgrade: (one) => one } }
}

/** Apps that do not boot, and why. */
const FAULTS: [string, VersioningOptions, (app: FastifyInstance) => void, RegExp][] = [
  ['a name that no route has', { changes: [byName('bookngs')] }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
  }, /Change 'v2' \(By name\.\): no route is named 'bookngs'\. Did you mean 'bookings'\?/],
  ['a change that touches no route', { changes: [guests] }, (app) => {
    app.get('/bookings', { schema, version: 'v3' }, handler)
  }, /Change 'v2' \(A booking has several guests\.\) touches no route/],
  ['a scheme that cannot choose', { scheme: AfterRouting, changes: [guests] }, (app) => {
    app.get('/bookings', { schema }, handler)
  }, /AfterRouting cannot choose the older routes that changes make of GET \/bookings: .*known late.*'v2' \(A booking/],
  ['routes for its versions that other contexts declare later', { changes: [guests, room] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema, version: 'v3' }, handler) })
  }, /GET \/bookings serves the versions \[ 'v1', 'v2' \], but \[ 'v1', 'v2', 'v3' \] when.*option "version"/],
  ['a range for an older version that a child context declares', { changes: [room] }, (app) => {
    app.get('/bookings', { schema }, handler)
    app.register(async (app) => { app.get('/bookings', { version: { to: 'v1' } }, handler) })
  }, /GET \/bookings serves the versions \[ 'v2', 'v3' \], but \[ 'v1', 'v2', 'v3' \] when.*option "version"/],
  ['a version of a range that another context declares later', { changes: [room] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { schema, version: { from: 'v1' } }, handler) })
    app.register(async (app) => { app.get('/bookings', { version: 'v2' }, handler) })
  }, /GET \/bookings serves the versions \[ 'v1', 'v3' \], but \[ 'v1', 'v2', 'v3' \] when.*option "version"/],
  ['explicit handlers for all older versions', { changes: [guests] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { version: { to: 'v1' } }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
  }, /Change 'v2' .* touches no route.*separate handlers serve all older versions, leave the change out/],
  ['an older route that another context also declares', { changes: [guests, room] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema, version: 'v1' }, handler) })
  }, /'GET' already declared for route '\/bookings'|GET \/bookings.*'v1'/],
  ['other versions under one method than under another', { changes: [guests, room] }, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { schema, version: 'v3' }, handler)
  }, /GET, POST \/bookings, which serves other versions under one method than under another/],
  ['older versions under the second method only', { changes: [guests, room] }, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { schema, version: ['v1', 'v2'] }, handler)
  }, /GET, POST \/bookings, which serves other versions under one method than under another/],
  ['no version under the first method', { changes: [guests, room] }, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { schema, version: VERSIONS }, handler)
  }, /GET, POST \/bookings, which serves other versions under one method than under another/],
  ['a version of one method that another context declares later', { changes: [guests, room] }, (app) => {
    app.register(async (app) => { app.route({ method: ['POST', 'GET'], url: '/bookings', schema, handler }) })
    app.register(async (app) => { app.get('/bookings', { schema, version: 'v3' }, handler) })
  }, /POST, GET \/bookings, which serves other versions under one method than under another/],
  ['a version that only the scheme of the route has', { changes: [guests, room] }, (app) => {
    const versioning = new QueryParameterVersioning({ allowedVersions: ['v1', 'v4'] })
    app.get('/bookings', { schema, versioning }, handler)
  }, /GET \/bookings serves 'v4', but its changes are for the versions \[ 'v1', 'v2', 'v3' \]\. Give its context/],
  ['an older body of a route whose requests have none', {
    changes: [{
      version: 'v2',
      description: 'By name.',
      routes: { bookings: { older: { body: { type: 'object' } }, body: { upgrade: (one) => one } } }
    }]
  }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
  }, /Changes give GET \/bookings a schema for the body, but requests of this method have none: 'v2' \(By name\.\)/],
  ['older parameters of a URL that has none', {
    changes: [{
      version: 'v2',
      description: 'By name.',
      routes: { bookings: { older: { params: { type: 'object' } }, params: { upgrade: (one) => one } } }
    }]
  }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
  }, /Change 'v2' \(By name\.\), GET \/bookings: the URL of the route has no parameters/],
  ['a change of a schema that only a route without any version has', { changes: [ofText] }, (app) => {
    app.get('/texts', { schema: { response: { 200: { $id: 'Text', type: 'string' } } } }, handler)
    app.get('/texts', { version: VERSIONS }, handler)
  }, /Change 'v2' \(Another text\.\) touches no route/]
]

for (const [label, options, declare, message] of FAULTS) {
  t.test(`an error at boot is caused by ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, ...options })
    declare(app)
    await t.rejects(async () => { await app.ready() }, { message })
  })
}

/** An app with one route and many versions, each of which changes it. */
async function appOf (t: Test, count: number): Promise<FastifyInstance> {
  const versions = Array.from({ length: count }, (_, i) => `v${i + 1}`)
  const app = await appWith(t, {
    scheme,
    allowedVersions: versions,
    changes: versions.slice(1).map((version) => ({
      version, description: `Change of ${version}.`, schemas: { Booking: { older: BookingV1, downgrade: (one) => one } }
    }))
  })
  app.addSchema(Booking)
  app.get('/bookings', { schema, exposeHeadRoute: false }, async () => EXAMPLES.v3)
  return app
}

t.test('the error about more than 31 routes at a URL says which changes to retire', async (t) => {
  await t.resolves(async () => { await (await appOf(t, 31)).ready() })
  await t.rejects(async () => { await (await appOf(t, 33)).ready() }, {
    code: 'FST_ERR_VERSION_CHANGE_OPTION',
    message: /32 older routes of GET \/bookings.* 31 routes.* oldest of them: 'v3' \(.*v3\.\), 'v2' \(.*v2\.\)\. /
  })
})

t.test('routes declared before the plugin are an error only if changes touch them', async (t) => {
  for (const touched of [true, false]) {
    const app = bareApp(t)
    const { get } = app
    await app.register(versioning, { scheme, allowedVersions: VERSIONS, changes: [guests, room] })
    app.addSchema(Booking)
    app.get('/others', { schema }, handler)
    get.call(app, '/bookings', (touched ? { schema } : {}) as never, handler as never)
    if (!touched) await t.resolves(async () => { await app.ready() })
    else {
      await t.rejects(async () => { await app.ready() }, {
        message: /older routes of GET \/bookings, but that was not known/
      })
    }
  }
})

t.test('schemas added after a context has loaded are an error only if changes touch them', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/others', { schema }, handler)
  app.get('/bookings', { schema: { response: { 200: { $ref: 'List#' } } } }, async () => [EXAMPLES.v3])
  app.get('/texts', { schema: { response: { 200: { $ref: 'Text#' } } } }, async () => 'text')
  await app.after()
  app.addSchema({ $id: 'Text', type: 'string' })
  app.addSchema({ $id: 'List', type: 'array', items: { $ref: 'Booking#' } })
  await t.rejects(async () => { await app.ready() }, {
    message: /older routes of GET \/bookings, but that was not known.*add the schemas/
  })
})

t.test('two contexts whose changes make different schemas of one shared schema are an error at boot', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema }, handler)
  app.register(async (app) => {
    await app.register(versioning, { changes: [{ ...room, version: 'v2' }] })
    app.get('/others', { schema }, handler)
  })
  await t.rejects(async () => { await app.ready() }, {
    message: /Two contexts have changes that make different schemas/
  })
})

t.test('a route that Fastify refused does not affect the changes of other routes', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  t.throws(() => app.get('/broken', { onRequest: 'no function' as never }, handler), /onRequest/)
  app.get('/bookings', { schema }, handler)
  for (const version of VERSIONS) {
    t.same((await app.inject(inVersion(version, '/bookings'))).json(), EXAMPLES[version], version)
  }
})

t.test('an error about a declared route is thrown once', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  t.throws(() => app.get('/bookings', { schema, version: 'v9' }, handler), { code: 'FST_ERR_VERSIONING_OPTION' })
  app.register(async () => { throw new Error('own') })
  app.get('/others', { schema }, handler)
  await t.rejects(async () => { await app.ready() }, { message: 'own' })
})

t.test('a schema of the app may have the name of an older one', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.addSchema({ $id: 'Booking.v2', type: 'string' })
  app.get('/bookings', { schema }, handler)
  app.get('/texts', { schema: { response: { 200: { $ref: 'Booking.v2#' } } } }, async () => 'a')
  for (const version of VERSIONS) {
    t.same((await app.inject(inVersion(version, '/bookings'))).json(), EXAMPLES[version], version)
  }
  t.equal((await app.inject(inVersion('v1', '/texts'))).body, 'a')
})

t.test('an onRoute hook that fails for an older route is the error', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.addHook('onRoute', ({ schema }) => {
    if ((schema as { hide?: unknown }).hide !== undefined) throw new Error('own')
  })
  app.get('/bookings', { schema, exposeHeadRoute: false }, handler)
  await t.rejects(async () => { await app.ready() }, { message: 'own' })
})

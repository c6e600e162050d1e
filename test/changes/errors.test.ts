import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
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

const byName = (name: string, older?: object): Change => ({
  version: 'v2', description: 'By name.', routes: { [name]: { response: { 200: { older, downgrade: (one) => one } } } }
})

const ofQuery = (querystring: object): Change => ({
  version: 'v2',
  description: 'By name.',
  routes: { bookings: { older: { querystring }, query: { upgrade: (one) => one } } }
})

const Text = { $id: 'Text', type: 'string' }

const ofText: Change = {
  version: 'v2',
  description: 'Another text.',
  schemas: { Text: { older: { $id: 'Text', type: 'string' }, downgrade: (one) => one } }
}

/** Apps that do not boot, and why. */
const FAULTS: [string, VersioningOptions, (app: FastifyInstance) => void, RegExp][] = [
  ['a schema that does not exist', {
    changes: [{ ...guests, schemas: { Bookng: guests.schemas?.Booking as never } }]
  }, (app) => {
    app.get('/bookings', { schema }, handler)
  }, /^Change 'v2' \(A booking has several guests\.\): no schema has the \$id 'Bookng'\. Did you mean 'Booking'\?/],
  ['a schema of routes that the plugin has not seen', { changes: [ofText] }, (app) => {
    app.get('/bookings', { schema }, handler)
  }, /no schema has the \$id 'Text'\. Only routes count that are declared after the registration of the plugin/],
  ['a route without a name at the URL of a change', { changes: [byName('bookings')] }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
    app.delete('/bookings', handler)
    app.patch('/bookings', { version: { from: 'v2' }, schema }, handler)
    app.put('/bookings', { schema }, handler)
  }, /PUT \/bookings, response 200: the route has no name, and 'bookings' has its URL: give it that name, or another/],
  ['a name with the namespace that is its version', { changes: [byName('2025-06-01:bookings')] }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
  }, /no route is named '2025-06-01:bookings'\. Did you mean 'bookings'\?/],
  ['a name that no route has', { changes: [byName('bookngs')] }, (app) => {
    app.get('/bookings', { name: 'bookings', schema }, handler)
  }, /Change 'v2' \(By name\.\): no route is named 'bookngs'\. Did you mean 'bookings'\?/],
  ['a change that touches no route', { changes: [guests] }, (app) => {
    app.get('/bookings', { schema, version: 'v3' }, handler)
  }, /Change 'v2' \(A booking has several guests\.\) touches no route/],
  ['explicit handlers for all older versions', { changes: [guests] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { version: { to: 'v1' } }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
  }, /Change 'v2' .* touches no route.*separate handlers serve all older versions, leave the change out/],
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
  }, /^Change 'v2' \(By name\.\), GET \/bookings, body: GET requests have no body: give the route that has one /],
  ['a change of a schema that only a route without any version has', { changes: [ofText] }, (app) => {
    app.get('/texts', { schema: { response: { 200: { $id: 'Text', type: 'string' } } } }, handler)
    app.get('/texts', { version: VERSIONS }, handler)
  }, /Change 'v2' \(Another text\.\) touches no route/],
  ['an older query that is not a schema', {
    changes: [ofQuery({ page: { type: 'integer' } })]
  }, (app) => {
    app.get('/bookings', { name: 'bookings' }, handler)
  }, /^Change 'v2' \(By name\.\), GET \/bookings, querystring: the older schema does not compile: .*keyword: "page"/],
  ['an older schema with a type that does not exist', {
    changes: [{ ...ofText, schemas: { Text: { older: { type: 'strin' }, downgrade: (one) => one } } }]
  }, (app) => {
    app.get('/texts', { schema: { response: { 200: Text } } }, handler)
  }, /^Change 'v2' \(Another text\.\), GET \/texts, response 200: the older schema does not compile: .*type must be/],
  ['an older query that refers to nothing', {
    changes: [ofQuery({ $ref: 'None#' })]
  }, (app) => {
    app.get('/bookings', { name: 'bookings' }, handler)
  }, /GET \/bookings, querystring: "\$ref": "None#" leads to no \$id and no JSON pointer\. See/],
  ['different schemas with one $id', { changes: [ofText] }, (app) => {
    app.get('/equal', { schema: { response: { 200: { ...Text } } } }, handler)
    app.get('/texts', { schema: { response: { 200: Text } } }, handler)
    app.get('/others', { schema: { response: { 200: { ...Text, maxLength: 9 } } } }, handler)
  }, /^Change 'v2' \(Another text\.\), GET \/others, schema: another schema has the \$id 'Text', too: share one/],
  ['different Zod schemas with one id', {
    changes: [ofText]
  }, (app) => {
    app.setSerializerCompiler(serializerCompiler)
    for (const url of ['/texts', '/others']) {
      app.get(url, { schema: { response: { 200: z.string().meta({ id: 'Text' }) } } }, handler)
    }
  }, /^Change 'v2' \(Another text\.\), GET \/others, schema: another schema has the \$id 'Text', too/],
  ['namespaces without "writtenFor"', { scheme: NamespaceVersioning, changes: [guests] }, (app) => {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (app) => {
        app.get('/bookings', { schema }, handler)
      }, { prefix: `/${namespace}`, namespace })
    }
  }, /^Change 'v2' .*, GET \/v1\/bookings, writtenFor: say for which version .*: 'v3' if it is .*, or its own, 'v1'\./],
  ['a namespace without "writtenFor", and a change by route', {
    scheme: NamespaceVersioning, changes: [byName('bookings')]
  }, (app) => {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (app) => {
        app.get('/bookings', { name: 'bookings', schema }, handler)
      }, { prefix: `/${namespace}`, namespace })
    }
  }, /^Change 'v2' \(By name\.\), GET \/v1\/bookings, writtenFor: say for which version its handler is written/],
  ['a change of a schema that a change of the route replaces', {
    changes: [ofText, byName('texts', { type: 'object' })]
  }, (app) => {
    app.get('/texts', { name: 'texts', schema: { response: { 200: Text } } }, handler)
  }, /Change 'v2' \(Another text\.\) touches no route: none .*, unless a change of the route replaces them\./]
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
      version,
      description: `Change of ${version}.`,
      schemas: { Booking: { older: { ...BookingV1, required: [] }, downgrade: (one) => one } }
    }))
  })
  app.addSchema(Booking)
  app.get('/bookings', { schema, exposeHeadRoute: false }, async () => EXAMPLES.v3)
  return app
}

/** What was an error as long as each older version had its own route. */
type Answers = Record<string, Record<string, unknown>>
const WORKING: [string, VersioningOptions, (app: FastifyInstance) => void, Answers][] = [
  ['a scheme that cannot choose', { scheme: AfterRouting, changes: [guests, room] }, (app) => {
    app.get('/bookings', { schema }, handler)
  }, { GET: EXAMPLES }],
  ['a newer route that another context declares later', { changes: [guests, room] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { schema, version: { to: 'v2' }, writtenFor: 'v3' }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema, version: 'v3' }, handler) })
  }, { GET: EXAMPLES }],
  ['an older route that another context declares later', { changes: [guests, room] }, (app) => {
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
    app.register(async (app) => { app.get('/bookings', { version: 'v1' }, async () => 'by hand') })
    app.get('/others', { schema }, handler)
  }, { GET: { ...EXAMPLES, v1: 'by hand' } }],
  ['other versions under one method than under another', { changes: [guests, room] }, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { version: 'v3' }, async () => 'by hand')
  }, { GET: { ...EXAMPLES, v3: 'by hand' }, POST: EXAMPLES }],
  ['no version under the first method', { changes: [guests, room] }, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/bookings', schema, handler })
    app.get('/bookings', { version: VERSIONS }, async () => 'by hand')
  }, { GET: { v1: 'by hand', v2: 'by hand', v3: 'by hand' }, POST: EXAMPLES }],
  ['schemas that are added after a context has loaded', { changes: [guests, room] }, (app) => {
    app.get('/bookings', { schema: { response: { 200: { $ref: 'Late#' } } } }, handler)
    app.after(() => { app.addSchema({ $id: 'Late', allOf: [{ $ref: 'Booking#' }] }) })
  }, { GET: EXAMPLES }]
]
for (const [label, options, declare, expected] of WORKING) {
  t.test(`changes work with ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, ...options })
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

t.test('forty versions may differ', async (t) => {
  const app = await appOf(t, 40)
  t.same((await app.inject(inVersion('v40', '/bookings'))).json(), EXAMPLES.v3)
  t.same((await app.inject(inVersion('v1', '/bookings'))).json(), { room: '[object Object]' })
})

t.test('two contexts may change one schema differently, which a child shares with its parent', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema }, handler)
  app.register(async (app) => {
    await app.register(versioning, { changes: [{ ...room, version: 'v2' }] })
    app.get('/others', { schema }, handler)
  })
  t.same((await app.inject(inVersion('v1', '/bookings'))).json(), EXAMPLES.v1)
  t.same((await app.inject(inVersion('v1', '/others'))).json(), EXAMPLES.v2)
  t.same((await app.inject(inVersion('v2', '/others'))).json(), EXAMPLES.v3)
})

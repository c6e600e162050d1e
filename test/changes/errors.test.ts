import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { Booking, BookingV1, EXAMPLES, VERSIONS, appWithChanges, ask, guests, room } from './bookings.ts'

import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Change, RouteChange, VersioningOptions } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const schema = { response: { 200: { $ref: 'Booking#' } } }
const handler = async () => EXAMPLES.v3
const same = (one: unknown) => one

class AfterRouting extends BaseVersioning {
  override readonly knownAfterRouting = 'the version is known late'
  override readVersion (request: FastifyRequest) { return request.headers['x-version'] as string }
}

const ofRoute = (name: string, route: RouteChange): Change => (
  { version: 'v2', description: 'By name.', routes: { [name]: route } }
)
const byName = (name: string, older?: object) => ofRoute(name, { response: { 200: { older, downgrade: same } } })
const ofQuery = (older: object) => (
  ofRoute('bookings', { older: { querystring: { additionalProperties: true, ...older } }, query: { upgrade: same } })
)

const Text = { $id: 'Text', type: 'string' }
const text = { schema: { response: { 200: Text } } }
const ofText: Change = {
  version: 'v2',
  description: 'Another text.',
  schemas: { Text: { older: { $id: 'Text', type: 'string' }, downgrade: same } }
}
const named = { name: 'bookings', schema }
const inSpaces = (options: RouteShorthandOptions) => (app: FastifyInstance) => {
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => { app.get('/bookings', options, handler) }, { prefix: `/${namespace}`, namespace })
  }
}

/** Apps that do not boot, and why: with the options of GET /bookings, or several routes. */
const FAULTS: [
  string, Change | Change[], RouteShorthandOptions | ((app: FastifyInstance) => void), RegExp, VersioningOptions?
][] = [
  ['a schema that does not exist', { ...guests, schemas: { Bookng: guests.schemas?.Booking as never } }, { schema },
    /^Change 'v2' \(A booking has several guests\.\): no schema has the \$id 'Bookng'\. Did you mean 'Booking'\?/],
  ['a schema of routes that the plugin has not seen', ofText, { schema },
    /no schema has the \$id 'Text'\. Only routes count that are declared after the registration of the plugin/],
  ['a route without a name at the URL of a change', byName('bookings'), (app) => {
    app.get('/bookings', named, handler)
    app.delete('/bookings', handler)
    app.patch('/bookings', { version: { from: 'v2' }, schema }, handler)
    app.put('/bookings', { schema }, handler)
  }, /PUT \/bookings, response 200: the route has no name, and 'bookings' has its URL: give it that name, or another/],
  ['a name with the namespace that is its version', byName('2025-06-01:bookings'), named,
    /no route is named '2025-06-01:bookings'\. Did you mean 'bookings'\?/],
  ['a name that no route has', byName('bookngs'), named,
    /Change 'v2' \(By name\.\): no route is named 'bookngs'\. Did you mean 'bookings'\?/],
  ['a change that touches no route', guests, { schema, version: 'v3' },
    /Change 'v2' \(A booking has several guests\.\) touches no route/],
  ['explicit handlers for all older versions', guests, (app) => {
    app.register(async (app) => { app.get('/bookings', { version: { to: 'v1' } }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
  }, /Change 'v2' .* touches no route.*separate handlers serve all older versions, leave the change out/],
  ['a version that only the scheme of the route has', [guests, room], {
    schema, versioning: new QueryParameterVersioning({ allowedVersions: ['v1', 'v4'] })
  }, /GET \/bookings serves 'v4', but its changes are for the versions \[ 'v1', 'v2', 'v3' \]\. Give its context/],
  ['an older body of a route whose requests have none',
    ofRoute('bookings', { older: { body: { type: 'object' } }, body: { upgrade: same } }), named,
    /^Change 'v2' \(By name\.\), GET \/bookings, body: GET requests have no body: give the route that has one /],
  ['a change of a schema that only a route without any version has', ofText, (app) => {
    app.get('/texts', text, handler)
    app.get('/texts', { version: VERSIONS }, handler)
  }, /Change 'v2' \(Another text\.\) touches no route/],
  ['an older query that is not a schema', ofQuery({ page: { type: 'integer' } }), { name: 'bookings' },
    /^Change 'v2' \(By name\.\), GET \/bookings, querystring: the older schema does not compile: .*keyword: "page"/],
  ['an older schema with a type that does not exist', {
    ...ofText, schemas: { Text: { older: { type: 'strin' }, downgrade: same } }
  }, text, /^Change 'v2' .*, GET \/bookings, response 200: the older schema does not compile: .*type must be/],
  ['an older query that refers to nothing', ofQuery({ $ref: 'None#' }), { name: 'bookings' },
    /GET \/bookings, querystring: "\$ref": "None#" leads to no \$id and no JSON pointer\. See/],
  ['different schemas with one $id', ofText, (app) => {
    app.get('/equal', { schema: { response: { 200: { ...Text } } } }, handler)
    app.get('/texts', text, handler)
    app.get('/others', { schema: { response: { 200: { ...Text, maxLength: 9 } } } }, handler)
  }, /^Change 'v2' \(Another text\.\), GET \/others, schema: another schema has the \$id 'Text', too: share one/],
  ['different Zod schemas with one id', ofText, (app) => {
    app.setSerializerCompiler(serializerCompiler)
    for (const url of ['/texts', '/others']) {
      app.get(url, { schema: { response: { 200: z.string().meta({ id: 'Text' }) } } }, handler)
    }
  }, /^Change 'v2' \(Another text\.\), GET \/others, schema: another schema has the \$id 'Text', too/],
  ['namespaces without "writtenFor"', guests, inSpaces({ schema }),
    /^Change 'v2' .*, GET \/v1\/bookings, writtenFor: say for which version .*: 'v3' if it is .*, or its own, 'v1'\./,
    { scheme: NamespaceVersioning }],
  ['a namespace without "writtenFor", and a change by route', byName('bookings'), inSpaces(named),
    /^Change 'v2' \(By name\.\), GET \/v1\/bookings, writtenFor: say for which version its handler is written/,
    { scheme: NamespaceVersioning }],
  ['a change of a schema that a change of the route replaces', [ofText, byName('texts', { type: 'object' })],
    { name: 'texts', ...text },
    /Change 'v2' \(Another text\.\) touches no route: none .*, unless a change of the route replaces them\./],
  ['a handler of all other versions that speaks an older one', [guests, room], (app) => {
    app.get('/bookings', { schema }, handler)
    app.get('/bookings', { schema, version: 'v3' }, handler)
  }, /^GET \/bookings speaks 'v2', but its schemas have what the change 'v3' .* "version"/],
  ...['params', 'headers'].map((part): typeof FAULTS[number] => [
    `a changed schema in ${part}`, ofText, { schema: { [part]: { type: 'object', properties: { a: Text } } } },
    new RegExp(`Change 'v2' .*, GET /bookings, ${part}: nothing is converted there: change it by route`)
  ])
]

for (const [label, changes, declared, message, options = {}] of FAULTS) {
  t.test(`an error at boot is caused by ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [changes].flat(), ...options })
    if (typeof declared === 'function') declared(app)
    else app.get('/bookings', declared, handler)
    await t.rejects(async () => { await app.ready() }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
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

t.test('forty versions may differ', async (t) => {
  const versions = Array.from({ length: 40 }, (_, i) => `v${i + 1}`)
  const schemas = { Booking: { older: { ...BookingV1, required: [] }, downgrade: same } }
  const changes = versions.slice(1).map((version) => ({ version, description: `Change of ${version}.`, schemas }))
  const app = await appWith(t, { scheme, allowedVersions: versions, changes })
  app.addSchema(Booking)
  app.get('/bookings', { schema, exposeHeadRoute: false }, handler)
  t.same((await ask(app, 'v40')).json(), EXAMPLES.v3)
  t.same((await ask(app, 'v1')).json(), { room: '[object Object]' })
})

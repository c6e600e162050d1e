import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { VERSIONS } from './bookings.ts'
import { object, several } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const upgrade = () => ({})
const downgrade = upgrade
const base = { version: 'v2', description: 'A.' }
const ofSchema = (schema: unknown) => [{ ...base, schemas: { A: schema } }]
const ofRoute = (route: unknown) => [{ ...base, routes: { a: route } }]
const A = "'v2' \\(A\\.\\)"

const WRONG: [given: unknown, message: string, versions?: readonly (string | null)[] | null][] = [
  [{}, 'Invalid "changes": expected an array of changes, got {}\\.'],
  [[several], 'The option "changes" needs "allowedVersions": they say which version is newer\\.', null],
  [[several], 'The option "changes" needs "allowedVersions"', [null]],
  [[null], 'Invalid change changes\\.0: expected an object, got null\\.'],
  [[{ ...base, version: 2 }], 'Invalid change changes\\.0\\.version: expected one of allowedVersions, got 2\\.'],
  [[{ version: 'v2', schemas: {} }], 'Invalid change changes\\.0\\.description: expected a sentence for the readers'],
  [[{ ...base, version: 'v22' }],
    "Change 'v22' \\(A\\.\\): the version is not one of allowedVersions\\. Did you mean 'v2'\\?"],
  [[{ ...base, version: 'v1' }], "Change 'v1' \\(A\\.\\): 'v1' is the oldest version, so nothing is older\\."],
  [[base], `Change ${A} changes nothing: give it "schemas" or "routes"\\.`],
  [[{ ...base, shemas: {} }], 'Change changes\\.0 has no option "shemas", but .* Did you mean \'schemas\'\\?'],
  [[{ ...base, schemas: [] }], `Invalid change ${A}, schemas: expected an object, got \\[\\]\\.`],
  [ofSchema(null), `Invalid change ${A}, schemas\\.A: expected an object, got null\\.`],
  [ofSchema({ upgrade }), `Invalid change ${A}, schemas\\.A\\.older: expected a schema, got undefined\\.`],
  [ofSchema({ older: {} }),
    `Invalid change ${A}, schemas\\.A: expected a function "upgrade", "downgrade", or both, got`],
  [ofSchema({ older: {}, upgrade: 1 }), `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function, got 1\\.`],
  [ofSchema({ older: {}, upgrade: async () => ({}) }),
    `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function that is not async`],
  [ofSchema({ older: {}, upgrade: async function * () {} }),
    `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function, got \\[AsyncGen`],
  [ofSchema({ older: {}, upgrade: function * () {} }),
    `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function, got \\[Gen`],
  [ofSchema({ older: {}, upgrade, lossless: 1 }),
    `Invalid change ${A}, schemas\\.A\\.lossless: expected true or false, got 1\\.`],
  [ofSchema({ older: {}, upgrad: upgrade }),
    `Change ${A}, schemas\\.A has no option "upgrad", but older, .* Did you mean 'upgrade'\\?`],
  [ofRoute({}), `Invalid change ${A}, routes\\.a: expected a part of the request, or a response, got {}\\.`],
  [ofRoute({ boddy: { upgrade } }), `Change ${A}, routes\\.a has no option "boddy", .* Did you mean 'body'\\?`],
  [ofRoute({ body: { downgrade } }),
    `Invalid change ${A}, routes\\.a\\.body\\.upgrade: expected a function, got undefined\\.`],
  [ofRoute({ older: { body: {} }, query: { upgrade } }),
    `Invalid change ${A}, routes\\.a\\.body: expected a function "upgrade"`],
  [ofRoute({ older: { body: 1 }, body: { upgrade } }),
    `Invalid change ${A}, routes\\.a\\.body\\.older: expected a schema, got 1\\.`],
  [ofRoute({ older: { response: {} } }), `Change ${A}, routes\\.a\\.older has no option "response", but body, query`],
  [ofRoute({ query: { upgrade }, querystring: { upgrade } }),
    `Change ${A}, routes\\.a has both "query" and "querystring"`],
  [ofRoute({ response: { 200: {} } }), `Invalid change ${A}, routes\\.a\\.response\\.200: expected a function`],
  [ofRoute({ response: { 200: false } }),
    `Invalid change ${A}, routes\\.a\\.response\\.200: expected an object, got false\\.`],
  [ofRoute({ response: { 200: { older: 1, downgrade } } }),
    `Invalid change ${A}, routes\\.a\\.response\\.200\\.older: expected a schema`],
  [ofRoute({ body: { older: {}, upgrade } }),
    'routes\\.a\\.body has no option "older", but upgrade, downgrade\\. .* next to it: older: { body: … }\\.'],
  [ofRoute({ query: { older: {}, upgrade } }),
    'routes\\.a\\.querystring has no option "older", .* next to it: older: { querystring: … }\\.'],
  [ofRoute({ older: { body: {} }, body: { upgrade, lossless: true } }),
    'routes\\.a\\.body has no option "lossless", but upgrade, downgrade\\. An older'],
  [ofRoute({ body: upgrade }), 'Invalid change .*, routes\\.a\\.body: expected an object, got'],
  [ofRoute({ older: { query: {}, querystring: {} }, query: { upgrade } }),
    'routes\\.a has both "query" and "querystring": they are the same\\.'],
  [[several, { ...several, description: 'B.' }],
    "Changes 'v2' \\(A booking has several guests\\.\\) and 'v2' \\(B\\.\\) both change the schema 'Booking'\\."],
  [[...ofRoute({ body: { upgrade } }), ...ofRoute({ body: { upgrade } })], "both change the body of the route 'a'\\."],
  [[...ofRoute({ response: { '2XX': { downgrade } } }), ...ofRoute({ response: { '2xx': { downgrade } } })],
    "both change the response 2xx of the route 'a'\\."]
]

for (const [i, [given, message, allowedVersions = VERSIONS]] of WRONG.entries()) {
  t.test(`the error about invalid changes (${i}) is "${message.replaceAll('\\', '').slice(0, 60)}"`, async (t) => {
    await t.rejects(appWith(t, { scheme: HeaderVersioning, allowedVersions, changes: given as [] }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      statusCode: 500,
      message: new RegExp(`^.*${message}.* See https:.*/changes.md#errors$`)
    })
  })
}

const LISTS: readonly (readonly [title: string, root: VersioningOptions, child: VersioningOptions, RegExp | null])[] = [
  ['no versions in a child', {}, { allowedVersions: null }, /^The option "changes" needs "allowedVersions": they say/],
  ['another order in a child', {}, { allowedVersions: ['v0', 'v2', 'v1'] },
    /^The "allowedVersions" \[ 'v2', 'v1' \] are in another order than the "changes" have them, \[ 'v1', 'v2' \]\./],
  ['no scheme', { scheme: null }, {}, /touches no route.* Routes without a "scheme" have no version\./],
  ['a scheme in a child', { scheme: null }, { scheme: HeaderVersioning }, null],
  ['no scheme in a child', {}, { scheme: null }, null],
  ['no changes in a child', {}, { changes: null, allowedVersions: ['v2', 'v1'] }, null],
  ['an empty list in a child', {}, { changes: [], allowedVersions: null }, null],
  ['fewer versions in a child', {}, { allowedVersions: ['v2'] }, null]
]

for (const [title, root, child, message] of LISTS) {
  t.test(`a context with changes may have ${title}: ${String(message)}`, async (t) => {
    const shared = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
    const app = await appWith(t, { ...shared, changes: ofRoute({ body: { upgrade } }) as Change[], ...root })
    const options = { name: 'a', schema: { body: object({}) } }
    const routes = async (app: FastifyInstance) => {
      app.post('/a', options, async ({ body }) => body)
    }
    app.register(routes)
    app.register(async (app) => {
      await app.register(versioning, child)
      app.get('/b', async () => 'b')
      if (child.scheme === HeaderVersioning) app.post('/b', options, async () => 'b')
    })
    const ready = async () => { await app.ready() }
    if (message === null) await t.resolves(ready)
    else await t.rejects(ready, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
}

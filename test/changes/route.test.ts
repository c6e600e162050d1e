import t from 'tap'

import { ask } from './bookings.ts'
import {
  Booking, Guest, GuestV1, appOf, boots, both, converts, integer, names, object, refuses, text
} from './kernel.ts'

import type { Json } from './kernel.ts'
import type { Change, RouteChange } from '../../types/index.d.ts'

const shared = [Booking, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const ref = { $ref: 'Guest#' }

function change (version: string, route: RouteChange): Change {
  return { version, description: 'The route is another one.', routes: { bookings: route } }
}

/** Older words have a number less. */
const up = (part: Json) => ({ ...part, n: part.n + 1 })
const down = (part: Json) => ({ ...part, n: part.n - 1 })

t.test('functions of a route and of schemas in it are applied in order, version by version', async (t) => {
  const older = object({ page: ref })
  const route: RouteChange = {
    older: { body: older },
    body: { upgrade: ({ page }) => ({ at: page }) },
    response: { 200: { older, downgrade: ({ at }) => ({ page: at }) } }
  }
  for (const version of ['v2', 'v3']) {
    const changes = [names, change(version, route)]
    await converts(t, { changes, schema: both(object({ at: ref })), shared }, { page: guestV1 }, { at: guest })
  }
})

t.test('schemas of fluent-json-schema are read', async (t) => {
  const fluentOf = (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
  const fluent = { ...names, schemas: { Guest: { ...names.schemas.Guest, older: fluentOf(GuestV1) } } }
  await converts(t, { changes: [fluent], schema: both(fluentOf(ref)), shared }, guestV1, guest)
})

const one = { downgrade: down }
const open = { type: 'object', properties: { n: integer } }
const REFUSED: [title: string, route: RouteChange, message: RegExp, schema?: Record<string, unknown>][] = [
  ['a part without a schema', { body: { upgrade: up } },
    /^Change 'v2' \(The route .*\), POST \/bookings: it has no schema for the body, but for none\./],
  ['a response without schemas', { response: { 200: one } }, /it has no schema for the response 200, but for none\./],
  ['a status without a schema', { response: { 4190: one } },
    /it has no schema for the response 4190, but for response 200, response 4xx\./,
    { response: { 200: text, '4XX': text } }],
  ...Object.entries({
    '': open,
    ' at /properties/a': object({ a: open }),
    ' at /allOf/1': { allOf: [object({}), open] },
    ' at /allOf/0/properties/a': { unevaluatedProperties: false, allOf: [{ properties: { a: open } }] },
    ' at /items': { type: 'array', items: open },
    ' at /anyOf/0': { anyOf: [open, { type: 'null' }] },
    ' at /then': { if: { required: ['a'] }, then: open },
    ' at /$defs/a': { $defs: { a: open }, $ref: '#/$defs/a' },
    ' at /additionalProperties': { type: 'object', additionalProperties: open },
    ' at /content/application/json/schema': { content: { 'application/json': { schema: open } } }
  }).map(([place, body]): typeof REFUSED[number] => [
    `an older schema of a request that does not say what becomes of other properties${place}`,
    { older: { body }, body: { upgrade: up } },
    new RegExp(`body: the older schema${place.replaceAll('$', '\\$')} needs "additionalProperties": false, or`)
  ])
]
for (const [title, route, message, schema = {}] of REFUSED) {
  t.test(`a change of a route is refused at boot for ${title}`, async (t) => {
    await refuses(t, { changes: [change('v2', route)], schema }, message)
  })
}

for (const body of [
  object({ a: object({}) }),
  { type: 'object', unevaluatedProperties: false, allOf: [{ properties: { a: text }, additionalProperties: true }] },
  { unevaluatedProperties: false, allOf: [open, { anyOf: [open] }], then: open, dependentSchemas: { n: open } },
  { type: 'object', additionalProperties: true, not: { properties: { a: {} } }, if: { properties: { a: {} } } },
  { type: 'object', additionalProperties: false, properties: { other: { $ref: 'Open#' } } },
  { anyOf: [{ required: ['a'] }, { required: ['b'] }], ...object({ a: text }) }
]) {
  t.test(`an older schema of a request says what becomes of other properties: ${JSON.stringify(body)}`, async (t) => {
    const changes = [change('v2', { older: { body }, body: { upgrade: up } })]
    await boots(t, { changes, schema: { body: {} }, shared: [{ $id: 'Open', ...open }] })
  })
}

t.test('an older shared schema is judged only if a request uses it', async (t) => {
  const older = { type: 'object', properties: { first: text, last: text } }
  const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
  await boots(t, { changes, schema: { response: { 200: ref } }, shared })
  for (const schema of [{ body: ref }, { querystring: ref }, { body: { items: ref } }]) {
    const message = /the older schema needs "additionalProperties".*\. The schema is 'Guest'\. See /
    await refuses(t, { changes, schema, shared }, message)
  }
})

t.test('a part that only older versions had is upgraded, and so is a body that had one media type', async (t) => {
  const older = { querystring: object({ n: integer }), body: object({ n: integer }) }
  const route: RouteChange = { older, query: { upgrade: up }, body: { upgrade: () => guestV1 } }
  const schema = { body: { content: { 'application/json': { schema: ref } } } }
  const app = await appOf(t, { changes: [change('v2', route), names], schema, shared })
  app.addHook('preHandler', async ({ body, query }, reply) => await reply.send({ body, query }))
  t.same((await ask(app, 'v1', '/bookings?n=1', { n: 1 })).json(), { body: guest, query: { n: '11' } })
})

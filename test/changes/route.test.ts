import t from 'tap'

import { Booking, Guest, GuestV1, both, convert, derive, integer, names, object, several, text } from './kernel.ts'

import type { Json } from './kernel.ts'
import type { Change, RouteChange } from '../../types/index.d.ts'

const shared = [Booking, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }

function change (version: string, route: RouteChange): Change {
  return { version, description: 'The route is another one.', routes: { bookings: route } }
}

/** Older words have a number less. */
const up = (part: Json) => ({ ...part, n: part.n + 1 })
const down = (part: Json) => ({ ...part, n: part.n - 1 })

t.test('versions without a change between them share one form', async (t) => {
  const versions = ['v1', 'v2', 'v3', 'v4', 'v5']
  const derived = derive({ changes: [names], schema: both({ $ref: 'Guest#' }), shared, versions })
  t.same(derived.asDeclared, ['v3', 'v4', 'v5'])
  t.same(derived.older.map(({ versions }) => versions), [['v1', 'v2']])
  const two = derive(
    { changes: [names, several], schema: both({ $ref: 'Booking#' }), shared, versions, served: ['v1', 'v4'] }
  )
  t.same([two.asDeclared, ...two.older.map(({ versions }) => versions)], [['v4'], ['v1']])
  t.same(two.older[0]?.changes, [names, several], 'newest first')
})

t.test('a route that no change touches has no form', async (t) => {
  const derived = derive({ changes: [names], schema: both(object({ id: integer })), shared })
  t.same([derived.asDeclared, derived.older], [['v1', 'v2', 'v3'], []])
  t.same(derive({ changes: [names], schema: both({ $ref: 'Guest#' }), shared, served: ['v3'] }).older, [])
  t.same(derive({ changes: [names], schema: {} }).older, [])
})

t.test('a handler that is written for a later version has a form for each version that it serves', async (t) => {
  const schema = both({ $ref: 'Booking#' })
  const { asDeclared, older } = derive({ changes: [names, several], schema, shared, served: ['v1'], writtenFor: 'v3' })
  t.same([asDeclared, older.map(({ versions }) => versions)], [[], [['v1']]])
  t.same(older[0]?.changes, [names, several])
})

t.test('functions of a route and of schemas in it are applied in order, version by version', async (t) => {
  const page = (part: Json) => ({ page: part.at })
  const at = (part: Json) => ({ at: part.page })
  const older = object({ page: { $ref: 'Guest#' } })
  const route: RouteChange = {
    older: { body: older }, body: { upgrade: at }, response: { 200: { older, downgrade: page } }
  }
  const schema = both(object({ at: { $ref: 'Guest#' } }))
  for (const version of ['v2', 'v3']) {
    const options = { changes: [names, change(version, route)], schema, shared, name: 'bookings' }
    const { up, down } = convert(options, 'v1')
    t.same(up({ page: guestV1 }), { at: guest }, version)
    t.same(down({ at: guest }), { page: guestV1 }, version)
  }
})

t.test('schemas of fluent-json-schema are read', async (t) => {
  const fluentOf = (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
  const fluent = { ...names, schemas: { Guest: { ...names.schemas.Guest, older: fluentOf(GuestV1) } } }
  const { up, down } = convert({ changes: [fluent], schema: both(fluentOf({ $ref: 'Guest#' })), shared }, 'v1')
  t.same([up(guestV1), down(guest)], [guest, guestV1])
})

interface Refused { title: string, route: RouteChange, schema?: Record<string, unknown>, message: RegExp }
const one = { downgrade: down }
const open = { type: 'object', properties: { n: integer } }
const REFUSED: Refused[] = [
  {
    title: 'a part without a schema',
    route: { body: { upgrade: up } },
    message: /^Change 'v2' \(The route .*\), POST \/bookings: it has no schema for the body, but for none\./
  },
  {
    title: 'a response without schemas',
    route: { response: { 200: one } },
    message: /it has no schema for the response 200, but for none\./
  },
  {
    title: 'a status without a schema',
    route: { response: { 419: one } },
    schema: { response: { 200: text, '4XX': text } },
    message: /it has no schema for the response 419, but for response 200, response 4xx\./
  },
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
  }).map(([place, body]) => ({
    title: `an older schema of a request that does not say what becomes of other properties${place}`,
    route: { older: { body }, body: { upgrade: up } },
    message: new RegExp(`body: the older schema${place.replaceAll('$', '\\$')} needs "additionalProperties": false, or`)
  }))
]

for (const { title, route, schema = {}, message } of REFUSED) {
  t.test(`a change of a route is refused at boot for ${title}`, async (t) => {
    t.throws(() => derive({ changes: [change('v2', route)], schema, name: 'bookings' }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message
    })
  })
}

t.test('an older schema of a request is complete if it says what becomes of other properties', async (t) => {
  const CLOSED = [
    object({ a: object({}) }),
    { type: 'object', unevaluatedProperties: false, allOf: [{ properties: { a: text }, additionalProperties: true }] },
    { unevaluatedProperties: false, allOf: [open, { anyOf: [open] }], then: open, dependentSchemas: { n: open } },
    { type: 'object', additionalProperties: true, not: { properties: { a: {} } }, if: { properties: { a: {} } } },
    { type: 'object', additionalProperties: false, properties: { other: { $ref: 'Open#' } } },
    { anyOf: [{ required: ['a'] }, { required: ['b'] }], ...object({ a: text }) }
  ]
  for (const body of CLOSED) {
    const route: RouteChange = { older: { body }, body: { upgrade: up } }
    const options = { changes: [change('v2', route)], schema: {}, shared: [{ $id: 'Open', ...open }], name: 'bookings' }
    t.equal(derive(options).older.length, 1)
  }
})

t.test('an older shared schema is judged only if a request uses it', async (t) => {
  const older = { type: 'object', properties: { first: text, last: text } }
  const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
  t.equal(derive({ changes, schema: { response: { 200: { $ref: 'Guest#' } } }, shared }).older.length, 1)
  const ref = { $ref: 'Guest#' }
  for (const schema of [{ body: ref }, { querystring: ref }, { body: { items: ref } }]) {
    t.throws(() => derive({ changes, schema, shared }), {
      message: /the older schema needs "additionalProperties".*\. The schema is 'Guest'\. See /
    })
  }
})

t.test('a part that only older versions had is upgraded, and so is a body that had one media type', async (t) => {
  const older = { querystring: object({ n: integer }), body: text }
  const route: RouteChange = { older, query: { upgrade: up }, body: { upgrade: () => guestV1 } }
  const schema = { body: { content: { 'application/json': { schema: { $ref: 'Guest#' } } } } }
  const form = derive({ changes: [change('v2', route), names], schema, shared, name: 'bookings' }).in('v1')
  const as = (part: string, value: unknown) => form.parts.get(part)?.slices.get(null)?.conversion?.convert(value)
  t.same(as('querystring', { n: 1 }), { n: 2 })
  t.same(as('body', { n: 1 }), guest)
})

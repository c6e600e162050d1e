import t from 'tap'

import { Booking, Guest, GuestV1, both, convert, derive, integer, names, object, several, text } from './kernel.ts'

import type { Json } from './kernel.ts'
import type { Change, RouteChange } from '../../types/index.d.ts'

const shared = [Booking, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const versions = ['v1', 'v2', 'v3', 'v4', 'v5']
const ref = { $ref: 'Guest#' }

function change (version: string, route: RouteChange): Change {
  return { version, description: 'The route is another one.', routes: { bookings: route } }
}

/** Older words have a number less. */
const up = (part: Json) => ({ ...part, n: part.n + 1 })
const down = (part: Json) => ({ ...part, n: part.n - 1 })

/** Versions that share a form, newest first, after those that the handler speaks. */
for (const [title, options, forms] of [
  ['versions without a change between them', { changes: [names], schema: both(ref), versions },
    [['v3', 'v4', 'v5'], ['v1', 'v2']]],
  ['served versions alone', {
    changes: [names, several], schema: both({ $ref: 'Booking#' }), versions, served: ['v1', 'v4']
  }, [['v4'], ['v1']]],
  ['all versions of a schema that no change touches', { changes: [names], schema: both(object({ id: integer })) },
    [['v1', 'v2', 'v3']]],
  ['the newest version', { changes: [names], schema: both(ref), served: ['v3'] }, [['v3']]],
  ['all versions of a route without a schema', { changes: [names] }, [['v1', 'v2', 'v3']]],
  ['versions before the one that the handler is written for', {
    changes: [names, several], schema: both({ $ref: 'Booking#' }), served: ['v1'], writtenFor: 'v3'
  }, [[], ['v1']]]
] as const) {
  t.test(`a form is made for ${title}`, async (t) => {
    const { asDeclared, older } = derive({ shared, ...options })
    t.same([asDeclared, ...older.map(({ versions }) => versions)], forms)
    if (options.changes.length > 1) t.same(older[0]?.changes, [names, several], 'newest first')
  })
}

t.test('functions of a route and of schemas in it are applied in order, version by version', async (t) => {
  const older = object({ page: ref })
  const route: RouteChange = {
    older: { body: older },
    body: { upgrade: ({ page }) => ({ at: page }) },
    response: { 200: { older, downgrade: ({ at }) => ({ page: at }) } }
  }
  for (const version of ['v2', 'v3']) {
    const changes = [names, change(version, route)]
    const { up, down } = convert({ changes, schema: both(object({ at: ref })), shared, name: 'bookings' }, 'v1')
    t.same(up({ page: guestV1 }), { at: guest }, version)
    t.same(down({ at: guest }), { page: guestV1 }, version)
  }
})

t.test('schemas of fluent-json-schema are read', async (t) => {
  const fluentOf = (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
  const fluent = { ...names, schemas: { Guest: { ...names.schemas.Guest, older: fluentOf(GuestV1) } } }
  const { up, down } = convert({ changes: [fluent], schema: both(fluentOf(ref)), shared }, 'v1')
  t.same([up(guestV1), down(guest)], [guest, guestV1])
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
    t.throws(() => derive({ changes: [change('v2', route)], schema, name: 'bookings' }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message
    })
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
    t.equal(derive({ changes, shared: [{ $id: 'Open', ...open }], name: 'bookings' }).older.length, 1)
  })
}

t.test('an older shared schema is judged only if a request uses it', async (t) => {
  const older = { type: 'object', properties: { first: text, last: text } }
  const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
  t.equal(derive({ changes, schema: { response: { 200: ref } }, shared }).older.length, 1)
  for (const schema of [{ body: ref }, { querystring: ref }, { body: { items: ref } }]) {
    t.throws(() => derive({ changes, schema, shared }), { message: /the older schema needs "additionalProperties"/ })
  }
})

t.test('a part that only older versions had is upgraded, and so is a body that had one media type', async (t) => {
  const older = { querystring: object({ n: integer }), body: text }
  const route: RouteChange = { older, query: { upgrade: up }, body: { upgrade: () => guestV1 } }
  const schema = { body: { content: { 'application/json': { schema: ref } } } }
  const form = derive({ changes: [change('v2', route), names], schema, shared, name: 'bookings' }).in('v1')
  const as = (part: string, value: unknown) => form.parts.get(part)?.slices.get(null)?.conversion?.convert(value)
  t.same(as('querystring', { n: 1 }), { n: 2 })
  t.same(as('body', { n: 1 }), guest)
})

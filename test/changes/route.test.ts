import t from 'tap'

import {
  Booking, Guest, GuestV1, both, derive, integer, names, object, several, text
} from './fixture.ts'

import type { Json } from './fixture.ts'
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

t.test('versions without a change between them share one variant', async (t) => {
  const versions = ['v1', 'v2', 'v3', 'v4', 'v5']
  const schema = both({ $ref: 'Guest#' })
  const derived = derive({ changes: [names], schema, shared, versions })
  t.same(derived.asDeclared, ['v3', 'v4', 'v5'])
  t.same(derived.older.map(({ versions }) => versions), [['v1', 'v2']])
  const two = derive(
    { changes: [names, several], schema: both({ $ref: 'Booking#' }), shared, versions, served: ['v1', 'v4'] }
  )
  t.same([two.asDeclared, ...two.older.map(({ versions }) => versions)], [['v4'], ['v1']])
  t.same(two.in('v1').changes, [names, several], 'newest first')
})

t.test('a route that no change touches has no variant', async (t) => {
  const derived = derive({ changes: [names], schema: both(object({ id: integer })), shared })
  t.same([derived.asDeclared, derived.older], [['v1', 'v2', 'v3'], []])
  t.same(derive({ changes: [names], schema: both({ $ref: 'Guest#' }), shared, served: ['v3'] }).older, [])
})

t.test('a route is not affected by changes after the newest version that it serves', async (t) => {
  const schema = both({ $ref: 'Booking#' })
  const { asDeclared, older } = derive({ changes: [names, several], schema, shared, served: ['v1', 'v2'] })
  t.same([asDeclared, older.map(({ versions }) => versions)], [['v2'], [['v1']]])
  t.same(older[0].changes, [several])
  t.same(older[0].sharedSchemas.map(({ $id }) => $id), ['Booking.v1', 'Guest.v2'])
})

t.test('a route has the schemas of the newest version that it serves', (t) => {
  const schema = both({ $ref: 'Booking#' })
  const of = (served: string[]) => derive({ changes: [names, several], schema, shared, served }).handled
  t.same(of(['v1', 'v2'])?.schema, both({ $ref: 'Booking.v2#' }))
  t.same(of(['v1', 'v2'])?.sharedSchemas.map(({ $id }) => $id), ['Booking.v2', 'Guest.v2'])
  t.same(of(['v1', 'v2'])?.changes, [names])
  t.same(of(['v1'])?.schema, both({ $ref: 'Booking.v1#' }))
  t.same(of(['v1'])?.changes, [names, several])
  t.equal(of(['v1', 'v3']), null)
  t.equal(of([]), null)
  t.end()
})

t.test('a route without changed schemas stays as declared, whichever versions it serves', (t) => {
  const { handled } = derive({ changes: [names], schema: both({ type: 'object' }), shared, served: ['v1'] })
  t.equal(handled, null)
  t.end()
})

t.test('a response that changes leave alone has the schema of the version that the handler is written for', (t) => {
  const leave: Change = change('v2', { response: { 200: false } })
  const schema = { response: { 200: { $ref: 'Guest#' }, 201: { $ref: 'Guest#' } } }
  const { in: at } = derive({
    changes: [names, leave], name: 'bookings', schema, shared: [Guest], served: ['v1', 'v2']
  })
  t.same(at('v1').schema.response, { 200: { $ref: 'Guest.v2#' }, 201: { $ref: 'Guest.v2#' } })
  t.end()
})

t.test('a handler that is written for a later version is declared for none that it serves', async (t) => {
  const schema = both({ $ref: 'Booking#' })
  const { asDeclared, older } = derive({ changes: [names, several], schema, shared, served: ['v1'], writtenFor: 'v3' })
  t.same([asDeclared, older.map(({ versions }) => versions)], [[], [['v1']]])
  t.same(older[0].changes, [names, several])
  t.throws(() => derive({ changes: [], schema, shared, served: ['v1', 'v3'], writtenFor: 'v2' }), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "writtenFor": expected no version before 'v3', which POST \/bookings serves, got 'v2'/
  })
  t.throws(
    () => derive({ changes: [], schema, shared, writtenFor: 'v9' }), { message: /'v9' is not one of allowedVersions/ }
  )
})

t.test('a route that serves a version outside the release order is an error', (t) => {
  t.throws(() => derive({ changes: [names], schema: both({ $ref: 'Booking#' }), shared, served: ['v1', 'v9'] }), {
    code: 'FST_ERR_VERSION_CHANGE_OPTION',
    message: /^POST \/bookings serves 'v9', but its changes are for the versions \[ 'v1', 'v2', 'v3' \]/
  })
  t.end()
})

t.test('each part of a request has its functions and its older schema', async (t) => {
  const older = object({ n: integer })
  const parts = { body: older, params: older, headers: older, querystring: older }
  const route: RouteChange = {
    older: parts,
    body: { upgrade: up },
    query: {
      upgrade: up, downgrade: down
    },
    params: { upgrade: up },
    headers: { upgrade: up }
  }
  const schema = { body: text, params: text, headers: text, query: text }
  const variant = derive({ changes: [change('v2', route)], schema, name: 'bookings' }).in('v1')
  t.same(variant.schema, parts)
  const { body, querystring, params, headers } = variant.upgrade
  const ofBody = ['application/json', undefined].map((type) => body?.forRequest(type))
  for (const convert of [...ofBody, querystring, params, headers]) {
    t.same(convert?.({ n: 1 }), { n: 2 })
  }
  t.same(variant.link.querystring?.({ n: 2 }), { n: 1 })
  t.throws(
    () => variant.link.params?.({ n: 2 }), { code: 'FST_ERR_VERSION_CHANGE' }, 'without a function there is no link'
  )
  t.equal(variant.downgrade.of(200, undefined), null)
})

t.test('functions of a route and of schemas in it are applied in order, version by version', async (t) => {
  const page = (part: Json) => ({ page: part.at })
  const at = (part: Json) => ({ at: part.page })
  const route: RouteChange = {
    older: { body: object({ page: { $ref: 'Guest#' } }) },
    body: { upgrade: at },
    response: { 200: { older: object({ page: { $ref: 'Guest#' } }), downgrade: page } }
  }
  const schema = both(object({ at: { $ref: 'Guest#' } }))
  for (const version of ['v2', 'v3']) {
    const derived = derive({ changes: [names, change(version, route)], schema, shared, name: 'bookings' })
    const variant = derived.in('v1')
    t.same(variant.upgrade.body?.forRequest(undefined)?.({ page: guestV1 }), { at: guest }, version)
    t.same(variant.downgrade.of(200, undefined)?.convert({ at: guest }), { page: guestV1 }, version)
    t.same((variant.schema.body as Json).properties.page, { $ref: 'Guest.v2#' })
  }
})

t.test('the schemas of a change get a different $id, even if they have the $id of newer ones', async (t) => {
  const older = object({ n: integer }, { $id: 'page' })
  const route: RouteChange = { older: { querystring: older }, query: { upgrade: up } }
  const schema = { querystring: object({ n: text }, { $id: 'page' }) }
  const variant = derive({ changes: [change('v2', route)], schema, name: 'bookings' }).in('v1')
  t.same(variant.schema.querystring, { ...older, $id: 'page.v1' })
  t.same([...variant.originalIds], [['page.v1', 'page']])
})

t.test('a link fails if nothing shows which of the alternatives its query is', async (t) => {
  const kind = (value: string) => ({ kind: { const: value } })
  const schemas = {
    Guest: { older: object({ ...kind('guest'), first: text }), upgrade: ({ first }: Json) => ({ name: first }) }
  }
  const changes = [{ version: 'v2', description: 'Guests have no kind.', schemas }]
  const schema = { querystring: { anyOf: [{ $ref: 'Guest#' }, object(kind('none'))] } }
  const { upgrade, link } = derive({ changes, schema, shared }).in('v1')
  t.same(upgrade.querystring?.({ kind: 'guest', first: 'Ada' }), { name: 'Ada' })
  t.throws(() => link.querystring?.({ name: 'Ada' }), { code: 'FST_ERR_VERSION_CHANGE' })
})

t.test('a status follows its own change, or else the change of its class', async (t) => {
  const error = object({ n: integer })
  const response = { '4XX': error, 409: error, 200: error, default: error }
  const derived = (said: RouteChange['response']) => (
    derive({ changes: [change('v2', { response: said })], schema: { response }, name: 'bookings' }).in('v1')
  )
  const convertedBy = (said: RouteChange['response'], statuses: number[]) => {
    const { downgrade } = derived(said)
    return statuses.filter((status) => downgrade.of(status, undefined) !== null)
  }
  const one = { downgrade: down }
  const statuses = [200, 404, 409, 422, 500]
  t.same(convertedBy({ 409: one }, statuses), [409])
  t.same(convertedBy({ '4xx': one }, statuses), [404, 422], '409 has its own schema')
  t.same(convertedBy({ 422: one }, statuses), [422])
  t.same(convertedBy({ default: one }, statuses), [500])
  t.same(convertedBy({ '5xx': one }, statuses), [500])
  t.same(convertedBy({ '2XX': one }, statuses), [])
  t.same(Object.keys(
    derived({ 422: { ...one, older: text } }).schema.response as Json
  ), ['200', '409', '422', '4xx', 'default'])
})

t.test('a status that is false is left as it is, in that version and all before', async (t) => {
  const changes = [
    change('v2', { response: { 200: { downgrade: down } } }), change('v3', { response: { 200: false } }), names,
    { ...several, version: 'v4' }
  ]
  const versions = ['v1', 'v2', 'v3', 'v4']
  const schema = { response: { 200: { $ref: 'Booking#' }, 201: { $ref: 'Guest#' } } }
  const derived = derive({ changes, schema, shared, versions, name: 'bookings' })
  t.not(derived.in('v3').downgrade.of(200, undefined), null)
  for (const version of ['v1', 'v2']) {
    const variant = derived.in(version)
    t.same(variant.downgrade.of(200, undefined)?.convert({ id: 1, guests: [guest] }), { id: 1, guest })
    t.same((variant.schema.response as Json)[200], { $ref: 'Booking.v3#' })
    t.same((variant.schema.response as Json)[201], { $ref: 'Guest.v2#' })
    t.same(variant.sharedSchemas.map(({ $id }) => $id).sort(), ['Booking.v3', 'Guest.v2'])
  }
  const only = derive(
    { changes: [change('v3', { response: { 200: false } }), names], schema, shared, name: 'bookings' }
  )
  t.equal(only.in('v1').downgrade.of(200, undefined), null)
  t.same((only.in('v1').schema.response as Json)[200], { $ref: 'Booking#' })
})

t.test('each media type has its schema', async (t) => {
  const content = {
    'application/json': { schema: { $ref: 'Guest#' } },
    'application/vnd.list+json': {
      schema: { items: { $ref: 'Guest#' } }
    }
  }
  const schema = {
    body: { content }, response: { 200: { description: 'A', content: { ...content, '*/*': { schema: text } } } }
  }
  const variant = derive({ changes: [names], schema, shared }).in('v1')
  const { upgrade: { body }, downgrade } = variant
  t.same(body?.forRequest('application/json; charset=utf-8')?.(guestV1), guest)
  t.same(body?.forRequest('Application/vnd.list+json')?.([guestV1]), [guest])
  t.equal(body?.forRequest('text/plain'), null, 'Fastify does not validate it')
  t.equal(body?.forRequest(undefined), null)
  t.same(downgrade.of(200, 'application/json; charset=utf-8')?.convert(guest), guestV1)
  t.same(downgrade.of(200, 'application/vnd.list+json')?.convert([guest]), [guestV1])
  t.equal(downgrade.of(200, 'text/plain'), null)
  t.equal(downgrade.of(200, undefined), null)
  t.equal(downgrade.of(404, 'application/json'), null)
  const response = (variant.schema.response as Json)[200]
  t.equal(response.description, 'A')
  t.same(response.content['application/json'].schema, { $ref: 'Guest.v2#' })
})

t.test('an error says the media type whose schema cannot be converted', (t) => {
  const body = { content: { 'application/json': { schema: { not: { $ref: 'Guest#' } } } } }
  t.throws(() => derive({ changes: [names], schema: { body }, shared }), {
    message: /body at \/content\/application~1json\/schema\/not: only validation knows/
  })
  t.end()
})

t.test('the functions of a route do not get a body of a media type that was not listed', async (t) => {
  const content = { 'application/json': { schema: text } }
  const route: RouteChange = { older: { body: { content } }, body: { upgrade: up } }
  const options = { changes: [change('v2', route)], name: 'bookings' }
  for (const schema of [text, { content: { ...content, 'text/plain': { schema: text } } }]) {
    const { body } = derive({ ...options, schema: { body: schema } }).in('v1').upgrade
    t.same(body?.forRequest('application/json')?.({ n: 1 }), { n: 2 })
    t.equal(body?.forRequest('text/plain'), null)
  }
})

t.test('schemas of fluent-json-schema are read', async (t) => {
  const fluentOf = (schema: object) => ({ isFluentSchema: true, valueOf: () => schema })
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, older: fluentOf(GuestV1) } } }
  const variant = derive({ changes: [change], schema: both(fluentOf({ $ref: 'Guest#' })), shared }).in('v1')
  t.same(variant.schema.body, { $ref: 'Guest.v2#' })
  t.same(variant.sharedSchemas, [{ $id: 'Guest.v2', ...GuestV1 }])
})

t.test('a part that only older versions had is upgraded, and so is a body that had one media type', async (t) => {
  const older = { querystring: object({ n: integer }), body: text }
  const route: RouteChange = { older, query: { upgrade: up }, body: { upgrade: up } }
  const variant = derive({ changes: [change('v2', route)], name: 'bookings' }).in('v1')
  t.same(variant.schema, older)
  t.same(variant.upgrade.querystring?.({ n: 1 }), { n: 2 })
  const schema = { body: { content: { 'application/json': { schema: { $ref: 'Guest#' } } } } }
  const options = {
    changes: [change('v2', { ...route, body: { upgrade: () => guestV1 } }), names], schema, shared, name: 'bookings'
  }
  const { body } = derive(options).in('v1').upgrade
  t.same(body?.forRequest('application/json')?.({ n: 1 }), guest)
  t.same(body?.forRequest('text/plain')?.({ n: 1 }), guestV1, 'no schema says what it is then')
  t.equal(derive(options).in('v2').upgrade.body?.forRequest('text/plain'), null)
})

t.test('a route without a schema has no variants', async (t) => {
  t.same(derive({ changes: [names], schema: {} }).older, [])
})

interface Refused { title: string, route: RouteChange, schema?: Record<string, unknown>, message: RegExp }
const one = { downgrade: down }
const REFUSED: Refused[] = [
  {
    title: 'a part without a schema',
    route: { body: { upgrade: up } },
    message: /^Change 'v2' \(The route is another one\.\), POST \/bookings: the route has no schema for the body\. See/
  },
  {
    title: 'a response without schemas',
    route: { response: { 200: one } },
    message: /the route has no response schema, so/
  },
  {
    title: 'a status without a schema',
    route: { response: { 419: one } },
    schema: { response: { 200: text, 409: text } },
    message: /the route has no response schema for 419, but for 200, 409\. Did you mean '409'\?/
  }
]

for (const { title, route, schema = {}, message } of REFUSED) {
  t.test(`a change of a route is refused at boot for ${title}`, async (t) => {
    t.throws(() => derive({ changes: [change('v2', route)], schema, name: 'bookings' }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message
    })
  })
}

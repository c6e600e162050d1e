import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { Booking, EXAMPLES, VERSIONS, appWithChanges, ask, guests, ofRoute, room } from './bookings.ts'

import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const body = { $ref: 'Booking#' }
const response = { 200: { $ref: 'Booking#' } }
const text = { type: 'string' }
const { $id, ...copy } = Booking

/** The warnings of an app with changes of `Booking`, and what else it declares. */
async function warningsOf (
  t: Test, declare: (app: FastifyInstance) => unknown, changes: Change[] = [guests, room]
): Promise<string[]> {
  const app = await appWithChanges(t, { scheme, changes })
  if (changes[0]?.schemas !== undefined) app.get('/', { schema: { response } }, ok)
  declare(app)
  return await warningsDuring(t, async () => app.ready())
}

t.test('one warning names the routes without a schema for a successful response, and how many there are', async (t) => {
  const [warning, ...others] = await warningsOf(t, (app) => {
    for (let i = 0; i < 12; i++) app.get(`/a/${i}`, ok)
  })
  t.same(others, [])
  t.match(warning, /^FST_WARN_VERSION_RESPONSE: .* \(12\): GET \/a\/0, .*, GET \/a\/9 and 2 more\. Write a schema, or /)
  t.match(warning, /"response": \{ 200: \{\} \} .* \{ 204: \{\} \} .* context with "scheme": null\.$/)
  t.notMatch(warning, /HEAD/)
})

/** Routes that changes see, or that need not be seen. */
const SEEN: [title: string, options: RouteShorthandOptions | ((app: FastifyInstance) => unknown)][] = [
  ['a schema that nothing changes', { schema: { response: { 200: {} } } }],
  ['a schema for a 204', { schema: { response: { 204: {} } } }],
  ['a schema for all successes', { schema: { response: { '2xx': {} } } }],
  ['a schema in capital letters', { schema: { response: { '2XX': {} } } }],
  ['a schema for all', { schema: { response: { default: {} } } }],
  ['a schema for its redirect', { schema: { response: { 308: {} } } }],
  ['a schema for all redirects', { schema: { response: { '3xx': {} } } }],
  ['no version', { versioning: false }],
  ['the newest version only', { version: 'v3' }],
  ['an older handler of its own', { version: 'v1' }],
  ['no place in documents', { schema: { hide: true } as object }],
  ['the method HEAD', (app) => app.head('/a', ok)],
  ['the method OPTIONS', (app) => app.options('/a', ok)],
  ['the methods HEAD and OPTIONS', (app) => app.route({ method: ['HEAD', 'OPTIONS'], url: '/a', handler: ok })],
  ['a wildcard', (app) => app.get('/a/*', ok)],
  ['websockets', { websocket: true } as RouteShorthandOptions],
  ['a context without a scheme', (app) => app.register(async (app) => {
    await app.register(versioning, { scheme: null })
    app.get('/a', ok)
  })],
  ['a context without changes', (app) => app.register(async (app) => {
    await app.register(versioning, { changes: null })
    app.get('/a', ok)
  })]
]
for (const [title, options] of SEEN) {
  t.test(`there is no warning about a route with ${title}`, async (t) => {
    t.same(await warningsOf(t, typeof options === 'function' ? options : (app) => app.get('/a', options, ok)), [])
  })
}

/** Routes that changes do not see. */
const UNSEEN: [title: string, options: RouteShorthandOptions][] = [
  ['no schema', {}],
  ['a schema for a 304', { schema: { response: { 304: {} } } }],
  ['a schema of an error', { schema: { response: { 404: {}, '5xx': {} } } }],
  ['an empty list of responses', { schema: { response: {} } }],
  ['a body that nothing changes', { schema: { body: { type: 'object' } } }],
  ['an older version and a handler for the newest one', { version: 'v1', writtenFor: 'v3' }]
]
for (const [title, options] of UNSEEN) {
  t.test(`there is a warning about a route with ${title}`, async (t) => {
    t.match(await warningsOf(t, (app) => app.post('/a', options, ok)), [/\(1\): POST \/a\. /])
  })
}

t.test('there is no warning where all changes are those of routes, which they name', async (t) => {
  const ofBookings = ofRoute({ response: { 200: { older: {}, downgrade: () => ({}) } } })
  t.same(await warningsOf(t, (app) => {
    app.get('/bookings', { name: 'bookings', schema: { response: { 200: text } } }, ok)
    app.get('/a', ok)
  }, [ofBookings]), [])
})

t.test('one warning at run time names a status without a schema, whose response changes do not see', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const answer = async () => ({ guests: ['Ada'] })
  app.get('/a', { schema: { response: { 201: { $ref: 'Booking#' } } } }, answer)
  app.get('/b', { schema: { response: { 201: { $ref: 'Booking#' }, '2XX': {} } } }, answer)
  await app.ready()
  t.same(await warningsDuring(t, async () => {
    for (const [url, version] of [['/a', 'v3'], ['/a', 'v1'], ['/a', 'v1'], ['/b', 'v1'], ['/none', 'v1']]) {
      await ask(app, version, url)
      await app.inject({ method: 'HEAD', url, headers: { 'api-version': version } })
    }
  }), ['FST_WARN_VERSION_RESPONSE: Write a schema for the response 200 of GET /a: without a schema for this status, ' +
    'changes do not convert what the handler answers.'])
})

t.test('one warning at run time names a media type without a schema beside one that changed', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const content = (...types: string[]) => (
    { response: { 200: { content: Object.fromEntries(types.map((type) => [type, { schema: body }])) } } }
  )
  const handler = async (_request: unknown, reply: FastifyReply) => (
    await reply.type('application/hal+json').send(EXAMPLES.v3)
  )
  app.get('/a', { schema: content('application/json') }, handler)
  app.get('/b', { schema: content('application/json', 'application/hal+json') }, handler)
  const { response: { 200: both } } = content('application/json', 'application/hal+json')
  const json = { content: { 'application/json': { schema: { type: 'object' } } } }
  app.get('/c', { schema: { response: { 200: json, 201: both } } }, handler)
  await app.ready()
  const warnings = await warningsDuring(t, async () => {
    for (const url of ['/a', '/a', '/b', '/c']) await ask(app, 'v1', url)
  })
  t.same(warnings, ["FST_WARN_VERSION_RESPONSE: Write a schema for 'application/hal+json' in the response 200 of " +
    'GET /a: without a schema for this media type, changes do not convert what the handler answers.'])
})

t.test('there is a warning about an event with a copy of a changed schema without its $id', async (t) => {
  const events = { made: { type: 'array', items: copy }, told: text }
  const app = await appWith(t, { scheme, allowedVersions: VERSIONS, changes: [guests, room], events })
  app.addSchema(Booking)
  app.get('/', { schema: { response } }, ok)
  t.match(await warningsDuring(t, async () => app.ready()), [/\(1\): the event 'made' \('Booking'\)\. /])
})

/** As TypeBox 0.34 marks the properties of `Type.Partial(Booking)`. */
const optional = Object.fromEntries(Object.entries(copy.properties).map(([name, property]) => (
  [name, { ...property, [Symbol.for('TypeBox.Optional')]: 'Optional' }]
)))

const COPIES: [title: string, schema: object, shown: string | null][] = [
  ['a copy', copy, "GET /a, response 200 ('Booking')"],
  ['a copy with a description', { ...copy, description: 'One.' }, "GET /a, response 200 ('Booking')"],
  ['a list of copies', { type: 'array', items: copy }, "GET /a, response 200 ('Booking')"],
  ['a copy by media type', { content: { 'text/json': { schema: copy } } }, "GET /a, response 200 ('Booking')"],
  ['a copy with an $id of its own', { ...copy, $id: 'Other' }, null],
  ['a schema with another member', { ...copy, properties: { ...copy.properties, note: text } }, null],
  ['a schema that says less', { ...copy, required: [] }, null],
  ['a copy that leaves out what is required', { type: 'object', properties: copy.properties },
    "GET /a, response 200 ('Booking')"],
  ['an open copy that leaves out what is required',
    { type: 'object', properties: copy.properties, additionalProperties: true }, "GET /a, response 200 ('Booking')"],
  ['a partial copy of TypeBox', { type: 'object', required: undefined, properties: optional },
    "GET /a, response 200 ('Booking')"],
  ['a closed copy', { ...copy, additionalProperties: false }, "GET /a, response 200 ('Booking')"],
  ['a schema without members', { type: 'object' }, null],
  ['a schema of Zod', z.object({ guests: z.array(z.string()) }), null]
]
for (const [title, schema, shown] of COPIES) {
  t.test(`there is ${shown === null ? 'no' : 'a'} warning about ${title} without its $id`, async (t) => {
    const warnings = await warningsOf(t, (app) => {
      app.register(async (app) => {
        app.setSerializerCompiler(() => (value) => JSON.stringify(value))
        app.get('/a', { schema: { response: { 200: schema } } }, ok)
      })
    })
    t.equal(warnings.length, shown === null ? 0 : 1)
    const advice = 'Write a $ref to the schema, or give a copy its own $id and change.'
    if (shown !== null) t.match(warnings[0], `they lack the $id (1): ${shown}. ${advice}`)
  })
}

const OneMember = { $id: 'Guest', type: 'object', required: ['name'], properties: { name: text } }
for (const [title, schema, count] of [
  ['a copy with its only member', { type: 'object', required: ['name'], properties: { name: text } }, 1],
  // Another schema may well have such a member.
  ['a part of it with its only member', { type: 'object', properties: { name: text } }, 0]
] as const) {
  t.test(`there is ${count === 0 ? 'no' : 'a'} warning about ${title}`, async (t) => {
    const renamed: Change = {
      version: 'v3',
      description: 'A guest has a name.',
      schemas: { Guest: { older: { type: 'object', properties: {} }, downgrade: () => ({}) } }
    }
    const warnings = await warningsOf(t, (app) => {
      app.addSchema(OneMember)
      app.get('/guest', { schema: { response: { 200: { $ref: 'Guest#' } } } }, ok)
      app.get('/a', { schema: { response: { 200: schema } } }, ok)
    }, [guests, room, renamed])
    t.equal(warnings.length, count)
  })
}

t.test('there is no warning about a copy that a change of its route converts, or that is newer', async (t) => {
  const same = (value: unknown) => value
  const changes = [{ ...guests, ...ofRoute({ response: { 200: { older: {}, downgrade: same } } }, 'v2') }]
  t.same(await warningsOf(t, (app) => {
    app.get('/bookings', { name: 'bookings', schema: { response: { 200: copy } } }, ok)
    app.get('/new', { version: { from: 'v2' }, schema: { response: { 200: copy } } }, ok)
  }, changes), [])
})

t.test('a shared schema of Zod has no copies that are compared', async (t) => {
  const older = z.object({ guest: z.string() })
  const Changed = { older, downgrade: () => ({ guest: 'a' }) }
  const change = { version: 'v2', description: 'A guest.', schemas: { Guest: Changed } }
  const app = await appWith(t, { scheme, allowedVersions: VERSIONS, changes: [change] })
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  const Guest = z.object({ name: z.string() }).meta({ id: 'Guest' })
  app.get('/', { schema: { response: { 200: Guest } } }, ok)
  app.get('/a', { schema: { response: { 200: { type: 'object', properties: { name: text } } } } }, ok)
  t.same(await warningsDuring(t, async () => app.ready()), [])
})

/** A guest that v1 knows as `{ id, called, age }`. */
const Guest = {
  $id: 'Guest', type: 'object', properties: { id: { type: 'integer' }, name: text, age: { type: ['integer', 'null'] } }
}
const named: Change = {
  version: 'v2',
  description: 'A guest has a name.',
  schemas: {
    Guest: {
      older: {
        type: 'object',
        properties: { id: { type: 'integer' }, called: text, age: { type: 'integer' } },
        additionalProperties: true
      },
      upgrade: ({ called, ...rest }) => ({ ...rest, name: called }),
      downgrade: ({ name, ...rest }) => ({ ...rest, called: name })
    }
  }
}
const objectOf = (properties: object) => ({ type: 'object', properties })
const name = "POST /guests, body ('name')"

/** Requests whose response has a guest. */
const REQUESTS: [title: string, schema: object, shown: string | null][] = [
  ['a body with the new name', { body: objectOf({ name: text }) }, name],
  ['a body with more', { body: objectOf({ name: { ...text, minLength: 1 }, coupon: text }) }, name],
  ['a body with the new name in an object', { body: objectOf({ guest: objectOf({ name: text }) }) }, name],
  ['a body with the new name in a list', { body: { type: 'array', items: objectOf({ name: text }) } }, name],
  ['a body with the new name in an alternative', { body: { anyOf: [objectOf({ name: text }), text] } }, name],
  ['a body with the new name, or null', { body: objectOf({ name: { type: ['string', 'null'] } }) }, name],
  ['a body by media type', { body: { content: { 'text/json': { schema: objectOf({ name: text }) } } } }, name],
  ['a query with the new name', { querystring: objectOf({ name: text, page: { type: 'integer' } }) },
    "POST /guests, querystring ('name')"],
  ['a shared schema that has more of the guest', { body: { $ref: 'NewGuest#' } }, name],
  ['a shared schema that has no more of the guest', { body: { $ref: 'Tag#' } }, null],
  ['a schema with an $id of its own', { body: { ...objectOf({ name: text }), $id: 'Renamed' } }, null],
  ['a property with an $id of its own', { body: objectOf({ name: { ...text, $id: 'Title' }, coupon: text }) }, null],
  ['the changed schema', { body: { $ref: 'Guest#' } }, null],
  ['both names', { body: objectOf({ name: text, called: text }) }, null],
  ['another type', { body: objectOf({ name: objectOf({ first: text }) }) }, null],
  ['a property of any type', { body: objectOf({ name: {} }) }, null],
  ['other properties of the guest', { body: objectOf({ id: { type: 'integer' }, age: { type: 'integer' } }) }, null]
]
for (const [title, schema, shown] of REQUESTS) {
  t.test(`there is ${shown === null ? 'no' : 'a'} warning about a request with ${title}`, async (t) => {
    const warnings = await warningsOf(t, (app) => {
      app.addSchema(Guest)
      app.addSchema({ $id: 'NewGuest', ...objectOf({ name: text, age: { type: 'integer' } }) })
      app.addSchema({ $id: 'Tag', ...objectOf({ name: text, note: text }) })
      app.post('/guests', { schema: { ...schema, response: { 200: { $ref: 'Guest#' } } } }, ok)
    }, [guests, room, named])
    t.equal(warnings.length, shown === null ? 0 : 1)
    if (shown !== null) t.match(warnings[0], `only in responses (1): ${shown}. Write a $ref to the changed schema, or `)
  })
}

t.test('a renamed property may stand where a change of the route converts it', async (t) => {
  const older = { body: { ...objectOf({ called: text }), additionalProperties: true } }
  const upgrade = ({ called }: Record<string, unknown>) => ({ name: called })
  const change: Change = { ...named, routes: { guests: { older, body: { upgrade } } } }
  t.same(await warningsOf(t, (app) => {
    app.addSchema(Guest)
    const schema = { body: objectOf({ name: text }), response: { 200: { $ref: 'Guest#' } } }
    app.post('/guests', { name: 'guests', schema }, ok)
  }, [guests, room, change]), [])
})

t.test('a property is not renamed if the response has not changed, or if the change has only added it', async (t) => {
  const body = objectOf({ name: text })
  const added: Change = {
    version: 'v2',
    description: 'A guest has a name.',
    schemas: { Guest: { older: objectOf({ id: { type: 'integer' } }), downgrade: ({ name, ...rest }) => rest } }
  }
  for (const [change, response] of [[named, {}], [added, { $ref: 'Guest#' }]] as const) {
    t.same(await warningsOf(t, (app) => {
      app.addSchema(Guest)
      app.get('/guest', { schema: { response: { 200: { $ref: 'Guest#' } } } }, ok)
      app.post('/guests', { schema: { body, response: { 200: response } } }, ok)
    }, [guests, room, change]), [])
  }
})

t.test('one warning at run time names a body without a schema in which a client sends an old name', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [named] })
  app.addSchema(Guest)
  for (const url of ['/guests', '/others']) {
    app.post(url, { schema: { response: { 200: { $ref: 'Guest#' } } } }, async () => ({ name: 'Ada' }))
  }
  await app.ready()
  t.same(await warningsDuring(t, async () => {
    for (const [url, version, sent] of [
      ['/guests', 'v2', { called: 'Ada' }], ['/guests', 'v1', { name: 'Ada' }], ['/guests', 'v1', [{ called: 'Ada' }]],
      ['/guests', 'v1', { called: 'Ada' }], ['/guests', 'v1', { called: 'Ada' }], ['/others', 'v1', {}]
    ] as const) await ask(app, version, url, sent)
  }), ['FST_WARN_VERSION_RESPONSE: Write a schema for the body of POST /guests: without a schema, changes do not ' +
    "convert what older clients send, such as 'called'."])
})

t.test('there is no warning about a body without a schema that a change of its route upgrades', async (t) => {
  const older = { body: { ...objectOf({ called: text }), additionalProperties: true } }
  const upgrade = ({ called }: Record<string, unknown>) => ({ name: called })
  const change: Change = { ...named, routes: { guests: { older, body: { upgrade } } } }
  const app = await appWithChanges(t, { scheme, changes: [change] })
  app.addSchema(Guest)
  const schema = { response: { 200: { $ref: 'Guest#' } } }
  app.post('/guests', { name: 'guests', schema }, async ({ body }) => body)
  await app.ready()
  const warnings = await warningsDuring(t, async () => {
    t.same((await ask(app, 'v1', '/guests', { called: 'Ada' })).json(), { called: 'Ada' })
  })
  t.same(warnings, [])
})

const Fault = { $id: 'Fault', type: 'object', properties: { message: text } }
const faults: Change = {
  version: 'v2',
  description: 'An error has a message.',
  schemas: { Fault: { older: objectOf({ error: text }), downgrade: ({ message }) => ({ error: message }) } }
}
const ofFault = (...statuses: string[]) => Object.fromEntries(statuses.map((status) => [status, { $ref: 'Fault#' }]))

t.test('a warning names the routes without a schema for errors, if others have one for errors alone', async (t) => {
  const declare = (first: object) => (app: FastifyInstance) => {
    app.addSchema(Fault)
    const all: [url: string, response: object, options?: object][] = [
      ['/first', first], ['/single', ofFault('404')], ['/without', { 200: {} }], ['/default', { default: {} }],
      ['/new', { 200: {} }, { version: 'v3' }]
    ]
    for (const [url, response, options] of all) app.get(url, { ...options, schema: { response } }, ok)
  }
  t.same(await warningsOf(t, declare({ 200: {}, ...ofFault('4xx') }), [faults]), [
    'FST_WARN_VERSION_RESPONSE: Changes do not convert the successful responses of these routes, because no schema ' +
    'describes them (1): GET /single. Write a schema, or "response": { 200: {} } if nothing changed, { 204: {} } ' +
    'without a body. For routes of other plugins, use a context with "scheme": null.',
    'FST_WARN_VERSION_RESPONSE: Changes do not convert the errors of these routes, because no schema describes them ' +
    '(2): GET /, GET /without. Write that of other routes under "4xx", or {} if nothing changed.'
  ].toReversed())
  for (const first of [ofFault('200', '4xx'), { 200: {}, ...ofFault('404') }]) {
    t.notMatch((await warningsOf(t, declare(first), [faults])).join(), /errors of these routes/)
  }
})

t.test('a warning names the routes whose conversion a list of changes in their context replaces', async (t) => {
  const declare = (changes: Change[] | null, url: string, options: object = {}) => (app: FastifyInstance) => {
    app.register(async (context) => {
      await context.register(versioning, { changes })
      context.get(url, { ...options, schema: { response } }, ok)
      context.get(`${url}/fault`, { schema: { response: { 200: { $ref: 'Fault#' } } } }, ok)
    })
  }
  t.same(await warningsOf(t, (app) => {
    app.addSchema(Fault)
    app.get('/fault', { schema: { response: { 200: { $ref: 'Fault#' } } } }, ok)
    declare([faults], '/replaced')(app)
    declare([faults], '/newest', { version: 'v3' })(app)
    declare([faults], '/oldest', { version: 'v1' })(app)
    declare([guests, room, faults], '/repeated')(app)
    declare([], '/none')(app)
    declare(null, '/off')(app)
  }, [guests, room, faults]), [
    'FST_WARN_VERSION_RESPONSE: Repeat the changes of the context around, as in "changes": [...outer, ...own]: a ' +
    'list replaces the one around it, which would convert these routes: GET /replaced.'
  ])
})

t.test('a warning names the routes that have a changed schema beside the context with the changes', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme, allowedVersions: VERSIONS })
  app.addSchema(Booking)
  app.get('/beside', { schema: { response } }, ok)
  app.get('/list', { schema: { response: { 200: { type: 'array', items: { $ref: 'Booking#' } } } } }, ok)
  app.get('/other', { schema: { response: { 200: {} } } }, ok)
  app.get('/none', ok)
  app.get('/newest', { version: 'v3', schema: { response } }, ok)
  app.get('/neutral', { versioning: false, schema: { response } }, ok)
  app.register(async (context) => {
    await context.register(versioning, { changes: [guests] })
    context.get('/inside', { schema: { response } }, ok)
    context.register(async (inner) => {
      await inner.register(versioning, { changes: null })
      inner.get('/inner', { schema: { response } }, ok)
    })
  })
  app.register(async (context) => {
    await context.register(versioning, { changes: [] })
    context.get('/meant', { schema: { response } }, ok)
  })
  t.same(await warningsDuring(t, async () => app.ready()), [
    'FST_WARN_VERSION_RESPONSE: Set "changes" in a context around all routes with the changed schemas, or to [] ' +
    'where nothing changed. Older versions of these routes get the newest schemas, because their context has no ' +
    'changes: GET /beside, GET /list.'
  ])
})

t.test('a property is not renamed if only an error has it', async (t) => {
  t.same(await warningsOf(t, (app) => {
    app.addSchema(Guest)
    const response = { 200: {}, '4xx': { $ref: 'Guest#' }, default: { $ref: 'Guest#' } }
    app.post('/guests', { schema: { body: objectOf({ name: text }), response } }, ok)
  }, [guests, room, named]), [])
})

const VALUES: [title: string, ofResponse: object, ofRequest: object][] = [
  ['numbers, and one is an integer', { type: 'number' }, { type: 'integer', minimum: 1 }],
  ['numbers, and one may be null', { type: ['number', 'null'] }, { type: 'integer' }],
  ['values of an enum', { enum: ['on', 'off'] }, { enum: ['on'] }],
  ['a value of an enum and a text', { enum: ['on', 'off'] }, text],
  ['constants', { const: 'on' }, { const: 'on', description: 'a state' }]
]
for (const [title, ofResponse, ofRequest] of VALUES) {
  t.test(`a renamed property is found in a response and a request as ${title}`, async (t) => {
    const change: Change = {
      version: 'v2',
      description: 'A lamp has a state.',
      schemas: { Lamp: { older: objectOf({ mode: ofResponse }), downgrade: ({ state }) => ({ mode: state }) } }
    }
    t.match(await warningsOf(t, (app) => {
      app.addSchema({ $id: 'Lamp', ...objectOf({ id: { type: 'integer' }, state: ofResponse }) })
      app.put('/a', { schema: { body: objectOf({ state: ofRequest }), response: { 200: { $ref: 'Lamp#' } } } }, ok)
    }, [guests, room, change]), [/\(1\): PUT \/a, body \('state'\)\. /])
  })
}

t.test('a request is read once, however many schemas of its response have changed', async (t) => {
  async function readsWith (count: number): Promise<number> {
    let reads = 0
    const body = Object.defineProperty({ type: 'object' }, 'properties', {
      enumerable: true,
      get () {
        reads++
        return { note: text }
      }
    })
    const ids = Array.from({ length: count }, (_, i) => `Guest${i}`)
    const schemas = Object.fromEntries(ids.map((id) => [id, named.schemas!.Guest]))
    await warningsOf(t, (app) => {
      for (const $id of ids) app.addSchema({ ...Guest, $id })
      const guest = objectOf(Object.fromEntries(ids.map((id) => [id, { $ref: `${id}#` }])))
      app.post('/guests', { schema: { body, response: { 200: guest } } }, ok)
    }, [guests, room, { ...named, schemas }])
    return reads
  }
  t.equal(await readsWith(9), await readsWith(1))
})

t.test('a renamed property may get another type', async (t) => {
  t.match(await warningsOf(t, (app) => {
    app.post('/a', { schema: { body: objectOf({ guests: Booking.properties.guests }), response } }, ok)
  }), [/\(1\): POST \/a, body \('guests'\)\. /])
})

t.test('a schema of Zod without its id is named if it has a renamed property', async (t) => {
  const older = z.object({ called: z.string() })
  const Changed = { older, downgrade: () => ({ called: 'Ada' }) }
  const change = { version: 'v2', description: 'A name.', schemas: { Named: Changed } }
  const app = await appWith(t, { scheme, allowedVersions: VERSIONS, changes: [change] })
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setValidatorCompiler(() => () => true)
  const Named = z.object({ id: z.number(), name: z.string() }).meta({ id: 'Named' })
  for (const body of [Named.omit({ id: true }), Named.partial(), Named.pick({ id: true })]) {
    app.post(`/${Object.keys(body.shape).join('-')}`, { schema: { body, response: { 200: Named } } }, ok)
  }
  t.match(await warningsDuring(t, async () => app.ready()), [
    /\(2\): POST \/name, body \('name'\), POST \/id-name, body \('name'\)\. /
  ])
})

t.test('schemas of Zod that are made with changed properties of another one are named as its copies', async (t) => {
  const [id, at] = [z.number(), z.string()]
  const Named = z.object({ id, at, name: z.string() }).meta({ id: 'Named' })
  const older = z.object({ id, at, called: z.string() })
  const change = {
    version: 'v2', description: 'A.', schemas: { Named: { older, downgrade: () => ({ id: 7, at: '', called: '' }) } }
  }
  const app = await appWith(t, { scheme, allowedVersions: VERSIONS, changes: [change] })
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  const made = {
    extended: Named.extend({ more: z.string() }),
    partial: Named.partial(),
    list: z.array(Named.omit({ at: true })),
    unchanged: Named.pick({ id: true, at: true }),
    shared: z.object({ id, at, more: z.string() }),
    alone: z.object({ name: Named.shape.name })
  }
  app.get('/', { schema: { response: { 200: Named } } }, ok)
  for (const [url, schema] of Object.entries(made)) app.get(`/${url}`, { schema: { response: { 200: schema } } }, ok)
  t.match(await warningsDuring(t, async () => app.ready()), [
    /\(3\): GET \/extended, response 200 \('Named'\), GET \/partial, .*, GET \/list, response 200 \('Named'\)\. /
  ])
})

for (const responses of [undefined, {}, { 404: {} }, { 303: {} }]) {
  t.test(`a route that upgrades its body says what it answers, not only ${JSON.stringify(responses)}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [guests, room] })
    const schema = { body, ...responses && { response: responses } }
    app.post('/bookings', { schema }, async ({ body }) => body)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      message: /^Change .*: write a response schema for POST \/bookings, .* \{ 200: \{\} \}, or \{ 204: \{\} \}/
    })
  })
}

for (const key of ['200', '2xx', 'default', '204']) {
  t.test(`a route that upgrades its body may say that its ${key} has not changed`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [guests, room] })
    app.post('/bookings', { schema: { body, response: { [key]: {} } } }, async ({ body }) => body)
    t.same((await ask(app, 'v1', '/bookings', EXAMPLES.v1)).json(), EXAMPLES.v3)
  })
}

t.test('a route that upgrades its query alone may answer without a schema', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [ofRoute({ query: { upgrade: () => ({}) } })] })
  app.get('/bookings', { name: 'bookings', schema: { querystring: { type: 'object' } } }, ok)
  t.equal((await ask(app, 'v1')).statusCode, 200)
})

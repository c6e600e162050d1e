import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { Readable } from 'node:stream'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

import { HeaderVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { appBetween, ask } from './bookings.ts'
import { both, integer, object, text } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Json } from './kernel.ts'
import type { SchemaChange } from '../../types/index.d.ts'

const optional = (properties: Record<string, unknown>, rest: object = {}) => (
  object(properties, { required: [], ...rest })
)
const same = (value: Json) => value
const list = { type: 'array', items: text }

/** An app whose handler notes what it sees of a `Booking`, which has changed in v2. */
async function appOf (
  t: Test, schema: Record<string, unknown>, change: SchemaChange, seen: unknown[] = []
): Promise<FastifyInstance> {
  const changes = { version: 'v2', description: 'Bookings differ.', schemas: { Booking: change } }
  const app = await appBetween(t, changes, [{ $id: 'Booking', ...schema }])
  app.addHook('onError', async (_request, _reply, error) => { seen.push((error.cause as Error | undefined)?.message) })
  app.post('/bookings', { schema: both({ $ref: 'Booking#' }) }, async ({ body }) => {
    seen.push(body)
    return body
  })
  await app.ready()
  return app
}

const renamed = {
  older: optional({ note: text, guest: text }),
  upgrade: ({ guest, ...rest }: Json) => ({ ...rest, name: guest, in: { guest, a: 1 } }),
  downgrade: ({ name, in: _in, ...rest }: Json) => ({ ...rest, guest: name })
}

t.test('members that a function leaves undefined are none', async (t) => {
  const seen: Json[] = []
  const inner = optional({ guest: text, a: integer })
  const app = await appOf(t, optional({ note: text, name: text, in: inner }), renamed, seen)
  await ask(app, 'v1', '/bookings', { note: 'a' })
  t.same(seen.map((one) => [Object.keys(one), Object.keys(one.in)]), [[['note', 'in'], ['a']]])
  t.same(Object.keys(app.upgrade('Booking', {}, 'v1') as object), ['in'])
  t.same(Object.keys(app.downgrade('Booking', {}, 'v1') as object), [])
})

t.test('an item that a function leaves undefined is an error, because JSON would have null', async (t) => {
  const seen: unknown[] = []
  const app = await appOf(t, optional({ guests: list }), {
    older: optional({ guest: text }),
    upgrade: ({ guest }) => ({ guests: [guest] }),
    downgrade: ({ guests }) => ({ guest: guests?.[0] })
  }, seen)
  t.equal((await ask(app, 'v1', '/bookings', {})).statusCode, 500)
  t.match(seen, [/its function "upgrade" returned undefined at '\/guests\/0'\.$/])
})

for (const [says, older, upgrade, sent, expected] of [
  ['a typo', { guest: text }, ({ guest }: Json) => ({ gests: [guest] }), { guest: 'Ada' },
    /"upgrade" returned 'gests', which the newer schema does not have\. Did you mean 'guests'\?$/],
  ['a typo inside', { guest: text }, ({ guest }: Json) => ({ at: { flor: guest } }), { guest: 'Ada' },
    /returned 'flor' at '\/at', which .* 'floor'\?$/],
  ['a typo in a list', { guest: text }, ({ guest }: Json) => ({ ats: [{ flor: guest }] }), { guest: 'Ada' },
    /returned 'flor' at '\/ats\/0', which/],
  ['what only the older version has', { guests: list, nick: text }, same, { nick: 'A' }, /returned 'nick', which/],
  ['nothing', { guests: list, nick: text }, ({ nick, ...rest }: Json) => rest, { nick: 'A' }, {}],
  ['what neither has, and an open schema lets pass', { guests: list, additionalProperties: true }, same,
    { other: 1 }, {}],
  ['what neither has, inside', { at: { type: 'object', additionalProperties: true } },
    ({ at }: Json) => ({ ats: [at] }), { at: { other: 1 } }, { ats: [{}] }]
] as const) {
  t.test(`what an upgrade makes and the newest schema does not have is an error, not lost: ${says}`, async (t) => {
    const { additionalProperties = false, ...properties } = older as Json
    const seen: unknown[] = []
    const at = optional({ floor: text })
    const app = await appOf(t, optional({ guests: list, at, ats: { type: 'array', items: at } }), {
      older: optional(properties, { additionalProperties }), upgrade, downgrade: same
    }, seen)
    const { statusCode } = await ask(app, 'v1', '/bookings', sent)
    t.equal(statusCode, expected instanceof RegExp ? 500 : 200)
    t.match(seen, [expected])
    if (!(expected instanceof RegExp)) t.same(seen, [expected])
  })
}

const branch = (kind: string, more: object) => optional({ kind: { const: kind }, ...more })
for (const [says, schema, made, name] of [
  ['references', { $ref: '#/$defs/B', $defs: { B: optional({ guests: list }) } }, { gests: 1 }, 'gests'],
  ['allOf', { allOf: [optional({ a: text }, { additionalProperties: true }), optional({ b: text })] }, { a: '1' },
    'a'],
  ['alternatives', { anyOf: [text, branch('a', { one: text }), branch('b', { two: text })] }, { kind: 'b', to: 1 },
    'to'],
  ['patterns', optional({}, { patternProperties: { '^x-': text } }), { 'x-a': 'b', y: 1 }, 'y'],
  ['members of any name', { type: 'object', additionalProperties: optional({ a: text }) }, { b: { c: 1 } }, 'c']
] as const) {
  t.test(`the names of the newest schema are read in ${says}`, async (t) => {
    const app = await appOf(t, schema, { older: optional({}), upgrade: () => made, downgrade: same })
    t.throws(() => app.upgrade('Booking', {}, 'v1'), { cause: { message: new RegExp(`returned '${name}'`) } })
  })
}

// Another file may use the same id, which the registry of Zod has once.
for (const [says, newestOf, older, isClosed] of [
  ['of Zod', () => z.object({ guests: z.array(z.string()).optional() }).meta({ id: 'Booking' }),
    z.object({ guest: z.string().optional() }), true],
  ['of Zod, open', () => z.looseObject({ guests: z.array(z.string()).optional() }).meta({ id: 'Booking' }),
    z.object({ guest: z.string().optional() }), false],
  ['of TypeBox', () => Type.Object({ guests: Type.Optional(Type.Array(Type.String())) }, {
    $id: 'Booking', additionalProperties: false
  }), Type.Object({ guest: Type.Optional(Type.String()) }, { additionalProperties: false }), true]
] as const) {
  t.test(`a typo is an error by schemas ${says}`, async (t) => {
    const app = await appWith(t, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{
        version: 'v2',
        description: 'Several.',
        schemas: { Booking: { older, upgrade: ({ guest }) => ({ gests: [guest] }) } }
      }]
    })
    if (says.includes('Zod')) app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const response = { 200: says.includes('Zod') ? z.any() : {} }
    app.post('/bookings', { schema: { body: newestOf(), response } }, async ({ body }) => body)
    const { statusCode } = await ask(app, 'v1', '/bookings', { guest: 'Ada' })
    t.equal(statusCode, isClosed ? 500 : 200)
    t.match(checkChanges(app, { Booking: { v1: [{ guest: 'Ada' }] } }), isClosed ? [{ version: 'v1' }] : [])
  })
}

// checkChanges

const several = {
  older: optional({ guest: text }, { required: ['guest'] }),
  upgrade: ({ guest, ...rest }: Json) => ({ ...rest, guests: [guest] }),
  downgrade: ({ guests, ...rest }: Json) => ({ ...rest, guest: guests[0] })
}
const kind = { enum: ['a', 'b'] }
for (const [finds, schema, change, examples, message] of [
  ['a member that may be left out', optional({ guests: { ...list, minItems: 1 } }), several, [{ guests: ['Ada'] }],
    /^The example without '\/guests' is valid, too\. .*"downgrade" of 'Booking' threw "Cannot read .*'0'/],
  ['an empty list', optional({ guests: list }, { required: ['guests'] }), several, [{ guests: ['Ada'] }],
    /^The example with \[\] at '\/guests' is valid, too\. The downgrade gives \{ guest: undefined \}, which/],
  ['null', optional({ guests: { type: ['array', 'null'], minItems: 1, items: text } }, { required: ['guests'] }),
    several, [{ guests: ['Ada'] }], /with null at '\/guests' is valid, too/],
  ['another value of an enum', optional({ kind }, { required: ['kind'] }),
    { older: optional({ kind: { enum: ['a'] } }), downgrade: same }, [{ kind: 'a' }],
    /with "b" at '\/kind' is valid, too/],
  ['another alternative', optional({ at: { anyOf: [text, optional({ on: text }, { required: ['on'] })] } }),
    { older: optional({ at: text }), downgrade: ({ at }: Json) => ({ at: at?.toUpperCase() }) }, [{ at: 'a' }],
    /with {"on":"x"} at '\/at' is valid, too\. .*threw/],
  ['a member that the example lacks', optional({ id: integer, guests: optional({ all: list }) }),
    {
      older: optional({ id: integer }),
      downgrade: ({ guests, ...rest }: Json) => ({ ...rest, ...guests && guests.all.at(0) })
    }, [{ id: 1 }], /with '\/guests' is valid, too/],
  ['two members that may be left out together', optional({ a: text, b: text }),
    { older: optional({ c: text }), downgrade: ({ a, b }: Json) => ({ c: (a ?? b).trim() }) }, [{ a: 'a', b: 'b' }],
    /without '\/a', '\/b' is valid, too/],
  ['what is lost of a lossless change', optional({ name: text }),
    {
      older: optional({ name: text, nick: text }),
      upgrade: ({ nick, ...rest }: Json) => rest,
      downgrade: same,
      lossless: true
    }, { v1: [{ name: 'Ada' }] }, /with '\/nick' is valid, too\. Upgraded and downgraded again/],
  ['a typo in a downgrade', optional({ guests: list }),
    { ...several, downgrade: ({ guests }: Json) => ({ gust: guests?.[0], guest: '' }) }, [{ guests: ['Ada'] }],
    /"downgrade" returned 'gust', which the older schema does not have\. Did you mean 'guest'\?$/],
  ['a function that modifies what it is given', optional({ at: optional({ a: text, b: text }) }), {
    older: optional({ at: optional({ a: text }) }),
    downgrade: (booking: Json) => { delete booking.at?.b; return booking }
  }, [{ at: { a: 'a', b: 'b' } }], /^The downgrade modifies what it is given, at '\/at\/b'/]
] as const) {
  t.test(`checkChanges() finds ${finds}`, async (t) => {
    const app = await appOf(t, schema, { upgrade: () => ({}), ...change } as never)
    const problems = checkChanges(app, { Booking: examples } as never)
    t.match(problems.find((one) => message.test(one.message)), { schema: 'Booking', version: 'v1' })
  })
}

t.test('checkChanges() leaves alone what no schema describes, and what is not valid', async (t) => {
  const app = await appOf(t, { ...optional({ a: { type: 'integer', minimum: 5 } }), additionalProperties: true }, {
    older: optional({ a: { type: 'integer', minimum: 5 }, b: text }),
    upgrade: ({ b, ...rest }) => rest,
    downgrade: ({ _b, a }) => { if (a < 5) throw new Error('No.'); return { a, b: _b.trim() } }
  })
  t.same(checkChanges(app, { Booking: [{ a: 7, _b: 'b' }] }), [])
})

for (const [key, near] of [['length', 'lengths'], ['then', 'thens'], ['nodeType', 'nodeTypes']]) {
  t.test(`checkChanges() lets a library ask for "${key}", unless a name of the schema is near`, async (t) => {
    for (const name of ['a', near]) {
      const app = await appOf(t, optional({ b: text }), {
        older: optional({ [name]: text }),
        upgrade: (booking) => booking[key] === undefined ? { b: booking.a ?? 'b' } : {},
        downgrade: ({ b }) => ({ [name]: b })
      })
      const messages = checkChanges(app, { Booking: { v1: [{ [name]: 'a' }] } }).map(({ message }) => message)
      const found = messages.filter((message) => message.includes(`'/${key}'`))
      const expected = `The upgrade reads '/${key}', which the older schema does not have. Did you mean '${near}'?`
      t.same(found, name === 'a' ? [] : [expected])
    }
  })
}

// What the app converts itself

const made = {
  older: optional({ time: integer }), downgrade: ({ at }: Json) => ({ time: Date.parse(at) }), outside: true
}
const Event = optional({ at: text }, { $id: 'Event' })
const eventsOf = async (t: Test, outside: boolean) => {
  const changes = { version: 'v2', description: 'Events have a date.', schemas: { Event: { ...made, outside } } }
  return await appBetween(t, changes, [Event])
}
const event = { schema: { $ref: 'Event#' } }
const streamed = (type: string) => ({ schema: { response: { 200: { content: { [type]: event } } } } })

t.test('a schema may change that only webhooks and queues have, if the change says so', async (t) => {
  const app = await eventsOf(t, true)
  app.get('/', async () => '')
  await app.ready()
  t.same(app.downgrade('Event', { at: '1970-01-01T00:00:00Z' }, 'v1'), { time: 0 })
  t.same(checkChanges(app, { Event: [{ at: '2026-01-01' }] }).length, 1, 'not every text is a date')
  const other = await eventsOf(t, false)
  other.get('/', async () => '')
  await t.rejects(async () => { await other.ready() }, { message: /is never used: .* write "outside": true\./ })
})

const STREAMS = [
  'text/event-stream', 'application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/json-lines',
  'application/jsonlines', 'application/json-seq', 'application/geo+json-seq', 'application/x-json-stream'
]
for (const type of STREAMS) {
  t.test(`a stream of ${type} is not converted: the app says that it does it`, async (t) => {
    const app = await eventsOf(t, true)
    app.get('/', streamed(type), (_request, reply) => reply.type(type).send('own'))
    t.equal((await ask(app, 'v1', '/')).body, 'own')
    const other = await eventsOf(t, false)
    other.get('/', streamed(type), async () => ({}))
    await t.rejects(async () => { await other.ready() }, {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      message: /GET \/, response 200: .* the messages of '.*'\. Convert each with app\.downgrade\(\), and .*"outside"/
    })
  })
}

t.test('a stream is not sent next to JSON that has changed, unless the app says that it converts it', async (t) => {
  const whole = { type: 'object', properties: { at: text } }
  const [json, type] = ['application/json', 'application/x-ndjson']
  const answers = async (schema: object, change: object) => {
    const app = await appBetween(t, { version: 'v2', description: 'Dates.', ...change }, [Event])
    app.get('/', { name: 'events', schema: { response: { 200: schema } } }, (_request, reply) => (
      reply.type(type).send(Readable.from(['{}']))
    ))
    return (await ask(app, 'v1', '/')).statusCode
  }
  for (const outside of [false, true]) {
    const { older, downgrade } = made
    const ofSchema = { schemas: { Event: { ...made, outside } } }
    t.equal(await answers(event.schema, ofSchema), outside ? 200 : 500)
    t.equal(await answers({ content: { [json]: event } }, ofSchema), outside ? 200 : 500)
    const content = { [json]: { schema: older }, ...outside && { [type]: { schema: older } } }
    const ofRoute = { routes: { events: { response: { 200: { older: { content }, downgrade, outside } } } } }
    const both = { [json]: { schema: whole }, ...outside && { [type]: { schema: whole } } }
    t.equal(await answers({ content: both }, ofRoute), outside ? 200 : 500)
    // What stands for all types stands for this type, too.
    t.equal(await answers({ content: { '*/*': event } }, ofSchema), outside ? 200 : 500)
  }
})

t.test('an object under a media type of several values is converted, because Fastify serializes it', async (t) => {
  const app = await eventsOf(t, false)
  app.get('/', { schema: { response: { 200: event.schema } } }, (_request, reply) => (
    reply.type('application/x-ndjson').send({ at: '1970-01-01T00:00:00Z' })
  ))
  t.equal((await ask(app, 'v1', '/')).body, '{"time":0}')
})

t.test('a text of a media type whose schema has changed is never sent as it is', async (t) => {
  for (const outside of [false, true]) {
    const app = await eventsOf(t, outside)
    app.get('/', streamed('text/csv'), (_request, reply) => reply.type('text/csv').send('at'))
    t.equal((await ask(app, 'v1', '/')).statusCode, outside ? 200 : 500)
    t.equal((await ask(app, 'v2', '/')).body, 'at')
  }
})

t.test('boot makes the schemas of a version once for all routes', async (t) => {
  let reads = 0
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  const { default: versioning } = await import('../../src/index.ts')
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    changes: [{ version: 'v2', description: 'Events.', schemas: { Event: made } }]
  })
  app.addSchema({ ...Event, get properties () { reads++; return Event.properties } })
  const before = reads
  const schema = { response: { 200: { $ref: 'Event#' } } }
  for (let i = 0; i < 50; i++) app.get(`/${i}`, { version: 'v1', schema }, async () => '')
  await app.ready()
  t.ok(reads - before < 50, `${reads - before}`)
})

t.test('a cache that answers without returning the reply ends no process', async (t) => {
  const app = await appBetween(t, { version: 'v2', description: 'Bookings differ.', schemas: { Booking: renamed } }, [
    { $id: 'Booking', ...optional({ note: text, name: text }) }
  ])
  app.addHook('onSend', async () => {})
  // An async hook must return the reply, or Fastify calls the handler, too.
  app.addHook('onRequest', async (_request, reply) => { reply.send('{"note":"cached"}') })
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({ note: 'new' }))
  const response = await ask(app, 'v1')
  t.match([response.statusCode, response.json()], [500, { code: 'FST_ERR_VERSION_CHANGE' }])
})

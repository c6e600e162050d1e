import t from 'tap'
import { z } from 'zod'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'

import versioning, { HeaderVersioning, URLPathVersioning, byDate } from '../../src/index.ts'
import { events as generated } from '../../fuzz/events/events.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const text = { type: 'string' }
const Booking = {
  $id: 'Booking',
  type: 'object',
  required: ['guests'],
  properties: { guests: { type: 'array', items: text }, at: { type: 'string', format: 'date-time' } },
  additionalProperties: false
}
const BookingV1 = {
  type: 'object',
  required: ['guest'],
  properties: { guest: text, at: { type: 'string', format: 'date' } },
  additionalProperties: false
}
const severalGuests: Change = {
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: { Booking: { older: BookingV1, downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] }) } }
}
const versions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] }
const events = { 'booking.made': { $ref: 'Booking#' } }
const value = { guests: ['Ada', 'Grace'], at: new Date('2026-01-02T03:04:05Z'), internal: 'margin 12 %' }

/** An app with one event, and a route that answers with the same value. */
async function eventApp (t: Test, options: Partial<VersioningOptions> = {}, sent: unknown = value) {
  const app = await appWith(t, { ...versions, changes: [severalGuests], events, ...options })
  app.addSchema(Booking)
  app.get('/', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => sent)
  await app.ready()
  return app
}

async function bodyOf (app: FastifyInstance, version: string): Promise<string> {
  return (await app.inject({ url: '/', headers: { 'api-version': version } })).body
}

for (const version of ['v1', 'v2', 'v3']) {
  t.test(`an event in ${version} is the text of a response in ${version}`, async (t) => {
    const app = await eventApp(t)
    const body = await bodyOf(app, version)
    t.equal(app.event('booking.made', value, version), body)
    t.equal(app.event('booking.made', value, version), body, 'again')
    t.notMatch(body, /internal/)
  })
}

t.test('a compiler of the app gets each schema of an event under a name of its own', async (t) => {
  const keys: string[] = []
  const buildSerializer = () => ({ url, httpStatus }: { url: string, httpStatus?: string }) => {
    keys.push(`${url} ${httpStatus}`)
    return JSON.stringify
  }
  const serverOptions = { schemaController: { compilersFactory: { buildSerializer } } }
  const app = await appWith(t, { ...versions, changes: [severalGuests], events }, serverOptions)
  app.addSchema(Booking)
  await app.ready()
  t.same(keys, ['booking.made 200', 'booking.made;older-1 200'])
})

t.test('an alias of an event is resolved by a member of a list among its own versions, as in a request', async (t) => {
  const resolveVersion = (asked: string, all: readonly (string | null)[]) => asked === 'latest' ? all.at(-1) : asked
  const scheme = [new HeaderVersioning({ allowedVersions: ['v1'], resolveVersion }), URLPathVersioning]
  const app = await eventApp(t, { scheme })
  const body = await bodyOf(app, 'latest')
  t.equal(body, await bodyOf(app, 'v1'))
  t.equal(app.event('booking.made', value, 'latest'), body)
})

t.test('a service may get app.event without the app', async (t) => {
  const app = await eventApp(t)
  const { event } = app
  t.equal(event('booking.made', value, 'v1'), app.event('booking.made', value, 'v1'))
})

t.test('an event whose schema is of an object needs an object', async (t) => {
  const app = await eventApp(t, { events: { made: { type: 'object', properties: {} } } })
  for (const [wrong, shown] of [['{}', "'{}'"], [null, 'null'], [[], '[]']] as const) {
    const message = `The event 'made' needs a value that fits its schema, got ${shown}.`
    t.throws(() => app.event('made', wrong, 'v2'), { code: 'FST_ERR_VERSION_EVENT', message })
  }
})

t.test('an event of a list is written by the items of its schema', async (t) => {
  const app = await eventApp(t, { events: { 'bookings.made': { type: 'array', items: { $ref: 'Booking#' } } } })
  t.equal(app.event('bookings.made', [value], 'v1'), '[{"guest":"Ada","at":"2026-01-02"}]')
})

t.test('a schema that only an event has may change', async (t) => {
  const app = await appWith(t, { ...versions, changes: [severalGuests], events })
  app.addSchema(Booking)
  await app.ready()
  t.equal(app.event('booking.made', value, 'v1'), '{"guest":"Ada","at":"2026-01-02"}')
})

t.test('a schema that an event has in it may change', async (t) => {
  const app = await appWith(t, { ...versions, changes: [severalGuests], events: { made: Booking } })
  await app.ready()
  t.equal(app.event('made', value, 'v1'), '{"guest":"Ada","at":"2026-01-02"}')
  t.match(app.event('made', value, 'v2'), /"guests":\["Ada","Grace"\]/)
})

t.test('an event may have a schema of Zod', async (t) => {
  const Made = z.object({ guests: z.array(z.string()) }).meta({ id: 'Made' })
  const change: Change = {
    version: 'v2',
    description: 'Several guests.',
    schemas: { Made: { older: z.object({ guest: z.string() }), downgrade: ({ guests }) => ({ guest: guests[0] }) } }
  }
  const app = bareApp(t)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(versioning, { ...versions, changes: [change], events: { made: Made } })
  await app.ready()
  t.equal(app.event('made', { guests: ['Ada'] }, 'v1'), '{"guest":"Ada"}')
  t.equal(app.event('made', { guests: ['Ada'] }, 'v2'), '{"guests":["Ada"]}')
})

t.test('without changes, an event is the same in every allowed version', async (t) => {
  const app = await eventApp(t, { changes: null })
  t.equal(app.event('booking.made', value, 'v1'), app.event('booking.made', value, 'v3'))
  t.throws(() => app.event('booking.made', value, 'v9'), { code: 'FST_ERR_VERSION_EVENT' })
})

t.test('without a list of versions, an event may be in any version', async (t) => {
  const app = await eventApp(t, { changes: null, allowedVersions: null })
  t.match(app.event('booking.made', value, 'anything'), /guests/)
})

t.test('an event resolves a version as a request does', async (t) => {
  const allowedVersions = ['2025-01-01', '2026-01-01']
  const changes = [{ ...severalGuests, version: '2026-01-01' }]
  const app = await eventApp(t, { allowedVersions, changes, resolveVersion: byDate })
  t.equal(app.event('booking.made', value, '2025-07-01'), '{"guest":"Ada","at":"2026-01-02"}')
  t.equal(app.event('booking.made', value, '2025-07-01'), await bodyOf(app, '2025-07-01'))
})

t.test('an event is found in a list of schemes, and under a scheme in the path', async (t) => {
  for (const scheme of [[URLPathVersioning, HeaderVersioning], URLPathVersioning]) {
    const app = await appWith(t, { ...versions, scheme, changes: [severalGuests], events })
    app.addSchema(Booking)
    await app.ready()
    t.equal(app.event('booking.made', value, 'v1'), '{"guest":"Ada","at":"2026-01-02"}')
  }
})

t.test('a context inherits events, and its own replace them', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { ...versions, changes: [severalGuests], events })
  app.addSchema(Booking)
  await app.register(async (child) => {
    t.equal(typeof child.event, 'function')
    await child.register(versioning, { events: { moved: { type: 'object', properties: { room: text } } } })
    child.addHook('onReady', async () => {
      t.equal(child.event('moved', { room: '12', x: 1 }, 'v1'), '{"room":"12"}')
      t.throws(() => child.event('booking.made', value, 'v1'), { code: 'FST_ERR_VERSION_EVENT' })
    })
  })
  await app.ready()
})

t.test('inherited events have the versions and the changes of the context that inherits them', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { ...versions, changes: [severalGuests], events })
  app.addSchema(Booking)
  await app.register(async (child) => {
    const changes = [{ ...severalGuests, version: '2' }]
    await child.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['1', '2'], changes })
    child.addHook('onReady', async () => {
      t.equal(child.event('booking.made', value, '1'), '{"guest":"Ada","at":"2026-01-02"}')
      t.throws(() => child.event('booking.made', value, 'v1'), { code: 'FST_ERR_VERSION_EVENT' })
    })
  })
  for (const changes of [undefined, null]) {
    await app.register(async (child) => {
      await child.register(versioning, { scheme: null, changes })
      child.addHook('onReady', async () => { t.match(child.event('booking.made', value, 'v1'), '"guest":"Ada"') })
    })
  }
  await app.ready()
  t.match(app.event('booking.made', value, 'v1'), '"guest":"Ada"')
})

t.test('app.event is not there without the option "events"', async (t) => {
  t.notOk((await appWith(t, versions)).hasDecorator('event'))
})

t.test('an unknown event, an unknown version and no value are errors with a near name', async (t) => {
  const app = await eventApp(t)
  const code = 'FST_ERR_VERSION_EVENT'
  t.throws(() => app.event('booking.mode', value, 'v1'), {
    code, message: "Unknown event 'booking.mode'. Did you mean 'booking.made'? There are 'booking.made'."
  })
  t.throws(() => app.event('booking.made', value, 'v4'), {
    code, message: "Unknown version 'v4'. Did you mean 'v1'? There are 'v1', 'v2', 'v3'."
  })
  t.throws(() => app.event('booking.made', value, null as never), { code })
  t.throws(() => app.event('booking.made', undefined, 'v1'), {
    code, message: "The event 'booking.made' needs a value that fits its schema, got undefined."
  })
})

t.test('a name or a version that is no text, or the name of a member of objects, is an error', async (t) => {
  const app = await eventApp(t)
  const wrong = ['__proto__', 'constructor', 5, undefined, null, Symbol('name'), Object.create(null)] as never[]
  for (const name of wrong) {
    t.throws(() => app.event(name, value, 'v1'), { code: 'FST_ERR_VERSION_EVENT', message: /^Unknown event / })
    t.throws(() => app.event('booking.made', value, name), {
      code: 'FST_ERR_VERSION_EVENT', message: /^Unknown version .* There are 'v1', 'v2', 'v3'\.$/
    })
  }
  const open = await eventApp(t, { changes: null, allowedVersions: null })
  t.throws(() => open.event('booking.made', value, 5 as never), { message: 'Unknown version 5.' })
})

const cyclic: Record<string, unknown> = { guests: [] }
cyclic.any = cyclic

for (const [what, wrong, reason] of [
  ['no value', undefined, 'needs a value that fits its schema, got undefined.'],
  ['a function', () => 1, 'needs a value that fits its schema, got [Function (anonymous)].'],
  ['a symbol', Symbol('x'), 'needs a value that fits its schema, got Symbol(x).'],
  ['a promise', Promise.resolve({ guests: [] }), 'needs a value that fits its schema, got a promise: await it.'],
  ['a BigInt', 5n, "in 'v2': Do not know how to serialize a BigInt"],
  ['a cyclic value', cyclic, "in 'v2': Converting circular structure to JSON"],
  ['a value that throws', { toJSON () { throw new Error('No.') } }, "in 'v2': No."]
] as const) {
  t.test(`${what} is an error of one sentence, whose cause is what the serializer throws`, async (t) => {
    const app = await eventApp(t, { events: { made: {} } })
    const message = reason.startsWith('in') ? `Cannot write the event 'made' ${reason}` : `The event 'made' ${reason}`
    t.throws(() => app.event('made', wrong, 'v2'), { code: 'FST_ERR_VERSION_EVENT', message })
  })
}

t.test('a value that the schema refuses is an error that names the event, the version and what is wrong', async (t) => {
  const app = await eventApp(t)
  t.throws(() => app.event('booking.made', { at: new Date() }, 'v2'), {
    code: 'FST_ERR_VERSION_EVENT',
    message: 'Cannot write the event \'booking.made\' in \'v2\': "guests" is required!',
    cause: { message: '"guests" is required!' }
  })
})

t.test('a key "__proto__" in a value is written as in a response, and changes no object', async (t) => {
  const sent = JSON.parse('{"guests":["Ada"],"__proto__":{"polluted":1}}')
  const app = await eventApp(t, {}, sent)
  for (const version of ['v1', 'v2']) t.equal(app.event('booking.made', sent, version), await bodyOf(app, version))
  t.notOk('polluted' in {})
})

t.test('a schema of an event that does not compile is an error at boot', async (t) => {
  const app = await appWith(t, { ...versions, events: { made: { $ref: 'Boking#' } } })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^Correct the schema of the event 'made': .*Boking.*[^.]\. See /
  })
})

t.test('a schema of an event that the compiler of the app does not take is an error at boot', async (t) => {
  const app = await appWith(t, { ...versions, events: { made: { type: 'object' } } })
  app.setSerializerCompiler(({ schema }) => (value) => JSON.stringify(Object(schema).parse(value)))
  await t.rejects(async () => app.ready(), { message: /^Correct the schema of the event 'made': .*parse is not a fun/ })
})

t.test('a function that throws is the error of the change, as in a response', async (t) => {
  const app = await eventApp(t)
  t.throws(() => app.event('booking.made', {}, 'v1'), { code: 'FST_ERR_VERSION_CHANGE', cause: /event 'booking.made'/ })
})

t.test('what a change cannot convert in an event is an error at boot', async (t) => {
  const made = { not: { $ref: 'Booking#' } }
  const app = await appWith(t, { ...versions, changes: [severalGuests], events: { made } })
  app.addSchema(Booking)
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSION_CHANGE_OPTION', message: /the event 'made'/ })
})

t.test('events that are no schemas by names are an error at boot', async (t) => {
  const content = { made: { content: {} } }
  const byVersion = { made: { v1: { type: 'object' }, v2: { type: 'object' } } }
  for (const wrong of ['booking.made', ['booking.made'], { made: 'Booking#' }, { made: null }, content, byVersion]) {
    await t.rejects(appWith(t, { ...versions, events: wrong as never }), { code: 'FST_ERR_VERSIONING_OPTION' })
  }
})

t.test('a version may have the name of a method of objects', async (t) => {
  const allowedVersions = ['toString', 'v2']
  const app = await appWith(t, { ...versions, allowedVersions, events: { made: { type: 'string' } } })
  await app.ready()
  t.equal(app.event('made', 'Ada', 'toString'), '"Ada"')
})

t.test('app.event before the app is ready is an error', async (t) => {
  const app = await appWith(t, { ...versions, changes: [severalGuests], events })
  t.throws(() => app.event('booking.made', value, 'v1'), { code: 'FST_ERR_VERSION_EVENT', message: /app\.ready/ })
})

t.test('the text of any value is the body of a response with the same value', async (t) => {
  let compared = 0
  const property = fc.asyncProperty(generated.cases, async (model) => { compared += await generated.check(model) })
  await fc.assert(property, { numRuns: tries(generated.batch) })
  t.ok(compared > 0, `${compared} texts`)
})

t.test('events without a scheme are an error at boot', async (t) => {
  await t.rejects(appWith(t, { scheme: null, events }), { code: 'FST_ERR_VERSIONING_OPTION', message: /"events"/ })
})

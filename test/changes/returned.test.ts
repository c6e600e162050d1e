import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

import { HeaderVersioning } from '../../src/index.ts'
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
const open = (properties: Record<string, unknown>) => optional(properties, { additionalProperties: true })
const same = (value: Json) => value
const list = { type: 'array', items: text }
const any = {}

/** An app whose handler notes what it sees of a `Booking`, which has changed in v2. */
async function appOf (
  t: Test, schema: Record<string, unknown>, change: SchemaChange, seen: unknown[] = [],
  prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<FastifyInstance> {
  const changes = { version: 'v2', description: 'Bookings differ.', schemas: { Booking: change } }
  const app = await appBetween(t, changes, [{ $id: 'Booking', ...schema }])
  prepare(app)
  app.addHook('onError', async (_request, _reply, error) => { seen.push((error.cause as Error | undefined)?.message) })
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' }, response: { 200: {} } } }, async ({ body }) => {
    seen.push(body)
    return 'ok'
  })
  await app.ready()
  return app
}

/** What a client of v1 gets of a `Booking`, which has changed in v2. */
async function answerOf (t: Test, older: unknown, downgrade: SchemaChange['downgrade']) {
  const changes = { version: 'v2', description: 'Bookings differ.', schemas: { Booking: { older, downgrade } } }
  const app = await appBetween(t, changes as never, [{ $id: 'Booking', ...optional({}) }])
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({}))
  const { statusCode, body } = await app.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })
  return { statusCode, body }
}

class Money {
  readonly euros = 7
  readonly none = undefined
  get cents () { return 700 }
}

const circle = (): Json => {
  const value: Json = { a: 1, b: undefined }
  value.self = value
  return value
}

for (const [says, made, expected] of [
  ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
  ['an instance of a class', () => ({ at: new Money() }), { at: { euros: 7, cents: 700 } }],
  ['an object with toJSON', () => ({ at: { toJSON: () => 'noon' } }), { at: 'noon' }],
  ['an object with toJSON for nothing', () => ({ at: { toJSON: () => undefined } }), {}],
  ['functions and symbols', () => ({ at: { a: 1, b () {}, c: Symbol('c') }, on: () => {} }), { at: { a: 1 } }],
  ['what is undefined, in lists in lists', () => ({ at: [[{ a: 1, b: undefined }]] }), { at: [[{ a: 1 }]] }],
  ['a BigInt, which stays', () => ({ at: [7n] }), { at: [7n] }]
] as const) {
  t.test(`the handler sees what a function returns as JSON has it: ${says}`, async (t) => {
    const seen: Json[] = []
    const change = { older: optional({}), upgrade: made }
    const app = await appOf(t, optional({ at: any, on: any }), change, seen)
    await ask(app, 'v1', '/bookings', {})
    t.strictSame(seen, [expected])
    t.strictSame(app.upgrade('Booking', {}, 'v1'), expected)
  })
}

t.test('objects that refer to each other are copied once each', async (t) => {
  const app = await appOf(t, optional({ at: any }), {
    older: optional({}), upgrade: () => ({ at: circle() }), downgrade: same
  })
  const { at } = app.upgrade('Booking', {}, 'v1') as Json
  t.same(Object.keys(at), ['a', 'self'])
  t.equal(at.self, at)
})

t.test('the next function sees what the one before has returned as JSON has it', async (t) => {
  const change = (version: string, downgrade: (value: Json) => unknown) => (
    { version, description: 'Dates differ.', schemas: { Booking: { older: optional({ at: text }), downgrade } } }
  )
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    changes: [change('v2', ({ at }) => ({ at: typeof at })), change('v3', () => ({ at: new Date(0) }))]
  })
  app.addSchema({ $id: 'Booking', ...optional({ at: text }) })
  app.get('/', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({}))
  for (const [version, at] of [['v1', 'string'], ['v2', '1970-01-01T00:00:00.000Z']] as const) {
    t.same((await app.inject({ url: '/', headers: { 'api-version': version } })).json(), { at })
    t.same(app.downgrade('Booking', {}, version), { at })
  }
})

t.test('what a function has written into an object that it passes on is read as well', async (t) => {
  const seen: Json[] = []
  const at = optional({ floor: text, door: text })
  const upgrade = (booking: Json) => {
    booking.at.door = undefined
    return booking
  }
  const app = await appOf(t, optional({ at }), { older: optional({ at }), upgrade, downgrade: same }, seen)
  await ask(app, 'v1', '/bookings', { at: { floor: '1', door: 'a' } })
  t.same(Object.keys(seen[0].at), ['floor'])
})

t.test('what a parser has made, such as an uploaded file, is passed on as it is', async (t) => {
  const seen: Json[] = []
  const app = await appBetween(t, {
    version: 'v2',
    description: 'Bookings differ.',
    schemas: {
      Booking: {
        older: optional({ file: any, note: text }), upgrade: ({ file, note }: Json) => ({ scan: file, memo: note })
      }
    }
  }, [{ $id: 'Booking', ...optional({ scan: any, memo: text }) }])
  const at = new Date(0)
  app.addContentTypeParser('multipart/form-data', async () => {
    const file: Json = { read: () => 'bytes', at, none: undefined }
    // As @fastify/multipart does.
    file.fields = { file }
    return { file }
  })
  const schema = { body: { $ref: 'Booking#' }, response: { 200: {} } }
  app.post('/bookings', { schema }, async ({ body }) => { seen.push(body) })
  const headers = { 'api-version': 'v1', 'content-type': 'multipart/form-data' }
  await app.inject({ method: 'POST', url: '/bookings', headers, payload: 'x' })
  const [{ scan }] = seen
  t.same([scan.read(), scan.at, scan.fields.file, Object.keys(seen[0])], ['bytes', at, scan, ['scan']])
})

for (const items of [{ type: 'boolean' }, {}, { enum: ['a'] }]) {
  t.test(`an item that a downgrade leaves undefined is an error: of ${JSON.stringify(items)}`, async (t) => {
    const all = { type: 'array', items }
    for (const [older, made] of [
      [optional({ all }), { all: [undefined] }],
      [optional({ at: optional({ all }) }), { at: { all: [undefined] } }],
      [optional({}, { additionalProperties: all }), { x: [undefined] }],
      [optional({ at: {} }), { at: [undefined] }],
      [all, [undefined]]
    ] as const) {
      t.match(await answerOf(t, older, () => made), { statusCode: 500, body: /FST_ERR_VERSION_CHANGE/ })
    }
  })
}

t.test('the serializer gets dates and instances that a downgrade makes', async (t) => {
  const older = optional({ on: { type: 'string', format: 'date' }, at: optional({ cents: integer }), all: list })
  const made = { on: new Date(0), at: new Money(), all: ['a'], none: undefined }
  t.match(await answerOf(t, older, () => made), { body: '{"on":"1970-01-01","at":{"cents":700},"all":["a"]}' })
})

t.test('the serializer gets what the toJSON of a plain object says, which a downgrade makes', async (t) => {
  const at = { toJSON: () => ({ cents: 700 }) }
  t.match(await answerOf(t, optional({ at: optional({ cents: integer }) }), () => ({ at })), {
    body: '{"at":{"cents":700}}'
  })
})

t.test('the serializer gets an instance that a downgrade returns', async (t) => {
  t.match(await answerOf(t, optional({ cents: integer }), () => new Money()), { body: '{"cents":700}' })
})

for (const [says, downgrade] of [
  ['a promise', () => Promise.reject(new Error('late'))],
  ['a function', () => () => {}],
  ['undefined', () => undefined]
] as const) {
  t.test(`a downgrade that returns ${says} is an error`, async (t) => {
    t.match(await answerOf(t, optional({}), downgrade), { statusCode: 500 })
  })
}

const rejected = () => Promise.reject(new Error('late'))

for (const type of ['string', 'number', 'integer', 'boolean', 'null', ['string', 'null']]) {
  t.test(`a promise that a downgrade returns in place of a scalar is an error: of ${type}`, async (t) => {
    for (const [older, made] of [
      [optional({ at: { type } }), () => ({ at: rejected() })],
      [optional({ at: optional({ in: { type } }) }), () => ({ at: { in: rejected() } })],
      [optional({ at: { type: 'array', items: { type } } }), () => ({ at: [rejected()] })]
    ] as const) {
      t.match(await answerOf(t, older, made), { statusCode: 500, body: /FST_ERR_VERSION_CHANGE/ })
    }
  })
}

t.test('a downgrade that returns what JSON has not in place of a text is an error', async (t) => {
  for (const at of [new Map(), new Set(), ['a', undefined], rejected()]) {
    t.match(await answerOf(t, optional({ at: text }), () => ({ at })), { statusCode: 500 })
  }
})

t.test('a function or a symbol that a downgrade returns is left out, as in JSON', async (t) => {
  for (const at of [() => 1, Symbol('at')]) {
    for (const type of ['string', 'integer', 'boolean']) {
      t.match(await answerOf(t, optional({ at: { type } }), () => ({ at })), { statusCode: 200, body: '{}' })
    }
  }
})

t.test('the serializer gets texts that instances are written as', async (t) => {
  const at = new (class { toString () { return 'noon' } })()
  t.match(await answerOf(t, optional({ at: text }), () => ({ at })), { body: '{"at":"noon"}' })
})

for (const value of [new Map([['a', 1]]), new Set([1])]) {
  const name = value.constructor.name
  t.test(`an upgrade that returns a ${name} is an error, because JSON has nothing of what is in it`, async (t) => {
    const seen: unknown[] = []
    const app = await appOf(t, optional({ at: any }), { older: optional({}), upgrade: () => ({ at: value }) }, seen)
    t.equal((await ask(app, 'v1', '/bookings', {})).statusCode, 500)
    t.match(seen, [new RegExp(`returned a ${name} at '/at'\\.$`)])
  })
}

// Names

const kind = (kind: string, more: object) => optional({ kind: { const: kind }, ...more }, { required: ['kind'] })
const lists = { type: 'array', items: optional({ b: text }) }
const kinds = { anyOf: [{ type: 'null' }, kind('a', { one: text }), kind('b', { two: text, all: lists })] }
const ab = optional({ a: text, b: text })
for (const [says, newer, older, sent, message, upgrade = same] of [
  ['inside of what is passed on', optional({ at: optional({ a: text }) }), optional({ at: ab }),
    { at: { a: '1', b: '2' } }, /returned 'b' at '\/at', which the newer schema does not have/],
  ['in a list that is passed on', optional({ ats: { type: 'array', items: optional({ a: text }) } }),
    optional({ ats: { type: 'array', items: ab } }), { ats: [{ a: '1' }, { b: '2' }] }, /returned 'b' at '\/ats\/1'/],
  ['in a list of lists', optional({ ats: { type: 'array', items: { type: 'array', items: optional({ a: text }) } } }),
    optional({ ats: { type: 'array', items: { type: 'array', items: ab } } }), { ats: [[{ b: '2' }]] },
    /returned 'b' at '\/ats\/0\/0'/],
  ['in a member of a pattern', optional({}, { patternProperties: { '^x': optional({ a: text }) } }),
    optional({ x1: ab }), { x1: { b: '2' } }, /returned 'b' at '\/x1'/],
  ['in a name with a slash', optional({ 'a/b~': optional({ a: text }) }), optional({ 'a/b~': ab }),
    { 'a/b~': { b: '2' } }, /returned 'b' at '\/a~1b~0'/],
  ['in the branch that the value is of', kinds, optional({ kind: text, two: text }), { kind: 'a', two: '2' },
    /returned 'two', which the newer schema does not have\.$/],
  ['in a list in the branch that the value is of', optional({ at: kinds }), optional({ at: any }), {},
    /returned 'c' at '\/at\/all\/0'/, () => ({ at: { kind: 'b', all: [{ c: 1 }] } })],
  ['in a list that may be null',
    optional({ ats: { anyOf: [{ type: 'array', items: optional({ a: text }) }, { type: 'null' }] } }),
    optional({ ats: { type: 'array', items: ab } }), { ats: [{ b: '2' }] }, /returned 'b' at '\/ats\/0'/],
  ['behind a reference', { $defs: { at: optional({ a: text }) }, ...optional({ at: { $ref: '#/$defs/at' } }) },
    optional({ at: ab }), { at: { b: '2' } }, /returned 'b' at '\/at'/]
] as const) {
  t.test(`what the newer schema would remove is an error: ${says}`, async (t) => {
    const seen: unknown[] = []
    // Nothing may be sent beyond what is described, also where a value may be anything.
    const closed = JSON.parse(JSON.stringify(older, (_key, value) => value === any ? ab : value))
    const app = await appOf(t, newer, { older: closed, upgrade, downgrade: () => ({}) }, seen)
    t.equal((await ask(app, 'v1', '/bookings', sent)).statusCode, 500)
    t.match(seen, [message])
  })
}

for (const [says, newest, older] of [
  ['Zod', z.object({ at: z.object({ a: z.string() }).nullable() }).meta({ id: 'Booking' }),
    z.object({ at: z.object({ a: z.string(), b: z.string() }) })],
  ['strict Zod', z.strictObject({ at: z.strictObject({ a: z.string() }) }).meta({ id: 'Booking' }),
    z.object({ at: z.object({ a: z.string(), b: z.string() }) })],
  ['TypeBox', Type.Object({ at: Type.Object({ a: Type.String() }, { additionalProperties: false }) }, {
    $id: 'Booking', additionalProperties: false
  }), Type.Object({
    at: Type.Object({ a: Type.String(), b: Type.String() }, { additionalProperties: false })
  }, { additionalProperties: false })]
] as const) {
  t.test(`what the newer schema would remove is an error inside of schemas of ${says}`, async (t) => {
    const app = await appWith(t, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{ version: 'v2', description: 'Several.', schemas: { Booking: { older, upgrade: same } } }]
    })
    if (says.includes('Zod')) app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const response = { 200: says.includes('Zod') ? z.any() : {} }
    app.post('/bookings', { schema: { body: newest, response } }, async ({ body }) => body)
    const { statusCode } = await ask(app, 'v1', '/bookings', { at: { a: '1', b: '2' } })
    t.equal(statusCode, 500)
  })
}

// Where the schema of a typo is

const first = optional({ first: text })
const tuple = (...items: unknown[]) => ({ type: 'array', items, minItems: items.length, additionalItems: false })
const byKind = { type: 'object', properties: { kind: text }, if: { properties: { kind: { const: 'a' } } } }
const typo = { frist: 'Ada' }
for (const [says, at, made] of [
  ['alternatives that nothing tells apart', {
    anyOf: [
      { type: 'object', properties: { a: text, in: optional({ f: text }) }, required: ['a'] },
      { type: 'object', properties: { in: first } }
    ]
  }, { in: typo }],
  ['alternatives of lists', { oneOf: [{ type: 'array', items: text }, { type: 'array', items: first }] }, [typo]],
  ['a tuple', { ...tuple(text, first), maxItems: 2 }, ['', typo]],
  ['further items of a tuple', { type: 'array', items: [text], minItems: 1, additionalItems: first }, ['', typo]],
  ['two patterns', optional({}, { patternProperties: { '^x': first, '1$': first } }), { x1: typo }],
  ['two schemas of one member',
    { type: 'object', properties: { in: first }, allOf: [{ properties: { in: { type: 'object' } } }] }, { in: typo }],
  ['a condition', { ...byKind, then: optional({ kind: text, first: text }) }, { kind: 'a', ...typo }],
  ['a member of a condition', { ...byKind, then: { properties: { in: first } }, else: {} }, { kind: 'a', in: typo }],
  ['what depends on a member',
    { type: 'object', properties: { kind: text }, dependencies: { kind: { properties: { in: first } } } },
    { kind: 'a', in: typo }],
  ['items that a list contains', { type: 'array', contains: first }, [typo]]
] as const) {
  t.test(`what the newer schema would remove is an error in ${says}`, async (t) => {
    const seen: unknown[] = []
    const newer = optional({ at, name: text })
    const app = await appOf(t, newer, { older: open({ guest: text }), upgrade: () => ({ at: made }) }, seen)
    t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada', junk: 1 })).statusCode, 500)
    t.match(seen, [/its function "upgrade" returned 'frist' at '\/at.*', which .* not have\. Did you mean 'first'\?$/])
  })
}

for (const [says, schema, at] of [
  ['a tuple', z.tuple([z.string(), z.object({ first: z.string().optional() })]), ['', typo]],
  ['further items of a tuple', z.tuple([z.string()], z.object({ first: z.string().optional() })), ['', typo]],
  ['a union of lists', z.union([z.array(z.string()), z.array(z.object({ first: z.string().optional() }))]), [typo]]
] as const) {
  t.test(`what Zod would remove is an error in ${says}`, async (t) => {
    const seen: unknown[] = []
    const older = z.object({ guest: z.string() })
    const app = await appWith(t, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{ version: 'v2', description: 'At.', schemas: { At: { older, upgrade: () => ({ at }) } } }]
    })
    app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    app.addHook('onError', async (_request, _reply, error) => { seen.push((error.cause as Error).message) })
    t.teardown(() => z.globalRegistry.clear())
    const body = z.object({ at: schema }).meta({ id: 'At' })
    app.post('/bookings', { schema: { body, response: { 200: z.any() } } }, async () => 'ok')
    t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada' })).statusCode, 500)
    t.match(seen, [/returned 'frist' at '\/at.*', which .* not have\. Did you mean 'first'\?$/])
  })
}

t.test('an upgrade to an alternative whose members an earlier one removes is an error that says so', async (t) => {
  const seen: unknown[] = []
  const newer = { anyOf: [kind('a', { one: text }), kind('b', { two: text })], type: 'object' }
  const upgrade = (b: Json) => ({ kind: 'b', ...b })
  const app = await appOf(t, newer, { older: optional({ two: text }), upgrade }, seen)
  t.equal((await ask(app, 'v1', '/bookings', { two: '2' })).statusCode, 500)
  t.match(seen, [/"additionalProperties": false leaves nothing to the next alternative, or its function "upgrade" ret/])
})

/** Alternatives of which Fastify tries the first one first, and removes what it does not have. */
const closed = { anyOf: [kind('a', { one: text }), kind('b', { two: text, inner: optional({ three: text }) })] }

t.test('app.upgrade keeps what an alternative has, although an earlier one would remove it', async (t) => {
  const b = { kind: 'b', two: '2', inner: { three: '3' } }
  const all = { type: 'array', items: closed }
  const app = await appOf(t, optional({ at: closed, all, name: text }), {
    older: optional({ at: closed, all, guest: text }),
    upgrade: ({ guest, ...rest }: Json) => ({ ...rest, name: guest }),
    downgrade: ({ name, ...rest }: Json) => ({ ...rest, guest: name })
  })
  t.same(app.upgrade('Booking', { at: b, all: [b], guest: 'Ada' }, 'v1'), { at: b, all: [b], name: 'Ada' })
  t.same(app.merge('Booking', { at: b, name: 'Ada' }, { at: b, name: 'Eve' }, 'v1'), { at: b, name: 'Eve' })
})

t.test('app.upgrade throws what no alternative has', async (t) => {
  const wrong = [[{ tow: '2' }, /'tow' at '\/at'/], [{ inner: { there: '3' } }, /'there' at '\/at\/inner'/]] as const
  for (const [members, message] of wrong) {
    const upgrade = () => ({ at: { kind: 'b', ...members } })
    const app = await appOf(t, optional({ at: closed }), { older: optional({ guest: text }), upgrade })
    t.throws(() => app.upgrade('Booking', { guest: 'Ada' }, 'v1'), { cause: { message } })
  }
})

class Parameters {
  constructor (query: string) {
    Object.assign(this, Object.fromEntries(new URLSearchParams(query)))
  }
}

for (const [says, options] of [
  ['', {}],
  [', also if the parser of the app makes instances of a class',
    { routerOptions: { querystringParser: (query: string) => new Parameters(query) as Record<string, string> } }]
] as const) {
  t.test(`a parameter of a query that only the newest version refuses is left out in silence${says}`, async (t) => {
    const change = {
      version: 'v2',
      description: 'Pages have a number.',
      routes: {
        bookings: {
          older: { querystring: open({ page: integer }) },
          query: { upgrade: ({ page, ...rest }: Json) => ({ ...rest, number: page }) }
        }
      }
    }
    const versions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [change as never] }
    const app = await appWith(t, versions, options)
    const schema = { querystring: optional({ number: integer }), response: { 200: {} } }
    app.get('/bookings', { name: 'bookings', schema }, async ({ query }) => query)
    const { statusCode, body } = await app.inject({
      url: '/bookings?page=2&utm_source=mail', headers: { 'api-version': 'v1' }
    })
    t.equal(statusCode, 200)
    t.equal(body, '{"number":2}')
  })
}

t.test('what an upgrade has frozen gets the defaults of the newest schema', async (t) => {
  const seen: unknown[] = []
  const inner = optional({ two: { type: 'integer', default: 2 } })
  const upgrade = ({ guest }: Json) => Object.freeze({ name: guest, inner: Object.freeze({}) })
  const newer = optional({ name: text, one: { type: 'integer', default: 1 }, inner })
  const app = await appOf(t, newer, { older: optional({ guest: text }), upgrade }, seen)
  t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada' })).statusCode, 200)
  t.same(seen, [{ name: 'Ada', one: 1, inner: { two: 2 } }])
})

t.test('what a schema between two versions would remove is an error of the function that made it', async (t) => {
  const change = (version: string, older: object, upgrade: (value: Json) => unknown) => (
    { version, description: `New in ${version}.`, schemas: { Booking: { older, upgrade } } }
  )
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    changes: [
      change('v2', open({ guest: text }), ({ guest }) => ({ nmae: guest })),
      change('v3', optional({ name: text }), ({ name }) => ({ title: name }))
    ] as never
  })
  const seen: unknown[] = []
  app.addSchema({ $id: 'Booking', ...optional({ title: text }) })
  app.addHook('onError', async (_request, _reply, error) => { seen.push((error.cause as Error).message) })
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' }, response: { 200: {} } } }, async () => 'ok')
  await app.ready()
  t.throws(() => app.upgrade('Booking', { guest: 'Ada' }, 'v1'), { cause: { message: /returned 'nmae'/ } })
  t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada' })).statusCode, 500)
  t.match(seen, [/^Change 'v2' \(New in v2\.\), POST \/bookings, .* 'nmae', .* Did you mean 'name'\?$/])
})

t.test('a request keeps what an alternative between two versions has', async (t) => {
  const seen: unknown[] = []
  const change = (version: string, older: object, upgrade: (value: Json) => unknown) => (
    { version, description: `New in ${version}.`, schemas: { Booking: { older, upgrade } } }
  )
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    changes: [
      change('v2', optional({ guest: text }), ({ guest }) => ({ at: { kind: 'b', two: guest } })),
      change('v3', optional({ at: closed }), ({ at }) => ({ two: at.two }))
    ] as never
  })
  app.addSchema({ $id: 'Booking', ...optional({ two: text }) })
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' }, response: { 200: {} } } }, async ({ body }) => {
    seen.push(body)
    return 'ok'
  })
  t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada' })).statusCode, 200)
  t.same(seen, [{ two: 'Ada' }])
})

t.test('app.upgrade passes by what no older schema describes, and throws what the function throws', async (t) => {
  const app = await appOf(t, optional({ name: text }), {
    older: open({ guest: text }),
    upgrade: ({ guest, ...rest }: Json) => ({ ...rest, name: rest.bad === 1 ? rest.none.none : guest }),
    downgrade: ({ name, ...rest }: Json) => ({ ...rest, guest: name })
  })
  t.same(app.upgrade('Booking', { guest: 'Ada', junk: 1 }, 'v1'), { name: 'Ada', junk: 1 })
  t.same(app.merge('Booking', { name: 'Ada', row: 7 }, { name: 'Grace' }, 'v1'), { name: 'Grace' })
  t.throws(() => app.upgrade('Booking', { guest: 'Ada', bad: 1 }, 'v1'), { cause: { message: /threw "Cannot read/ } })
})

for (const [says, prepare] of [
  ['validates nothing', () => {}],
  ['has a compiler that takes other schemas', (app: FastifyInstance) => {
    app.setValidatorCompiler(() => { throw new Error('No schema.') })
  }]
] as const) {
  t.test(`app.upgrade removes nothing in an app that ${says}`, async (t) => {
    const older = optional({ guest: text })
    const app = await appBetween(t, {
      version: 'v2',
      description: 'Bookings differ.',
      schemas: { Booking: { older, upgrade: () => ({ nmae: 1 }), downgrade: () => ({}) } }
    }, [{ $id: 'Booking', ...optional({ name: text }) }])
    prepare(app)
    app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({}))
    await app.ready()
    t.same(app.upgrade('Booking', {}, 'v1'), { nmae: 1 })
  })
}

t.test('a validator that is asynchronous tells what a client has sent from what a function has made', async (t) => {
  const app = await appBetween(t, {
    version: 'v2',
    description: 'Bookings differ.',
    schemas: {
      Booking: { older: open({ guest: text }), upgrade: ({ guest, ...rest }: Json) => ({ n: guest, ...rest }) }
    }
  }, [{ $id: 'Booking', ...optional({ n: text }) }])
  app.setValidatorCompiler((() => async (value: Json) => {
    if (value.junk === 1 && value.n !== undefined) throw new Error('Junk.')
  }) as never)
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' }, response: { 200: {} } } }, async () => 'ok')
  for (const [sent, status] of [[{ guest: 'Ada' }, 200], [{ guest: 'Ada', junk: 1 }, 400]] as const) {
    t.equal((await ask(app, 'v1', '/bookings', sent)).statusCode, status)
  }
})

t.test('a validator of the app may rename what its schema describes, but not what a function misspells', async (t) => {
  const inside = optional({ name: text }, { additionalProperties: false })
  for (const [says, upgrade, expected] of [
    ['renames', ({ guest }: Json) => ({ name: guest, of: { name: guest } }), { title: 'Ada', of: { title: 'Ada' } }],
    ['misspells', ({ guest }: Json) => ({ nmae: guest }), /function "upgrade" returned 'nmae'/],
    ['misspells inside', ({ guest }: Json) => ({ of: { nmae: guest } }), /returned 'nmae' at '\/of'/]
  ] as const) {
    const seen: unknown[] = []
    const older = optional({ guest: text }, { additionalProperties: false })
    const newest = { ...inside, properties: { name: text, of: inside } }
    const app = await appOf(t, newest, { older, upgrade }, seen, (app) => {
      const kept = ({ name, of }: Json): Json => (
        { ...name !== undefined && { title: name }, ...of !== undefined && { of: kept(of) } }
      )
      app.setValidatorCompiler(({ schema }) => (value: Json) => (
        { value: JSON.stringify(schema).includes('guest') ? value : kept(value) }
      ))
    })
    await ask(app, 'v1', '/bookings', { guest: 'Ada' })
    if (expected instanceof RegExp) t.match(seen[0], expected, says)
    else t.same(seen, [expected], says)
  }
})

t.test('only the newest version decides whether an upgraded value is valid', async (t) => {
  const change = (version: string, older: object, upgrade: (value: Json) => unknown) => (
    { version, description: 'Bookings differ.', schemas: { Booking: { older, upgrade } } }
  )
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    changes: [
      change('v2', optional({}), () => ({ name: 'too long' })),
      change('v3', optional({ name: { ...text, maxLength: 3 } }), ({ name }) => ({ title: name }))
    ] as never
  })
  app.addSchema({ $id: 'Booking', ...optional({ title: text }) })
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' }, response: { 200: {} } } }, async () => 'ok')
  t.equal((await ask(app, 'v1', '/bookings', {})).statusCode, 200)
})

t.test('a value that is nested more deeply than values are read is left to Fastify', async (t) => {
  const deep = (depth: number): Json => depth === 0 ? 1 : { at: deep(depth - 1) }
  const app = await appOf(t, optional({ at: any, b: text }), { older: optional({ at: any }), upgrade: same })
  t.equal((await ask(app, 'v1', '/bookings', deep(150))).statusCode, 200)
})

const name = z.object({ name: z.string() })
const room = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('single'), view: z.string() }), z.object({ kind: z.literal('suite'), beds: z.int() })
])
for (const [says, newest, result, status] of [
  ['a member of one side', name.and(z.object({ no: z.int() })), { name: 'Ada', no: 1 }, 200],
  ['a member that no side has', name.and(z.object({ no: z.int() })), { name: 'Ada', no: 1, nom: 2 }, 500],
  ['a member of an alternative', name.and(room), { name: 'Ada', kind: 'suite', beds: 2 }, 200],
  ['a member of another alternative', name.and(room), { name: 'Ada', kind: 'suite', beds: 2, view: 'sea' }, 500],
  ['what a loose side passes on', name.and(z.looseObject({})), { name: 'Ada', no: 1 }, 200]
] as const) {
  t.test(`the upgrade to an intersection of Zod returns ${says}: ${status}`, async (t) => {
    const older = z.object({ guest: z.string() })
    const seen: unknown[] = []
    const app = await appWith(t, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{ version: 'v2', description: 'Sides.', schemas: { Sides: { older, upgrade: () => ({ ...result }) } } }]
    })
    app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const schema = { body: newest.meta({ id: 'Sides' }), response: { 200: z.any() } }
    t.teardown(() => z.globalRegistry.clear())
    app.post('/bookings', { schema }, async ({ body }) => seen.push(body))
    const { statusCode } = await ask(app, 'v1', '/bookings', { guest: 'Ada' })
    t.equal(statusCode, status)
    t.same(seen, status === 200 ? [result] : [])
  })
}

// What clients send beyond an open older schema

const upgrade = ({ guest, ...rest }: Json) => ({ name: guest, ...rest })
const shouting = ({ guest, ...rest }: Json) => (
  { name: guest, ...Object.fromEntries(Object.keys(rest).map((key) => [key.toUpperCase(), 1])) }
)
for (const [says, older, change, sent, expected] of [
  ['nothing has it', open({ guest: text }), upgrade, { guest: 'Ada', other: { a: 1 } }, { name: 'Ada' }],
  ['it has the name of what the upgrade makes', open({ guest: text }), upgrade, { guest: 'Ada', name: { a: 1 } },
    'body/name must be string'],
  ['only the newest schema has it', open({ guest: text }), upgrade, { guest: 'Ada', count: 'many' },
    'body/count must be integer'],
  ['the function throws', open({ guest: text }), ({ guest, name }: Json) => ({ name: guest ?? name?.trim() }),
    { name: 1 }, 'body must NOT have additional properties'],
  ['the function renames it', open({ guest: text }), shouting, { guest: 'Ada', other: 1 }, { name: 'Ada' }],
  ['it is inside', optional({ at: open({ floor: text }) }), ({ at }: Json) => ({ at: { ...at } }),
    { at: { floor: '1', door: { a: 1 } } }, 'body/at/door must be string'],
  ['it is in a list', optional({ ats: { type: 'array', items: open({ floor: text }) } }),
    ({ ats: [at] }: Json) => ({ at }), { ats: [{ floor: '1', door: {} }] }, 'body/at/door must be string'],
  ['a map has it', optional({ at: optional({}, { additionalProperties: text }) }), same, { at: { a: '1' } },
    { at: {} }],
  ['a list may have any items', optional({ ats: { type: 'array' } }), ({ ats }: Json) => ({ at: ats[0] }),
    { ats: [{ other: 1 }] }, { at: {} }],
  ['names are those of prototypes', open({ guest: text }), upgrade,
    JSON.parse('{ "guest": "Ada", "toString": 1, "hasOwnProperty": 2, "valueOf": null }'), { name: 'Ada' }]
] as const) {
  t.test(`what a client sends beyond an open older schema is never a 500: ${says}`, async (t) => {
    const seen: Json[] = []
    const newest = optional({ name: text, count: integer, at: optional({ floor: text, door: text }) })
    const app = await appOf(t, newest, { older, upgrade: change, downgrade: same }, seen)
    const { statusCode, ...response } = await ask(app, 'v1', '/bookings', sent)
    if (typeof expected === 'string') t.match([statusCode, response.json().message], [400, expected])
    else t.strictSame([statusCode, seen], [200, [expected]])
  })
}

t.test('what a change makes wrong of what is described is its fault, whatever else a client sends', async (t) => {
  const app = await appOf(t, optional({ count: integer }), {
    older: open({ guest: text }), upgrade: ({ guest }) => ({ count: guest }), downgrade: same
  })
  for (const sent of [{ guest: 'Ada' }, { guest: 'Ada', other: 1 }]) {
    t.equal((await ask(app, 'v1', '/bookings', sent)).statusCode, 500)
  }
})

t.test('what an upgrade misspells is its fault, also if a client sends a property of this name', async (t) => {
  const misspelled = ({ guest, ...rest }: Json) => ({ ...rest, nam: guest })
  const app = await appOf(t, optional({ name: text }), { older: open({ guest: text }), upgrade: misspelled })
  for (const sent of [{ guest: 'Ada' }, { guest: 'Ada', nam: 'Grace' }]) {
    t.equal((await ask(app, 'v1', '/bookings', sent)).statusCode, 500)
  }
})

t.test('of bodies by media type the validator of the type decides who is to blame', async (t) => {
  const app = await appBetween(t, {
    version: 'v2',
    description: 'Bookings differ.',
    schemas: { Booking: { older: open({ guest: text }), upgrade } }
  }, [{ $id: 'Booking', ...optional({ name: text }) }])
  const body = { content: { 'application/json': { schema: { $ref: 'Booking#' } } } }
  app.post('/bookings', { schema: { body, response: { 200: {} } } }, async () => 'ok')
  t.equal((await ask(app, 'v1', '/bookings', { guest: 'Ada', name: {} })).statusCode, 400)
})

t.test('a function of a route that only fails by what a client has sent is not to blame', async (t) => {
  const app = await appBetween(t, {
    version: 'v2',
    description: 'Bookings differ.',
    routes: { bookings: { older: { body: open({ guest: text }) }, body: { upgrade: shouting } } }
  }, [])
  app.post('/bookings', { name: 'bookings', schema: both(optional({ name: text })) }, async ({ body }) => body)
  t.same((await ask(app, 'v1', '/bookings', { guest: 'Ada', other: 1 })).json(), { name: 'Ada' })
})

t.test('a downgrade may return null where the older schema takes it', async (t) => {
  const older = { type: ['object', 'null'], properties: { a: text } }
  t.same(await answerOf(t, older, () => null), { statusCode: 200, body: 'null' })
})

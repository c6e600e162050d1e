import { runInNewContext } from 'node:vm'
import t from 'tap'

import versioning from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { appBetween, ask } from './bookings.ts'
import { Booking, Guest, appOf, both, converters, converts, integer, names, object, several, text } from './kernel.ts'

import type { Test } from 'tap'
import type { Json } from './kernel.ts'

const shared = [Booking, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const thing = { $ref: 'Thing#' }
const booking = { changes: [several, names], schema: { $ref: 'Booking#' }, shared }
const same = (value: Json) => value
const any = { additionalProperties: true }

/** Changes of schemas, whose older versions may be anything, and these schemas. */
function changing (schemas: Record<string, object>, more: Json[] = Object.keys(schemas).map(($id) => ({ $id }))) {
  const all = Object.entries(schemas).map(([id, one]) => [id, { older: any, upgrade: same, downgrade: same, ...one }])
  return { changes: [{ version: 'v2', description: 'Things differ.', schemas: Object.fromEntries(all) }], shared: more }
}

/** The error of a conversion, which says where and why in its cause. */
function failing (t: Test, run: () => unknown, reason: RegExp): void {
  t.throws(run, { code: 'FST_ERR_VERSION_CHANGE', statusCode: 500, cause: { message: reason } })
}

t.test('functions get a shallow copy, and what is given to a conversion stays as it is', async (t) => {
  const clear = (value: Json) => {
    if (Array.isArray(value)) value.length = 0
    else if (typeof value === 'object') for (const key of Object.keys(value)) delete value[key]
    return value
  }
  const clearing = { ...changing({ Thing: { upgrade: clear, downgrade: clear } }), schema: thing }
  const { up, down } = await converters(t, clearing)
  const [object, array] = [Object.freeze({ a: 1 }), Object.freeze([1])]
  t.same([up(object), down(object), up(array), down(array)], [{}, {}, [], []])
  t.same([up('text'), down(7)], ['text', 7])
  const inside = await converters(t, booking)
  const value = { id: 1, guests: [{ ...guest }], more: { deep: [1] } }
  const older = { id: 1, guest: { ...guestV1 }, more: { deep: [1] } }
  const before = structuredClone([value, older])
  t.strictSame([inside.down(value), inside.up(older)], before.toReversed())
  t.strictSame([value, older], before)
})

const one = { properties: { n: { $ref: 'N#' } } }
const tree = { $id: 'Tree', ...one, allOf: [{ properties: { next: { $ref: 'Tree#' } } }] }
for (const [says, schema, newer, older] of [
  ['two schemas of allOf', { allOf: [{ $ref: 'One#' }, { $ref: 'One#' }] }, { n: 0 }, { n: -1 }],
  ['two references to one schema', { ...one, allOf: [{ properties: { n: { $ref: 'N#' } } }] }, { n: 0 }, { n: -1 }],
  ['properties next to a reference', { $ref: 'One#', ...one }, { n: 0 }, { n: -1 }],
  ['schemas that contain themselves', { $ref: 'Tree#', properties: { next: { $ref: 'Tree#' } } },
    { n: 0, next: { n: 0, next: { n: 0 } } }, { n: -1, next: { n: -1, next: { n: -1 } } }]
] as const) {
  t.test(`a value that ${says} describe is converted once`, async (t) => {
    const N = { upgrade: (value: Json) => value + 1, downgrade: (value: Json) => value - 1 }
    const { changes, shared } = changing({ N }, [{ $id: 'N' }, { $id: 'One', ...one }, tree])
    await converts(t, { changes, schema: both(schema), shared }, older, newer)
  })
}

t.test('a BigInt among alternatives is converted as an integer', async (t) => {
  const N = { older: integer, downgrade: (value: bigint) => value - 1n }
  const schema = { anyOf: [{ $ref: 'N#' }, { type: 'null' }] }
  t.equal((await converters(t, { ...changing({ N }, [{ $id: 'N', ...integer }]), schema })).down(7n), 6n)
})

t.test('null stays null, and no function gets it', async (t) => {
  const fail = () => { throw new Error('It is called') }
  const schema = { type: 'array', items: thing }
  const { up, down } = await converters(t, { ...changing({ Thing: { upgrade: fail, downgrade: fail } }), schema })
  t.same([up([null]), down([null, undefined]), up(null), up('text')], [[null], [null, undefined], null, 'text'])
})

t.test('a property of any name is converted, and changes no prototype', async (t) => {
  const inBoth = (json: string) => JSON.parse(`{ "__proto__": ${json}, "constructor": ${json} }`)
  const schema = { type: 'object', properties: inBoth('{ "$ref": "Guest#" }') }
  const { up, down } = await converters(t, { changes: [names], schema, shared })
  const value = inBoth(JSON.stringify(guest))
  const older = down(value)
  t.equal(JSON.stringify(older), JSON.stringify(inBoth(JSON.stringify(guestV1))))
  t.equal(Object.getPrototypeOf(older), Object.prototype)
  t.equal(JSON.stringify(up(older)), JSON.stringify(value))
  t.same(down({}), {}, 'inherited properties are none')
  t.equal(({} as Json).first, undefined)
})

const at = both({ type: 'object', properties: { 'a/b': { type: 'array', items: thing } } })
for (const [does, run] of [
  ['threw "No."', () => { throw new Error('No.\nAt all.') }],
  ["threw 'No.'", () => { throw 'No.' }], // eslint-disable-line no-throw-literal
  ['returned undefined', () => undefined],
  ['returned a promise', () => Promise.reject(new Error('No.'))]
] as const) {
  for (const [direction, part] of [['upgrade', 'body'], ['downgrade', 'response 200']]) {
    t.test(`an error says where it occurred if the function "${direction}" ${does}`, async (t) => {
      const app = await appOf(t, { ...changing({ Thing: { [direction]: run } }), schema: at })
      const errors: unknown[] = []
      app.addHook('onError', async (_request, _reply, error) => { errors.push(error) })
      t.same((await ask(app, 'v1', '/bookings', { 'a/b': [null, { id: 1 }] })).json(), {
        statusCode: 500,
        code: 'FST_ERR_VERSION_CHANGE',
        error: 'Internal Server Error',
        message: 'A change between versions failed.'
      })
      const subject = does.startsWith('threw') ? `"${direction}" of 'Thing'` : `its function "${direction}"`
      const message = `Change 'v2' (Things differ.), POST /bookings, ${part}: ${subject} ${does}.`
      t.match(errors, [{ name: 'FastifyError', cause: { message } }])
    })
  }
}

t.test('an object whose toJSON() throws is an error', async (t) => {
  const { down } = await converters(t, { ...changing({ Thing: {} }), schema: thing })
  failing(t, () => down({ toJSON () { throw new Error('No.') } }), /the value cannot be read as JSON\.$/)
})

t.test('a value that matches none of the alternatives is an error', async (t) => {
  const anyOf = [object({ kind: { const: 'a' }, at: { $ref: 'Guest#' } }), object({ kind: { const: 'b' } })]
  const { up, down } = await converters(t, { changes: [names], schema: { anyOf }, shared })
  failing(t, () => down({ kind: 'c' }), /^Change 'v3' .*\{ kind: 'c' \} is none of the alternatives of its schema\.$/)
  t.same(up({ kind: 'c' }), { kind: 'c' }, 'the newest schema refuses what a client sends')
  t.equal(down('text'), 'text', 'another type is left to the serializer')
})

/** n was m. */
const Tree = {
  older: { type: 'object', properties: { m: integer, in: { $ref: 'Tree#' } }, additionalProperties: true },
  upgrade: ({ m, ...rest }: Json) => ({ n: m, ...rest }),
  downgrade: ({ n, ...rest }: Json) => ({ m: n, ...rest })
}

t.test('a value that is circular or thousands of levels deep is an error', async (t) => {
  const newest = { $id: 'Tree', type: 'object', properties: { n: integer, in: { $ref: '#' } } }
  const { up, down } = await converters(t, { ...changing({ Tree }, [newest]), schema: { $ref: 'Tree#' } })
  const within = (value: Json) => ({ n: 0, in: value })
  const deep = (levels: number): Json => Array.from({ length: levels }).reduce(within, { n: 0 })
  t.same(up(down(deep(500))), deep(500))
  const circle: Json = { n: 0 }
  circle.in = circle
  for (const value of [deep(20_000), deep(200_000), circle]) {
    for (const run of [up, down]) failing(t, () => run(value), /the value is nested too deeply|threw/)
  }
})

t.test('objects of another realm are plain, and so are those that are instances there', async (t) => {
  const { up, down } = await converters(t, { ...changing({ Tree }, [{ $id: 'Tree' }]), schema: { $ref: 'Tree#' } })
  const make = (code: string): Json => runInNewContext(code)
  const own = (value: Json) => Object.getOwnPropertyNames(value)
  t.strictSame(own(down(make('({ n: 1, of: { n: 2 } })')).of), ['n'])
  for (const code of ['({ n: 1 })', '[{ n: 1 }]', 'new (class { n = 1 })()', '({ __proto__: { a: 1 }, n: 1 })']) {
    t.same(own(down({ n: 0, of: make(code) }).of).sort(), own(make(code)).sort(), code)
  }
  t.same(own(down(make('({ n: 1 })'))), ['m'])
  t.same(own(up(make('({ m: 1 })'))), ['n'])
  t.same(own(down(make('new (class { n = 1; get at () { return 2 } })()'))).sort(), ['at', 'm'])
})

t.test('a schema without one of its functions is converted in the other direction', async (t) => {
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, upgrade: undefined } } }
  const app = await appOf(t, { changes: [change], schema: { response: { 200: { $ref: 'Guest#' } } }, shared })
  await app.ready()
  t.same(app.downgrade('Guest', guest, 'v1'), guestV1)
  t.throws(() => app.upgrade('Guest', guestV1, 'v1'), {
    code: 'FST_ERR_VERSION_CHANGE_OPTION', message: /schema 'Guest', value: the change 'v3' .* no function "upgrade"/
  })
})

t.test('objects that refer to each other are each read once', async (t) => {
  let reads = 0
  class Person {
    readonly guests = [guest]
    readonly friends: unknown[] = []

    get id () { return ++reads }
  }
  const { down } = await converters(t, { ...booking, changes: [several] })
  for (const make of [() => new Person(), () => ({ id: 1, guests: [guest], friends: [] as unknown[] })]) {
    const people = Array.from({ length: 20 }, make)
    for (const one of people) one.friends.push(...people.map((other) => [other]))
    t.same(down(people[0]).guest, guest)
  }
  t.equal(reads, 20)
})

t.test('an object that is far away and near is read from near', async (t) => {
  const shared = { at: { on: new Date(0) } }
  const far = Array.from({ length: 98 }).reduce((value: unknown) => [value], shared)
  const downgrade = ({ near }: Json) => near
  const { down } = await converters(t, { ...changing({ Thing: { downgrade } }), schema: thing })
  t.same(down({ far, near: shared }), { at: { on: '1970-01-01T00:00:00.000Z' } })
})

t.test('of two schemas of a value the outer one is downgraded first, and upgraded last', async (t) => {
  const functions = (name: string) => (
    { upgrade: (value: string) => `${value}+${name}`, downgrade: (value: string) => `${value}-${name}` }
  )
  const { up, down } = await converters(t, {
    ...changing({ Outer: functions('outer'), Inner: functions('inner') }, [
      { $id: 'Outer', allOf: [{ $ref: 'Inner#' }] }, { $id: 'Inner' }
    ]),
    schema: { allOf: [{ $ref: 'Outer#' }, { $ref: 'Inner#' }] }
  })
  t.same([down('a'), up('a')], ['a-outer-inner', 'a+inner+outer'])
})

// What JSON makes of values

class Money {
  readonly #cents: number

  constructor (cents: number) { this.#cents = cents }

  get euros () { return this.#cents / 100 }

  get broken () { throw new Error('not loaded') }

  toString () { return `EUR ${this.euros}` }
}

class Account extends Money {
  readonly at = new Date(0)
  readonly hidden = undefined
}

const day = { type: 'string', format: 'date' }
const money = { type: 'object', properties: { euros: { type: 'number' } } }

/** What versions answer for the property of a booking, which no function alters. */
const UNTOUCHED: [title: string, schema: object, make: () => unknown][] = [
  ['an instance with getters', money, () => new Money(250)],
  ['an instance with a date', { ...money, properties: { euros: text, at: text } }, () => new Account(1)],
  ['a text of an instance', text, () => new Money(250)],
  ['a text of a Buffer', text, () => Buffer.from('Ada')],
  ['a text of a URL', text, () => new URL('https://example.com/a')],
  ['a date of the format date', day, () => new Date(0)],
  ['dates in lists', { type: 'array', items: { type: 'array', items: day } }, () => [[new Date(0)]]],
  ['a date among alternatives', { anyOf: [day, { type: 'null' }] }, () => new Date(0)],
  ['an object that leads back to itself where its schema does not', { type: 'object', properties: { day } }, () => {
    const value: Json = { day: new Date(0) }
    return Object.assign(value, { self: { value, on: new Date(NaN) } })
  }],
  ['a number without an end', { type: 'number' }, () => Infinity],
  ['a text next to an instance that JSON has as this text', { type: 'object', properties: { a: text } },
    () => ({ a: 'Ada', other: { toJSON: () => 'Ada' } })],
  ['an instance that JSON leaves out', {}, () => ({ at: new Date(0), other: { toJSON: () => undefined } })],
  ['null next to an invalid date', { type: 'object', properties: { a: { type: ['integer', 'null'] } } },
    () => ({ a: null, other: new Date(NaN) })],
  ['an object without a prototype', money, () => Object.assign(Object.create(null), { euros: 1 })]
]

async function bookingApp (t: Test, schema: object, downgrade: (booking: Json) => unknown, answer: () => unknown) {
  const older = { type: 'object', properties: { value: schema } }
  const change = { version: 'v2', description: 'Other bookings.', schemas: { Booking: { older, downgrade } } }
  const app = await appBetween(t, change, [{ $id: 'Booking', ...older }])
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => answer())
  return app
}

for (const [title, schema, make] of UNTOUCHED) {
  t.test(`an older version answers as the newest does: ${title}`, async (t) => {
    const app = await bookingApp(t, schema, ({ value }) => ({ value }), () => ({ value: make() }))
    const [v1, v2] = [await ask(app, 'v1'), await ask(app, 'v2')]
    t.same([v1.statusCode, v1.body], [200, v2.body])
  })
}

t.test('functions see the getters of an instance, but none that throws', async (t) => {
  const seen: Json[] = []
  const app = await bookingApp(t, money, (booking) => {
    seen.push(booking)
    return booking
  }, () => Object.assign(new Account(250), { value: new Money(100) }))
  t.same((await ask(app, 'v1')).json(), { value: { euros: 1 } })
  t.same(Object.keys(seen[0]).sort(), ['at', 'euros', 'value'])
  t.match(seen, [{ euros: 2.5, at: '1970-01-01T00:00:00.000Z' }])
})

t.test('app.downgrade converts in a context without a scheme', async (t) => {
  const app = await appOf(t, { ...booking, schema: { response: { 200: booking.schema } } })
  let context = app
  app.register(async (child) => {
    await child.register(versioning, { scheme: null })
    context = child
  })
  await app.ready()
  t.match(context.downgrade('Booking', { guests: [guest] }, 'v1'), { guest: guestV1 })
})

t.test('app.downgrade refuses a version that is no text', async (t) => {
  const app = await appOf(t, { ...booking, schema: { response: { 200: booking.schema } } })
  await app.ready()
  t.throws(() => app.downgrade('Booking', { guests: [guest] }, 1 as never), {
    code: 'FST_ERR_VERSION_CHANGE_OPTION', message: /^1 is not one of allowedVersions\. Did you mean 'v1'/
  })
})

t.test('app.downgrade gives dates as texts', async (t) => {
  const app = await bookingApp(t, day, (booking) => booking, () => null)
  await app.ready()
  t.same(app.downgrade('Booking', { value: new Date(0) }, 'v1'), { value: '1970-01-01T00:00:00.000Z' })
})

t.test('a Fastify without the symbols that changes need is refused at boot', async (t) => {
  const app = bareApp(t)
  for (const symbol of Object.getOwnPropertySymbols(app)) {
    if (symbol.description === 'fastify.replySerializerDefault') Reflect.deleteProperty(app, symbol)
  }
  await t.rejects(async () => { await app.register(versioning, { changes: [] }) }, {
    code: 'FST_ERR_VERSIONING_OPTION', message: /needs Fastify's symbol "fastify\.replySerializerDefault"/
  })
})

t.test('instances around a changed value are read as JSON, and null stays null', async (t) => {
  const Inner = { $id: 'Inner', type: 'object', properties: { n: { type: 'integer' } } }
  const Outer = { $id: 'Outer', type: ['object', 'null'], properties: { inner: { $ref: 'Inner#' } } }
  const Around = { $id: 'Around', type: 'object', properties: { inner: { $ref: 'Inner#' } } }
  const Either = { $id: 'Either', anyOf: [{ type: 'string' }, { $ref: 'Around#' }] }
  const older = { type: 'object', properties: { m: { type: 'integer' } } }
  const schemas = {
    Inner: { older, downgrade: ({ n }: { n: number }) => ({ m: n }) },
    Outer: { older: Outer, downgrade: (value: object) => value }
  }
  const change = { version: 'v2', description: 'n was m.', schemas }
  const app = await appBetween(t, change as never, [Inner, Outer, Around, Either])
  app.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => null)
  await app.ready()
  class Instance { get inner () { return { n: 1 } } }
  for (const id of ['Around', 'Either', 'Outer']) {
    t.strictSame(app.downgrade(id, new Instance(), 'v1'), { inner: { m: 1 } }, id)
  }
  t.equal(app.downgrade('Outer', null, 'v1'), null)
})

t.test('a client that sends too much beside a list and a member that is described twice gets 400', async (t) => {
  const properties = { n: { type: 'integer' }, list: { type: 'array' } }
  const open = (properties: object) => ({ type: 'object', properties, additionalProperties: true })
  const older = { allOf: [open(properties), open({ n: { type: 'integer', minimum: 0 } })] }
  const Thing = { $id: 'Thing', ...open({ ...properties, extra: { type: 'integer' } }) }
  const schemas = { Thing: { older, upgrade: (value: object) => value } }
  const change = { version: 'v2', description: 'It has an extra.', schemas }
  const app = await appBetween(t, change as never, [Thing])
  app.post('/', { schema: { body: { $ref: 'Thing#' }, response: { 200: {} } } }, async ({ body }) => body)
  const { statusCode } = await ask(app, 'v1', '/', { n: 1, list: [1], extra: 'x' })
  t.equal(statusCode, 400)
})

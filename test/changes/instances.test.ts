import t from 'tap'

import versioning from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { appBetween, ask } from './bookings.ts'
import { text } from './kernel.ts'

import type { Test } from 'tap'
import type { Json } from './kernel.ts'

class Money {
  readonly #cents: number

  constructor (cents: number) { this.#cents = cents }

  get euros (): number { return this.#cents / 100 }

  get broken (): number { throw new Error('not loaded') }

  toString (): string { return `EUR ${this.euros}` }
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
  ['a text of an instance with a date', text, () => new Account(250)],
  ['a text of a Buffer', text, () => Buffer.from('Ada')],
  ['a text of a RegExp', text, () => /a+/],
  ['a text of a URL', text, () => new URL('https://example.com/a')],
  ['a date of the format date', day, () => new Date(0)],
  ['a date of the format time', { ...text, format: 'time' }, () => new Date(0)],
  ['a date of the format date-time', { ...text, format: 'date-time' }, () => new Date(0)],
  ['dates in lists', { type: 'array', items: { type: 'array', items: day } }, () => [[new Date(0)]]],
  ['a date in an object', { type: 'object', properties: { day } }, () => ({ day: new Date(0) })],
  ['a date among alternatives', { anyOf: [day, { type: 'null' }] }, () => new Date(0)],
  ['a text in place of a date', day, () => '2025-01-01'],
  ['an object that leads back to itself where its schema does not', { type: 'object', properties: { day } }, () => {
    const value: Json = { day: new Date(0) }
    return Object.assign(value, { self: { value, on: new Date(NaN) } })
  }],
  ['the number of a date', { type: 'integer' }, () => new Date(7)],
  ['a number without an end', { type: 'number' }, () => Infinity],
  ['an object without a prototype', money, () => Object.assign(Object.create(null), { euros: 1 })]
]

async function appWith (t: Test, schema: object, downgrade: (booking: Json) => unknown, answer: () => unknown) {
  const older = { type: 'object', properties: { value: schema } }
  const change = { version: 'v2', description: 'Other bookings.', schemas: { Booking: { older, downgrade } } }
  const app = await appBetween(t, change, [{ $id: 'Booking', ...older }])
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => answer())
  return app
}

for (const [title, schema, make] of UNTOUCHED) {
  t.test(`an older version answers as the newest does: ${title}`, async (t) => {
    const app = await appWith(t, schema, ({ value }) => ({ value }), () => ({ value: make() }))
    const [v1, v2] = [await ask(app, 'v1'), await ask(app, 'v2')]
    t.same([v1.statusCode, v1.body], [200, v2.body])
  })
}

t.test('functions see the getters of an instance, but none that throws', async (t) => {
  const seen: Json[] = []
  const app = await appWith(t, money, (booking) => {
    seen.push(booking)
    return booking
  }, () => Object.assign(new Account(250), { value: new Money(100) }))
  t.same((await ask(app, 'v1')).json(), { value: { euros: 1 } })
  t.same(Object.keys(seen[0]).sort(), ['at', 'euros', 'value'])
  t.match(seen, [{ euros: 2.5, at: '1970-01-01T00:00:00.000Z' }])
})

t.test('app.downgrade gives dates as texts', async (t) => {
  const app = await appWith(t, day, (booking) => booking, () => null)
  await app.ready()
  t.same(app.downgrade('Booking', { value: new Date(0) }, 'v1'), { value: '1970-01-01T00:00:00.000Z' })
})

t.test('a Fastify without the symbols that changes need is refused at boot', async (t) => {
  const app = bareApp(t)
  for (const symbol of Object.getOwnPropertySymbols(app)) {
    if (symbol.description === 'fastify.replySerializerDefault') Reflect.deleteProperty(app, symbol)
  }
  await t.rejects(async () => { await app.register(versioning, { changes: [] }) }, {
    code: 'FST_ERR_VERSION_CHANGE_OPTION', message: /needs Fastify 5.* "fastify\.replySerializerDefault"/
  })
})

/** Bookings in three versions: one handler with changes for most routes, handlers by version for two. */
import Fastify from 'fastify'

import versioning, { HeaderVersioning, defineChange } from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'
import usage from 'fastify-versioning/usage'

import type { FastifyInstance } from 'fastify'
import type { UsageStore } from 'fastify-versioning/usage'

const id = { type: 'integer' }
const text = { type: 'string' }
const namesIn = (properties: Record<string, object>) => Object.keys(properties).filter((name) => name !== 'id')
const object = (properties: Record<string, object>, required = namesIn(properties)) => ({
  type: 'object', properties, required, additionalProperties: false
})
const page = (item: object) => object({ items: { type: 'array', items: item } })

const Booking = {
  $id: 'Booking',
  ...object({
    id, guests: { type: 'array', minItems: 1, items: text }, room: object({ number: id }), note: text
  }, ['guests', 'room']),
  examples: [{ id: 7, guests: ['Ada', 'Grace'], room: { number: 12 } }]
}
const Room = { $id: 'Room', ...object({ number: id, beds: id }), examples: [{ number: 12, beds: 2 }] }
const Payment = {
  $id: 'Payment', ...object({ id, booking: id, cents: id }), examples: [{ id: 3, booking: 7, cents: 12950 }]
}

const changes = [
  defineChange({
    version: 'v2',
    description: 'A booking has several guests.',
    schemas: {
      Booking: {
        older: object({ id, guest: text, room: text, note: text }, ['guest', 'room']),
        upgrade: ({ guest, ...rest }) => ({ ...rest, guests: [guest] }),
        downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] })
      }
    }
  }),
  defineChange({
    version: 'v2',
    description: 'Prices are per night, not per stay.',
    // Another handler answers.
    routes: { prices: {} }
  }),
  defineChange({
    version: 'v2',
    description: 'Rooms say how many beds they have.',
    schemas: { Room: { older: object({ number: id }), downgrade: ({ beds, ...rest }) => rest } }
  }),
  defineChange({
    version: 'v3',
    description: 'The room of a booking is an object.',
    schemas: {
      Booking: {
        older: object({ id, guests: Booking.properties.guests, room: text, note: text }, ['guests', 'room']),
        upgrade: ({ room, ...rest }) => ({ ...rest, room: { number: Number(room) } }),
        downgrade: ({ room, ...rest }) => ({ ...rest, room: String(room.number) })
      }
    }
  }),
  defineChange({
    version: 'v3',
    description: 'Lists have a cursor instead of pages.',
    routes: {
      bookings: {
        older: { querystring: object({ page: id }, []) },
        query: { upgrade: ({ page, ...rest }) => page === undefined ? rest : { ...rest, cursor: String(page) } }
      }
    }
  }),
  defineChange({
    version: 'v3',
    description: 'Amounts are in cents.',
    schemas: {
      Payment: {
        older: object({ id, booking: id, amount: { type: 'number' } }),
        upgrade: ({ amount, ...rest }) => ({ ...rest, cents: Math.round(amount * 100) }),
        downgrade: ({ cents, ...rest }) => ({ ...rest, amount: cents / 100 })
      }
    }
  })
]

export async function makeApp (
  now: () => number, store?: UsageStore, enforceSunset = false, more = (_app: FastifyInstance): void => {}
): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(versioning, {
    scheme: HeaderVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: {
      v1: { deprecated: '2026-03-01', sunset: '2026-12-31', info: '/changelog#v2' },
      v2: { deprecated: '2026-10-01', sunset: '2027-09-30', info: '/changelog#v3' }
    },
    enforceSunset,
    changes,
    now
  })
  await app.register(openapi, { ui: false, openapi: { info: { title: 'Bookings', version: '3.0.0' } } })
  await app.register(usage, {
    client: ({ headers }) => headers['x-account'] as string | undefined,
    store,
    routePrefix: '/versions-in-use',
    // What a team has as its login.
    onRequest: async ({ headers, query }, reply) => {
      const isTeam = headers.cookie === 'team=1' || (query as { team?: string }).team === '1'
      if (!isTeam) return reply.code(401).send({ error: 'Log in.' })
    }
  })
  for (const schema of [Booking, Room, Payment]) app.addSchema(schema)

  const [booking, room, payment] = ['Booking#', 'Room#', 'Payment#'].map(($ref) => ({ $ref }))
  const stay = { id: 7, guests: ['Ada', 'Grace'], room: { number: 12 } }
  const schema = { querystring: object({ cursor: text }, []), response: { 200: page(booking) } }
  app.get('/bookings', { name: 'bookings', schema }, async () => ({ items: [stay] }))
  app.post('/bookings', { schema: { body: booking, response: { 201: booking } } }, async (request, reply) => (
    reply.code(201).send({ ...request.body as object, id: 8 })
  ))
  app.get('/bookings/:id', { schema: { response: { 200: booking } } }, async () => stay)
  const empty = { 204: { type: 'null' } }
  app.patch('/bookings/:id', { schema: { body: object({ note: text }), response: empty } }, async (_request, reply) => (
    reply.code(204).send()
  ))
  app.delete('/bookings/:id', { schema: { response: empty } }, async (_request, reply) => reply.code(204).send())
  app.get('/rooms', { schema: { response: { 200: page(room) } } }, async () => ({ items: [{ number: 12, beds: 2 }] }))
  app.get('/rooms/:number/photo', async (request) => request.isVersion({ from: 'v3' }) ? 'webp' : 'jpeg')
  app.post('/payments', { schema: { body: payment, response: { 201: payment } } }, async (_request, reply) => (
    reply.code(201).send({ id: 3, booking: 7, cents: 12950 })
  ))
  const price = (name: string) => ({ response: { 200: object({ [name]: id }) } })
  app.get('/prices', { name: 'prices', version: 'v1', schema: price('perStay') }, async () => ({ perStay: 300 }))
  app.get('/prices', { version: { from: 'v2' }, schema: price('perNight') }, async () => ({ perNight: 100 }))
  app.get('/invoices/:id', { version: { to: 'v2' } }, async () => ({ invoice: 'as text' }))
  app.get('/invoices/:id', { version: 'v3' }, async () => ({ invoice: ['as', 'lines'] }))
  const guests = { response: { 200: page(object({ name: text })) } }
  app.get('/guests', { version: { from: 'v2' }, schema: guests }, async () => ({ items: [] }))
  app.get('/search', { version: { to: 'v2' }, schema: { response: { 200: page(booking) } } }, async () => (
    { items: [{ ...stay, room: '12' }] }
  ))
  more(app)
  await app.ready()
  return app
}

/**
 * One URL, a handler for each version. Each has its own schema, which TypeBox makes, so that body and answer are typed.
 * The router chooses the handler by the version in the Accept header.
 */
import { Type } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'

import versioning, { AcceptHeaderVersioning } from 'fastify-versioning'

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()

await app.register(versioning, {
  scheme: AcceptHeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2', 'v3']
})

/** In v1 a guest is a text; from v2 on it is an object. */
const FirstBooking = Type.Object({ id: Type.Integer(), guest: Type.String() })
const Booking = Type.Object({ id: Type.Integer(), guest: Type.Object({ name: Type.String(), email: Type.String() }) })
const bookings = [
  { id: 7, guest: { name: 'Ada', email: 'ada@example.com' } },
  { id: 8, guest: { name: 'Grace', email: 'grace@example.com' } }
]

app.get('/bookings', {
  version: 'v1',
  schema: { response: { 200: Type.Array(FirstBooking) } }
}, async function listFirst () {
  return bookings.map(({ id, guest }) => ({ id, guest: guest.name }))
})

app.get('/bookings', {
  version: { from: 'v2' },
  schema: {
    querystring: Type.Object({ limit: Type.Integer({ minimum: 1, default: 10 }) }),
    response: { 200: Type.Object({ version: Type.Union([Type.String(), Type.Null()]), items: Type.Array(Booking) }) }
  }
}, async function list (request) {
  return { version: request.version, items: bookings.slice(0, request.query.limit) }
})

app.post('/bookings', {
  version: { from: 'v2' },
  schema: { body: Type.Object({ guest: Booking.properties.guest }), response: { 201: Booking } }
}, async function book (request, reply) {
  const booking = { id: bookings.length + 7, guest: request.body.guest }
  bookings.push(booking)
  return reply.code(201).send(booking)
})

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

The list of v1:         curl ${url}/bookings
The list from v2 on:    curl -H 'Accept: application/json; version=v3' '${url}/bookings?limit=1'
No handler serves v1:   curl -i -d '{}' -H 'Content-Type: application/json' ${url}/bookings`)

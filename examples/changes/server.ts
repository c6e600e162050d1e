/**
 * One handler for all versions, which are dates. Handlers are written for the newest version; changes upgrade
 * requests of older versions, and downgrade the responses. A page lists what changed.
 */
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from 'fastify-versioning'
import { bookingSchema, changes } from './changes.ts'

import type { Booking } from './changes.ts'

const app = Fastify()

await app.register(versioning, {
  scheme: HeaderVersioning,
  versionHeader: 'Booking-Version',
  defaultVersion: '2025-01-01',
  allowedVersions: ['2025-01-01', '2025-06-01', '2026-01-15'],
  servedVersion: 'Booking-Version',
  changes
})

app.addSchema(bookingSchema)

const bookings: Booking[] = [{ id: 7, guests: ['Ada', 'Grace'], room: { number: 12 } }]

app.get('/bookings', {
  schema: { response: { 200: { type: 'array', items: { $ref: 'Booking#' } } } }
}, async function list () {
  return bookings
})

app.post<{ Body: Omit<Booking, 'id'> }>('/bookings', {
  schema: { body: { $ref: 'Booking#' }, response: { 201: { $ref: 'Booking#' } } }
}, async function book (request, reply) {
  const booking = { ...request.body, id: bookings.length + 7 }
  bookings.push(booking)
  return reply.code(201).send(booking)
})

app.get('/changelog', { versioning: false }, async function changelog () {
  return app.changes.map(({ version, description, routes }) => (
    `${version}: ${description} (${routes.map(({ method, url }) => `${method} ${url}`).join(', ')})`
  ))
})

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

The newest version:  curl -H 'Booking-Version: 2026-01-15' ${url}/bookings
The oldest:          curl ${url}/bookings
Book as in 2025:     curl -d '{"guest":"Edsger","room":"9"}' -H 'Content-Type: application/json' ${url}/bookings
What changed:        curl ${url}/changelog`)

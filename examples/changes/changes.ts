/** What changed between the versions of the API. Handlers know nothing of it. */
import { defineChange } from 'fastify-versioning'

export interface Booking { id: number, guests: string[], room: { number: number } }
interface BookingOfJune { id: number, guests: string[], room: string }
interface BookingOfJanuary { id: number, guest: string, room: string }

const id = { type: 'integer' }
const room = { type: 'string', pattern: '^[0-9]+$' }
const guests = { type: 'array', minItems: 1, items: { type: 'string' } }

export const bookingSchema = {
  $id: 'Booking',
  type: 'object',
  required: ['guests', 'room'],
  properties: {
    id,
    guests,
    room: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } }
  }
}

export const changes = [
  defineChange<{ Booking: [Booking, BookingOfJune] }>({
    version: '2026-01-15',
    description: 'The room of a booking is an object.',
    schemas: {
      Booking: {
        older: {
          type: 'object', required: ['guests', 'room'], properties: { id, guests, room }, additionalProperties: false
        },
        upgrade: ({ room, ...rest }) => ({ ...rest, room: { number: Number(room) } }),
        downgrade: ({ room, ...rest }) => ({ ...rest, room: String(room.number) })
      }
    }
  }),
  defineChange<{ Booking: [BookingOfJune, BookingOfJanuary] }>({
    version: '2025-06-01',
    description: 'A booking has several guests.',
    schemas: {
      Booking: {
        older: {
          type: 'object',
          required: ['guest', 'room'],
          properties: { id, guest: { type: 'string' }, room },
          additionalProperties: false
        },
        upgrade: ({ guest, ...rest }) => ({ ...rest, guests: [guest] }),
        downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] })
      }
    }
  })
]

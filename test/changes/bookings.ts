import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change, RouteChange, VersioningOptions } from '../../types/index.d.ts'

/** What handlers speak: version v3. */
export const Booking = {
  $id: 'Booking',
  type: 'object',
  required: ['guests', 'room'],
  properties: {
    guests: { type: 'array', minItems: 1, items: { type: 'string' } },
    room: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } }
  }
}
/** With a room that is a text. */
export const BookingV2 = {
  $id: 'Booking',
  type: 'object',
  required: ['guests', 'room'],
  properties: { guests: Booking.properties.guests, room: { type: 'string', pattern: '^[0-9]+$' } },
  additionalProperties: false
}
/** With one guest. */
export const BookingV1 = {
  $id: 'Booking',
  type: 'object',
  required: ['guest', 'room'],
  properties: { guest: { type: 'string' }, room: BookingV2.properties.room },
  additionalProperties: false
}

/** v2: a booking has several guests. */
export const guests: Change = {
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    Booking: {
      older: BookingV1,
      upgrade: ({ guest, ...rest }) => ({ ...rest, guests: [guest] }),
      downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] })
    }
  }
}

/** v3: a room is an object. */
export const room: Change = {
  version: 'v3',
  description: 'A room has a number.',
  schemas: {
    Booking: {
      older: BookingV2,
      upgrade: ({ room, ...rest }) => ({ ...rest, room: { number: Number(room) } }),
      downgrade: ({ room, ...rest }) => ({ ...rest, room: String(room.number) })
    }
  }
}

/** A change of the route `bookings`. */
export function ofRoute (route: RouteChange, version = 'v3'): Change {
  return { version, description: 'A route changed.', routes: { bookings: route } }
}

/** v3: pages are found by a cursor. */
export const cursor: RouteChange = {
  older: {
    querystring: {
      type: 'object',
      properties: { page: { type: 'integer', minimum: 1, default: 1 } },
      additionalProperties: true
    }
  },
  query: {
    upgrade: ({ page, ...rest }) => ({ ...rest, cursor: `c${page}` }),
    downgrade: ({ cursor, ...rest }) => ({ ...rest, page: Number(cursor.slice(1)) })
  }
}

export const byCursor = {
  type: 'object', properties: { cursor: { type: 'string', pattern: '^c[0-9]+$' } }, additionalProperties: true
}

export const VERSIONS = ['v1', 'v2', 'v3']

/** The same booking in each version. */
export const EXAMPLES: Readonly<Record<string, object>> = {
  v1: { guest: 'Ada', room: '7' },
  v2: { guests: ['Ada'], room: '7' },
  v3: { guests: ['Ada'], room: { number: 7 } }
}

/** An app with changes and the schema `Booking`. */
export async function appWithChanges (
  t: Test, options: VersioningOptions, serverOptions?: Parameters<typeof appWith>[2]
): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: VERSIONS, ...options }, serverOptions)
  app.addSchema(Booking)
  return app
}

/** An app with the versions v1 and v2, and shared schemas. */
export async function appBetween (
  t: Test, change: Change | Change[], schemas: readonly object[], serverOptions?: Parameters<typeof appWith>[2]
): Promise<FastifyInstance> {
  const options = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', null], changes: [change].flat() }
  const app = await appWith(t, options, serverOptions)
  for (const schema of schemas) app.addSchema(schema)
  return app
}

/** What an app answers to a request in the version that the header `api-version` names. */
export async function ask (app: FastifyInstance, version: string, url = '/bookings', payload?: object) {
  const headers = { 'api-version': version }
  return await app.inject(payload === undefined ? { url, headers } : { method: 'POST', url, headers, payload })
}

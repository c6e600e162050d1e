import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { VERSIONS, ask } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

export type Json = ReturnType<JSON['parse']>

/** An object that has exactly these properties. */
export function object (
  properties: Record<string, unknown>, rest: Record<string, unknown> = {}
): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, ...rest }
}

export const text = { type: 'string' }
export const integer = { type: 'integer' }

export const Guest = object({ name: text }, { $id: 'Guest' })
const guests = { type: 'array', minItems: 1, items: { $ref: 'Guest#' } }
export const Booking = object({ id: integer, guests }, { $id: 'Booking' })
export const BookingV1 = object({ id: integer, guest: { $ref: 'Guest#' } })
export const GuestV1 = object({ first: text, last: text })

/** A booking has several guests since v2. */
export const several = {
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    Booking: {
      older: BookingV1,
      upgrade: ({ guest, ...rest }: Json) => ({ ...rest, guests: [guest] }),
      downgrade: ({ guests, ...rest }: Json) => ({ ...rest, guest: guests[0] })
    }
  }
}

/** The names of guests are one text since v3. */
export const names = {
  version: 'v3',
  description: 'A guest has one name.',
  schemas: {
    Guest: {
      older: GuestV1,
      upgrade: ({ first, last, ...rest }: Json) => ({ ...rest, name: `${first} ${last}` }),
      downgrade ({ name, ...rest }: Json) {
        const [first, last = ''] = name.split(' ')
        return { ...rest, first, last }
      }
    }
  }
}

interface Options {
  readonly changes: readonly Change[]
  readonly schema?: Json
  readonly shared?: readonly Json[]
}

/** Nothing is validated, and any value is sent. */
const unchecked = (app: FastifyInstance): unknown => (
  app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => (value) => JSON.stringify(value))
)

/** An app with POST /bookings, which answers what it is sent. `seen` gets what the handler sees. */
export async function appOf (
  t: Test, { changes, schema, shared = [] }: Options, seen: unknown[] = [], prepare = unchecked
): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes })
  prepare(app)
  for (const one of shared) app.addSchema(one)
  const described = schema?.body === undefined ? schema : { response: { 200: {} }, ...schema }
  app.post('/bookings', { name: 'bookings', schema: described }, async ({ body }) => {
    seen.push(body)
    return body
  })
  return app
}

/** A client of v1 sends and gets the older value, and the handler sees the newest one. */
export async function converts (
  t: Test, options: Options, older: Json, newest: unknown, prepare?: typeof unchecked
): Promise<FastifyInstance> {
  const seen: unknown[] = []
  const app = await appOf(t, options, seen, prepare)
  t.same((await ask(app, 'v1', '/bookings', older)).json(), older)
  t.same(seen, [newest])
  return app
}

/** The app does not boot. */
export async function refuses (t: Test, options: Options, message: RegExp): Promise<void> {
  const app = await appOf(t, options)
  await t.rejects(async () => { await app.ready() }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
}

/** The app boots, and its changes touch it. */
export async function boots (t: Test, options: Options, prepare?: typeof unchecked): Promise<void> {
  const app = await appOf(t, options, [], prepare)
  await t.resolves(async () => { await app.ready() })
}

/** `app.upgrade` from v1, and `app.downgrade` to v1, for values of a schema. */
export async function converters (t: Test, { schema, ...options }: Options) {
  const app = await appOf(t, { ...options, schema: both({ $id: 'Value', ...schema }) })
  await app.ready()
  return {
    up: (value: unknown): Json => app.upgrade('Value', value, 'v1'),
    down: (value: unknown): Json => app.downgrade('Value', value, 'v1')
  }
}

/** One schema for the body and the response. */
export function both (schema: unknown): Json {
  return { body: schema, response: { 200: schema } }
}

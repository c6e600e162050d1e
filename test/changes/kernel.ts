import Fastify from 'fastify'

import { Changes } from '../../src/changes/changes.ts'
import { formsOf } from '../../src/changes/forms.ts'
import versioning, { URLPathVersioning } from '../../src/index.ts'

import type { FastifyInstance } from 'fastify'
import type { SharedSchemas } from '../../src/changes/changes.ts'
import type { Form } from '../../src/changes/forms.ts'
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
export const Booking = object({ id: integer, guests: { type: 'array', items: { $ref: 'Guest#' } } }, { $id: 'Booking' })
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
      downgrade: ({ name, ...rest }: Json) => ({ ...rest, first: name.split(' ')[0], last: name.split(' ')[1] })
    }
  }
}

interface Options {
  readonly changes: readonly Change[]
  readonly schema?: Json
  readonly shared?: readonly Record<string, unknown>[]
  readonly name?: string | null
  readonly versions?: readonly string[]
  readonly served?: readonly string[]
  readonly writtenFor?: string
}

/** The forms of one route; `asDeclared` are the versions that its handler speaks. */
export function derive (options: Options) {
  const { changes, schema = {}, shared = [], name = null, versions = ['v1', 'v2', 'v3'], served = versions } = options
  const { writtenFor = served[served.length - 1] } = options
  const kernel = new Changes(changes, versions)
  const schemas: SharedSchemas = Object.fromEntries(shared.map((one) => [one.$id, one]))
  const forms = formsOf({
    name,
    label: 'POST /bookings',
    schema,
    bodyless: null,
    served: served.map((version) => versions.indexOf(version)),
    spoken: versions.indexOf(writtenFor),
    compile: () => () => true
  }, kernel.lineageOf(schemas).stages)
  const older = forms.map((form) => ({
    versions: form.versions.map((index) => versions[index]), changes: form.changes.map(({ change }) => change), form
  }))
  /** The form that serves a version. */
  const find = (version: string) => older.find(({ versions }) => versions.includes(version))?.form as Form
  const asDeclared = served.filter((version) => !older.some(({ versions }) => versions.includes(version)))
  return { kernel, schemas, asDeclared, older, in: find }
}

/** What a route with the schema for one value would do with it, in an older version. */
export function convert (options: Options, version: string) {
  const { parts } = derive(options).in(version)
  const as = (part: string): (value: unknown) => Json => (
    parts.get(part)?.slices.get(null)?.conversion?.convert ?? ((value) => value)
  )
  return { up: as('body'), down: as('response 200') }
}

/** As `app.downgrade` and `app.upgrade`. */
export function converting ({ kernel, schemas }: ReturnType<typeof derive>, direction: 'upgrade' | 'downgrade') {
  return (id: string, value: unknown, version: string): Json => (
    kernel.lineageOf(schemas).converter(direction, id, kernel.indexOf(version))(value)
  )
}

/** One schema for the body and the response. */
export function both (schema: unknown): Json {
  return { body: schema, response: { 200: schema } }
}

/**
 * An app that answers what it is sent, at `/<version>`: the handler sees newer words.
 *
 * @param app which may have compilers
 * @param seen takes what the handler sees
 */
export async function echo (
  options: Options, seen: unknown[] = [], app: FastifyInstance = Fastify(
    { ajv: { customOptions: { removeAdditional: false } } }
  )
): Promise<FastifyInstance> {
  const { changes, shared = [], versions = ['v1', 'v2', 'v3'] } = options
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: versions, changes })
  for (const schema of shared) app.addSchema(schema)
  app.post('/:version', { schema: options.schema as object }, async ({ body }) => {
    seen.push(body)
    return body
  })
  await app.ready()
  return app
}

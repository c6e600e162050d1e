import Fastify from 'fastify'

import { Changes } from '../../src/changes/changes.ts'

import type { FastifyInstance } from 'fastify'
import type { RouteSchema, SharedSchemas, Variant, Variants } from '../../src/changes/variant.ts'
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
  readonly schema?: RouteSchema
  readonly shared?: readonly Record<string, unknown>[]
  readonly name?: string | null
  readonly versions?: readonly string[]
  readonly served?: readonly string[]
  readonly writtenFor?: string
}

export interface Derived extends Variants {
  readonly kernel: Changes
  readonly schemas: SharedSchemas
  /** The variant that serves a version. */
  readonly in: (version: string) => Variant
}

/** The variants of one route. */
export function derive (options: Options): Derived {
  const { changes, schema, shared = [], name = null, versions = ['v1', 'v2', 'v3'], served = versions } = options
  const { writtenFor = null } = options
  const kernel = new Changes(changes, versions)
  const schemas = Object.fromEntries(shared.map((one) => [one.$id, one]))
  const route = { name, label: 'POST /bookings', schema, hasParams: true, served, writtenFor, isChosen: true }
  const variants = kernel.variantsOf(route, schemas)
  const find = (version: string) => {
    const variant = variants.older.find(({ versions }) => versions.includes(version))
    if (variant === undefined) throw new Error(`No variant serves ${version}`)
    return variant
  }
  return { ...variants, kernel, schemas, in: find }
}

/** What a route with the schema for one value would do with it, in an older version. */
export function convert (options: Options, version: string): {
  up: (value: unknown) => Json, down: (value: unknown) => Json
} {
  const variant = derive(options).in(version)
  return {
    up: (value) => variant.upgrade.body?.forRequest('application/json')?.(value) ?? value,
    down: (value) => variant.downgrade.of(200, 'application/json')?.convert(value) ?? value
  }
}

/** One schema for the body and the response. */
export function both (schema: unknown): RouteSchema {
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
  const { asDeclared, older } = derive(options)
  for (const schema of options.shared ?? []) app.addSchema(schema)
  for (const version of asDeclared) {
    app.post(`/${version}`, { schema: options.schema as object }, async ({ body }) => {
      seen.push(body)
      return body
    })
  }
  for (const variant of older) {
    for (const schema of variant.sharedSchemas) if (app.getSchema(schema.$id) === undefined) app.addSchema(schema)
    for (const version of variant.versions) {
      app.post(`/${version}`, { schema: variant.schema as object }, async ({ body, headers }) => {
        const upgraded = variant.upgrade.body?.forRequest(headers['content-type'])?.(body) ?? body
        seen.push(upgraded)
        return variant.downgrade.of(200, 'application/json')?.convert(upgraded) ?? upgraded
      })
    }
  }
  await app.ready()
  return app
}

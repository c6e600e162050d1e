import { Type as OldType } from '@sinclair/typebox'
import { Type } from 'typebox'
import { describe, expect, test } from 'tstyche'
import { defineChange } from 'fastify-versioning'
import { z } from 'zod'

import type { Change } from 'fastify-versioning'

interface Booking { id: number, guests: string[] }
interface BookingV1 { id: number, guest: string }

const version = 'v2'
const description = 'A booking has several guests.'

describe('a change', () => {
  test('is what defineChange returns', () => {
    expect(defineChange({ version, description, schemas: { Booking: { older: {}, upgrade: (value) => value } } }))
      .type.toBe<Change>()
    expect(defineChange({ version, description, routes: {} })).type.toBe<Change>()
  })

  test('may have the types of its values', () => {
    expect(defineChange<{ Booking: [Booking, BookingV1] }>({
      version,
      description,
      schemas: {
        Booking: {
          older: {},
          upgrade: ({ guest, ...rest }) => ({ ...rest, guests: [guest] }),
          downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] })
        }
      }
    })).type.toBe<Change>()
    expect(defineChange<{ Booking: [Booking, BookingV1] }>).type.not.toBeCallableWith({
      version, description, schemas: { Booking: { older: {}, upgrade: ({ guest }: BookingV1) => ({ guest }) } }
    })
    expect(defineChange<{ Booking: [Booking, BookingV1] }>).type.not.toBeCallableWith({
      version, description, schemas: { Booking: { older: {}, downgrade: ({ guests }: Booking) => ({ guests }) } }
    })
    expect(defineChange<{ Booking: [Booking, BookingV1] }>).type.not.toBeCallableWith({
      version, description, schemas: { Bookin: { older: {}, upgrade: () => ({}) } }
    })
  })

  test('needs a version and a description', () => {
    expect(defineChange).type.not.toBeCallableWith({ version, schemas: {} })
    expect(defineChange).type.not.toBeCallableWith({ description, schemas: {} })
    expect(defineChange).type.not.toBeCallableWith({ version: 2, description, schemas: {} })
  })

  test('has known parts and functions', () => {
    const upgrade = () => ({})
    expect(defineChange).type.toBeCallableWith({ version, description, routes: { bookings: { query: { upgrade } } } })
    expect(defineChange).type.toBeCallableWith({
      version, description, routes: { bookings: { older: { querystring: {} }, query: { upgrade, downgrade: upgrade } } }
    })
    expect(defineChange).type.toBeCallableWith({
      version, description, routes: { bookings: { response: { 409: { downgrade: upgrade } } } }
    })
    expect(defineChange).type.not.toBeCallableWith({
      version, description, routes: { bookings: { response: { '5xx': false } } }
    })
    const change = { version, description }
    expect(defineChange).type.not.toBeCallableWith({ ...change, routes: { bookings: { cookies: { upgrade } } } })
    expect(defineChange).type.not.toBeCallableWith({ ...change, routes: { bookings: { query: {} } } })
    expect(defineChange).type.not.toBeCallableWith({ ...change, routes: { bookings: { response: { 409: {} } } } })
    expect(defineChange).type.toBeCallableWith({
      ...change, routes: { bookings: { response: { 409: { status: 422 } } } }
    })
    expect(defineChange).type.not.toBeCallableWith({
      ...change, routes: { bookings: { response: { 409: { status: 422, older: {} } } } }
    })
  })
})

describe('the functions of a change', () => {
  const Name = Type.Union([Type.String(), Type.Null()])
  const TypeBoxV1 = Type.Object({
    id: Type.Integer(),
    name: Name,
    kind: Type.Literal('a'),
    tags: Type.Array(Type.String()),
    note: Type.Optional(Type.Boolean())
  })
  const ZodV1 = z.object({ id: z.number(), note: z.string().optional() })

  test('know the values of a schema of TypeBox', () => {
    defineChange({
      version,
      description,
      schemas: {
        Booking: {
          older: TypeBoxV1,
          upgrade: (value) => {
            expect(value.id).type.toBe<number>()
            expect(value.name).type.toBe<string | null>()
            expect(value.kind).type.toBe<'a'>()
            expect(value.tags).type.toBe<string[]>()
            expect(value.note).type.toBe<boolean | undefined>()
            return value
          }
        }
      }
    })
  })

  test('know the values of a schema of Zod', () => {
    defineChange({
      version,
      description,
      schemas: {
        Booking: {
          older: ZodV1,
          upgrade: (value) => {
            expect(value).type.toBe<{ id: number, note?: string | undefined }>()
            return value
          },
          downgrade: ({ id }) => ({ id })
        }
      }
    })
  })

  test('give values of the older schema', () => {
    const change = { version, description }
    for (const older of [z.object({ guest: z.string() }), Type.Object({ guest: Type.String() })] as const) {
      expect(defineChange).type.toBeCallableWith({
        ...change, schemas: { Booking: { older, downgrade: () => ({ guest: 'Ada' }) } }
      })
      expect(defineChange).type.not.toBeCallableWith({
        ...change, schemas: { Booking: { older, downgrade: () => ({ guest: 5 }) } }
      })
      expect(defineChange).type.not.toBeCallableWith({
        ...change, schemas: { Booking: { older, downgrade: () => ({}) } }
      })
      expect(defineChange).type.not.toBeCallableWith({
        ...change, schemas: { Booking: { older, downgrade: async () => ({ guest: 'Ada' }) } }
      })
    }
  })

  test('know both values, if the types of both schemas are given', () => {
    defineChange<{ Booking: [typeof TypeBoxV1, typeof ZodV1] }>({
      version,
      description,
      schemas: {
        Booking: {
          older: ZodV1,
          downgrade: (value) => {
            expect(value.kind).type.toBe<'a'>()
            return { id: value.id }
          }
        }
      }
    })
  })

  test('know the values of schemas of TypeBox 0.34', () => {
    const types = {
      User: OldType.Object({ first: OldType.String(), age: OldType.Optional(OldType.Integer()) }, { $id: 'User' }),
      UserV1: OldType.Object({ name: OldType.String() })
    }
    defineChange<{ User: [typeof types.User, typeof types.UserV1] }>({
      version,
      description,
      schemas: {
        User: {
          older: types.UserV1,
          upgrade: (value) => {
            expect(value).type.toBe<{ name: string }>()
            return { first: value.name }
          },
          downgrade: (value) => {
            expect(value).type.toBe<{ first: string, age?: number }>()
            return { name: value.first }
          }
        }
      }
    })
    defineChange({
      version,
      description,
      schemas: {
        User: {
          older: types.UserV1,
          upgrade: (value) => {
            expect(value).type.toBe<{ name: string }>()
            return value
          },
          downgrade: () => ({ name: 'Ada' })
        }
      }
    })
    expect(defineChange<{ User: [typeof types.User, typeof types.UserV1] }>).type.not.toBeCallableWith({
      version, description, schemas: { User: { older: types.UserV1, downgrade: () => ({ nam: 'Ada' }) } }
    })
  })

  test('take anything of any other schema', () => {
    defineChange({
      version,
      description,
      schemas: {
        Booking: {
          older: { type: 'object', properties: { id: { type: 'integer' } } },
          upgrade: ({ id, ...rest }) => ({ ...rest, number: id.toFixed() }),
          downgrade: (value) => value.anything
        }
      }
    })
  })
})

import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import { BaseVersioning } from 'fastify-versioning'

import './options.d.ts'

import type { FastifyReply } from 'fastify'
import type { ReverseOptions } from 'fastify-versioning'

const app = Fastify()
declare const reply: FastifyReply

describe('once link options of a scheme are declared', () => {
  test('they are taken, with their types', () => {
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, { tenant: 'acme', version: 'v1' })
    expect(reply.reverse).type.toBeCallableWith('booking', { id: 7 }, { tenant: undefined, query: { page: 2 } })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { tenant: 7 })
  })

  test('a typing error is not', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { tennant: 'acme' })
    expect(reply.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { tenant: 'acme', versoin: 'v1' })
  })

  test('the scheme reads them', () => {
    class TenantVersioning extends BaseVersioning {
      override readonly linkOptions = ['tenant']
      override reverse (viewName: string | null, options: ReverseOptions = {}) {
        expect(options.tenant).type.toBe<string | undefined>()
        return super.reverse(viewName, options)
      }
    }
    expect(new TenantVersioning().reverse).type.toBeCallableWith('booking', { tenant: 'acme' })
  })
})

import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'

import { defineChange } from 'fastify-versioning'

import './routes.d.ts'

import type { FastifyReply } from 'fastify'
import type { ReplyReverse, Reverse } from 'fastify-versioning'

const app = Fastify()
declare const reply: FastifyReply

describe('once names are declared', () => {
  test('they are taken, with their namespaces and without their version\'s', () => {
    expect(app.reverse).type.toBeCallableWith('booking-detail', { id: 7 })
    expect(app.reverse).type.toBeCallableWith('partners:rates')
    expect(app.reverse).type.toBeCallableWith('v1:seat', { id: 'a' })
    expect(reply.reverse).type.toBeCallableWith('seat', { id: 'a' })
    expect(reply.reverse).type.toBeCallableWith('file', { '*': 'a/b' })
  })

  test('no other name is taken', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 })
    expect(reply.reverse).type.not.toBeCallableWith('booking', { id: 7 })
    expect(app.reverse).type.not.toBeCallableWith('rates')
    expect(app.reverse).type.not.toBeCallableWith('v2:seat', { id: 7 })
    expect(app.reverse).type.not.toBeCallableWith('home' as string)
    expect(reply.reverse).type.not.toBeCallableWith('home' as string)
  })

  test('a name that needs a version is one for replies', () => {
    expect(reply.reverse).type.toBeCallableWith('seat', { id: 'a' })
    expect(reply.reverse).type.toBeCallableWith('v1:seat', { id: 'a' })
    expect(reply.reverse).type.not.toBeCallableWith('seat')
    expect(reply.reverse).type.not.toBeCallableWith('seat', { id: 'a', row: 7 })
    expect(app.reverse).type.not.toBeCallableWith('seat', { id: 'a' })
    expect(app.reverse).type.not.toBeCallableWith('seat', { id: 'a' }, { hash: 'top' })
  })

  test('an app takes such a name with a version', () => {
    expect(app.reverse).type.toBeCallableWith('seat', { id: 'a' }, { version: 'v1' })
    expect(app.reverse).type.toBeCallableWith('seat', { id: 'a' }, { version: 'v1', query: { page: 2 } })
    expect(app.reverse).type.not.toBeCallableWith('seat', { id: 'a' }, { version: null })
    expect(app.reverse).type.not.toBeCallableWith('seat', { id: 'a' }, { version: undefined })
    expect(app.reverse).type.not.toBeCallableWith('seat', null, { version: 'v1' })
    expect(app.reverse).type.not.toBeCallableWith('seat', { row: 7 }, { version: 'v1' })
  })

  test('parameters that are missing are missed', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking-detail')
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', {})
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', null)
    expect(reply.reverse).type.not.toBeCallableWith('booking-detail')
    expect(reply.reverse).type.not.toBeCallableWith('booking-detail', null)
    expect(app.reverse).type.not.toBeCallableWith('calendar', { month: 11 })
  })

  test('parameters that the route does not take are refused', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: 7, page: 2 })
    expect(reply.reverse).type.not.toBeCallableWith('booking-detail', { id: 7, page: 2 })
    expect(app.reverse).type.not.toBeCallableWith('home', { id: 7 })
  })

  test('parameters of another type are refused', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: {} })
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: null })
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', [7])
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', 7)
  })

  test('a route without parameters needs none', () => {
    expect(app.reverse).type.toBeCallableWith('home')
    expect(app.reverse).type.toBeCallableWith('home', {})
    expect(app.reverse).type.toBeCallableWith('home', null, { hash: 'top' })
    expect(reply.reverse).type.toBeCallableWith('home', null, { query: { page: 2 } })
  })

  test('a name with several URLs takes the parameters of each', () => {
    expect(app.reverse).type.toBeCallableWith('calendar', { year: 2026 })
    expect(app.reverse).type.toBeCallableWith('calendar', { year: 2026, month: 11 })
    expect(app.reverse).type.not.toBeCallableWith('calendar', { month: 11 })
  })

  test('the version that a scheme fills in may be given, or left out', () => {
    expect(reply.reverse).type.toBeCallableWith('room', { id: 7 })
    expect(reply.reverse).type.toBeCallableWith('room', { id: 7, version: 'v2' })
    expect(reply.reverse).type.not.toBeCallableWith('room', { version: 'v2' })
  })

  test('the format may be given as an option', () => {
    expect(app.reverse).type.toBeCallableWith('export', { format: 'json' })
    expect(app.reverse).type.toBeCallableWith('export', null, { format: 'json' })
    expect(reply.reverse).type.toBeCallableWith('export', {}, { format: 'json' })
    expect(app.reverse).type.toBeCallableWith('export', undefined, { format: 'json' })
    expect(app.reverse).type.not.toBeCallableWith('export')
    expect(app.reverse).type.not.toBeCallableWith('export', null, { version: 'v1' })
    expect(app.reverse).type.not.toBeCallableWith('export', { page: 2 }, { format: 'json' })
  })

  test('options are the same as for any link', () => {
    expect(app.reverse).type.toBeCallableWith('booking-detail', { id: 7 }, { version: 'v2', absolute: true })
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: 7 }, { version: 2 })
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: 7 }, { version: 'v3' })
    expect(app.reverse).type.not.toBeCallableWith('booking-detail', { id: 7 }, { query: { page: {} } })
  })

  test('the current route needs no name', () => {
    expect(reply.reverse).type.toBeCallableWith()
    expect(reply.reverse).type.toBeCallableWith(null, null, { version: 'v2' })
    expect(reply.reverse).type.toBeCallableWith(null, { id: 8 })
    expect(app.reverse).type.not.toBeCallableWith()
    expect(app.reverse).type.not.toBeCallableWith(null)
  })

  test('a link is a string', () => {
    expect(app.reverse('home')).type.toBe<string>()
    expect(reply.reverse('home')).type.toBe<string>()
    expect(reply.reverse()).type.toBe<string>()
    expect<ReplyReverse>().type.toBeAssignableTo<Reverse>()
  })

  test('a change names only them, and versions that are declared', () => {
    const change = { description: 'Pages are cursors.', version: 'v2' } as const
    const upgrade = () => ({})
    expect(defineChange).type.toBeCallableWith({ ...change, routes: { 'booking-detail': { query: { upgrade } } } })
    expect(defineChange).type.toBeCallableWith({ ...change, routes: { seat: { query: { upgrade } } } })
    expect(defineChange).type.not.toBeCallableWith({ ...change, routes: { bookings: { query: { upgrade } } } })
    expect(defineChange).type.not.toBeCallableWith({ ...change, version: 'v9' })
  })
})

import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import { routeTypes } from 'fastify-versioning'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type {
  AllowedVersions, AppVersion, AppVersionRoute, LinkOptions, LinkQuery, NamedRoute, ReplyReverse, Reverse, ReverseArgs,
  ReverseKwargs, Version, VersioningScheme
} from 'fastify-versioning'

interface BookingParams { id: string, page?: number }
interface BookingQuery { page?: number, tag: string[] }
interface Nested { id: { value: string } }

const app = Fastify()

describe('the decorators', () => {
  test('report the version and the scheme of a request', () => {
    expect<FastifyRequest['version']>().type.toBe<string | null>()
    expect<FastifyRequest['versioningScheme']>().type.toBe<VersioningScheme | null>()
    app.get('/', (request, reply) => {
      expect(request.version).type.toBe<string | null>()
      expect(request.versioningScheme).type.toBe<VersioningScheme | null>()
      expect(request.versioningScheme?.allowedVersions).type.toBe<AllowedVersions | null | undefined>()
      // @ts-expect-error Cannot assign to 'versioningScheme'
      request.versioningScheme = null
      expect(request).type.not.toHaveProperty('reverse')
      expect(reply).type.not.toHaveProperty('version')
      return 'ok'
    })
  })

  test('are seen in hooks and error handlers', () => {
    app.addHook('onRequest', async (request, reply) => {
      expect(request.version).type.toBe<string | null>()
      expect(reply.reverse('bookings')).type.toBe<string>()
    })
    app.setErrorHandler(async (error, request, reply) => {
      expect(request.versioningScheme).type.toBe<VersioningScheme | null>()
      expect(reply.reverse).type.toBe<ReplyReverse>()
      return error
    })
  })

  test('leave the version of Fastify itself alone', () => {
    expect(app.version).type.toBe<string>()
  })

  test('reverse for an app and for a reply', () => {
    expect(app.reverse).type.toBe<Reverse>()
    expect<FastifyReply['reverse']>().type.toBe<ReplyReverse>()
    expect(app.reverse('bookings')).type.toBe<string>()
  })

  test('list the named routes of an app', () => {
    expect(app.namedRoutes).type.toBe<readonly NamedRoute[]>()
    expect(app.namedRoutes[0].shortName).type.toBe<string | null>()
    expect(app.namedRoutes[0].parameters).type.toBe<readonly { readonly name: string, readonly optional: boolean }[]>()
    // @ts-expect-error Cannot assign to 'namedRoutes' because it is a read-only property.
    app.namedRoutes = []
    expect(routeTypes(app)).type.toBe<string>()
    expect(routeTypes).type.toBeCallableWith(Fastify({ http2: true }))
    expect(routeTypes).type.not.toBeCallableWith()
    expect(routeTypes).type.not.toBeCallableWith({})
    expect(routeTypes).type.toBeCallableWith({ namedRoutes: [] })
    expect(routeTypes).type.toBeCallableWith({ namedRoutes: [], versions: [{ version: 'v1' }, { version: null }] })
    expect(routeTypes).type.not.toBeCallableWith({ namedRoutes: [], versions: ['v1'] })
  })
})

describe('the versions of an app', () => {
  test('are listed with their dates and their routes', () => {
    expect(app.versions).type.toBe<readonly AppVersion[]>()
    expect<AppVersion>().type.toBe<{
      readonly version: string | null
      readonly released: Date | null
      readonly deprecated: Date | null
      readonly sunset: Date | null
      readonly info: string | null
      readonly preview: boolean
      readonly routes: readonly AppVersionRoute[]
    }>()
    expect<AppVersionRoute>().type.toBe<{
      readonly method: string
      readonly url: string
      readonly name: string | null
      readonly deprecated: Date | null
      readonly sunset: Date | null
    }>()
    // @ts-expect-error Cannot assign to 'versions' because it is a read-only property.
    app.versions = []
  })

  test('are any string as long as none is declared', () => {
    expect<Version>().type.toBe<string>()
  })
})

describe('the name given to reverse', () => {
  const reply = {} as FastifyReply

  test('is a string', () => {
    expect(app.reverse).type.toBeCallableWith('partners:rates')
    expect(reply.reverse).type.toBeCallableWith('partners:rates')
    expect(app.reverse).type.not.toBeCallableWith(7)
    expect(reply.reverse).type.not.toBeCallableWith(7)
    expect(app.reverse).type.not.toBeCallableWith({ name: 'bookings' })
    expect(reply.reverse).type.not.toBeCallableWith(['bookings'])
  })

  test('may be left out, or null, for the route of a request only', () => {
    expect(reply.reverse).type.toBeCallableWith()
    expect(reply.reverse).type.toBeCallableWith(null)
    expect(reply.reverse).type.toBeCallableWith(undefined, { id: 7 })
    expect(reply.reverse).type.toBeCallableWith(null, null, { version: 'v2' })
    expect(app.reverse).type.not.toBeCallableWith()
    expect(app.reverse).type.not.toBeCallableWith(null)
    expect(app.reverse).type.not.toBeCallableWith(undefined, { id: 7 })
  })
})

describe('the parameters given to reverse', () => {
  test('are values by name', () => {
    expect(app.reverse).type.toBeCallableWith('booking', {})
    expect(app.reverse).type.toBeCallableWith('booking', { id: 'a', n: 1, big: 1n, flag: true, '*': 'a/b', 0: 'x' })
    expect(app.reverse).type.toBeCallableWith('booking', { id: '7', month: null, day: undefined })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: {} })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: ['7'] })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: () => '7' })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: new Date() })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: '7', other: Symbol('other') })
    expect(app.reverse).type.not.toBeCallableWith('booking', {} as Record<string, unknown>)
  })

  test('are values in order', () => {
    expect(app.reverse).type.toBeCallableWith('booking', [])
    expect(app.reverse).type.toBeCallableWith('booking', ['a', 1, 1n, true, null, undefined])
    expect(app.reverse).type.toBeCallableWith('booking', ['a', 1] as const)
    expect(app.reverse).type.not.toBeCallableWith('booking', [{}])
    expect(app.reverse).type.not.toBeCallableWith('booking', [['7']])
    expect(app.reverse).type.not.toBeCallableWith('booking', [] as unknown[])
  })

  test('may be absent', () => {
    expect(app.reverse).type.toBeCallableWith('booking', null)
    expect(app.reverse).type.toBeCallableWith('booking', undefined)
    expect(app.reverse).type.toBeCallableWith('booking', undefined, { format: 'json' })
  })

  test('are nothing else', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking', '7')
    expect(app.reverse).type.not.toBeCallableWith('booking', 7)
    expect(app.reverse).type.not.toBeCallableWith('booking', 7n)
    expect(app.reverse).type.not.toBeCallableWith('booking', true)
    expect(app.reverse).type.not.toBeCallableWith('booking', Symbol('7'))
    expect(app.reverse).type.not.toBeCallableWith('booking', () => ({ id: '7' }))
    expect(app.reverse).type.not.toBeCallableWith('booking', class Booking {})
    expect(app.reverse).type.not.toBeCallableWith('booking', new Map([['id', '7']]))
    expect(app.reverse).type.not.toBeCallableWith('booking', new Set(['7']))
    expect(app.reverse).type.not.toBeCallableWith('booking', new URLSearchParams('id=7'))
    expect(app.reverse).type.not.toBeCallableWith('booking', new Date())
    expect(app.reverse).type.not.toBeCallableWith('booking', Promise.resolve({ id: '7' }))
    expect(app.reverse).type.not.toBeCallableWith('booking', {} as unknown)
  })

  test('can be described by an interface or a class', () => {
    class Booking { id = '7' }
    expect(app.reverse).type.toBeCallableWith('booking', {} as BookingParams)
    expect(app.reverse).type.toBeCallableWith('booking', {} as Readonly<BookingParams> | null | undefined)
    expect(app.reverse).type.toBeCallableWith('booking', {} as BookingParams | string[])
    expect(app.reverse).type.toBeCallableWith('booking', new Booking())
    expect(app.reverse).type.not.toBeCallableWith('booking', {} as Nested)
    expect(app.reverse).type.not.toBeCallableWith('booking', {} as BookingParams | string)
    expect(app.reverse).type.not.toBeCallableWith('booking', [{} as BookingParams])
  })

  test('can be of any of the exported types, and generic', () => {
    expect(app.reverse).type.toBeCallableWith('booking', {} as ReverseArgs | ReverseKwargs | null)
    expect(app.reverse).type.toBeCallableWith('booking', {} as Record<string, string | undefined>)
    function bookingUrl<Params extends Record<string, string>> (params: Params) {
      return app.reverse('booking', params)
    }
    expect(bookingUrl({ id: '7' })).type.toBe<string>()
  })

  test('can come from the request', () => {
    app.get<{ Params: BookingParams }>('/:id', async (request, reply) => {
      expect(reply.reverse).type.toBeCallableWith('booking', request.params)
      expect(reply.reverse).type.toBeCallableWith('booking', { ...request.params, page: 2 })
      expect(reply.reverse).type.not.toBeCallableWith('booking', { ...request.params, page: request })
    })
    app.get<{ Params: { id: string } }>('/:id', async (request, reply) => reply.reverse('booking', request.params))
    app.get<{ Params: Nested }>('/:id', async (request, reply) => {
      expect(reply.reverse).type.not.toBeCallableWith('booking', request.params)
    })
    app.get('/:id', async (request, reply) => {
      expect(reply.reverse).type.not.toBeCallableWith('booking', request.params)
    })
  })
})

describe('the options given to reverse', () => {
  test('are these, and no others', () => {
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, {})
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, { format: 'json' })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { format: 'json', tenant: { id: 1 } })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { versoin: 'v1' })
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, { absolute: true, hash: '#top', version: 'v2' })
    expect(app.reverse).type.toBeCallableWith('booking', null, { format: null, hash: null, version: null, query: null })
    expect(app.reverse).type.toBeCallableWith('booking', null, {
      absolute: undefined, format: undefined, hash: undefined, version: undefined, query: undefined
    })
    expect(app.reverse).type.toBeCallableWith('booking', null, {} as LinkOptions)
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, 'json')
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, null)
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { format: 7 })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { absolute: 'https' })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { hash: 7 })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, { version: 2 })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 }, {}, {})
  })

  test('take a query in an object', () => {
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: {} })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: { page: 2, tag: ['a', null], no: null } })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: {} as BookingQuery })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: {} as BookingQuery | URLSearchParams | null })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: {} as LinkQuery | null })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: { page: {} } })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: { page: [['2']] } })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: { since: new Date() } })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: {} as Nested })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: {} as Record<string, unknown> })
  })

  test('take a query in pairs', () => {
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: new URLSearchParams('page=2') })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: new Map([['page', 2]]) })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: [['page', 2], ['tag', ['a', 'b']]] })
    expect(app.reverse).type.toBeCallableWith('booking', null, { query: Object.entries({ page: 2 }) })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: ['page', '2'] })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: [['page']] })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: [[2, 'page']] })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: new Set(['page']) })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: new Map([['page', {}]]) })
  })

  test('take no query of another kind', () => {
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: 'page=2' })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: 2 })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: true })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: () => ({ page: 2 }) })
    expect(app.reverse).type.not.toBeCallableWith('booking', null, { query: new Date() })
  })

  test('can hold the query of the request', () => {
    app.get<{ Params: BookingParams, Querystring: BookingQuery }>('/:id', async (request, reply) => [
      reply.reverse(null, null, { query: request.query }),
      reply.reverse('booking', request.params, { query: { ...request.query, page: 2 } })
    ])
    app.get<{ Querystring: Nested }>('/', async (request, reply) => {
      expect(reply.reverse).type.not.toBeCallableWith(null, null, { query: request.query })
    })
  })
})

describe('a function that stands in for reverse', () => {
  test('need not be generic', () => {
    expect<(viewName: string) => string>().type.toBeAssignableTo<Reverse>()
    expect<(viewName: string, params?: ReverseArgs | ReverseKwargs | null, options?: LinkOptions) => string>()
      .type.toBeAssignableTo<Reverse>()
    expect<(viewName?: string | null, params?: ReverseArgs | ReverseKwargs | null, options?: LinkOptions) => string>()
      .type.toBeAssignableTo<ReplyReverse>()
    expect<ReplyReverse>().type.toBeAssignableTo<Reverse>()
    expect<Reverse>().type.not.toBeAssignableTo<ReplyReverse>()
    expect<(viewName: number) => string>().type.not.toBeAssignableTo<Reverse>()
    expect<(viewName: string) => URL>().type.not.toBeAssignableTo<Reverse>()
  })
})

import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import versioning, {
  HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from 'fastify-versioning'

import type {
  FastifyPluginAsync, FastifyPluginCallback, FastifyTypeProvider, RouteOptions, RouteShorthandOptions
} from 'fastify'
import type { Reverse, VersioningScheme, VersioningSchemeClass, VersioningSource } from 'fastify-versioning'

interface BookingParams { id: string, page?: number }

const app = Fastify()

describe('the route options', () => {
  const handler = async () => 'ok'

  test('take a name', () => {
    app.get('/', { name: 'bookings' }, handler)
    app.get('/', { name: undefined, versioning: undefined }, handler)
    app.post('/', { name: 'bookings', handler })
    app.route({ method: 'GET', url: '/', name: 'bookings', handler })
    expect(app.get).type.not.toBeCallableWith('/', { name: 1 }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { name: null }, handler)
    expect(app.post).type.not.toBeCallableWith('/', { name: ['bookings'], handler })
    expect(app.route).type.not.toBeCallableWith({ method: 'GET', url: '/', name: 1, handler })
    expect(app.route).type.not.toBeCallableWith({ method: 'GET', url: '/', naem: 'bookings', handler })
  })

  test('take false, a class or an instance as versioning', () => {
    app.get('/', { versioning: false }, handler)
    app.get('/', { versioning: URLPathVersioning }, handler)
    app.get('/', { versioning: new URLPathVersioning({ versionParam: 'v' }) }, handler)
    app.put('/', { versioning: false, handler })
    app.route({ method: ['GET', 'POST'], url: '/', versioning: URLPathVersioning, handler })
    expect(app.get).type.not.toBeCallableWith('/', { versioning: true }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { versioning: null }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { versioning: 'v1' }, handler)
    expect(app.put).type.not.toBeCallableWith('/', { versioning: true, handler })
    expect(app.route).type.not.toBeCallableWith({ method: 'GET', url: '/', versioning: true, handler })
    expect(app.route).type.not.toBeCallableWith({ method: 'GET', url: '/', versioning: {}, handler })
  })

  test('take a list of these as versioning', () => {
    app.get('/', { versioning: [URLPathVersioning, new HeaderVersioning({ versionHeader: 'X-Version' })] }, handler)
    app.route({ method: 'GET', url: '/', versioning: [URLPathVersioning, QueryParameterVersioning] as const, handler })
    expect(app.get).type.not.toBeCallableWith('/', { versioning: [URLPathVersioning, false] }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { versioning: [[URLPathVersioning]] }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { versioning: ['query'] }, handler)
  })

  test('can be typed apart from the call', () => {
    const options: RouteOptions = { method: 'GET', url: '/', name: 'bookings', versioning: false, handler }
    app.route(options)
    const shorthand: RouteShorthandOptions = { name: 'bookings', versioning: URLPathVersioning }
    app.get('/', shorthand, handler)
    expect<Required<RouteOptions>['name']>().type.toBe<string | undefined>()
    expect<Required<RouteOptions>['versioning']>().type.toBe<
      VersioningSource | readonly VersioningSource[] | false | undefined
    >()
    expect<VersioningSource>().type.toBe<VersioningSchemeClass | VersioningScheme>()
    app.addHook('onRoute', (route) => {
      expect(route.name).type.toBe<string | undefined>()
    })
  })

  test('keep the type of the route generic', () => {
    app.get<{ Params: BookingParams, Reply: { self: string } }>('/:id', { name: 'booking' }, async (request, reply) => {
      expect(request.params).type.toBe<BookingParams>()
      return { self: reply.reverse('booking', request.params) }
    })
    app.route<{ Params: BookingParams }>({
      method: 'GET',
      url: '/:id',
      name: 'booking',
      handler: async (request, reply) => reply.reverse('booking', request.params)
    })
  })
})

describe('the register option namespace', () => {
  const asyncPlugin: FastifyPluginAsync = async (api) => {
    api.get('/', { name: 'bookings', versioning: false }, async (request, reply) => [
      request.version, reply.reverse('bookings'), api.reverse('bookings')
    ])
  }
  const asyncPluginWithOptions: FastifyPluginAsync<{ currency: string }> = async (api, { currency }) => {
    api.get('/', { name: 'rates' }, async (request) => [request.version, currency])
  }
  const callbackPlugin: FastifyPluginCallback = (api, _options, done) => {
    api.route({ method: 'GET', url: '/', name: 'bookings', handler: async (request) => request.version })
    done()
  }
  const callbackPluginWithOptions: FastifyPluginCallback<{ currency: string }> = (api, { currency }, done) => {
    api.get('/', { name: 'rates' }, async (_request, reply) => reply.reverse('rates', { currency }))
    done()
  }

  test('is a string', () => {
    expect(app.register).type.toBeCallableWith(asyncPlugin, { prefix: '/v1', namespace: 'v1' })
    expect(app.register).type.toBeCallableWith(asyncPlugin, { namespace: undefined })
    expect(app.register).type.toBeCallableWith(callbackPlugin, { prefix: '/v1', namespace: 'v1' })
    expect(app.register).type.not.toBeCallableWith(asyncPlugin, { namespace: 1 })
    expect(app.register).type.not.toBeCallableWith(callbackPlugin, { namespace: null })
  })

  test('stands next to the options of the plugin', () => {
    expect(app.register).type.toBeCallableWith(asyncPluginWithOptions, { currency: 'EUR', namespace: 'v1' })
    expect(app.register).type.toBeCallableWith(callbackPluginWithOptions, { currency: 'EUR', namespace: 'v1' })
    expect(app.register).type.toBeCallableWith(asyncPluginWithOptions, () => ({ currency: 'EUR', namespace: 'v1' }))
    expect(app.register).type.not.toBeCallableWith(asyncPluginWithOptions, { currency: 'EUR', namespace: 1 })
    expect(app.register).type.not.toBeCallableWith(callbackPluginWithOptions, { currency: 'EUR', namespace: 1 })
    expect(app.register).type.not.toBeCallableWith(asyncPluginWithOptions, { namespace: 'v1' })
  })

  test('is taken with a plugin written in place', () => {
    app.register(async (api) => {
      await api.register(versioning, { scheme: HostNameVersioning })
      api.get('/', { name: 'bookings' }, async (request) => request.version)
    }, { prefix: '/v1', namespace: 'v1' })
    app.register((api, _options, done) => {
      expect(api.reverse).type.toBe<Reverse>()
      done()
    }, { namespace: 'v1' })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { namespace: 1 })
  })
})

describe('an app with a type provider', () => {
  interface Provider extends FastifyTypeProvider { validator: this['schema'], serializer: this['schema'] }
  const typed = Fastify().withTypeProvider<Provider>()

  test('has the same decorators and options', () => {
    expect(typed.register).type.toBeCallableWith(versioning, { scheme: QueryParameterVersioning })
    expect(typed.register).type.not.toBeCallableWith(versioning, { scheme: 'query' })
    expect(typed.reverse).type.toBe<Reverse>()
    expect(typed.get).type.not.toBeCallableWith('/', { name: 1 }, async () => 'ok')
    expect(typed.get).type.not.toBeCallableWith('/', { versioning: true }, async () => 'ok')
  })

  test('keeps what the provider infers', () => {
    typed.get('/:id', { name: 'booking', schema: { params: { id: '7' } } }, async (request, reply) => {
      expect(request.params).type.toBe<{ readonly id: '7' }>()
      expect(request.version).type.toBe<string | null>()
      expect(new URLPathVersioning().determineVersion).type.toBeCallableWith(request)
      return [reply.reverse('booking', request.params), new URLPathVersioning().reverse('booking', { request })]
    })
    typed.route({
      method: 'GET',
      url: '/:id',
      name: 'booking',
      versioning: false,
      schema: { params: { id: '7' } },
      handler: async (request, reply) => reply.reverse('booking', request.params)
    })
    typed.register(async (api) => {
      api.get('/', { name: 'rates' }, async (request) => request.version)
    }, { prefix: '/v1', namespace: 'v1' })
  })
})

describe('an app that speaks HTTP/2', () => {
  const http2 = Fastify({ http2: true })

  test('has the same decorators and options', () => {
    expect(http2.register).type.toBeCallableWith(versioning, { scheme: QueryParameterVersioning })
    expect(http2.register).type.not.toBeCallableWith(versioning, { scheme: 'query' })
    expect(http2.reverse).type.toBe<Reverse>()
    http2.get<{ Params: BookingParams }>('/:id', { name: 'booking', versioning: false }, async (request, reply) => {
      expect(request.version).type.toBe<string | null>()
      return [reply.reverse('booking', request.params), new URLPathVersioning().reverse('booking', { request })]
    })
    http2.register(async (api) => {
      api.get('/', { name: 'rates' }, async (request) => request.version)
    }, { prefix: '/v1', namespace: 'v1' })
    expect(http2.get).type.not.toBeCallableWith('/', { name: 1 }, async () => 'ok')
  })
})

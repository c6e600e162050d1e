import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning, VersionGoneError, VersionNotAcceptableError, VersionNotFoundError, routeTypes
} from 'fastify-versioning'

import type {
  FastifyError, FastifyInstance, FastifyPluginAsync, FastifyPluginCallback, FastifyReply, FastifyRequest,
  FastifyTypeProvider, RouteOptions, RouteShorthandOptions
} from 'fastify'
import type {
  AllowedVersions, LinkOptions, LinkQuery, NamedRoute, ReplyReverse, Reverse, ReverseArgs, ReverseKwargs,
  ReverseOptions, VersionEnding, VersionInfo, VersionStatusCodes, VersionUsage, VersioningOptions, VersioningScheme,
  VersioningSchemeClass, VersioningSettings
} from 'fastify-versioning'

interface BookingParams { id: string, page?: number }
interface BookingQuery { page?: number, tag: string[] }
interface Nested { id: { value: string } }

const app = Fastify()

describe('versions that a route serves', () => {
  const handler = async () => ''

  test('are one, a list, a range or null', () => {
    expect(app.get).type.toBeCallableWith('/', { version: 'v1' }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: ['v1', 'v2'] as const }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { to: 'v1' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1', to: 'v2' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: null }, handler)
    expect(app.route).type.toBeCallableWith({ method: 'GET', url: '/', version: 'v1', handler })
    expect(app.register).type.toBeCallableWith(async () => {}, { version: { from: 'v1' } })
  })

  test('are nothing else', () => {
    expect(app.get).type.not.toBeCallableWith('/', { version: 1 }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: [1] }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: { since: 'v1' } }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: false }, handler)
  })

  test('are in the config of the route', () => {
    expect<FastifyRequest['routeOptions']['config']['versions']>().type.toBe<readonly string[] | undefined>()
  })
})

describe('the options of the plugin', () => {
  test('may be left out, all and each of them', () => {
    expect(app.register).type.toBeCallableWith(versioning)
    expect(app.register).type.toBeCallableWith(versioning, {})
    expect<{}>().type.toBeAssignableTo<VersioningOptions>()
    expect<{ [option in keyof VersioningOptions]: undefined }>().type.not.toBeAssignableTo<VersioningOptions>()
    expect<{ [option in Exclude<keyof VersioningOptions, 'namespace' | 'version'>]: undefined }>()
      .type.toBeAssignableTo<VersioningOptions>()
  })

  test('are these', () => {
    expect<keyof VersioningOptions>().type.toBe<
      'scheme' | 'defaultVersion' | 'allowedVersions' | 'versionParam' | 'mediaTypes' | 'baseUrl' | 'logVersion'
      | 'lifecycle' | 'reportVersions' | 'enforceSunset' | 'now' | 'problemDetails' | 'statusCodes'
      | 'namespace' | 'version'
    >()
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultversion: 'v1' })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: QueryParameterVersioning, version: 'v1' })
  })

  test('take a class, an instance or null as scheme', () => {
    expect(app.register).type.toBeCallableWith(versioning, { scheme: AcceptHeaderVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: URLPathVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: NamespaceVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: HostNameVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: QueryParameterVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: BaseVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new URLPathVersioning({ defaultVersion: 'v1' }) })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: 'query' })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: false })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: {} })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Date })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: () => new URLPathVersioning() })
  })

  test('take a string or null as default version', () => {
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: 'v1' })
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: ['v1'] })
  })

  test('take any iterable of strings and null, or null, as allowed versions', () => {
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: ['v1', null] })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: ['v1', 'v2'] as const })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: new Set(['v1', 'v2']) })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: new Map([['v1', 1]]).keys() })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: [1, 2] })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: [undefined] })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: { v1: true } })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: 'v1' })
  })

  test('take a string as name of the parameter', () => {
    expect(app.register).type.toBeCallableWith(versioning, { versionParam: 'v' })
    expect(app.register).type.not.toBeCallableWith(versioning, { versionParam: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { versionParam: 1 })
  })

  test('take any iterable of strings, or null, as media types', () => {
    expect(app.register).type.toBeCallableWith(versioning, { mediaTypes: ['application/json'] })
    expect(app.register).type.toBeCallableWith(versioning, { mediaTypes: new Set(['application/json']) })
    expect(app.register).type.toBeCallableWith(versioning, { mediaTypes: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { mediaTypes: [null] })
    expect(app.register).type.not.toBeCallableWith(versioning, { mediaTypes: /json/ })
  })

  test('take a string, a URL or null as address', () => {
    expect(app.register).type.toBeCallableWith(versioning, { baseUrl: 'https://api.example.com' })
    expect(app.register).type.toBeCallableWith(versioning, { baseUrl: new URL('https://api.example.com') })
    expect(app.register).type.toBeCallableWith(versioning, { baseUrl: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { baseUrl: 443 })
    expect(app.register).type.not.toBeCallableWith(versioning, { baseUrl: { host: 'api.example.com' } })
  })

  test('stand beside those of register, but for the namespace', () => {
    expect(app.register).type.toBeCallableWith(versioning, { scheme: null, prefix: '/api', logLevel: 'info' })
    expect(app.register).type.not.toBeCallableWith(versioning, { prefix: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { namespace: 'v1' })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: null, namespace: 'v1' })
  })

  test('can come from a function, and the plugin from a dynamic import', () => {
    expect(app.register).type.toBeCallableWith(versioning, () => ({ scheme: QueryParameterVersioning }))
    expect(app.register).type.toBeCallableWith(versioning, (parent: FastifyInstance) => ({ baseUrl: parent.prefix }))
    expect(app.register).type.not.toBeCallableWith(versioning, () => ({ scheme: 'query' }))
    expect(app.register).type.toBeCallableWith(import('fastify-versioning'), { scheme: QueryParameterVersioning })
  })

  test('make an ordinary plugin', () => {
    expect(versioning).type.toBe<FastifyPluginAsync<VersioningOptions>>()
  })
})

describe('the end of a version', () => {
  const handler = async () => ''

  test('has at least a date, by version', () => {
    const ending: VersionEnding = { deprecated: '2026-01-01', sunset: new Date('2026-12-31'), info: '/leaving' }
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: ending, v2: {} } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: { deprecated: undefined } } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: '2026-01-01' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { deprecated: 0 } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { deprecated: null } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { sunsetAt: '2026-01-01' } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: ['v1'] })
  })

  test('has links to what there is to read', () => {
    const info: VersionInfo = { href: '/', type: 'text/html', title: 'Leaving', hreflang: ['de', 'en'] as const }
    expect<VersionEnding['info']>().type.toBeAssignableFrom(['/', info] as const)
    expect<VersionEnding['info']>().type.toBeAssignableFrom({ href: '/', hreflang: 'de' })
    expect<VersionEnding['info']>().type.not.toBeAssignableFrom({ title: 'Leaving' })
    expect<VersionEnding['info']>().type.not.toBeAssignableFrom(7)
  })

  test('is that of a route, too', () => {
    expect(app.get).type.toBeCallableWith('/', { deprecated: { sunset: '2026-01-01' } }, handler)
    expect(app.route).type.toBeCallableWith({ method: 'GET', url: '/', deprecated: { sunset: new Date() }, handler })
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: true }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: '2026-01-01' }, handler)
  })

  test('is reported, enforced and timed', () => {
    expect(app.register).type.toBeCallableWith(versioning, { reportVersions: true, enforceSunset: true, now: Date.now })
    expect(app.register).type.not.toBeCallableWith(versioning, { reportVersions: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { enforceSunset: 'yes' })
    expect(app.register).type.not.toBeCallableWith(versioning, { now: 0 })
    expect(app.register).type.not.toBeCallableWith(versioning, { now: () => new Date() })
  })

  test('is told to subscribers', () => {
    expect<VersionUsage>().type.toBe<{
      readonly request: FastifyRequest
      readonly version: string | null
      readonly requested: string | null
      readonly outcome: 'ok' | 'refused' | 'gone'
      readonly scheme: string
      readonly route: string
    }>()
    expect(new QueryParameterVersioning().requestedVersion).type.toBeCallableWith({} as FastifyRequest)
    expect<VersioningScheme['requestedVersion']>().type.toBeAssignableFrom(undefined)
  })
})

describe('refusals', () => {
  test('may be problems', () => {
    expect(app.register).type.toBeCallableWith(versioning, { problemDetails: true })
    expect(app.register).type.toBeCallableWith(versioning, { problemDetails: { base: '/problems' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { problemDetails: '/problems' })
    expect(app.register).type.not.toBeCallableWith(versioning, { problemDetails: {} })
  })

  test('may have another status', () => {
    const statusCodes: VersionStatusCodes = { notAcceptable: 400, notFound: 400, gone: undefined }
    expect(app.register).type.toBeCallableWith(versioning, { statusCodes })
    expect(app.register).type.toBeCallableWith(versioning, { statusCodes: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { statusCodes: { notFound: '404' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { statusCodes: { missing: 404 } })
  })
})

describe('the decorators', () => {
  test('tell the version and the scheme of a request', () => {
    expect<FastifyRequest['version']>().type.toBe<string | null>()
    expect<FastifyRequest['versioningScheme']>().type.toBe<VersioningScheme | null>()
    app.get('/', (request, reply) => {
      expect(request.version).type.toBe<string | null>()
      expect(request.versioningScheme).type.toBe<VersioningScheme | null>()
      expect(request.versioningScheme?.allowedVersions).type.toBe<AllowedVersions | null | undefined>()
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

  test('can be those of the request', () => {
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
  test('are these, and those of custom schemes', () => {
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, {})
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, { format: 'json', tenant: { id: 1 } })
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

  test('can be typed apart from the call', () => {
    const options: RouteOptions = { method: 'GET', url: '/', name: 'bookings', versioning: false, handler }
    app.route(options)
    const shorthand: RouteShorthandOptions = { name: 'bookings', versioning: URLPathVersioning }
    app.get('/', shorthand, handler)
    expect<Required<RouteOptions>['name']>().type.toBe<string | undefined>()
    expect<Required<RouteOptions>['versioning']>().type.toBe<
      VersioningSchemeClass | VersioningScheme | false | undefined
    >()
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

  test('stands beside the options of the plugin', () => {
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
      expect(new URLPathVersioning().determineVersion(request)).type.toBe<string | null>()
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

describe('a scheme', () => {
  test('is made of settings', () => {
    expect(BaseVersioning).type.toBeConstructableWith()
    expect(AcceptHeaderVersioning).type.toBeConstructableWith({ mediaTypes: ['application/json'] })
    expect(URLPathVersioning).type.toBeConstructableWith({ defaultVersion: null, allowedVersions: new Set(['v1']) })
    expect(QueryParameterVersioning).type.toBeConstructableWith({} as VersioningSettings)
    expect(URLPathVersioning).type.not.toBeConstructableWith('v1')
    expect(URLPathVersioning).type.not.toBeConstructableWith({ defaultVersion: 1 })
    expect(URLPathVersioning).type.not.toBeConstructableWith({ scheme: URLPathVersioning })
  })

  test('has its settings as attributes that stay', () => {
    const scheme = new AcceptHeaderVersioning()
    expect(scheme.defaultVersion).type.toBe<string | null>()
    expect(scheme.allowedVersions).type.toBe<readonly (string | null)[] | null>()
    expect(scheme.versionParam).type.toBe<string>()
    expect(scheme.mediaTypes).type.toBe<readonly string[] | null>()
    expect(scheme.invalidVersionMessage).type.toBe<string>()
    expect(new HostNameVersioning().hostnameRegex).type.toBe<RegExp>()
    expect(new BaseVersioning()).type.not.toHaveProperty('mediaTypes')
    // @ts-expect-error Cannot assign to 'defaultVersion' because it is a read-only property.
    scheme.defaultVersion = 'v1'
  })

  test('determines, permits and refuses', () => {
    const scheme = new BaseVersioning()
    expect(scheme.determineVersion({} as FastifyRequest)).type.toBe<string | null | Promise<string | null>>()
    expect(new AcceptHeaderVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
    expect(new URLPathVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
    expect(new NamespaceVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
    expect(new HostNameVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
    expect(new QueryParameterVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
    expect(scheme.isAllowedVersion(null)).type.toBe<boolean>()
    expect(scheme.permit(undefined)).type.toBe<string | null>()
    expect(scheme.refusal()).type.toBe<Error>()
    expect(scheme.linkVersion({ version: 'v1' })).type.toBe<string | null>()
    expect(scheme.determineVersion).type.not.toBeCallableWith({ headers: {} })
    expect(scheme.isAllowedVersion).type.not.toBeCallableWith(1)
    expect(scheme.permit).type.not.toBeCallableWith(['v1'])
  })

  test('reverses', () => {
    const { reverse } = new URLPathVersioning()
    expect(reverse).type.toBeCallableWith('booking')
    expect(reverse).type.toBeCallableWith(null, { request: {} as FastifyRequest })
    expect(reverse).type.toBeCallableWith('booking', { args: ['7'], kwargs: { id: 7 }, format: 'json', tenant: 'x' })
    expect(reverse).type.toBeCallableWith('booking', { args: ['7', 7] as const })
    expect(reverse).type.toBeCallableWith('booking', { args: null, kwargs: null, request: null, server: app })
    expect(reverse).type.toBeCallableWith('booking', { request: { version: 'v1', server: app } })
    expect(reverse('booking')).type.toBe<string>()
    expect(reverse).type.not.toBeCallableWith()
    expect(reverse).type.not.toBeCallableWith(7)
    expect(reverse).type.not.toBeCallableWith('booking', { args: { id: 7 } })
    expect(reverse).type.not.toBeCallableWith('booking', { kwargs: { id: {} } })
    expect(reverse).type.not.toBeCallableWith('booking', { request: {} })
    expect(reverse).type.not.toBeCallableWith('booking', { request: { version: 1, server: app } })
    expect(reverse).type.not.toBeCallableWith('booking', { server: '/' })
    expect(reverse).type.not.toBeCallableWith('booking', { query: { page: {} } })
  })
})

describe('a scheme of the user', () => {
  test('extends BaseVersioning', () => {
    class HeaderVersioning extends BaseVersioning {
      override readonly invalidVersionMessage = 'Invalid version in header.'

      override determineVersion (request: FastifyRequest) {
        expect(this.versionParam).type.toBe<string>()
        return this.permit(request.headers['x-api-version']?.toString())
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: HeaderVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new HeaderVersioning() })
    app.get('/', { versioning: HeaderVersioning }, async () => 'ok')
    expect(new HeaderVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
  })

  test('may determine the version asynchronously', () => {
    class TenantVersioning extends BaseVersioning {
      override async determineVersion (request: FastifyRequest) {
        return this.permit(await Promise.resolve(request.hostname))
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: TenantVersioning })
    expect(TenantVersioning).type.toBeAssignableTo<VersioningSchemeClass>()
  })

  test('must determine a string or null', () => {
    class Numbered extends BaseVersioning {
      // @ts-expect-error Type 'number' is not assignable to type 'string | Promise<string | null> | null'.
      override determineVersion () { return 1 }
    }
    class Late extends BaseVersioning {
      // @ts-expect-error Type 'Promise<undefined>' is not assignable to type 'string | Promise<string | null> | null'.
      override async determineVersion () { return undefined }
    }
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Numbered })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Late })
  })

  test('refines a concrete scheme', () => {
    class SubdomainVersioning extends HostNameVersioning {
      override readonly hostnameRegex = /^(v\d+)\./
      override readonly invalidVersionMessage = 'No such version.'
      override readonly defaultVersion = 'v1'
      override readonly allowedVersions = ['v1', 'v2']
      override readonly versionParam = 'v'

      override isAllowedVersion (version: string | null) {
        return version !== 'v0' && super.isAllowedVersion(version)
      }

      override refusal () {
        return new VersionNotFoundError(`${super.refusal().message} Try ${this.defaultVersion}.`)
      }

      override determineVersion (request: FastifyRequest) {
        return super.determineVersion(request)?.toLowerCase() ?? null
      }

      override reverse (viewName: string | null, options: ReverseOptions = {}) {
        expect(options.tenant).type.toBe<unknown>()
        expect(options.format).type.toBe<string | null | undefined>()
        const url = super.reverse(viewName, { ...options, kwargs: { ...options.kwargs, tenant: 'x' } })
        expect(url).type.toBe<string>()
        return url.toLowerCase()
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: SubdomainVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new SubdomainVersioning({ mediaTypes: null }) })
  })

  test('may name the options of its own, and need not care for the route of the request', () => {
    class TenantVersioning extends QueryParameterVersioning {
      override reverse (viewName: string, options: ReverseOptions & { tenant?: string } = {}) {
        return `/${options.tenant}${super.reverse(viewName, options)}`
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: TenantVersioning })
  })

  test('refuses what its parent would not understand', () => {
    class Wrong extends HostNameVersioning {
      // @ts-expect-error Type 'string' is not assignable to type 'RegExp'.
      override readonly hostnameRegex = 'v1'
      // @ts-expect-error Type 'string' is not assignable to type 'readonly (string | null)[]'.
      override readonly allowedVersions = 'v1'
      // @ts-expect-error Type 'number' is not assignable to type 'string'.
      override readonly defaultVersion = 1
      // @ts-expect-error Type 'URL' is not assignable to type 'string'.
      override reverse () { return new URL('https://example.com') }
    }
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Wrong })
  })

  test('is constructed with settings only', () => {
    class Configured extends BaseVersioning {
      constructor (settings: VersioningSettings = {}, readerName = 'x') {
        super({ ...settings, versionParam: readerName })
      }
    }
    class Demanding extends BaseVersioning {
      constructor (settings: VersioningSettings, readerName: string) {
        super({ ...settings, versionParam: readerName })
      }
    }
    abstract class Unfinished extends BaseVersioning {}
    expect(app.register).type.toBeCallableWith(versioning, { scheme: Configured })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new Demanding({}, 'x') })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Demanding })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Unfinished })
  })

  test('need not extend anything', () => {
    class Fixed implements VersioningScheme {
      readonly defaultVersion = 'v1'
      readonly allowedVersions = ['v1']
      readonly versionParam = 'version'
      readonly invalidVersionMessage = 'Invalid version.'
      determineVersion () { return this.defaultVersion }
      isAllowedVersion (version: string | null) { return version === this.defaultVersion }
      reverse (viewName: string | null) { return `/${viewName}` }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: Fixed })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new Fixed() })
    app.get('/', { versioning: new Fixed() }, async () => 'ok')
    app.register(versioning, {
      scheme: {
        defaultVersion: null,
        allowedVersions: null,
        versionParam: 'version',
        invalidVersionMessage: 'Invalid version.',
        determineVersion: async (request) => request.headers.host ?? null,
        isAllowedVersion: () => true,
        reverse: (viewName, options) => `/${viewName}${options?.hash}`
      }
    })
  })

  test('has every method', () => {
    expect<Omit<VersioningScheme, 'isAllowedVersion'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<Omit<VersioningScheme, 'determineVersion'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<Omit<VersioningScheme, 'reverse'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<VersioningScheme>().type.toBeAssignableFrom<BaseVersioning>()
    expect<VersioningScheme>().type.not.toBeAssignableTo<BaseVersioning>()
  })
})

describe('the errors', () => {
  test('have a code, a status and the versions permitted', () => {
    const notFound = new VersionNotFoundError('Invalid version.', ['v1', null])
    expect(notFound).type.toBeAssignableTo<FastifyError>()
    expect(notFound.code).type.toBe<'FST_ERR_VERSION_NOT_FOUND'>()
    expect(notFound.statusCode).type.toBe<number>()
    expect(notFound.allowedVersions).type.toBe<AllowedVersions | null>()
    const notAcceptable = new VersionNotAcceptableError('Invalid version.')
    expect(notAcceptable).type.toBeAssignableTo<FastifyError>()
    expect(notAcceptable.code).type.toBe<'FST_ERR_VERSION_NOT_ACCEPTABLE'>()
    expect(notAcceptable.statusCode).type.toBe<number>()
    expect(notAcceptable.allowedVersions).type.toBe<AllowedVersions | null>()
    expect(notFound).type.not.toBeAssignableTo<VersionNotAcceptableError>()
    const gone = new VersionGoneError('Version v1 is gone.', ['v1', 'v2'])
    expect(gone).type.toBeAssignableTo<FastifyError>()
    expect(gone.code).type.toBe<'FST_ERR_VERSION_GONE'>()
    expect(gone.statusCode).type.toBe<number>()
    expect(gone.allowedVersions).type.toBe<AllowedVersions | null>()
  })

  test('are made of a message', () => {
    expect(VersionNotFoundError).type.toBeConstructableWith('Invalid version.', null)
    expect(VersionNotAcceptableError).type.toBeConstructableWith('Invalid version.', ['v1'])
    expect(VersionNotFoundError).type.not.toBeConstructableWith()
    expect(VersionNotAcceptableError).type.not.toBeConstructableWith()
    expect(VersionNotFoundError).type.not.toBeConstructableWith('Invalid version.', 'v1')
    expect(VersionNotAcceptableError).type.not.toBeConstructableWith('Invalid version.', [1])
  })

  test('are told apart in an error handler', () => {
    app.setErrorHandler((error, _request, reply) => {
      if (error instanceof VersionNotFoundError || error instanceof VersionNotAcceptableError) {
        expect(error.statusCode).type.toBe<number>()
        reply.send({ versions: error.allowedVersions })
      }
    })
  })
})

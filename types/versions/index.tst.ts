import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import versioning, {
  BaseVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning, routeTypes
} from 'fastify-versioning'

import './versions.d.ts'

import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type {
  AppVersion, LinkOptions, RawRequest, ReplyReverse, Reverse, ReverseOptions, RouteVersions, Version, VersionUsage,
  VersioningOptions, VersioningSchemeClass, VersioningSettings
} from 'fastify-versioning'

type Declared = 'v1' | 'v2' | '2026-03-01' | '3'

const app = Fastify()
declare const reply: FastifyReply
const handler = async () => ''

test('declared versions are the type of a version, a number as text', () => {
  expect<Version>().type.toBe<Declared>()
})

describe('once versions are declared', () => {
  test('the version of a request is one of them, or null', () => {
    expect<FastifyRequest['version']>().type.toBe<Declared | null>()
    app.get('/', async (request) => {
      expect(request.version).type.toBe<Declared | null>()
      // @ts-expect-error This comparison appears to be unintentional
      return request.version === 'v3'
    })
    app.withTypeProvider().addHook('onRequest', async (request) => {
      expect(request.version).type.toBe<Declared | null>()
    })
    expect<VersionUsage['version']>().type.toBe<Declared | null>()
    expect<VersionUsage['requested']>().type.toBe<string | null>()
  })

  test('a request compares its version with them and with no others', () => {
    const request = {} as FastifyRequest
    expect(request.isVersion).type.toBeCallableWith('v1')
    expect(request.isVersion).type.toBeCallableWith(['v1', '3'])
    expect(request.isVersion).type.toBeCallableWith({ from: 'v2' })
    expect(request.isVersion('v1')).type.toBe<boolean>()
    expect(request.isVersion).type.not.toBeCallableWith('v3')
    expect(request.isVersion).type.not.toBeCallableWith(['v1', 'v3'])
    expect(request.isVersion).type.not.toBeCallableWith(['v1', null])
    expect(request.isVersion).type.not.toBeCallableWith({ to: 'v3' })
    expect(request.isVersion).type.not.toBeCallableWith(null)
  })

  test('they are the versions of an app and of its routes', () => {
    expect(app.versions).type.toBe<readonly AppVersion[]>()
    expect<AppVersion['version']>().type.toBe<Declared | null>()
    expect<FastifyRequest['routeOptions']['config']['versions']>().type.toBe<readonly (Declared | null)[] | undefined>()
    expect(routeTypes).type.toBeCallableWith(app)
    expect(routeTypes).type.toBeCallableWith({ namedRoutes: [], versions: [{ version: 'v9' }] })
  })

  test('a route serves these', () => {
    expect(app.get).type.toBeCallableWith('/', { version: 'v1' }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: ['v1', '2026-03-01'] }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: ['v1', null] }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1', to: '3' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: null }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: {} as RouteVersions }, handler)
    expect(app.route).type.toBeCallableWith({ method: 'GET', url: '/', version: 'v1', handler })
    expect<RouteOptions['version']>().type.toBe<RouteVersions | null | undefined>()
  })

  test('a route serves no others', () => {
    expect(app.get).type.not.toBeCallableWith('/', { version: 'v3' }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: 'v1' as string }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: 3 }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: ['v1', 'v3'] }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: { from: 'v3' } }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: { from: 'v1', to: 'v3' } }, handler)
    expect(app.post).type.not.toBeCallableWith('/', { version: 'v3', handler })
    expect(app.route).type.not.toBeCallableWith({ method: 'GET', url: '/', version: 'v3', handler })
  })

  test('a context serves these and no others', () => {
    const plugin: FastifyPluginAsync<{ currency: string }> = async () => {}
    expect(app.register).type.toBeCallableWith(async () => {}, { version: 'v1' })
    expect(app.register).type.toBeCallableWith(async () => {}, { version: ['v1', 'v2'], prefix: '/a' })
    expect(app.register).type.toBeCallableWith(plugin, { version: { from: 'v2' }, currency: 'EUR' })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: 'v3' })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: ['v1', 'v3'] })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: { from: 'v3' } })
    expect(app.register).type.not.toBeCallableWith(plugin, { version: { from: 'v3' }, currency: 'EUR' })
  })

  test('the default version is one of them, or null', () => {
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: 'v1' })
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: 'v3' })
    expect(app.register).type.not.toBeCallableWith(versioning, () => ({ defaultVersion: 'v3' }))
    expect(URLPathVersioning).type.toBeConstructableWith({ defaultVersion: 'v1' })
    expect(URLPathVersioning).type.not.toBeConstructableWith({ defaultVersion: 'v3' })
  })

  test('the allowed versions are these in any iterable', () => {
    const list = ['v1', 'v2'] as const
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: ['v1', null] })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: list })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: new Set<Version>(['v1', 'v2']) })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: new Set(list) })
    expect(URLPathVersioning).type.toBeConstructableWith({ allowedVersions: new Set(['v1', 'v2']) })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: new Map([['v1', 1]] as const).keys() })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: null })
    expect(app.register).type.toBeCallableWith(versioning, { allowedVersions: [] as Version[] })
    expect(URLPathVersioning).type.toBeConstructableWith({ allowedVersions: ['v1'] })
  })

  test('no others are allowed', () => {
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: ['v1', 'v3'] })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: new Set(['v1', 'v3']) })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: ['v1'] as string[] })
    expect(app.register).type.not.toBeCallableWith(versioning, { allowedVersions: 'v1' })
    expect(URLPathVersioning).type.not.toBeConstructableWith({ allowedVersions: ['v3'] })
    expect(URLPathVersioning).type.not.toBeConstructableWith({ allowedVersions: new Set(['v3']) })
  })

  test('these end, all or some of them, and no others', () => {
    const ending = { deprecated: '2026-01-01' }
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: ending, '2026-03-01': ending } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: ending, v2: ending, 3: ending } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: {} })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v3: ending } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: ending, v3: ending } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: '2026-01-01' } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: undefined } })
  })

  test('a link leads into these, or into none', () => {
    const { reverse } = new URLPathVersioning()
    expect(reply.reverse).type.toBeCallableWith('home', null, { version: 'v1' })
    expect(reply.reverse).type.toBeCallableWith(null, null, { version: null })
    expect(reply.reverse).type.toBeCallableWith('home', null, { version: {} as Version | null | undefined })
    expect(app.reverse).type.toBeCallableWith('home', null, { version: 'v1' })
    expect(reverse).type.toBeCallableWith('home', { version: 'v1' })
    expect(reverse).type.toBeCallableWith('home', { request: {} as FastifyRequest })
    expect(reverse).type.toBeCallableWith('home', { request: { version: 'v3', server: app } })
    expect<LinkOptions['version']>().type.toBe<Declared | null | undefined>()
  })

  test('a link leads into no others', () => {
    const { reverse } = new URLPathVersioning()
    expect(reply.reverse).type.not.toBeCallableWith('home', null, { version: 'v3' })
    expect(reply.reverse).type.not.toBeCallableWith(null, null, { version: 'v3' })
    expect(reply.reverse).type.not.toBeCallableWith('home', null, { version: 'v1' as string })
    expect(app.reverse).type.not.toBeCallableWith('home', null, { version: 'v3' })
    expect(reverse).type.not.toBeCallableWith('home', { version: 'v3' })
  })

  test('a variable holds them if its type is not widened', () => {
    const widened = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
    const kept = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] } as const
    const satisfying = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] } satisfies VersioningSettings
    expect(app.register).type.not.toBeCallableWith(versioning, widened)
    expect(app.register).type.toBeCallableWith(versioning, kept)
    expect(app.register).type.toBeCallableWith(versioning, satisfying)
    expect(app.register).type.toBeCallableWith(versioning, {} as VersioningOptions)
    expect(app.register).type.toBeCallableWith(versioning, (parent: FastifyInstance) => ({ baseUrl: parent.prefix }))
  })
})

describe('a scheme of the user knows nothing of them', () => {
  test('what it reads and determines is text', () => {
    class ApiVersionHeader extends BaseVersioning {
      override readonly defaultVersion = 'v0'
      override readonly allowedVersions = ['v0', 'v1']
      override readVersion ({ headers }: RawRequest) { return headers['x-api-version'] }
      override isAllowedVersion (version: string | null) { return version === 'v0' || super.isAllowedVersion(version) }
    }
    class Lowered extends HostNameVersioning {
      override determineVersion (request: FastifyRequest) {
        const version = super.determineVersion(request)
        return typeof version === 'string' ? version.toLowerCase() : version
      }

      override reverse (viewName: string | null, options: ReverseOptions = {}) {
        return super.reverse(viewName, { ...options, kwargs: { ...options.kwargs, tenant: 'x' } })
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: ApiVersionHeader })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: [new ApiVersionHeader(), Lowered] })
    expect(Lowered).type.toBeAssignableTo<VersioningSchemeClass>()
    expect(new ApiVersionHeader().permit).type.toBeCallableWith('v0')
  })

  test('but its own version goes into a link as one of them', () => {
    class Pinned extends QueryParameterVersioning {
      readonly pinned: string = 'v1'
      override reverse (viewName: string | null, options: ReverseOptions = {}) {
        // @ts-expect-error Type 'string' is not assignable to type
        const options1: ReverseOptions = { ...options, version: this.pinned }
        return super.reverse(viewName, { ...options1, version: this.pinned as Version })
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: Pinned })
  })
})

describe('a name that needs a version', () => {
  test('is one for replies, and for an app with a version', () => {
    expect(reply.reverse).type.toBeCallableWith('bookings')
    expect(reply.reverse).type.toBeCallableWith('bookings', null, { hash: 'top' })
    expect(app.reverse).type.toBeCallableWith('bookings', null, { version: 'v1' })
    expect(app.reverse).type.toBeCallableWith('bookings', {}, { version: 'v1' })
    expect(app.reverse).type.not.toBeCallableWith('bookings')
    expect(app.reverse).type.not.toBeCallableWith('bookings', null, {})
    expect(app.reverse).type.not.toBeCallableWith('bookings', null, { version: 'v3' })
  })

  test('takes for replies what the routes in a version and those outside take', () => {
    expect(reply.reverse).type.toBeCallableWith('booking', { id: 7 })
    expect(reply.reverse).type.toBeCallableWith('booking', { slug: 'a' })
    expect(reply.reverse).type.not.toBeCallableWith('booking', { id: 7, slug: 'a' })
    expect(app.reverse).type.toBeCallableWith('booking', { slug: 'a' })
    expect(app.reverse).type.not.toBeCallableWith('booking', { id: 7 })
    expect(app.reverse).type.toBeCallableWith('booking', { id: 7 }, { version: 'v1' })
  })

  test('may have its format as an option', () => {
    expect(reply.reverse).type.toBeCallableWith('report', null, { format: 'json' })
    expect(app.reverse).type.toBeCallableWith('report', null, { format: 'json', version: 'v1' })
    expect(app.reverse).type.not.toBeCallableWith('report', null, { format: 'json' })
    expect(app.reverse).type.not.toBeCallableWith('report', null, { version: 'v1' })
  })

  test('makes a string', () => {
    expect(reply.reverse('bookings')).type.toBe<string>()
    expect(app.reverse('bookings', null, { version: 'v1' })).type.toBe<string>()
    expect<ReplyReverse>().type.toBeAssignableTo<Reverse>()
  })
})

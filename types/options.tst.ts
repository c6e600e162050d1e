import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, byDate
} from 'fastify-versioning'

import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type {
  AllowedVersions, DefaultByHeader, RawRequest, RefusalReason, VersionEnding, VersionResolver, VersionStage,
  VersionUsage, VersioningOptions, VersioningScheme
} from 'fastify-versioning'

const app = Fastify()

describe('versions that a route serves', () => {
  const handler = async () => ''

  test('are one, a list, a range or null', () => {
    expect(app.get).type.toBeCallableWith('/', { version: 'v1' }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: ['v1', 'v2'] as const }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: ['v1', null] }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { to: 'v1' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1', to: 'v2' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: null }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: undefined, to: 'v1' } }, handler)
    expect(app.get).type.toBeCallableWith('/', { version: { from: 'v1', to: undefined } }, handler)
    expect(app.register).type.toBeCallableWith(async () => {}, { version: { from: 'v1', to: undefined } })
    expect(app.route).type.toBeCallableWith({ method: 'GET', url: '/', version: 'v1', handler })
    expect(app.register).type.toBeCallableWith(async () => {}, { version: { from: 'v1' } })
  })

  test('are nothing else', () => {
    expect(app.get).type.not.toBeCallableWith('/', { version: 1 }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: [1] }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: { since: 'v1' } }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { version: false }, handler)
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: 1 })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: [1] })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: { from: 1 } })
    expect(app.register).type.not.toBeCallableWith(async () => {}, { version: false })
  })

  test('are what a request compares its version with', () => {
    const request = {} as FastifyRequest
    expect(request.isVersion).type.toBeCallableWith('v1')
    expect(request.isVersion).type.toBeCallableWith(['v1', 'v2'] as const)
    expect(request.isVersion).type.toBeCallableWith({ from: 'v1', to: 'v2' })
    expect(request.isVersion).type.not.toBeCallableWith()
    expect(request.isVersion).type.not.toBeCallableWith(1)
    expect(request.isVersion).type.not.toBeCallableWith({ since: 'v1' })
  })

  test('are in the config of the route', () => {
    expect<FastifyRequest['routeOptions']['config']['versions']>().type.toBe<readonly (string | null)[] | undefined>()
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
      'scheme' | 'defaultVersion' | 'allowedVersions' | 'resolveVersion' | 'versionParam' | 'mediaTypes' | 'baseUrl'
      | 'changes' | 'events' | 'logVersion' | 'lifecycle' | 'reportVersions' | 'enforceSunset' | 'now' | 'versionHeader'
      | 'servedVersion' | 'namespace' | 'version'
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

  test('take a list of classes and instances as scheme', () => {
    const schemes = [HeaderVersioning, ContentTypeVersioning] as const
    expect(app.register).type.toBeCallableWith(versioning, { scheme: [HeaderVersioning, new URLPathVersioning()] })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: schemes })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: [HeaderVersioning, 'query'] })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: [HeaderVersioning, null] })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: [[HeaderVersioning]] })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: new Set([HeaderVersioning]) })
  })

  test('take a string as name of the request header', () => {
    expect(app.register).type.toBeCallableWith(versioning, { scheme: HeaderVersioning, versionHeader: 'X-Version' })
    expect(app.register).type.not.toBeCallableWith(versioning, { versionHeader: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { versionHeader: ['X-Version'] })
  })

  test('take a string or null as response header of the version', () => {
    expect(app.register).type.toBeCallableWith(versioning, { servedVersion: 'API-Version' })
    expect(app.register).type.toBeCallableWith(versioning, { servedVersion: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { servedVersion: true })
    expect(app.register).type.not.toBeCallableWith(versioning, { servedVersion: ['API-Version'] })
  })

  test('take a string or null as default version', () => {
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: 'v1' })
    expect(app.register).type.toBeCallableWith(versioning, { defaultVersion: null })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: ['v1'] })
  })

  test('take a default version for each client, by a header', () => {
    const pins = new Map<string | null, string>()
    expect(app.register).type.toBeCallableWith(versioning, {
      defaultVersion: { header: 'X-API-Key', version: (key: string | null) => pins.get(key) }
    })
    expect(app.register).type.toBeCallableWith(versioning, {
      defaultVersion: { header: 'X-API-Key', version: async () => 'v1' }
    })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: { version: () => 'v1' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: { header: 'X-API-Key' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: { header: 1, version: () => 'v1' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: { vary: null, version: () => 'v1' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { defaultVersion: () => 'v1' })
    expect<DefaultByHeader['version']>().type.toBeCallableWith(null, {} as RawRequest)
    expect<ReturnType<DefaultByHeader['version']>>().type
      .toBe<string | null | undefined | Promise<string | null | undefined>>()
  })

  test('take a function that resolves what clients name', () => {
    expect(app.register).type.toBeCallableWith(versioning, { resolveVersion: byDate })
    expect(app.register).type.toBeCallableWith(versioning, { resolveVersion: null })
    expect(app.register).type.toBeCallableWith(versioning, {
      resolveVersion: (named: string, allowed: AllowedVersions) => allowed.includes(named) ? named : undefined
    })
    expect(app.register).type.not.toBeCallableWith(versioning, { resolveVersion: () => 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { resolveVersion: async () => 'v1' })
    expect(app.register).type.not.toBeCallableWith(versioning, { resolveVersion: 'byDate' })
    expect(byDate).type.toBeAssignableTo<VersionResolver>()
    expect(byDate('2026-01-01', [])).type.toBe<string | null>()
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

  test('are given with other options of register, except the namespace', () => {
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
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v1: undefined } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: '2026-01-01' } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { deprecated: 0 } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { deprecated: null } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v1: { sunsetAt: '2026-01-01' } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: ['v1'] })
  })

  test('has a link to a page that says more', () => {
    expect<VersionEnding['info']>().type.toBe<string | undefined>()
  })

  test('may be far away: it is a preview', () => {
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v2: { preview: true } } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v2: { preview: undefined } } })
    expect<VersionStage>().type.toBeAssignableTo<VersionEnding>()
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v2: { preview: 'yes' } } })
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: { preview: true } }, handler)
  })

  test('may say when the version was released', () => {
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v2: { released: '2026-03-01' } } })
    expect(app.register).type.toBeCallableWith(versioning, { lifecycle: { v2: { released: new Date() } } })
    expect(app.register).type.not.toBeCallableWith(versioning, { lifecycle: { v2: { released: true } } })
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: { released: '2026-03-01' } }, handler)
  })

  test('is an option of a route, too', () => {
    expect(app.get).type.toBeCallableWith('/', { deprecated: { sunset: '2026-01-01' } }, handler)
    expect(app.route).type.toBeCallableWith({ method: 'GET', url: '/', deprecated: { sunset: new Date() }, handler })
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: true }, handler)
    expect(app.get).type.not.toBeCallableWith('/', { deprecated: '2026-01-01' }, handler)
  })

  test('is reported, enforced and timed', () => {
    expect(app.register).type.toBeCallableWith(versioning, { reportVersions: true, enforceSunset: true, now: Date.now })
    expect(app.register).type.not.toBeCallableWith(versioning, { reportVersions: 1 })
    expect(app.register).type.not.toBeCallableWith(versioning, { enforceSunset: 'yes' })
    expect(app.register).type.not.toBeCallableWith(versioning, { enforceSunset: () => true })
    expect(app.register).type.not.toBeCallableWith(versioning, { now: 0 })
    expect(app.register).type.not.toBeCallableWith(versioning, { now: () => new Date() })
  })

  test('is published to subscribers', () => {
    expect<VersionUsage>().type.toBe<{
      readonly request: FastifyRequest
      readonly version: string | null
      readonly requested: string | null
      readonly isDefault: boolean
      readonly outcome: 'ok' | 'refused' | 'gone'
      readonly reason: RefusalReason | null
      readonly place: string | null
      readonly scheme: string
      readonly route: string
    }>()
    expect(new QueryParameterVersioning().readVersion).type.toBeCallableWith({} as FastifyRequest)
    expect<VersioningScheme['readVersion']>().type.toBeAssignableFrom(undefined)
    expect<VersioningScheme['label']>().type.toBe<string>()
  })
})

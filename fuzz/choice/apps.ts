import fc from 'fast-check'
import Fastify from 'fastify'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  QueryParameterVersioning, URLPathVersioning
} from 'fastify-versioning'
import { maybe, ofClient } from '../fuzzer.ts'

import type { FastifyInstance, InjectOptions, RouteOptions } from 'fastify'
import type { RawRequest, VersionError } from 'fastify-versioning'
import type { Generated } from '../fuzzer.ts'

class AppVersioning extends BaseVersioning {
  override readonly vary = 'X-Version'

  override readVersion ({ headers }: RawRequest) {
    return headers['x-version'] as string | undefined
  }
}

/** Where a client can specify a version before the router has chosen. */
export const places = {
  accept: AcceptHeaderVersioning,
  body: ContentTypeVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  path: URLPathVersioning,
  query: QueryParameterVersioning,
  custom: AppVersioning
}

export type Place = keyof typeof places

/** A constraint of the app. */
const tenant = {
  name: 'tenant',
  storage () {
    return new Map()
  },
  validate () {},
  deriveConstraint: ({ headers }: RawRequest) => headers['x-tenant']
}

const inLowerCase = (named: string) => named === 'V8' ? null : named.toLowerCase()

export const OF_CLIENT = 'of the client'

export interface Range { readonly from?: string | undefined, readonly to?: string | undefined }
export type Versions = string | readonly (string | null)[] | Range
export type Settings = Partial<Generated<typeof settings>>
export type Constraints = Partial<Generated<typeof constraints>>
export type RouteSpec = Generated<ReturnType<typeof routeWith>>
export type AppSpec = Generated<typeof apps>
export type RouterOptions = AppSpec['router']
export type RequestSpec = Generated<typeof requests>

export interface Ending { readonly deprecated?: string, readonly sunset?: string, readonly preview?: boolean }

export interface ContextSpec {
  readonly prefix?: string | undefined
  readonly version?: Versions | undefined
  readonly settings?: Settings | undefined
  readonly children: readonly Spec[]
}

export type Spec = RouteSpec | ContextSpec

export const NOW = '2026-06-01'

const version = fc.constantFrom<string[]>('v1', 'v2', 'v3')

const scheme: fc.Arbitrary<Place | Place[]> = fc.oneof(
  fc.constantFrom(...Object.keys(places) as Place[]),
  fc.uniqueArray(fc.constantFrom(...Object.keys(places) as Place[]), { minLength: 1, maxLength: 3 })
)
const defaultVersion = fc.constantFrom<(string | null)[]>(null, 'v1', 'v2', 'v0', OF_CLIENT)
/** Whether names are exact, or mean what they are in lower case; `V8` is refused then. */
const resolveVersion = fc.constantFrom(null, null, 'inLowerCase' as const)
const allowedVersions = fc.constantFrom<((string | null)[] | null)[]>(
  ['v1', 'v2', 'v3'], ['v1', 'v2', 'v3'], ['v3', 'v1', 'v2'], ['v1', 'v2'], [null, 'v1', 'v2', 'v3'], null
)
const lifecycle = fc.constantFrom<Record<string, Ending>[]>(
  {},
  { v1: { deprecated: '2025-01-01' } },
  { v1: { deprecated: '2025-01-01', sunset: '2026-01-01' }, v2: { deprecated: '2026-02-01', sunset: '2027-01-01' } },
  { v2: { sunset: '2026-06-01' }, v3: { deprecated: '2027-01-01' } },
  { v1: { sunset: '2026-01-01' }, v3: { preview: true } },
  { v2: { preview: true, sunset: '2026-06-01' }, v3: { preview: true } },
  { v1: { preview: true, deprecated: '2025-01-01' }, v2: { sunset: '2026-05-01' } }
)
const rootSettings = fc.record({
  scheme,
  defaultVersion,
  allowedVersions,
  resolveVersion,
  reportVersions: fc.boolean(),
  enforceSunset: fc.boolean(),
  lifecycle,
  servedVersion: fc.constantFrom(null, 'Served')
}).map((settings) => ({
  ...settings,
  lifecycle: Object.fromEntries(Object.entries(settings.lifecycle).filter(([name]) => {
    return settings.allowedVersions === null || settings.allowedVersions.some((allowed) => allowed === name)
  }))
}))
/** Undefined is as in the parent context. A scheme may be one, or a list, or null if versioning is off. */
const settings = fc.record({
  scheme: maybe(fc.oneof({ weight: 4, arbitrary: scheme }, { weight: 1, arbitrary: fc.constant(null) })),
  defaultVersion: maybe(defaultVersion),
  allowedVersions: maybe(allowedVersions),
  resolveVersion: maybe(resolveVersion)
})

const versions: fc.Arbitrary<Versions> = fc.oneof(
  version,
  fc.uniqueArray(version, { minLength: 1, maxLength: 2 }),
  fc.constantFrom([null], ['v1', null], [null, 'v2'], ['v3', 'v1', null]),
  fc.record({ from: version }),
  fc.record({ to: version }),
  fc.constantFrom({ from: 'v1', to: 'v2' }, { from: 'v2', to: 'v3' }, { from: 'v2', to: 'v2' })
)
const constraints = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ host: undefined, tenant: undefined }) },
  {
    weight: 2,
    arbitrary: fc.record({
      host: maybe(fc.constantFrom('example.com', 'v2.example.com')),
      tenant: maybe(fc.constantFrom('t1', 't2'))
    })
  }
)
const urls = ['/a', '/a', '/a', '/a/:id', '/a/:name', '/a/:id?', '/a/x', '/A', '/a/', '/']
const versionedUrls = [
  '/:version/a', '/:version/a', '/:version/a', '/:version/a/:id?', '/:version', '/:id/a', '/a/:version', '/a/:version?',
  '/:version/:id', '/:version/b', '/v1/a'
]

function routeWith (url: fc.Arbitrary<string>, method: fc.Arbitrary<string>) {
  return fc.record({
    method,
    url,
    version: fc.oneof({ weight: 9, arbitrary: maybe(versions, 3) }, { weight: 1, arbitrary: fc.constant(null) }),
    constraints,
    neutral: fc.integer({ min: 0, max: 9 }).map((n) => n === 9)
  }).map((route) => route.neutral ? { ...route, version: undefined } : route)
}

function childrenOf (url: fc.Arbitrary<string>, depth: number): fc.Arbitrary<Spec[]> {
  const route = routeWith(url, fc.constantFrom('GET', 'GET', 'GET', 'POST', 'GET,POST'))
  if (depth === 0) return fc.array(route, { maxLength: 4, size: 'max' })
  const context: fc.Arbitrary<ContextSpec> = fc.record({
    prefix: fc.constantFrom(undefined, undefined, '/n', '/:version'),
    version: maybe(versions),
    settings: maybe(settings),
    children: childrenOf(url, depth - 1)
  })
  return fc.array(fc.oneof<[fc.WeightedArbitrary<RouteSpec>, fc.WeightedArbitrary<ContextSpec>]>(
    { weight: 4, arbitrary: route }, { weight: 1, arbitrary: context }
  ), { maxLength: 8, size: 'max' })
}

function appsWith (url: fc.Arbitrary<string>, settings: typeof rootSettings) {
  return fc.record({
    router: fc.record({
      ignoreTrailingSlash: maybe(fc.boolean()),
      ignoreDuplicateSlashes: maybe(fc.boolean()),
      caseSensitive: maybe(fc.boolean()),
      useSemicolonDelimiter: maybe(fc.boolean())
    }),
    settings,
    children: childrenOf(url, 2)
  })
}

const inPath = fc.tuple(rootSettings, scheme).map(([settings, others]) => (
  { ...settings, scheme: [...new Set(['path' as const, others].flat())].reverse() }
))

/** Apps of all schemes, and apps whose scheme reads the path, alone or among others. */
export const apps = fc.oneof(
  appsWith(fc.constantFrom(...urls, ...versionedUrls), rootSettings),
  appsWith(fc.constantFrom(...versionedUrls), fc.oneof(
    rootSettings.map((settings) => ({ ...settings, scheme: 'path' as const })), inPath
  ))
)

const named = fc.constantFrom('v1', 'v2', 'v3', 'v9', 'v0', 'V1', 'V2', 'V8')

export const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  path: fc.constantFrom(
    '/a', '/a', '/a', '/a/7', '/a/x', '/A', '/a/', '//a', '/a//7', '/', '/n', '/n/', '/n/a', '/n/a/x', '/n/a/7',
    '/none',
    '/v1/a', '/v2/a', '/v3/a', '/v9/a', '/v%31/a', '/V1/a', '/v1/a/', '//v2//a', '/v1/a/7', '/v2/A', '/v1', '/v2/',
    '/a/v1', '/n/v1/a', '/v1/n', '/v2/v1', '/v2/v1/a', '/v1/a/x'
  ),
  host: fc.constantFrom('example.com', 'v1.example.com', 'v2.example.com', 'v9.example.com', 'V2.example.com'),
  tenant: maybe(fc.constantFrom('t1', 't2', 't3')),
  client: maybe(fc.constantFrom('v1', 'v2', 'v3', 'v0', 'V1')),
  names: fc.oneof(
    named.map((name) => ({ accept: name, body: name, header: name, query: name, custom: name })),
    fc.record({
      accept: maybe(named),
      body: maybe(named),
      header: maybe(fc.oneof(named, fc.constantFrom('v1, v2', 'v2,v2', 'v2, V2', 'V8, v1'))),
      query: maybe(named),
      custom: maybe(named)
    })
  )
})

/** Starts the app. Each route has a number, in the order of declaration. */
export async function start (spec: AppSpec): Promise<FastifyInstance> {
  // Without fields that are undefined.
  const { router, settings, children } = JSON.parse(JSON.stringify(spec)) as AppSpec
  const hasTenant = JSON.stringify(children).includes('"tenant"')
  const app = Fastify({ routerOptions: router as object, ...hasTenant && { constraints: { tenant } } })
  await app.register(versioning, { ...optionsOf(settings), now: () => Date.parse(NOW) })
  app.setErrorHandler<VersionError>(async (error, _request, reply) => {
    const { kind, statusCode, code, allowedVersions, reason } = error
    if (kind === undefined) throw error
    return await reply.code(statusCode).send({ code, allowedVersions, reason })
  })
  let count = 0
  await declare(app, children)
  await app.ready()
  return app

  async function declare (app: FastifyInstance, specs: readonly Spec[]): Promise<void> {
    for (const spec of specs) {
      if ('children' in spec) {
        const { settings, children, ...options } = spec
        await app.register(async (api) => {
          if (settings !== undefined) await api.register(versioning, optionsOf(settings))
          await declare(api, children)
        }, options as object)
      } else {
        const { method, constraints, neutral, ...options } = spec
        const id = String(count++)
        app.route({
          ...options,
          method: method.split(','),
          ...Object.keys(constraints).length > 0 && { constraints },
          ...neutral && { versioning: false },
          handler: async ({ version }, reply) => {
            reply.header('Route', id)
            return [version]
          }
        } as RouteOptions)
      }
    }
  }
}

function optionsOf (settings: Settings): object {
  const { scheme, defaultVersion, resolveVersion } = settings
  return {
    ...settings,
    ...scheme && { scheme: typeof scheme === 'string' ? places[scheme] : scheme.map((place) => places[place]) },
    ...defaultVersion === OF_CLIENT && { defaultVersion: ofClient },
    ...resolveVersion === 'inLowerCase' && { resolveVersion: inLowerCase }
  }
}

/** The request as it is sent, with its query behind a semicolon where the router takes one. */
export function sent (
  { method, path, host, tenant, client, names }: RequestSpec, { useSemicolonDelimiter }: AppSpec['router']
): InjectOptions {
  const query = `${useSemicolonDelimiter === true ? ';' : '?'}version=${names.query}`
  const headers = {
    host,
    'x-tenant': tenant,
    'x-client': client,
    accept: names.accept && `application/json;version=${names.accept}`,
    'content-type': names.body && `application/json;version=${names.body}`,
    'api-version': names.header,
    'x-version': names.custom
  }
  return {
    method: method as 'GET',
    url: names.query === undefined ? path : path + query,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    ...method === 'POST' && names.body !== undefined && { payload: '{}' }
  }
}

import t from 'tap'

import {
  HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

type Declared = Pick<RouteOptions, 'constraints' | 'schema' | 'version' | 'versioning'> & {
  readonly id: string
  readonly url: string
}

/** The operations of a document, and the route that each one comes from: `{ 'GET /a': 'a' }`. */
function shownIn (app: FastifyInstance, version: string): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(documentOf(app, version).paths).flatMap(([path, operations]) => (
    Object.entries(operations).map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary])
  )))
}

async function appOf (
  t: Test, versioning: VersioningOptions, routes: readonly Declared[], options: OpenapiOptions = {}
): Promise<FastifyInstance> {
  return documented(t, versioning, (app) => {
    for (const { id, url, schema, ...others } of routes) {
      app.get(url, { ...others, schema: { summary: id, ...schema } }, async () => id)
    }
  }, { ui: false, ...options })
}

const path = { scheme: URLPathVersioning }
const header = { scheme: HeaderVersioning }
const atHome = { ...header, baseUrl: 'https://a.example.com' }

interface Case {
  what: string
  versioning: VersioningOptions
  routes: Declared[]
  /** By the version of the document. */
  shown: Record<string, Record<string, string>>
  /** Which route answers which URL in v2. */
  answers: Record<string, string>
}

const IN_BOTH_ORDERS: Case[] = [
  {
    what: 'a path with text next to one with a parameter',
    versioning: path,
    routes: [{ id: 'kind', url: '/:version/:kind' }, { id: 'sample', url: '/:version/sample' }],
    shown: { v2: { 'GET /v2/{kind}': 'kind', 'GET /v2/sample': 'sample' } },
    answers: { '/v2/sample': 'sample', '/v2/other': 'kind' }
  },
  {
    what: 'a wildcard next to a parameter',
    versioning: path,
    routes: [{ id: 'all', url: '/:version/*' }, { id: 'id', url: '/:version/:id' }],
    shown: { v2: { 'GET /v2/{*}': 'all', 'GET /v2/{id}': 'id' } },
    answers: { '/v2/a/b': 'all', '/v2/a': 'id' }
  },
  {
    what: 'a route of one version that takes each URL of another route there',
    versioning: path,
    routes: [
      { id: 'kind', url: '/:version/:kind' },
      { id: 'other', url: '/v2/:other', versioning: false }
    ],
    shown: {
      v1: { 'GET /v1/{kind}': 'kind', 'GET /v2/{other}': 'other' },
      v2: { 'GET /v2/{other}': 'other' }
    },
    answers: { '/v2/a': 'other' }
  },
  {
    what: 'a route of one version that takes a part of the URLs of another route',
    versioning: path,
    routes: [
      { id: 'any', url: '/:version/a/:id' },
      { id: 'number', url: '/v2/a/:number(^\\d+$)', versioning: false }
    ],
    shown: { v2: { 'GET /v2/a/{id}': 'any', 'GET /v2/a/{number}': 'number' } },
    answers: { '/v2/a/7': 'number', '/v2/a/x': 'any' }
  },
  {
    what: 'the same pattern at a URL of one version',
    versioning: path,
    routes: [
      { id: 'any', url: '/:version/a/:id(^\\d+$)' },
      { id: 'second', url: '/v2/a/:number(^\\d+$)', versioning: false }
    ],
    shown: { v2: { 'GET /v2/a/{number}': 'second' } },
    answers: { '/v2/a/7': 'second' }
  },
  {
    what: 'another path that takes only the requests to one host',
    versioning: path,
    routes: [
      { id: 'any', url: '/:version/a' },
      { id: 'host', url: '/v2/:kind', versioning: false, constraints: { host: 'a.example.com' } }
    ],
    shown: { v2: { 'GET /v2/a': 'any', 'GET /v2/{kind}': 'host' } },
    answers: { '/v2/a': 'any' }
  },
  {
    what: 'an optional parameter, and a version of both of its paths',
    versioning: { ...header, defaultVersion: 'v2' },
    routes: [{ id: 'open', url: '/a/:id?' }, { id: 'second', url: '/a/:id?', version: 'v2' }],
    shown: {
      v1: { 'GET /a/{id}': 'open', 'GET /a': 'open' },
      v2: { 'GET /a/{id}': 'second', 'GET /a': 'second' }
    },
    answers: { '/a/7': 'second', '/a': 'second' }
  },
  {
    what: 'an optional parameter, and another path without it',
    versioning: header,
    routes: [{ id: 'one', url: '/a/:id' }, { id: 'none', url: '/a' }],
    shown: { v1: { 'GET /a/{id}': 'one', 'GET /a': 'none' }, v2: { 'GET /a/{id}': 'one', 'GET /a': 'none' } },
    answers: {}
  },
  {
    what: 'an optional version',
    versioning: { ...path, defaultVersion: 'v2' },
    routes: [{ id: 'a', url: '/a/:version?' }],
    shown: { v1: { 'GET /a/v1': 'a' }, v2: { 'GET /a/v2': 'a', 'GET /a': 'a' } },
    answers: { '/a': 'a', '/a/v2': 'a' }
  },
  {
    what: 'a hidden route next to one with a pattern',
    versioning: path,
    routes: [
      { id: 'hidden', url: '/:version/a', schema: { hide: true } },
      { id: 'pattern', url: '/:version(^v\\d$)/a' }
    ],
    shown: { v2: { 'GET /v2/a': 'pattern' } },
    answers: { '/v2/a': 'pattern' }
  },
  {
    what: 'a hidden route that takes each URL of another route',
    versioning: path,
    routes: [
      { id: 'hidden', url: '/v2/:id', versioning: false, schema: { hide: true } },
      { id: 'any', url: '/:version/:kind' }
    ],
    shown: { v1: { 'GET /v1/{kind}': 'any' }, v2: {} },
    answers: { '/v2/a': 'hidden' }
  },
  {
    what: 'a route of the host of the app with more constraints than the host',
    versioning: atHome,
    routes: [
      { id: 'any', url: '/a' },
      { id: 'more', url: '/a', constraints: { host: 'a.example.com', version: '1.0.0' } }
    ],
    shown: { v2: { 'GET /a': 'any' } },
    answers: {}
  },
  {
    what: 'hosts that specify a version',
    versioning: { scheme: HostNameVersioning, defaultVersion: 'v1' },
    routes: [
      { id: 'first', url: '/a', constraints: { host: 'v1.example.com' } },
      { id: 'second', url: '/b', constraints: { host: 'v2.example.com' } },
      { id: 'default', url: '/c', constraints: { host: 'internal.corp' } },
      { id: 'any', url: '/d' },
      { id: 'pattern', url: '/e', constraints: { host: /\.example\.com$/ } },
      { id: 'neutral', url: '/f', versioning: false, constraints: { host: 'v1.example.com' } }
    ],
    shown: {
      v1: { 'GET /a': 'first', 'GET /c': 'default', 'GET /d': 'any', 'GET /e': 'pattern', 'GET /f': 'neutral' },
      v2: { 'GET /b': 'second', 'GET /d': 'any', 'GET /e': 'pattern', 'GET /f': 'neutral' }
    },
    answers: {}
  },
  {
    what: 'a host that specifies a version, and another place that could',
    versioning: { scheme: [HostNameVersioning, QueryParameterVersioning] },
    routes: [
      { id: 'first', url: '/a', constraints: { host: 'v1.example.com' } },
      { id: 'both', url: '/b', constraints: { host: 'internal.corp' } }
    ],
    shown: { v1: { 'GET /a': 'first', 'GET /b': 'both' }, v2: { 'GET /b': 'both' } },
    answers: { }
  }
]

for (const { what, versioning, routes, shown, answers } of IN_BOTH_ORDERS) {
  for (const [order, declared] of [['', routes], [', the other way round', routes.toReversed()]] as const) {
    t.test(`documents show the routes that answer with ${what}${order}`, async (t) => {
      const app = await appOf(t, versioning, declared)
      for (const [version, expected] of Object.entries(shown)) t.same(shownIn(app, version), expected, version)
      for (const [url, id] of Object.entries(answers)) t.equal((await app.inject(url)).body, id, url)
    })
  }
}

const PATTERNS: { what: string, paths: string[], shown: Record<string, string>, url: string, answer: string }[] = [
  {
    what: 'the first one is tried first, the other way round',
    paths: ['/:version(^v\\d$)/a', '/:version(^v2$)/:id'],
    shown: { 'GET /v2/a': '/:version(^v\\d$)/a', 'GET /v2/{id}': '/:version(^v2$)/:id' },
    url: '/v2/a',
    answer: '/:version(^v\\d$)/a'
  },
  {
    what: 'the first one has another path',
    paths: ['/:version(^v\\d$)/b', '/:version(^v2$)/:id', '/:version(^v\\d$)/a'],
    shown: {
      'GET /v2/b': '/:version(^v\\d$)/b',
      'GET /v2/{id}': '/:version(^v2$)/:id',
      'GET /v2/a': '/:version(^v\\d$)/a'
    },
    url: '/v2/a',
    answer: '/:version(^v\\d$)/a'
  },
  {
    what: 'the one with text behind it is tried first',
    paths: ['/a/:version(^.*$)', '/a/:version(^v2$).json'],
    shown: { 'GET /a/v2': '/a/:version(^.*$)', 'GET /a/v2.json': '/a/:version(^v2$).json' },
    url: '/a/v2.json',
    answer: '/a/:version(^v2$).json'
  }
]

for (const { what, paths, shown, url, answer } of PATTERNS) {
  t.test(`documents show two patterns that take the same version if ${what}`, async (t) => {
    const app = await appOf(t, path, paths.map((one) => ({ id: one, url: one })))
    t.same(shownIn(app, 'v2'), shown)
    t.equal((await app.inject(url)).body, answer)
  })
}

t.test('a document knows that paths take the same URLs where the router ignores the case', async (t) => {
  const app = await documented(t, path, (app) => {
    app.get('/:version/A', { schema: { summary: 'any' } }, async () => 'any')
    app.get('/V2/a', { versioning: false, schema: { summary: 'second' } }, async () => 'second')
  }, { ui: false }, { routerOptions: { caseSensitive: false } })
  t.same(shownIn(app, 'v2'), { 'GET /V2/a': 'second' })
  t.equal((await app.inject('/v2/A')).body, 'second')
})

t.test('the path without an optional parameter does not describe it', async (t) => {
  const params = { type: 'object', properties: { id: { type: 'integer' } } }
  const app = await appOf(t, header, [{ id: 'a', url: '/a/:id?', schema: { params, operationId: 'getA' } }])
  const [whole, short] = Object.values(documentOf(app, 'v2').paths).map(({ get }) => get)
  t.strictSame(whole.parameters?.map(({ name, schema: { type } }) => [name, type]).toSorted(), [
    ['API-Version', 'string'], ['id', 'integer']
  ])
  t.strictSame(short.parameters?.map(({ name }) => name), ['API-Version'])
  t.strictSame([whole.operationId, short.operationId], ['getA', 'getA-without-id'])
})

const HEADS: { what: string, versioning: VersioningOptions, routes: (app: FastifyInstance) => void }[] = [
  {
    what: 'with a version',
    versioning: header,
    routes (app) {
      app.head('/a', { version: ['v1', 'v2'], schema: { summary: 'own' } }, async () => '')
      app.get('/a', { version: 'v2', schema: { summary: 'get' } }, async () => '')
    }
  },
  {
    what: 'with a range, next to a GET that lists the version',
    versioning: header,
    routes (app) {
      app.head('/a', { version: { from: 'v1' }, schema: { summary: 'own' } }, async () => '')
      app.get('/a', { version: 'v2', schema: { summary: 'get' } }, async () => '')
    }
  },
  {
    what: 'at one of the paths of a GET',
    versioning: { ...header, defaultVersion: 'v2' },
    routes (app) {
      app.head('/a', { schema: { summary: 'own' } }, async () => '')
      app.get('/a/:id?', { schema: { summary: 'get' } }, async () => '')
    }
  }
]

for (const { what, versioning, routes } of HEADS) {
  t.test(`an explicit HEAD route is shown instead of an added one ${what}`, async (t) => {
    const app = await documented(t, versioning, routes, { ui: false, exposeHeadRoutes: true })
    t.match(documentOf(app, 'v2').paths['/a'], { get: { summary: 'get' }, head: { summary: 'own' } })
  })
}

const SERVERS: { host: string | RegExp, server: string | undefined }[] = [
  { host: 'internal.corp', server: '//internal.corp' },
  { host: 'v2.example.com', server: '//v2.example.com' },
  { host: /^v2\./, server: 'https://v2.example.com' }
]

for (const { host, server } of SERVERS) {
  t.test(`an operation of the host ${host} has the server ${server}`, async (t) => {
    const versioning = { scheme: HostNameVersioning, defaultVersion: 'v2', baseUrl: 'https://v1.example.com' }
    const app = await appOf(t, versioning, [{ id: 'a', url: '/a', constraints: { host } }, { id: 'b', url: '/b' }])
    const { paths, servers } = documentOf(app, 'v2')
    t.equal((paths['/a'].get.servers ?? servers)?.[0].url, server)
    t.equal((paths['/b'].get.servers ?? servers)?.[0].url, 'https://v2.example.com')
  })
}

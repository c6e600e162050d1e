import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'
import { documentOf, documented, ok, operationsOf, shownIn } from './app.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { RouteVersions, VersioningOptions, VersioningSource } from '../../types/index.d.ts'
import type { Operation } from './app.ts'

/** It compiles a schema once for each version of OpenAPI. */
const validator = new Validator()

type Declared = Partial<Pick<RouteOptions, 'constraints' | 'schema' | 'version' | 'versioning'>>
/** Routes by their ids. */
type Routes = Record<string, string | [url: string, options: Declared]>

const path = { scheme: URLPathVersioning }
const header = { scheme: HeaderVersioning }
const host = { scheme: HostNameVersioning, defaultVersion: 'v1' }
const at = (host: string | RegExp) => ({ constraints: { host } })
const hide = { schema: { hide: true } as object }

interface Case {
  what: string
  versioning: VersioningOptions
  routes: Routes
  /** By the version of the document. */
  shown: Record<string, Record<string, string>>
  /** Which route answers which URL, without a version but for the path. */
  answers?: Record<string, string>
}

const CASES: Case[] = [
  {
    what: 'claims, and an open route',
    versioning: header,
    routes: {
      a: ['/a', { version: 'v1' }],
      b: ['/b', { version: ['v1', 'v2'] }],
      c: ['/c', { version: { from: 'v2' } }],
      open: '/d',
      second: ['/d', { version: 'v2' }],
      health: ['/health', { versioning: false }]
    },
    shown: {
      v1: { 'GET /a': 'a', 'GET /b': 'b', 'GET /d': 'open', 'GET /health': 'health' },
      v2: { 'GET /b': 'b', 'GET /c': 'c', 'GET /d': 'second', 'GET /health': 'health' }
    }
  },
  {
    what: 'claims in the path',
    versioning: path,
    routes: {
      first: ['/:version/a', { version: 'v1' }],
      later: ['/:version/a', { version: { from: 'v2' } }],
      rates: ['/:version/rates/:id?', { version: 'v2' }],
      extras: '/:version(^v[12]$)/extras'
    },
    shown: {
      v1: { 'GET /v1/a': 'first', 'GET /v1/extras': 'extras' },
      v2: { 'GET /v2/a': 'later', 'GET /v2/rates/{id}': 'rates', 'GET /v2/rates': 'rates', 'GET /v2/extras': 'extras' }
    },
    answers: { '/v1/a': 'first', '/v2/a': 'later', '/v2/rates': 'rates' }
  },
  {
    what: 'a path without the version, which has the default one',
    versioning: { ...path, defaultVersion: 'v1' },
    routes: { a: '/:version/a', c: '/c', colon: '/:version/a::b', pattern: '/:version/x/:id(^x{9}$)' },
    shown: {
      v1: { 'GET /v1/a': 'a', 'GET /c': 'c', 'GET /v1/a:b': 'colon', 'GET /v1/x/{id}': 'pattern' },
      v2: { 'GET /v2/a': 'a', 'GET /v2/a:b': 'colon', 'GET /v2/x/{id}': 'pattern' }
    }
  },
  {
    what: 'an optional version',
    versioning: { ...path, defaultVersion: 'v2' },
    routes: { a: '/a/:version?' },
    shown: { v1: { 'GET /a/v1': 'a' }, v2: { 'GET /a/v2': 'a', 'GET /a': 'a' } },
    answers: { '/a': 'a', '/a/v2': 'a' }
  },
  {
    what: 'a version that is written out in another path',
    versioning: path,
    routes: { kind: '/:version/:kind', sample: '/:version/sample', other: ['/v2/:other', { versioning: false }] },
    shown: {
      v1: { 'GET /v1/{kind}': 'kind', 'GET /v1/sample': 'sample', 'GET /v2/{other}': 'other' },
      v2: { 'GET /v2/{other}': 'other', 'GET /v2/sample': 'sample' }
    },
    answers: { '/v2/a': 'other', '/v1/a': 'kind', '/v1/sample': 'sample' }
  },
  {
    what: 'text, patterns, parameters and wildcards',
    versioning: path,
    routes: { all: '/:version/*', id: '/:version/:id', number: ['/v2/:number(^\\d+$)', { versioning: false }] },
    shown: { v2: { 'GET /v2/{*}': 'all', 'GET /v2/{id}': 'id', 'GET /v2/{number}': 'number' } },
    answers: { '/v2/a/b': 'all', '/v2/a': 'id', '/v2/7': 'number' }
  },
  {
    what: 'the same pattern at a URL of one version',
    versioning: path,
    routes: { any: '/:version/a/:id(^\\d+$)', second: ['/v2/a/:number(^\\d+$)', { versioning: false }] },
    shown: { v2: { 'GET /v2/a/{number}': 'second' } },
    answers: { '/v2/a/7': 'second' }
  },
  {
    what: 'the version with a pattern, next to a hidden route',
    versioning: path,
    routes: { hidden: ['/:version/a', hide], pattern: '/:version(^v(\\d)$)/a' },
    shown: { v2: { 'GET /v2/a': 'pattern' } },
    answers: { '/v2/a': 'pattern' }
  },
  {
    what: 'a hidden route that takes each URL of another route',
    versioning: path,
    routes: { hidden: ['/v2/:id', { versioning: false, ...hide }], any: '/:version/:kind' },
    shown: { v1: { 'GET /v1/{kind}': 'any' }, v2: {} },
    answers: { '/v2/a': 'hidden' }
  },
  {
    what: 'an optional parameter, and a version of both of its paths',
    versioning: { ...header, defaultVersion: 'v2' },
    routes: { open: '/a/:id?', second: ['/a/:id?', { version: 'v2' }], one: '/b/:id', none: '/b' },
    shown: {
      v1: { 'GET /a/{id}': 'open', 'GET /a': 'open', 'GET /b/{id}': 'one', 'GET /b': 'none' },
      v2: { 'GET /a/{id}': 'second', 'GET /a': 'second', 'GET /b/{id}': 'one', 'GET /b': 'none' }
    },
    answers: { '/a/7': 'second', '/a': 'second' }
  },
  {
    what: 'more and fewer constraints',
    versioning: header,
    routes: {
      any: '/a',
      host: ['/a', at('a.example.com')],
      more: ['/b', { constraints: { host: 'a.example.com', version: '1.0.0' } }],
      fewer: ['/b', at('a.example.com')]
    },
    shown: { v2: { 'GET /a': 'any', 'GET /b': 'fewer' } }
  },
  {
    what: 'a claim of one host, and an open route of another one',
    versioning: header,
    routes: {
      claim: ['/a', { version: 'v1', ...at('a.example.com') }],
      open: ['/a', at('b.example.com')]
    },
    shown: { v1: { 'GET /a': 'claim' }, v2: { 'GET /a': 'open' } }
  },
  {
    what: 'hosts that specify a version',
    versioning: host,
    routes: {
      first: ['/a', at('v1.example.com')],
      second: ['/b', at('v2.example.com')],
      default: ['/c', at('internal.corp')],
      pattern: ['/e', at(/\.example\.com$/)],
      neutral: ['/f', { versioning: false, ...at('v1.example.com') }]
    },
    shown: {
      v1: { 'GET /a': 'first', 'GET /c': 'default', 'GET /e': 'pattern', 'GET /f': 'neutral' },
      v2: { 'GET /b': 'second', 'GET /e': 'pattern', 'GET /f': 'neutral' }
    }
  },
  {
    what: 'a host that specifies a version, and another place that could',
    versioning: { scheme: [HostNameVersioning, QueryParameterVersioning] },
    routes: { first: ['/a', at('v1.example.com')], both: ['/b', at('internal.corp')] },
    shown: { v1: { 'GET /a': 'first', 'GET /b': 'both' }, v2: { 'GET /b': 'both' } }
  },
  {
    what: 'a scheme of its own',
    versioning: header,
    routes: { a: ['/a', { versioning: new AcceptHeaderVersioning({ allowedVersions: ['v2', 'v3'] }) }] },
    shown: { v1: {}, v2: { 'GET /a': 'a' } }
  }
]

function appOf (t: Test, versioning: VersioningOptions, routes: [id: string, Routes[string]][]) {
  return documented(t, versioning, (app) => {
    for (const [id, route] of routes) {
      const [url, options] = typeof route === 'string' ? [route, {}] : route
      app.get(url, { ...options, schema: { summary: id, ...options.schema } }, async () => id)
    }
  }, { ui: false })
}

for (const { what, versioning, routes, shown, answers = {} } of CASES) {
  t.test(`documents show the routes that answer, in any order, with ${what}`, async (t) => {
    const declared = Object.entries(routes)
    for (const all of [declared, declared.toReversed()]) {
      const app = await appOf(t, versioning, all)
      for (const [version, expected] of Object.entries(shown)) t.same(shownIn(app, version), expected, version)
      for (const [url, id] of Object.entries(answers)) t.equal((await app.inject(url)).body, id, url)
    }
  })
}

t.test('of routes that a document cannot tell apart, it shows the first', async (t) => {
  const app = await appOf(t, header, [['first', ['/b', at('b.example.com')]], ['second', ['/b', at('a.example.com')]]])
  t.same(shownIn(app, 'v1'), { 'GET /b': 'first' })
})

t.test('a document shows the methods of a route that no other route takes', async (t) => {
  const app = await documented(t, header, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/a', schema: { summary: 'open' }, handler: ok })
    app.get('/a', { version: 'v2', schema: { summary: 'second' } }, ok)
  })
  t.same(shownIn(app, 'v2'), { 'GET /a': 'second', 'POST /a': 'open' })
})

t.test('a document of namespaces has the routes of its version, or of the default one', async (t) => {
  const app = await documented(t, { scheme: NamespaceVersioning, defaultVersion: 'v2' }, (app) => {
    for (const name of ['v1', 'v2', 'other']) {
      app.register(async (api) => { api.get('/a', ok) }, { prefix: `/${name}`, namespace: name })
    }
    app.register(async (admin) => {
      admin.register(async (api) => { api.get('/a', ok) }, { prefix: '/v2', namespace: 'v2' })
    }, { prefix: '/admin', namespace: 'admin' })
    app.get('/outside', ok)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /v1/a'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /outside', 'GET /v2/a', 'GET /admin/v2/a'])
})

t.test('routes of child contexts are in the documents of their own versions', async (t) => {
  const app = await documented(t, header, (app) => {
    app.register(async (api) => {
      await api.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v2', 'v3'] })
      api.get('/b', ok)
    })
    app.register(async (api) => { api.get('/', { version: 'v1' }, ok) }, { prefix: '/root' })
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /root/'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /b'])
})

t.test('a document of a list has the path with the version, and the header elsewhere', async (t) => {
  const app = await documented(t, { scheme: [URLPathVersioning, HeaderVersioning] }, (app) => {
    app.get('/:version/a', { version: 'v1' }, ok)
    app.get('/a', { version: 'v1' }, ok)
  })
  const { paths } = documentOf(app, 'v1')
  t.strictSame(Object.entries(paths).map(([path, { get }]) => [path, get.parameters?.[0].name]),
    [['/v1/a', undefined], ['/a', 'API-Version']])
})

t.test('a route that also serves requests without a version does not require one', async (t) => {
  const app = await documented(t, { ...header, allowedVersions: [null, 'v1', 'v2'] }, (app) => {
    app.get('/a', { version: ['v1', null] }, ok)
    app.get('/a', { version: 'v2' }, ok)
    app.get('/old', { version: [null] }, ok)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a'])
  const required = ['v1', 'v2'].map((version) => documentOf(app, version).paths['/a'].get.parameters?.[0].required)
  t.strictSame(required, [false, true])
})

t.test('a version is escaped in a documented path', async (t) => {
  const app = await documented(t, { ...path, allowedVersions: ['(a b)*'] }, (app) => {
    app.get('/:version/a', async (request) => request.version)
  })
  t.strictSame(operationsOf(app, '(a b)*'), ['GET /%28a%20b%29%2A/a'])
  t.equal((await app.inject('/%28a%20b%29%2A/a')).body, '(a b)*')
})

t.test('paths that the router takes for one are one in a document', async (t) => {
  const app = await documented(t, path, (app) => {
    app.get('/:version/A', { schema: { summary: 'any' } }, ok)
    app.get('/V2/a', { versioning: false, schema: { summary: 'second' } }, ok)
  }, { ui: false }, { routerOptions: { caseSensitive: false } })
  t.same(shownIn(app, 'v2'), { 'GET /V2/a': 'second' })
})

t.test('the path without an optional parameter does not describe it, and has an id of its own', async (t) => {
  const params = { type: 'object', properties: { id: { type: 'integer' } } }
  const app = await documented(t, header, (app) => app.get('/a/:id?', { schema: { params, operationId: 'getA' } }, ok))
  const operations = Object.values(documentOf(app, 'v2').paths).map(({ get }) => get)
  t.strictSame(operations.map(({ operationId, parameters }) => [operationId, parameters?.map(({ name }) => name)]),
    [['getA', ['id', 'API-Version']], ['getA-without-id', ['API-Version']]])
})

const HEADS: [string, VersioningOptions, (app: FastifyInstance) => void][] = [
  ['with a version', header, (app) => {
    app.head('/a', { version: ['v1', 'v2'], schema: { summary: 'own' } }, ok)
    app.get('/a', { version: 'v2', schema: { summary: 'get' } }, ok)
  }],
  ['with a range', header, (app) => {
    app.head('/a', { version: { from: 'v1' }, schema: { summary: 'own' } }, ok)
    app.get('/a', { version: 'v2', schema: { summary: 'get' } }, ok)
  }],
  ['at one of the paths of a GET', { ...header, defaultVersion: 'v2' }, (app) => {
    app.head('/a', { schema: { summary: 'own' } }, ok)
    app.get('/a/:id?', { schema: { summary: 'get' } }, ok)
  }]
]

for (const [what, versioning, routes] of HEADS) {
  t.test(`the app's own HEAD route goes before an added one ${what}`, async (t) => {
    const app = await documented(t, versioning, routes, { ui: false, exposeHeadRoutes: true })
    t.match(documentOf(app, 'v2').paths['/a'], { get: { summary: 'get' }, head: { summary: 'own' } })
  })
}

for (const by of ['options', 'a route']) {
  t.test(`the HEAD of a claim goes before an open one, exposed by ${by}`, async (t) => {
    const isInOptions = by === 'options'
    const config = isInOptions ? {} : { swagger: { exposeHeadRoute: true } }
    const answer = (summary: string) => async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-route', summary)
    }
    const app = await documented(t, header, (app) => {
      for (const url of ['/a', '/b']) app.head(url, { config, schema: { summary: 'head' } }, answer('head'))
      app.get('/a', { version: 'v1', schema: { summary: 'get' } }, answer('get'))
      app.get('/b', { schema: { summary: 'get' } }, answer('get'))
    }, { ui: false, exposeHeadRoutes: isInOptions })
    for (const [version, url, expected] of [
      ['v1', '/a', 'get'], ['v2', '/a', 'head'], ['v1', '/b', 'head'], ['v2', '/b', 'head']
    ]) {
      const { headers } = await app.inject({ method: 'HEAD', url, headers: { 'api-version': version } })
      t.equal(headers['x-route'], expected)
      const isShown = isInOptions || expected === 'head'
      t.equal(shownIn(app, version)[`HEAD ${url}`], isShown ? expected : undefined)
    }
  })
}

t.test('HEAD is shown where the options or a route say so', async (t) => {
  const exposed = { swagger: { exposeHeadRoute: true } }
  const routes = (app: FastifyInstance) => app.get('/a', ok).get('/b', { config: exposed }, ok)
  t.strictSame(operationsOf(await documented(t, header, routes), 'v1'), ['GET /a', 'GET /b', 'HEAD /b'])
  const document = (version: string) => version === 'v1' ? { exposeHeadRoutes: true } : {}
  const app = await documented(t, header, routes, { document })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a', 'HEAD /a', 'GET /b', 'HEAD /b'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /a', 'GET /b', 'HEAD /b'])
})

const SERVERS: [string | RegExp, string][] = [
  ['internal.corp', '//internal.corp'], ['v2.example.com', '//v2.example.com'], [/^v2\./, 'https://v2.example.com']
]

for (const [host, server] of SERVERS) {
  t.test(`an operation of the host ${host} has the server ${server}`, async (t) => {
    const versioning = { scheme: HostNameVersioning, defaultVersion: 'v2', baseUrl: 'https://v1.example.com' }
    const app = await appOf(t, versioning, [['a', ['/a', at(host)]], ['b', '/b']])
    const { paths, servers } = documentOf(app, 'v2')
    const urls = [paths['/a'], paths['/b']].map(({ get }) => (get.servers ?? servers)?.[0].url)
    t.strictSame(urls, [server, 'https://v2.example.com'])
  })
}

t.test('an operation has Fastify\'s constraint of a version as a parameter', async (t) => {
  const app = await appOf(t, header, [['a', ['/a', { constraints: { version: '1.2.0' } }]]])
  t.match(documentOf(app, 'v1').paths['/a'].get.parameters,
    [{ name: 'Accept-Version', schema: { enum: ['1.2.0'] }, required: true }, { name: 'API-Version' }])
})

for (const [version, expected] of [
  ['3.0.3', ['get']], ['3.2.0', ['get', 'query', 'additionalOperations']]
] as const) {
  t.test(`a document of OpenAPI ${version} has the methods ${expected.join(', ')}, and is valid`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
    app.addHttpMethod('PROPFIND')
    // Fastify 6 has it.
    if (!app.supportedMethods.includes('QUERY')) app.addHttpMethod('QUERY', { hasBody: true })
    await app.register(openapi, { ui: false, openapi: { openapi: version } })
    app.get('*', ok)
    app.all('/all', ok)
    app.route({ method: ['GET', 'QUERY', 'PROPFIND'], url: '/some', handler: ok })
    await app.ready()
    const { paths } = documentOf(app, 'v1')
    t.strictSame(Object.keys(paths['/some']), expected)
    t.ok(paths['/{*}'])
    t.notOk(JSON.stringify(paths).includes('x-fastify-versioning'))
    const described = { parameters: [{ name: 'version' }], responses: { 404: { $ref: String } } }
    const { get, additionalOperations = {} } = paths['/some']
    for (const one of [get, ...Object.values(additionalOperations)]) t.match(one, described)
    if (version === '3.0.3') t.match(await validator.validate({ ...app.openapi('v1') }), { valid: true })
  })
}

const VERSIONS = ['v1', 'v2', 'v3']

/** By name, so that a counterexample can be read. */
const SCHEMES: Record<string, VersioningSource | VersioningSource[]> = {
  accept: AcceptHeaderVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  query: QueryParameterVersioning,
  headerOrQuery: [HeaderVersioning, QueryParameterVersioning],
  contentTypeOrAccept: [ContentTypeVersioning, AcceptHeaderVersioning],
  path: URLPathVersioning,
  namespace: NamespaceVersioning,
  pathOrHeader: [URLPathVersioning, HeaderVersioning],
  namespaceOrQuery: [NamespaceVersioning, QueryParameterVersioning]
}
const CHOOSING = ['accept', 'header', 'host', 'query', 'headerOrQuery', 'contentTypeOrAccept']
const ROUTED = ['path', 'namespace', 'pathOrHeader', 'namespaceOrQuery']

const VENDOR = ['application/vnd.acme.{version}+json']
type Claim = RouteVersions | undefined
const CLAIMS: Claim[] = [undefined, undefined, 'v1', 'v2', ['v1', 'v3'], { from: 'v2' }, { to: 'v2' }]

/** A context of one of the schemes. */
function contextsOf (
  schemes: string[], namespaces: (string | undefined)[], mediaTypes: (string[] | undefined)[], paths: string[],
  claims: Claim[]
) {
  const method = fc.constantFrom('GET' as const, 'POST' as const, 'DELETE' as const)
  const route = fc.record({ path: fc.constantFrom(...paths), method, version: fc.constantFrom(...claims) })
  return fc.record({
    scheme: fc.constantFrom(...schemes),
    namespace: fc.constantFrom(...namespaces),
    mediaTypes: fc.constantFrom(...mediaTypes),
    defaultVersion: fc.constantFrom(null, 'v1', 'v3'),
    routes: fc.array(route, { minLength: 1, maxLength: 6 })
  })
}

const chosen = contextsOf(CHOOSING, [undefined],
  [undefined, ['application/json'], VENDOR, ['application/hal+json', 'application/json']],
  ['/a', '/a', '/a', '/b/:id', '/b/:id/:kind(^[a-z0-9]+$)', '/c/*', '/d/:id?'], CLAIMS)
const routed = contextsOf(ROUTED, [undefined, 'v1', 'v2', 'other'], [undefined],
  ['/:version/a', '/:version/e/:id', '/a', '/:version/:id', '/:version/b/:id?'], [undefined])
const apps = fc.array(fc.oneof(chosen, routed), { minLength: 1, maxLength: 3 })
type Contexts = typeof apps extends fc.Arbitrary<infer Value> ? Value : never

/** The app; null where its routes contradict one another. */
async function build (contexts: Contexts, version: '3.0.3' | '3.1.0'): Promise<FastifyInstance | null> {
  const app = Fastify()
  app.addContentTypeParser(/^application\/[\w.]+\+json/, { parseAs: 'string' }, async () => ({}))
  await app.register(versioning, { allowedVersions: VERSIONS, baseUrl: 'http://v9.example.com' })
  await app.register(openapi, { openapi: { openapi: version }, ui: false })
  for (const [i, { scheme, namespace, mediaTypes, defaultVersion, routes }] of contexts.entries()) {
    app.register(async (api) => {
      await api.register(versioning, { scheme: SCHEMES[scheme], defaultVersion, ...mediaTypes ? { mediaTypes } : {} })
      for (const [j, { path, method, version }] of routes.entries()) {
        const operationId = `c${i}r${j}`
        api.route({
          method,
          url: path,
          schema: { operationId, summary: operationId },
          ...version === undefined ? {} : { version },
          handler: async (request) => ({ id: operationId, version: request.version })
        })
      }
    }, { prefix: `/c${i}`, ...namespace === undefined ? {} : { namespace } })
  }
  try {
    await app.ready()
    return app
  } catch (error) {
    const { code } = error as { code: string }
    if (code === 'FST_ERR_VERSIONING_OPTION' || code === 'FST_ERR_DUPLICATED_ROUTE') return null
    throw error
  }
}

/** A request as a document says it. */
function toRequest (path: string, method: string, operation: Operation, servers: { url: string }[] | undefined) {
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  let url = path
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    const value = schema.enum?.[0] ?? ['7', 'v1'].find((one) => new RegExp(schema.pattern ?? '').test(one)) as string
    if (place === 'path') url = url.replace(`{${name}}`, value)
    if (place === 'query') query.set(name, value)
    if (place === 'header') headers[name] = value
  }
  const types = Object.entries(operation.responses).flatMap(([status, { content }]) => (
    status.startsWith('2') ? Object.keys(content ?? {}) : []
  ))
  if (types.length > 0) headers.accept = types[0]
  const body = Object.keys(operation.requestBody?.content ?? {})
  if (body.length > 0) headers['content-type'] = body[0]
  const server = (operation.servers ?? servers)?.[0]?.url
  if (server !== undefined) headers.host = new URL(server, 'http://localhost').host
  const request: InjectOptions = { method: method.toUpperCase() as 'GET', url: `${url}?${query}`, headers }
  return body.length > 0 ? { ...request, payload: '{}' } : request
}

/** Requests that specify a version everywhere they can, whatever a document says. */
function asking (
  version: string, { path, method }: Contexts[number]['routes'][number], prefix: string
): InjectOptions[] {
  const url = prefix + path.replace(/:version(?:\([^)]*\))?/, version).replace(/:\w+(?:\([^)]*\))?\??|\*/g, '7')
  const places: { headers?: Record<string, string>, query?: Record<string, string> }[] = [
    {}, { headers: { accept: `application/json; version=${version}` } },
    { headers: { accept: `application/hal+json; version=${version}` } },
    { headers: { accept: `application/vnd.acme.${version}+json` } },
    { headers: { 'api-version': version } }, { headers: { host: `${version}.example.com` } }, { query: { version } }
  ]
  return places.map((place) => ({ method, url, ...place }))
}

async function check (contexts: Contexts, openapiVersion: '3.0.3' | '3.1.0'): Promise<void> {
  const app = await build(contexts, openapiVersion)
  if (app === null) return
  try {
    for (const version of VERSIONS) {
      const { paths, servers } = documentOf(app, version)
      const shown = new Set<string>()
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(operations)) {
          shown.add(operation.summary as string)
          const request = toRequest(path, method, operation, servers)
          const response = await app.inject(request)
          const answer = response.json()
          const isNeutral = answer.version === null
          const why = `${version}: ${JSON.stringify(request)} answers ${response.body}, not ${operation.summary}`
          if (answer.id !== operation.summary || (!isNeutral && answer.version !== version)) throw new Error(why)
        }
      }
      for (const [i, { routes }] of contexts.entries()) {
        for (const route of routes) {
          for (const request of asking(version, route, `/c${i}`)) {
            const answer = (await app.inject(request)).json()
            if (answer.version !== version || shown.has(answer.id)) continue
            throw new Error(`${version}: ${JSON.stringify(request)} answers ${answer.id}, which is not in the document`)
          }
        }
      }
      const { valid, errors } = await validator.validate(structuredClone(documentOf(app, version)) as never)
      if (!valid) throw new Error(JSON.stringify(errors))
    }
  } finally {
    await app.close()
  }
}

t.test('documents describe everything that is served, and nothing else', async () => {
  await fc.assert(fc.asyncProperty(apps, fc.constantFrom('3.0.3' as const, '3.1.0' as const), check), {
    numRuns: tries(40)
  })
})

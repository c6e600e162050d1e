import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { PLACES, VENDOR, documentOf, documented, header, ok, operationsOf, path, shownIn } from './app.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { RouteVersions, VersioningOptions, VersioningSource } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'
import type { Operation } from './app.ts'

/** It compiles a schema once for each version of OpenAPI. */
const validator = new Validator()

type Declared = Partial<Pick<RouteOptions, 'constraints' | 'schema' | 'version' | 'versioning'>>
/** Routes by their ids. */
type Routes = Record<string, string | [url: string, options: Declared]>

const at = (host: string | RegExp) => ({ constraints: { host } })
const hide = { schema: { hide: true } as object }

/** What the documents of versions show, and which route answers a URL without a version but for the path. */
type Case = [
  what: string, versioning: VersioningOptions, routes: Routes, shown: Record<string, Record<string, string>>,
  answers?: Record<string, string>
]

const CASES: Case[] = [
  ['claims, and an open route', header,
    {
      a: ['/a', { version: 'v1' }],
      b: ['/b', { version: ['v1', 'v2'] }],
      c: ['/c', { version: { from: 'v2' } }],
      open: '/d',
      second: ['/d', { version: 'v2' }],
      health: ['/health', { versioning: false }]
    }, {
      v1: { 'GET /a': 'a', 'GET /b': 'b', 'GET /d': 'open', 'GET /health': 'health' },
      v2: { 'GET /b': 'b', 'GET /c': 'c', 'GET /d': 'second', 'GET /health': 'health' }
    }],
  ['claims in the path', path,
    {
      first: ['/:version/a', { version: 'v1' }],
      later: ['/:version/a', { version: { from: 'v2' } }],
      rates: ['/:version/rates/:id?', { version: 'v2' }],
      extras: '/:version(^v[12]$)/extras'
    }, {
      v1: { 'GET /v1/a': 'first', 'GET /v1/extras': 'extras' },
      v2: { 'GET /v2/a': 'later', 'GET /v2/rates/{id}': 'rates', 'GET /v2/rates': 'rates', 'GET /v2/extras': 'extras' }
    }, { '/v1/a': 'first', '/v2/a': 'later', '/v2/rates': 'rates' }],
  ['a path without the version, which has the default one', { ...path, defaultVersion: 'v1' },
    { a: '/:version/a', c: '/c', colon: '/:version/a::b', pattern: '/:version/x/:id(^x{9}$)' }, {
      v1: { 'GET /v1/a': 'a', 'GET /c': 'c', 'GET /v1/a:b': 'colon', 'GET /v1/x/{id}': 'pattern' },
      v2: { 'GET /v2/a': 'a', 'GET /v2/a:b': 'colon', 'GET /v2/x/{id}': 'pattern' }
    }],
  ['an optional version', { ...path, defaultVersion: 'v2' }, { a: '/a/:version?' },
    { v1: { 'GET /a/v1': 'a' }, v2: { 'GET /a/v2': 'a', 'GET /a': 'a' } }, { '/a': 'a', '/a/v2': 'a' }],
  ['a version that is escaped', { ...path, allowedVersions: ['(a b)*'] }, { a: '/:version/a' },
    { '(a b)*': { 'GET /%28a%20b%29%2A/a': 'a' } }, { '/%28a%20b%29%2A/a': 'a' }],
  ['a version that is written out in another path', path,
    { kind: '/:version/:kind', sample: '/:version/sample', other: ['/v2/:other', { versioning: false }] }, {
      v1: { 'GET /v1/{kind}': 'kind', 'GET /v1/sample': 'sample', 'GET /v2/{other}': 'other' },
      v2: { 'GET /v2/{other}': 'other', 'GET /v2/sample': 'sample' }
    }, { '/v2/a': 'other', '/v1/a': 'kind', '/v1/sample': 'sample' }],
  ['text, patterns, parameters and wildcards', path,
    { all: '/:version/*', id: '/:version/:id', number: ['/v2/:number(^\\d+$)', { versioning: false }] },
    { v2: { 'GET /v2/{*}': 'all', 'GET /v2/{id}': 'id', 'GET /v2/{number}': 'number' } },
    { '/v2/a/b': 'all', '/v2/a': 'id', '/v2/7': 'number' }],
  ['the same pattern at a URL of one version', path,
    { any: '/:version/a/:id(^\\d+$)', second: ['/v2/a/:number(^\\d+$)', { versioning: false }] },
    { v2: { 'GET /v2/a/{number}': 'second' } }, { '/v2/a/7': 'second' }],
  ['the version with a pattern, next to a hidden route', path,
    { hidden: ['/:version/a', hide], pattern: '/:version(^v(\\d)$)/a' },
    { v2: { 'GET /v2/a': 'pattern' } }, { '/v2/a': 'pattern' }],
  ['a hidden route that takes each URL of another route', path,
    { hidden: ['/v2/:id', { versioning: false, ...hide }], any: '/:version/:kind' },
    { v1: { 'GET /v1/{kind}': 'any' }, v2: {} }, { '/v2/a': 'hidden' }],
  ['an optional parameter, and a version of both of its paths', { ...header, defaultVersion: 'v2' },
    { open: '/a/:id?', second: ['/a/:id?', { version: 'v2' }], one: '/b/:id', none: '/b' }, {
      v1: { 'GET /a/{id}': 'open', 'GET /a': 'open', 'GET /b/{id}': 'one', 'GET /b': 'none' },
      v2: { 'GET /a/{id}': 'second', 'GET /a': 'second', 'GET /b/{id}': 'one', 'GET /b': 'none' }
    }, { '/a/7': 'second', '/a': 'second' }],
  ['more and fewer constraints', header,
    {
      any: '/a',
      host: ['/a', at('a.example.com')],
      more: ['/b', { constraints: { host: 'a.example.com', version: '1.0.0' } }],
      fewer: ['/b', at('a.example.com')]
    }, { v2: { 'GET /a': 'any', 'GET /b': 'fewer' } }],
  ['a claim of one host, and an open route of another one', header,
    { claim: ['/a', { version: 'v1', ...at('a.example.com') }], open: ['/a', at('b.example.com')] },
    { v1: { 'GET /a': 'claim' }, v2: { 'GET /a': 'open' } }],
  ['hosts that specify a version', { scheme: HostNameVersioning, defaultVersion: 'v1' },
    {
      first: ['/a', at('v1.example.com')],
      second: ['/b', at('v2.example.com')],
      default: ['/c', at('internal.corp')],
      pattern: ['/e', at(/\.example\.com$/)],
      neutral: ['/f', { versioning: false, ...at('v1.example.com') }]
    }, {
      v1: { 'GET /a': 'first', 'GET /c': 'default', 'GET /e': 'pattern', 'GET /f': 'neutral' },
      v2: { 'GET /b': 'second', 'GET /e': 'pattern', 'GET /f': 'neutral' }
    }],
  ['a host that specifies a version, and another place that could',
    { scheme: [HostNameVersioning, QueryParameterVersioning] },
    { first: ['/a', at('v1.example.com')], both: ['/b', at('internal.corp')] },
    { v1: { 'GET /a': 'first', 'GET /b': 'both' }, v2: { 'GET /b': 'both' } }],
  ['a scheme of its own', header,
    { a: ['/a', { versioning: new AcceptHeaderVersioning({ allowedVersions: ['v2', 'v3'] }) }] },
    { v1: {}, v2: { 'GET /a': 'a' } }]
]

function appOf (t: Test, versioning: VersioningOptions, routes: [id: string, Routes[string]][]) {
  return documented(t, versioning, (app) => {
    for (const [id, route] of routes) {
      const [url, options] = typeof route === 'string' ? [route, {}] : route
      app.get(url, { ...options, schema: { summary: id, ...options.schema } }, async () => id)
    }
  }, { ui: false })
}

for (const [what, versioning, routes, shown, answers = {}] of CASES) {
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

t.test('a document of nested namespaces has the routes of its version', async (t) => {
  const app = await documented(t, { scheme: NamespaceVersioning }, (app) => {
    app.register(async (admin) => {
      admin.register(async (api) => { api.get('/a', ok) }, { prefix: '/v2', namespace: 'v2' })
    }, { prefix: '/admin', namespace: 'admin' })
  })
  t.strictSame([operationsOf(app, 'v1'), operationsOf(app, 'v2')], [[], ['GET /admin/v2/a']])
})

t.test('a route that also serves requests without a version does not require one, unless a change does', async (t) => {
  const routes = { b: { response: { 200: { downgrade: Object } } } }
  const changes = [{ version: 'v2', description: 'Other.', routes }]
  const app = await documented(t, { ...header, allowedVersions: [null, 'v1', 'v2'], changes }, (app) => {
    app.get('/a', { version: ['v1', null] }, ok)
    app.get('/a', { version: 'v2' }, ok)
    app.get('/b', { version: ['v1', 'v2', null], name: 'b', schema: { response: { 200: { type: 'string' } } } }, ok)
    app.get('/old', { version: [null] }, ok)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a', 'GET /b'])
  const required = ['/a', '/b'].map((url) => (
    ['v1', 'v2'].map((version) => documentOf(app, version).paths[url].get.parameters?.[0].required)
  ))
  t.strictSame(required, [[false, true], [true, false]])
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

t.test('each method of a route has an id of its own', async (t) => {
  const app = await documented(t, header, (app) => {
    const schema = { operationId: 'setA' } as object
    app.route({ method: ['HEAD', 'PUT', 'PATCH'], url: '/a/:id?', schema, handler: ok })
  }, { exposeHeadRoutes: true })
  const operations = Object.values(documentOf(app, 'v2').paths).flatMap((path) => Object.values(path))
  t.strictSame(operations.map(({ operationId }) => operationId), [
    'setA-head', 'setA', 'setA-patch', 'setA-head-without-id', 'setA-without-id', 'setA-patch-without-id'
  ])
})

t.test('a module that is registered with a prefix and without one has an id for each of its paths', async (t) => {
  const schemes = { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions: ['v1', 'v2'] }
  const app = await documented(t, schemes, (app) => {
    const schema = { operationId: 'get:a' } as object
    const bookings = async (api: FastifyInstance) => { api.get('/a', { schema }, ok) }
    app.register(bookings, { prefix: '/:version' })
    app.register(bookings)
  })
  const { paths } = documentOf(app, 'v2')
  t.strictSame(Object.entries(paths).map(([path, { get }]) => [path, get.operationId]), [
    ['/v2/a', 'get:a'], ['/a', 'get:a-2']
  ])
})

/** A HEAD route, a GET route, and which of them answers HEAD requests, by version. */
const HEADS: [what: string, versioning: VersioningOptions, head: Declared, get: [string, Declared], object][] = [
  ['with a version', header, { version: ['v1', 'v2'] }, ['/a', { version: 'v2' }], { v1: 'head', v2: 'head' }],
  ['with a range', header, { version: { from: 'v1' } }, ['/a', { version: 'v2' }], { v1: 'head', v2: 'head' }],
  ['without a version', header, {}, ['/a', {}], { v1: 'head', v2: 'head' }],
  ['at one of the paths of a GET', { ...header, defaultVersion: 'v2' }, {}, ['/a/:id?', {}], { v2: 'head' }],
  ['next to a claim', header, {}, ['/a', { version: 'v1' }], { v1: 'get', v2: 'head' }]
]

for (const [what, versioning, head, [url, get], answers] of HEADS) {
  for (const by of ['options', 'a route']) {
    t.test(`a document shows the HEAD route that answers ${what}, exposed by ${by}`, async (t) => {
      const isInOptions = by === 'options'
      const config = isInOptions ? {} : { swagger: { exposeHeadRoute: true } }
      const answer = (id: string) => async (_request: FastifyRequest, reply: FastifyReply) => {
        reply.header('x-route', id)
      }
      const app = await documented(t, versioning, (app) => {
        app.head('/a', { ...head, config, schema: { summary: 'head' } }, answer('head'))
        app.get(url, { ...get, schema: { summary: 'get' } }, answer('get'))
      }, { ui: false, exposeHeadRoutes: isInOptions })
      for (const [version, expected] of Object.entries(answers)) {
        const { headers } = await app.inject({ method: 'HEAD', url: '/a', headers: { 'api-version': version } })
        t.equal(headers['x-route'], expected)
        t.equal(shownIn(app, version)['HEAD /a'], isInOptions || expected === 'head' ? expected : undefined)
      }
    })
  }
}

t.test('HEAD is shown where the options or a route say so', async (t) => {
  const exposed = { swagger: { exposeHeadRoute: true } }
  const routes = (app: FastifyInstance) => app.get('/a', ok).get('/b', { config: exposed }, ok)
  const document = (version: string) => version === 'v1' ? { exposeHeadRoutes: true } : {}
  const app = await documented(t, header, routes, { document })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a', 'HEAD /a', 'GET /b', 'HEAD /b'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /a', 'GET /b', 'HEAD /b'])
})

t.test('HEAD is shown once at the root of a prefix, where GET is', async (t) => {
  const app = await documented(t, header, (app) => {
    app.register(async (api) => {
      api.get('/', { schema: { operationId: 'list' } as object }, ok)
      api.get('/a', ok)
    }, { prefix: '/api' })
  }, { exposeHeadRoutes: true })
  t.strictSame(operationsOf(app, 'v1'), ['GET /api/', 'HEAD /api/', 'GET /api/a', 'HEAD /api/a'])
})

t.test('an operation has Fastify\'s constraint of a version as a parameter', async (t) => {
  const app = await appOf(t, header, [['a', ['/a', { constraints: { version: '1.2.0' } }]]])
  t.match(documentOf(app, 'v1').paths['/a'].get.parameters,
    [{ name: 'Accept-Version', schema: { enum: ['1.2.0'] }, required: true }, { name: 'API-Version' }])
})

for (const [version, expected] of [['3.0.3', ['get']], ['3.2.0', ['get', 'query', 'additionalOperations']]] as const) {
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

t.test('a warning at boot names the routes with methods that no document has', async (t) => {
  const routes = (app: FastifyInstance) => {
    app.addHttpMethod('PROPFIND')
    if (!app.supportedMethods.includes('QUERY')) app.addHttpMethod('QUERY', { hasBody: true })
    app.route({ method: ['QUERY', 'PROPFIND'], url: '/a/:id?', handler: ok })
    app.route({ method: 'QUERY', url: '/neutral', versioning: false, handler: ok })
    app.route({ method: ['GET', 'QUERY'], url: '/shown', handler: ok })
    app.route({ method: 'QUERY', url: '/hidden', schema: { hide: true } as object, handler: ok })
    app.route({ method: 'QUERY', url: '/tagged', schema: { tags: ['X-HIDDEN'] } as object, handler: ok })
  }
  const warningsWith = (options: OpenapiOptions) => (
    warningsDuring(t, () => documented(t, header, routes, { ui: false, ...options }))
  )
  const later = { openapi: '3.2.0' }
  const text = 'FST_WARN_VERSION_DOCUMENT: Documents leave out QUERY, PROPFIND /a/:id, QUERY, PROPFIND /a, QUERY ' +
    "/neutral, because OpenAPI has these methods from 3.2 on. Set openapi: { openapi: '3.2.0' }, or hide these " +
    'routes with schema: { hide: true }.'
  t.strictSame(await warningsWith({ openapi: { openapi: '3.1.0' } }), [text])
  t.strictSame(await warningsWith({ document: (version) => version === 'v1' ? { openapi: later } : {} }), [text])
  t.strictSame(await warningsWith({ openapi: later }), [])
  t.strictSame(await warningsWith({ hideUntagged: true }), [])
})

t.test('a warning at boot says that the context of the documents has no routes', async (t) => {
  for (const [isBelow, hasHidden] of [[true, false], [true, true], [false, false]]) {
    const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
    const documentsIn = async (context: FastifyInstance) => {
      await context.register(openapi, { ui: false })
      if (hasHidden) context.get('/hidden', { schema: { hide: true } as object }, ok)
    }
    if (isBelow) app.register(documentsIn)
    else await documentsIn(app)
    app.get('/a', ok)
    t.same(await warningsDuring(t, async () => app.ready()), isBelow && !hasHidden
      ? ['FST_WARN_VERSION_DOCUMENT: Register fastify-versioning/openapi in the context of the routes, or wrap the ' +
        'plugin that registers it in fastify-plugin: its own context has no routes, so the documents are empty.']
      : [])
  }
})

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

type Claims = (RouteVersions | undefined)[]

/** A context of one of the schemes. */
function contextsOf (
  schemes: string[], namespaces: (string | undefined)[], mediaTypes: (string[] | undefined)[], paths: string[],
  claims: Claims
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
  ['/a', '/a', '/a', '/b/:id', '/b/:id/:kind(^[a-z0-9]+$)', '/c/*', '/d/:id?'],
  [undefined, undefined, 'v1', 'v2', ['v1', 'v3'], { from: 'v2' }, { to: 'v2' }])
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
    const value = schema.enum?.[0] ?? '7'
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
  const host = { headers: { host: `${version}.example.com` } }
  return [{}, host, ...PLACES.map(([, specify]) => specify(version))].map((place) => ({ method, url, ...place }))
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
  } finally { await app.close() }
}

t.test('documents describe everything that is served, and nothing else', async () => {
  await fc.assert(fc.asyncProperty(apps, fc.constantFrom('3.0.3' as const, '3.1.0' as const), check), {
    numRuns: tries(40)
  })
})

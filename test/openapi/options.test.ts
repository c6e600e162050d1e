import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

import versioning from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { documentOf, documented, header, object, ok, operationsOf, path, shownIn, some, text } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'
import type { Doc } from './app.ts'

type Transform = NonNullable<OpenapiOptions['transform']>

const v1 = { ...header, allowedVersions: ['v1'] }
const code = 'FST_ERR_VERSIONING_OPTION'

const list = 'a list of versions'
const prefix = 'a path without parameters that begins with a slash and does not end with one'
const openapi3 = "a version of OpenAPI 3, such as '3.1.0'"
/** What is expected, or the beginning of another message, and its end. */
const WRONG: [options: object, option: string, expected: string, got: string][] = [
  [{ versions: [] }, 'versions', list, '[]'],
  [{ versions: 'v1' }, 'versions', list, "'v1'"],
  [{ verions: 'v1' }, 'verions', 'Unknown option "verions" of documents.', "Did you mean 'versions'?"],
  [{ routeprefix: 1 }, 'routeprefix', 'Unknown option "routeprefix" of documents.', "Did you mean 'routePrefix'?"],
  [{ versions: { bookings: ['v1'] } }, 'versions', list, "{ bookings: [ 'v1' ] }"],
  [{ document: {} }, 'document', 'a function that returns options for a version', '{}'],
  [{ document: () => null }, "document('v1')", 'an object of options', 'null'],
  [{ document: async () => ({}) }, "document('v1')", 'an object of options', 'Promise { {}'],
  ...['versions', 'document', 'routePrefix', 'ui'].map((option): typeof WRONG[number] => (
    [{ document: () => ({ [option]: false }) }, option, `Move "${option}" out of "document":`, 'all documents share']
  )),
  [{ transformObject: 5 }, 'transformObject', 'a function', '5'],
  [{ document: () => ({ transform: 5 }) }, 'transform', 'a function', '5'],
  [{ refResolver: 5 }, 'refResolver', 'an object', '5'],
  [{ refResolver: { buildLocalReference: 5 } }, 'refResolver.buildLocalReference', 'a function', '5'],
  [{ openapi: 5 }, 'openapi', 'an object', '5'],
  [{ openapi: { openapi: 3.1 } }, 'openapi.openapi', openapi3, '3.1'],
  [{ openapi: { openapi: '2.0' } }, 'openapi.openapi', openapi3, "'2.0'"],
  [{ openapi: { info: 'API' } }, 'openapi.info', 'an object', "'API'"],
  [{ openapi: { info: { title: 5 } } }, 'openapi.info.title', 'a string', '5'],
  [{ openapi: { info: { version: 5 } } }, 'openapi.info.version', 'a string', '5'],
  [{ exposeHeadRoutes: 'yes' }, 'exposeHeadRoutes', 'true or false', "'yes'"],
  [{ exposeheadRoutes: true }, 'exposeheadRoutes', 'Unknown option "exposeheadRoutes" of documents.', 'Did you'],
  [{ hiddenTag: 5 }, 'hiddenTag', 'a string', '5'],
  [{ routePrefix: 'docs' }, 'routePrefix', prefix, "'docs'"],
  [{ routePrefix: '/docs/' }, 'routePrefix', prefix, "'/docs/'"],
  [{ routePrefix: '/:docs' }, 'routePrefix', prefix, "'/:docs'"],
  [{ prefix: '/docs' }, 'routePrefix', 'Write "routePrefix" instead of "prefix",', "'/docs'"],
  [{ ui: true }, 'ui', 'options of @fastify/swagger-ui, or false', 'true'],
  [{ ui: null }, 'ui', 'options of @fastify/swagger-ui, or false', 'null'],
  [{ ui: { routePrefix: '/docs' } }, 'ui.routePrefix', 'Move "ui.routePrefix" to', '"routePrefix".'],
  [{ ui: { transformSpecification: 1 } }, 'ui.transformSpecification',
    'Remove "ui.transformSpecification":', '"transformObject" changes what is served.'],
  [{ catalog: true }, 'catalog', 'Remove "catalog":', 'a route of the app can serve it.'],
  [{ serviceDesc: true }, 'serviceDesc', 'Remove "serviceDesc":', 'a hook of the app can send the link.'],
  [{ refusal: {} }, 'refusal', 'Remove "refusal":', '"openapi.components.responses" goes first.'],
  [{ mode: 'static' }, 'mode', 'Remove "mode":', 'documents are made of the routes.'],
  [{ swagger: {} }, 'swagger', 'Remove "swagger":', 'documents are OpenAPI 3.'],
  [{ decorator: 'docs' }, 'decorator', 'Remove "decorator":', 'documents are at app.openapi.'],
  [{ info: {} }, 'info', 'Move "info"', 'into "openapi".'],
  [{ uiHooks: {} }, 'uiHooks', 'Move "uiHooks"', 'into "ui".']
]

for (const [options, option, expected, got] of WRONG) {
  t.test(`the option ${option} is refused with ${got}`, async (t) => {
    const app = await appWith(t, v1)
    const isWhole = /^[A-Z]/.test(expected)
    const message = isWhole ? `${expected} ${got}` : `Invalid "${option}": expected ${expected}, got ${got}`
    await t.rejects(async () => app.register(openapi, options as OpenapiOptions), { code, message })
  })
}

for (const [option, allowedVersions, options] of [
  ['allowedVersions', ['v2', 'v1'], {}], ['versions', ['v1', 'v2'], { versions: ['v2', 'v1'] }]
] as const) {
  t.test(`documents of ${option} with the newest version first are refused`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions })
    const message = `Invalid "${option}": expected the oldest version first, such as [ 'v1', 'v2' ], because ` +
      'fastify-versioning/openapi reads the order, got [ \'v2\', \'v1\' ].'
    await t.rejects(async () => app.register(openapi, options), { code, message })
  })
}

t.test('without allowedVersions the option versions is required', async (t) => {
  const app = await appWith(t, header)
  const message = `Invalid "versions": expected ${list}, because the context has no allowedVersions, got undefined.`
  await t.rejects(async () => app.register(openapi, {}), { code, message })
})

t.test('an error that the option document throws is rethrown at boot', async (t) => {
  const app = await appWith(t, v1)
  await t.rejects(async () => app.register(openapi, { document () { throw new Error('mine') } }), { message: 'mine' })
})

t.test('an app does not start where @fastify/swagger-ui is missing, and takes a bundle of it', async (t) => {
  const script = fileURLToPath(new URL('without-ui.ts', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, script], { encoding: 'utf8' })
  t.match(stdout, /^Cannot find it\nIt starts\./)
})

const VERSIONS: [string, string[], VersioningOptions, message?: string][] = [
  ['is refused for a version that is written wrong', ['v1', 'v22'], { ...header, allowedVersions: ['v1', 'v2'] },
    'Unknown version \'v22\' in "versions". The contexts allow \'v1\', \'v2\'.'],
  ['may have the default version, which is allowed', ['v0'], { ...v1, defaultVersion: 'v0' }],
  ['may have a version that a child context lists', ['v1', '2026'], v1]
]

for (const [what, versions, options, message] of VERSIONS) {
  t.test(`the option versions ${what}`, async (t) => {
    const app = await appWith(t, options)
    await app.register(openapi, { ui: false, versions })
    some(app)
    if (versions.includes('2026')) {
      app.register(async (api) => {
        await api.register(versioning, { allowedVersions: ['2026'] })
        api.get('/b', ok)
      })
    }
    if (message === undefined) await app.ready()
    else await t.rejects(async () => app.ready(), { code, message })
  })
}

const taken = 'this URL has a route already, such as that of another Swagger UI.'
const refused = (app: FastifyInstance) => app.register(openapi, { ui: false })
const ORDERS: [string, (app: FastifyInstance) => unknown, error: { code: string, message?: string } | null][] = [
  ['after a route with versions', (app) => {
    app.get('/health', { versioning: false }, ok)
    app.get('/hidden', { schema: { hide: true } as object }, ok)
    some(app)
    return refused(app)
  }, { code, message: 'Register fastify-versioning/openapi before declaring GET /a, and await it.' }],
  ['a second time', async (app) => {
    await app.register(openapi)
    await app.register(openapi)
  }, { code: 'FST_ERR_DEC_ALREADY_PRESENT' }],
  ['at the URLs of another one', async (app) => {
    await app.register(openapi)
    await app.register(async (child) => { await child.register(openapi) })
  }, { code, message: `Change "routePrefix" from '/documentation': ${taken}` }],
  ['at the URL of a Swagger UI that the app has', async (app) => {
    await app.register(async (child) => {
      await child.register(swagger)
      await child.register(swaggerUi, { routePrefix: '/docs' })
    }, { prefix: '/v0' })
    await app.register(async (child) => { await child.register(openapi, { routePrefix: '/docs' }) }, { prefix: '/v0' })
  }, { code, message: `Change "routePrefix" from '/docs': ${taken}` }],
  ['after routes with versions that are outside of its context', (app) => {
    some(app)
    return app.register(refused)
  }, null]
]

for (const [what, register, error] of ORDERS) {
  t.test(`the plugin for documents is ${error === null ? 'welcome' : 'refused'} ${what}`, async (t) => {
    const app = await appWith(t, v1)
    if (error === null) await register(app)
    else await t.rejects(async () => register(app), error)
  })
}

t.test('the plugin for documents is refused before fastify-versioning', async (t) => {
  const message = /The dependency 'fastify-versioning' of plugin 'fastify-versioning\/openapi' is not registered/
  await t.rejects(async () => bareApp(t).register(openapi, { versions: ['v1'] }), { message })
})

t.test('the plugin for documents need not be awaited, and makes documents when the app is ready', async (t) => {
  const app = bareApp(t)
  app.register(versioning, { ...header, allowedVersions: [null, 'v1'] })
  app.register(openapi, { openapi: { info: { title: 'Bookings', version: '2.4.0' } } }).after(() => {
    t.throws(() => app.openapi('v1'), {
      code: 'FST_ERR_VERSION_DOCUMENT', message: 'Documents are made when the app is ready: await app.ready() first.'
    })
  })
  app.register(async (api) => some(api))
  await app.ready()
  t.strictSame(Object.keys(documentOf(app, 'v1').paths), ['/a'])
  t.strictSame(documentOf(app, 'v1').info, { title: 'Bookings v1', version: '2.4.0', 'x-api-version': 'v1' })
  t.match(app.openapi('v1', { yaml: true }), /title: Bookings v1\n/)
  t.throws(() => app.openapi('v2'), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: "There is no document of version 'v2'. There are documents of [ 'v1' ]."
  })
  t.throws(() => app.openapi('v1', { yml: true } as object), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: "Unknown option 'yml'. Did you mean 'yaml'? There are 'yaml'."
  })
  t.throws(() => app.openapi('v1', 'yaml' as never), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: "Invalid options: expected an object { yaml: true }, got 'yaml'."
  })
})

t.test('each call makes a document anew', async (t) => {
  const paths = { '/own': { get: { responses: {} } } }
  const app = await documented(t, header, (app) => {
    app.get('/first', { version: 'v1' }, ok)
    app.get('/second', { version: 'v2' }, ok)
  }, { openapi: { paths } as OpenapiOptions['openapi'] & object })
  Object.assign(documentOf(app, 'v1').paths['/own'], { put: {} })
  app.openapi('v1').info.title = 'changed'
  t.strictSame(operationsOf(app, 'v1'), ['GET /own', 'GET /first'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /own', 'GET /second'])
  t.strictSame(Object.keys(paths), ['/own'])
  t.equal((await app.inject('/documentation/v1.json')).json().info.title, 'API v1')
})

t.test('options of one version are merged over options of all versions', async (t) => {
  const info = { title: 'Bookings', version: '1', description: 'All' }
  const app = await documented(t, header, some, {
    openapi: { openapi: '3.1.0', info, tags: [{ name: 'all' }] },
    document: (version) => version === 'v1' ? {} : { openapi: { info: { ...info, description: 'New' }, tags: [] } }
  })
  const [first, second] = ['v1', 'v2'].map((version) => documentOf(app, version))
  t.strictSame([first.openapi, first.info.description, first.tags], ['3.1.0', 'All', [{ name: 'all' }]])
  t.strictSame([second.openapi, second.info.description, second.tags], ['3.1.0', 'New', []])
})

const titled = (title: string): OpenapiOptions => ({ openapi: { info: { title, version: '1.0.0' } } })
const INFOS: [what: string, options: unknown, title: string, version?: string][] = [
  ['undefined members', { mode: undefined, transform: undefined, transformObject: undefined }, 'API v1'],
  ['an undefined title', { document: () => ({ openapi: { info: { title: undefined } } }) }, 'API v1'],
  ['the nulls of @fastify/swagger', { openapi: null, transform: null, transformObject: null, refResolver: null },
    'API v1'],
  ['null in place of a version of OpenAPI, and of a title', { openapi: { openapi: null, info: { title: null } } },
    'API v1'],
  ['openapi: true', { openapi: true }, 'API v1'],
  ['the mode that @fastify/swagger writes into options of both', { mode: 'dynamic' }, 'API v1'],
  ['a title', titled('Cats'), 'Cats v1'],
  ['a title with the version', titled('Cats v1'), 'Cats v1'],
  ['a title that ends like the version', titled('Dev1'), 'Dev1 v1'],
  ['a title that ends with the number', titled('Area 2'), 'Area 2 (version 2)', '2'],
  ['a title with the number as a version', titled('Cats (version 2)'), 'Cats (version 2)', '2'],
  ['a title of a dated version', titled('Cats'), 'Cats (version 2025-01-01)', '2025-01-01']
]

for (const [what, options, title, version = 'v1'] of INFOS) {
  t.test(`the options may have ${what}: ${title}`, async (t) => {
    const app = await documented(t, { ...header, allowedVersions: [version] }, some, options as OpenapiOptions)
    t.match(documentOf(app, version), { openapi: '3.0.3', info: { title, version: '1.0.0' } })
  })
}

const withSummary = (summary: string): Transform => ({ schema, url }) => ({ schema: { ...schema, summary }, url })
const TRANSFORMS: [string, Transform, object][] = [
  ['adds to the schema and the path',
    ({ schema, url, route }) => ({ schema: { ...schema, summary: `${route.method} ${url}` }, url: `/api${url}` }),
    { 'GET /api/v1/a/{id}': 'GET /:version/a/:id' }],
  ['returns a path without the version', ({ schema }) => ({ schema, url: '/a/:id' }), { 'GET /a/{id}': 'Own' }],
  ['returns another parameter', ({ schema }) => ({ schema, url: '/a/:other' }), { 'GET /a/{other}': 'Own' }],
  ['returns no schema', ({ url }) => ({ url }) as ReturnType<Transform>, { 'GET /v1/a/{id}': 'Own' }],
  ['returns neither schema nor path', () => ({ schema: null, url: '' }) as never, { 'GET /v1/a/{id}': 'Own' }],
  ['writes into the schema, and copies it', ({ schema, url }) => {
    Object.assign(schema, { summary: `${Reflect.get(schema, 'summary')}!` })
    return { schema: structuredClone(schema), url }
  }, { 'GET /v1/a/{id}': 'Own!' }],
  ['hides a route', ({ url }) => ({ schema: { hide: true }, url }), {}]
]

for (const [what, transform, expected] of TRANSFORMS) {
  t.test(`a transform of the user ${what}`, async (t) => {
    const app = await documented(t, path, (app) => {
      app.get('/:version/a/:id', { schema: { summary: 'Own' } as object }, ok)
    }, { ui: false, transform })
    for (let i = 0; i < 2; i++) t.same(shownIn(app, 'v1'), expected)
    for (const [shown, { get }] of Object.entries(documentOf(app, 'v1').paths)) {
      t.strictSame(get.parameters?.map(({ name }) => name), [shown.includes('other') ? 'other' : 'id'])
    }
  })
}

t.test('the transform of a route replaces the transform of all routes', async (t) => {
  const config = { swaggerTransform: withSummary('Own') }
  const app = await documented(t, header, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/own', config, handler: ok })
    app.get('/none', { version: 'v1', config: { swaggerTransform: false } }, ok)
    app.get('/all', ok)
  }, { transform: withSummary('All') })
  t.same(shownIn(app, 'v1'), { 'GET /own': 'Own', 'POST /own': 'Own', 'GET /none': undefined, 'GET /all': 'All' })
})

t.test('transforms know the version, and transformObject has the last word', async (t) => {
  const seen: unknown[] = []
  const app = await documented(t, header, (app) => {
    app.addSchema({ $id: 'Booking', type: 'object' })
    app.get('/a', ok)
  }, {
    ui: false,
    transform (input) {
      seen.push((input as unknown as { openapiObject: { info: object } }).openapiObject.info)
      return input
    },
    transformObject (made) {
      const { openapiObject: { components, ...others } } = made as unknown as { openapiObject: Record<string, object> }
      t.match(components, { responses: { VersionNotSupported: {} } })
      return { ...others, 'x-seen': true } as object
    }
  })
  t.match(documentOf(app, 'v2'), { 'x-seen': true, components: undefined })
  t.match(seen, [{ 'x-api-version': 'v2' }])
})

for (const option of ['transform', 'transformObject'] as const) {
  for (const result of [undefined, null, Promise.resolve({})]) {
    t.test(`${option} must not return ${result}`, async (t) => {
      const app = await documented(t, header, some, { ui: false, [option]: () => result })
      const message = option === 'transform'
        ? /^A transform must return { schema, url } for \/a, got /
        : /^"transformObject" must return the document of 'v1', got /
      t.throws(() => app.openapi('v1'), { code: 'FST_ERR_VERSION_DOCUMENT', message })
    })
  }
}

t.test('options of @fastify/swagger apply: tags that hide, and the base path of servers', async (t) => {
  const app = await documented(t, { ...path, allowedVersions: ['v10'] }, (app) => {
    app.get('/:version/a', ok)
    app.get('/:version/b', { schema: { tags: ['b'] } as object }, ok)
    app.get('/:version/c', { schema: { tags: ['secret'] } as object }, ok)
  }, { hideUntagged: true, hiddenTag: 'secret', openapi: { servers: [{ url: '/v1' }] }, stripBasePath: false })
  t.strictSame(operationsOf(app, 'v10'), ['GET /v10/b'])
})

const bearer = [{ Bearer: [] }]
const securitySchemes = { Bearer: { type: 'http', scheme: 'bearer' } }
const withBearer: Transform = ({ schema, url }) => ({ schema: { ...schema, security: bearer } as object, url })
const needed = (what: string) => `Add 'Bearer' to "openapi.components.securitySchemes": ${what} needs it. See `
/** What declares a route, and whether the app starts, makes the document, or says what lacks a scheme of security. */
const SECURITY: [what: string, options: object, schema: object, at: 'boot' | 'document' | null, message?: string][] = [
  ['that no option has', {}, { security: bearer }, 'boot', needed('"security" of GET /a')],
  ['beside others', { openapi: { components: { securitySchemes: { other: {} } } } }, { security: bearer }, 'boot',
    needed('"security" of GET /a')],
  ['that the options of one version have', {
    document: (version: string) => (
      version === 'v1' ? {} : { openapi: { components: { securitySchemes } } }
    )
  }, { security: bearer }, 'boot', needed('"security" of GET /a')],
  ['of all routes', { openapi: { security: bearer } }, {}, 'boot', needed('"openapi.security"')],
  ['that a transform adds', { transform: withBearer }, {}, 'document', needed('"security" of GET /a')],
  ['that a transform removes', { transform: () => ({ schema: {}, url: '/a' }) }, { security: bearer }, null],
  ['of a hidden route', {}, { security: bearer, hide: true }, null],
  ['of a route with the tag that hides', {}, { security: bearer, tags: ['X-HIDDEN'] }, null],
  ['of a route without tags', { hideUntagged: true }, { security: bearer }, null],
  ['that the options have', { openapi: { components: { securitySchemes } } }, { security: [...bearer, {}] }, null]
]

for (const [what, options, schema, at, message = ''] of SECURITY) {
  t.test(`a scheme of security ${what} is ${at === null ? 'fine' : `named as missing, at ${at}`}`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1', 'v2'] })
    await app.register(openapi, { ui: false, ...options })
    app.get('/a', { schema }, ok)
    const make = async () => app.openapi('v1')
    const expected = { code, message: new RegExp(`^${message.replace(/[.[\]]/g, '\\$&')}`) }
    if (at === 'boot') return t.rejects(async () => app.ready(), expected)
    await app.ready()
    if (at === null) await t.resolves(make)
    else await t.rejects(make, expected)
  })
}

const SWAGGER: [what: string, options: OpenapiOptions, schema: object, message: string][] = [
  ['security that is no list', {}, { security: 5 }, 'at GET /a: TypeError: '],
  ['a transform that throws', { transform () { throw new Error('mine') } }, {}, 'at GET /a: Error: mine'],
  ['a transformObject that throws', { transformObject () { throw new Error('mine') } }, {}, ': Error: mine']
]

for (const [what, options, schema, message] of SWAGGER) {
  t.test(`an error with the route says that ${what} keeps a document from being made`, async (t) => {
    const app = await documented(t, v1, (app) => app.get('/a', { schema }, ok), { ui: false, ...options })
    const separator = message.startsWith(':') ? '' : ' '
    const expected = `Cannot make the document of 'v1'${separator}${message}`
    const thrown = t.throws(() => app.openapi('v1'), { code: 'FST_ERR_VERSION_DOCUMENT', cause: Error })
    t.match((thrown as Error).message, expected)
  })
}

const callback = { post: { body: object('id'), response: { 200: text } } }
const headers = { 'X-Total': { type: 'integer', description: 'How many' } }
/** What @fastify/swagger makes a part of an operation of. */
const TOPICS: Record<string, { schema?: object, links?: object }> = {
  nothing: {},
  texts: { schema: { summary: 'One', description: 'All', operationId: 'one', tags: ['a'] } },
  'a deprecation': { schema: { deprecated: true } },
  security: { schema: { security: [{ key: [] }], headers: object('X-Key', 'X-Own') } },
  'other documentation': { schema: { externalDocs: { url: 'https://example.com' } } },
  extensions: { schema: { 'x-own': { a: 1 } } },
  servers: { schema: { servers: [{ url: '/own' }] } },
  'a query': { schema: { querystring: { ...object('page', 'size'), required: ['page'] } } },
  'a shared query': { schema: { querystring: { $ref: 'Page#' } } },
  'path parameters': { schema: { params: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } } } },
  headers: { schema: { headers: object('X-Own') } },
  cookies: { schema: { cookies: object('session') } },
  'a body': { schema: { body: { ...object('guest'), description: 'A booking', examples: [{ guest: 'Ada' }] } } },
  'a shared body': { schema: { body: { $ref: 'Page#' } } },
  'a body of several types': { schema: { body: object('guest'), consumes: ['application/json', 'text/csv'] } },
  'responses by status': { schema: { response: { 201: object('id'), '5xx': object('fault'), default: text } } },
  'a response with headers': { schema: { response: { 200: { description: 'Made', headers, ...object('id') } } } },
  'a response without content': { schema: { response: { 204: { type: 'null', description: 'Gone' } } } },
  'a response of several types': { schema: { produces: ['text/csv'], response: { 200: text } } },
  'a response with null': { schema: { response: { 200: { type: ['string', 'null'] } } } },
  'a constant': { schema: { response: { 200: { const: 'one' } } } },
  'a recursive schema': { schema: { response: { 200: { $ref: 'Tree#' } } } },
  links: { schema: { response: { 200: object('id') } }, links: { 200: { one: { operationId: 'one' } } } },
  callbacks: { schema: { callbacks: { done: { '{$request.body#/url}': callback } } } }
}
const alike = {
  openapi: { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } },
  refResolver: { buildLocalReference: ({ $id }: { $id?: unknown }) => String($id) }
} as OpenapiOptions

for (const [what, { schema, ...route }] of Object.entries(TOPICS)) {
  t.test(`an operation has all that @fastify/swagger alone makes of ${what}`, async (t) => {
    const app = await appWith(t, v1)
    await app.register(swagger, alike)
    await app.register(openapi, { ...alike, ui: false })
    app.addSchema({ $id: 'Page', ...object('page') })
    app.addSchema({ $id: 'Tree', type: 'object', properties: { child: { $ref: 'Tree#' } } })
    const options: object = { ...schema && { schema }, ...route }
    app.post('/neutral/:id', { versioning: false, ...options }, ok)
    app.post('/versioned/:id', { ...options, schema: { ...schema, operationId: undefined } as object }, ok)
    await app.ready()
    const alone = (app.swagger() as unknown as Doc).paths
    const { paths } = documentOf(app, 'v1')
    t.same(paths['/neutral/{id}'], alone['/neutral/{id}'])
    const { parameters = [], ...others } = paths['/versioned/{id}'].post
    const own = parameters.filter(({ name }) => name !== 'API-Version')
    t.match({ ...others, parameters: own }, alone['/versioned/{id}'].post)
    t.strictSame(own.length, alone['/versioned/{id}'].post.parameters?.length)
  })
}

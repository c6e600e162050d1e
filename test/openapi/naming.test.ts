import t from 'tap'
import { Type } from 'typebox'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { VENDOR, documentOf, documented, header, object, ok, operationOf, path, query, text } from './app.ts'

import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const accept = { scheme: AcceptHeaderVersioning }
const type = { scheme: ContentTypeVersioning }
const Query = QueryParameterVersioning
const any = { type: 'object' }
const media = { schema: any }

class Cookie extends BaseVersioning {
  override readonly parameter = { in: 'cookie', name: 'v' } as const
  override readVersion ({ headers }: RawRequest) { return headers.cookie?.slice(2) }
}
class Short extends QueryParameterVersioning { override readonly versionParam = 'v' }
class Nowhere extends BaseVersioning { override readVersion () { return 'v2' } }
class Vendor extends BaseVersioning {
  override mediaTypeFor (version: string) { return `application/vnd.acme.${version}+json` }
  override readVersion () { return 'v2' }
}

const page = { ...object('page'), required: ['page'] }
const id = { type: 'object', properties: { version: text, id: { type: 'integer' } } }
const AT = '/:version/a/:id'
/** The parameters of an operation of v2, of which the last or the only one is the version unless the path has it. */
const PARAMETERS: [what: string, VersioningOptions, expected: string[], schema?: object, url?: string][] = [
  ['as a query parameter', query, ['query version']],
  ['as a query parameter of another name', { ...query, versionParam: 'v' }, ['query v']],
  ['as a header', header, ['header API-Version']],
  ['as a header of another name', { ...header, versionHeader: 'X-V' }, ['header X-V']],
  ['as an optional header', { ...header, defaultVersion: 'v2' }, ['header API-Version?']],
  ['as a required header, if the default depends on the client',
    { ...header, defaultVersion: { header: 'X-Key', version: () => 'v1' } }, ['header API-Version']],
  ['in the first of several places', { scheme: [Query, HeaderVersioning] }, ['query version']],
  ['in the first place that allows it', { scheme: [new HeaderVersioning({ allowedVersions: ['v1'] }), Query] },
    ['query version']],
  ['as a header, if a list has it and the path has no place', { scheme: [URLPathVersioning, HeaderVersioning] },
    ['header API-Version']],
  ['as the parameter of a custom scheme', { scheme: Cookie }, ['cookie v']],
  ['as the parameter of a subclass', { scheme: Short }, ['query v']],
  ['not at all, if the scheme documents no place', { scheme: Nowhere }, []],
  ['in the path alone', { scheme: [HeaderVersioning, URLPathVersioning] }, [], {}, '/:version/a'],
  ['next to a query with properties', query, ['query page', 'query version'], { querystring: page }],
  ['next to a query with a shared schema', query, ['query page', 'query version'], { querystring: { $ref: 'page#' } }],
  ['next to a query with several schemas', query, ['query page', 'query size?', 'query version'],
    { querystring: { allOf: [page, object('size')] } }],
  ['next to a query by TypeBox', query, ['query page?', 'query version'],
    { querystring: Type.Object({ page: Type.Optional(Type.String()) }) }],
  ['in place of its own parameter', query, ['query version'], { querystring: object('version') }],
  ['in place of a shared parameter', query, ['query page', 'query version'],
    { querystring: { allOf: [page, { $ref: 'versioned#' }] } }],
  ['in place of a header in another case', header, ['header API-Version'], { headers: object('api-version') }],
  ['in a path with properties', path, ['path id'], { params: id }, AT],
  ['in a path that describes the version alone', path, ['path id'], { params: object('version') }, AT],
  ['in a path with a shared schema', path, ['path id'], { params: { $ref: 'all#/definitions/id' } }, AT],
  ['in a path without a schema', path, ['path id'], {}, AT]
]

for (const [what, versioning, expected, schema = {}, url = '/a'] of PARAMETERS) {
  t.test(`an operation has the version once, ${what}`, async (t) => {
    const app = await documented(t, versioning, (app) => {
      app.addSchema({ $id: 'page', ...page })
      app.addSchema({ $id: 'versioned', ...object('version') })
      app.addSchema({ $id: 'all', definitions: { id } })
      app.get(url, { schema }, ok)
    }, { ui: false })
    const [{ get: { parameters } }] = Object.values(documentOf(app, 'v2').paths)
    t.ok(parameters?.length !== 0)
    const shown = parameters?.map(({ in: place, name, required }) => `${place} ${name}${required ? '' : '?'}`) ?? []
    t.strictSame(shown, expected)
    if (shown.length === 0 || url === AT) return
    const { description, required, schema: own, example } = parameters?.at(-1) ?? {}
    t.equal(description, 'The version of the API')
    t.equal(example, 'v2')
    t.strictSame(own, { ...text, enum: ['v2'], ...required ? {} : { default: 'v2' } })
  })
}

for (const required of [[], ['version']]) {
  const isRequired = required.length > 0
  const what = isRequired ? ', and is required if it was' : ''
  t.test(`a parameter of the user that is the version keeps its description${what}`, async (t) => {
    const properties = { version: { type: 'string', description: 'Mine', pattern: '^v' }, page: { type: 'string' } }
    const schema = { querystring: { type: 'object', additionalProperties: false, properties, required } }
    const app = await documented(t, { ...query, defaultVersion: 'v1' }, (app) => app.get('/a', { schema }, ok))
    for (const version of ['v1', 'v2']) {
      const own = { type: 'string', enum: [version], ...version === 'v2' || isRequired ? {} : { default: version } }
      t.strictSame(documentOf(app, version).paths['/a'].get.parameters, [
        {
          in: 'query',
          name: 'version',
          required: version === 'v2' || isRequired,
          description: 'Mine',
          schema: own,
          example: version
        },
        { in: 'query', name: 'page', required: false, schema: { type: 'string' } }
      ])
    }
    t.equal((await app.inject('/a')).statusCode, isRequired ? 400 : 200)
  })
}

t.test('an operation in a namespace needs no other place', async (t) => {
  const app = await documented(t, { scheme: [NamespaceVersioning, HeaderVersioning] }, (app) => {
    app.register(async (v2) => { v2.get('/a', ok) }, { prefix: '/v2', namespace: 'v2' })
  })
  t.equal(documentOf(app, 'v2').paths['/v2/a'].get.parameters, undefined)
})

const JSON_V2 = 'application/json; version=v2'
const ACME = 'application/vnd.acme.v2+json'
const content = (...types: string[]) => ({ 200: { content: Object.fromEntries(types.map((one) => [one, media])) } })
const RESPONSES: [string, VersioningOptions, object, Record<string, string[]>][] = [
  ['JSON', {}, { response: { 200: any } }, { 200: [JSON_V2] }],
  ['no schema', {}, {}, { 200: [JSON_V2] }],
  ['no content', {}, { response: { 204: { type: 'null' } } }, { 204: [JSON_V2] }],
  ['a status that has none', {}, { response: { 204: { type: 'null' }, 206: { type: 'null' } } },
    { 204: [], 206: [JSON_V2] }],
  ['content and none', {}, { response: { 200: any, 204: { type: 'null' } } }, { 200: [JSON_V2], 204: [] }],
  ['errors only', {}, { response: { 404: any } }, { 200: [JSON_V2], 404: ['application/json'] }],
  ['errors next to success', {}, { response: { '2xx': any, '4xx': any, 503: any } },
    { '2XX': [JSON_V2], '4XX': ['application/json'], 503: ['application/json'] }],
  ['an error in the default version', { defaultVersion: 'v2' }, { response: { 200: any, 500: any } },
    { 200: [JSON_V2], 500: ['application/json'] }],
  ['a default response next to another one', {}, { response: { 201: any, default: any } },
    { 201: [JSON_V2], default: ['application/json'] }],
  ['a default response', {}, { response: { default: any } }, { default: [JSON_V2] }],
  ['a redirect', {}, { response: { 302: { type: 'null' } } }, { 302: [JSON_V2] }],
  ['another parameter', { versionParam: 'v' }, {}, { 200: ['application/json; v=v2'] }],
  ['a parameter that no media type can have', { versionParam: 'ver sion' }, { response: { 200: {} } },
    { 200: ['application/json'] }],
  ['a vendor type', { mediaTypes: VENDOR }, {}, { 200: [ACME] }],
  ['a vendor type of the user', { mediaTypes: VENDOR }, { response: content('application/vnd.acme.v1+json') },
    { 200: ['application/vnd.acme.v1+json'] }],
  ['the media type of the API', { mediaTypes: ['application/hal+json'] }, { response: { 200: {} } },
    { 200: ['application/hal+json; version=v2'] }],
  ['an API without media types', { mediaTypes: [] }, { response: { 200: {} } }, { 200: ['application/json'] }],
  ['a type that the API does not have', { mediaTypes: ['application/json'] },
    { produces: ['text/csv'], response: { 200: any } }, { 200: [JSON_V2, 'text/csv'] }],
  ['what a route produces', {}, { produces: ['application/json', 'text/csv'], response: { 200: any } },
    { 200: [JSON_V2, 'text/csv; version=v2'] }],
  ['its parameters', {}, { produces: ['application/json; charset=utf-8'], response: { 200: any } },
    { 200: ['application/json; version=v2; charset=utf-8'] }],
  ['the version of the user', {}, { produces: ['application/json; version=v9'], response: { 200: any } },
    { 200: ['application/json; version=v9'] }],
  ['the type of an error', {}, { response: content('application/problem+json') },
    { 200: [JSON_V2, 'application/problem+json'] }],
  ['what is no type', {}, { produces: ['not a type'], response: { 200: any } }, { 200: [JSON_V2, 'not a type'] }],
  ['a type without the vendor\'s syntax', { mediaTypes: VENDOR }, { response: content('application/octet-stream') },
    { 200: [ACME, 'application/octet-stream'] }],
  ['such a type in the default version', { mediaTypes: VENDOR, defaultVersion: 'v2' },
    { response: content('application/octet-stream') }, { 200: ['application/octet-stream'] }],
  ['one type of several that can', { mediaTypes: VENDOR }, { response: content('text/csv', 'application/json') },
    { 200: ['text/csv', ACME] }],
  ['a custom scheme', { scheme: Vendor }, { response: { 200: any } }, { 200: [ACME] }]
]

for (const [what, versioning, schema, expected] of RESPONSES) {
  t.test(`the media types of responses have the version with ${what}`, async (t) => {
    const { responses } = await operationOf(t, { ...accept, ...versioning }, schema)
    const own = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
    t.same(Object.fromEntries(own.map(([status, { content }]) => [status, Object.keys(content ?? {})])), expected)
  })
}

t.test('of a vendor type and the type of JSON the one with the version is shown, in any order', async (t) => {
  for (const types of [[ACME, 'application/json'], ['application/json', ACME]]) {
    const response = { 200: { content: Object.fromEntries(types.map((one) => [one, { schema: { title: one } }])) } }
    const { responses } = await operationOf(t, { ...accept, mediaTypes: VENDOR }, { response })
    t.strictSame(responses[200].content, { [ACME]: { schema: { title: ACME } } })
  }
})

const FORM = { body: any, consumes: ['multipart/form-data'] }
const CSV = { body: any, consumes: ['text/csv'] }
const BODIES: [string, VersioningOptions, object, string[], (boolean | undefined)?][] = [
  ['a body', {}, { body: any }, [JSON_V2], true],
  ['a body that is not described', {}, {}, [JSON_V2], undefined],
  ['what the route consumes', {}, CSV, ['text/csv; version=v2'], true],
  ['types that are written out', {}, { body: { content: { 'text/csv': media } } }, ['text/csv; version=v2'], true],
  ['a form', {}, FORM, ['multipart/form-data; version=v2'], true],
  ['a form of the default version', { defaultVersion: 'v2' }, FORM, ['multipart/form-data'], true],
  ['a vendor type', { mediaTypes: VENDOR }, { body: any }, [ACME], true],
  ['a type without the vendor\'s syntax', { mediaTypes: VENDOR }, CSV, ['text/csv; version=v2'], true],
  ['such a type in the default version', { mediaTypes: VENDOR, defaultVersion: 'v2' }, CSV, ['text/csv'], true]
]

for (const [what, versioning, schema, expected, required] of BODIES) {
  t.test(`the media type of a request body has the version with ${what}`, async (t) => {
    const { requestBody } = await operationOf(t, { ...type, ...versioning }, schema, 'post')
    t.strictSame(Object.keys(requestBody?.content ?? {}), expected)
    t.equal(requestBody?.required, required)
  })
}

for (const scheme of [ContentTypeVersioning, [ContentTypeVersioning, HostNameVersioning]]) {
  t.test(`the Content-Type is a header where ${[scheme].flat().length} schemes need a body`, async (t) => {
    const { parameters } = await operationOf(t, { scheme })
    t.match(parameters, [{ in: 'header', name: 'Content-Type', schema: { enum: [JSON_V2] } }])
  })
}

t.test('no operation has a Content-Type with which Fastify refuses a request without a body', async (t) => {
  const settings = { scheme: ContentTypeVersioning, defaultVersion: 'v1' }
  const app = await documented(t, settings, (app) => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'] as const) {
      app.route({ method, url: `/${method}`, exposeHeadRoute: false, handler: async (_request, reply) => reply.send() })
    }
  }, { ui: false, exposeHeadRoutes: true })
  const shown: string[] = []
  for (const version of ['v1', 'v2']) {
    for (const [url, operations] of Object.entries(documentOf(app, version).paths)) {
      const [[method, { parameters = [] }]] = Object.entries(operations)
      for (const { name, example } of parameters) {
        const headers = { [name]: example }
        const { statusCode } = await app.inject({ method: method.toUpperCase() as 'GET', url, headers })
        shown.push(`${version} ${method} ${name} ${statusCode}`)
      }
    }
  }
  t.strictSame(shown, ['v2 get Content-Type 200', 'v2 head Content-Type 200'])
})

const LISTS: [string, VersioningOptions, object, string | undefined][] = [
  ['a form', { scheme: [ContentTypeVersioning, HeaderVersioning] }, FORM, 'API-Version'],
  ['a body without a vendor type', { scheme: [ContentTypeVersioning, HeaderVersioning], mediaTypes: VENDOR }, CSV,
    'API-Version'],
  ['a response of JSON', { scheme: [AcceptHeaderVersioning, HeaderVersioning] }, { response: { 200: any } }, undefined],
  ['JSON in an answer to a form', { scheme: [ContentTypeVersioning, AcceptHeaderVersioning] }, FORM, undefined]
]

for (const [what, versioning, schema, header] of LISTS) {
  t.test(`a list documents its first scheme, and ContentTypeVersioning last, with ${what}`, async (t) => {
    const { parameters, requestBody, responses } = await operationOf(t, versioning, schema, 'post')
    t.strictSame(parameters?.map(({ name }) => name), header && [header])
    t.notMatch(JSON.stringify(requestBody), 'v2')
    t.equal(Object.keys(responses[200].content ?? {})[0] === JSON_V2, header === undefined)
  })
}

const v1 = 'https://v1.example.com'
const v2 = 'https://v2.example.com'
const other = 'https://other.example.com'
const own = [{ url: 'https://own.example.com' }]
const byHost = { scheme: HostNameVersioning }
const at = (host: string | RegExp) => ({ constraints: { host } })
interface Declared {
  /** Options of the context of the route. */
  versioning?: VersioningOptions
  constraints?: { host: string | RegExp }
}
/** The servers of the document of v2, and of a route that the user gives none. */
const SERVERS: [
  string, VersioningOptions, Declared, OpenapiOptions, ofDocument: string | undefined, ofRoute: string | undefined
][] = [
  ['an address', { ...header, baseUrl: `${other}/api` }, {}, {}, `${other}/api`, undefined],
  ['an address, without a scheme', { scheme: null, baseUrl: other }, {}, {}, other, undefined],
  ['a host with a version', { ...byHost, baseUrl: `${v1}/api` }, {}, {}, `${v2}/api`, undefined],
  ['a host without one', { ...byHost, baseUrl: 'https://example.com' }, {}, {}, undefined, undefined],
  ['a host without one in the default version', { ...byHost, baseUrl: 'https://example.com', defaultVersion: 'v2' }, {},
    {}, 'https://example.com', undefined],
  ['no address', byHost, {}, {}, undefined, undefined],
  ['servers of the user', { ...byHost, baseUrl: v1 }, {}, { openapi: { servers: own } }, own[0].url, undefined],
  ['a list of which a form is last', { scheme: [ContentTypeVersioning, HostNameVersioning], baseUrl: v1 }, {}, {}, v2,
    undefined],
  ['a list whose host has other versions',
    { scheme: [new HostNameVersioning({ allowedVersions: ['v1'] }), HeaderVersioning], baseUrl: v1 }, {}, {}, undefined,
    undefined],
  ['a route of a host', { ...byHost, baseUrl: `${v1}/api`, defaultVersion: 'v2' }, at('internal.corp'), {},
    `${v2}/api`, '//internal.corp/api'],
  ['a route of the host of the version', { ...byHost, baseUrl: v1 }, at('v2.example.com'), {}, v2, '//v2.example.com'],
  ['a route of several hosts', { ...byHost, baseUrl: v1 }, at(/^v2\./), {}, v2, undefined],
  ['a route of another scheme', { ...byHost, baseUrl: v1 }, { versioning: header }, {}, v2, v1],
  ['a context of another address', { ...header, baseUrl: v1 }, { versioning: { baseUrl: other } }, {}, v1, other],
  ['a context of another address, and servers of the user', { ...header, baseUrl: v1 },
    { versioning: { baseUrl: other } }, { openapi: { servers: own } }, own[0].url, undefined]
]

for (const [what, options, { versioning: inner = {}, constraints = {} }, documents, ...expected] of SERVERS) {
  t.test(`a document says where requests are sent with ${what}`, async (t) => {
    const app = await documented(t, options, (app) => {
      app.register(async (api) => {
        await api.register(versioning, inner)
        api.post('/a', { constraints, schema: FORM }, ok)
        api.post('/own', { constraints, schema: { servers: own } as object }, ok)
      })
    }, { ...documents, ui: false })
    const { paths, servers } = documentOf(app, 'v2')
    t.strictSame([servers, paths['/a'].post.servers].map((all) => all?.[0].url), expected)
    t.strictSame(paths['/own'].post.servers, own)
  })
}

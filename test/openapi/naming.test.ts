import t from 'tap'

import {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'
import type { Operation } from './app.ts'

const answer = async () => 'ok'

/** The one operation of v2. */
async function operationIn (
  t: Tap, versioning: VersioningOptions, schema: object = {}, method: 'get' | 'post' = 'get', url = '/a'
): Promise<Operation> {
  const app = await documented(t, versioning, (app: FastifyInstance) => { app[method](url, { schema }, answer) })
  const [path] = Object.values(documentOf(app, 'v2').paths)
  return path[method]
}
type Tap = Parameters<typeof documented>[0]

const parameter = (place: string, name: string, required: boolean) => ({
  in: place,
  name,
  required,
  description: 'The version of the API',
  schema: { type: 'string', enum: ['v2'], ...required ? {} : { default: 'v2' } }
})

const PARAMETERS: [string, VersioningOptions, object][] = [
  ['a query parameter', { scheme: QueryParameterVersioning }, parameter('query', 'version', true)],
  ['a query parameter of another name', { scheme: QueryParameterVersioning, versionParam: 'v' },
    parameter('query', 'v', true)],
  ['a header', { scheme: HeaderVersioning }, parameter('header', 'API-Version', true)],
  ['a header of another name', { scheme: HeaderVersioning, versionHeader: 'X-V' }, parameter('header', 'X-V', true)],
  ['an optional header for the default version', { scheme: HeaderVersioning, defaultVersion: 'v2' },
    parameter('header', 'API-Version', false)],
  ['the first of several places', { scheme: [QueryParameterVersioning, HeaderVersioning] },
    parameter('query', 'version', true)]
]

for (const [what, versioning, expected] of PARAMETERS) {
  t.test(`a document has the version as ${what}`, async (t) => {
    t.strictSame((await operationIn(t, versioning)).parameters, [expected])
  })
}

t.test('a custom scheme defines the parameter of its documents', async (t) => {
  class Cookie extends BaseVersioning {
    override readonly parameter = { in: 'cookie', name: 'v' } as const
    override readVersion ({ headers }: RawRequest) { return headers.cookie?.slice(2) }
  }
  t.strictSame((await operationIn(t, { scheme: Cookie })).parameters, [parameter('cookie', 'v', true)])
})

t.test('a field of a subclass defines the query parameter', async (t) => {
  class Short extends QueryParameterVersioning { override readonly versionParam = 'v' }
  t.strictSame((await operationIn(t, { scheme: Short })).parameters, [parameter('query', 'v', true)])
})

t.test('a scheme without a documented place adds no parameter', async (t) => {
  class Own extends BaseVersioning { override readVersion () { return 'v2' } }
  t.equal((await operationIn(t, { scheme: Own })).parameters, undefined)
})

const RESPONSES: [string, VersioningOptions, object, object][] = [
  ['JSON', {}, { 200: { type: 'object' } }, { 200: ['application/json; version=v2'] }],
  ['a route without schema', {}, {}, { 200: ['application/json; version=v2'] }],
  ['a response without content', {}, { 204: { type: 'null' } }, { 204: ['application/json; version=v2'] }],
  ['one response with content and one without', {}, { 200: { type: 'object' }, 204: { type: 'null' } },
    { 200: ['application/json; version=v2'], 204: [] }],
  ['errors only', {}, { 404: { type: 'object' } },
    { 404: ['application/json; version=v2'], 200: ['application/json; version=v2'] }],
  ['another parameter', { versionParam: 'v' }, { 200: {} }, { 200: ['application/json; v=v2'] }],
  ['a vendor type', { mediaTypes: ['application/vnd.acme.{version}+json'] }, { 200: {} },
    { 200: ['application/vnd.acme.v2+json'] }],
  ['a media type of the API', { mediaTypes: ['application/hal+json'] }, { 200: {} },
    { 200: ['application/hal+json; version=v2'] }],
  ['no media types of the API', { mediaTypes: [] }, { 200: {} }, { 200: ['application/json'] }],
  ['a parameter that no media type can have', { versionParam: 'ver sion' }, { 200: {} }, { 200: ['application/json'] }]
]

for (const [what, versioning, response, expected] of RESPONSES) {
  t.test(`the media type of responses has the version with ${what}`, async (t) => {
    const { responses } = await operationIn(t, { scheme: AcceptHeaderVersioning, ...versioning }, { response })
    const types = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
    const found = types.map(([status, { content }]) => [status, Object.keys(content ?? {})])
    t.strictSame(Object.fromEntries(found), expected)
  })
}

const schema = { type: 'object' }
const JSON_V2 = 'application/json; version=v2'
const WRITTEN: [string, string[], string][] = [
  ['text/csv', ['text/csv; version=v2'], 'gets the version'],
  ['application/json; charset=utf-8', ['application/json; version=v2; charset=utf-8'], 'keeps its parameters'],
  ['application/json; version=v9', ['application/json; version=v9'], 'keeps the version of the user'],
  ['application/problem+json', [JSON_V2, 'application/problem+json'], 'is never versioned'],
  ['not a type', [JSON_V2, 'not a type'], 'is kept']
]

for (const [given, expected, what] of WRITTEN) {
  t.test(`the media type ${given} of a response ${what}`, async (t) => {
    const response = { 200: { description: 'Fine', content: { [given]: { schema } } } }
    const { responses } = await operationIn(t, { scheme: AcceptHeaderVersioning }, { response })
    const content = Object.fromEntries(expected.map((type) => [type, { schema }]))
    t.strictSame(responses[200], { description: 'Fine', content })
  })
}

t.test('a vendor type of the user is kept', async (t) => {
  const content = { 'application/vnd.acme.v1+json': { schema } }
  const versioning = { scheme: AcceptHeaderVersioning, mediaTypes: ['application/vnd.acme.{version}+json'] }
  const { responses } = await operationIn(t, versioning, { response: { 200: { content } } })
  t.strictSame(responses[200].content, content)
})

t.test('a media type that the API does not have gets one that specifies the version next to it', async (t) => {
  const versioning = { scheme: AcceptHeaderVersioning, mediaTypes: ['application/json'] }
  const { responses } = await operationIn(t, versioning, { produces: ['text/csv'], response: { 200: schema } })
  t.strictSame(Object.keys(responses[200].content ?? {}), [JSON_V2, 'text/csv'])
})

t.test('a media type that a route produces has the version', async (t) => {
  const produces = ['application/json', 'text/csv']
  const own = { produces, response: { 200: schema } }
  const { responses } = await operationIn(t, { scheme: AcceptHeaderVersioning }, own)
  t.strictSame(Object.keys(responses[200].content ?? {}), ['application/json; version=v2', 'text/csv; version=v2'])
})

const BODIES: [string, VersioningOptions, object, string[]][] = [
  ['a body', {}, { body: schema }, ['application/json; version=v2']],
  ['a body that is not described', {}, {}, ['application/json; version=v2']],
  ['a media type that the route consumes', {}, { body: schema, consumes: ['text/csv'] }, ['text/csv; version=v2']],
  ['a form with files', {}, { body: schema, consumes: ['multipart/form-data'] }, ['multipart/form-data; version=v2']],
  ['a form with files of the default version, whose boundary the client writes', { defaultVersion: 'v2' },
    { body: schema, consumes: ['multipart/form-data'] }, ['multipart/form-data']],
  ['media types that are written out', {}, { body: { content: { 'text/csv': { schema } } } }, ['text/csv; version=v2']],
  ['a vendor type', { mediaTypes: ['application/vnd.acme.{version}+json'] }, { body: schema },
    ['application/vnd.acme.v2+json']]
]

for (const [what, versioning, schema, expected] of BODIES) {
  t.test(`the media type of a request body has the version with ${what}`, async (t) => {
    const { requestBody } = await operationIn(t, { scheme: ContentTypeVersioning, ...versioning }, schema, 'post')
    t.strictSame(Object.keys(requestBody?.content ?? {}), expected)
  })
}

t.test('the Content-Type is documented as a header without a body', async (t) => {
  const { parameters } = await operationIn(t, { scheme: ContentTypeVersioning })
  t.match(parameters, [{ in: 'header', name: 'Content-Type', schema: { enum: ['application/json; version=v2'] } }])
})

for (const method of ['get', 'post'] as const) {
  t.test(`with both schemes of media types, the ${method} operation has the version in its responses`, async (t) => {
    const versioning = { scheme: [ContentTypeVersioning, AcceptHeaderVersioning] }
    const operation = await operationIn(t, versioning, { body: method === 'post' ? schema : undefined }, method)
    t.strictSame(Object.keys(operation.responses[200].content ?? {}), ['application/json; version=v2'])
    t.equal(operation.parameters, undefined)
  })
}

const VENDOR = ['application/vnd.acme.{version}+json']
const CSV = { body: schema, consumes: ['text/csv'] }
const FORM = { body: schema, consumes: ['multipart/form-data'] }
const BYTES = { response: { 200: { content: { 'application/octet-stream': { schema: {} } } } } }
const LISTS: [string, VersioningOptions, object, string | undefined][] = [
  ['a form', { scheme: [ContentTypeVersioning, HeaderVersioning] }, FORM, 'API-Version'],
  ['a form or JSON', { scheme: [ContentTypeVersioning, HeaderVersioning] },
    { body: { content: { 'application/json': { schema }, 'multipart/form-data': { schema } } } }, 'API-Version'],
  ['a body without a vendor type', { scheme: [ContentTypeVersioning, HeaderVersioning], mediaTypes: VENDOR },
    CSV, 'API-Version'],
  ['a response of JSON, and errors that are problems', { scheme: [AcceptHeaderVersioning, HeaderVersioning] },
    { response: { 200: schema, default: { content: { 'application/problem+json': { schema } } } } }, undefined],
  ['JSON in an answer to a form', { scheme: [ContentTypeVersioning, AcceptHeaderVersioning] }, FORM, undefined]
]

for (const [what, versioning, own, expected] of LISTS) {
  t.test(`a list documents its first scheme, and ContentTypeVersioning last, with ${what}`, async (t) => {
    const operation = await operationIn(t, { defaultVersion: 'v1', ...versioning }, own, 'post')
    t.strictSame(operation.parameters?.map(({ name, required }) => [name, required]), expected && [[expected, true]])
    if (expected === undefined) t.match(JSON.stringify(operation), /version=v2|acme\.v2/)
  })
}

t.test('the host specifies the version of a form in a list', async (t) => {
  const versioning = { scheme: [ContentTypeVersioning, HostNameVersioning], baseUrl: 'https://v1.example.com' }
  const app = await documented(t, versioning, (app) => {
    app.post('/a', { schema: FORM }, answer)
    app.post('/b', answer)
  })
  const { paths, servers } = documentOf(app, 'v2')
  t.strictSame([servers, paths['/a'].post.servers, paths['/b'].post.servers],
    [[{ url: 'https://v2.example.com' }], undefined, undefined])
})

const ALONE: [string, VersioningOptions, object, string[]][] = [
  ['a response', { scheme: AcceptHeaderVersioning }, BYTES,
    ['application/vnd.acme.v2+json', 'application/octet-stream']],
  ['a response of the default version', { scheme: AcceptHeaderVersioning, defaultVersion: 'v2' }, BYTES,
    ['application/octet-stream']],
  ['what the route produces', { scheme: AcceptHeaderVersioning }, { produces: ['text/csv'], response: { 200: schema } },
    ['application/vnd.acme.v2+json', 'text/csv']],
  ['one response of several', { scheme: AcceptHeaderVersioning },
    { response: { 200: { content: { 'text/csv': { schema }, 'application/json': { schema } } } } },
    ['text/csv', 'application/vnd.acme.v2+json']],
  ['a body', { scheme: ContentTypeVersioning }, CSV, ['text/csv; version=v2']],
  ['a form', { scheme: ContentTypeVersioning }, FORM, ['multipart/form-data; version=v2']],
  ['a body of the default version', { scheme: ContentTypeVersioning, defaultVersion: 'v2' }, CSV, ['text/csv']]
]

for (const [what, versioning, own, expected] of ALONE) {
  t.test(`a parameter of a media type that is not a vendor type has the version of ${what}`, async (t) => {
    const app = await documented(t, { defaultVersion: 'v1', mediaTypes: VENDOR, ...versioning }, (app) => {
      app.addContentTypeParser(['text/csv', 'multipart/form-data'], { parseAs: 'string' }, async () => ({}))
      app.post('/a', { schema: own }, async (request, reply) => reply.type('text/plain').send(request.version))
    })
    const { requestBody, responses } = documentOf(app, 'v2').paths['/a'].post
    const isBody = versioning.scheme === ContentTypeVersioning
    const types = Object.keys((isBody ? requestBody : responses[200])?.content ?? {})
    t.strictSame(types, expected)
    const [type] = types.filter((one) => one.includes('v2')).concat(types)
    const headers = { [isBody ? 'content-type' : 'accept']: type }
    const { body } = await app.inject({ method: 'POST', url: '/a', headers, ...isBody && { payload: '{}' } })
    t.equal(body, 'v2')
  })
}

t.test('the Content-Type specifies the version without a body and without another place', async (t) => {
  const { parameters } = await operationIn(t, { scheme: [ContentTypeVersioning, HostNameVersioning] })
  t.match(parameters, [{ name: 'Content-Type' }])
})

const PLAIN = { schema: { type: 'object', properties: { plain: { type: 'string' } } } }
const OWN = { schema: { type: 'object', properties: { own: { type: 'string' } } } }
const TWICE: [string, string, string[] | null][] = [
  ['application/json; version=v2', 'application/json', null],
  ['application/json;version="v2"', 'application/json', null],
  ['application/vnd.acme.v2+json', 'application/json', VENDOR]
]

for (const [own, plain, mediaTypes] of TWICE) {
  for (const content of [{ [own]: OWN, [plain]: PLAIN }, { [plain]: PLAIN, [own]: OWN }]) {
    t.test(`only the one with the version is shown of ${Object.keys(content).join(' and ')}`, async (t) => {
      const versioning = { scheme: AcceptHeaderVersioning, mediaTypes }
      const { responses } = await operationIn(t, versioning, { response: { 200: { content } } })
      t.strictSame(responses[200].content, { [own]: OWN })
    })
  }
}

t.test('a scheme of a list that allows the version is documented', async (t) => {
  const scheme = [new HeaderVersioning({ allowedVersions: ['v1'] }), QueryParameterVersioning]
  t.match((await operationIn(t, { scheme })).parameters, [{ in: 'query' }])
})

t.test('no other place has the version of a namespace', async (t) => {
  const app = await documented(t, { scheme: [NamespaceVersioning, HeaderVersioning] }, (app) => {
    app.register(async (v2) => { v2.get('/a', answer) }, { prefix: '/v2', namespace: 'v2' })
  })
  t.equal(documentOf(app, 'v2').paths['/v2/a'].get.parameters, undefined)
})

t.test('no other place has the version of a path', async (t) => {
  const versioning = { scheme: [HeaderVersioning, URLPathVersioning] }
  t.equal((await operationIn(t, versioning, {}, 'get', '/:version/a')).parameters, undefined)
})

const HOSTS: [string, string | null, object][] = [
  ['a host with a version', 'https://v1.example.com/api', { servers: [{ url: 'https://v2.example.com/api' }] }],
  ['a host without one', 'https://example.com', {}],
  ['no host', null, {}]
]

for (const [what, baseUrl, expected] of HOSTS) {
  t.test(`a document has ${'servers' in expected ? 'a server' : 'no servers'} if baseUrl has ${what}`, async (t) => {
    const app = await documented(t, { scheme: HostNameVersioning, baseUrl }, (app) => { app.get('/a', answer) })
    const { servers, paths } = documentOf(app, 'v2')
    t.strictSame({ ...servers && { servers } }, expected)
    t.equal(paths['/a'].get.servers, undefined)
  })
}

t.test('operations for a host have it as their server', async (t) => {
  const app = await documented(t, { scheme: HostNameVersioning, baseUrl: 'https://v1.example.com' }, (app) => {
    app.get('/a', answer)
    app.get('/b', { versioning: HeaderVersioning }, answer)
  })
  const { servers, paths } = documentOf(app, 'v2')
  t.strictSame([servers, paths['/a'].get.servers, paths['/b'].get.servers],
    [[{ url: 'https://v2.example.com' }], undefined, [{ url: 'https://v1.example.com' }]])
})

t.test('servers of the user are kept', async (t) => {
  const servers = [{ url: 'https://own.example.com' }]
  const app = await documented(t, { scheme: HostNameVersioning, baseUrl: 'https://v1.example.com' }, (app) => {
    app.get('/a', { schema: { servers } as object }, answer)
  }, { openapi: { servers: [{ url: 'https://all.example.com' }] } })
  const document = documentOf(app, 'v2')
  t.strictSame([document.servers, document.paths['/a'].get.servers], [[{ url: 'https://all.example.com' }], servers])
})

const REQUIRED: { what: string, schema: object, required: boolean | undefined }[] = [
  { what: 'a body that is described', schema: { body: { type: 'object' } }, required: true },
  { what: 'a body that is not', schema: {}, required: undefined }
]

for (const { what, schema, required } of REQUIRED) {
  t.test(`the request body of an operation with ${what} is required if the app requires it`, async (t) => {
    const app = await documented(t, { scheme: ContentTypeVersioning, defaultVersion: 'v2' }, (app) => {
      app.post('/a', { schema }, async (request) => request.version)
    }, { ui: false })
    t.equal(documentOf(app, 'v2').paths['/a'].post.requestBody?.required, required)
    t.equal((await app.inject({ method: 'POST', url: '/a' })).statusCode, required === true ? 400 : 200)
  })
}

t.test('a scheme of one\'s own writes the version into media types', async (t) => {
  class Vendor extends BaseVersioning {
    override mediaTypeFor (version: string) { return `application/vnd.acme.${version}+json` }
    override readVersion () { return 'v2' }
  }
  const { responses } = await operationIn(t, { scheme: Vendor }, { response: { 200: { type: 'object' } } })
  t.strictSame(Object.keys(responses[200].content ?? {}), ['application/vnd.acme.v2+json'])
})

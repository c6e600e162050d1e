import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { VENDOR, documentOf, documented, header, ok, operationOf, query } from './app.ts'

import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const accept = { scheme: AcceptHeaderVersioning }
const type = { scheme: ContentTypeVersioning }
const Query = QueryParameterVersioning
const object = { type: 'object' }
const media = { schema: object }

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

const PARAMETERS: [string, VersioningOptions, [place: string, name: string, isRequired: boolean] | null, string?][] = [
  ['a query parameter', query, ['query', 'version', true]],
  ['a query parameter of another name', { ...query, versionParam: 'v' }, ['query', 'v', true]],
  ['a header', header, ['header', 'API-Version', true]],
  ['a header of another name', { ...header, versionHeader: 'X-V' }, ['header', 'X-V', true]],
  ['an optional header', { ...header, defaultVersion: 'v2' }, ['header', 'API-Version', false]],
  ['a required header, if the default depends on the client',
    { ...header, defaultVersion: { header: 'X-Key', version: () => 'v1' } },
    ['header', 'API-Version', true]],
  ['the first of several places', { scheme: [Query, HeaderVersioning] }, ['query', 'version', true]],
  ['the first place that allows it', { scheme: [new HeaderVersioning({ allowedVersions: ['v1'] }), Query] },
    ['query', 'version', true]],
  ['a header, if a list has it and the path has no place', { scheme: [URLPathVersioning, HeaderVersioning] },
    ['header', 'API-Version', true]],
  ['the parameter of a custom scheme', { scheme: Cookie }, ['cookie', 'v', true]],
  ['the parameter of a subclass', { scheme: Short }, ['query', 'v', true]],
  ['nothing, if the scheme documents no place', { scheme: Nowhere }, null],
  ['nothing, if the path has it', { scheme: [HeaderVersioning, URLPathVersioning] }, null, '/:version/a']
]

for (const [what, versioning, expected, url] of PARAMETERS) {
  t.test(`an operation has the version as ${what}`, async (t) => {
    const [place, name, required] = expected ?? []
    const schema = { type: 'string', enum: ['v2'], ...required ? {} : { default: 'v2' } }
    const parameter = { in: place, name, required, description: 'The version of the API', schema }
    const { parameters } = await operationOf(t, versioning, {}, 'get', url)
    t.strictSame(parameters, expected === null ? undefined : [parameter])
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
const RESPONSES: [string, VersioningOptions, object, Record<number, string[]>][] = [
  ['JSON', {}, { response: { 200: object } }, { 200: [JSON_V2] }],
  ['no schema', {}, {}, { 200: [JSON_V2] }],
  ['no content', {}, { response: { 204: { type: 'null' } } }, { 204: [JSON_V2] }],
  ['content and none', {}, { response: { 200: object, 204: { type: 'null' } } }, { 200: [JSON_V2], 204: [] }],
  ['errors only', {}, { response: { 404: object } }, { 200: [JSON_V2], 404: [JSON_V2] }],
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
    { produces: ['text/csv'], response: { 200: object } }, { 200: [JSON_V2, 'text/csv'] }],
  ['what a route produces', {}, { produces: ['application/json', 'text/csv'], response: { 200: object } },
    { 200: [JSON_V2, 'text/csv; version=v2'] }],
  ['its parameters', {}, { response: content('application/json; charset=utf-8') },
    { 200: ['application/json; version=v2; charset=utf-8'] }],
  ['the version of the user', {}, { response: content('application/json; version=v9') },
    { 200: ['application/json; version=v9'] }],
  ['the type of an error', {}, { response: content('application/problem+json') },
    { 200: [JSON_V2, 'application/problem+json'] }],
  ['what is no type', {}, { response: content('not a type') }, { 200: [JSON_V2, 'not a type'] }],
  ['a type without the vendor\'s syntax', { mediaTypes: VENDOR }, { response: content('application/octet-stream') },
    { 200: [ACME, 'application/octet-stream'] }],
  ['such a type in the default version', { mediaTypes: VENDOR, defaultVersion: 'v2' },
    { response: content('application/octet-stream') }, { 200: ['application/octet-stream'] }],
  ['one type of several that can', { mediaTypes: VENDOR }, { response: content('text/csv', 'application/json') },
    { 200: ['text/csv', ACME] }],
  ['a custom scheme', { scheme: Vendor }, { response: { 200: object } }, { 200: [ACME] }]
]

for (const [what, versioning, schema, expected] of RESPONSES) {
  t.test(`the media types of responses have the version with ${what}`, async (t) => {
    const { responses } = await operationOf(t, { ...accept, ...versioning }, schema)
    const own = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
    t.same(Object.fromEntries(own.map(([status, { content }]) => [status, Object.keys(content ?? {})])), expected)
  })
}

for (const [own, plain, mediaTypes] of [
  [JSON_V2, 'application/json', null], [ACME, 'application/json', VENDOR]
] as const) {
  t.test(`of ${own} and ${plain} the one with the version is shown, in any order`, async (t) => {
    for (const types of [[own, plain], [plain, own]]) {
      const response = { 200: { content: Object.fromEntries(types.map((one) => [one, { schema: { title: one } }])) } }
      const { responses } = await operationOf(t, { ...accept, mediaTypes }, { response })
      t.strictSame(responses[200].content, { [own]: { schema: { title: own } } })
    }
  })
}

const FORM = { body: object, consumes: ['multipart/form-data'] }
const CSV = { body: object, consumes: ['text/csv'] }
const BODIES: [string, VersioningOptions, object, string[], (boolean | undefined)?][] = [
  ['a body', {}, { body: object }, [JSON_V2], true],
  ['a body that is not described', {}, {}, [JSON_V2], undefined],
  ['what the route consumes', {}, CSV, ['text/csv; version=v2'], true],
  ['types that are written out', {}, { body: { content: { 'text/csv': media } } }, ['text/csv; version=v2'], true],
  ['a form', {}, FORM, ['multipart/form-data; version=v2'], true],
  ['a form of the default version', { defaultVersion: 'v2' }, FORM, ['multipart/form-data'], true],
  ['a vendor type', { mediaTypes: VENDOR }, { body: object }, [ACME], true],
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

const LISTS: [string, VersioningOptions, object, string | undefined][] = [
  ['a form', { scheme: [ContentTypeVersioning, HeaderVersioning] }, FORM, 'API-Version'],
  ['a body without a vendor type', { scheme: [ContentTypeVersioning, HeaderVersioning], mediaTypes: VENDOR }, CSV,
    'API-Version'],
  ['a response of JSON', { scheme: [AcceptHeaderVersioning, HeaderVersioning] }, { response: { 200: object } },
    undefined],
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
  ['no address', byHost, {}, {}, undefined, undefined],
  ['servers of the user', { ...byHost, baseUrl: v1 }, {}, { openapi: { servers: own } }, own[0].url, undefined],
  ['a list of which a form is last', { scheme: [ContentTypeVersioning, HostNameVersioning], baseUrl: v1 }, {}, {}, v2,
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

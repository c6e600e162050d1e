import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { documentOf, documented } from './app.ts'

import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'
import type { Doc, Operation } from './app.ts'

const NOW = Date.UTC(2026, 5, 1)
const answer = async () => 'ok'

async function documentWith (
  t: Parameters<typeof documented>[0], versioning: VersioningOptions, deprecated?: VersionEnding, schema: object = {}
): Promise<Doc> {
  const app = await documented(t, { scheme: HeaderVersioning, now: () => NOW, ...versioning }, (app) => {
    app.get('/a', { schema, ...deprecated && { deprecated } }, answer)
    app.get('/neutral', { versioning: false }, answer)
  })
  return documentOf(app, 'v1')
}

const sayOfEnding = ({ deprecated, 'x-sunset': sunset, externalDocs }: Operation) => (
  JSON.parse(JSON.stringify({ deprecated, sunset, externalDocs }))
)

const ENDINGS: [string, VersionEnding, object][] = [
  ['is deprecated', { deprecated: '2026-01-01' }, { deprecated: true }],
  ['will be deprecated', { deprecated: '2027-01-01' }, {}],
  ['ends', { deprecated: '2026-01-01', sunset: '2026-12-31T23:00:00Z' }, { deprecated: true, sunset: '2026-12-31' }],
  ['ends without a deprecation', { sunset: '2026-12-31' }, { sunset: '2026-12-31' }],
  ['has a notice', { deprecated: '2026-01-01', info: 'https://example.com/v1' }, { deprecated: true }]
]

for (const [what, ending, expected] of ENDINGS) {
  t.test(`an operation of a version that ${what} has ${JSON.stringify(expected)}`, async (t) => {
    const { paths } = await documentWith(t, { lifecycle: { v1: ending } })
    t.strictSame(sayOfEnding(paths['/a'].get), expected)
    t.strictSame(sayOfEnding(paths['/neutral'].get), {})
  })

  t.test(`an operation of a route that ${what} has ${JSON.stringify(expected)}`, async (t) => {
    const { paths } = await documentWith(t, {}, ending)
    const notice = ending.info && { externalDocs: { url: ending.info, description: 'Retirement notice' } }
    t.strictSame(sayOfEnding(paths['/a'].get), { ...expected, ...notice })
  })
}

t.test('the description that the user gives an operation is kept', async (t) => {
  const own = { deprecated: false, 'x-sunset': 'soon', externalDocs: { url: 'https://own.example.com' } }
  const ending = { deprecated: '2026-01-01', sunset: '2026-12-31', info: 'https://example.com/v1' }
  const { paths } = await documentWith(t, { lifecycle: { v1: ending } }, undefined, own)
  t.match(paths['/a'].get, { 'x-sunset': 'soon', externalDocs: own.externalDocs })
  t.notOk(paths['/a'].get.deprecated)
})

const HEADERS: [string, VersioningOptions, string[]][] = [
  ['no ending', {}, []],
  ['a deprecation', { lifecycle: { v1: { deprecated: '2026-01-01' } } }, ['Deprecation']],
  ['a sunset and where to read more', { lifecycle: { v1: { sunset: '2026-12-31', info: '/v1' } } }, ['Sunset', 'Link']],
  ['an ending whose links name later versions',
    { scheme: QueryParameterVersioning, lifecycle: { v1: { deprecated: '2026-01-01' } } }, ['Deprecation', 'Link']],
  ['an ending of the latest version',
    { scheme: QueryParameterVersioning, allowedVersions: ['v1'], lifecycle: { v1: { deprecated: '2026-01-01' } } },
    ['Deprecation']],
  ['an ending before a preview and no version', {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2', null],
    lifecycle: { v1: { deprecated: '2026-01-01' }, v2: { preview: true } }
  }, ['Deprecation']],
  ['a report', { reportVersions: true }, ['API-Supported-Versions']],
  ['a report with endings', { reportVersions: true, lifecycle: { v2: { deprecated: '2026-01-01' } } },
    ['API-Supported-Versions', 'API-Deprecated-Versions']],
  ['the version that is served', { servedVersion: 'X-Served!' }, ['X-Served!']]
]

for (const [what, versioning, expected] of HEADERS) {
  t.test(`the responses of a document have the headers of ${what}`, async (t) => {
    const { paths, components } = await documentWith(t, versioning)
    const headers = paths['/a'].get.responses[200].headers ?? {}
    t.strictSame(Object.keys(headers), expected)
    const keys = expected.map((name) => name.replace('!', '-'))
    t.strictSame(Object.keys(components.headers ?? {}).sort(), keys.toSorted())
    t.strictSame(Object.values(headers), keys.map((key) => ({ $ref: `#/components/headers/${key}` })))
    t.equal(paths['/neutral'].get.responses[200].headers, undefined)
  })
}

t.test('a header that the user describes is kept', async (t) => {
  const response = { 200: { type: 'string', headers: { sunset: { type: 'string', description: 'Mine' } } } }
  const { paths } = await documentWith(t, { lifecycle: { v1: { sunset: '2026-12-31' } } }, undefined, { response })
  t.strictSame(paths['/a'].get.responses[200].headers, { sunset: { description: 'Mine', schema: { type: 'string' } } })
})

t.test('the refusals of a document have the headers of the report', async (t) => {
  const { components } = await documentWith(t, { reportVersions: true, scheme: AcceptHeaderVersioning })
  t.match(components.responses, {
    VersionNotAcceptable: {
      headers: { 'API-Supported-Versions': { $ref: '#/components/headers/API-Supported-Versions' } }
    }
  })
})

/** What a document says of a refusal, and the headers of the wire that it may speak of. */
async function goneWith (t: Parameters<typeof documented>[0], versioning: VersioningOptions) {
  const own = { scheme: HeaderVersioning, lifecycle: { v1: ended }, enforceSunset: true, now: () => NOW, ...versioning }
  const app = await documented(t, own, (app) => app.get('/a', answer))
  const { headers, statusCode } = await app.inject({ url: '/a', headers: { 'api-version': 'v1' } })
  t.equal(statusCode, 410)
  const told = ['deprecation', 'sunset', 'link', 'api-supported-versions', 'api-deprecated-versions', 'x-served']
  return { doc: documentOf(app, 'v1'), sent: told.filter((name) => name in headers) }
}

const ended = { deprecated: '2025-01-01', sunset: '2026-01-01', info: '/v1' }
const GONE: [string, VersioningOptions][] = [
  ['dates and links', {}],
  ['a report', { reportVersions: true, lifecycle: { v1: ended, v2: { deprecated: '2026-01-01' } } }],
  ['the version that is served', { servedVersion: 'X-Served' }],
  ['a sunset alone', { lifecycle: { v1: { sunset: '2026-01-01' } } }]
]

for (const [what, versioning] of GONE) {
  t.test(`the 410 of a document has the headers that are sent with ${what}`, async (t) => {
    const { doc: { components }, sent } = await goneWith(t, versioning)
    const { headers = {} } = components.responses?.VersionGone ?? {}
    t.strictSame(Object.keys(headers).map((name) => name.toLowerCase()), sent)
    const refused = components.responses?.VersionNotSupported?.headers ?? {}
    t.strictSame(Object.keys(refused), Object.keys(headers).filter((name) => name.startsWith('API-')))
  })
}

const body = (status: number, ...codes: string[]) => ({
  'application/json': {
    schema: { properties: { statusCode: { enum: [status] }, code: { enum: codes }, message: { type: 'string' } } }
  }
})

const REFUSALS: [string, VersioningOptions, string, string, object][] = [
  ['a query parameter', { scheme: QueryParameterVersioning }, '404', 'VersionNotFound',
    { description: 'The version is not found', content: body(404, 'FST_ERR_VERSION_NOT_FOUND') }],
  ['an Accept header', { scheme: AcceptHeaderVersioning }, '406', 'VersionNotAcceptable',
    { content: body(406, 'FST_ERR_VERSION_NOT_ACCEPTABLE') }],
  ['a header that may be sent twice', { scheme: HeaderVersioning }, '400', 'VersionNotSupported', {
    description: 'The version is not supported or the request specifies different versions',
    content: body(400, 'FST_ERR_VERSION_NOT_SUPPORTED', 'FST_ERR_VERSION_AMBIGUOUS')
  }],
  ['several places', { scheme: [QueryParameterVersioning, HostNameVersioning] }, '400', 'VersionAmbiguous',
    { content: body(400, 'FST_ERR_VERSION_AMBIGUOUS') }],
  ['a vendor type', { scheme: AcceptHeaderVersioning, mediaTypes: ['application/vnd.a.{version}+json'] }, '400',
    'VersionAmbiguous', { content: body(400, 'FST_ERR_VERSION_AMBIGUOUS') }],
  ['a version that is gone', { enforceSunset: true, lifecycle: { v1: { sunset: '2027-01-01' } } }, '410', 'VersionGone',
    { content: body(410, 'FST_ERR_VERSION_GONE') }]
]

for (const [what, versioning, status, name, expected] of REFUSALS) {
  t.test(`the refusal of ${what} is described once`, async (t) => {
    const { paths, components } = await documentWith(t, versioning)
    t.strictSame(paths['/a'].get.responses[status], { $ref: `#/components/responses/${name}` })
    t.match(components.responses?.[name], expected)
    t.strictSame(Object.keys(paths['/neutral'].get.responses), ['200'])
  })
}

t.test('a document has no refusal where every version is allowed', async (t) => {
  const app = await documented(t, { scheme: QueryParameterVersioning, allowedVersions: null }, (app) => {
    app.get('/a', answer)
  }, { versions: new Set(['v1']) })
  t.strictSame(Object.keys(documentOf(app, 'v1').paths['/a'].get.responses), ['200'])
})

const CUSTOM: [string, () => Error, string[]][] = [
  ['that the client caused', () => Object.assign(new Error('No.'), { statusCode: 451, code: 'MY_ERR' }),
    ['200', '451']],
  ['that the server caused', () => Object.assign(new Error('No.'), { statusCode: 503 }), ['200']],
  ['that cannot be made without a request', () => { throw new Error('No request') }, ['200']]
]

for (const [what, refusal, expected] of CUSTOM) {
  t.test(`a document of a custom scheme has ${expected.length > 1 ? 'a' : 'no'} refusal ${what}`, async (t) => {
    class Own extends QueryParameterVersioning { override refusal () { return refusal() } }
    const { paths, components } = await documentWith(t, { scheme: Own })
    t.strictSame(Object.keys(paths['/a'].get.responses), expected)
    if (expected.length > 1) t.match(components.responses, { MyErr: { description: 'No.' } })
  })
}

t.test('a response that the user describes is not taken for a refusal', async (t) => {
  const response = { 400: { type: 'string', description: 'Mine' } }
  const { paths } = await documentWith(t, {}, undefined, { response })
  t.match(paths['/a'].get.responses[400], { description: 'Mine' })
})

t.test('refusals that differ have different names, and a response of the user goes first', async (t) => {
  const own = { description: 'Mine' }
  const app = await documented(t, { scheme: HeaderVersioning }, (app) => {
    app.get('/a', { versioning: QueryParameterVersioning }, answer)
    app.get('/b', { versioning: [QueryParameterVersioning, HeaderVersioning] }, answer)
    app.get('/c', { schema: { querystring: { type: 'object', properties: {} } } }, answer)
    app.get('/d', { versioning: new AcceptHeaderVersioning({ allowedVersions: ['v1'] }) }, answer)
    app.get('/e', answer)
  }, { openapi: { components: { responses: { VersionNotAcceptable: own } } } })
  const { paths, components } = documentOf(app, 'v1')
  t.strictSame(components.responses?.VersionNotAcceptable, own)
  t.strictSame(paths['/d'].get.responses[406], { $ref: '#/components/responses/VersionNotAcceptable' })
  t.strictSame(paths['/c'].get.responses[400], { $ref: '#/components/responses/VersionNotSupported-2' })
  t.strictSame(paths['/e'].get.responses[400], { $ref: '#/components/responses/VersionNotSupported' })
})

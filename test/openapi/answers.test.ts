import { Ajv } from 'ajv'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { PLACES, VENDOR, documentOf, documented, header, object, ok, query, refer, some, text } from './app.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { RouteVersions, VersionEnding, VersioningOptions } from '../../types/index.d.ts'
import type { Doc, Operation, Response } from './app.ts'

const now = () => Date.UTC(2026, 5, 1)
const info = { title: 'API', version: '1', description: 'Rooms.' }
const sunset = '2026-12-31'
const deprecated = '2026-01-01'
const ended = { sunset }

async function documentWith (
  t: Test, options: VersioningOptions, deprecated?: VersionEnding, schema: object = {}, versions?: string[]
): Promise<Doc> {
  const app = await documented(t, { ...header, now, ...options }, (app) => {
    app.get('/a', { schema, ...deprecated && { deprecated } }, ok)
    app.get('/neutral', { versioning: false }, ok)
  }, { openapi: { info }, ...versions && { versions } })
  return documentOf(app, app.openapi.names[0])
}

const ENDINGS: [VersionEnding, string, object][] = [
  [{ deprecated }, 'Deprecated since 1 January 2026.', { deprecated: true }],
  [{ deprecated: '2026-07-01' }, 'Deprecated from 1 July 2026.', {}],
  [{ deprecated, sunset: '2026-12-31T23:00:00Z' }, 'Deprecated since 1 January 2026. Ends on 31 December 2026.',
    { deprecated: true, 'x-sunset': '2026-12-31T23:00:00Z' }],
  [{ sunset: '2026-05-31T12:00:00.5+02:00' }, 'Ended on 31 May 2026.',
    { deprecated: true, 'x-sunset': '2026-05-31T10:00:00.500Z' }],
  [{ sunset: '2026-05-31' }, 'Ended on 31 May 2026.', { deprecated: true, 'x-sunset': '2026-05-31' }],
  [{ sunset, info: '/v1' }, 'Ends on 31 December 2026.', { 'x-sunset': sunset }]
]

for (const [ending, sentence, expected] of ENDINGS) {
  const endingOf = ({ deprecated, 'x-sunset': sunset, description, externalDocs }: Operation) => (
    JSON.parse(JSON.stringify({ deprecated, 'x-sunset': sunset, description, externalDocs }))
  )

  t.test(`the head of a document alone says "${sentence}" of its version`, async (t) => {
    const { info, paths } = await documentWith(t, { lifecycle: { v1: ending } })
    const notice = ending.info === undefined ? '' : ' Retirement notice: /v1'
    t.equal(info.description, `${sentence} Use v2.${notice}\n\nRooms.`)
    t.strictSame(endingOf(paths['/a'].get), expected)
    t.strictSame(endingOf(paths['/neutral'].get), {})
  })

  t.test(`an operation that ends by itself says "${sentence}"`, async (t) => {
    const { info, paths } = await documentWith(t, {}, ending, { description: 'All.' })
    t.equal(info.description, 'Rooms.')
    t.strictSame(endingOf(paths['/a'].get), {
      ...expected,
      description: `${sentence}\n\nAll.`,
      ...ending.info !== undefined && { externalDocs: { url: ending.info, description: 'Retirement notice' } }
    })
  })
}

const three = ['v1', 'v2', 'v3']
const SUCCESSORS: [string, VersioningOptions, string, versions?: string[]][] = [
  ['the latest version', { allowedVersions: three, lifecycle: { v1: ended } }, ' Use v3.'],
  ['the latest version that is not retired', { allowedVersions: three, lifecycle: { v1: ended, v3: ended } },
    ' Use v2.'],
  ['a version that has its release', { allowedVersions: three, lifecycle: { v1: ended, v3: { released: deprecated } } },
    ' Use v3.'],
  ['no preview', { allowedVersions: three, lifecycle: { v1: ended, v3: { preview: true } } }, ' Use v2.'],
  ['no version without a document', { allowedVersions: three, lifecycle: { v1: ended } }, ' Use v2.', ['v1', 'v2']],
  ['no version', { allowedVersions: ['v1'], lifecycle: { v1: ended } }, ''],
  ['a dated version', { allowedVersions: ['2025-01-01', '2026-01-01'], lifecycle: { '2025-01-01': ended } },
    ' Use version 2026-01-01.']
]

for (const [what, options, expected, versions] of SUCCESSORS) {
  t.test(`the head of a document whose version is retired recommends ${what}`, async (t) => {
    const { info } = await documentWith(t, options, undefined, {}, versions)
    t.equal(info.description, `Ends on 31 December 2026.${expected}\n\nRooms.`)
  })
}

t.test('what the user describes in an operation is kept', async (t) => {
  const own = { deprecated: false, 'x-sunset': 'soon', externalDocs: { url: 'https://own.example.com' } }
  const lifecycle = { v1: { deprecated, sunset, info: 'https://example.com/v1' } }
  const response = { 200: { type: 'string', headers: { sunset: { type: 'string', description: 'Mine' } } } }
  const { get } = (await documentWith(t, { lifecycle }, undefined, { ...own, response })).paths['/a']
  t.match(get, { 'x-sunset': 'soon', externalDocs: own.externalDocs })
  t.notOk(get.deprecated)
  t.match(get.responses[200].headers, { sunset: { description: 'Mine' }, Deprecation: {} })
  t.notOk(get.responses[200].headers?.Sunset)
})

/** A document of contexts with other lifecycles, which are below one without a scheme. */
async function documentOfContexts (t: Test, version: string, lifecycles: VersioningOptions['lifecycle'][]) {
  const app = await appWith(t, { scheme: null, now })
  await app.register(openapi, { versions: ['v1', 'v2'] })
  for (const [i, lifecycle] of lifecycles.entries()) {
    app.register(async (api: FastifyInstance) => {
      await api.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle })
      api.get('/', ok)
    }, { prefix: `/${i}` })
  }
  await app.ready()
  return documentOf(app, version)
}

t.test('the head of a document has the ending of its version only if all of its contexts agree', async (t) => {
  const same = await documentOfContexts(t, 'v1', [{ v1: ended }, { v1: { ...ended } }])
  t.equal(same.info.description, 'Ends on 31 December 2026. Use v2.')
  const { info, paths } = await documentOfContexts(t, 'v1', [{ v1: ended }, { v1: { sunset: '2027-12-31' } }])
  t.equal(info.description, undefined)
  t.match(paths['/0/'].get.description, 'Ends on 31 December 2026.')
  t.match(paths['/1/'].get.description, 'Ends on 31 December 2027.')
})

t.test('a preview in one of two contexts is shown in its operations alone, without a text', async (t) => {
  const { info, paths } = await documentOfContexts(t, 'v2', [{ v2: { preview: true } }, {}])
  t.strictSame([info.description, 'x-stability-level' in info], [undefined, false])
  t.match(paths['/0/'].get, { 'x-stability-level': 'beta', description: undefined })
  t.notOk('x-stability-level' in paths['/1/'].get)
})

t.test('what is not retired has no retirement notice, but may have a page', async (t) => {
  const page = { v1: { released: deprecated, info: '/v1' } }
  const { info } = await documentOfContexts(t, 'v1', [page, page])
  t.equal(info.description, 'See: /v1')
  const { paths } = await documentOfContexts(t, 'v1', [page, {}])
  t.strictSame(paths['/0/'].get.externalDocs, { url: '/v1' })
})

t.test('the document of a preview says that it is one, and where to read more', async (t) => {
  const lifecycle = { v2: { preview: true, info: '/v2' } } as const
  const app = await documented(t, { ...header, lifecycle, reportVersions: true }, (app) => {
    app.get('/a', ok)
    app.get('/own', { deprecated: { sunset: '2099-01-01' } }, ok)
  })
  const beta = { 'x-stability-level': 'beta' }
  const { info, paths, ...document } = documentOf(app, 'v2')
  t.match({ info, paths, ...document }, { ...beta, info: beta, paths: { '/a': { get: beta }, '/own': { get: beta } } })
  t.equal(info.description, 'This version is a preview: it may change before its release. See: /v2')
  t.strictSame(['description', 'deprecated'].filter((one) => one in paths['/a'].get), [])
  t.strictSame(Object.keys(paths['/a'].get.responses[200].headers ?? {}), ['API-Supported-Versions'])
  t.notMatch(JSON.stringify(documentOf(app, 'v1')), 'stability')
})

t.test('a document says how a route without versions is retired, and never by the dates of the version', async (t) => {
  const lifecycle = { v1: { deprecated: '2024-01-01' }, v2: { preview: true } } as const
  const app = await documented(t, { ...header, now, lifecycle }, (app) => {
    app.get('/old', { versioning: false, deprecated: { deprecated: '2025-01-01', sunset: '2099-01-01' } }, ok)
    app.get('/neutral', { versioning: false }, ok)
  })
  for (const version of ['v1', 'v2']) {
    const { '/old': old, '/neutral': neutral } = documentOf(app, version).paths
    t.match(old.get, {
      deprecated: true,
      'x-sunset': '2099-01-01',
      'x-stability-level': undefined,
      description: 'Deprecated since 1 January 2025. Ends on 1 January 2099.'
    })
    t.match(neutral.get, { deprecated: undefined, 'x-sunset': undefined, 'x-stability-level': undefined })
  }
})

const gone = { deprecated: '2025-01-01', sunset: '2026-01-01', info: '/v1' }
const enforced = { enforceSunset: true, lifecycle: { v1: gone } }
const HEADERS: [string, VersioningOptions, string[]][] = [
  ['no ending', {}, []],
  ['a deprecation', { lifecycle: { v1: { deprecated } } }, ['Deprecation']],
  ['a sunset and where to read more', { lifecycle: { v1: { sunset, info: '/v1' } } }, ['Sunset', 'Link']],
  ['links to later versions', { ...query, lifecycle: { v1: { deprecated } } }, ['Deprecation', 'Link']],
  ['the latest version', { ...query, allowedVersions: ['v1'], lifecycle: { v1: { deprecated } } }, ['Deprecation']],
  ['a preview and no version as the later ones',
    { ...query, allowedVersions: ['v1', 'v2', null], lifecycle: { v1: { deprecated }, v2: { preview: true } } },
    ['Deprecation']],
  ['a report', { reportVersions: true }, ['API-Supported-Versions']],
  ['a report with endings', { reportVersions: true, lifecycle: { v2: { deprecated } } },
    ['API-Supported-Versions', 'API-Deprecated-Versions']],
  ['the version that is served', { servedVersion: 'X-Served!' }, ['X-Served!']],
  ['dates and links of a version that is gone', enforced, ['Deprecation', 'Sunset', 'Link']],
  ['a report without a version that is gone',
    { ...enforced, reportVersions: true, lifecycle: { v1: gone, v2: { deprecated } } },
    ['Deprecation', 'Sunset', 'Link', 'API-Supported-Versions', 'API-Deprecated-Versions']],
  ['a sunset that is past, and no served version',
    { ...enforced, servedVersion: 'X-Served', lifecycle: { v1: { sunset: '2026-01-01' } } }, ['Sunset']]
]
const SENT = [
  'deprecation', 'sunset', 'link', 'api-supported-versions', 'api-deprecated-versions', 'x-served', 'x-served!'
]

for (const [what, options, expected] of HEADERS) {
  t.test(`a document describes the headers that are sent with ${what}`, async (t) => {
    const app = await documented(t, { ...header, now, ...options }, (app) => {
      some(app)
      app.get('/neutral', { versioning: false }, ok)
    })
    const sent = { url: '/a', headers: { 'api-version': 'v1' }, query: { version: 'v1' } }
    const { headers, statusCode } = await app.inject(sent)
    t.strictSame(SENT.filter((name) => name in headers), expected.map((name) => name.toLowerCase()))
    const { paths, components } = documentOf(app, 'v1')
    const own = statusCode === 200 ? paths['/a'].get.responses[200] : refusalsOf(app)[statusCode]
    const keys = expected.map((name) => name.replace('!', '-'))
    t.strictSame(own.headers ?? {}, Object.fromEntries(expected.map((name, i) => [name, refer(keys[i], 'headers')])))
    if (statusCode === 200) t.strictSame(Object.keys(components.headers ?? {}).sort(), keys.toSorted())
    t.equal(paths['/neutral'].get.responses[200].headers, undefined)
    const [refusal] = Object.values(refusalsOf(app))
    t.strictSame(Object.keys(refusal.headers ?? {}), expected.filter((name) => name.startsWith('API-')))
  })
}

t.test('a document describes which versions of the URL are deprecated, if one is or will be', async (t) => {
  const options = { ...header, now, reportVersions: true, lifecycle: { v1: { deprecated } } }
  const app = await documented(t, options, (app) => {
    app.get('/a', { version: 'v1' }, ok)
    app.get('/b', { version: 'v2' }, ok)
    app.get('/c', { version: 'v2', deprecated: { deprecated } }, ok)
  })
  for (const [url, version, isSent] of [['/a', 'v1', true], ['/b', 'v2', false], ['/c', 'v2', true]] as const) {
    const { headers } = await app.inject({ url, headers: { 'api-version': version } })
    t.equal('api-deprecated-versions' in headers, isSent, url)
    const described = documentOf(app, version).paths[url].get.responses[200].headers ?? {}
    t.equal('API-Deprecated-Versions' in described, isSent, url)
  }
})

t.test('a document does not describe deprecated versions if all of them are gone', async (t) => {
  const app = await documented(t, { ...header, now, ...enforced, reportVersions: true }, some)
  const { headers } = await app.inject({ url: '/a', headers: { 'api-version': 'v2' } })
  t.notOk('api-deprecated-versions' in headers)
  t.strictSame(Object.keys(documentOf(app, 'v2').paths['/a'].get.responses[200].headers ?? {}),
    ['API-Supported-Versions'])
})

for (const enforceSunset of [false, true]) {
  const answers = enforceSunset ? 410 : 200
  t.test(`a document describes the headers of a retired route without versions that answers ${answers}`, async (t) => {
    const options = { ...header, now, enforceSunset, reportVersions: true, servedVersion: 'X-Served' }
    const app = await documented(t, options, (app) => {
      app.get('/a', { versioning: false, deprecated: { deprecated, sunset: '2026-02-01', info: '/old' } }, ok)
    })
    const { headers, statusCode } = await app.inject('/a')
    t.strictSame([statusCode, SENT.filter((name) => name in headers)], [answers, ['deprecation', 'sunset', 'link']])
    const { components, paths } = documentOf(app, 'v1')
    const { responses } = paths['/a'].get
    t.strictSame(Object.keys(responses), enforceSunset ? ['200', '410'] : ['200'])
    const { headers: described } = enforceSunset ? components.responses?.VersionGone as Response : responses[200]
    t.strictSame(Object.keys(described ?? {}), ['Deprecation', 'Sunset', 'Link'])
  })
}

/** Where links to later versions could be, and whether a request for v1 gets one. */
const LINKED: [
  what: string, versioning: VersioningOptions, routes: (app: FastifyInstance) => void, request: InjectOptions, boolean
][] = [
  ['a later version that is retired as well',
    { scheme: URLPathVersioning, lifecycle: { v1: { deprecated }, v2: ended } },
    (app) => app.get('/:version/a', ok), { url: '/v1/a' }, true],
  ['a later version that has ended',
    { ...query, enforceSunset: true, lifecycle: { v1: { deprecated }, v2: { sunset: '2026-02-01' } } },
    some, { url: '/a?version=v1' }, false],
  ['routes of v1 alone', { scheme: URLPathVersioning, lifecycle: { v1: { deprecated } } }, (app) => {
    app.get('/:version/a', { version: 'v1' }, ok)
    app.get('/:version/b', ok)
  }, { url: '/v1/a' }, false],
  ['an optional parameter', { ...query, lifecycle: { v1: { deprecated } } },
    (app) => app.get('/a/:id?', ok), { url: '/a/1?version=v1' }, true],
  ['a path without the parameter of a list',
    { scheme: [HeaderVersioning, URLPathVersioning], lifecycle: { v1: { deprecated } } },
    some, { url: '/a', headers: { 'api-version': 'v1' } }, false],
  ['hosts behind a proxy', { scheme: HostNameVersioning, lifecycle: { v1: { deprecated } } },
    some, { url: '/a', headers: { host: 'v1.example.com' } }, false],
  ['no list of versions', { ...query, allowedVersions: null, lifecycle: { v1: { deprecated } } },
    some, { url: '/a?version=v1' }, false],
  ['the same in another namespace', { scheme: NamespaceVersioning, lifecycle: { v1: { deprecated } } }, (app) => {
    for (const namespace of ['v1', 'v2']) {
      app.register(async (api) => { api.get('/a', ok) }, { namespace, prefix: `/${namespace}` })
    }
  }, { url: '/v1/a' }, true],
  ['another route in another namespace', { scheme: NamespaceVersioning, lifecycle: { v1: { deprecated } } }, (app) => {
    for (const [namespace, url] of [['v1', '/a'], ['v2', '/b']] as const) {
      app.register(async (api) => { api.get(url, ok) }, { namespace, prefix: `/${namespace}` })
    }
  }, { url: '/v1/a' }, false]
]

for (const [what, versioning, routes, request, isLinked] of LINKED) {
  const isSaid = isLinked ? 'sent and described' : 'neither sent nor described'
  t.test(`the header Link is ${isSaid} with ${what}`, async (t) => {
    const app = await documented(t, { now, ...versioning }, routes, { versions: ['v1', 'v2'] }, { trustProxy: true })
    const { headers, statusCode } = await app.inject(request)
    t.strictSame([statusCode, 'link' in headers], [200, isLinked])
    const [path] = Object.values(documentOf(app, 'v1').paths)
    t.strictSame(Object.keys(path.get.responses[200].headers ?? {}), ['Deprecation', ...isLinked ? ['Link'] : []])
  })
}

/** What the 4xx of v1's only operation say, by status, with what they refer to. */
function refusalsOf (app: FastifyInstance, method: 'get' | 'post' = 'get', path = '/a'): Record<string, Response> {
  const { components, paths } = documentOf(app, 'v1')
  return Object.fromEntries(Object.entries(paths[path][method].responses).flatMap(([status, { $ref, ...own }]) => {
    const response = $ref === undefined ? own : components.responses?.[$ref.split('/').at(-1) as string]
    return status.startsWith('4') && response !== undefined ? [[status, response]] : []
  }))
}

const AMBIGUOUS = 'The request specifies different versions.'
const IN_QUERY: Texts = ['VersionNotFound', places.query.refusal.message, ['NOT_FOUND']]
const IN_ACCEPT: Texts = ['VersionNotAcceptable', 'Invalid version in "Accept" header.', ['NOT_ACCEPTABLE']]
type Texts = [name: string, description: string, codes: string[]]
const TEXTS: [string, VersioningOptions, Record<string, Texts>][] = [
  ['a query parameter', query, { 404: IN_QUERY }],
  ['an Accept header', { scheme: AcceptHeaderVersioning }, { 406: IN_ACCEPT }],
  ['a vendor type next to JSON', { scheme: AcceptHeaderVersioning, mediaTypes: ['application/json', ...VENDOR] },
    { 400: ['VersionAmbiguous', AMBIGUOUS, ['AMBIGUOUS']], 406: IN_ACCEPT }],
  ['a content type', { scheme: ContentTypeVersioning },
    { 415: ['VersionUnsupportedMediaType', 'Invalid version in "Content-Type" header.', ['UNSUPPORTED_MEDIA_TYPE']] }],
  ['a header that may be sent twice', header, {
    400: ['VersionNotSupported', `Invalid version in "API-Version" header. ${AMBIGUOUS}`,
      ['NOT_SUPPORTED', 'AMBIGUOUS']]
  }],
  ['a list', { scheme: [QueryParameterVersioning, AcceptHeaderVersioning] },
    { 400: ['VersionAmbiguous', AMBIGUOUS, ['AMBIGUOUS']], 404: IN_QUERY, 406: IN_ACCEPT }],
  ['a retired version', { ...query, enforceSunset: true, lifecycle: { v1: { sunset: '2099-01-01' } } },
    { 404: IN_QUERY, 410: ['VersionGone', 'This version was retired.', ['GONE']] }]
]

for (const [what, versioning, expected] of TEXTS) {
  t.test(`the refusals of ${what} are components with a text and the codes of the plugin`, async (t) => {
    const app = await documented(t, versioning, (app) => {
      app.get('/a', ok)
      app.get('/neutral', { versioning: false }, ok)
    })
    const { components, paths } = documentOf(app, 'v1')
    t.strictSame(Object.keys(paths['/a'].get.responses), ['200', ...Object.keys(expected)])
    for (const [status, [name, description, codes]] of Object.entries(expected)) {
      t.strictSame(paths['/a'].get.responses[status], refer(name, 'responses'))
      const ours = { type: 'string', enum: codes.map((one) => `FST_ERR_VERSION_${one}`) }
      const code = status === '400' || status === '415' ? { anyOf: [ours, text] } : ours
      const properties = { statusCode: { type: 'integer', enum: [Number(status)] }, code, error: text, message: text }
      const schema = { type: 'object', properties, required: ['statusCode', 'message'] }
      const { headers, ...response } = components.responses?.[name] ?? {}
      t.strictSame(response, { description, content: { 'application/json': { schema } } })
    }
    t.strictSame(Object.keys(paths['/neutral'].get.responses), ['200'])
  })
}

t.test('the 400 of an operation that validates requests is not said to be of versions alone', async (t) => {
  const app = await documented(t, header, (app) => {
    for (const part of ['body', 'querystring', 'query', 'params', 'headers']) {
      app.post(`/${part}`, { schema: { [part]: { type: 'object', properties: {} } } }, ok)
    }
    app.post('/none', { schema: { response: { 200: {} } } }, ok)
  })
  const { components, paths } = documentOf(app, 'v1')
  for (const [path, { post }] of Object.entries(paths)) {
    const name = post.responses[400].$ref?.split('/').at(-1) as string
    t.equal(/ Or the request is invalid\.$/.test(String(components.responses?.[name].description)), path !== '/none')
  }
})

const body = { type: 'object', properties: { beds: { type: 'integer' } } }
const ERRORS: [string, VersioningOptions, sent: [type: string, payload: string], number, string][] = [
  ['a refusal', header, ['application/json', '{}'], 400, 'FST_ERR_VERSION_NOT_SUPPORTED'],
  ['an error of validation', { ...header, defaultVersion: 'v1' }, ['application/json', '{"beds":"a"}'], 400,
    'FST_ERR_VALIDATION'],
  ['a media type of no parser', { scheme: ContentTypeVersioning, defaultVersion: 'v1' }, ['text/csv', 'a'], 415,
    'FST_ERR_CTP_INVALID_MEDIA_TYPE']
]

for (const [what, versioning, [type, payload], status, code] of ERRORS) {
  t.test(`the schema of a ${status} allows ${what}`, async (t) => {
    const app = await documented(t, versioning, (app) => app.post('/a', { schema: { body } }, ok))
    const response = await app.inject({ method: 'POST', url: '/a', headers: { 'content-type': type }, payload })
    t.strictSame([response.statusCode, response.json().code], [status, code])
    const { schema } = refusalsOf(app, 'post')[status].content?.['application/json'] ?? {}
    t.ok(new Ajv({ strict: false }).validate(schema as object, response.json()), response.body)
  })
}

const own = () => ({ fault: 'no' })
const HANDLERS: [string, (app: FastifyInstance) => void, boolean][] = [
  ['the root', (app) => { app.setErrorHandler(own).get('/a', ok) }, true],
  ['a child context', (app) => { app.register(async (api) => { api.setErrorHandler(own).get('/a', ok) }) }, true],
  ['a route', (app) => { app.get('/a', { errorHandler: (_error, _request, reply) => { reply.send(own()) } }, ok) },
    true],
  ['another context', (app) => {
    app.register(async (api) => { api.setErrorHandler(own) })
    app.get('/a', ok)
  }, false]
]

for (const [what, routes, isOwn] of HANDLERS) {
  t.test(`the body of a refusal ${isOwn ? 'is left to' : 'ignores'} an error handler of ${what}`, async (t) => {
    const app = await documented(t, query, routes)
    t.equal((await app.inject('/a?version=v9')).json().fault, isOwn ? 'no' : undefined)
    const { content, description } = refusalsOf(app)[404]
    t.strictSame([content === undefined, description], [isOwn, places.query.refusal.message])
  })
}

for (const [status, isOurs] of [['404', false], ['4xx', false], ['default', false], ['2xx', true]] as const) {
  t.test(`a refusal is described as it is served, next to the response ${status} of the user`, async (t) => {
    const schema = { response: { [status]: object('mine') } }
    const app = await documented(t, query, (app) => app.get('/a', { schema }, async () => ({})))
    t.equal((await app.inject('/a?version=v9')).json().code, 'FST_ERR_VERSION_NOT_FOUND')
    const { components, paths } = documentOf(app, 'v1')
    t.equal(paths['/a'].get.responses[404]?.$ref, isOurs ? '#/components/responses/VersionNotFound' : undefined)
    t.equal(components.responses?.VersionNotFound === undefined, !isOurs)
  })
}

t.test('equal refusals share a component, others get a number, and a response of the user goes first', async (t) => {
  class Once extends HeaderVersioning { override readonly parameter = null }
  const mine = { description: 'Mine' }
  const app = await documented(t, header, (app) => {
    app.get('/a', { errorHandler: (_error, _request, reply) => { reply.send(own()) } }, ok)
    app.get('/b', { versioning: new AcceptHeaderVersioning({ allowedVersions: ['v1'] }) }, ok)
    for (const url of ['/c', '/d']) app.get(url, ok)
    app.register(async (api) => {
      await api.register(versioning, { scheme: Once, reportVersions: true })
      api.get('/e', ok)
    })
  }, { openapi: { components: { responses: { VersionNotAcceptable: mine } } } })
  const { paths, components } = documentOf(app, 'v1')
  t.strictSame(components.responses?.VersionNotAcceptable, mine)
  const shown = Object.values(paths).flatMap(({ get }) => Object.values(get.responses).slice(1))
  t.strictSame(shown, [
    'VersionNotSupported', 'VersionNotAcceptable', 'VersionNotSupported-2', 'VersionNotSupported-2',
    'VersionNotSupported-3'
  ].map((name) => refer(name, 'responses')))
  t.strictSame(Object.keys(components.responses?.['VersionNotSupported-3'].headers ?? {}), ['API-Supported-Versions'])
})

const CUSTOM: [string, () => Error, string[]][] = [
  ['that the client caused', () => Object.assign(new Error('No.'), { statusCode: 451, code: 'MY_ERR' }), ['451']],
  ['that the server caused', () => Object.assign(new Error('No.'), { statusCode: 503, code: 'MY_ERR' }), []],
  ['that cannot be made without a request', () => { throw new Error('No request') }, []]
]

for (const [what, refusal, expected] of CUSTOM) {
  t.test(`a custom scheme has ${expected.join() || 'no response'} for a refusal ${what}`, async (t) => {
    class Own extends QueryParameterVersioning { override refusal () { return refusal() } }
    const app = await documented(t, { scheme: Own }, (app) => app.get('/a', ok))
    t.strictSame(Object.keys(refusalsOf(app)), expected)
    if (expected.length > 0) t.match(documentOf(app, 'v1').components.responses, { MyErr: { description: 'No.' } })
  })
}

t.test('a wrong default version of a client is refused by the first scheme of a list, also next to null', async (t) => {
  const options = { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions: [null, 'v1'] }
  const defaultVersion = { header: 'X-Key', version: (key: string | null) => key }
  const app = await documented(t, { ...options, defaultVersion }, (app) => app.get('/a', ok))
  const statuses = await Promise.all([{ 'x-key': 'v9' }, { 'api-version': 'v9' }, {}].map(async (headers) => (
    (await app.inject({ url: '/a', headers })).statusCode
  )))
  t.strictSame(statuses, [404, 400, 200])
  t.strictSame(Object.keys(refusalsOf(app)), ['400', '404'])
})

/** What requests get with versions in one place, and in two that the schemes read, on any host or on one. */
async function statusesOf (app: FastifyInstance, what: string, url: string, host: string | null): Promise<string[]> {
  const hosts = host === null && what.includes('HostName') ? ['localhost', 'v1.example.com', 'v9.example.com'] : [host]
  const read = PLACES.filter(([by]) => what.includes(by))
  const sent = read.flatMap(([by, specify]) => ['v1', 'v9'].flatMap((version) => {
    const first = specify(version)
    const seconds = read.filter(([other]) => other !== by).map(([, other]) => other('v1'))
    return [first, ...seconds.map((one) => ({ ...first, ...one, headers: { ...first.headers, ...one.headers } }))]
  }))
  const statuses = new Set<string>()
  for (const request of [{}, ...sent] as InjectOptions[]) {
    for (const host of hosts) {
      const headers = { ...request.headers, host: host ?? 'localhost' }
      const { statusCode } = await app.inject({ ...request, url, headers })
      if (statusCode >= 400) statuses.add(String(statusCode))
    }
  }
  return [...statuses].sort()
}

const single = Object.values(places).map(({ Scheme }) => Scheme)
/** A cycle of pairs notices what all pairs would. */
const MODELS: [string, VersioningOptions][] = [
  ...single.flatMap((scheme, i): [string, VersioningOptions][] => {
    const next = single[(i + 1) % single.length]
    return [[scheme.name, { scheme }], [`${scheme.name} and ${next.name}`, { scheme: [scheme, next] }]]
  }),
  ['NamespaceVersioning and AcceptHeaderVersioning with vendor types',
    { scheme: [NamespaceVersioning, AcceptHeaderVersioning], mediaTypes: VENDOR }],
  ['HeaderVersioning without a list of versions', { ...header, allowedVersions: null }],
  ['QueryParameterVersioning without a list of versions', { ...query, allowedVersions: null }],
  ['QueryParameterVersioning and null', { ...query, allowedVersions: [null, 'v1', 'v2', 'v3'] }],
  ['URLPathVersioning and HeaderVersioning with null',
    { scheme: [URLPathVersioning, HeaderVersioning], allowedVersions: [null, 'v1', 'v2', 'v3'] }],
  ['HeaderVersioning and a retired version',
    { ...header, enforceSunset: true, lifecycle: { v1: { sunset: '2025-01-01' } } }]
]

/** Routes at URLs that end differently, each of which is in v1's document. */
const ROUTES: [what: string, url: string, host: string | null, claims?: RouteVersions[], isNextToOpen?: boolean][] = [
  ['a route', '/a', null], ['a route of one host', '/b', 'v1.example.com'],
  ['a path with the version', '/:version/c', null], ['a namespace', '/v1/d', null],
  ['a claim', '/e', null, ['v1']], ['a claim of one host', '/f', 'v1.example.com', ['v1']],
  ['a claim in the path', '/:version/g', null, ['v1']], ['two claims', '/h', null, ['v1', 'v3']],
  ['a claim next to an open route', '/i', null, ['v2'], true], ['a claim with null', '/j', null, [['v1', null]]]
]

async function checkRefusals (t: Test, model: string, options: VersioningOptions): Promise<void> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2', 'v3'], ...options })
  await app.register(openapi, { ui: false, versions: new Set(['v1']) })
  const { allowedVersions, defaultVersion } = options
  const hasNull = defaultVersion === null && [...allowedVersions ?? []].includes(null)
  const routes = ROUTES.filter(([what, url, , claims]) => {
    if (what.includes('null')) return hasNull
    // A namespace cannot choose a route, and a path only if it has the version.
    return claims === undefined ||
      (!model.includes('Namespace') && (model !== 'URLPathVersioning' || url.includes(':version')))
  })
  for (const [what, url, host, claims = [], isOpen = claims.length === 0] of routes) {
    const constraints = host === null ? {} : { constraints: { host } }
    app.register(async (api) => {
      for (const version of claims) api.get(url, { ...constraints, version }, ok)
      if (isOpen) api.get(url, constraints, ok)
    }, what === 'a namespace' ? { namespace: 'v1' } : {})
  }
  await app.ready()
  const shown = Object.keys(documentOf(app, 'v1').paths)
  for (const [what, url, host] of routes) {
    const path = shown.find((one) => one.endsWith(url.slice(-2)))
    if (path === undefined) continue
    // If the path has the version, the document shows only v1's.
    const statuses = await statusesOf(app, model, url.replace(':version', 'v1'), host)
    t.strictSame(Object.keys(refusalsOf(app, 'get', path)), statuses, `${what}, default ${defaultVersion}`)
  }
}

for (const [what, options] of MODELS) {
  t.test(`a document lists the refusals that requests get under ${what}`, async (t) => {
    for (const defaultVersion of [null, 'v1', 'v2']) await checkRefusals(t, what, { ...options, defaultVersion })
  })
}

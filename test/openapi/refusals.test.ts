import { Ajv } from 'ajv'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Doc, Operation, Response } from './app.ts'

const answer = async () => 'ok'
type Tap = Parameters<typeof documented>[0]

/** A response of an operation, with what it refers to. */
function responseIn ({ components }: Doc, { responses }: Operation, status: number): Response | undefined {
  const response: Response | undefined = responses[status]
  return response?.$ref === undefined ? response : components.responses?.[response.$ref.split('/').at(-1) as string]
}

function isDescribed (
  app: FastifyInstance, operation: Operation, status: number, type: string, body: unknown
): boolean {
  const document = documentOf(app, 'v1')
  const media = responseIn(document, operation, status)?.content?.[type.split(';')[0]]
  if (media?.schema === undefined) return false
  return new Ajv({ strict: false }).validate({ ...media.schema, components: document.components }, body)
}

const body = { type: 'object', properties: { beds: { type: 'integer' } }, required: ['beds'] }
const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
const v1 = { 'api-version': 'v1' }
const json = { ...v1, 'content-type': 'application/json' }

const ERRORS: [string, InjectOptions, string][] = [
  ['a refusal', { headers: { 'api-version': 'v9' } }, 'FST_ERR_VERSION_NOT_SUPPORTED'],
  ['different versions', { headers: { 'api-version': ['v1', 'v2'] } }, 'FST_ERR_VERSION_AMBIGUOUS'],
  ['an error of validation', { headers: json, payload: '{}' }, 'FST_ERR_VALIDATION'],
  ['a query that does not fit', { headers: json, payload: '{"beds":1}', query: { page: 'a' } }, 'FST_ERR_VALIDATION'],
  ['a body that is not JSON', { headers: json, payload: '{' }, 'FST_ERR_CTP_INVALID_JSON_BODY'],
  ['a body that is empty', { headers: json, payload: '' }, 'FST_ERR_CTP_EMPTY_JSON_BODY']
]

for (const [what, request, code] of ERRORS) {
  t.test(`the schema of a 400 allows ${what}`, async (t) => {
    const schema = { body, querystring }
    const app = await documented(t, { scheme: HeaderVersioning }, (app) => { app.post('/a', { schema }, answer) })
    const response = await app.inject({ method: 'POST', url: '/a', ...request })
    t.strictSame([response.statusCode, response.json().code], [400, code])
    const operation = documentOf(app, 'v1').paths['/a'].post
    t.ok(isDescribed(app, operation, 400, String(response.headers['content-type']), response.json()), response.body)
  })
}

const DESCRIPTIONS: [string, VersioningOptions, object, Record<string, string>][] = [
  ['one refusal', { scheme: AcceptHeaderVersioning }, {}, { 406: 'The version is not acceptable' }],
  ['two refusals', { scheme: HeaderVersioning }, {},
    { 400: 'The version is not supported or the request specifies different versions' }],
  ['a list', { scheme: [QueryParameterVersioning, AcceptHeaderVersioning] }, {}, {
    404: 'The version is not found',
    406: 'The version is not acceptable',
    400: 'The request specifies different versions'
  }]
]

for (const [what, versioning, route, expected] of DESCRIPTIONS) {
  t.test(`the description of a response says what it means for ${what}`, async (t) => {
    const app = await documented(t, versioning, (app) => { app.get('/a', route, answer) })
    const document = documentOf(app, 'v1')
    const { get } = document.paths['/a']
    const said = Object.keys(expected).map((status) => [status, responseIn(document, get, Number(status))?.description])
    t.strictSame(Object.fromEntries(said), expected)
    t.strictSame(Object.keys(get.responses).sort(), ['200', ...Object.keys(expected)].sort())
  })
}

t.test('the schema of a 415 under ContentTypeVersioning allows the error of Fastify', async (t) => {
  const app = await documented(t, { scheme: ContentTypeVersioning, defaultVersion: 'v1' }, (app) => {
    app.post('/a', answer)
  })
  const headers = { 'content-type': 'text/csv' }
  const response = await app.inject({ method: 'POST', url: '/a', headers, payload: 'a' })
  t.equal(response.json().code, 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
  const operation = documentOf(app, 'v1').paths['/a'].post
  t.ok(isDescribed(app, operation, 415, 'application/json', response.json()))
})

const own = () => ({ fault: 'no' })

const HANDLERS: [string, (app: FastifyInstance) => void, boolean][] = [
  ['the root', (app) => { app.setErrorHandler(own).get('/a', answer) }, true],
  ['a child context', (app) => { app.register(async (api) => { api.setErrorHandler(own).get('/a', answer) }) }, true],
  ['a route', (app) => { app.get('/a', { errorHandler: (_error, _request, reply) => { reply.send(own()) } }, answer) },
    true],
  ['another context', (app) => {
    app.register(async (api) => { api.setErrorHandler(own) })
    app.get('/a', answer)
  }, false]
]

for (const [what, routes, isOwn] of HANDLERS) {
  t.test(`the body of a refusal is left to the user under an error handler of ${what}`, async (t) => {
    const app = await documented(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] }, routes)
    t.equal((await app.inject('/a?version=v9')).json().fault, isOwn ? 'no' : undefined)
    const document = documentOf(app, 'v1')
    const response = responseIn(document, document.paths['/a'].get, 404)
    t.equal(response?.description, 'The version is not found')
    t.equal(response?.content === undefined, isOwn)
    t.notMatch(JSON.stringify(document), 'x-fastify-versioning')
  })
}

interface Place {
  readonly by: string
  readonly naming: (version: string) => InjectOptions
}

/** Where a request can specify a version, and the scheme that reads it there. */
const PLACES: Place[] = [
  { by: 'QueryParameter', naming: (version) => ({ query: { version } }) },
  { by: 'Header', naming: (version) => ({ headers: { 'api-version': version } }) },
  { by: 'Header', naming: (version) => ({ headers: { 'api-version': [version, 'v2'] } }) },
  { by: 'AcceptHeader', naming: (version) => ({ headers: { accept: `application/json; version=${version}` } }) },
  { by: 'AcceptHeader', naming: (version) => ({ headers: { accept: `application/vnd.acme.${version}+json` } }) },
  {
    by: 'AcceptHeader',
    naming: (version) => ({ headers: { accept: `application/vnd.acme.${version}+json; version=v2` } })
  },
  {
    by: 'ContentType',
    naming: (version) => ({ headers: { 'content-type': `application/json; version=${version}` } })
  },
  {
    by: 'ContentType',
    naming: (version) => ({ headers: { 'content-type': `application/vnd.acme.${version}+json; version=v2` } })
  }
]

/** What requests get with versions in any place, in any two that the schemes read, on any host or on one. */
async function statusesOf (app: FastifyInstance, what: string, url: string, host: string | null): Promise<string[]> {
  const reads = ({ by }: Place) => what.includes(by)
  const hosts = what.includes('HostName') && host === null
    ? ['localhost', 'v1.example.com', 'v9.example.com']
    : [host ?? 'localhost']
  const requests: InjectOptions[] = [{}]
  for (const place of PLACES) {
    for (const version of ['v1', 'v9']) {
      requests.push(place.naming(version))
      if (!reads(place)) continue
      for (const other of PLACES.filter((one) => one.by !== place.by && reads(one))) {
        const [first, second] = [place.naming(version), other.naming('v1')]
        requests.push({ ...first, ...second, headers: { ...first.headers, ...second.headers } })
      }
    }
  }
  const statuses = new Set<string>()
  for (const request of requests) {
    for (const host of hosts) {
      const { statusCode } = await app.inject({ ...request, url, headers: { ...request.headers, host } })
      statuses.add(String(statusCode))
    }
  }
  return [...statuses]
}

const single = [
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
]
const vendor = { mediaTypes: ['application/vnd.acme.{version}+json'] }
const MODELS: [string, VersioningOptions][] = [
  ...single.map((scheme): [string, VersioningOptions] => [scheme.name, { scheme }]),
  ...single.flatMap((scheme, i) => single.slice(i + 1).map((other): [string, VersioningOptions] => (
    [`${scheme.name} and ${other.name}`, { scheme: [scheme, other] }]
  ))),
  ['AcceptHeaderVersioning with vendor types', { scheme: AcceptHeaderVersioning, ...vendor }],
  ['NamespaceVersioning and AcceptHeaderVersioning with vendor types', {
    scheme: [NamespaceVersioning, AcceptHeaderVersioning], ...vendor
  }],
  ['HeaderVersioning and a version that is gone', {
    scheme: HeaderVersioning, enforceSunset: true, lifecycle: { v1: { sunset: '2025-01-01' } }
  }]
]

const ROUTES: [string, string, string | null][] = [
  ['a route', '/a', null],
  ['a route of one host', '/b', 'v1.example.com'],
  ['a path with the version', '/:version/c', null],
  ['a namespace', '/v1/d', null]
]

/** A document has the refusals that requests get, and no others. */
async function checkRefusals (
  t: Tap, model: string, versioning: VersioningOptions, defaultVersion: string | null
): Promise<void> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], ...versioning, defaultVersion })
  await app.register(openapi, { ui: false })
  app.addContentTypeParser(/^application\/(?:[\w.]+\+)?json/, { parseAs: 'string' }, async () => ({}))
  for (const [what, url, host] of ROUTES) {
    const constraints = host === null ? {} : { constraints: { host } }
    app.register(async (api) => {
      api.get(url, constraints, answer)
    }, what === 'a namespace' ? { namespace: 'v1' } : {})
  }
  await app.ready()
  const { paths } = documentOf(app, 'v1')
  for (const [what, url, host] of ROUTES) {
    const [operation] = Object.entries(paths).filter(([path]) => path.endsWith(url.slice(-2))).map(([, { get }]) => get)
    if (operation === undefined) continue
    const listed = Object.keys(operation.responses).filter((status) => status.startsWith('4')).sort()
    // If the path has the version, the document shows only v1's.
    const statuses = await statusesOf(app, model, url.replace(':version', 'v1'), host)
    const refused = statuses.filter((status) => status.startsWith('4')).sort()
    t.strictSame(listed, refused, `${what}, default ${defaultVersion}`)
  }
}

for (const [what, versioning] of MODELS) {
  t.test(`a document lists the refusals that requests get under ${what}`, async (t) => {
    for (const defaultVersion of [null, 'v1']) await checkRefusals(t, what, versioning, defaultVersion)
  })
}

t.test('a document lists no refusal of a version-neutral route', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning }, (app) => {
    app.get('/a', { versioning: false }, answer)
    app.register(async (api) => {
      await api.register(versioning, { scheme: null })
      api.get('/b', answer)
    })
  })
  const { paths } = documentOf(app, 'v1')
  t.strictSame([Object.keys(paths['/a'].get.responses), Object.keys(paths['/b'].get.responses)], [['200'], ['200']])
})

import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documented } from './app.ts'
import { wrongIn } from './linkset.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const PATH = '/.well-known/api-catalog'
const baseUrl = 'https://gw.example.com/api'
const answer = async () => 'ok'

/** The links of the catalog, once it is known to be one. */
async function catalogOf (t: Tap, app: FastifyInstance): Promise<Record<string, unknown>[]> {
  const { body, headers, statusCode } = await app.inject(PATH)
  t.equal(statusCode, 200)
  t.strictSame(wrongIn(String(headers['content-type']), body), [])
  return JSON.parse(body).linkset
}
type Tap = Parameters<typeof documented>[0]

function routes (app: FastifyInstance) {
  app.get('/', answer)
  app.get('/rooms', answer)
}

t.test('a catalog has the links of each version', async (t) => {
  const info = '/leaving'
  const lifecycle = { v1: { deprecated: '2026-01-01', sunset: '2026-12-31', info }, v2: { sunset: '2029-01-01' } }
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl, lifecycle }, routes, {
    catalog: { status: 'https://status.example.com' }
  })
  const status = [{ href: 'https://status.example.com/' }]
  const infos = [{ href: 'https://gw.example.com/leaving' }]
  const linksOf = (version: string) => ({
    anchor: `${baseUrl}#${version}`,
    'service-desc': [
      { href: `${baseUrl}/documentation/${version}.json`, type: 'application/openapi+json' },
      { href: `${baseUrl}/documentation/${version}.yaml`, type: 'application/openapi+yaml' }
    ],
    'service-doc': [{
      href: `${baseUrl}/documentation?urls.primaryName=${version}`,
      type: 'text/html',
      title: `Documentation of ${version}`
    }],
    status
  })
  t.strictSame(await catalogOf(t, app), [{ ...linksOf('v1'), deprecation: infos, sunset: infos }, linksOf('v2')])
})

const ANCHORS: [string, VersioningOptions, string][] = [
  ['AcceptHeaderVersioning', { scheme: AcceptHeaderVersioning }, `${baseUrl}#v1`],
  ['ContentTypeVersioning', { scheme: ContentTypeVersioning }, `${baseUrl}#v1`],
  ['HeaderVersioning', { scheme: HeaderVersioning }, `${baseUrl}#v1`],
  ['HostNameVersioning', { scheme: HostNameVersioning }, 'https://v1.example.com/api'],
  ['QueryParameterVersioning', { scheme: QueryParameterVersioning, versionParam: 'v' }, `${baseUrl}?v=v1`],
  ['URLPathVersioning', { scheme: URLPathVersioning }, `${baseUrl}/v1`],
  ['NamespaceVersioning', { scheme: NamespaceVersioning }, `${baseUrl}/v1`],
  ['a list', { scheme: [HeaderVersioning, QueryParameterVersioning] }, `${baseUrl}#v1`]
]

for (const [what, options, expected] of ANCHORS) {
  t.test(`each version of a catalog has its own anchor under ${what}`, async (t) => {
    const app = await appWith(t, { allowedVersions: ['v1', 'v2'], baseUrl, ...options })
    await app.register(openapi, { catalog: true })
    const prefix = options.scheme === URLPathVersioning ? '/:version' : ''
    if (options.scheme !== NamespaceVersioning) app.get(`${prefix}/rooms`, answer)
    else {
      for (const version of ['v1', 'v2']) {
        app.register(async (api) => { api.get('/rooms', answer) }, { prefix: version, namespace: version })
      }
    }
    const [one, other] = await catalogOf(t, app)
    t.equal(one.anchor, expected)
    t.equal(other.anchor, expected.replace(/v1/, 'v2'))
  })
}

t.test('the response to HEAD has the headers of the catalog', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, routes, { catalog: true }, {
    exposeHeadRoutes: false
  })
  const { body, headers, statusCode } = await app.inject({ method: 'HEAD', url: PATH })
  t.strictSame([statusCode, body], [200, ''])
  t.equal(headers['content-type'], 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
  t.equal(headers.link, `<${baseUrl}${PATH}>; rel="api-catalog"`)
})

const LINKING: [url: string, isLinking: boolean][] = [
  ['/', true],
  ['/?a=1', true],
  ['/documentation/v1.json', true],
  ['/documentation/v2.yaml', true],
  ['/documentation/json', true],
  ['/documentation/yaml', true],
  ['/rooms', false]
]

for (const [url, isLinking] of LINKING) {
  t.test(`${isLinking ? 'there is a' : 'there is no'} link to the catalog at ${url}`, async (t) => {
    const options = { scheme: HeaderVersioning, baseUrl, defaultVersion: 'v1' }
    const app = await documented(t, options, routes, { catalog: true })
    t.equal((await app.inject(url)).headers.link, isLinking ? `<${baseUrl}${PATH}>; rel="api-catalog"` : undefined)
  })
}

t.test('the root links to the catalog without a route, and next to other links', async (t) => {
  const options: OpenapiOptions = { catalog: true, serviceDesc: true }
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, () => {}, options)
  t.equal((await app.inject('/')).headers.link, `<${baseUrl}${PATH}>; rel="api-catalog"`)
  const other = await documented(t, { scheme: HeaderVersioning, baseUrl }, (app) => {
    app.get('/', async () => new Response('ok', { headers: { link: '</b>; rel="next"' } }))
  }, options)
  t.equal((await other.inject({ url: '/', headers: { 'api-version': 'v2' } })).headers.link,
    '</b>; rel="next", </api/documentation/v2.json>; rel="service-desc"; type="application/json", ' +
    `<${baseUrl}${PATH}>; rel="api-catalog"`)
})

t.test('without the option catalog there is none', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, routes, { catalog: false })
  t.equal((await app.inject(PATH)).statusCode, 404)
  t.equal((await app.inject('/documentation/v1.json')).headers.link, undefined)
})

const code = 'FST_ERR_VERSIONING_OPTION'
const WRONG: [string, VersioningOptions, OpenapiOptions, string | RegExp][] = [
  ['without baseUrl', {}, { catalog: true }, /needs the option "baseUrl"/],
  ['without a page', { baseUrl }, { catalog: true, ui: false },
    '"catalog" links to documents, and "ui: false" serves none. Leave out one.'],
  ['with a number', { baseUrl }, { catalog: 1 as never },
    /^Invalid "catalog": expected true, false or { status }, got 1/],
  ['with an unknown field', { baseUrl }, { catalog: { stats: '' } as never },
    /^Invalid "catalog.stats".* mean 'status'/],
  ['with a wrong status', { baseUrl }, { catalog: { status: 'ftp://a' } }, /^Invalid "catalog.status"/]
]

for (const [what, options, documents, message] of WRONG) {
  t.test(`a catalog is refused ${what}`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], ...options })
    await t.rejects(async () => app.register(openapi, documents), { code, message })
  })
}

t.test('a catalog is refused in a context with a prefix', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], baseUrl })
  app.register(async (api) => { await api.register(openapi, { catalog: true }) }, { prefix: '/bookings' })
  await t.rejects(async () => app.ready(), { code, message: /^The option "catalog" cannot be used in a context / })
})

t.test('the catalog has the dates of a team', async (t) => {
  const app = await appWith(t, { scheme: null, baseUrl })
  await app.register(openapi, { catalog: true, versions: { bookings: ['v1'], rates: ['2025'] } })
  for (const [team, version] of [['bookings', 'v1'], ['rates', '2025']]) {
    app.register(async (api) => {
      const lifecycle = team === 'rates' ? { 2025: { sunset: '2026-12-31', info: '/leaving' } } : null
      await api.register(versioning, { scheme: HeaderVersioning, allowedVersions: [version], lifecycle })
      api.get('/list', answer)
    }, { prefix: `/${team}` })
  }
  await app.ready()
  const [bookings, rates] = await catalogOf(t, app)
  t.strictSame([bookings.sunset, rates.sunset], [undefined, [{ href: 'https://gw.example.com/leaving' }]])
  t.strictSame([bookings.anchor, rates.anchor], [`${baseUrl}#bookings%20v1`, `${baseUrl}#rates%202025`])
})

t.test('teams with one path have an anchor each, and a team without routes has the anchor of the app', async (t) => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => { warnings.push(message) }
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1'], baseUrl })
  await app.register(openapi, { catalog: true, versions: { bookings: ['v1'], rates: ['v1'], none: ['v1'] } })
  app.get('/:version/bookings', answer)
  app.get('/:version/rates', answer)
  t.strictSame((await catalogOf(t, app)).map(({ anchor }) => anchor), [
    `${baseUrl}/v1#bookings%20v1`, `${baseUrl}/v1#rates%20v1`, baseUrl
  ])
  await new Promise((resolve) => setImmediate(resolve))
  t.match(warnings, [/ but there is a document of 'none v1'\.$/])
})

t.test('the anchor of a document without servers is the app', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, (app) => {
    app.get('/rooms', { constraints: { host: /^internal\./ } }, answer)
  }, { catalog: true })
  t.equal(app.openapi('v1').servers, undefined)
  t.equal((await catalogOf(t, app))[0].anchor, `${baseUrl}#v1`)
})

t.test('the anchor of a document with an empty list of servers is the app', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, routes, {
    catalog: true, openapi: { servers: [] }
  })
  t.equal((await catalogOf(t, app))[0].anchor, `${baseUrl}#v1`)
})

const SERVERS: [string, string][] = [
  ['https://own.example.com', 'https://own.example.com/#v1'],
  ['/other', 'https://gw.example.com/other#v1'],
  ['https://{region}.example.com', `${baseUrl}#v1`]
]

for (const [url, anchor] of SERVERS) {
  t.test(`the anchor of a document with the server ${url} is ${anchor}`, async (t) => {
    const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, routes, {
      catalog: true, openapi: { servers: [{ url, variables: { region: { default: 'eu' } } }] }
    })
    t.equal((await catalogOf(t, app))[0].anchor, anchor)
  })
}

t.test('the anchor of a version has no path if its paths differ before the version', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], baseUrl })
  await app.register(openapi, { catalog: true })
  app.get('/a/:version', answer)
  app.get('/b/:version', answer)
  t.equal((await catalogOf(t, app))[0].anchor, `${baseUrl}#v1`)
})

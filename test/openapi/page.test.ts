import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const NOW = Date.UTC(2026, 5, 1)
const answer = async () => 'ok'
const some = (app: FastifyInstance) => { app.get('/a', answer) }

const SENTENCES: [VersionEnding, string][] = [
  [{ deprecated: '2026-01-01', sunset: '2026-12-31', info: 'https://docs.example.com/v1' },
    'Deprecated since 1 January 2026. Ends on 31 December 2026. Use v2: https://docs.example.com/v1'],
  [{ deprecated: '2026-07-01' }, 'Deprecated from 1 July 2026. Use v2.'],
  [{ sunset: '2026-05-31' }, 'Ended on 31 May 2026. Use v2.']
]

for (const [ending, sentence] of SENTENCES) {
  t.test(`descriptions of operations begin with "${sentence}"`, async (t) => {
    const versioning = { scheme: HeaderVersioning, now: () => NOW, lifecycle: { v1: ending } }
    const app = await documented(t, versioning, (app) => {
      app.get('/a', { schema: { description: 'All.' } as object }, answer)
      app.get('/b', answer)
    }, { openapi: { info: { title: 'API', version: '1', description: 'Rooms.' } } })
    const { info, paths } = documentOf(app, 'v1')
    t.equal(info.description, `${sentence}\n\nRooms.`)
    t.match(paths, { '/a': { get: { description: `${sentence}\n\nAll.` } }, '/b': { get: { description: sentence } } })
    const later = documentOf(app, 'v2')
    t.strictSame([later.info.description, later.paths['/b'].get], ['Rooms.', documentOf(app, 'v2').paths['/b'].get])
    t.notMatch(JSON.stringify(later.paths['/b'].get), 'description":"Deprecated')
  })
}

const ended = { sunset: '2026-12-31' }
const SUCCESSORS: [string, VersioningOptions, (app: FastifyInstance) => void, string][] = [
  ['the latest version', { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: ended } }, some, 'Use v3.'],
  ['the latest version that does not end', {
    allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: ended, v3: ended }
  }, some, 'Use v2.'],
  ['no preview', {
    allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: ended, v3: { preview: true } }
  }, some, 'Use v2.'],
  ['no version without the operation', { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: ended } },
    (app) => { app.get('/a', { version: ['v1', 'v2'] }, answer) }, 'Use v2.'],
  ['no version', { lifecycle: { v1: ended } }, (app) => { app.get('/a', { version: 'v1' }, answer) }, '2026.'],
  ['no version, but the info', { lifecycle: { v1: { ...ended, info: '/v1' } } },
    (app) => { app.get('/a', { version: 'v1' }, answer) }, 'See: /v1'],
  ['a dated version', { allowedVersions: ['2025-01-01', '2026-01-01'], lifecycle: { '2025-01-01': ended } }, some,
    'Use version 2026-01-01.'],
  ['no version for a route that ends', {}, (app) => { app.get('/a', { deprecated: ended }, answer) }, '2026.'],
  ['a version with another parameter name', { lifecycle: { v1: ended } }, (app) => {
    app.get('/a/:id', { version: 'v1' }, answer)
    app.get('/a/:key', { version: 'v2' }, answer)
  }, 'Use v2.']
]

for (const [what, options, routes, end] of SUCCESSORS) {
  t.test(`the description of an operation that ends recommends ${what}`, async (t) => {
    const app = await documented(t, { scheme: HeaderVersioning, now: () => NOW, ...options }, routes)
    const [{ get }] = Object.values(documentOf(app, app.openapi.names[0]).paths)
    t.match(get, { description: /^Ends on 31 December 2026\.(?: |$)/ })
    t.equal((get as { description?: string }).description?.slice(-end.length), end)
  })
}

t.test('the description of an operation that ends recommends a version in a path or namespace', async (t) => {
  const lifecycle = { v1: ended }
  const byPath = await documented(t, { scheme: URLPathVersioning, lifecycle, now: () => NOW }, (app) => {
    app.get('/:version/a', answer)
  })
  t.match(documentOf(byPath, 'v1').paths['/v1/a'].get, { description: /Use v2\.$/ })
  const byNamespace = await documented(t, { scheme: NamespaceVersioning, lifecycle, now: () => NOW }, (app) => {
    for (const version of ['v1', 'v2']) {
      app.register(async (api) => { api.get('/a', answer) }, { prefix: version, namespace: version })
    }
  })
  t.match(documentOf(byNamespace, 'v1').paths['/v1/a'].get, { description: /Use v2\.$/ })
})

t.test('a document has the ending of its version only if all of its contexts agree', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], now: () => NOW })
  await app.register(openapi)
  for (const [prefix, sunset] of [['/a', '2026-12-31'], ['/b', '2027-12-31']]) {
    app.register(async (api) => {
      await api.register(versioning, { lifecycle: { v1: { sunset } } })
      api.get('/', answer)
    }, { prefix })
  }
  await app.ready()
  t.equal(documentOf(app, 'v1').info.description, undefined)
})

t.test('the document of a preview says that it is one, and not that it ends', async (t) => {
  const options = { scheme: HeaderVersioning, reportVersions: true, lifecycle: { v2: { preview: true } } }
  const app = await documented(t, options, some)
  const document = documentOf(app, 'v2') as unknown as Record<string, unknown>
  t.equal(document['x-stability-level'], 'beta')
  t.match(document, { paths: { '/a': { get: { 'x-stability-level': 'beta' } } } })
  const { get } = documentOf(app, 'v2').paths['/a']
  t.match(get.description, /preview/i)
  t.match(documentOf(app, 'v2').info.description, /preview/i)
  t.notOk('deprecated' in get)
  t.strictSame(Object.keys(get.responses[200].headers ?? {}), ['API-Supported-Versions'])
  t.notOk('x-stability-level' in documentOf(app, 'v1'))
})

const TITLES: [version: string, title: string, expected: string][] = [
  ['2', 'Cats', 'Cats (version 2)'],
  ['2', 'Area 2', 'Area 2 (version 2)'],
  ['2', 'Cats v2', 'Cats v2'],
  ['2', 'Cats (version 2)', 'Cats (version 2)'],
  ['s', 'Cats', 'Cats (version s)'],
  ['v2', 'Cats', 'Cats v2'],
  ['v2', 'Cats v2', 'Cats v2'],
  ['v2', 'v2', 'v2'],
  ['2025-01-01', 'Cats 2025-01-01', 'Cats 2025-01-01'],
  ['2025-01-01', 'Cats', 'Cats (version 2025-01-01)'],
  ['beta', 'Cats (beta)', 'Cats (beta)']
]

for (const [version, title, expected] of TITLES) {
  t.test(`the title ${title} of version ${version} is ${expected}`, async (t) => {
    const app = await documented(t, { scheme: HeaderVersioning, allowedVersions: [version] }, some, {
      openapi: { info: { title, version: '1' } }
    })
    t.equal(documentOf(app, version).info.title, expected)
  })
}

const baseUrl = 'https://gw.example.com/api'
const ADDRESSED: [string, VersioningOptions, string][] = [
  ['AcceptHeaderVersioning', { scheme: AcceptHeaderVersioning }, baseUrl],
  ['ContentTypeVersioning', { scheme: ContentTypeVersioning }, baseUrl],
  ['HeaderVersioning', { scheme: HeaderVersioning }, baseUrl],
  ['QueryParameterVersioning', { scheme: QueryParameterVersioning }, baseUrl],
  ['URLPathVersioning', { scheme: URLPathVersioning }, baseUrl],
  ['NamespaceVersioning', { scheme: NamespaceVersioning }, baseUrl],
  ['HostNameVersioning', { scheme: HostNameVersioning }, 'https://v2.example.com/api'],
  ['a list', { scheme: [QueryParameterVersioning, HeaderVersioning] }, baseUrl],
  ['no scheme', { scheme: null }, baseUrl]
]

for (const [what, options, url] of ADDRESSED) {
  t.test(`requests are sent to the address of the app under ${what}`, async (t) => {
    const routes = async (app: FastifyInstance) => {
      app.register(async (api) => {
        api.get(what === 'URLPathVersioning' ? '/:version/a' : '/a', answer)
        api.get('/neutral', { versioning: false }, answer)
      }, what === 'NamespaceVersioning' ? { namespace: 'v2' } : {})
    }
    const app = await documented(t, { baseUrl, ...options }, routes, { versions: ['v2'] })
    const { paths, servers } = documentOf(app, 'v2')
    t.strictSame(servers, [{ url }])
    t.strictSame(Object.values(paths).map(({ get }) => get.servers), [undefined, undefined])
    const own = { openapi: { servers: [{ url: '/mine' }] }, versions: ['v2'] }
    const mine = documentOf(await documented(t, { baseUrl, ...options }, routes, own), 'v2')
    t.strictSame(mine.servers, [{ url: '/mine' }])
  })
}

t.test('contexts with other addresses have their own servers', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], baseUrl })
  await app.register(openapi)
  some(app)
  app.register(async (api) => {
    await api.register(versioning, { baseUrl: 'https://other.example.com' })
    api.get('/b', answer)
  })
  await app.ready()
  const { paths, servers } = documentOf(app, 'v1')
  t.strictSame([servers, paths['/a'].get.servers, paths['/b'].get.servers],
    [[{ url: baseUrl }], undefined, [{ url: 'https://other.example.com' }]])
})

const FORWARDED: [prefix: string, trustProxy: boolean, expected: string | undefined][] = [
  ['/api', true, '/api'],
  ['/api', false, undefined],
  ['//evil.example.com', true, undefined]
]

for (const [prefix, trustProxy, expected] of FORWARDED) {
  t.test(`X-Forwarded-Prefix: ${prefix} is read as ${expected}, with trustProxy ${trustProxy}`, async (t) => {
    const app = await documented(t, { scheme: HeaderVersioning }, some, { serviceDesc: true }, { trustProxy })
    const headers = { 'x-forwarded-prefix': prefix, 'api-version': 'v1' }
    for (const name of ['v1.', '']) {
      const { servers } = (await app.inject({ url: `/documentation/${name}json`, headers })).json()
      t.strictSame(servers, expected === undefined ? undefined : [{ url: expected }])
      const { body } = await app.inject({ url: `/documentation/${name}yaml`, headers })
      t.equal(body.includes(`servers:\n  - url: "${expected}"\n`), expected !== undefined)
    }
    const { link } = (await app.inject({ url: '/a', headers })).headers
    t.equal(link, `<${expected ?? ''}/documentation/v1.json>; rel="service-desc"; type="application/json"`)
  })
}

t.test('the address of the app has priority over the address of a gateway', async (t) => {
  const options = { serviceDesc: true }
  const app = await documented(t, { scheme: HeaderVersioning, baseUrl }, some, options, { trustProxy: true })
  const headers = { 'x-forwarded-prefix': '/other', 'api-version': 'v1' }
  t.strictSame((await app.inject({ url: '/documentation/v1.json', headers })).json().servers, [{ url: baseUrl }])
  t.match((await app.inject({ url: '/a', headers })).headers.link, '</api/documentation/v1.json>')
})

const PREFIXES: [indexPrefix: string, expected: string][] = [
  ['/gateway/bookings', '/gateway/bookings/documentation/v1.json'],
  ['/gateway/', '/gateway/bookings/documentation/v1.json']
]

for (const [indexPrefix, expected] of PREFIXES) {
  t.test(`with the indexPrefix ${indexPrefix} of a child context its document is at ${expected}`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    app.register(async (api) => {
      await api.register(openapi, { ui: { indexPrefix }, serviceDesc: true })
      some(api)
    }, { prefix: '/bookings' })
    const { headers } = await app.inject({ url: '/bookings/a', headers: { 'api-version': 'v1' } })
    t.equal(headers.link, `<${expected}>; rel="service-desc"; type="application/json"`)
  })
}

const ACCEPTS: [accept: string | undefined, file: string, type: string][] = [
  [undefined, 'v1.json', 'application/json; charset=utf-8'],
  ['*/*', 'v1.json', 'application/json; charset=utf-8'],
  ['text/html, */*;q=0.8', 'v1.json', 'application/json; charset=utf-8'],
  ['application/openapi+json', 'v1.json', 'application/openapi+json'],
  ['application/openapi+json, */*', 'v1.json', 'application/openapi+json'],
  ['application/openapi+json;q=0.5, application/json', 'v1.json', 'application/json; charset=utf-8'],
  ['application/openapi+yaml', 'v1.json', 'application/openapi+yaml'],
  ['text/html', 'v1.json', 'application/json; charset=utf-8'],
  [undefined, 'v1.yaml', 'application/yaml'],
  ['application/*', 'v1.yaml', 'application/yaml'],
  ['application/openapi+yaml', 'v1.yaml', 'application/openapi+yaml'],
  ['application/openapi+json', 'v1.yaml', 'application/openapi+json'],
  [undefined, 'json', 'application/json; charset=utf-8'],
  ['application/openapi+json', 'json', 'application/openapi+json'],
  [undefined, 'yaml', 'application/yaml'],
  ['application/openapi+yaml', 'yaml', 'application/openapi+yaml']
]

for (const [accept, file, type] of ACCEPTS) {
  t.test(`the document ${file} has the type ${type} for clients that accept ${accept}`, async (t) => {
    const app = await documented(t, { scheme: AcceptHeaderVersioning }, some)
    const headers = accept === undefined ? {} : { accept }
    const { body, headers: answered } = await app.inject({ url: `/documentation/${file}`, headers })
    t.strictSame([answered['content-type'], answered.vary], [type, 'Accept'])
    t.match(body, type.includes('json') ? /^\{"openapi"/ : /^openapi: /)
  })
}

t.test('the theme of the user is kept, and the page has the resources that it requests', async (t) => {
  const ui: OpenapiOptions['ui'] = { theme: { title: 'Mine', js: [{ filename: 'own.js', content: 'own()' }] } }
  const app = await documented(t, { scheme: HeaderVersioning }, some, { ui })
  const { body } = await app.inject('/documentation/')
  t.match(body, '<title>Mine</title>')
  const files = [...body.matchAll(/(?:src|href)="\.(\/static\/[^"]+)"/g)].map(([, path]) => path)
  t.ok(files.includes('/static/theme/own.js'))
  for (const path of files) t.equal((await app.inject(`/documentation${path}`)).statusCode, 200, path)
})

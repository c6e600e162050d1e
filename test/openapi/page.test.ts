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
    'Deprecated since 1 January 2026. Ends on 31 December 2026. Use v2. Retirement notice: https://docs.example.com/v1'],
  [{ deprecated: '2026-07-01' }, 'Deprecated from 1 July 2026. Use v2.'],
  [{ sunset: '2026-05-31' }, 'Ended on 31 May 2026. Use v2.']
]

for (const [ending, sentence] of SENTENCES) {
  t.test(`the head of a document alone says "${sentence}"`, async (t) => {
    const versioning = { scheme: HeaderVersioning, now: () => NOW, lifecycle: { v1: ending } }
    const app = await documented(t, versioning, (app) => {
      app.get('/a', { schema: { description: 'All.' } as object }, answer)
      app.get('/b', answer)
    }, { openapi: { info: { title: 'API', version: '1', description: 'Rooms.' } } })
    const { info, paths } = documentOf(app, 'v1')
    t.equal(info.description, `${sentence}\n\nRooms.`)
    t.strictSame([paths['/a'].get.description, paths['/b'].get.description], ['All.', undefined])
    t.equal(documentOf(app, 'v2').info.description, 'Rooms.')
  })
}

const ended = { sunset: '2026-12-31' }
const three = ['v1', 'v2', 'v3']
const SUCCESSORS: [string, VersioningOptions, OpenapiOptions, string][] = [
  ['the latest version', { allowedVersions: three, lifecycle: { v1: ended } }, {}, 'Use v3.'],
  ['the latest version that does not end', { allowedVersions: three, lifecycle: { v1: ended, v3: ended } }, {},
    'Use v2.'],
  ['no preview', { allowedVersions: three, lifecycle: { v1: ended, v3: { preview: true } } }, {}, 'Use v2.'],
  ['no version without a document', { allowedVersions: three, lifecycle: { v1: ended } }, { versions: ['v1', 'v2'] },
    'Use v2.'],
  ['no version', { allowedVersions: ['v1'], lifecycle: { v1: ended } }, {}, '2026.'],
  ['no version, but has the notice', { allowedVersions: ['v1'], lifecycle: { v1: { ...ended, info: '/v1' } } }, {},
    '2026. Retirement notice: /v1'],
  ['a dated version', { allowedVersions: ['2025-01-01', '2026-01-01'], lifecycle: { '2025-01-01': ended } }, {},
    'Use version 2026-01-01.']
]

for (const [what, versioning, options, end] of SUCCESSORS) {
  t.test(`the head of a document whose version ends recommends ${what}`, async (t) => {
    const app = await documented(t, { scheme: HeaderVersioning, now: () => NOW, ...versioning }, some, options)
    const { description = '' } = documentOf(app, app.openapi.names[0]).info
    t.match(description, /^Ends on 31 December 2026\.(?: |$)/)
    t.equal(description.slice(-end.length), end)
  })
}

t.test('an operation that ends by itself says so, with its notice', async (t) => {
  const options = { scheme: HeaderVersioning, now: () => NOW, lifecycle: { v1: ended } }
  const app = await documented(t, options, (app) => {
    const deprecated = { sunset: '2026-09-30' }
    const schema = { description: 'All.' } as object
    app.get('/a', { deprecated: { ...deprecated, info: '/a' }, schema }, answer)
    app.get('/b', { deprecated }, answer)
  })
  const { info, paths } = documentOf(app, 'v1')
  t.equal(info.description, 'Ends on 31 December 2026. Use v2.')
  t.match(paths['/a'].get, {
    description: 'Ends on 30 September 2026.\n\nAll.', externalDocs: { url: '/a', description: 'Retirement notice' }
  })
  t.equal(paths['/b'].get.description, 'Ends on 30 September 2026.')
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
  const { info, paths } = documentOf(app, 'v1')
  t.equal(info.description, undefined)
  t.match(paths['/a/'].get.description, 'Ends on 31 December 2026.')
  t.match(paths['/b/'].get.description, 'Ends on 31 December 2027.')
})

t.test('the head of a document has the ending of the contexts of its routes', async (t) => {
  const app = await appWith(t, { scheme: null })
  await app.register(openapi, { versions: ['v1', 'v2'] })
  app.register(async (api) => {
    await api.register(versioning, {
      scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], now: () => NOW, lifecycle: { v1: ended }
    })
    api.get('/', answer)
  })
  await app.ready()
  t.equal(documentOf(app, 'v1').info.description, 'Ends on 31 December 2026. Use v2.')
})

t.test('the document of a preview says that it is one, and not that it ends', async (t) => {
  const options = { scheme: HeaderVersioning, reportVersions: true, lifecycle: { v2: { preview: true } } }
  const app = await documented(t, options, some)
  const document = documentOf(app, 'v2') as unknown as Record<string, unknown>
  t.equal(document['x-stability-level'], 'beta')
  t.match(document, { paths: { '/a': { get: { 'x-stability-level': 'beta' } } } })
  const { get } = documentOf(app, 'v2').paths['/a']
  t.equal(get.description, undefined)
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

t.test('a prefix that a gateway sends changes no document', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning }, some, {}, { trustProxy: true })
  const headers = { 'x-forwarded-prefix': '/api' }
  for (const file of ['v1.json', 'json']) {
    const document = (await app.inject({ url: `/documentation/${file}`, headers })).json()
    t.equal(document.servers, undefined)
  }
  t.notMatch((await app.inject({ url: '/documentation/v1.yaml', headers })).body, 'servers')
})

const PREFIXES: [what: string, versioning: VersioningOptions, ui: object, expected: string][] = [
  ['baseUrl', { baseUrl: 'https://gw.example.com/api/' }, {}, '/api/team'],
  ['a baseUrl without a path', { baseUrl: 'https://gw.example.com' }, {}, '/team'],
  ['nothing', {}, {}, '/team'],
  ['indexPrefix', {}, { indexPrefix: '/gateway/team' }, '/gateway/team'],
  ['both', { baseUrl: 'https://gw.example.com/api' }, { indexPrefix: '/gateway/' }, '/gateway']
]

for (const [what, versioning, ui, expected] of PREFIXES) {
  t.test(`with the prefix of ${what}, the page of a child context requests files in ${expected}`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1'], ...versioning })
    app.register(async (api) => {
      await api.register(openapi, { ui })
      some(api)
    }, { prefix: '/team' })
    const page = '/team/documentation'
    t.match((await app.inject(page)).body, `src="${expected}/documentation/static/swagger-initializer.js"`)
    const { body } = await app.inject(`${page}/static/swagger-initializer.js`)
    t.match(body, `"${expected}/documentation/v1.json"`)
  })
}

const TYPES: [accept: string | undefined, file: string, type: string][] = [
  [undefined, 'v1.json', 'application/json; charset=utf-8'],
  ['application/openapi+yaml', 'v1.json', 'application/json; charset=utf-8'],
  ['application/openapi+json', 'v1.json', 'application/json; charset=utf-8'],
  ['application/json', 'v1.yaml', 'application/yaml'],
  [undefined, 'v1.yaml', 'application/yaml'],
  ['application/yaml', 'json', 'application/json; charset=utf-8'],
  ['application/json', 'yaml', 'application/yaml']
]

for (const [accept, file, type] of TYPES) {
  t.test(`the document ${file} has the type ${type} for clients that accept ${accept}`, async (t) => {
    const app = await documented(t, { scheme: AcceptHeaderVersioning }, some)
    const headers = accept === undefined ? {} : { accept }
    const { body, headers: answered } = await app.inject({ url: `/documentation/${file}`, headers })
    t.strictSame([answered['content-type'], answered.vary], [type, undefined])
    t.match(body, type.includes('json') ? /^\{"openapi"/ : /^openapi: /)
  })
}

t.test('the select of Swagger UI says which versions are deprecated', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { deprecated: '2027-01-01' } }
  const app = await documented(t, { scheme: HeaderVersioning, now: () => NOW, lifecycle }, some)
  const { body } = await app.inject('/documentation/static/swagger-initializer.js')
  const [, urls = '[]'] = /"urls": ?(\[.*?\])/s.exec(body) ?? []
  t.strictSame(JSON.parse(urls), [
    { url: '/documentation/v1.json', name: 'v1 (deprecated)' }, { url: '/documentation/v2.json', name: 'v2' }
  ])
})

t.test('the theme of the user is kept, and the page has the resources that it requests', async (t) => {
  const ui: OpenapiOptions['ui'] = { theme: { title: 'Mine', js: [{ filename: 'own.js', content: 'own()' }] } }
  const app = await documented(t, { scheme: HeaderVersioning }, some, { ui })
  const { body } = await app.inject('/documentation/')
  t.match(body, '<title>Mine</title>')
  const files = [...body.matchAll(/(?:src|href)="\.(\/static\/[^"]+)"/g)].map(([, path]) => path)
  t.ok(files.includes('/static/theme/own.js'))
  for (const path of files) t.equal((await app.inject(`/documentation${path}`)).statusCode, 200, path)
})

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import t from 'tap'

import { AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { documentOf, documented, header, ok, some } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const INITIALIZER = '/documentation/static/swagger-initializer.js'

const baseUrl = 'https://gw.example.com/api'
const SCHEMES: [string, VersioningOptions][] = [
  ...Object.values(places).map(({ Scheme }): [string, VersioningOptions] => [Scheme.name, { scheme: Scheme }]),
  ['a list', { scheme: [QueryParameterVersioning, HeaderVersioning] }],
  ['no scheme', { scheme: null }]
]

for (const [name, options] of SCHEMES) {
  t.test(`under ${name} documents need no version`, async (t) => {
    const app = await documented(t, { reportVersions: true, ...options }, some, { versions: ['v1', 'v2'] })
    for (const path of ['', '/static/swagger-ui.css', '/v1.json', '/v2.yaml']) {
      const { statusCode, headers } = await app.inject(`/documentation${path}`)
      t.equal(statusCode, 200, path)
      t.notOk('api-supported-versions' in headers || String(headers.vary).match(/api-version|content-type/i), path)
    }
  })
}

const TYPES: [accept: string | undefined, file: string, version: string, type: string][] = [
  [undefined, 'v1.json', 'v1', 'application/json; charset=utf-8'],
  ['application/openapi+yaml', 'v1.json', 'v1', 'application/json; charset=utf-8'],
  ['application/json', 'v1.yaml', 'v1', 'application/yaml'],
  ['application/yaml', 'json', 'v2', 'application/json; charset=utf-8'],
  ['application/json', 'yaml', 'v2', 'application/yaml']
]

for (const [accept, file, version, type] of TYPES) {
  t.test(`${file} is the document of ${version}, and ${type} for clients that accept ${accept}`, async (t) => {
    const app = await documented(t, { scheme: AcceptHeaderVersioning }, some, {}, { trustProxy: true })
    const headers = { 'x-forwarded-prefix': '/api', ...accept && { accept } }
    for (let i = 0; i < 2; i++) {
      const { body, headers: answered, json } = await app.inject({ url: `/documentation/${file}`, headers })
      t.strictSame([answered['content-type'], answered.vary], [type, undefined])
      if (type.includes('json')) t.strictSame(json(), documentOf(app, version))
      else t.equal(body, app.openapi(version, { yaml: true }))
      t.match(body, type.includes('json') ? /^\{"openapi"/ : /^openapi: .*\n(.*\n)*.*x-api-version: v/)
    }
  })
}

t.test('the select of Swagger UI has all versions, the last one first, and says which are deprecated', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { deprecated: '2027-01-01' } }
  const app = await documented(t, { ...header, now: () => Date.UTC(2026, 5, 1), lifecycle }, some)
  const { body } = await app.inject(INITIALIZER)
  t.match(body, '"urls":[{"url":"/documentation/v1.json","name":"v1 (deprecated)"},' +
    '{"url":"/documentation/v2.json","name":"v2"}]')
  t.match(body, '"urls.primaryName":"v2"')
})

const DATES: [what: string, versioning: VersioningOptions, routes: (app: FastifyInstance) => void][] = [
  ['a version', { lifecycle: { v1: { deprecated: '2026-06-01', sunset: '2026-12-31' } } }, some],
  ['a route', {}, (app) => { app.get('/a', { deprecated: { deprecated: '2026-06-01', sunset: '2026-12-31' } }, ok) }]
]

for (const [what, versioning, routes] of DATES) {
  t.test(`documents that are served are made again when a date of ${what} has come, and only then`, async (t) => {
    let now = Date.UTC(2026, 0, 1)
    let made = 0
    const app = await documented(t, { ...header, now: () => now, ...versioning }, routes, {
      transformObject (document) {
        made++
        return Reflect.get(document, 'openapiObject')
      }
    })
    for (const [month, sentence] of [
      [0, 'Deprecated from 1 June 2026. Ends on'], [6, 'Deprecated since 1 June 2026. Ends on'],
      [13, 'Deprecated since 1 June 2026. Ended on'], [0, 'Deprecated from 1 June 2026. Ends on']
    ] as const) {
      now = Date.UTC(2026, month, 1)
      for (const file of ['v1.json', 'v1.json', 'v1.yaml', 'v1.yaml']) {
        t.match((await app.inject(`/documentation/${file}`)).body.replace(/\s+/g, ' '), sentence)
      }
    }
    t.equal(made, 8)
  })
}

t.test('the select of Swagger UI marks a version when its date has come', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const versioning = { ...header, now: () => now, lifecycle: { v2: { deprecated: '2026-06-01' } } }
  const app = await documented(t, versioning, some)
  const own = await documented(t, versioning, some, { ui: { uiConfig: { 'urls.primaryName': 'v1' } as object } })
  for (const [month, label] of [[0, 'v2'], [6, 'v2 (deprecated)'], [0, 'v2']] as const) {
    now = Date.UTC(2026, month, 1)
    t.match((await app.inject(INITIALIZER)).body, `"name":"${label}"}],"urls.primaryName":"${label}"`)
    t.match((await own.inject(INITIALIZER)).body, '"name":"v2"}],"urls.primaryName":"v1"')
  }
})

for (const [says, lifecycle, latest, names] of [
  ['the last released version, and marks previews',
    { v1: { preview: true, deprecated: '2026-01-01' }, v3: { preview: true } },
    'v2', ['v1 (preview)', 'v2', 'v3 (preview)']],
  ['the last preview, if there is nothing else',
    { v1: { preview: true }, v2: { preview: true }, v3: { preview: true } },
    'v3', ['v1 (preview)', 'v2 (preview)', 'v3 (preview)']]
] as const) {
  t.test(`Swagger UI begins with ${says}`, async (t) => {
    const app = await documented(t, { ...header, allowedVersions: ['v1', 'v2', 'v3'], lifecycle }, some)
    const { body } = await app.inject(INITIALIZER)
    for (const name of names) t.match(body, `"name":"${name}"`)
    t.match(body, `"urls.primaryName":"${names.find((name) => name.startsWith(latest))}"`)
    t.equal((await app.inject('/documentation/json')).json().info['x-api-version'], latest)
  })
}

const PREFIXES: [string, VersioningOptions, OpenapiOptions, expected: string, page?: string][] = [
  ['nothing', {}, {}, '/team/documentation'],
  ['a base URL', { baseUrl: 'https://gw.example.com/api/' }, {}, '/api/team/documentation'],
  ['a base URL without a path', { baseUrl: 'https://gw.example.com' }, {}, '/team/documentation'],
  ['an index prefix', { baseUrl }, { ui: { indexPrefix: '/gateway/' } }, '/gateway/documentation'],
  ['a route prefix', {}, { routePrefix: '/docs' }, '/team/docs', '/team/docs']
]

for (const [what, options, own, expected, page = '/team/documentation'] of PREFIXES) {
  t.test(`the page of a child context with ${what} requests files and documents in ${expected}`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1'], ...options })
    app.get('/outside', ok)
    app.register(async (api) => {
      await api.register(openapi, own)
      some(api)
    }, { prefix: '/team' })
    t.match((await app.inject(page)).body, `src="${expected}/static/swagger-initializer.js"`)
    t.match((await app.inject(`${page}/static/swagger-initializer.js`)).body, `"${expected}/v1.json"`)
    t.strictSame(Object.keys((await app.inject(`${page}/v1.json`)).json().paths), ['/team/a'])
  })
}

t.test('a version of any name has its own files', async (t) => {
  const app = await documented(t, { ...header, allowedVersions: ['a/b', 'a:b', '*'] }, some)
  for (const [file, version] of [['a-b', 'a/b'], ['a-b-2', 'a:b'], ['-', '*']]) {
    t.equal((await app.inject(`/documentation/${file}.json`)).json().info['x-api-version'], version)
  }
})

t.test('a hook that guards the UI guards the documents as well', async (t) => {
  const uiHooks = { onRequest: async () => { throw Object.assign(new Error('Who?'), { statusCode: 401 }) } }
  const app = await documented(t, header, some, { ui: { uiHooks } })
  for (const path of ['', '/v1.json', '/v1.yaml', '/json', '/yaml']) {
    t.equal((await app.inject(`/documentation${path}`)).statusCode, 401, path)
  }
})

t.test('options of the UI are passed on, and the page has the files that it requests', async (t) => {
  const theme = { title: 'Mine', js: [{ filename: 'own.js', content: 'own()' }] }
  const ui = { theme, uiConfig: { docExpansion: 'full' as const }, staticCSP: "default-src 'self'" }
  const app = await documented(t, header, some, { ui })
  t.match((await app.inject(INITIALIZER)).body, '"docExpansion":"full"')
  const { body, headers } = await app.inject('/documentation/')
  t.equal(headers['content-security-policy'], "default-src 'self'")
  t.match(body, '<title>Mine</title>')
  const files = [...body.matchAll(/(?:src|href)="\.(\/static\/[^"]+)"/g)].map(([, path]) => path)
  t.ok(files.includes('/static/theme/own.js'))
  for (const path of files) t.equal((await app.inject(`/documentation${path}`)).statusCode, 200, path)
})

t.test('the prefix of a context may end with a slash', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.register(async (api) => { await api.register(openapi) }, { prefix: '/api/' })
  for (const file of ['v1.json', 'json', 'yaml']) {
    t.equal((await app.inject(`/api/documentation/${file}`)).statusCode, 200, file)
  }
})

for (const order of ['before', 'after'] as const) {
  t.test(`@fastify/swagger and its UI of the app are kept ${order} the plugin`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1', 'v2'] })
    const own = async () => {
      await app.register(swagger, { openapi: { info: { title: 'Own', version: '1' } } })
      await app.register(swaggerUi, { routePrefix: '/own' })
    }
    if (order === 'before') await own()
    await app.register(openapi)
    if (order === 'after') await own()
    app.get('/a', { version: 'v1' }, ok)
    app.get('/b', { version: 'v2' }, ok)
    const mine = (await app.inject({ url: '/own/json', headers: { 'api-version': 'v1' } })).json()
    t.strictSame([mine.info.title, Object.keys(mine.paths)], ['Own', ['/a', '/b']])
    const { info, paths } = (await app.inject('/documentation/json')).json()
    t.strictSame([info.title, Object.keys(paths)], ['API v2', ['/b']])
    t.equal((await app.inject('/documentation')).statusCode, 200)
  })
}

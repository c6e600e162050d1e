import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import t from 'tap'

import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf, documented } from './app.ts'

const answer = async () => 'ok'
const header = { scheme: HeaderVersioning }
const some = (app: Awaited<ReturnType<typeof documented>>) => { app.get('/a', answer) }

const SCHEMES = {
  AcceptHeaderVersioning,
  ContentTypeVersioning,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning
}

for (const [name, scheme] of Object.entries(SCHEMES)) {
  t.test(`under ${name} the UI and the documents need no version`, async (t) => {
    const app = await documented(t, { scheme, reportVersions: true }, () => {})
    for (const path of ['', '/static/swagger-ui.css', '/v1.json', '/v2.yaml']) {
      const url = `/documentation${path}`
      const { statusCode, headers } = await app.inject(url)
      t.equal(statusCode, 200, url)
      t.notMatch(headers, { 'api-supported-versions': String })
      t.notOk(String(headers.vary).match(/api-version|content-type/i), url)
    }
  })
}

t.test('documents are served as JSON and as YAML', async (t) => {
  const app = await documented(t, header, some)
  const json = await app.inject('/documentation/v1.json')
  t.equal(json.headers['content-type'], 'application/json; charset=utf-8')
  t.strictSame(json.json(), documentOf(app, 'v1'))
  const yaml = await app.inject('/documentation/v1.yaml')
  t.equal(yaml.headers['content-type'], 'application/yaml')
  t.match(yaml.body, /^openapi: /)
})

t.test('the UI shows the last version first, and all of them by name', async (t) => {
  const app = await documented(t, header, some)
  const { body } = await app.inject('/documentation/static/swagger-initializer.js')
  t.match(body, '"urls":[{"url":"/documentation/v1.json","name":"v1"},{"url":"/documentation/v2.json","name":"v2"}]')
  t.match(body, '"urls.primaryName":"v2"')
  t.equal((await app.inject('/documentation/json')).json().info['x-api-version'], 'v2')
  t.match((await app.inject('/documentation/yaml')).body, 'x-api-version: v2')
})

const PLACES: [string, object, object, string][] = [
  ['another prefix', {}, { routePrefix: '/docs' }, '/docs/v1.json'],
  ['a base URL', { baseUrl: 'https://example.com/api' }, {}, '/api/documentation/v1.json'],
  ['an index prefix', {}, { ui: { indexPrefix: '/gateway' } }, '/gateway/documentation/v1.json']
]

for (const [what, versioning, options, expected] of PLACES) {
  t.test(`the UI finds the documents with ${what}`, async (t) => {
    const app = await documented(t, { ...header, ...versioning }, some, options)
    const path = expected.replace(/^\/(?:api|gateway)/, '').replace('v1.json', 'static/swagger-initializer.js')
    t.match((await app.inject(path)).body, `"url":"${expected}"`)
    t.equal((await app.inject(expected.replace(/^\/(?:api|gateway)/, ''))).statusCode, 200)
  })
}

t.test('documents of a context are within its prefix', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.get('/outside', answer)
  app.register(async (api) => {
    await api.register(openapi)
    api.get('/inside', answer)
  }, { prefix: '/api' })
  const { paths } = (await app.inject('/api/documentation/v1.json')).json()
  t.strictSame(Object.keys(paths), ['/api/inside'])
})

t.test('a version of any name has its own files', async (t) => {
  const app = await documented(t, { ...header, allowedVersions: ['a/b', 'a:b', '*'] }, some)
  for (const [file, version] of [['a-b', 'a/b'], ['a-b-2', 'a:b'], ['-', '*']]) {
    t.equal((await app.inject(`/documentation/${file}.json`)).json().info['x-api-version'], version)
  }
})

t.test('a hook that guards the UI guards the documents as well', async (t) => {
  const uiHooks = { onRequest: async () => { throw Object.assign(new Error('Who?'), { statusCode: 401 }) } }
  const app = await documented(t, header, some, { ui: { uiHooks } })
  for (const url of ['/documentation', '/documentation/v1.json', '/documentation/v1.yaml', '/documentation/json']) {
    t.equal((await app.inject(url)).statusCode, 401, url)
  }
})

t.test('options of the UI are passed on to @fastify/swagger-ui', async (t) => {
  const ui = { uiConfig: { docExpansion: 'full' as const }, staticCSP: "default-src 'self'" }
  const app = await documented(t, header, some, { ui })
  const { body, headers } = await app.inject('/documentation/static/swagger-initializer.js')
  t.match(body, '"docExpansion":"full"')
  t.equal(headers['content-security-policy'], "default-src 'self'")
})

t.test('without a UI nothing is served', async (t) => {
  const app = await documented(t, header, some, { ui: false })
  t.equal((await app.inject('/documentation/v1.json')).statusCode, 404)
  t.equal(documentOf(app, 'v1').info['x-api-version'], 'v1')
})

for (const order of ['before', 'after'] as const) {
  t.test(`a UI of the app ${order} the plugin is kept`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
    const own = async () => {
      await app.register(swagger, { openapi: { info: { title: 'Own', version: '1' } } })
      await app.register(swaggerUi, { routePrefix: '/own' })
    }
    if (order === 'before') await own()
    await app.register(openapi)
    if (order === 'after') await own()
    app.get('/a', answer)
    t.equal((await app.inject({ url: '/own/json', headers: { 'api-version': 'v1' } })).json().info.title, 'Own')
    t.equal((await app.inject('/documentation/v1.json')).json().info.title, 'API v1')
    t.equal((await app.inject('/documentation')).statusCode, 200)
  })
}

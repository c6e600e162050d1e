import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import swagger from '@fastify/swagger'
import t from 'tap'

import versioning, { HeaderVersioning, HostNameVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const answer = async () => 'ok'
const header = { scheme: HeaderVersioning }
const some = (app: FastifyInstance) => { app.get('/a', answer) }

const code = 'FST_ERR_VERSIONING_OPTION'
const routePrefix = 'a path without parameters that begins with a slash and does not end with one'
const WRONG: [unknown, string][] = [
  [{ versions: [] }, 'Invalid "versions": expected a list of versions, got [].'],
  [{ versions: 'v1' }, 'Invalid "versions": expected a list of versions, got \'v1\'.'],
  [{ versions: [1] }, 'Invalid "versions": expected a list of versions, got [ 1 ].'],
  [{ document: {} }, 'Invalid "document": expected a function that returns options for a version, got {}.'],
  [{ routePrefix: 'docs' }, `Invalid "routePrefix": expected ${routePrefix}, got 'docs'.`],
  [{ routePrefix: '/docs/' }, `Invalid "routePrefix": expected ${routePrefix}, got '/docs/'.`],
  [{ ui: true }, 'Invalid "ui": expected options of @fastify/swagger-ui, or false, got true.'],
  [{ ui: null }, 'Invalid "ui": expected options of @fastify/swagger-ui, or false, got null.'],
  [{ versions: { bookings: ['v1'] } },
    'Invalid "versions": expected a list of versions, got { bookings: [ \'v1\' ] }.'],
  [{ catalog: true }, 'Invalid "catalog": expected none: a route of the app can serve it, got true.'],
  [{ serviceDesc: true }, 'Invalid "serviceDesc": expected none: a hook of the app can send the link, got true.'],
  [{ refusal: {} }, 'Invalid "refusal": expected none: "openapi.components.responses" goes first, got {}.'],
  [{ mode: 'static' }, 'Invalid "mode": expected none: documents are made of the routes, got \'static\'.'],
  [{ swagger: {} }, 'Invalid "swagger": expected none: documents are OpenAPI 3, got {}.'],
  [{ decorator: 'docs' }, 'Invalid "decorator": expected none: the documents are at app.openapi, got \'docs\'.'],
  [{ ui: { routePrefix: '/docs' } },
    'Invalid "ui.routePrefix": expected none: the option "routePrefix" says where the UI is, got \'/docs\'.'],
  [{ ui: { transformSpecification: 1 } }, 'Invalid "ui.transformSpecification": expected none: ' +
    '"transformObject" changes what is served, got 1.'],
  [{ openapi: 5 }, 'Invalid "openapi": expected an object of OpenAPI, got 5.'],
  [{ openapi: { info: { title: 5 } } }, 'Invalid "openapi.info.title": expected a string, got 5.'],
  [{ transform: 5 }, 'Invalid "transform": expected a function, got 5.'],
  [{ transformObject: {} }, 'Invalid "transformObject": expected a function, got {}.'],
  [{ document: () => null }, 'Invalid "document(\'v1\')": expected an object of options, got null.'],
  [{ document: () => undefined }, 'Invalid "document(\'v1\')": expected an object of options, got undefined.'],
  [{ document: () => ({ mode: 'static' }) },
    'Invalid "mode": expected none: documents are made of the routes, got \'static\'.']
]

for (const [options, message] of WRONG) {
  t.test(`an option is refused with ${message}`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
    await t.rejects(async () => app.register(openapi, options as OpenapiOptions), { code, message })
  })
}

t.test('an error that the option document throws is rethrown at boot', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  await t.rejects(async () => app.register(openapi, { document () { throw new Error('mine') } }), { message: 'mine' })
})

t.test('the option document must not be asynchronous', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  const document = (async () => ({})) as unknown as OpenapiOptions['document']
  const message = /^Invalid "document\('v1'\)": expected an object of options, got Promise/
  await t.rejects(async () => app.register(openapi, { document }), { code, message })
})

t.test('an undefined member of info is left out', async (t) => {
  const title = undefined as unknown as string
  const options: OpenapiOptions = { ui: false, document: () => ({ openapi: { info: { title, version: '2.0.0' } } }) }
  const app = await documented(t, { ...header, allowedVersions: ['v1'] }, some, options)
  t.match(app.openapi('v1').info, { title: 'API v1', version: '2.0.0' })
})

t.test('changes to a document do not affect the served one', async (t) => {
  const app = await documented(t, { ...header, allowedVersions: ['v1'] }, some, {})
  app.openapi('v1').info.title = 'changed'
  t.equal(app.openapi('v1').info.title, 'API v1')
  t.equal((await app.inject('/documentation/v1.json')).json().info.title, 'API v1')
})

t.test('options may be shared with @fastify/swagger, which writes its mode into them', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  const shared = { openapi: { info: { title: 'Shared', version: '1' } }, mode: 'dynamic' } as const
  await app.register(swagger, shared)
  await app.register(openapi, { ...shared, ui: false } as OpenapiOptions)
  some(app)
  await app.ready()
  t.strictSame([app.swagger().info?.title, app.openapi('v1').info.title], ['Shared', 'Shared v1'])
})

t.test('openapi: true makes a document of OpenAPI 3 with its defaults', async (t) => {
  const options = { ui: false, openapi: true } as unknown as OpenapiOptions
  const app = await documented(t, { ...header, allowedVersions: ['v1'] }, some, options)
  t.match(app.openapi('v1'), { openapi: '3.0.3', info: { title: 'API v1' } })
})

const UNUSABLE: { what: string, options: object, message: string | RegExp }[] = [
  {
    what: 'nothing instead of a document',
    options: { transformObject () {} },
    message: '"transformObject" must return the document of \'v1\', got undefined.'
  },
  {
    what: 'null instead of a document',
    options: { transformObject: () => null },
    message: '"transformObject" must return the document of \'v1\', got null.'
  },
  {
    what: 'a promise of a document',
    options: { transformObject: async () => ({}) },
    message: /^"transformObject" must return the document of 'v1', got Promise/
  },
  {
    what: 'nothing instead of a route',
    options: { transform () {} },
    message: 'A transform must return { schema, url } for /a, got undefined.'
  },
  {
    what: 'null instead of a route',
    options: { transform: () => null },
    message: 'A transform must return { schema, url } for /a, got null.'
  },
  {
    what: 'a promise of a route',
    options: { transform: async () => ({}) },
    message: /^A transform must return { schema, url } for \/a, got Promise/
  }
]

for (const { what, options, message } of UNUSABLE) {
  t.test(`a function in the options cannot return ${what}`, async (t) => {
    const app = await documented(t, { ...header, allowedVersions: ['v1'] }, some, { ui: false, ...options })
    t.throws(() => app.openapi('v1'), { code: 'FST_ERR_VERSION_DOCUMENT', message })
  })
}

const UNKNOWN: { what: string, versions: string[], versioning: VersioningOptions, message: string | null }[] = [
  {
    what: 'is refused for a version that is written wrong',
    versions: ['v1', 'v22'],
    versioning: { ...header, allowedVersions: ['v1', 'v2'] },
    message: 'Invalid "versions": expected versions that a context lists, such as [ \'v1\', \'v2\' ], got \'v22\'.'
  },
  {
    what: 'is refused for a version that no context lists',
    versions: ['beta'],
    versioning: { ...header, allowedVersions: ['v1'] },
    message: 'Invalid "versions": expected versions that a context lists, such as [ \'v1\' ], got \'beta\'.'
  },
  { what: 'may list fewer', versions: ['v1'], versioning: { ...header, allowedVersions: ['v1', 'v2'] }, message: null },
  { what: 'may be any without a list', versions: ['v9'], versioning: header, message: null },
  {
    what: 'may have the default version, which is allowed',
    versions: ['v0'],
    versioning: { ...header, defaultVersion: 'v0', allowedVersions: ['v1'] },
    message: null
  },
  { what: 'may be any without versions', versions: ['v9'], versioning: { scheme: null }, message: null }
]

for (const { what, versions, versioning, message } of UNKNOWN) {
  t.test(`the option versions ${what}`, async (t) => {
    const app = await appWith(t, versioning)
    await app.register(openapi, { ui: false, versions })
    some(app)
    if (message === null) await app.ready()
    else await t.rejects(async () => app.ready(), { code, message })
  })
}

t.test('the option versions may have a version that a child context lists', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  await app.register(openapi, { ui: false, versions: ['v1', '2026'] })
  app.register(async (api) => {
    await api.register(versioning, { allowedVersions: ['2026'] })
    some(api)
  })
  await app.ready()
  t.strictSame(Object.keys(documentOf(app, '2026').paths), ['/a'])
})

t.test('without allowedVersions the option versions is required', async (t) => {
  const app = await appWith(t, header)
  const message = 'Invalid "versions": expected a list of versions, because the context has no allowedVersions, ' +
    'got undefined.'
  await t.rejects(async () => app.register(openapi, {}), { code, message })
})

t.test('the plugin for documents is refused before fastify-versioning is registered', async (t) => {
  const app = bareApp(t)
  const message = 'Register fastify-versioning before fastify-versioning/openapi.'
  await t.rejects(async () => app.register(openapi, { versions: ['v1'] }), { code, message })
})

t.test('the plugin for documents is refused after routes with versions', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.get('/health', { versioning: false }, answer)
  app.get('/hidden', { schema: { hide: true } }, answer)
  app.get('/a', { version: 'v1' }, answer)
  const message = 'Register fastify-versioning/openapi before declaring GET /a.'
  await t.rejects(async () => app.register(openapi, {}), { code, message })
})

t.test('routes outside of its context may be declared before the plugin for documents', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.get('/a', answer)
  app.register(async (api) => {
    await api.register(openapi, { ui: false })
    api.get('/b', answer)
  })
  await app.ready()
})

t.test('the plugin for documents is refused if it is registered twice', async (t) => {
  const app = await documentedOnly(t)
  const message = 'There is a decorator "openapi" already, in this context or around it: register ' +
    'fastify-versioning/openapi once, and give a decorator of the app another name.'
  await t.rejects(async () => app.register(openapi, {}), { code, message })
})

t.test('a decorator openapi of the app is not mistaken for the one of the plugin', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.decorate('openapi', {} as typeof app.openapi)
  const message = /^There is a decorator "openapi" already/
  await t.rejects(async () => app.register(openapi, { ui: false }), { code, message })
})

async function documentedOnly (t: Parameters<typeof appWith>[0]) {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  await app.register(openapi, { ui: false })
  return app
}

t.test('the registration of the plugin for documents need not be awaited', async (t) => {
  const app = bareApp(t)
  app.register(versioning, { ...header, allowedVersions: ['v1'] })
  app.register(openapi)
  app.register(async (api) => { api.get('/a', answer) })
  await app.ready()
  t.strictSame(Object.keys(documentOf(app, 'v1').paths), ['/a'])
})

t.test('null among allowedVersions has no document', async (t) => {
  const app = await documented(t, { ...header, allowedVersions: [null, 'v1'] }, some)
  t.throws(() => app.openapi('v2'), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: "There is no document of version 'v2'. There are documents of [ 'v1' ]."
  })
})

t.test('documents of contexts without a scheme have the versions of their settings', async (t) => {
  const app = await documented(t, {}, some)
  t.strictSame(Object.keys(documentOf(app, 'v2').paths), ['/a'])
})

t.test('a document is made when the app is ready', async (t) => {
  const app = await documentedOnly(t)
  t.throws(() => app.openapi('v1'), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: 'Documents are made when the app is ready: await app.ready() first.'
  })
  await app.ready()
  t.equal(app.openapi('v1').info.title, 'API v1')
})

t.test('a document is available as an object and as YAML', async (t) => {
  const app = await documented(t, header, some, { openapi: { info: { title: 'Bookings', version: '2.4.0' } } })
  const info = { title: 'Bookings v1', version: '2.4.0', 'x-api-version': 'v1' }
  t.strictSame(documentOf(app, 'v1').info, info)
  t.match(app.openapi('v1', { yaml: true }), /title: Bookings v1\n/)
})

const TITLES: [string, OpenapiOptions, string][] = [
  ['none', {}, 'API v1'],
  ['one of all versions', { openapi: { info: { title: 'Bookings', version: '1' } } }, 'Bookings v1'],
  ['one that ends with the version', { openapi: { info: { title: 'Bookings v1', version: '1' } } }, 'Bookings v1'],
  ['one of the version', { document: (version) => ({ openapi: { info: { title: `Old ${version}`, version: '1' } } }) },
    'Old v1']
]

for (const [what, options, expected] of TITLES) {
  t.test(`the title of a document is "${expected}" if the user gives ${what}`, async (t) => {
    const app = await documented(t, header, some, options)
    t.equal(documentOf(app, 'v1').info.title, expected)
  })
}

t.test('options of one version are merged over options of all versions', async (t) => {
  const info = { title: 'Bookings', version: '1', description: 'All' }
  const app = await documented(t, header, some, {
    openapi: { openapi: '3.1.0', info, tags: [{ name: 'all' }] },
    document: (version) => version === 'v1' ? {} : { openapi: { info: { ...info, description: 'New' }, tags: [] } }
  })
  const [first, second] = ['v1', 'v2'].map((version) => documentOf(app, version))
  t.strictSame([first.openapi, first.info.description, first.tags], ['3.1.0', 'All', [{ name: 'all' }]])
  t.strictSame([second.openapi, second.info.description, second.tags], ['3.1.0', 'New', []])
})

t.test('paths of the user are in every document, and documents do not share them', async (t) => {
  const paths = { '/own': { get: { responses: {} } } }
  const app = await documented(t, header, (app) => {
    app.get('/first', { version: 'v1' }, answer)
    app.get('/second', { version: 'v2' }, answer)
  }, { openapi: { paths } as OpenapiOptions['openapi'] & object })
  t.strictSame(Object.keys(documentOf(app, 'v1').paths), ['/own', '/first'])
  t.strictSame(Object.keys(documentOf(app, 'v2').paths), ['/own', '/second'])
  t.strictSame(Object.keys(paths), ['/own'])
})

t.test('under HostNameVersioning documents need a base URL', async (t) => {
  const app = await documented(t, { scheme: HostNameVersioning }, some)
  t.equal(documentOf(app, 'v1').servers, undefined)
})

t.test('without @fastify/swagger-ui the app does not start, and the error says what to do', async (t) => {
  const script = fileURLToPath(new URL('without-ui.ts', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, script], { encoding: 'utf8' })
  t.match(stdout, 'Invalid "ui": expected false, or @fastify/swagger-ui to be installed, got Cannot find it.')
})

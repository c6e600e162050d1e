import swagger from '@fastify/swagger'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

import versioning, { HeaderVersioning, HostNameVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'
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
  [{ serviceDesc: 1 }, 'Invalid "serviceDesc": expected true or false, got 1.'],
  [{ serviceDesc: true, ui: false }, '"serviceDesc" links to documents, and "ui: false" serves none. Leave out one.'],
  [{ mode: 'static' },
    'Invalid "mode": expected none: documents are made of the routes, as OpenAPI 3, got \'static\'.'],
  [{ swagger: {} }, 'Invalid "swagger": expected none: documents are made of the routes, as OpenAPI 3, got {}.'],
  [{ decorator: 'docs' },
    'Invalid "decorator": expected none: documents are made of the routes, as OpenAPI 3, got \'docs\'.'],
  [{ ui: { routePrefix: '/docs' } },
    'Invalid "ui.routePrefix": expected none: the option "routePrefix" says where the UI is, got \'/docs\'.'],
  [{ ui: { transformSpecification: 1 } }, 'Invalid "ui.transformSpecification": expected none: the option ' +
    '"transformObject" changes the documents that are served, got 1.'],
  [{ openapi: 5 }, 'Invalid "openapi": expected an object of OpenAPI, got 5.'],
  [{ openapi: { info: { title: 5 } } }, 'Invalid "openapi.info.title": expected a string, got 5.'],
  [{ transform: 5 }, 'Invalid "transform": expected a function, got 5.'],
  [{ transformObject: {} }, 'Invalid "transformObject": expected a function, got {}.'],
  [{ document: () => null }, 'Invalid "document(\'v1\')": expected an object of options, got null.'],
  [{ document: () => ({ mode: 'static' }) },
    'Invalid "mode": expected none: documents are made of the routes, as OpenAPI 3, got \'static\'.']
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
    message: 'A transform must return { schema, url }, got undefined for /a.'
  },
  {
    what: 'null instead of a route',
    options: { transform: () => null },
    message: 'A transform must return { schema, url }, got null for /a.'
  },
  {
    what: 'a promise of a route',
    options: { transform: async () => ({}) },
    message: /^A transform must return { schema, url }, got Promise.* for \/a\.$/
  }
]

for (const { what, options, message } of UNUSABLE) {
  t.test(`a function in the options cannot return ${what}`, async (t) => {
    const app = await documented(t, { ...header, allowedVersions: ['v1'] }, some, { ui: false, ...options })
    t.throws(() => app.openapi('v1'), { code: 'FST_ERR_VERSION_DOCUMENT', message })
  })
}

const UNKNOWN: { versions: string[], allowedVersions: string[] | null, scheme: unknown, warnings: string[] }[] = [
  {
    versions: ['v1', 'v22'],
    allowedVersions: ['v1', 'v2'],
    scheme: HeaderVersioning,
    warnings: ["No route can have version 'v22', which has a document. Did you mean 'v2'?"]
  },
  {
    versions: ['beta'],
    allowedVersions: ['v1'],
    scheme: HeaderVersioning,
    warnings: ["No route can have version 'beta', which has a document."]
  },
  { versions: ['v1'], allowedVersions: ['v1', 'v2'], scheme: HeaderVersioning, warnings: [] },
  { versions: ['v9'], allowedVersions: null, scheme: HeaderVersioning, warnings: [] },
  { versions: ['v9'], allowedVersions: ['v1'], scheme: null, warnings: [] }
]

for (const { versions, allowedVersions, scheme, warnings } of UNKNOWN) {
  const what = `${versions} of ${allowedVersions ?? 'any'}${scheme === null ? ' without a scheme' : ''}`
  t.test(`documents of versions that no route can have cause a warning for ${what}`, async (t) => {
    const emitted: Error[] = []
    const note = (warning: Error) => { emitted.push(warning) }
    process.on('warning', note)
    await documented(t, { scheme, allowedVersions } as VersioningOptions, some, { ui: false, versions })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    const ours = emitted.filter((one) => (one as { code?: string }).code === 'FST_WARN_VERSION_DOCUMENT')
    t.strictSame(ours.map(({ name, message }) => [name, message]), warnings.map((one) => (
      ['FastifyVersioningWarning', one]
    )))
  })
}

t.test('documents of versions that a scheme without a list refuses cause a warning', async (t) => {
  class Numbered extends HeaderVersioning {
    override isAllowedVersion (version: string | null) { return version !== null && /^v\d$/.test(version) }
  }
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => { warnings.push(message) }
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  await documented(t, { scheme: Numbered, allowedVersions: null }, some, { ui: false, versions: ['v1', 'beta'] })
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(warnings, ["No route can have version 'beta', which has a document."])
})

t.test('a transform of a version requires documents of OpenAPI 3', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  await app.register(openapi, { ui: false })
  await app.register(swagger, { swagger: {}, transform: app.openapi.transform('v1') })
  some(app)
  await app.ready()
  t.throws(() => app.swagger(), {
    code: 'FST_ERR_VERSION_DOCUMENT', message: 'Give @fastify/swagger the option openapi: not Swagger 2.'
  })
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
  const message = 'fastify-versioning/openapi is registered already, in this context or around it.'
  await t.rejects(async () => app.register(openapi, {}), { code, message })
})

t.test('a decorator openapi of the app is not mistaken for the one of the plugin', async (t) => {
  const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
  app.decorate('openapi', {} as typeof app.openapi)
  const message = 'The app has its own decorator "openapi", which is a decorator of fastify-versioning/openapi as ' +
    'well. Rename yours.'
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

for (const [name, install] of [
  ['@fastify/swagger', 'Run `npm install @fastify/swagger`.'],
  ['@fastify/swagger-ui', 'Run `npm install @fastify/swagger-ui` or set the option "ui" to false.']
]) {
  t.test(`the error about the missing package ${name} names it`, async (t) => {
    const script = fileURLToPath(new URL('missing-package.ts', import.meta.url))
    const { stdout } = spawnSync(process.execPath, [TYPESCRIPT, script, name, 'missing'], { encoding: 'utf8' })
    t.equal(stdout, 'FST_ERR_VERSIONING_PEER ' +
      `fastify-versioning/openapi needs ${name}, which is not installed. ${install} ` +
      'See https://github.com/fastify-versioning/fastify-versioning/blob/main/docs/openapi.md\n')
  })
}

t.test('the error about a package that fails to load has the cause', async (t) => {
  const script = fileURLToPath(new URL('missing-package.ts', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [TYPESCRIPT, script, '@fastify/swagger', 'broken'], {
    encoding: 'utf8'
  })
  t.equal(stdout, 'undefined broken\n')
})

t.test('under HostNameVersioning documents need a base URL', async (t) => {
  const app = await documented(t, { scheme: HostNameVersioning }, some)
  t.equal(documentOf(app, 'v1').servers, undefined)
})

import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { JsonValue, VersioningOptions } from '../../types/index.d.ts'

const options: VersioningOptions = {
  scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle: { v2: { preview: true } }, reportVersions: true
}

/** The documents of v1 and v2. */
async function documentsOf (t: Parameters<typeof appWith>[0], own: VersioningOptions = {}): Promise<JsonValue[]> {
  const app = await appWith(t, { ...options, ...own })
  await app.register(openapi, { openapi: { info: { title: 'Bookings', version: '1' } }, ui: false })
  app.get('/a', async () => '')
  app.get('/own', { deprecated: { sunset: '2099-01-01' } }, async () => '')
  await app.ready()
  return ['v1', 'v2'].map((version) => app.openapi(version))
}

t.test('the document of a preview has its stability in info, in each operation and in the text', async (t) => {
  const [v1, v2] = await documentsOf(t)
  t.equal(v1.info['x-stability-level'], undefined)
  t.equal(v1.paths['/a'].get['x-stability-level'], undefined)
  t.equal(v2.info['x-stability-level'], 'beta')
  t.match(v2.info.description, 'This version is a preview: it may change before its release.')
  t.equal(v2.paths['/a'].get['x-stability-level'], 'beta')
  t.equal(v2.paths['/own'].get['x-stability-level'], 'beta')
  t.equal(v2.paths['/a'].get.deprecated, undefined)
})

t.test('the parameter of the version is required if the default is a function, but not if it is fixed', async (t) => {
  const requiredBy = async (defaultVersion: VersioningOptions['defaultVersion']) => {
    const [{ paths }] = await documentsOf(t, { defaultVersion })
    return paths['/a'].get.parameters.find(({ name }: { name: string }) => name === 'API-Version').required === true
  }
  t.equal(await requiredBy({ header: 'X-API-Key', version: () => 'v1' }), true)
  t.equal(await requiredBy('v1'), false)
})

t.test('documents served as JSON and YAML have the stability as well', async (t) => {
  const app = await appWith(t, options)
  await app.register(openapi)
  app.get('/a', async () => '')
  await app.ready()
  t.match((await app.inject('/documentation/v2.json')).json(), {
    'x-stability-level': 'beta', info: { 'x-stability-level': 'beta' }
  })
  t.match((await app.inject('/documentation/v2.yaml')).body, /^x-stability-level: beta$/m)
})

t.test('documented responses have no links to previews', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' }, v2: { preview: true } }
  const [v1, v2] = await documentsOf(t, { scheme: QueryParameterVersioning, lifecycle })
  const linkIn = ({ paths }: JsonValue) => paths['/a'].get.responses[200].headers?.Link
  t.notOk(linkIn(v1))
  t.notOk(linkIn(v2))
})

t.test('the document of a preview shows where to read more', async (t) => {
  const lifecycle = { v2: { preview: true, info: 'https://example.com/v2' } } as const
  const [, { info }] = await documentsOf(t, { lifecycle })
  t.match(info.description, /See: https:\/\/example\.com\/v2$/)
})

t.test('a preview in one of two contexts is shown in its operations alone, without a text', async (t) => {
  const app = await appWith(t, options)
  await app.register(openapi, { ui: false })
  app.get('/a', async () => '')
  app.register(async (child) => {
    await child.register(versioning, { lifecycle: {} })
    child.get('/child', async () => '')
  })
  await app.ready()
  const { info, paths }: JsonValue = app.openapi('v2')
  t.strictSame([info.description, info['x-stability-level']], [undefined, undefined])
  t.strictSame([paths['/a'].get.description, paths['/a'].get['x-stability-level']], [undefined, 'beta'])
  t.equal(paths['/child'].get['x-stability-level'], undefined)
})

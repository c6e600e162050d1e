import t from 'tap'

import versioning, { HeaderVersioning, URLPathVersioning } from '../../src/index.ts'
import { changelog, guide } from '../../src/changelog/index.ts'
import openapi from '../../src/openapi/index.ts'
import usage from '../../src/usage/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Test } from 'tap'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const responseOf = (name: string) => (
  { response: { 200: { type: 'object', properties: { [name]: { type: 'string' } } } } }
)
const same = async () => ({})

async function compared (
  t: Test, options: OpenapiOptions, declare: (app: FastifyInstance) => void, scheme: unknown = HeaderVersioning
): Promise<FastifyInstance> {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: scheme as typeof HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2026-01-01' } }
  })
  await app.register(openapi, { ui: false, ...options })
  await app.register(usage, { client: () => 'acme' })
  declare(app)
  await app.ready()
  return app
}

/** Where an operation stands in documents of which a path does not tell the endpoint. */
const PLACES: [what: string, options: OpenapiOptions, method: HTTPMethods, url: string][] = [
  ['among the additional operations of OpenAPI 3.2', { openapi: { openapi: '3.2.0' } }, 'COPY', '/a'],
  ['where a transform puts it', { transform: ({ schema, url }) => ({ schema, url: `/api${url}` }) }, 'GET', '/a'],
  ['at a path with braces', {}, 'GET', '/{a}/b'],
  ['in a copy of a document',
    { transformObject: (document) => structuredClone(Reflect.get(document, 'openapiObject')) }, 'GET', '/a/:id']
]

for (const [what, options, method, url] of PLACES) {
  t.test(`differences of an operation belong to its endpoint ${what}`, async (t) => {
    const app = await compared(t, options, (app) => {
      app.addHttpMethod('COPY')
      for (const [version, name] of [['v1', 'x'], ['v2', 'y']]) {
        app.route({ method, url, version, schema: responseOf(name), handler: same })
      }
    })
    for (const { differences, endpoints } of changelog(app)[0].items) {
      t.strictSame(endpoints, [`${method} ${url}`])
      t.ok(differences.length > 0)
    }
    await app.inject({ method: method as 'GET', url: url.replace(':id', '7'), headers: { 'api-version': 'v1' } })
    const { affected } = await app.versionUsage.of('acme')
    t.match(affected, [{ method, url, differences: ['`x` is no longer in the response'] }])
  })
}

t.test('a parameter of a path may have another name in another version', async (t) => {
  const app = await compared(t, {}, (app) => {
    app.get('/:version/b/:id', { version: 'v1', schema: responseOf('x') }, same)
    app.get('/:version/b/:bookingId', { version: 'v2', schema: responseOf('y') }, async () => ({}))
    app.get('/:version/c/:id?', { version: 'v1' }, same)
    app.get('/:version/c/:other?', { version: 'v2' }, async () => ({}))
  }, URLPathVersioning)
  const [{ items }] = changelog(app)
  t.strictSame(items.flatMap(({ sentences }) => sentences), ['Answers differently:', 'Answers differently:'])
  t.strictSame(items.flatMap(({ endpoints }) => endpoints).sort(), ['GET /b/:id', 'GET /c/:id?'])
  for (const name of ['GET /b/:id', 'GET /b/:bookingId']) {
    t.strictSame(guide(app, { from: 'v1', to: 'v2', endpoints: [name] }).items.map(({ endpoints }) => endpoints),
      [['GET /b/:id']])
  }
  t.throws(() => guide(app, { from: 'v1', to: 'v2', endpoints: ['GET /none'] }), { message: 'endpoints of v1 or v2' })
  await app.inject('/v1/b/7')
  t.match((await app.versionUsage.of('acme')).affected, [{ url: '/b/:id', reason: 'Another handler answers in v2.' }])
})

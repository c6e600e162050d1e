import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

t.test('a document has only methods that OpenAPI knows, and paths with a slash', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
  app.addHttpMethod('PROPFIND')
  await app.register(openapi)
  app.get('*', async () => '')
  app.all('/all', async () => '')
  app.route({ method: ['GET', 'PROPFIND'], url: '/some', handler: async () => '' })
  app.route({ method: 'PROPFIND', url: '/other', handler: async () => '' })
  await app.ready()
  const { paths } = app.openapi('v1')
  t.same(Object.keys(paths?.['/all'] ?? {}).toSorted(), [
    'delete', 'get', 'options', 'patch', 'post', 'put', 'trace'
  ])
  t.same(Object.keys(paths?.['/some'] ?? {}), ['get'])
  t.notOk(paths?.['/other'])
  t.ok(paths?.['/{*}'])
  t.match(await new Validator().validate({ ...app.openapi('v1') }), { valid: true })
})

t.test('a document of OpenAPI 3.2 has every method', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
  app.addHttpMethod('PROPFIND')
  app.addHttpMethod('QUERY', { hasBody: true })
  await app.register(openapi, { ui: false, openapi: { openapi: '3.2.0' } })
  app.route({ method: ['GET', 'QUERY', 'PROPFIND'], url: '/a', handler: async () => '' })
  await app.ready()
  const path = app.openapi('v1').paths?.['/a'] as Record<string, object> | undefined
  t.strictSame(Object.keys(path ?? {}), ['get', 'query', 'additionalOperations'])
  const refusals = { responses: { 404: { $ref: '#/components/responses/VersionNotFound' } } }
  const parameters = [{ name: 'version', schema: { enum: ['v1'] } }]
  t.match(path, {
    get: { ...refusals, parameters },
    query: { ...refusals, parameters },
    additionalOperations: { PROPFIND: { ...refusals, parameters } }
  })
  t.notOk(JSON.stringify(path).includes('x-fastify-versioning'))
})

import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

t.test('a document has the methods of OpenAPI alone, and paths with a slash', async (t) => {
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

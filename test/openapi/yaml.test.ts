import t from 'tap'
import { parse } from 'yaml'

import { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

t.test('a document as YAML has no aliases', async (t) => {
  const app = await appWith(t, {
    scheme: [HeaderVersioning, QueryParameterVersioning],
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2025-01-01', sunset: '2025-06-01' } },
    reportVersions: true,
    enforceSunset: true
  })
  await app.register(openapi)
  const response = { 200: { type: 'string' }, 201: { type: 'string' } }
  app.get('/bookings', { schema: { response } }, async () => '')
  await app.ready()
  const text = app.openapi('v1', { yaml: true })
  t.match(text, /^ {10}headers:\n {12}Deprecation:$/m)
  t.notMatch(text, /[&*]a\d/)
})

const VERSIONS = ['2025-01-01', '2025-01-01 10:00:00', '2025-01-01T10:00:00Z', '1_0', '1:30', 'no', 'On', '1.0', 'v1']

t.test('a version and a sunset are strings for parsers of YAML 1.1 as well', async (t) => {
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: VERSIONS,
    lifecycle: { '2025-01-01': { deprecated: '2025-01-01', sunset: '2025-06-01' } }
  })
  await app.register(openapi, { ui: false })
  const description = 'Since 2025-01-01\n2025-01-01\nno'
  app.get('/bookings', { schema: { description } }, async () => '')
  await app.ready()
  for (const version of VERSIONS) {
    const text = app.openapi(version, { yaml: true })
    const document = JSON.parse(JSON.stringify(app.openapi(version)))
    for (const reader of ['1.1', '1.2'] as const) t.strictSame(parse(text, { version: reader }), document, version)
  }
  t.match(app.openapi('2025-01-01', { yaml: true }), '      x-sunset: "2025-06-01"\n')
})

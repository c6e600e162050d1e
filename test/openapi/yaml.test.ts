import t from 'tap'

import { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

for (const problemDetails of [false, true]) {
  t.test(`a document as YAML has no aliases, with problemDetails ${problemDetails}`, async (t) => {
    const app = await appWith(t, {
      scheme: [HeaderVersioning, QueryParameterVersioning],
      allowedVersions: ['v1', 'v2'],
      lifecycle: { v1: { deprecated: '2025-01-01', sunset: '2025-06-01' } },
      reportVersions: true,
      enforceSunset: true,
      problemDetails
    })
    await app.register(openapi)
    const response = { 200: { type: 'string' }, 201: { type: 'string' } }
    app.get('/bookings', { schema: { response } }, async () => '')
    await app.ready()
    const text = app.openapi('v1', { yaml: true })
    t.match(text, /^ {10}headers:\n {12}Deprecation:$/m)
    t.notMatch(text, /[&*]a\d/)
  })
}

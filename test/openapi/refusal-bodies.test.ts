import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

const OURS = '#/components/responses/VersionNotFound'

const cases: { response: string, problemDetails: boolean, $ref: string | undefined }[] = [
  { response: '404', problemDetails: false, $ref: undefined },
  { response: '4xx', problemDetails: false, $ref: undefined },
  { response: 'default', problemDetails: false, $ref: undefined },
  { response: '2xx', problemDetails: false, $ref: OURS },
  { response: '404', problemDetails: true, $ref: undefined },
  { response: '4xx', problemDetails: true, $ref: OURS },
  { response: 'default', problemDetails: true, $ref: OURS }
]

for (const { response, problemDetails, $ref } of cases) {
  const what = `${response} of the user, with problemDetails ${problemDetails}`
  t.test(`a refusal is described as it is served, beside the response ${what}`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'], problemDetails })
    await app.register(openapi)
    const schema = { response: { [response]: { type: 'object', properties: { mine: { type: 'string' } } } } }
    app.get('/bookings', { schema }, async () => ({}))
    const refused = await app.inject('/bookings?version=v9')
    t.equal(refused.body === '{}', !problemDetails && $ref === undefined)
    const responses: Record<string, object> | undefined = app.openapi('v1').paths?.['/bookings']?.get?.responses
    t.equal((responses?.['404'] as { $ref?: string } | undefined)?.$ref, $ref)
  })
}

import t from 'tap'

import {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf } from './app.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

const OURS = '#/components/responses/VersionNotFound'

const cases: { response: string, $ref: string | undefined }[] = [
  { response: '404', $ref: undefined },
  { response: '4xx', $ref: undefined },
  { response: 'default', $ref: undefined },
  { response: '2xx', $ref: OURS }
]

for (const { response, $ref } of cases) {
  t.test(`a refusal is described as it is served, next to the response ${response} of the user`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
    await app.register(openapi)
    const schema = { response: { [response]: { type: 'object', properties: { mine: { type: 'string' } } } } }
    app.get('/bookings', { schema }, async () => ({}))
    const refused = await app.inject('/bookings?version=v9')
    t.match(refused.json(), { code: 'FST_ERR_VERSION_NOT_FOUND' })
    const responses: Record<string, object> | undefined = app.openapi('v1').paths?.['/bookings']?.get?.responses
    t.equal((responses?.['404'] as { $ref?: string } | undefined)?.$ref, $ref)
  })
}

const NO_REFUSAL: { what: string, versioning: VersioningOptions, statuses: string[] }[] = [
  { what: 'NamespaceVersioning', versioning: { scheme: NamespaceVersioning }, statuses: [] },
  { what: 'URLPathVersioning', versioning: { scheme: URLPathVersioning }, statuses: [] },
  {
    what: 'a list with another place',
    versioning: { scheme: [NamespaceVersioning, HeaderVersioning] },
    statuses: ['400']
  },
  {
    what: 'a lifecycle with a version that is gone',
    versioning: {
      scheme: NamespaceVersioning,
      enforceSunset: true,
      lifecycle: { v1: { deprecated: '2025-01-01', sunset: '2025-06-01' } }
    },
    statuses: ['410']
  }
]

for (const { what, versioning, statuses } of NO_REFUSAL) {
  t.test(`an operation whose path has the version lists ${statuses.join() || 'no 4xx'} under ${what}`, async (t) => {
    const app = await appWith(t, { ...versioning, allowedVersions: ['v1'] })
    await app.register(openapi, { ui: false })
    app.register(async (api) => { api.get('/a', async () => ({})) }, { prefix: '/:version(^v1$)', namespace: 'v1' })
    await app.ready()
    const [{ get }] = Object.values(documentOf(app, 'v1').paths)
    t.strictSame(Object.keys(get.responses), ['200', ...statuses])
  })
}

const OUTSIDE: { what: string, defaultVersion: string | null, statuses: string[] }[] = [
  { what: 'with a default version', defaultVersion: 'v1', statuses: ['200', '400'] },
  { what: 'without a default version', defaultVersion: null, statuses: ['200', '400', '404'] }
]

for (const { what, defaultVersion, statuses } of OUTSIDE) {
  t.test(`an operation outside of namespaces lists ${statuses.join(' and ')} ${what}`, async (t) => {
    const scheme = [NamespaceVersioning, HeaderVersioning]
    const app = await appWith(t, { scheme, defaultVersion, allowedVersions: ['v1'] })
    await app.register(openapi, { ui: false })
    app.get('/bookings', async () => ({}))
    await app.ready()
    t.strictSame(Object.keys(documentOf(app, 'v1').paths['/bookings'].get.responses), statuses)
    const refused = await app.inject('/bookings')
    t.equal(refused.statusCode, defaultVersion === null ? 404 : 200)
  })
}

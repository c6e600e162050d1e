import t from 'tap'

import {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf } from './app.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

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
  t.test(`a refusal is described as it is served, next to the response ${what}`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'], problemDetails })
    await app.register(openapi)
    const schema = { response: { [response]: { type: 'object', properties: { mine: { type: 'string' } } } } }
    app.get('/bookings', { schema }, async () => ({}))
    const refused = await app.inject('/bookings?version=v9')
    t.match(refused.json(), { code: 'FST_ERR_VERSION_NOT_FOUND' })
    const responses: Record<string, object> | undefined = app.openapi('v1').paths?.['/bookings']?.get?.responses
    t.equal((responses?.['404'] as { $ref?: string } | undefined)?.$ref, $ref)
  })
}

const list = { type: 'array', items: { type: 'string' } }
const LISTS: [string, '3.0.3' | '3.1.0', (string | null)[] | null, object][] = [
  ['an array of strings and null with null', '3.0.3', ['v1', null],
    { ...list, items: { type: 'string', nullable: true } }],
  ['an array of strings and null with null', '3.1.0', ['v1', null], { ...list, items: { type: ['string', 'null'] } }],
  ['an array or null without a list', '3.0.3', null, { ...list, nullable: true }],
  ['an array or null without a list', '3.1.0', null, { ...list, type: ['array', 'null'] }],
  ['an array with one version', '3.0.3', ['v1'], list],
  ['an array with one version', '3.1.0', ['v1'], list]
]

for (const [what, version, allowedVersions, expected] of LISTS) {
  t.test(`the schema for the allowed versions is ${what}, in OpenAPI ${version}`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions, problemDetails: true })
    await app.register(openapi, { openapi: { openapi: version }, versions: ['v1'] })
    app.get('/bookings', async () => ({}))
    await app.ready()
    const refused = await app.inject({ url: '/bookings', headers: { 'api-version': ['v1', 'v2'] } })
    t.strictSame([refused.statusCode, refused.json().allowedVersions], [400, allowedVersions])
    const [{ content }] = Object.values(documentOf(app, 'v1').components.responses ?? {})
    const schema = content?.['application/problem+json'].schema as { properties: { allowedVersions: object } }
    t.strictSame(schema.properties.allowedVersions, expected)
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

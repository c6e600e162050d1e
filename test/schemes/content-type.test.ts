import t from 'tap'

import { ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf, refusalOf } from '../fixtures/places.ts'
import { schemeContract } from './contract.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const { contentType } = places
const { refusal } = contentType

schemeContract(t, {
  Scheme: ContentTypeVersioning,
  routes: (app, probe) => declareIn(app, [contentType], { ...probe, url: '/probe' }),
  naming: (version) => requestOf('/probe', contentType.naming(version)),
  unnamed: requestOf('/probe'),
  lookalikes: ['V1', 'v10', 'v', 'v1.0', ' v1', ''],
  refusal,
  isDefaultChecked: true,
  link: () => '/probe'
})

async function tell ({ version, body }: FastifyRequest): Promise<object> {
  return { version, body }
}

async function reading (t: Test, options: VersioningOptions = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: ContentTypeVersioning, defaultVersion: 'the default', ...options })
  app.get('/', async ({ version }) => ({ version }))
  return app
}

interface Reading { type: string, version: string }

const readings: Reading[] = [
  { type: '', version: 'the default' },
  { type: 'application/json', version: 'the default' },
  { type: 'application/json;version=', version: 'the default' },
  { type: 'application/json;version=v1', version: 'v1' },
  { type: 'application/json; charset=utf-8; version=v1', version: 'v1' },
  { type: ' application/json \t;\t VERSION=V1', version: 'V1' },
  { type: 'application/json;version="a, b; c"', version: 'a, b; c' },
  { type: 'application/json;version=v1;version=v2', version: 'v2' },
  { type: 'application/json;version=v1, text/html;version=v2', version: 'v1' },
  { type: 'text/html, application/json;version=v2', version: 'the default' },
  { type: 'json;version=v1', version: 'the default' },
  { type: ';version=v1', version: 'the default' }
]

for (const { type, version } of readings) {
  t.test(`the Content-Type ${JSON.stringify(type)} specifies ${JSON.stringify(version)}`, async (t) => {
    const app = await reading(t)
    const request = { url: '/', headers: { 'content-type': type } }
    for (const time of ['first', 'second', 'third']) t.same((await app.inject(request)).json(), { version }, time)
  })
}

t.test('the parameter of the Content-Type has the name of the setting', async (t) => {
  const app = await reading(t, { versionParam: 'V' })
  const headers = { 'content-type': 'application/json;version=1;v=2' }
  t.same((await app.inject({ url: '/', headers })).json(), { version: '2' })
})

t.test('the body of a version is validated by the schema of its route', async (t) => {
  const app = await appWith(t, { scheme: ContentTypeVersioning, allowedVersions: ['v1', 'v2'] })
  for (const [version, field] of [['v1', 'guest'], ['v2', 'guests']]) {
    const body = { type: 'object', required: [field] }
    const handler = async (request: FastifyRequest) => ({ route: version, ...await tell(request) })
    app.post('/bookings', { version, schema: { body } }, handler)
  }
  const post = (version: string, body: object) => app.inject({
    url: '/bookings', method: 'POST', payload: body, headers: { 'content-type': `application/json; version=${version}` }
  })
  t.same((await post('v1', { guest: 'a' })).json(), { route: 'v1', version: 'v1', body: { guest: 'a' } })
  t.same((await post('v2', { guests: ['a'] })).json(), { route: 'v2', version: 'v2', body: { guests: ['a'] } })
  const wrong = await post('v2', { guest: 'a' })
  t.equal(wrong.statusCode, 400)
  t.match(wrong.json(), { code: 'FST_ERR_VALIDATION', message: "body must have required property 'guests'" })
  t.same((await post('v9', { guest: 'a' })).json(), refusalOf(refusal, 'v9', ['v1', 'v2']))
})

const vendor = {
  scheme: ContentTypeVersioning,
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json'],
  allowedVersions: ['v1', 'v2']
}

async function posting (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t, vendor)
  for (const version of vendor.allowedVersions) {
    app.post('/', { version }, async (request) => ({ route: version, ...await tell(request) }))
  }
  return app
}

const postVendor = (version: string) => ({
  url: '/',
  method: 'POST' as const,
  payload: '{"a":1}',
  headers: { 'content-type': `application/vnd.acme.${version}+json` }
})

t.test('a parser for a pattern reads the bodies of every version', async (t) => {
  const app = await posting(t)
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(/^application\/vnd\.acme\.[^;]+\+json/, { parseAs: 'string' }, parse)
  for (const version of vendor.allowedVersions) {
    t.same((await app.inject(postVendor(version))).json(), { route: version, version, body: { a: 1 } })
  }
  const json = { ...postVendor('v1'), headers: { 'content-type': 'application/json; version=v1' } }
  t.same((await app.inject(json)).json(), { route: 'v1', version: 'v1', body: { a: 1 } })
})

t.test('a media type and its parameter that specify different versions are ambiguous', async (t) => {
  const app = await posting(t)
  const headers = { 'content-type': 'application/vnd.acme.v2+json; version=v1' }
  const response = await app.inject({ ...postVendor('v2'), headers })
  t.equal(response.statusCode, 400)
  t.same(response.json(), {
    statusCode: 400,
    code: 'FST_ERR_VERSION_AMBIGUOUS',
    error: 'Bad Request',
    message: 'The request specifies different versions in the "Content-Type" header. Versions: v1, v2.'
  })
})

t.test('a Content-Type that is not one of the media types specifies a version by its parameter', async (t) => {
  const app = await reading(t, vendor)
  const headers = { 'content-type': 'text/plain; version=v2' }
  t.same((await app.inject({ url: '/', headers })).json(), { version: 'v2' })
})

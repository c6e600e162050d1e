import t from 'tap'

import { ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places, refusalOf } from '../fixtures/places.ts'
import { readings } from './readings.ts'

const scheme = ContentTypeVersioning
const sending = (type: string) => ({ url: '/', headers: { 'content-type': type } })

readings(t, { scheme }, sending, [
  ['', 'the default'],
  ['application/json', 'the default'],
  ['application/json;version=', 'the default'],
  ['application/json;version=v1', 'v1'],
  ['application/json; charset=utf-8; version=v1', 'v1'],
  [' application/json \t;\t VERSION=V1', 'V1'],
  ['application/json;version="a, b; c"', 'a, b; c'],
  ['application/json;version=v1;version=v2', 'v2'],
  ['application/json;version=v1, text/html;version=v2', 'v1'],
  ['text/html, application/json;version=v2', 'the default'],
  ['json;version=v1', 'the default'],
  [';version=v1', 'the default']
])

readings(t, { scheme, versionParam: 'V' }, sending, [['application/json;version=1;v=2', '2']])

const vendor = {
  scheme,
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json'],
  allowedVersions: ['v1', 'v2']
}

// A Content-Type that is not one of the media types specifies a version by its parameter.
readings(t, vendor, sending, [['text/plain; version=v2', 'v2']])

t.test('the body of a version is validated by the schema of its route', async (t) => {
  const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
  for (const [version, field] of [['v1', 'guest'], ['v2', 'guests']]) {
    const schema = { body: { type: 'object', required: [field] } }
    app.post('/', { version, schema }, async (request) => [version, request.version, request.body])
  }
  const post = async (version: string, payload: object) => (
    (await app.inject({ ...sending(`application/json; version=${version}`), method: 'POST', payload })).json()
  )
  t.same(await post('v1', { guest: 'a' }), ['v1', 'v1', { guest: 'a' }])
  t.same(await post('v2', { guests: ['a'] }), ['v2', 'v2', { guests: ['a'] }])
  t.match(await post('v2', { guest: 'a' }), {
    statusCode: 400, code: 'FST_ERR_VALIDATION', message: "body must have required property 'guests'"
  })
  t.same(await post('v9', { guest: 'a' }), refusalOf(places.contentType.refusal, 'v9', ['v1', 'v2']))
})

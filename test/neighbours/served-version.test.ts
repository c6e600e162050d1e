import compress from '@fastify/compress'
import etag from '@fastify/etag'
import t from 'tap'
import { gunzipSync } from 'node:zlib'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], servedVersion: 'Content-Type' }
const byAccept = {
  ...settings,
  scheme: AcceptHeaderVersioning,
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json']
}
const vendor = 'application/vnd.acme.v2+json'

async function answer () {
  return { a: 1 }
}

for (const order of orders) {
  t.test(`a compressed answer reports the version, with compress ${order}`, async (t) => {
    const app = await appInOrder(t, order, byAccept, (app) => app.register(compress, { threshold: 0 }))
    app.get('/', answer)
    for (const [accept, type] of [
      [vendor, `${vendor}; charset=utf-8`],
      ['*/*;version=v2', 'application/json; charset=utf-8; version=v2']
    ]) {
      const { headers, rawPayload } = await app.inject({ url: '/', headers: { accept, 'accept-encoding': 'gzip' } })
      t.equal(headers['content-encoding'], 'gzip')
      t.equal(headers['content-type'], type)
      t.equal(gunzipSync(rawPayload).toString(), '{"a":1}')
    }
  })

  t.test(`an answer with a tag reports the version, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, settings, (app) => app.register(etag))
    app.get('/', answer)
    const { headers } = await app.inject('/?version=v1')
    t.equal(headers['content-type'], 'application/json; charset=utf-8; version=v1')
    const again = await app.inject({ url: '/?version=v1', headers: { 'if-none-match': headers.etag } })
    t.equal(again.statusCode, 304)
  })

  t.test(`a 304 reports the version in a header, with etag ${order}`, async (t) => {
    const options = { ...settings, servedVersion: 'API-Version' }
    const app = await appInOrder(t, order, options, (app) => app.register(etag))
    app.get('/', answer)
    const { headers } = await app.inject('/?version=v1')
    const again = await app.inject({ url: '/?version=v1', headers: { 'if-none-match': headers.etag } })
    t.equal(again.statusCode, 304)
    t.equal(again.headers['api-version'], 'v1')
  })
}

import etag from '@fastify/etag'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'

const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], servedVersion: 'API-Version' }

for (const order of orders) {
  t.test(`a 304 reports the version in a header, with etag ${order}`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(etag))
    app.get('/', async () => ({ a: 1 }))
    const { headers } = await app.inject('/?version=v1')
    const again = await app.inject({ url: '/?version=v1', headers: { 'if-none-match': headers.etag } })
    t.equal(again.statusCode, 304)
    t.equal(again.headers['api-version'], 'v1')
  })
}

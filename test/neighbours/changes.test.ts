import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import t from 'tap'

import { compareTwins, inHeader } from '../changes/twins.ts'
import { formIn } from '../fixtures/form.ts'
import { orders } from './orders.ts'

import type { FastifyInstance } from 'fastify'

const neighbours: Record<string, (app: FastifyInstance) => PromiseLike<unknown>> = {
  compress: (app) => app.register(compress, { threshold: 0 }),
  etag: (app) => app.register(etag),
  multipart: (app) => app.register(multipart, { attachFieldsToBody: 'keyValues' }),
  'rate-limit': (app) => app.register(rateLimit, { max: 5, keyGenerator: ({ version, url }) => `${version} ${url}` }),
  'all of them': async (app) => {
    for (const one of [compress, cors, etag, helmet, multipart, rateLimit]) await app.register(one as typeof etag)
  }
}

/** Valid in v1, in v2, and in none. Without multipart no body of this type is. */
const FORMS = [{ guest: 'Ada', room: '7' }, { guests: 'Ada', room: '7' }, { guest: 'Ada' }]

for (const [name, register] of Object.entries(neighbours)) {
  for (const order of orders) {
    t.test(`an API with changes answers like one written by hand, with ${name} ${order}`, async (t) => {
      const api = order === 'registered before the plugin' ? { before: register } : { prepare: register }
      await compareTwins(t, api, (version) => [
        ...inHeader(version, { 'accept-encoding': 'gzip', origin: 'https://example.com' }),
        ...FORMS.map((fields) => formIn(version, '/bookings', fields))
      ])
    })
  }
}

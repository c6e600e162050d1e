import t from 'tap'

import { QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'

async function link (_request: FastifyRequest, reply: FastifyReply) {
  return reply.reverse(null, null, { version: 'v2' })
}

const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

for (const path of ['/:org/:repo', '/:a/bookings', '/:a/*']) {
  t.test(`a link to the current route ${path} never names a host`, async (t) => {
    const app = await appWith(t, {
      ...settings, scheme: QueryParameterVersioning, lifecycle: { v1: { deprecated: '2020-01-01' } }
    })
    app.get(path, link)
    const { statusCode, headers, body } = await app.inject('//bookings?version=v1')
    t.equal(statusCode, 400)
    t.notMatch(body, /"\/\/bookings/)
    t.equal(headers.link, undefined)
  })
}

t.test('an empty version of the path makes no link that names a host', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, allowedVersions: ['v1', ''] })
  app.get('/:version/:id', async (_request, reply) => reply.reverse(null, null, { version: '' }))
  const { statusCode, body } = await app.inject('/v1/evil.example')
  t.equal(statusCode, 500)
  t.match(JSON.parse(body), {
    code: 'FST_ERR_NO_REVERSE_MATCH',
    message: /: \/:version\/:id \("version" missing\)\.$/
  })
})
